"""Quotients of sums: what is of nothing is undefined."""

import numpy as np

from analysis.values.ratings import ratio


def test_only_what_is_above_nothing_divides():
    above, below = np.array([1.0, 0.0, 3.0, 1.0, 1.0]), np.array([0.0, 2.0, 4.0, -1.0, np.nan])
    np.testing.assert_array_equal(ratio(above, below), [np.nan, 0, 0.75, np.nan, np.nan])
