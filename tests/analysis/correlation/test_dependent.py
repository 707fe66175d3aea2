"""Williams' test and Zou's interval: published numbers, an independent formula, laws and a simulation."""

from math import isnan, sqrt

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as some
from scipy import stats

from analysis.correlation.dependent import (
    align_with_test,
    correlation_change,
    correlation_difference,
    shared_column_correlations,
    williams_test,
)
from analysis.values.estimate import InputError


def three_columns():
    """The random columns of nlpstats 0.0.2's own test, whose p are those of R's psych::r.test."""
    rng = np.random.RandomState(12)
    return [rng.random_sample((9, 5)) for _ in range(6)]


def test_published_numbers():
    # Steiger 1980, case A, as in psych's overview: r.test(103, .4, .5, .1) gives t = -.89, p < .37
    steiger = williams_test(0.4, 0.5, 0.1, 103)
    assert (round(steiger.t, 2), steiger.degrees, round(steiger.p, 2)) == (-0.89, 100, 0.37)
    # ygraham/nlp-williams (Graham & Baldwin 2014), its README: one-sided
    assert williams_test(0.65, 0.55, 0.3, 50, "greater").p == pytest.approx(0.20928617286753592, abs=1e-12)
    # psych::r.test by way of nlpstats' test: all texts as rows, with absolute values; then system means, ranks
    x, y, z, *means = three_columns()
    r = [abs(np.corrcoef(a.ravel(), b.ravel())[0, 1]) for a, b in ((x, z), (y, z), (x, y))]
    assert williams_test(*r, 45).p == pytest.approx(0.5433956, abs=5e-8)
    assert williams_test(*r, 45, "greater").p == pytest.approx(0.2716978, abs=5e-8)
    x, y, z = (column.mean(axis=1) for column in means)
    rho = [stats.spearmanr(a, b).statistic for a, b in ((x, z), (y, z), (x, y))]
    assert williams_test(*rho, 9).p == pytest.approx(0.9317423, abs=5e-8)


def test_zous_own_examples():
    # Zou 2007, the example of two overlapping correlations (r12 .396, r13 .179, r23 .088, n 66)
    overlapping = correlation_difference(0.396, 0.179, shared_column_correlations(0.396, 0.179, 0.088), 66)
    assert (round(overlapping.low, 3), round(overlapping.high, 3)) == (-0.093, 0.517)
    # R's cocor 1.1 on the marks of 15,549 pupils, four columns: only four digits are given, and n is large
    apart = correlation_difference(0.7245, 0.8764, (0.6937, 0.7108, 0.8612, 0.8972), 15549)
    assert (apart.low, apart.high) == pytest.approx((-0.1590, -0.1449), abs=1e-4)


def correlations(seed, n=20):
    columns = np.random.default_rng(seed).normal(size=(n, 3))
    columns[:, :2] += columns[:, 2:] * [[1.0, 0.6]]
    return np.corrcoef(columns.T)


@settings(max_examples=50, deadline=None)
@given(some.integers(0, 10**6))
def test_it_is_the_formula_with_the_determinant_of_the_matrix(seed):
    r = correlations(seed)
    first, second, between = r[0, 2], r[1, 2], r[0, 1]
    mean, n = (first + second) / 2, 20
    slope = 2 * np.linalg.det(r) * (n - 1) / (n - 3) + mean**2 * (1 - between) ** 3
    t = (first - second) * sqrt((n - 1) * (1 + between) / slope)
    found = williams_test(first, second, between, n)
    assert found.t == pytest.approx(t, rel=1e-9)
    assert found.p == pytest.approx(2 * stats.t.sf(abs(t), n - 3), rel=1e-9)


@settings(max_examples=50, deadline=None)
@given(some.integers(0, 10**6), some.booleans())
def test_laws(seed, ranks):
    r = correlations(seed)
    first, second, between = r[0, 2], r[1, 2], r[0, 1]
    assume(max(abs(first), abs(second)) < 0.999)
    one, other = (
        williams_test(first, second, between, 20, ranks=ranks),
        williams_test(second, first, between, 20, ranks=ranks),
    )
    assert one.t == pytest.approx(-other.t)
    assert one.p == pytest.approx(other.p)
    less, greater = (williams_test(first, second, between, 20, tail, ranks).p for tail in ("less", "greater"))
    assert less + greater == pytest.approx(1)
    there = correlation_difference(
        first, second, shared_column_correlations(first, second, between), 20, ranks=ranks
    )
    back = correlation_difference(
        second, first, shared_column_correlations(second, first, between), 20, ranks=ranks
    )
    assert there.low <= there.value <= there.high
    assert (there.low, there.high) == pytest.approx((-back.high, -back.low))
    assert (
        williams_test(first, second, between, 20, ranks=True).p >= williams_test(first, second, between, 20).p
    )


def test_the_general_interval_is_that_of_overlapping_ones_where_a_column_is_shared():
    first, second, between, n = 0.7, 0.4, 0.3, 25
    rest = 1 - first**2 - second**2 - between**2
    c = ((between - first * second / 2) * rest + between**3) / ((1 - first**2) * (1 - second**2))
    ends = []
    for r in (first, second):
        half = stats.norm.ppf(0.975) / sqrt(n - 3)
        ends.append((np.tanh(np.arctanh(r) - half), np.tanh(np.arctanh(r) + half)))
    (l1, u1), (l2, u2) = ends
    low = first - second - sqrt((first - l1) ** 2 + (u2 - second) ** 2 - 2 * c * (first - l1) * (u2 - second))
    high = (
        first - second + sqrt((u1 - first) ** 2 + (second - l2) ** 2 - 2 * c * (u1 - first) * (second - l2))
    )
    found = correlation_difference(first, second, shared_column_correlations(first, second, between), n)
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-12)


