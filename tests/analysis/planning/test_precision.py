"""Widths of planned intervals; items, units and votes needed: against published values and slow ways."""

from itertools import product
from math import inf, isnan

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from analysis.correlation.two_columns import pearson, spearman
from analysis.planning import (
    accuracy_limit,
    accuracy_of_votes,
    correlation_interval,
    icc_half_width,
    icc_of_right_votes,
    items_for_icc_test,
    items_for_icc_width,
    mos_half_width,
    precision,
    preference_half_width,
    preference_power,
    system_half_width,
    units_for_alpha,
    votes,
    votes_for_accuracy,
)
from analysis.values.estimate import InputError
from tests.conftest import SHARED_DATA


def test_items_for_the_width_of_an_icc_are_bonetts() -> None:
    found = [
        items_for_icc_width(0.85, 4, 0.2),
        items_for_icc_width(0.8, 2, 0.2),
        items_for_icc_width(0.7, 2, 0.2),
    ]
    assert [round(n, 2) for n in found] == [19.15, 50.79, 100.92]
    more = [items_for_icc_width(icc, 2, 0.2, few_raters=True) for icc in (0.8, 0.7)]
    assert [round(n, 2) for n in more] == [54.79, 104.42]
    assert icc_half_width(0.8, 2, found[1]) == pytest.approx(0.1)


def test_the_width_for_other_raters_by_hand() -> None:
    """4 raters of 25 items each, half of what an item's ratings differ by severity: a ratio of mean squares of 4.5,
    2/24 (1 + .75/3) and 2 (.5)² / 3 of the variance of its log."""
    a, b = 2 / 24 * 1.25, 2 * 0.25 / 3
    half = stats.t.ppf(0.975, (a + b) ** 2 / (a**2 / 24 + b**2 / 3)) * np.sqrt(a + b)
    low, high = ((4.5 * np.exp(end) - 1) / (4.5 * np.exp(end) + 3) for end in (-half, half))
    assert icc_half_width(0.5, 4, 25, all_raters=4, severity=0.5) == pytest.approx((high - low) / 2)


def test_the_width_for_other_raters_is_bonetts_where_severities_are_alike_and_never_narrower_for_it() -> None:
    assert icc_half_width(0.5, 4, 10_000, all_raters=500, severity=0) == pytest.approx(
        icc_half_width(0.5, 4, 10_000), rel=1e-3
    )
    by_share = [icc_half_width(0.5, 4, 100, all_raters=16, severity=share) for share in (0, 0.2, 0.5, 0.9)]
    assert by_share == sorted(by_share)
    by_raters = [icc_half_width(0.5, 4, 100, all_raters=raters, severity=0.4) for raters in (8, 16, 64)]
    assert by_raters == sorted(by_raters, reverse=True)


def test_items_for_testing_an_icc_are_those_of_walter_eliasziw_and_donner() -> None:
    assert [round(items_for_icc_test(0.6, 0.8, 2, sides=sides), 1) for sides in (1, 2)] == [38.6, 48.7]


def test_units_for_alpha_are_krippendorffs() -> None:
    assert [round(units_for_alpha(alpha, 0.05, 0.25), 1) for alpha in (0.8, 0.667)] == [138.5, 80.7]


def test_64_ratings_have_a_width_of_half_a_point() -> None:
    """Methods, section 2: full width .5 at a true SD of 1."""
    half = mos_half_width([1, 63, 64], 1.0)
    assert isnan(half[0])
    assert half[1] > 0.25 >= half[2]


def test_a_systems_width_by_hand() -> None:
    """.2 / 20 + .2 / 40 + .4 / (40 · 5) = .017; degrees .017² / (.012² / 19 + .007² / 39 + .002² / (741 / 4))."""
    df = 0.017**2 / (0.012**2 / 19 + 0.007**2 / 39 + 0.002**2 / (19 * 39 / 4))
    expected = stats.t.ppf(0.975, df) * np.sqrt(0.017)
    assert system_half_width(20, 40, 0.4, 0.2, 0.2, ratings_per_item=5) == pytest.approx(expected)
    assert isnan(system_half_width(1, 40, 0.4, 0.2, 0.2))


