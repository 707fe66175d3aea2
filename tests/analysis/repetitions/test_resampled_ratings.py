"""Intervals of knee and curve: what they rest on, laws, and how often they hold the truth."""

import numpy as np
import pytest
from scipy.stats import spearmanr

from analysis.correlation import two_columns
from analysis.repetitions import attenuation
from analysis.repetitions.knee import knee, knee_interval
from analysis.repetitions.repetition import RepetitionSpec, orders, simulate
from analysis.repetitions.resampled_ratings import resampled_curves
from analysis.repetitions.saturation import fit
from analysis.values.estimate import BootstrapSpec, InputError
from analysis.values.ratings import Ratings

FEW = BootstrapSpec(draws=12)


def study(seed=1, n=40, m=16, raters=25, complete=False, unequal=False):
    """Candidate and reference groups with severities of their own, on the same items."""
    rng = np.random.default_rng(seed)
    quality, difference = rng.normal(0, 0.6, n), rng.normal(0, 0.25, n)

    def group(quality, raters, counts):
        item = np.repeat(np.arange(n), counts)
        rater = np.concatenate([rng.permutation(raters)[:count] for count in counts])
        severity = rng.normal(0, 0.5, raters)
        score = np.clip(np.rint(3.4 + quality[item] + severity[rater] + rng.normal(0, 0.9, len(item))), 1, 5)
        return Ratings(item, rater, score)

    counts = rng.integers(m - 4, m + 1, n) if unequal else np.full(n, m)
    return group(quality + difference, m if complete else raters, counts), group(quality, 12, np.full(n, 12))


def means(ratings):
    mos = ratings.mos()
    return dict(zip(mos.items.tolist(), mos.means.tolist(), strict=True))


def with_interval(ratings, reference, spec=None, bootstrap=FEW, **chosen):
    """The knee of the study itself with the interval of its resampled curves."""
    known = means(reference) if isinstance(reference, Ratings) else reference
    drawn = resampled_curves(ratings, reference, spec, bootstrap, **chosen)
    return knee_interval(simulate(ratings, known, spec), drawn, level=bootstrap.level)


@pytest.mark.parametrize("order", ["within items", "raters", "by column"])
@pytest.mark.parametrize("complete", [True, False])
def test_knee_and_curve_lie_in_their_intervals(order, complete):
    candidate, reference = study(complete=complete)
    spec = RepetitionSpec(shuffles=30, order=order)
    found = with_interval(candidate, reference, spec, FEW)
    curves = simulate(candidate, means(reference), spec)
    saturation = fit(curves)
    assert found.knee.value == knee(saturation.a, saturation.b, saturation.c, 16)
    assert found.knee.low <= found.knee.value <= found.knee.high
    np.testing.assert_allclose(found.mean, curves.points.mean(axis=0))
    assert (found.low <= found.mean).all()
    assert (found.mean <= found.high).all()
    assert found.rho_inf.shape == (12,)
    limit = attenuation.fit(curves).rho_inf
    assert np.nanmin(found.rho_inf) < limit < np.nanmax(found.rho_inf)


def test_the_same_seed_gives_the_same_interval_and_another_one_another():
    candidate, reference = study()
    one, two = (with_interval(candidate, reference, bootstrap=FEW) for _ in range(2))
    np.testing.assert_array_equal(one.low, two.low)
    other = with_interval(candidate, reference, bootstrap=BootstrapSpec(draws=12, seed=1))
    assert (one.low != other.low).any()


def test_the_number_of_shuffles_in_the_spec_does_not_matter_to_the_draws():
    few, many = (resampled_curves(*study(), RepetitionSpec(shuffles=k), FEW) for k in (1, 50))
    np.testing.assert_array_equal(few, many)