def test_undefined_is_nan_with_a_reason():
    assert isnan(williams_test(0.5, 0.2, 0.1, 3).p)
    assert isnan(williams_test(1.0, 1.0, 1.0, 10).p)
    assert isnan(williams_test(float("nan"), 0.2, 0.1, 30).t)
    assert (
        "at least 4 systems; there are 3"
        in correlation_difference(0.5, 0.2, shared_column_correlations(0.5, 0.2, 0.1), 3).reason
    )
    assert "no room" in correlation_difference(1.0, 0.2, shared_column_correlations(1.0, 0.2, 0.2), 9).reason
    assert (
        "undefined"
        in correlation_difference(float("nan"), 0.2, shared_column_correlations(0.1, 0.2, 0.1), 9).reason
    )
    with pytest.raises(InputError, match="`between` must be a correlation"):
        williams_test(0.5, 0.2, 1.4, 9)


def test_a_true_null_is_rejected_as_often_as_it_says():
    """Normal columns of 10 rows, equal correlations with the third; 2,000 studies."""
    rng = np.random.default_rng(4)
    rejected = covered = 0
    for _ in range(2000):
        third = rng.normal(size=10)
        first, second = third + 0.8 * rng.normal(size=(2, 10))
        r = np.corrcoef([first, second, third])
        rejected += williams_test(r[0, 2], r[1, 2], r[0, 1], 10).p < 0.05
        zou = correlation_difference(
            r[0, 2], r[1, 2], shared_column_correlations(r[0, 2], r[1, 2], r[0, 1]), 10
        )
        covered += zou.low <= 0 <= zou.high
    assert 0.035 <= rejected / 2000 <= 0.065
    assert 0.93 <= covered / 2000 <= 0.98


def test_ranks_that_stay_tell_nothing_of_other_rows():
    """A change of 0 with an interval of 0 to 0 would say that no other systems could change places."""
    stays = (1.0, 0.7, 0.7, 1.0)
    ranks = correlation_difference(0.7, 0.7, stays, 8, ranks=True)
    assert (ranks.value, ranks.defined) == (0.0, True)
    assert np.isnan([ranks.low, ranks.high]).all()
    assert ranks.reason.startswith("all ranks stay as they are")
    columns = correlation_difference(0.7, 0.7, stays, 8)
    assert (columns.low, columns.high) == (0.0, 0.0)


def of_change(rng, n, loss, ranks=False):
    """Correlations of metric and human score before and after some of the score's raters go."""
    score = rng.normal(size=n)
    metric = score + rng.normal(0, 0.6, n)
    error, other = rng.normal(0, 0.3, (2, n))
    before, after = score + error, score + error * sqrt(1 - loss) + other * sqrt(loss)
    ways = stats.spearmanr if ranks else stats.pearsonr

    def r(x, y):
        return float(ways(x, y).statistic)

    # columns j, k: after, metric; h, m: before, metric
    crossed = r(after, before), r(after, metric), r(metric, before), 1.0
    return r(after, metric), r(before, metric), crossed


@pytest.mark.parametrize(("n", "ranks"), [(8, False), (16, True), (40, False)])
def test_a_change_is_covered_by_a_narrow_interval(n, ranks):
    """Both correlations are equal in truth; Zou's interval covers all studies and is at least twice as wide."""
    rng, covered, widths = np.random.default_rng(5), 0, []
    for _ in range(300):
        found = of_change(rng, n, 0.2, ranks)
        one, zou = correlation_change(*found, n, ranks=ranks), correlation_difference(*found, n, ranks=ranks)
        covered += isnan(one.low) or one.low <= 0 <= one.high
        widths.append([one.high - one.low, zou.high - zou.low])
    narrow, wide = np.nanmean(widths, axis=0)
    assert covered / 300 >= 0.92
    assert narrow < wide / 2


def test_a_change_of_nothing_has_no_interval_for_ranks():
    assert correlation_change(0.5, 0.5, (1.0, 0.5, 0.5, 1.0), 20, ranks=True).reason
    assert correlation_change(0.5, 0.5, (1.0, 0.5, 0.5, 1.0), 20).high == 0
    assert correlation_change(0.5, 0.6, (0.9, 0.5, 0.5, 1.0), 3).reason


@settings(max_examples=60, deadline=None)
@given(some.integers(0, 10**6), some.integers(5, 40))
def test_zous_interval_agrees_with_williams_test(seed, n):
    r = correlations(seed, n)
    first, second, between = r[0, 2], r[1, 2], r[0, 1]
    assume(max(abs(first), abs(second)) < 0.999)
    test = williams_test(first, second, between, n)
    zou = correlation_difference(first, second, shared_column_correlations(first, second, between), n)
    made = align_with_test(test, zou)
    assert (made.low <= 0 <= made.high) == (test.p >= 0.05) or 0 in (made.low, made.high)
    assert made.low <= made.value <= made.high
