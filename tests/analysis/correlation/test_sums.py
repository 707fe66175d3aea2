"""Pearson's r from sums against NumPy, and where it is undefined."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from analysis.correlation.rank_rows import center_sums, pearson_from_sums


def sums_of(x, y):
    return len(x), x.sum(), y.sum(), (x * x).sum(), (y * y).sum(), (x * y).sum()


@given(arrays(np.float64, (2, 12), elements=st.integers(-5, 5).map(float)), st.floats(0.1, 10))
def test_it_is_numpys_in_any_unit(pairs, unit):
    x, y = pairs
    found = pearson_from_sums(*(unit * each for each in center_sums(*sums_of(x, y))))
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        assert np.isnan(found)
    else:
        np.testing.assert_allclose(found, np.corrcoef(x, y)[0, 1], atol=1e-12)


def test_a_perfect_correlation_is_exactly_one():
    assert pearson_from_sums(7.3, 7.3, 7.3) == 1
    assert pearson_from_sums(2.0, 2.0, -2.0000000000000004) == -1


def test_flat_sides_and_what_is_said_to_be_undefined_have_none():
    found = pearson_from_sums(
        [0.0, 4.0, 4.0, -1e-17], [1.0, 1.0, 1.0, 1.0], [0.0, 1.0, 1.0, 0.0], [True, True, False, True]
    )
    np.testing.assert_array_equal(found, [np.nan, 0.5, np.nan, np.nan])


def test_no_pairs_have_no_correlation():
    assert np.isnan(pearson_from_sums(*center_sums(0, 0, 0, 0, 0, 0)))
