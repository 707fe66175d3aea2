"""Random orders of the ratings of each item, and running aggregates with exact ties."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import ceil
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from analysis.correlation.rank_rows import center_sums, pearson_from_sums
from analysis.values.estimate import InputError
from analysis.values.ratings import Ratings, coded, tie_exact, whole_steps

Order = Literal["automatic", "within items", "raters", "by column"]
ORDERS: tuple[Order, ...] = ("automatic", "within items", "raters", "by column")
_BLOCK = 48 << 10
"""Ratings in a block, which fits the processor's cache."""
_LARGEST_CACHED = 1 << 21
"""Largest number of positions of draws that are cached for the next measure of the same shape (16 MB each)."""
_LARGEST_CACHED_COLUMNS = 1 << 25
"""Largest number of positions of draws within items that are cached as columns (one or two bytes each), for any
counts."""


@dataclass(frozen=True, eq=False)
class Layout:
    """Ratings arranged one row per item, in measured order.

    `items` (n,) ascending ids; `counts` (n,); `position` (n, w) index into the ratings' arrays, -1 past an item's
    last rating; `rater` (n, w) codes 0 … raters - 1, -1 there too; `raters` the number of raters.
    """

    items: NDArray[Any]
    counts: NDArray[np.int64]
    position: NDArray[np.int64]
    rater: NDArray[np.int64]
    raters: int

    @property
    def complete(self) -> bool:
        """True where every rater rated every item exactly once."""
        n, w = self.position.shape
        if n == 0 or w != self.raters or not (self.counts == w).all():
            return False
        return bool((np.sort(self.rater, axis=1) == np.arange(w)).all())


@lru_cache(maxsize=32)
def lay_out(ratings: Ratings) -> Layout:
    """Arrange ratings in one row per item, each row in measured order.

    Source: Iskender et al. 2020, section 4.2, step 1 (the matrix of judgments), also for unequal counts.
    """
    items, item = coded(ratings.item)
    raters, rater = coded(ratings.rater)
    keys = (item,) if ratings.order is None else (ratings.order, item)
    row_order = np.lexsort(keys)  # stable: keeps row order for equal keys
    counts = np.bincount(item, minlength=len(items))
    width = int(counts.max(initial=0))
    position = np.full((len(items), width), -1)
    codes = np.full((len(items), width), -1)
    filled = np.arange(width) < counts[:, None]
    position[filled] = row_order
    codes[filled] = rater[row_order]
    return Layout(items, counts, position, codes, len(raters))


def resolve_order(order: Order, layout: Layout) -> Order:
    """Resolve 'automatic' for these ratings; any other order is returned.

    Raters are permuted for all items at once where every rater rated every item exactly once: shuffling within items
    would mix raters and so add differences in severity to the noise. Source: Iskender et al. 2020, section 4.2, step
    5 ('by column'); the default departs from it. `counts` (n,).
    """
    if order == "automatic":
        return "raters" if layout.complete else "within items"
    if order == "by column" and len(layout.counts) and layout.counts.min() != layout.counts.max():
        low, high = layout.counts.min(), layout.counts.max()
        raise InputError(
            "`order` 'by column' needs equally many ratings of every item, "
            f"got {low} to {high}; use 'within items' or 'raters'"
        )
    return order


