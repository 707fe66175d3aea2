"""Spearman's rho and Kendall's tau-b of many pairs of rows at once, from one ordering of each side.

Values are whole numbers whose ties are exact. Each is packed with a place into one sorted key: x with the place in the
row, y with the place in x's order, x's tie groups with the place in y's order. The third gives y's order along x, ties
of either side in the order of the other, so that its falling pairs are the discordant ones.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analysis.correlation.inversions import inversions
from analysis.correlation.sums import pearson_of_sums
from analysis.values.types import Floats

Whole = NDArray[np.int64]
Mask = NDArray[np.bool_]


class RankCorrelations(NamedTuple):
    """Spearman's rho and Kendall's tau-b (k,), NaN where a side is constant, and the discordant pairs (k,)."""

    rho: Floats
    tau: Floats
    discordant: Whole


def rank_correlations(x: Whole, y: Whole, out: Mask) -> RankCorrelations:
    """Both correlations of each row of x (k, n) with the same row of y, without the entries that are `out` (k, n).

    The span of the values times n must stay below 2**62.
    Source: Kendall 1945 (middle ranks for ties, tau-b); Knight 1966 (discordant pairs from one order).
    """
    k, n = x.shape
    if n == 0 or k == 0:
        return RankCorrelations(np.full(k, np.nan), np.full(k, np.nan), np.zeros(k, dtype=np.int64))
    gone = out.sum(axis=1)
    left = n - gone
    row = n * np.arange(k)[:, None]
    x, y = (_from_zero(side, out) for side in (x, y))
    by_x, runs_x = _ordered(x, np.arange(n))
    by_y, runs_y = _ordered(y, _places(by_x, row))
    start_x = runs_x.starts(k, n)
    along, _ = _ordered(start_x, _places(by_y, row))
    at = along + row
    shared = np.einsum("ij,ij->i", runs_x.ranks(k, n, left), np.take(runs_y.ranks(k, n, left), at))
    both = _runs(start_x * n + np.take(runs_y.starts(k, n), at))
    pairs = left * (left - 1) // 2
    tied_x, tied_y, tied_both = (runs.tied(gone) for runs in (runs_x, runs_y, both))
    discordant = inversions(along)
    of_x, of_y = (runs.spread(left, gone) for runs in (runs_x, runs_y))
    return RankCorrelations(
        pearson_of_sums(of_x, of_y, shared),
        pearson_of_sums(pairs - tied_x, pairs - tied_y, pairs - tied_x - tied_y + tied_both - 2 * discordant),
        discordant,
    )


class _Runs(NamedTuple):
    """Runs of equal entries of sorted rows, one row's after the other's.

    `start` (g,) in the row, `size` (g,), `first` (k,) run of each row. Entries that are out are a row's last run.
    """

    start: Whole
    size: Whole
    first: Whole

    def starts(self, k: int, n: int) -> Whole:
        """Of each entry (k, n), where its run starts."""
        return np.repeat(self.start, self.size).reshape(k, n)

    def ranks(self, k: int, n: int, left: Whole) -> Floats:
        """Twice the middle rank (k, n), less the mean of those that are left; 0 for the others."""
        twice = (2 * self.start + self.size).astype(np.float64)
        of_row = np.repeat(left, np.diff(self.first, append=len(self.start)))
        return np.repeat(np.where(self.start < of_row, twice - of_row, 0.0), self.size).reshape(k, n)

    def spread(self, left: Whole, gone: Whole) -> Floats:
        """The sum of squares (k,) of `ranks`."""
        cubes, ties = left**3 - left, self.size**3 - self.size
        return np.asarray((cubes - np.add.reduceat(ties, self.first) + gone**3 - gone) / 3)

    def tied(self, gone: Whole) -> Whole:
        """Tied pairs (k,) among the entries that are left."""
        pairs = self.size * (self.size - 1) // 2
        return np.asarray(np.add.reduceat(pairs, self.first) - gone * (gone - 1) // 2)


def _from_zero(values: Whole, out: Mask) -> Whole:
    """Values less the lowest; those that are out share one above all others."""
    if not out.any():
        return np.asarray(values - values.min())
    if out.all():
        return np.zeros_like(values)
    ends = np.iinfo(values.dtype)
    low, high = int(np.where(out, ends.max, values).min()), int(np.where(out, ends.min, values).max())
    return np.where(out, high - low + 1, values - low)


def _ordered(values: Whole, place: Whole) -> tuple[Whole, _Runs]:
    """The places (k, n) or (n,) of values (k, n) from 0 in ascending order, ties by place, and runs of equal values."""
    n = values.shape[1]
    bits = max(n - 1, 1).bit_length()
    small = int(values.max()).bit_length() + bits < 32
    keys = ((values << bits) | place).astype(np.int32 if small else np.int64)
    keys.sort(axis=1)
    return (keys & ((1 << bits) - 1)).astype(np.int64), _runs(keys >> bits)


def _runs(ordered: NDArray[np.int32] | Whole) -> _Runs:
    new = np.ones(ordered.shape, dtype=np.bool_)
    np.not_equal(ordered[:, 1:], ordered[:, :-1], out=new[:, 1:])
    begins = np.flatnonzero(new)
    start = begins % ordered.shape[1]
    return _Runs(start, np.diff(begins, append=new.size), np.flatnonzero(start == 0))


def _places(order: Whole, row: Whole) -> Whole:
    """Where each entry stands in an order (k, n): its inverse."""
    places = np.empty(order.shape, dtype=np.int64)
    places.ravel()[order + row] = np.arange(order.shape[1])
    return places
