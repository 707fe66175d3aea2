"""Correlations of many pairs of rows at once, for resampling: an entry that is NaN in a row is left out of that row."""

from collections.abc import Callable
from math import inf, nan
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from analysis.correlation.ranks import midranks, tie_ends
from analysis.correlation.sums import pearson_of_sums
from analysis.values.errors import InputError

Rows = NDArray[np.float64]
CorrelationName = Literal["pearson", "spearman"]
FEWEST = 3
"""Entries that a correlation needs: two always lie on a line."""


def rows_by(correlation: CorrelationName) -> Callable[[Rows, Rows], Rows]:
    """The correlation of rows that has this name."""
    if correlation not in get_args(CorrelationName):
        raise InputError(f'`correlation` must be "pearson" or "spearman", got {correlation!r}')
    return pearson_rows if correlation == "pearson" else spearman_rows


def pearson_rows(x: Rows, y: Rows) -> NDArray[np.float64]:
    """Pearson's r of each row of x with the same row of y; NaN where a side is constant."""
    out = np.isnan(x) | np.isnan(y)
    n: Any = x.shape[1]
    if out.any():
        n = np.maximum((~out).sum(axis=1, keepdims=True), 1)
        x, y = np.where(out, nan, x), np.where(out, nan, y)
    flat = _constant(x) | _constant(y)
    x, y = _centred(x, n), _centred(y, n)
    xx, yy, xy = (np.einsum("ij,ij->i", *both) for both in ((x, x), (y, y), (x, y)))
    return pearson_of_sums(xx, yy, xy, ~flat)


def spearman_rows(x: Rows, y: Rows) -> NDArray[np.float64]:
    """Spearman's rho of each row of x with the same row of y; NaN where a side is constant."""
    out = np.isnan(x) | np.isnan(y)
    if out.any():
        x, y = np.where(out, nan, x), np.where(out, nan, y)
    rank_x, rank_y = midranks(x), midranks(y)
    if out.any():
        rank_x[out], rank_y[out] = nan, nan
    return pearson_rows(rank_x, rank_y)


def kendall_rows(x: Rows, y: Rows) -> NDArray[np.float64]:
    """Kendall's tau-b of each row of x with the same row of y; NaN where a side is constant.

    Sorted by x (ties by y), the discordant pairs are the inversions of y, counted while merging.
    Source: Knight 1966, "A computer method for calculating Kendall's tau".
    """
    out = np.isnan(x) | np.isnan(y)
    n = x.shape[1]
    both, ties_x, ties_y = _by_x_then_y(x, y, out)
    first, _ = tie_ends(both)
    ties_both = (np.arange(n) - first).sum(axis=1)
    discordant = _inversions(both % (2 * n))
    left = (~out).sum(axis=1)
    pairs = left * (left - 1) // 2
    excess = pairs - ties_x - ties_y + ties_both - 2 * discordant
    return pearson_of_sums(pairs - ties_x, pairs - ties_y, excess)


def discordant_rows(x: Rows, y: Rows) -> NDArray[np.int64]:
    """Pairs of columns that each row of x and the same row of y put in opposite orders."""
    both, _, _ = _by_x_then_y(x, y, np.isnan(x) | np.isnan(y))
    return _inversions(both % (2 * x.shape[1]))


def _constant(rows: Rows) -> NDArray[np.bool_]:
    highest: NDArray[np.float64] = np.fmax.reduce(rows, axis=1, initial=-inf)
    return np.asarray(highest <= np.fmin.reduce(rows, axis=1, initial=inf), dtype=np.bool_)


def _centred(rows: Rows, n: Any) -> Rows:
    """Rows less their means over n entries, entries that are left out as zeros."""
    out = np.isnan(rows)
    if not out.any():
        return np.asarray(rows - rows.mean(axis=1, keepdims=True))
    return np.where(out, 0.0, rows - np.where(out, 0.0, rows).sum(axis=1, keepdims=True) / n)


def _by_x_then_y(
    x: Rows, y: Rows, out: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Group of x times 2n plus group of y, ascending per row (k, n), and the tied pairs of x and of y (k,)."""
    n = x.shape[1]
    group_x, ties_x = _tie_groups(np.where(out, nan, x))
    group_y, ties_y = _tie_groups(np.where(out, nan, y))
    # Left-out entries come last and in one order on both sides: neither tied nor discordant.
    last = np.broadcast_to(n + np.arange(n), x.shape)
    group_x, group_y = np.where(out, last, group_x), np.where(out, last, group_y)
    return np.sort(group_x * (2 * n) + group_y, axis=1), ties_x, ties_y


def _tie_groups(rows: Rows) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Group numbers (k, n), equal values in one group, ascending; and tied pairs per row (k,)."""
    order = np.argsort(rows, axis=1)
    first, _ = tie_ends(np.take_along_axis(rows, order, axis=1))
    groups = np.empty(rows.shape, dtype=np.int64)
    np.put_along_axis(groups, order, first, axis=1)
    return groups, (np.arange(rows.shape[1]) - first).sum(axis=1)


def _inversions(rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Pairs in falling order per row of non-negative whole numbers, counted while merging halves."""
    k, n = rows.shape
    size = 1 << max(n - 1, 0).bit_length()
    merged = np.full((k, size), 2 * n, dtype=np.int64)
    merged[:, :n] = rows
    falling = np.zeros(k, dtype=np.int64)
    width = 1
    while width < size:
        blocks = merged.reshape(k, -1, 2 * width) * 2
        blocks[:, :, width:] += 1
        blocks.sort(axis=2)
        from_left = (blocks & 1) == 0
        places = (from_left * np.arange(2 * width)).sum(axis=(1, 2))
        falling += places - (size // (2 * width)) * (width * (width - 1) // 2)
        merged = (blocks >> 1).reshape(k, size)
        width *= 2
    return falling