def test_drawing_raters_too_widens_the_band():
    rng = np.random.default_rng(0)
    quality, care = rng.normal(0, 1, 40), np.array([1, 1, 1, 0, 0, 0, 0, -1])  # it matters who is asked
    item, rater = np.repeat(np.arange(40), 8), np.tile(np.arange(8), 40)
    ratings = Ratings(item, rater, care[rater] * quality[item] + 0.3 * rng.normal(0, 1, 320))
    reference = dict(enumerate(quality))
    many = BootstrapSpec(draws=100)
    both = with_interval(ratings, reference, bootstrap=many)
    items = with_interval(ratings, reference, bootstrap=many, raters_are_persons=False)
    assert (both.high - both.low).mean() > 1.3 * (items.high - items.low).mean()


def test_a_column_of_numbers_may_be_the_reference():
    candidate, reference = study()
    found = with_interval(candidate, means(reference), bootstrap=FEW)
    assert found.knee.defined


def test_unequal_counts_leave_the_curve_as_in_the_study():
    candidate, reference = study(unequal=True)
    spec = RepetitionSpec(shuffles=20, repetitions=16)
    found = with_interval(candidate, reference, spec, FEW)
    assert found.low.shape == (16,)
    assert (found.low < found.high).all()


def test_draws_of_items_are_the_studys_own_shuffles_of_these_items():
    candidate, reference = study(n=20, m=6, complete=True)
    spec, known = RepetitionSpec(shuffles=4), means(reference)
    drawn = resampled_curves(candidate, known, spec, BootstrapSpec(draws=3), 4, raters_are_persons=False)
    scores = candidate.score[orders(candidate, spec)]
    values, rng = np.array([known[item] for item in range(20)]), np.random.default_rng([0, 0, 0])
    for curve in drawn:
        picked = rng.integers(0, 20, 20)
        expected = [
            np.mean(
                [
                    spearmanr(order[picked, :r].mean(axis=1).round(9), values[picked]).statistic
                    for order in scores
                ]
            )
            for r in range(1, 7)
        ]
        np.testing.assert_allclose(curve, expected)


@pytest.mark.parametrize("unequal", [False, True])
def test_draws_are_the_same_whether_values_are_counted_once_or_picked_anew(monkeypatch, unequal):
    candidate, reference = study(unequal=unequal)
    spec = RepetitionSpec(repetitions=16)
    for known in (reference, None):
        once = resampled_curves(candidate, known, spec, FEW)
        with monkeypatch.context() as patched:
            patched.setattr(two_columns, "MOST_COUNTED", 0)
            np.testing.assert_allclose(resampled_curves(candidate, known, spec, FEW), once)


def test_raters_spread_the_draws_and_leave_their_middle():
    candidate, reference = study()
    for known in (reference, means(reference), None):
        items = resampled_curves(candidate, known, bootstrap=FEW, raters_are_persons=False)
        both = resampled_curves(candidate, known, bootstrap=FEW)
        z = np.arctanh(np.array([items, both]))
        np.testing.assert_allclose(z[1].mean(axis=0), z[0].mean(axis=0))
        assert (z[1].std(axis=0) >= z[0].std(axis=0) * (1 - 1e-9)).all()


def test_severe_raters_of_half_of_the_items_spread_split_halves():
    rng = np.random.default_rng(5)
    item = np.repeat(np.arange(40), 6)
    rater = np.tile(np.arange(6), 40) + 6 * (item >= 20)
    severity = rng.normal(0, 3, 12)
    ratings = Ratings(item, rater, severity[rater] + rng.normal(0, 1, 40)[item] + rng.normal(0, 0.1, 240))
    many = BootstrapSpec(draws=50)
    items = resampled_curves(ratings, None, bootstrap=many, raters_are_persons=False)
    both = resampled_curves(ratings, None, bootstrap=many)
    assert (np.arctanh(both).std(axis=0) > 1.1 * np.arctanh(items).std(axis=0)).all()


