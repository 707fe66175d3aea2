"""Pearson, Spearman and Kendall correlations of many rows at once, and of growing samples."""

from collections.abc import Callable
from math import inf, isqrt, nan
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from analysis.values.estimate import Floats, InputError
from analysis.values.ratings import tie_exact


def pearson_from_sums(xx: ArrayLike, yy: ArrayLike, xy: ArrayLike, defined: ArrayLike = True) -> Floats:
    """Return r (…,) from sums of squares and products around the means; NaN if not `defined` or a side is constant."""
    sum_xx, sum_yy, sum_xy = (np.asarray(each, dtype=np.float64) for each in (xx, yy, xy))
    is_defined = np.asarray(defined, dtype=np.bool_) & (sum_xx > 0) & (sum_yy > 0)
    root = np.sqrt(np.where(is_defined, sum_xx * sum_yy, 1.0))
    return np.where(is_defined, np.clip(sum_xy / root, -1.0, 1.0), np.nan)


def center_sums(
    count: ArrayLike, x: ArrayLike, y: ArrayLike, xx: ArrayLike, yy: ArrayLike, xy: ArrayLike
) -> tuple[Floats, Floats, Floats]:
    """Return sums of squares and products (…,) around the means from raw sums over `count` pairs."""
    n, sum_x, sum_y, sum_xx, sum_yy, sum_xy = (
        np.asarray(each, dtype=np.float64) for each in (count, x, y, xx, yy, xy)
    )
    size = np.where(n > 0, n, 1.0)
    return sum_xx - sum_x**2 / size, sum_yy - sum_y**2 / size, sum_xy - sum_x * sum_y / size


