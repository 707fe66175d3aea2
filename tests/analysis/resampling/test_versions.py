"""Interval of a change between two versions of a study: paired where units are shared, and its coverage."""

import numpy as np
import pytest
from scipy import stats

from analysis.resampling.influence import (
    EQUAL_CHANGES,
    ONE_UNIT,
    average_influence,
    estimate_change,
    influence_from_leave_one_out,
    influence_of_mean,
    influence_of_ratio,
)
from analysis.resampling.influence import UNCHANGED as ALIKE
from analysis.values.estimate import InputError


def test_over_the_same_units_it_is_the_paired_t_interval() -> None:
    rng = np.random.default_rng(1)
    old = rng.normal(size=12)
    new = old + rng.normal(0.3, 0.5, 12)
    units = [f"item {at}" for at in range(12)]
    order = rng.permutation(12)
    found = estimate_change(
        influence_of_mean(units, old), influence_of_mean(np.array(units)[order], new[order])
    )
    expected = stats.ttest_rel(new, old).confidence_interval()
    assert (found.low, found.high, found.n) == (
        pytest.approx(expected.low),
        pytest.approx(expected.high),
        12,
    )


def test_ratios_and_left_out_figures_have_the_same_pulls() -> None:
    hits, trials = np.array([1.0, 0, 3, 2]), np.array([2.0, 1, 4, 2])
    ratio = influence_of_ratio(list("abcd"), hits, trials)
    assert ratio.value == 6 / 9
    left = np.array([(hits.sum() - h) / (trials.sum() - t) for h, t in zip(hits, trials, strict=True)])
    from_left = influence_from_leave_one_out(list("abcd"), ratio.value, left)
    assert from_left.influence == pytest.approx(ratio.influence, abs=0.06)  # of first and of second order
    mean = influence_of_mean(list("abcd"), hits)
    without = (hits.sum() - hits) / 3
    assert influence_from_leave_one_out(list("abcd"), 1.5, without).influence == pytest.approx(mean.influence)
    assert influence_of_ratio(list("aabcd"), [0.5, 0.5, 0, 3, 2], [1, 1, 1, 4, 2]).influence == pytest.approx(
        ratio.influence
    )


def test_the_mean_of_several_figures_pulls_by_its_parts() -> None:
    one, other = influence_of_mean(["a", "b"], [1, 3]), influence_of_mean(["b", "c"], [2, 6])
    both = average_influence([one, other])
    assert both.value == 3
    assert both.influence.tolist() == [-0.25, (0.5 - 1) / 2, 0.5]


def test_it_says_why_there_is_no_interval() -> None:
    old = influence_of_mean(["a", "b"], [1, 3])
    assert estimate_change(old, influence_of_mean(["b", "a"], [3, 1])).reason == ALIKE
    moved = estimate_change(old, influence_of_mean(["a", "b"], [2, 4]))
    assert (moved.value, moved.reason) == (1, EQUAL_CHANGES)
    assert np.isnan(moved.low)
    assert estimate_change(influence_of_mean(["a"], [1]), influence_of_mean(["a"], [2])).reason == ONE_UNIT
    assert not estimate_change(influence_of_mean([], []), old).defined
    with pytest.raises(InputError, match="once each"):
        estimate_change(influence_from_leave_one_out(["a", "a"], 1.0, np.array([1.0, 2.0])), old)


@pytest.mark.parametrize("shared", [0, 20, 40])
def test_it_covers_the_change_that_other_units_would_have_shown(shared: int) -> None:
    """40 units in each version, of which so many in both; a version moves each unit by 0.2 on average."""
    rng = np.random.default_rng(shared)
    studies, held = 2000, 0
    for _ in range(studies):
        unit = rng.normal(size=80 - shared)
        old, new = np.arange(40), np.arange(40 - shared, 80 - shared)
        revised = unit + rng.normal(0.2, 0.5, len(unit))
        found = estimate_change(influence_of_mean(old, unit[old]), influence_of_mean(new, revised[new]))
        held += found.low <= 0.2 <= found.high
    assert 0.93 < held / studies < 0.97
