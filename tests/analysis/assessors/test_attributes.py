"""Attributes of raters: summaries, bands, severities, and values compared with scipy and statsmodels as oracles."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from analysis.assessors.attributes import (
    ALL_EQUAL,
    FEW_RATERS,
    as_quantity,
    compare_values,
    estimate_severities,
    quartile_bands,
    summarize_numbers,
)
from analysis.values.estimate import InputError

NUMBERS = st.lists(st.integers(-99, 99), min_size=1, max_size=40)


@given(NUMBERS)
def test_summaries_are_numpys(numbers):
    found = summarize_numbers([*numbers, np.nan])
    assert (found.n, found.mean) == pytest.approx((len(numbers), np.mean(numbers)))
    assert (found.lowest, found.highest) == (min(numbers), max(numbers))
    assert found.quartiles == pytest.approx(tuple(np.quantile(numbers, (0.25, 0.5, 0.75))))


@given(NUMBERS)
def test_bands_keep_the_order_and_leave_nobody_out(numbers):
    bands = quartile_bands(numbers)
    assert 1 <= len(set(bands)) <= 4
    for band in set(bands):
        inside = [value for value, here in zip(numbers, bands, strict=True) if here == band]
        others = [value for value, here in zip(numbers, bands, strict=True) if here != band]
        assert not any(min(inside) <= value <= max(inside) for value in others)


def test_what_is_a_quantity():
    assert as_quantity(["1", "2", "3"]) is None  # codes of classes
    assert as_quantity([*map(str, range(20, 30)), "old"]) is None
    assert as_quantity([*map(str, range(9)), "inf"]) is None
    assert quartile_bands([np.nan, 4]) == ["", "4"]
    with pytest.raises(InputError, match="at least one"):
        summarize_numbers([np.nan])


def test_two_values_are_compared_by_welchs_test():
    rng = np.random.default_rng(0)
    one, other = rng.normal(0, 1, 9), rng.normal(1, 3, 14)
    found = compare_values(np.r_[one, other, np.nan, 7], np.r_[np.repeat([0, 1], [9, 14]), 0, -1], 2)
    expected = stats.ttest_ind(other, one, equal_var=False)
    pair = found.difference(1, 0)
    interval = expected.confidence_interval()
    assert pair.p == pytest.approx(expected.pvalue, abs=1e-8)
    assert (pair.difference.low, pair.difference.high) == pytest.approx(
        (interval.low, interval.high), abs=1e-5
    )
    mean = stats.ttest_1samp(one, 0).confidence_interval()
    assert (found.means[0].low, found.means[0].high) == pytest.approx((mean.low, mean.high))
    assert found.means[0].n == 9


def test_several_values_are_compared_by_games_and_howells_test():
    rng = np.random.default_rng(1)
    groups = [rng.normal(at, 1 + at, 8 + at) for at in range(3)]
    found = compare_values(np.concatenate(groups), np.repeat(range(3), [8, 9, 10]), 3)
    for (one, other), pair in found.pairs.items():
        a, b = groups[one], groups[other]
        parts = a.var(ddof=1) / len(a), b.var(ddof=1) / len(b)
        error = np.sqrt(sum(parts) / 2)
        df = sum(parts) ** 2 / (parts[0] ** 2 / (len(a) - 1) + parts[1] ** 2 / (len(b) - 1))
        assert pair.p == pytest.approx(
            stats.studentized_range.sf(abs(a.mean() - b.mean()) / error, 3, df), abs=1e-6
        )
        half = stats.studentized_range.ppf(0.95, 3, df) * error
        assert pair.difference.high - pair.difference.value == pytest.approx(half, rel=1e-4)
    high, low = found.largest
    assert found.difference(high, low).difference.value > 0


def test_values_with_few_raters_or_without_spread_are_not_compared():
    found = compare_values([1, 2, 3, 4, 1, 2, 3, 4, 5, 3, 3, 3, 3, 3], np.repeat([0, 1, 2], [4, 5, 5]), 4)
    assert [mean.reason for mean in found.means[::2]] == [FEW_RATERS, ALL_EQUAL]
    assert set(found.pairs) == {(1, 2)}
    assert not found.means[3].defined
    assert compare_values([1.0], [0], 1).largest is None
    with pytest.raises(InputError, match="equally long"):
        compare_values([1.0, 2.0], [0], 1)


def test_severities_are_least_squares():
    rng = np.random.default_rng(2)
    item, rater = np.nonzero(rng.random((30, 8)) < 0.4)
    score = rng.normal(3, 1, len(item))
    x = np.zeros((len(item), 38))
    x[np.arange(len(item)), item] = 1
    x[np.arange(len(item)), 30 + rater] = 1
    expected = np.linalg.lstsq(x, score, rcond=None)[0][30:]
    assert estimate_severities(item, rater, score) == pytest.approx(expected - expected.mean())


def test_a_severity_does_not_depend_on_which_items_a_rater_met():
    item, rater = np.array([0, 0, 1, 1, 2, 2]), np.array([0, 1, 1, 2, 2, 3])
    score = np.array([1.0, 1.5, 4.5, 4.0, 2.0, 1.0])  # quality 1, 4, 2 and severities 0, .5, 0, -1
    assert estimate_severities(item, rater, score) == pytest.approx(np.array([0, 0.5, 0, -1]) + 0.125)
    apart = estimate_severities(np.array([0, 0, 1, 1, 2]), np.array([0, 1, 1, 2, 3]), np.arange(5.0))
    assert np.isnan(apart).tolist() == [False, False, False, True]
    assert len(estimate_severities(np.zeros(0, int), np.zeros(0, int), np.zeros(0))) == 0
