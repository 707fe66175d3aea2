"""The subject model against the package sureal, planted truth, and laws."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from scipy import optimize

from analysis.screening.subject_model import AT_FLOOR, NO_SHARED_ITEMS, SINGLE_RATING, subject_model
from analysis.values.estimate import InputError
from analysis.values.ratings import Ratings

REFERENCE = Path(__file__).resolve().parents[2] / "reference" / "sureal_numbers.json"


@pytest.fixture(scope="module")
def sureal():
    return json.loads(REFERENCE.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def video(shared_data):
    with (shared_data / "video_mos_nflx_public.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return Ratings([r["item"] for r in rows], [r["rater"] for r in rows], [float(r["score"]) for r in rows])


@pytest.mark.parametrize("design", ["complete", "every 7th missing"])
def test_equals_sureal(video, sureal, design):
    place = np.searchsorted(sureal["items"], video.item) * 26 + np.searchsorted(sureal["raters"], video.rater)
    keep = place % 7 != 0 if design != "complete" else place >= 0
    found = subject_model(Ratings(video.item[keep], video.rater[keep], video.score[keep]))
    oracle = sureal[design]["p910"]
    assert found.converged
    assert not any(found.rater_reasons)
    np.testing.assert_allclose(found.quality, oracle["quality_scores"], atol=1e-6)
    np.testing.assert_allclose(found.bias, oracle["observer_bias"], atol=1e-6)
    np.testing.assert_allclose(found.inconsistency, oracle["observer_inconsistency"], atol=1e-6)
    # not sureal's chi-squared, which covers 52 to 85%; with 26 raters of 79 items they are of one size
    width = np.sum(oracle["observer_inconsistency_ci95"], axis=0)
    widths = found.inconsistency_high - found.inconsistency_low
    assert 1 < np.median(widths / width) < 1.4


def planted(seed=0, n=60, w=12, rows=1500, digits=1):
    rng = np.random.default_rng(seed)
    item, rater = rng.integers(0, n, rows), rng.integers(0, w, rows)
    quality, bias, noise = rng.normal(3, 1, n), rng.normal(0, 0.5, w), np.linspace(0.4, 1.5, w)
    score = quality[item] + bias[rater] + rng.normal(0, 1, rows) * noise[rater]
    return Ratings(item, rater, score.round(digits)), quality, bias - bias.mean(), noise


def test_it_is_a_maximum_of_the_likelihood():
    ratings, *_ = planted(rows=400, n=20, w=6)
    found = subject_model(ratings)

    def minus_log_likelihood(parameters):
        quality, bias, log_noise = np.split(parameters, [20, 26])
        scale = np.exp(log_noise)[ratings.rater]
        z = (ratings.score - quality[ratings.item] - bias[ratings.rater]) / scale
        return float(np.sum(z**2 / 2 + np.log(scale)))

    here = np.concatenate([found.quality, found.bias, np.log(found.inconsistency)])
    assert np.abs(optimize.approx_fprime(here, minus_log_likelihood, 1e-6)).max() < 0.01
    best = optimize.minimize(minus_log_likelihood, here + 0.05, method="BFGS").fun
    assert minus_log_likelihood(here) == pytest.approx(best, abs=1e-4)


def test_intervals_cover_what_was_planted():
    inside = []
    for seed in range(60):
        ratings, *_, noise = planted(seed, digits=3)
        found = subject_model(ratings)
        inside.append(np.mean((found.inconsistency_low <= noise) & (noise <= found.inconsistency_high)))
    assert np.mean(inside) > 0.85


def test_careless_raters_count_little():
    rng = np.random.default_rng(0)
    quality = rng.normal(3, 1, 100)
    noise = np.array([0.4] * 5 + [3.0] * 5)
    score = quality[:, None] + rng.normal(0, 1, (100, 10)) * noise
    ratings = Ratings(np.repeat(np.arange(100), 10), np.tile(np.arange(10), 100), score.ravel())
    found = subject_model(ratings)
    assert np.abs(found.quality - quality).mean() < np.abs(ratings.mos().means - quality).mean() / 2
    assert found.inconsistency[:5].max() < found.inconsistency[5:].min()


@settings(max_examples=15, deadline=None)
@given(some.integers(0, 1000), some.floats(-10, 10), some.floats(0.1, 10))
def test_laws(seed, constant, factor):
    ratings, *_ = planted(seed, n=15, w=5, rows=200)
    plain = subject_model(ratings)
    order = np.random.default_rng(seed).permutation(200)
    mixed = subject_model(Ratings(ratings.item[order], ratings.rater[order], ratings.score[order]))
    np.testing.assert_allclose(mixed.quality, plain.quality, atol=1e-6)
    np.testing.assert_allclose(mixed.inconsistency_high, plain.inconsistency_high, atol=1e-6)
    assert plain.bias.sum() == pytest.approx(0, abs=1e-9)
    own = ratings.rater == 2
    moved = subject_model(Ratings(ratings.item, ratings.rater, ratings.score + constant * own))
    np.testing.assert_allclose(moved.quality - constant / 5, plain.quality, atol=1e-5 * (1 + abs(constant)))
    expected = plain.bias + constant * ((np.arange(5) == 2) - 1 / 5)
    np.testing.assert_allclose(moved.bias, expected, atol=1e-5 * (1 + abs(constant)))
    np.testing.assert_allclose(moved.inconsistency, plain.inconsistency, atol=1e-5 * (1 + abs(constant)))
    scaled = subject_model(Ratings(ratings.item, ratings.rater, ratings.score * factor))
    np.testing.assert_allclose(scaled.quality, plain.quality * factor, atol=1e-6 * (1 + factor))
    np.testing.assert_allclose(scaled.inconsistency, plain.inconsistency * factor, atol=1e-6 * (1 + factor))


def test_a_rater_with_one_rating_and_one_alone_are_left_out_and_told():
    ratings, *_ = planted(rows=300, n=20, w=5)
    more = Ratings(
        np.concatenate([ratings.item, [3, 100, 101, 102]]),
        np.concatenate([ratings.rater, [77, 88, 88, 99]]),
        np.concatenate([ratings.score, [4.0, 1, 5, 2]]),
    )
    plain, found = subject_model(ratings), subject_model(more)
    np.testing.assert_allclose(found.quality[:20], plain.quality, atol=1e-7)
    assert np.isnan(found.quality[20:]).all()
    assert found.rater_reasons == ("",) * 5 + (SINGLE_RATING, NO_SHARED_ITEMS, SINGLE_RATING)
    assert found.bias[5] == pytest.approx(4 - plain.quality[3], abs=1e-6)
    assert np.isnan(found.bias[6:]).all()
    assert np.isnan(found.inconsistency[5:]).all()


def test_groups_that_share_no_items_each_have_biases_around_zero():
    first, *_ = planted(0, n=10, w=4, rows=400)
    second, *_ = planted(1, n=10, w=4, rows=400)
    both = Ratings(
        np.concatenate([first.item, second.item + 10]),
        np.concatenate([first.rater, second.rater + 4]),
        np.concatenate([first.score, second.score]),
    )
    found = subject_model(both)
    assert found.bias[:4].sum() == pytest.approx(0, abs=1e-9)
    assert found.bias[4:].sum() == pytest.approx(0, abs=1e-9)
    np.testing.assert_allclose(found.quality[:10], subject_model(first).quality, atol=1e-5)


def test_raters_who_agree_to_the_digit_are_held_and_told():
    score = [1, 2, 3, 4] * 3
    found = subject_model(Ratings(np.tile(np.arange(4), 3), np.repeat(np.arange(3), 4), score))
    np.testing.assert_allclose(found.quality, [1, 2, 3, 4])
    np.testing.assert_allclose(found.inconsistency, 0, atol=1e-9)
    assert found.rater_reasons == (AT_FLOOR,) * 3


@pytest.mark.parametrize(
    ("ratings", "reason"),
    [
        (Ratings([], [], []), "no ratings"),
        (Ratings([1, 2, 3], [1, 1, 1], [1, 2, 3]), "one rater alone"),
        (Ratings([1, 1, 1], [1, 2, 3], [1, 2, 3]), "one item alone"),
        (Ratings([1, 2, 1, 2], [1, 2, 3, 4], [1, 2, 3, 3]), "every rater gave one rating only"),
        (Ratings([1, 2, 3, 4], [1, 1, 2, 2], [1, 2, 3, 3]), "no two raters with several ratings share items"),
        (Ratings([1, 2, 1, 2], [1, 1, 2, 2], [3, 3, 3, 3]), "all scores are equal"),
        (Ratings([1, 2, 1, 2, 1], [1, 1, 2, 2, 3], [3, 3, 3, 3, 5]), "all scores are equal"),
    ],
)
def test_nothing_to_fit_is_undefined_with_a_reason(ratings, reason):
    found = subject_model(ratings)
    assert reason in found.reason
    assert np.isnan(found.quality).all()
    assert np.isnan(found.bias).all()
    assert not found.converged
    assert all(found.rater_reasons)


def test_wrong_input_is_reported_and_progress_is_called():
    ratings, *_ = planted(rows=200)
    with pytest.raises(InputError, match="`level` must be between 0 and 1, got 95"):
        subject_model(ratings, level=95)
    told = []
    found = subject_model(ratings, on_progress=told.append)
    assert len(told) == found.iterations