def test_a_correlations_interval_without_attenuation_is_that_of_as_many_items() -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=30)
    real = pearson(x, x + rng.normal(size=30)).estimate
    found = correlation_interval(real.value, 0.0, 5, 30, "pearson")
    assert (found.value, found.low, found.high) == pytest.approx((real.value, real.low, real.high))
    halved = correlation_interval(1.0, 4.0, 4, 30)
    assert halved.value == pytest.approx(np.sqrt(0.5))
    assert isnan(correlation_interval(0.5, 1.0, 4, 3).low)


@pytest.mark.parametrize("method", ["pearson", "spearman"])
def test_a_planned_width_is_that_of_simulated_studies(method: str) -> None:
    """300 studies of 60 items, 6 ratings each of reliability .2; the reference correlates .8 with the truth."""
    rng = np.random.default_rng(4)
    true = rng.normal(size=(300, 60))
    means = true + 2 / np.sqrt(6) * rng.normal(size=true.shape)
    reference = 0.8 * true + 0.6 * rng.normal(size=true.shape)
    correlate = pearson if method == "pearson" else spearman
    found = [correlate(x, y).estimate for x, y in zip(means, reference, strict=True)]
    planned = correlation_interval(0.8, 4.0, 6, 60, method)  # type: ignore[arg-type]
    assert planned.value == pytest.approx(np.mean([one.value for one in found]), abs=0.03)
    assert planned.high - planned.low == pytest.approx(
        np.mean([one.high - one.low for one in found]), rel=0.1
    )


def test_planned_widths_of_means_are_those_of_simulated_studies() -> None:
    """300 items of 8 ratings, and 300 systems of 40 items all rated by 12 raters."""
    rng = np.random.default_rng(5)
    widths = 2 * stats.t.ppf(0.975, 7) * rng.normal(0, 0.9, (300, 8)).std(axis=1, ddof=1) / np.sqrt(8)
    assert 2 * mos_half_width(8, 0.9) == pytest.approx(widths.mean(), rel=0.1)
    score = (
        rng.normal(0, 0.4, (300, 12, 1))
        + rng.normal(0, 0.5, (300, 1, 40))
        + rng.normal(0, 0.8, (300, 12, 40))
    )
    of_raters, of_items = score.mean(axis=2).var(axis=1, ddof=1), score.mean(axis=1).var(axis=1, ddof=1)
    left = score - score.mean(axis=2, keepdims=True) - score.mean(axis=1, keepdims=True)
    rest = (left + score.mean(axis=(1, 2), keepdims=True)).var(axis=(1, 2)) * 12 * 40 / (11 * 39)
    a, b, e = of_raters / 12, of_items / 40, rest / (12 * 40)
    variance = a + b - e
    df = variance**2 / (a**2 / 11 + b**2 / 39 + e**2 / (11 * 39))
    measured = 2 * (stats.t.ppf(0.975, df) * np.sqrt(variance)).mean()
    assert 2 * system_half_width(12, 40, 0.64, 0.16, 0.25) == pytest.approx(measured, rel=0.1)


def test_votes_of_more_unlike_items_tell_less() -> None:
    """By hand: sqrt(.25 / 1000) and, with an SD of .2, sqrt((.04 + .21 / 10) / 100); t with 99 degrees."""
    t = stats.t.ppf(0.975, 99)
    assert preference_half_width(0.5, 100, 10) == pytest.approx(t * np.sqrt(0.25 / 1000))
    assert preference_half_width(0.5, 100, 10, 0.2) == pytest.approx(t * np.sqrt(0.061 / 100))


def test_the_power_of_a_preference_is_that_of_simulated_votes() -> None:
    rng = np.random.default_rng(0)
    shares = rng.beta(0.6 * 5.0, 0.4 * 5.0, (4000, 60))  # items' own shares, their SD sqrt(.24 / 6) = .2
    told = 0.5 + 0.8 * (shares - 0.5)
    drawn = rng.binomial(4, told) / 4
    found = np.mean(stats.ttest_1samp(drawn, 0.5, axis=1).pvalue < 0.05)
    assert preference_power(0.6, 60, 4, 0.2, quality=0.8).power == pytest.approx(found, abs=0.03)


def slow_accuracy(accuracy: float, n: int, options: int) -> float:
    """Every way that n votes can fall."""
    chance = [accuracy] + [(1 - accuracy) / (options - 1)] * (options - 1)
    right = 0.0
    for cast in product(range(options), repeat=n):
        counts = [cast.count(option) for option in range(options)]
        if counts[0] == max(counts):
            right += float(np.prod([chance[vote] for vote in cast])) / counts.count(max(counts))
    return right


