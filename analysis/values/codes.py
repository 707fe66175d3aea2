"""Ids as codes from 0, and what stands in pairs of them, without sorting where ids are small whole numbers."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]


def coded(values: NDArray[Any]) -> tuple[NDArray[Any], Codes]:
    """Ascending ids and each value's place among them.

    >>> coded(np.array([7, 3, 7]))
    (array([3, 7]), array([1, 0, 1]))
    """
    whole = values.dtype.kind in "iu" and len(values) > 0
    if whole and values.min() >= 0 and values.max() <= 4 * len(values) + 1000:
        present = np.bincount(values) > 0
        return np.flatnonzero(present).astype(values.dtype, copy=False), (np.cumsum(present) - 1)[values]
    ids, code = np.unique(values, return_inverse=True)
    return ids, code.astype(np.int64, copy=False)


def sums_of_pairs(one: Codes, other: Codes, values: Floats) -> tuple[Codes, Codes, Floats, Floats]:
    """Each pair of codes (N,) that occurs, ascending: both codes, the sum of its values (N,) and how many they are.

    >>> sums_of_pairs(np.array([1, 0, 1]), np.array([2, 0, 2]), np.array([3.0, 4.0, 5.0]))
    (array([0, 1]), array([0, 2]), array([4., 8.]), array([1., 2.]))
    """
    shape = int(one.max(initial=0)) + 1, int(other.max(initial=0)) + 1
    total, count = (
        sparse.coo_array((column, (one, other)), shape=shape).tocsr()
        for column in (values, np.ones(len(values)))
    )
    first = np.repeat(np.arange(shape[0]), np.diff(count.indptr))
    return first, count.indices.astype(np.int64), total.data, count.data
