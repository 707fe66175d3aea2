"""Correlation of many rows of values with a reference, at the price of one counting pass or one sort.

Values come as whole numbers whose ties are exact (`analysis.values.whole_numbers`). Spearman's rho then needs no
ranks of single items: with C_v items of value v, F_v items up to v and Q_v the sum of their reference ranks,

    sum over items of rank x reference rank  =  sum over values of (F_v - (C_v - 1) / 2) Q_v

and the spread of the ranks is (n³ - sum C_v³) / 12. On narrow scales the values are counted (C and Q packed
into one weighted count), on wide ones sorted with the reference rank in the key's lowest bits.
"""

from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from analysis.correlation.sums import pearson_of_sums
from analysis.values.whole_numbers import tie_exact

Correlation = Literal["spearman", "pearson", "kendall"]
CORRELATIONS: tuple[Correlation, ...] = ("spearman", "pearson", "kendall")

_PAIRS = 1 << 20
"""Pairs of items compared at once for Kendall's tau."""
_PAIRWISE_ITEMS = 400
"""Above this many items a sort per row is cheaper than all pairs."""


def prepared(method: Correlation, reference: NDArray[np.float64]) -> NDArray[Any]:
    """A reference as `correlate` wants it: doubled ranks, centred values, or values whose ties are exact.

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
    """Correlation over items of every row of values with the reference.

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
    """Twice the average ranks along the last axis, less their mean: whole numbers that sum to 0.

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
    """Items of equal value in all rows, one group after the other.

    `number` (g,) of items, `rank_sum` (g,) of their doubled reference ranks raised by n each, `up_to` (g,)
    items in this and all earlier groups, `first` (rows,) each row's first group.
    """

    number: NDArray[np.int64]
    rank_sum: NDArray[np.int64]
    up_to: NDArray[np.int64]
    first: NDArray[np.int64]


_PACKED_ITEMS = 1 << 16
"""Up to this many items a count and a sum of ranks fit one 53-bit number."""
_LONG_ROW = 1_000
"""From so many items on, rows are counted one after the other: what a row is counted into stays in the cache."""


def _spearman(
    values: NDArray[np.int64], span: NDArray[np.int64], rank: NDArray[np.int64]
) -> NDArray[np.float64]:
    m, b, n = values.shape
    if n <= _PACKED_ITEMS and int(span.sum()) + m <= 4 * m * n:
        group = _by_counting(values, span, rank)
    else:
        group = _by_sorting(values, span, rank)
    doubled = group.up_to + group.up_to
    doubled -= group.number  # doubled average ranks, raised by 1 and by 2 n for each earlier row
    doubled *= group.rank_sum
    row = np.arange(m * b)
    shared = np.add.reduceat(doubled, group.first) - n * n * (2 * n * row + n)  # what raising ranks has added
    cubed = group.number * group.number
    cubed *= group.number
    spread = (n**3 - np.add.reduceat(cubed, group.first)) / 3
    reference_spread = np.broadcast_to((rank * rank).sum(axis=-1), (m, b)).ravel()
    return pearson_of_sums(spread, reference_spread, shared).reshape(m, b)


def _by_counting(values: NDArray[np.int64], span: NDArray[np.int64], rank: NDArray[np.int64]) -> _Groups:
    m, b, n = values.shape
    bits = 2 * n.bit_length() + 1  # no sum of raised ranks reaches 2 ** bits
    width = np.repeat(span + 1, b)
    first = np.cumsum(width) - width
    weight = np.broadcast_to(rank + float((1 << bits) + n), (b, n))
    if n < _LONG_ROW:
        place = values + first.reshape(m, b, 1)
        repeated = np.broadcast_to(weight, (m, b, n))
        sums = np.bincount(place.ravel(), weights=repeated.ravel(), minlength=int(width.sum()))
    else:
        rows = zip(values.reshape(m * b, n), width, strict=True)
        sums = np.concatenate([np.bincount(row, weight[at % b], size) for at, (row, size) in enumerate(rows)])
    counted = sums.astype(np.int64)
    number = counted >> bits
    counted &= (1 << bits) - 1
    return _Groups(number, counted, np.cumsum(number), first)


def _by_sorting(values: NDArray[np.int64], span: NDArray[np.int64], rank: NDArray[np.int64]) -> _Groups:
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
    shared = np.einsum("mbn,bn->mb", x, np.broadcast_to(centred, values.shape[1:]))
    spread = np.einsum("mbn,mbn->mb", x, x)
    spread[values.max(axis=-1) == values.min(axis=-1)] = 0
    return pearson_of_sums(spread, (centred**2).sum(axis=-1), shared)


def _kendall(values: NDArray[np.int64], reference: NDArray[np.int64]) -> NDArray[np.float64]:
    m, b, n = values.shape
    known = np.broadcast_to(reference, (b, n))
    if n > _PAIRWISE_ITEMS:
        return np.array([[_tau(values[r, s], known[s]) for s in range(b)] for r in range(m)])
    left, right = np.triu_indices(n, 1)
    tau = np.empty((m, b))
    step = max(1, _PAIRS // (m * len(left)))
    for start in range(0, b, step):
        part = slice(start, start + step)
        y = np.sign(known[part][:, left] - known[part][:, right]).astype(np.float32)
        x = np.sign(values[:, part][:, :, left] - values[:, part][:, :, right]).astype(np.float32)
        untied_x, untied_y = np.count_nonzero(x, axis=-1), np.count_nonzero(y, axis=-1)
        tau[:, part] = pearson_of_sums(untied_x, untied_y, np.einsum("mbp,bp->mb", x, y))
    return tau


def _tau(x: NDArray[np.int64], y: NDArray[np.int64]) -> float:
    if x.max() == x.min() or y.max() == y.min():
        return float("nan")
    return float(stats.kendalltau(x, y).statistic)