def midranks(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return ranks 1 … n within each row, with midranks for ties; NaN rank last.

    Source: Kendall 1945, "The treatment of ties in ranking problems".
    """
    order = np.argsort(rows, axis=1)
    first, last = tie_ends(np.take_along_axis(rows, order, axis=1))
    ranks = np.empty(rows.shape)
    np.put_along_axis(ranks, order, (first + last) / 2 + 1, axis=1)
    return ranks


def tie_ends(ordered: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the first and last position (k, n) of the run of equal values of each entry of sorted rows."""
    n = ordered.shape[1]
    position = np.broadcast_to(np.arange(n), ordered.shape)
    is_first = np.ones(ordered.shape, dtype=bool)
    is_first[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    is_last = np.ones(ordered.shape, dtype=bool)
    is_last[:, :-1] = is_first[:, 1:]
    first = np.maximum.accumulate(np.where(is_first, position, 0), axis=1)
    last = np.minimum.accumulate(np.where(is_last, position, n)[:, ::-1], axis=1)[:, ::-1]
    return first, last


SHORTEST_BLOCK = 64
"""Smallest block; smaller ones make a larger table than they save comparisons."""


def count_inversions(rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Count the inversions (k,) of each row (k, n), a permutation of 0 to n - 1.

    Source: Knight 1966, "A computer method for calculating Kendall's tau" (what is counted; he merged).
    """
    k, n = rows.shape
    if n < 2 or k == 0:
        return np.zeros(k, dtype=np.int64)
    width = min(max(SHORTEST_BLOCK, isqrt(n)), n)
    blocks = -(-n // width)
    padded = np.empty((k, blocks * width), dtype=np.int32 if blocks * width > 1 << 15 else np.int16)
    padded[:, :n] = rows
    padded[:, n:] = np.arange(n, blocks * width)
    falling = _count_inversions_in_blocks(padded.reshape(k, blocks, width))
    if blocks == 1:
        return falling
    block_of = np.empty_like(padded)
    start = np.arange(k)[:, None] * padded.shape[1]
    block_of.ravel()[padded + start] = np.arange(padded.shape[1], dtype=padded.dtype) // width
    falling += _count_inversions_in_blocks(block_of.reshape(k, blocks, width))
    cell = (padded // width).astype(np.int64)
    cell += (np.arange(blocks * width) // width) * blocks + np.arange(k)[:, None] * blocks**2
    table = np.bincount(cell.ravel(), minlength=k * blocks**2).reshape(k, blocks, blocks)
    earlier = np.cumsum(table, axis=1) - table
    higher = np.cumsum(earlier[:, :, ::-1], axis=2)[:, :, ::-1] - earlier
    return np.asarray(falling + np.einsum("kij,kij->k", table, higher))


def _count_inversions_in_blocks(blocks: NDArray[Any]) -> NDArray[np.int64]:
    """Count the inversions (k,) within blocks (k, blocks, width)."""
    columns: NDArray[Any] = np.ascontiguousarray(np.moveaxis(blocks, 2, 0))
    width = len(columns)
    falls = np.zeros(columns.shape, dtype=np.uint8 if width <= 256 else np.uint16)
    falling = np.empty(columns.shape, dtype=np.bool_)
    increments = falling.view(np.uint8)
    for lag in range(1, width):
        np.less(columns[lag:], columns[:-lag], out=falling[lag:])
        falls[lag:] += increments[lag:]
    return np.asarray(falls.sum(axis=(0, 2), dtype=np.int64))


Whole = NDArray[np.int64]
Mask = NDArray[np.bool_]


class RankCorrelations(NamedTuple):
    """Spearman's rho and Kendall's tau-b (k,), NaN where a side is constant, and the discordant pairs (k,)."""

    rho: Floats
    tau: Floats
    discordant: Whole


def rank_correlations(x: Whole, y: Whole, excluded: Mask) -> RankCorrelations:
    """Compute both correlations of each row of x (k, n) with the same row of y, without `excluded` entries (k, n).

    The span of the values times n must stay below 2**62.
    Source: Kendall 1945 (middle ranks for ties, tau-b); Knight 1966 (discordant pairs from one order).
    """
    k, n = x.shape
    if n == 0 or k == 0:
        return RankCorrelations(np.full(k, np.nan), np.full(k, np.nan), np.zeros(k, dtype=np.int64))
    n_excluded = excluded.sum(axis=1)
    n_remaining = n - n_excluded
    row = n * np.arange(k)[:, None]
    x, y = (_shift_to_zero(side, excluded) for side in (x, y))
    by_x, runs_x = _sort_order(x, np.arange(n))
    by_y, runs_y = _sort_order(y, _invert_order(by_x, row))
    start_x = runs_x.starts(k, n)
    order, _ = _sort_order(start_x, _invert_order(by_y, row))
    flat_index = order + row
    products = np.einsum(
        "ij,ij->i", runs_x.ranks(k, n, n_remaining), np.take(runs_y.ranks(k, n, n_remaining), flat_index)
    )
    runs_both = _runs(start_x * n + np.take(runs_y.starts(k, n), flat_index))
    pairs = n_remaining * (n_remaining - 1) // 2
    tied_x, tied_y, tied_both = (runs.tied(n_excluded) for runs in (runs_x, runs_y, runs_both))
    discordant = count_inversions(order)
    squares_x, squares_y = (runs.spread(n_remaining, n_excluded) for runs in (runs_x, runs_y))
    return RankCorrelations(
        pearson_from_sums(squares_x, squares_y, products),
        pearson_from_sums(
            pairs - tied_x, pairs - tied_y, pairs - tied_x - tied_y + tied_both - 2 * discordant
        ),
        discordant,
    )


class _Runs(NamedTuple):
    """Runs of equal entries of sorted rows, concatenated.

    `start` (g,) in the row, `size` (g,), `first` (k,) run of each row. Excluded entries are a row's last run.
    """

    start: Whole
    size: Whole
    first: Whole

    def starts(self, k: int, n: int) -> Whole:
        """Return the start of the run of each entry (k, n)."""
        return np.repeat(self.start, self.size).reshape(k, n)

    def ranks(self, k: int, n: int, n_remaining: Whole) -> Floats:
        """Return twice the midrank (k, n) minus the mean of the included entries, 0 for excluded ones."""
        twice = (2 * self.start + self.size).astype(np.float64)
        of_row = np.repeat(n_remaining, np.diff(self.first, append=len(self.start)))
        return np.repeat(np.where(self.start < of_row, twice - of_row, 0.0), self.size).reshape(k, n)

    def spread(self, n_remaining: Whole, n_excluded: Whole) -> Floats:
        """Return the sum of squares (k,) of `ranks`."""
        cubes, ties = n_remaining**3 - n_remaining, self.size**3 - self.size
        return np.asarray((cubes - np.add.reduceat(ties, self.first) + n_excluded**3 - n_excluded) / 3)

    def tied(self, n_excluded: Whole) -> Whole:
        """Return the number of tied pairs (k,) among the included entries."""
        pairs = self.size * (self.size - 1) // 2
        return np.asarray(np.add.reduceat(pairs, self.first) - n_excluded * (n_excluded - 1) // 2)


def _shift_to_zero(values: Whole, excluded: Mask) -> Whole:
    """Subtract the smallest value; excluded entries get one value above all others."""
    if not excluded.any():
        return np.asarray(values - values.min())
    if excluded.all():
        return np.zeros_like(values)
    limits = np.iinfo(values.dtype)
    low, high = (
        int(np.where(excluded, limits.max, values).min()),
        int(np.where(excluded, limits.min, values).max()),
    )
    return np.where(excluded, high - low + 1, values - low)


def _sort_order(values: Whole, tie_order: Whole) -> tuple[Whole, _Runs]:
    """Return the sort order (k, n) of values (k, n) from 0, ties by `tie_order`, and the runs of equal values."""
    n = values.shape[1]
    bits = max(n - 1, 1).bit_length()
    small = int(values.max()).bit_length() + bits < 32
    keys = ((values << bits) | tie_order).astype(np.int32 if small else np.int64)
    keys.sort(axis=1)
    return (keys & ((1 << bits) - 1)).astype(np.int64), _runs(keys >> bits)


def _runs(ordered: NDArray[np.int32] | Whole) -> _Runs:
    new = np.ones(ordered.shape, dtype=np.bool_)
    np.not_equal(ordered[:, 1:], ordered[:, :-1], out=new[:, 1:])
    begins = np.flatnonzero(new)
    start = begins % ordered.shape[1]
    return _Runs(start, np.diff(begins, append=new.size), np.flatnonzero(start == 0))


def _invert_order(order: Whole, row: Whole) -> Whole:
    """Return the inverse of a permutation in each row (k, n)."""
    inverse = np.empty(order.shape, dtype=np.int64)
    inverse.ravel()[order + row] = np.arange(order.shape[1])
    return inverse


Rows = NDArray[np.float64]
CorrelationName = Literal["pearson", "spearman"]
FEWEST_PAIRS = 3
"""Fewest entries of a correlation, as two always lie on a line."""


def row_correlation(correlation: CorrelationName) -> Callable[[Rows, Rows], Rows]:
    """Return the function that correlates rows, by name."""
    if correlation not in get_args(CorrelationName):
        raise InputError(f'`correlation` must be "pearson" or "spearman", got {correlation!r}')
    return pearson_rows if correlation == "pearson" else spearman_rows


def pearson_rows(x: Rows, y: Rows) -> NDArray[np.float64]:
    """Compute Pearson's r of each row of x with the same row of y, NaN where a side is constant."""
    missing = np.isnan(x) | np.isnan(y)
    n: Any = x.shape[1]
    if missing.any():
        n = np.maximum((~missing).sum(axis=1, keepdims=True), 1)
        x, y = np.where(missing, nan, x), np.where(missing, nan, y)
    is_constant = _constant(x) | _constant(y)
    x, y = _centred(x, n), _centred(y, n)
    xx, yy, xy = (np.einsum("ij,ij->i", *both) for both in ((x, x), (y, y), (x, y)))
    return pearson_from_sums(xx, yy, xy, ~is_constant)


def spearman_rows(x: Rows, y: Rows) -> NDArray[np.float64]:
    """Compute Spearman's rho of each row of x with the same row of y, NaN where a side is constant."""
    missing = np.isnan(x) | np.isnan(y)
    if missing.any():
        x, y = np.where(missing, nan, x), np.where(missing, nan, y)
    rank_x, rank_y = midranks(x), midranks(y)
    if missing.any():
        rank_x[missing], rank_y[missing] = nan, nan
    return pearson_rows(rank_x, rank_y)


def discordant_rows(x: Rows, y: Rows) -> NDArray[np.int64]:
    """Count the discordant pairs of each row of x with the same row of y."""
    twice_x, twice_y = ((2 * midranks(side)).astype(np.int64) for side in (x, y))
    return rank_correlations(twice_x, twice_y, np.isnan(x) | np.isnan(y)).discordant


def _constant(rows: Rows) -> NDArray[np.bool_]:
    highest: NDArray[np.float64] = np.fmax.reduce(rows, axis=1, initial=-inf)
    return np.asarray(highest <= np.fmin.reduce(rows, axis=1, initial=inf), dtype=np.bool_)


def _centred(rows: Rows, n: Any) -> Rows:
    """Subtract the row means over n entries, with 0 for missing entries."""
    missing = np.isnan(rows)
    if not missing.any():
        return np.asarray(rows - rows.mean(axis=1, keepdims=True))
    return np.where(missing, 0.0, rows - np.where(missing, 0.0, rows).sum(axis=1, keepdims=True) / n)


Correlation = Literal["spearman", "pearson", "kendall"]
CORRELATIONS: tuple[Correlation, ...] = ("spearman", "pearson", "kendall")

_PAIRS = 1 << 20
"""Pairs of items compared at once for Kendall's tau."""
_PAIRWISE_ITEMS = 400
"""Above this many items a sort per row is cheaper than all pairs."""


def prepare_reference(method: Correlation, reference: NDArray[np.float64]) -> NDArray[Any]:
    """Prepare a reference for `correlate`: doubled ranks, centered values, or values with exact ties.

    Source: Iskender et al. 2020, section 4.2, steps 3 and 4.
    """
    if method == "spearman":
        return doubled_ranks(reference)
    exact = tie_exact(reference)
    if method == "kendall":
        return exact
    varies = exact.max(axis=-1, initial=0, keepdims=True) > exact.min(axis=-1, initial=0, keepdims=True)
    mean = reference.sum(axis=-1, keepdims=True) / max(reference.shape[-1], 1)
    return np.where(varies, reference - mean, 0.0)


def correlate(
    method: Correlation, values: NDArray[np.int64], span: NDArray[np.int64], reference: NDArray[Any]
) -> NDArray[np.float64]:
    """Correlate every row of values with the reference over items.

    Source: Iskender et al. 2020, section 4.2, step 4.
    """
    m, b, n = values.shape
    if n < 2 or m == 0 or b == 0:
        return np.full((m, b), np.nan)
    if method == "spearman":
        return _spearman(values, span, reference)
    if method == "pearson":
        return _pearson(values, reference)
    return _kendall(values, reference)


def doubled_ranks(reference: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return twice the average ranks along the last axis minus their mean: whole numbers with sum 0.

    Source: Spearman's rho with average ranks, Iskender et al. 2020, section 4.2, step 4.

    >>> doubled_ranks(np.array([3.0, 1.0, 3.0]))
    array([ 1, -2,  1])
    """
    n = reference.shape[-1]
    twice: NDArray[np.float64] = 2 * stats.rankdata(tie_exact(reference), axis=-1)
    ranks: NDArray[np.int64] = np.rint(twice).astype(np.int64)
    ranks -= n + 1
    return ranks


class _Groups(NamedTuple):
    """Groups of items of equal value in all rows, concatenated.

    `number` (g,) of items, `rank_sum` (g,) of their doubled reference ranks plus n each, `up_to` (g,) cumulative number
    of items, `first` (rows,) each row's first group.
    """

    number: NDArray[np.int64]
    rank_sum: NDArray[np.int64]
    up_to: NDArray[np.int64]
    first: NDArray[np.int64]


_PACKED_ITEMS = 1 << 16
"""Up to this many items a count and a sum of ranks fit one 53-bit number."""
_LONG_ROW = 1_000
"""Fewest items for counting row by row, which keeps the counts in the processor's cache."""


def _spearman(
    values: NDArray[np.int64], span: NDArray[np.int64], rank: NDArray[np.int64]
) -> NDArray[np.float64]:
    m, b, n = values.shape
    if n <= _PACKED_ITEMS and int(span.sum()) + m <= 4 * m * n:
        group = _group_by_counting(values, span, rank)
    else:
        group = _group_by_sorting(values, span, rank)
    doubled = group.up_to + group.up_to
    doubled -= group.number  # doubled average ranks, raised by 1 and by 2 n for each earlier row
    doubled *= group.rank_sum
    row = np.arange(m * b)
    products = np.add.reduceat(doubled, group.first) - n * n * (
        2 * n * row + n
    )  # what raising ranks has added
    cubed = group.number * group.number
    cubed *= group.number
    squares = (n**3 - np.add.reduceat(cubed, group.first)) / 3
    reference_squares = np.broadcast_to((rank * rank).sum(axis=-1), (m, b)).ravel()
    return pearson_from_sums(squares, reference_squares, products).reshape(m, b)


def _group_by_counting(
    values: NDArray[np.int64], span: NDArray[np.int64], rank: NDArray[np.int64]
) -> _Groups:
    m, b, n = values.shape
    bits = 2 * n.bit_length() + 1  # no sum of raised ranks reaches 2 ** bits
    width = np.repeat(span + 1, b)
    first = np.cumsum(width) - width
    weight = np.broadcast_to(rank + float((1 << bits) + n), (b, n))
    if n < _LONG_ROW:
        cell = values + first.reshape(m, b, 1)
        repeated = np.broadcast_to(weight, (m, b, n))
        sums = np.bincount(cell.ravel(), weights=repeated.ravel(), minlength=int(width.sum()))
    else:
        rows = zip(values.reshape(m * b, n), width, strict=True)
        sums = np.concatenate([np.bincount(row, weight[at % b], size) for at, (row, size) in enumerate(rows)])
    rank_sum = sums.astype(np.int64)
    number = rank_sum >> bits
    rank_sum &= (1 << bits) - 1
    return _Groups(number, rank_sum, np.cumsum(number), first)


def _group_by_sorting(values: NDArray[np.int64], span: NDArray[np.int64], rank: NDArray[np.int64]) -> _Groups:
    m, b, n = values.shape
    bits = (2 * n - 1).bit_length()
    fits = int(span.max(initial=0)).bit_length() + bits < 32
    keys = (values << bits).astype(np.int32 if fits else np.int64)
    keys |= (rank + n).astype(keys.dtype)
    keys = keys.reshape(m * b, n)
    keys.sort(axis=1)
    new = np.ones((m * b, n), dtype=bool)
    value = keys >> bits
    np.not_equal(value[:, 1:], value[:, :-1], out=new[:, 1:])
    start = np.flatnonzero(new)
    keys &= (1 << bits) - 1
    number = np.diff(start, append=new.size)
    rank_sum = np.add.reduceat(keys.ravel(), start, dtype=np.int64)
    return _Groups(number, rank_sum, start + number, np.flatnonzero(start % n == 0))


def _pearson(values: NDArray[np.int64], centred: NDArray[np.float64]) -> NDArray[np.float64]:
    x = values - values.mean(axis=-1, keepdims=True)
    products = np.einsum("mbn,bn->mb", x, np.broadcast_to(centred, values.shape[1:]))
    squares = np.einsum("mbn,mbn->mb", x, x)
    squares[values.max(axis=-1) == values.min(axis=-1)] = 0
    return pearson_from_sums(squares, (centred**2).sum(axis=-1), products)


def _kendall(values: NDArray[np.int64], reference: NDArray[np.int64]) -> NDArray[np.float64]:
    m, b, n = values.shape
    reference_rows = np.broadcast_to(reference, (b, n))
    if n > _PAIRWISE_ITEMS:
        return np.array([[_tau(values[r, s], reference_rows[s]) for s in range(b)] for r in range(m)])
    first, second = np.triu_indices(n, 1)
    tau = np.empty((m, b))
    step = max(1, _PAIRS // (m * len(first)))
    for start in range(0, b, step):
        block = slice(start, start + step)
        y = np.sign(reference_rows[block][:, first] - reference_rows[block][:, second]).astype(np.float32)
        x = np.sign(values[:, block][:, :, first] - values[:, block][:, :, second]).astype(np.float32)
        untied_x, untied_y = np.count_nonzero(x, axis=-1), np.count_nonzero(y, axis=-1)
        tau[:, block] = pearson_from_sums(untied_x, untied_y, np.einsum("mbp,bp->mb", x, y))
    return tau


def _tau(x: NDArray[np.int64], y: NDArray[np.int64]) -> float:
    if x.max() == x.min() or y.max() == y.min():
        return float("nan")
    return float(stats.kendalltau(x, y).statistic)
