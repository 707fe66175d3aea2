import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import stats

from analysis.values.distributions import (
    anderson_darling,
    describe_means,
    histogram,
    round_edges,
    skewness,
)
from analysis.values.estimate import InputError

finite = st.floats(-1e3, 1e3, allow_nan=False).map(lambda value: round(value, 3))


def test_describe_counts_and_moments():
    means = [4.0, 1.5, 1.0]
    found = describe_means(means, [3, 2, 1], 3)
    assert (found.items, found.ratings, found.raters) == (3, 6, 3)
    assert (found.per_item_min, found.per_item_median, found.per_item_max) == (1, 2.0, 3)
    assert found.median == 1.5
    assert found.mean == pytest.approx(np.mean(means), abs=1e-11)
    assert found.sd == pytest.approx(np.std(means, ddof=1), abs=1e-11)
    assert found.skewness == pytest.approx(stats.skew(means, bias=False), abs=1e-9)


def test_nothing_one_item_and_constants_have_reasons():
    nothing = describe_means([], [], 0)
    assert nothing.items == nothing.ratings == 0
    assert np.isnan(nothing.mean)
    assert "no items" in nothing.reason
    one = describe_means([3.0], [1], 1)
    assert one.mean == 3
    assert np.isnan(one.sd)
    assert one.reason
    flat = describe_means([3.0] * 10, [2] * 10, 4)
    assert flat.sd == 0
    assert np.isnan(flat.skewness)
    assert np.isnan(flat.normality.statistic)
    assert flat.normality.reason
    with pytest.raises(InputError, match="equally long"):
        describe_means([1.0], [1, 2], 1)


@pytest.mark.parametrize("n", [3, 8, 50, 3000])
def test_skewness_and_anderson_darling_statistic_are_scipys(n):
    values = np.random.default_rng(n).gamma(2, 1, n)
    assert skewness(values) == pytest.approx(stats.skew(values, bias=False), abs=1e-9)
    theirs = stats.anderson(values, "norm", method="interpolate").statistic
    assert anderson_darling(values).statistic == pytest.approx(theirs, abs=1e-9)


def test_anderson_darling_p_at_the_tabulated_points():
    # D'Agostino & Stephens 1986, Table 4.7, case 3: upper tail percentage points of the corrected statistic.
    for corrected, p in (
        (0.470, 0.25),
        (0.561, 0.15),
        (0.631, 0.10),
        (0.752, 0.05),
        (0.873, 0.025),
        (1.035, 0.01),
    ):
        # Stretch one value outwards until the corrected statistic is the tabulated one.
        values, low, high = np.linspace(-1, 1, 9), 0.0, 50.0
        for _ in range(60):
            middle = (low + high) / 2
            stretched = np.append(values, 1 + middle)
            if anderson_darling(stretched).corrected < corrected:
                low = middle
            else:
                high = middle
        found = anderson_darling(np.append(values, 1 + low))
        assert found.corrected == pytest.approx(corrected, abs=1e-6)
        assert found.p == pytest.approx(p, rel=0.03)


def test_anderson_darling_p_is_uniform_under_normality():
    rng = np.random.default_rng(0)
    p = np.array([anderson_darling(rng.normal(3, 0.5, 50)).p for _ in range(2000)])
    for cut in (0.05, 0.1, 0.5, 0.9):
        assert (p < cut).mean() == pytest.approx(cut, abs=4 * np.sqrt(cut * (1 - cut) / 2000))


def test_anderson_darling_with_few_or_wild_values():
    few = anderson_darling([1, 2, 4, 3, 2.5, 2, 3])
    assert np.isfinite(few.statistic)
    assert np.isnan(few.p)
    assert "at least 8" in few.reason
    wild = anderson_darling(np.append(np.zeros(5000), 1.0))
    assert 0 <= wild.p < 1e-20


@given(st.lists(finite, min_size=3, max_size=40), finite, st.floats(0.1, 50))
def test_skewness_and_normality_ignore_unit_and_origin(values, shift, unit):
    x = np.array(values)
    if np.ptp(x) < 1e-2:
        return
    moved = x * unit + shift
    assert skewness(moved) == pytest.approx(skewness(x), abs=1e-6)
    assert skewness(-x) == pytest.approx(-skewness(x), abs=1e-9)
    assert_allclose(anderson_darling(moved).statistic, anderson_darling(x).statistic, rtol=1e-4, atol=1e-6)


@given(finite, finite, st.integers(3, 40))
def test_edges_hold_everything_in_at_most_so_many_bars(a, b, most):
    low, high = min(a, b), max(a, b)
    edges = round_edges(low, high, most)
    assert edges[0] <= low
    assert high <= edges[-1]
    assert 2 <= len(edges) <= most + 1
    assert_allclose(np.diff(edges), edges[1] - edges[0], rtol=1e-6)
    assert histogram([low, high], edges).sum() == 2


def test_histogram_counts_like_numpy_and_takes_counts():
    values = np.random.default_rng(1).uniform(1, 4.9, 500)
    edges = round_edges(1, 4.9)
    values = np.append(values, edges[-1])
    assert histogram(values, edges).tolist() == np.histogram(values, edges)[0].tolist()
    assert histogram([1, 5], np.array([0.5, 1.5, 5.5]), [7, 3]).tolist() == [7, 3]
    assert round_edges(0, 100).tolist() == list(range(0, 101, 5))
    with pytest.raises(InputError, match="between the edges"):
        histogram([9.0], edges)
    with pytest.raises(InputError, match="finite"):
        round_edges(np.nan, 1)
