"""Pairs in falling order, counted in rows of whole numbers at once, without a sort.

A row is cut into blocks of places, and its values into buckets of as many. A pair in falling order lies in one block,
in one bucket but not in one block, or in neither; the first two are compared one by one, the third is read off a table
of how many values of each bucket lie in each block. With blocks of about the root of n places that is n root n
comparisons of small whole numbers, which a processor makes 64 at a time.
"""

from math import isqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

SHORTEST = 64
"""Places of a block at least: fewer make a larger table than they save comparisons."""


def inversions(rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Pairs in falling order (k,) in each row (k, n), which holds every number from 0 to n - 1 once.

    Source: Knight 1966, "A computer method for calculating Kendall's tau" (what is counted; he merged).
    """
    k, n = rows.shape
    if n < 2 or k == 0:
        return np.zeros(k, dtype=np.int64)
    width = min(max(SHORTEST, isqrt(n)), n)
    blocks = -(-n // width)
    padded = np.empty((k, blocks * width), dtype=np.int32 if blocks * width > 1 << 15 else np.int16)
    padded[:, :n] = rows
    padded[:, n:] = np.arange(n, blocks * width)
    found = _falling(padded.reshape(k, blocks, width))
    if blocks == 1:
        return found
    place = np.empty_like(padded)
    start = np.arange(k)[:, None] * padded.shape[1]
    place.ravel()[padded + start] = np.arange(padded.shape[1], dtype=padded.dtype) // width
    found += _falling(place.reshape(k, blocks, width))
    cell = (padded // width).astype(np.int64)
    cell += (np.arange(blocks * width) // width) * blocks + np.arange(k)[:, None] * blocks**2
    table = np.bincount(cell.ravel(), minlength=k * blocks**2).reshape(k, blocks, blocks)
    earlier = np.cumsum(table, axis=1) - table
    higher = np.cumsum(earlier[:, :, ::-1], axis=2)[:, :, ::-1] - earlier
    return np.asarray(found + np.einsum("kij,kij->k", table, higher))


def _falling(blocks: NDArray[Any]) -> NDArray[np.int64]:
    """Pairs in falling order (k,) within blocks (k, blocks, width)."""
    across: NDArray[Any] = np.ascontiguousarray(np.moveaxis(blocks, 2, 0))
    width = len(across)
    falls = np.zeros(across.shape, dtype=np.uint8 if width <= 256 else np.uint16)
    falling = np.empty(across.shape, dtype=np.bool_)
    one_each = falling.view(np.uint8)
    for apart in range(1, width):
        np.less(across[apart:], across[:-apart], out=falling[apart:])
        falls[apart:] += one_each[apart:]
    return np.asarray(falls.sum(axis=(0, 2), dtype=np.int64))
