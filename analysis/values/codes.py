"""Ids as codes from 0, and what stands in pairs of them, without sorting where ids are whole numbers close together."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from analysis.values.types import Codes, Floats

LARGEST = 1 << 52
"""Whole numbers up to which floating point tells them apart."""


def coded(values: NDArray[Any]) -> tuple[NDArray[Any], Codes]:
    """Ascending ids and each value's place among them.

    >>> coded(np.array([7, 3, 7]))
    (array([3, 7]), array([1, 0, 1]))
    """
    if len(values) and values.dtype.kind in "iuf":
        low, high = float(values.min()), float(values.max())
        if high - low <= 4 * len(values) + 1000 and max(-low, high) < LARGEST:
            place = values.astype(np.int64, copy=False)
            place = place - int(low) if low else place
            if values.dtype.kind != "f" or (place + low == values).all():
                present = np.bincount(place) > 0
                if present.all():
                    return (np.arange(len(present)) + low).astype(values.dtype), place
                return (np.flatnonzero(present) + low).astype(values.dtype), (np.cumsum(present) - 1)[place]
    ids, code = np.unique(values, return_inverse=True)
    return ids, code.astype(np.int64, copy=False)


def different(codes: Codes) -> int:
    """How many different codes there are.

    >>> different(np.array([7, 3, 7]))
    2
    """
    if int(codes.max(initial=0)) <= 4 * len(codes) + 1000:
        return int(np.count_nonzero(np.bincount(codes)))
    return len(np.unique(codes))


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
