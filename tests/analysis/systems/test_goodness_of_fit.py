"""The fit of one scale where votes resemble each other: laws, and circles of preference that are found."""

import numpy as np
import pytest
from scipy import stats

from analysis.systems.bradley_terry import fit_comparisons
from analysis.systems.goodness_of_fit import goodness_of_fit
from analysis.systems.rankings import PairedComparisons, comparisons_from_ids


def votes(seed: int, many: int = 600, circle: float = 0.0) -> PairedComparisons:
    """Independent votes on four systems of different strength; in a circle, each is preferred to the next."""
    rng = np.random.default_rng(seed)
    first = rng.integers(0, 4, many)
    second = (first + rng.integers(1, 4, many)) % 4
    next_one = np.where((second - first) % 4 == 1, circle, np.where((first - second) % 4 == 1, -circle, 0.0))
    gap = 0.3 * (second - first) + next_one
    weights = np.column_stack([np.exp(gap / 2), np.exp(-gap / 2), np.full(many, 0.4)])
    ends = np.cumsum(weights / weights.sum(axis=1, keepdims=True), axis=1)
    return comparisons_from_ids(first, second, (rng.random((many, 1)) > ends[:, :2]).sum(axis=1))


def repeated(one: PairedComparisons, times: int) -> PairedComparisons:
    columns = (np.repeat(column, times) for column in (one.first, one.second, one.outcome, one.offered))
    return PairedComparisons(*columns, one.systems)


def test_independent_votes_have_the_p_of_chi_square() -> None:
    for seed in range(5):
        drawn = votes(seed, 4000)
        found = goodness_of_fit(fit_comparisons(drawn), drawn)
        assert found.inflation == pytest.approx(1, abs=0.06)
        assert found.p == pytest.approx(stats.chi2.sf(found.statistic, found.degrees), abs=0.05)


def test_votes_said_again_on_the_same_item_are_no_further_evidence() -> None:
    once = votes(1)
    item, rater = np.arange(len(once)) % 90, np.arange(len(once)) % 11
    thrice = repeated(once, 3)
    one = goodness_of_fit(fit_comparisons(once), once, item, rater)
    other = goodness_of_fit(fit_comparisons(thrice), thrice, np.repeat(item, 3), np.repeat(rater, 3))
    assert other.statistic == pytest.approx(3 * one.statistic, rel=1e-6)
    assert other.inflation == pytest.approx(3 * one.inflation, rel=1e-6)
    assert other.p == pytest.approx(one.p, rel=1e-6)
    assert goodness_of_fit(fit_comparisons(thrice)).p < other.p


def test_a_circle_of_preferences_is_found() -> None:
    drawn = votes(2, circle=1.5)
    item, rater = np.arange(len(drawn)) % 150, np.random.default_rng(0).integers(0, 12, len(drawn))
    assert goodness_of_fit(fit_comparisons(drawn), drawn, item, rater).p < 0.001