def draw_cells(
    layout: Layout, order: Order, shuffles: int, seed: int, first: int = 0
) -> Iterator[tuple[slice, NDArray[np.intp]]]:
    """Yield the shuffles of a layout from number `first` on, in blocks, as cells of its table.

    The first shuffles do not depend on the number of shuffles, nor do later ones on skipping earlier ones. Source:
    Iskender et al. 2020, section 4.2, step 5; 'within items' and 'raters' are ours.
    """
    kind = resolve_order(order, layout)
    n, w = layout.position.shape
    if layout.position.size == 0:
        return
    size = max(1, _BLOCK // (n * w))
    if kind == "raters":
        table, raters = layout.rater.astype(np.int32).tobytes(), layout.raters
    else:
        table, raters = layout.counts.astype(np.int32).tobytes(), 0
    positions = (shuffles - first) * n * w
    if positions <= _LARGEST_CACHED:
        all_cells = _cached_draw(kind, seed, first, shuffles, n, w, table, raters)
        for part in _split_range(first, shuffles, size):
            yield part, all_cells[:, part.start - first : part.stop - first]
    elif kind == "within items" and positions <= _LARGEST_CACHED_COLUMNS:
        column = _cached_columns(seed, first, shuffles, n, w)
        for part in _split_range(first, shuffles, size):
            within = column[:, part.start - first : part.stop - first]
            yield part, _columns_to_cells(_move_missing_last(within, layout.counts))
    else:
        rng = _advance_generator(kind, seed, first, n, w, raters)
        for part in _split_range(first, shuffles, size):
            yield part, _draw(kind, rng, part.stop - part.start, n, w, table, raters)


def _split_range(first: int, shuffles: int, size: int) -> Iterator[slice]:
    for start in range(first, shuffles, size):
        yield slice(start, min(start + size, shuffles))


def clear_caches() -> None:
    """Clear the cached orders and layouts, for benchmarks."""
    _cached_draw.cache_clear()
    _cached_columns.cache_clear()
    lay_out.cache_clear()


@lru_cache(maxsize=2)
def _cached_draw(
    kind: Order, seed: int, first: int, shuffles: int, n: int, w: int, table: bytes, raters: int
) -> NDArray[np.intp]:
    cells = _draw(
        kind, _advance_generator(kind, seed, first, n, w, raters), shuffles - first, n, w, table, raters
    )
    cells.setflags(write=False)
    return cells


@lru_cache(maxsize=2)
def _cached_columns(seed: int, first: int, shuffles: int, n: int, w: int) -> NDArray[Any]:
    """Return columns within items (w, shuffles, n) for w ratings each, from which those of items with fewer are
    derived."""
    rng = _advance_generator("within items", seed, first, n, w, 0)
    columns = np.empty((w, shuffles - first, n), dtype=_smallest_dtype(w))
    for part in _split_range(0, shuffles - first, max(1, _BLOCK // (n * w))):
        column = permutations(rng, (part.stop - part.start, n, w)).astype(columns.dtype)
        columns[:, part] = column.transpose(2, 0, 1)
    columns.setflags(write=False)
    return columns


def _move_missing_last(column: NDArray[Any], counts: NDArray[np.int64]) -> NDArray[Any]:
    """Return the columns (w, b, n) with missing ratings moved to the end."""
    w = len(column)
    short = np.flatnonzero(counts < w)
    if not len(short):
        return column
    reordered = column.copy()
    short_columns = np.ascontiguousarray(column[:, :, short].transpose(1, 2, 0)).astype(np.int64)
    bits = w.bit_length()
    # Sort given ratings by their position and missing ones after them by column.
    is_missing = short_columns >= counts[short][:, None]
    keys = (np.where(is_missing, w + short_columns, np.arange(w)) << bits) | short_columns
    keys.sort(axis=-1)
    reordered[:, :, short] = (keys & ((1 << bits) - 1)).transpose(2, 0, 1)
    return reordered


def _columns_to_cells(column: NDArray[Any]) -> NDArray[np.intp]:
    """Convert columns of items (w, b, n) to cells of their table."""
    w, _, n = column.shape
    return np.asarray(np.add(column, np.arange(n, dtype=np.intp) * w, dtype=np.intp))


def _smallest_dtype(w: int) -> type[np.unsignedinteger[Any]] | type[np.int64]:
    return np.uint8 if w <= 1 << 8 else np.uint16 if w <= 1 << 16 else np.int64


def _advance_generator(
    kind: Order, seed: int, first: int, n: int, w: int, raters: int
) -> np.random.Generator:
    """Return the generator of a seed advanced past the first shuffles, one number for each key."""
    keys = {"by column": w, "within items": n * w, "raters": raters}
    generator = np.random.PCG64(seed)
    return np.random.Generator(generator.advance(first * keys[kind]) if first else generator)


def _draw(
    kind: Order, rng: np.random.Generator, shuffles: int, n: int, w: int, table: bytes, raters: int
) -> NDArray[np.intp]:
    """Draw cells (w, shuffles, n): columns by random keys, by a random order of raters, or the same for all items."""
    table_values = np.frombuffer(table, dtype=np.int32)
    if kind == "by column":
        column = np.repeat(permutations(rng, (shuffles, 1, w)), n, axis=1)
    elif kind == "within items":
        column = permutations(rng, (shuffles, n, w), counts=table_values)
    else:
        rank = np.full((shuffles, raters + 1), raters)  # missing ratings (rater -1) come last
        rater_order = permutations(rng, (shuffles, raters))
        np.put_along_axis(rank[:, :raters], rater_order, np.arange(raters)[None], axis=1)
        column = rank[:, table_values.reshape(n, w)] * w + np.arange(w)
        column.sort(axis=-1)
        column %= w
    small = column.astype(_smallest_dtype(w))  # transposed in the small type
    return _columns_to_cells(np.ascontiguousarray(small.transpose(2, 0, 1)))


def permutations(
    rng: np.random.Generator, shape: tuple[int, ...], counts: NDArray[Any] | None = None
) -> NDArray[np.int64]:
    """Return random permutations of 0 … w - 1 along the last axis."""
    w = shape[-1]
    low = np.uint64((1 << max(w - 1, 1).bit_length()) - 1)
    keys = rng.integers(0, 1 << 64, size=shape, dtype=np.uint64)
    keys &= ~low
    if counts is not None and counts.min() < w:
        keys[..., np.arange(w) >= counts[:, None]] = ~low
    keys |= np.arange(w, dtype=np.uint64)
    keys.sort(axis=-1)
    keys &= low
    return keys.view(np.int64)


def largest_common_count(counts: NDArray[np.int64], share: float = 0.9, min_items: int = 10) -> int:
    """Return the largest r at which a share of the items, and at least this many, have r ratings, from counts (n,).

    With fewer items than that, the smallest count, so that no item is dropped.

    >>> largest_common_count(np.array([1] + [8] * 320)), largest_common_count(np.array([3, 5]))
    (8, 3)
    """
    counts = np.sort(counts)[::-1]
    if not len(counts):
        return 0
    needed = min(max(ceil(share * len(counts) - 1e-9), min_items), len(counts))
    return int(counts[needed - 1])


Aggregation = Literal[
    "mean", "median", "trimmed mean", "z-scored mean", "bias-corrected mean", "reliability-weighted mean"
]
AGGREGATIONS: tuple[Aggregation, ...] = get_args(Aggregation)
ITEMWISE_AGGREGATIONS = AGGREGATIONS[:3]
"""Aggregations of single items, which do not use raters."""

TRIMMED = 0.2
"""Share of ratings trimmed at each end, rounded down (Wilcox's usual choice)."""


def running_steps(
    aggregation: Aggregation, steps: NDArray[np.int64], top: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the mean, median or trimmed mean of the first 1 … m whole-number scores, as whole numbers.

    Source: Iskender et al. 2020, section 4.2, step 2 (mean); median and trimmed mean are the future work of its
    section 5.
    """
    r = np.arange(1, len(steps) + 1)
    if aggregation == "mean":
        values = np.empty_like(steps)
        values[:1] = steps[:1]
        for place in range(1, len(values)):
            np.add(values[place - 1], steps[place], out=values[place])
        return values, top * r
    return _running_median_or_trimmed_sum(aggregation, steps), top * (
        2 * np.ones_like(r) if aggregation == "median" else _trimmed_count(r)
    )


def running_values(
    aggregation: Aggregation,
    scores: NDArray[np.float64],
    rater: NDArray[np.int64],
    raters: int,
    is_observed: NDArray[np.bool_],
) -> NDArray[np.float64]:
    """Return each item's value (m, b, n) after its first 1 … m ratings, with rater statistics from these ratings only.

    `scores`, `rater` (m, b, n) in the drawn order, for b orders of n items; `is_observed` (m, n).
    - trimmed mean: without the lowest and highest 20% (rounded down, so it is the mean up to r = 4);
    - z-scored mean: a score minus its rater's mean, divided by the rater's SD (n - 1). A rater with one rating so far
      gets the overall mean, a rater without variance the overall SD;
    - bias-corrected mean: a rater's mean deviation from the MOS of the items rated is subtracted (P.913, 12.4);
    - reliability-weighted mean: weights max(r_w, 0), r_w the correlation of the rater's scores with the mean of the
      other ratings of the same items (Habibi and Popescu-Belis 2012). A rater with fewer than three items so far, or
      without variance, gets the mean weight of the others. If all weights of an item are 0, they are equal.
    For raters with one item each, all of these are the mean.
    """
    if aggregation == "mean":
        r = np.arange(1, len(scores) + 1)[:, None, None]
        mean: NDArray[np.float64] = np.cumsum(scores, axis=0) / r
        return mean
    if aggregation in ("median", "trimmed mean"):
        r = np.arange(1, len(scores) + 1)
        divisor = np.full(len(scores), 2) if aggregation == "median" else _trimmed_count(r)
        values: NDArray[np.float64] = (
            _running_median_or_trimmed_sum(aggregation, scores) / divisor[:, None, None]
        )
        return values
    if aggregation == "z-scored mean":
        return _z_scored(scores, rater, raters, is_observed)
    if aggregation == "bias-corrected mean":
        return _bias_corrected(scores, rater, raters, is_observed)
    return _reliability_weighted(scores, rater, raters, is_observed)


def _trimmed_count(r: NDArray[np.int64]) -> NDArray[np.int64]:
    kept: NDArray[np.int64] = r - 2 * np.floor(TRIMMED * r + 1e-9).astype(np.int64)
    return kept


def _running_median_or_trimmed_sum(aggregation: Aggregation, scores: NDArray[Any]) -> NDArray[Any]:
    """Return twice the median, or the sum of the untrimmed scores, of the first 1 … m (m, b, n)."""
    ascending = np.empty_like(scores)
    result = np.empty_like(scores)
    for index in range(len(scores)):
        r = index + 1
        inserted = scores[index].copy()
        for lower in range(index):  # insertion sort: the arrays are long, r is small
            higher = np.maximum(ascending[lower], inserted)
            np.minimum(ascending[lower], inserted, out=ascending[lower])
            inserted = higher
        ascending[index] = inserted
        if aggregation == "median":
            result[index] = ascending[index // 2] + ascending[r // 2]
        else:
            trimmed = (r - int(_trimmed_count(np.array([r]))[0])) // 2
            result[index] = ascending[trimmed : r - trimmed].sum(axis=0)
    return result


class _RaterSums:
    """Sums over ratings per (order, rater), over the first r places."""

    def __init__(self, rater: NDArray[np.int64], raters: int, is_observed: NDArray[np.bool_]) -> None:
        b = rater.shape[1]
        self.shape = (b, raters + 1)
        self.place = np.where(is_observed[:, None, :], rater, raters) + np.arange(b)[:, None] * (raters + 1)

    def sums(self, values: NDArray[np.float64], r: int) -> NDArray[np.float64]:
        """Return sums (b, raters + 1) of values (r, b, n)."""
        size = self.shape[0] * self.shape[1]
        place = self.place[:r].ravel()
        total = np.bincount(place, weights=values.ravel(), minlength=size).astype(np.float64, copy=False)
        total = total.reshape(self.shape)
        total[:, -1] = 0
        return total

    def per_rating(self, figures: NDArray[np.float64], r: int) -> NDArray[np.float64]:
        """Return the figure of each rating's rater (r, b, n)."""
        each: NDArray[np.float64] = figures.ravel()[self.place[:r]]
        return each


def _z_scored(
    scores: NDArray[np.float64], rater: NDArray[np.int64], raters: int, is_observed: NDArray[np.bool_]
) -> NDArray[np.float64]:
    tally = _RaterSums(rater, raters, is_observed)
    present = np.broadcast_to(is_observed[:, None, :], scores.shape).astype(np.float64)
    shifted = scores - (scores * present).sum() / present.sum()
    result: NDArray[np.float64] = np.empty_like(shifted)
    count = total = squares = np.zeros(tally.shape)
    for index in range(len(scores)):
        r = index + 1
        latest = slice(index, r)
        step = _RaterSums(rater[latest], raters, is_observed[latest])
        count = count + step.sums(present[latest], 1)
        total = total + step.sums(shifted[latest], 1)
        squares = squares + step.sums(shifted[latest] ** 2, 1)
        all_raters = _mean_sd(count.sum(1), total.sum(1), squares.sum(1))
        mean, sd = _mean_sd(count, total, squares)
        mean = np.where(count >= 2, mean, all_raters[0][:, None])
        sd = np.where(sd > 0, sd, all_raters[1][:, None])
        scale = np.where(sd > 0, 1 / np.where(sd > 0, sd, 1), 0)
        z = (shifted[:r] - tally.per_rating(mean, r)) * tally.per_rating(scale, r)
        result[index] = z.sum(axis=0) / r
    return result


def _mean_sd(
    count: NDArray[np.float64], total: NDArray[np.float64], squares: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return means and SD (n - 1), 0 where undefined. Scores are centered to limit cancellation."""
    mean = total / np.maximum(count, 1)
    deviations = squares - count * mean**2
    deviations[deviations <= 1e-12 * squares] = 0
    return mean, np.sqrt(deviations / np.maximum(count - 1, 1))


def _bias_corrected(
    scores: NDArray[np.float64], rater: NDArray[np.int64], raters: int, is_observed: NDArray[np.bool_]
) -> NDArray[np.float64]:
    tally = _RaterSums(rater, raters, is_observed)
    present = np.broadcast_to(is_observed[:, None, :], scores.shape).astype(np.float64)
    result = np.empty_like(scores)
    for index in range(len(scores)):
        r = index + 1
        is_present = present[:r]
        mos = (scores[:r] * is_present).sum(axis=0) / is_present.sum(axis=0)
        count = np.maximum(tally.sums(is_present, r), 1)
        bias = tally.sums((scores[:r] - mos) * is_present, r) / count
        result[index] = mos - tally.per_rating(bias, r).sum(axis=0) / r
    return result


def _reliability_weighted(
    scores: NDArray[np.float64], rater: NDArray[np.int64], raters: int, is_observed: NDArray[np.bool_]
) -> NDArray[np.float64]:
    tally = _RaterSums(rater, raters, is_observed)
    present = np.broadcast_to(is_observed[:, None, :], scores.shape).astype(np.float64)
    centre = (scores * present).sum() / present.sum()
    shifted = (scores - centre) * present
    result: NDArray[np.float64] = np.empty_like(shifted)
    for index in range(len(scores)):
        r = index + 1
        x, is_present = shifted[:r], present[:r]
        other_count = is_present.sum(axis=0) - 1
        has_others = is_present * (other_count > 0)
        mean_of_others = (x.sum(axis=0) - x) / np.maximum(other_count, 1) * has_others
        own_score = x * has_others
        reliability, has_reliability = _correlations_from_sums(
            *(
                tally.sums(v, r)
                for v in (
                    has_others,
                    own_score,
                    mean_of_others,
                    own_score * own_score,
                    mean_of_others * mean_of_others,
                    own_score * mean_of_others,
                )
            )
        )
        weight = np.maximum(reliability, 0)
        raters_with_reliability = np.maximum(has_reliability.sum(axis=1), 1)
        mean_weight = np.where(
            has_reliability.any(axis=1), (weight * has_reliability).sum(axis=1) / raters_with_reliability, 1.0
        )
        weight = np.where(has_reliability, weight, mean_weight[:, None])
        w = tally.per_rating(weight, r) * is_present
        sums = w.sum(axis=0)
        weighted = (w * x).sum(axis=0) / np.where(sums > 0, sums, 1)
        result[index] = np.where(sums > 0, weighted, x.sum(axis=0) / r) + centre
    return result


_RELATIVE_ROUNDING = 1e-12
"""Relative size below which a covariance is a rounding error: r = 0 must not become a weight."""


def _correlations_from_sums(
    count: NDArray[np.float64],
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    xx: NDArray[np.float64],
    yy: NDArray[np.float64],
    xy: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return Pearson's r from sums, and where it is defined: three ratings and variance on both sides."""
    spread_x, spread_y, shared = center_sums(count, x, y, xx, yy, xy)
    defined = (count >= 3) & (spread_x > 1e-9 * xx) & (spread_y > 1e-9 * yy)
    shared = np.where(np.abs(shared) > _RELATIVE_ROUNDING * np.sqrt(xx * yy), shared, 0.0)
    return np.where(defined, pearson_from_sums(spread_x, spread_y, shared, defined), 0), defined


class ScoreTable:
    """Scores and raters of a layout, by cell.

    Source: the matrix of judgments of Iskender et al. 2020, section 4.2, step 1.
    """

    def __init__(self, ratings: Ratings, layout: Layout) -> None:
        filled = layout.position >= 0
        self.rater = layout.rater
        self.raters = layout.raters
        self.scores: NDArray[np.float64] = np.zeros(layout.position.shape)
        self.scores[filled] = ratings.score[layout.position[filled]]
        self.steps: NDArray[np.int64] | None = None
        steps = whole_steps(ratings.score)
        if steps is not None:
            self.steps = np.zeros(layout.position.shape, dtype=np.int64)
            self.steps[filled] = steps[layout.position[filled]]
            self.top = int(steps.max(initial=0))

    def values(
        self, aggregation: Aggregation, cell: NDArray[np.intp], is_observed: NDArray[Any]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the items' values after 1 … m ratings in the given orders, as whole numbers.

        Source: Iskender et al. 2020, section 4.2, step 2 (mean); the others as `analysis.repetitions.rating_orders`.
        """
        if self.steps is not None and aggregation in ITEMWISE_AGGREGATIONS:
            return running_steps(aggregation, self.steps.ravel().take(cell), self.top)
        rater = self.rater.ravel().take(cell)
        values = running_values(aggregation, self.scores.ravel().take(cell), rater, self.raters, is_observed)
        exact = tie_exact(np.where(is_observed[:, None, :], values, values[:1]))
        return exact, np.full(len(exact), int(exact.max(initial=0)))