@pytest.mark.parametrize(
    ("accuracy", "n", "options"), [(0.6, 5, 3), (0.4, 6, 4), (0.7, 4, 2), (1.0, 3, 2), (0.0, 3, 3)]
)
def test_a_majority_is_right_as_often_as_all_ways_to_vote_say(accuracy: float, n: int, options: int) -> None:
    assert accuracy_of_votes(accuracy, n, options) == pytest.approx(slow_accuracy(accuracy, n, options))


def test_items_of_unequal_difficulty_are_averaged_over() -> None:
    """Against the formula of one difficulty, averaged over many drawn from the beta distribution."""
    p, icc = 0.68, 0.4
    chances = stats.beta.ppf((np.arange(400) + 0.5) / 400, p * (1 / icc - 1), (1 - p) * (1 / icc - 1))
    for n, options in ((3, 4), (5, 2), (8, 3)):
        averaged = np.mean([accuracy_of_votes(one, n, options) for one in chances])
        assert accuracy_of_votes(p, n, options, icc) == pytest.approx(averaged, abs=2e-4)
    assert accuracy_of_votes(p, 1001, 2, icc) == pytest.approx(accuracy_limit(p, 2, icc), abs=0.005)
    assert accuracy_limit(p, 2, icc) == pytest.approx(np.mean(chances > 0.5), abs=1e-3)
    assert votes_for_accuracy(p, 0.9, 2, icc=icc) == inf


@pytest.mark.parametrize(
    ("file", "icc", "expected"),
    [
        ("choice4_website_gold.csv", 0.436, (0.734, 0.763, 0.791)),
        ("choice2_sentiment_timed.csv", None, (0.921, 0.930, 0.937)),
    ],
)
def test_real_labels_have_the_published_accuracy(
    file: str, icc: float | None, expected: tuple[float, ...]
) -> None:
    path = SHARED_DATA / file
    if not path.is_file():
        pytest.skip(f"{path} is not there")
    frame = pd.read_csv(path).dropna(subset=["gold", "label"])
    right = frame["label"] == frame["gold"]
    found = icc_of_right_votes(frame["item"].astype("category").cat.codes, right)
    if icc is not None:
        assert found == pytest.approx(icc, abs=0.001)
    options = frame["label"].nunique()
    for n, accuracy in zip((3, 5, 9), expected, strict=True):
        assert accuracy_of_votes(float(right.mean()), n, options, found) == pytest.approx(accuracy, abs=0.01)


def test_the_fewest_votes_reach_the_wanted_accuracy() -> None:
    assert accuracy_of_votes(0.7, 9) >= 0.9 > accuracy_of_votes(0.7, 7)
    assert votes_for_accuracy(0.7, 0.9) == 9
    assert accuracy_of_votes(0.5, 199) == pytest.approx(0.5)  # counts far beyond what a factorial holds
    assert 0.99 < accuracy_of_votes(0.6, 199, 2) < 1
    assert votes_for_accuracy(0.5, 0.6, most=9) == inf


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: precision.items_for_icc_width(1.2, 4, 0.2),
        lambda: precision.items_for_icc_width(0.8, 1, 0.2),
        lambda: precision.icc_half_width(0.8, 4, 30, all_raters=8),
        lambda: precision.icc_half_width(0.8, 4, 30, all_raters=3, severity=0.2),
        lambda: precision.items_for_icc_test(0.8, 0.8, 2),
        lambda: precision.items_for_icc_test(0.6, 0.8, 2, sides=3),
        lambda: precision.units_for_alpha(0.8, 0.05, 0),
        lambda: precision.mos_half_width(4, -1),
        lambda: precision.correlation_interval(1.2, 1, 4, 30),
        lambda: precision.correlation_interval(0.8, 1, 4, 30, "kendall"),
        lambda: votes.preference_power(0.6, 30, 3, item_sd=0.6),
        lambda: votes.preference_power(0.6, 30, 3, quality=2),
        lambda: votes.accuracy_of_votes(1.5, 3),
    ],
)
def test_what_no_study_can_have_is_refused(wrong) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(InputError, match="must be"):
        wrong()