def test_split_halves_never_hold_a_rating_on_both_sides():
    item, rater = np.repeat(np.arange(30), 6), np.tile(np.arange(6), 30)
    noise = Ratings(item, rater, np.random.default_rng(3).normal(0, 1, 180))
    found = with_interval(noise, None, RepetitionSpec(shuffles=50), BootstrapSpec(draws=50))
    assert (found.low < 0).all()
    assert (found.high < 0.6).all()
    unequal = with_interval(study(unequal=True)[0], None, RepetitionSpec(repetitions=16), FEW)
    assert unequal.low.shape == (8,)


@pytest.mark.parametrize("aggregation", ["median", "bias-corrected mean", "reliability-weighted mean"])
def test_every_draw_aggregates_again(aggregation):
    candidate, reference = study(n=20, m=8)
    found = with_interval(
        candidate, reference, RepetitionSpec(aggregation=aggregation), BootstrapSpec(draws=4)
    )
    assert np.isfinite(found.low).all()


@pytest.mark.parametrize("correlation", ["pearson", "kendall"])
def test_other_correlations(correlation):
    candidate, reference = study(n=15, m=8)
    found = with_interval(
        candidate, reference, RepetitionSpec(correlation=correlation), BootstrapSpec(draws=4)
    )
    assert (found.low <= found.high).all()


def test_three_of_ten_raters_per_item_may_all_be_missed_in_a_draw():
    candidate, reference = study(m=3, raters=10)
    found = with_interval(candidate, reference, bootstrap=FEW)
    assert found.low.shape == (3,)
    assert any(why in found.knee.reason for why in ("level off", "determine a curve", "too few"))
    assert found.without_knee == 1


def test_undefined_is_nan_with_a_reason():
    flat = Ratings(np.repeat(np.arange(5), 8), np.tile(np.arange(8), 5), np.full(40, 3.0))
    found = with_interval(flat, dict(enumerate(range(5))), bootstrap=FEW)
    assert not found.knee.defined
    assert "all ratings are equal" in found.knee.reason
    assert np.isnan(found.low).all()
    empty = with_interval(Ratings([], [], []), None, bootstrap=FEW)
    assert empty.knee.reason == "there are no ratings"
    no_draws = with_interval(*study(), bootstrap=BootstrapSpec(draws=0))
    assert no_draws.knee.defined
    assert np.isnan(no_draws.knee.low)


def test_two_items_and_one_rater_do_not_crash():
    assert with_interval(Ratings([0, 1], [5, 5], [1, 2]), {0: 1.0, 1: 2.0}, bootstrap=FEW).draws == 12
    assert (
        with_interval(Ratings([0, 1], [5, 5], [1, 2]), Ratings([0, 1], [6, 6], [1, 2]), bootstrap=FEW).draws
        == 12
    )


def test_progress_is_reported_and_can_stop_the_work():
    told = []
    with_interval(*study(), bootstrap=FEW, on_progress=told.append)
    assert told == sorted(told)
    assert told[-1] == 1

    def stop(done):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        with_interval(*study(), bootstrap=FEW, on_progress=stop)


def test_wrong_arguments_say_what_is_allowed():
    with pytest.raises(InputError, match="`shuffles` must be 1 or more, got 0"):
        with_interval(*study(), shuffles=0)


@pytest.mark.slow
@pytest.mark.parametrize("complete", [True, False])
def test_coverage(complete):
    """The truth is the mean curve of many studies, and its knee."""
    truth = np.mean(
        [
            simulate(candidate, means(reference), RepetitionSpec(shuffles=10)).shuffled.mean(axis=0)
            for candidate, reference in (
                study(seed, m=20, complete=complete) for seed in range(10_000, 10_300)
            )
        ],
        axis=0,
    )
    hits = []
    for seed in range(200):
        found = with_interval(
            *study(seed, m=20, complete=complete), RepetitionSpec(shuffles=50), BootstrapSpec(draws=100)
        )
        hits.append((found.low <= truth) & (truth <= found.high))
    assert 0.9 <= np.mean(hits) <= 0.99
