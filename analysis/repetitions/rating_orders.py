"""In which order an item's ratings count: the measured order, and seeded shuffles of it.

Orders are drawn apart from everything they are used for, so that measures of one shape share them, a figure
can be replayed by hand, and more shuffles only add to the ones there are. A shuffle sorts random 64-bit keys
whose lowest bits are the position itself: one sort of many short rows is far faster than many permutations.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import ceil
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from analysis.values.codes import coded
from analysis.values.errors import InputError
from analysis.values.ratings import Ratings

Order = Literal["automatic", "within items", "raters", "by column"]
ORDERS: tuple[Order, ...] = ("automatic", "within items", "raters", "by column")
_BLOCK = 48 << 10
"""Ratings drawn at once: what they need then stays in the processor's cache."""
_REMEMBERED = 1 << 21
"""Draws of up to this many positions are kept for the next measure of the same shape (16 MB each)."""
_REMEMBERED_SMALL = 1 << 25
"""Draws within items of up to this many positions are kept as columns, a byte or two each, whatever the counts."""


@dataclass(frozen=True, eq=False)
class Layout:
    """Ratings laid out one row per item, in measured order.

    `items` (n,) ascending ids; `counts` (n,); `position` (n, w) into the ratings' arrays, -1 past an item's
    last rating; `rater` (n, w) codes 0 … raters - 1, -1 there too; `raters` how many raters there are.
    """

    items: NDArray[Any]
    counts: NDArray[np.int64]
    position: NDArray[np.int64]
    rater: NDArray[np.int64]
    raters: int

    @property
    def complete(self) -> bool:
        """Whether every rater rated every item exactly once."""
        n, w = self.position.shape
        if n == 0 or w != self.raters or not (self.counts == w).all():
            return False
        return bool((np.sort(self.rater, axis=1) == np.arange(w)).all())


@lru_cache(maxsize=32)
def lay_out(ratings: Ratings) -> Layout:
    """Put ratings into one row per item, each row in measured order.

    Source: Iskender et al. 2020, section 4.2, step 1 (the matrix of judgments), for unequal counts too.
    """
    items, item = coded(ratings.item)
    raters, rater = coded(ratings.rater)
    keys = (item,) if ratings.order is None else (ratings.order, item)
    row_order = np.lexsort(keys)  # stable: equal keys stay as they stand
    counts = np.bincount(item, minlength=len(items))
    width = int(counts.max(initial=0))
    position = np.full((len(items), width), -1)
    codes = np.full((len(items), width), -1)
    filled = np.arange(width) < counts[:, None]
    position[filled] = row_order
    codes[filled] = rater[row_order]
    return Layout(items, counts, position, codes, len(raters))


def resolve(order: Order, layout: Layout) -> Order:
    """What 'automatic' stands for with these ratings; any other order is itself.

    Raters are permuted for all items at once where every rater rated every item exactly once: shuffling within
    items would give each item a mixture of raters and so add the differences in severity to the noise.
    Source: Iskender et al. 2020, section 4.2, step 5 ('by column'); the default departs from it. `counts` (n,).
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


def cells(
    layout: Layout, order: Order, shuffles: int, seed: int, first: int = 0
) -> Iterator[tuple[slice, NDArray[np.intp]]]:
    """The shuffles of a layout from number `first` on, some at a time, as cells of its table.

    The first shuffles are the same however many are drawn, and so are the others where these are passed over.
    Source: Iskender et al. 2020, section 4.2, step 5; 'within items' and 'raters' are ours.
    """
    kind = resolve(order, layout)
    n, w = layout.position.shape
    if layout.position.size == 0:
        return
    size = max(1, _BLOCK // (n * w))
    if kind == "raters":
        table, raters = layout.rater.astype(np.int32).tobytes(), layout.raters
    else:
        table, raters = layout.counts.astype(np.int32).tobytes(), 0
    many = (shuffles - first) * n * w
    if many <= _REMEMBERED:
        drawn = _remembered(kind, seed, first, shuffles, n, w, table, raters)
        for part in _parts(first, shuffles, size):
            yield part, drawn[:, part.start - first : part.stop - first]
    elif kind == "within items" and many <= _REMEMBERED_SMALL:
        column = _columns(seed, first, shuffles, n, w)
        for part in _parts(first, shuffles, size):
            within = column[:, part.start - first : part.stop - first]
            yield part, _numbered(_given_first(within, layout.counts))
    else:
        rng = _behind(kind, seed, first, n, w, raters)
        for part in _parts(first, shuffles, size):
            yield part, _draw(kind, rng, part.stop - part.start, n, w, table, raters)


def _parts(first: int, shuffles: int, size: int) -> Iterator[slice]:
    for start in range(first, shuffles, size):
        yield slice(start, min(start + size, shuffles))


def forget() -> None:
    """Forget the orders drawn and the ratings laid out last, as a benchmark must."""
    _remembered.cache_clear()
    _columns.cache_clear()
    lay_out.cache_clear()


@lru_cache(maxsize=2)
def _remembered(
    kind: Order, seed: int, first: int, shuffles: int, n: int, w: int, table: bytes, raters: int
) -> NDArray[np.intp]:
    drawn = _draw(kind, _behind(kind, seed, first, n, w, raters), shuffles - first, n, w, table, raters)
    drawn.setflags(write=False)
    return drawn


@lru_cache(maxsize=2)
def _columns(seed: int, first: int, shuffles: int, n: int, w: int) -> NDArray[Any]:
    """(w, shuffles, n) columns within items as if all had w ratings, which those with fewer are read off."""
    rng = _behind("within items", seed, first, n, w, 0)
    drawn = np.empty((w, shuffles - first, n), dtype=_small(w))
    for part in _parts(0, shuffles - first, max(1, _BLOCK // (n * w))):
        column = permutations(rng, (part.stop - part.start, n, w)).astype(drawn.dtype)
        drawn[:, part] = column.transpose(2, 0, 1)
    drawn.setflags(write=False)
    return drawn


def _given_first(column: NDArray[Any], counts: NDArray[np.int64]) -> NDArray[Any]:
    """The same columns (w, b, n), those without a rating moved behind the others, as their keys would be."""
    w = len(column)
    short = np.flatnonzero(counts < w)
    if not len(short):
        return column
    moved = column.copy()
    own = np.ascontiguousarray(column[:, :, short].transpose(1, 2, 0)).astype(np.int64)
    bits = w.bit_length()
    # sorted by whether there is no rating, then where it stands, or else by its column
    past = own >= counts[short][:, None]
    keys = (np.where(past, w + own, np.arange(w)) << bits) | own
    keys.sort(axis=-1)
    moved[:, :, short] = (keys & ((1 << bits) - 1)).transpose(2, 0, 1)
    return moved


def _numbered(column: NDArray[Any]) -> NDArray[np.intp]:
    """Columns of items (w, b, n) as cells of their table."""
    w, _, n = column.shape
    return np.asarray(np.add(column, np.arange(n, dtype=np.intp) * w, dtype=np.intp))


def _small(w: int) -> type[np.unsignedinteger[Any]] | type[np.int64]:
    return np.uint8 if w <= 1 << 8 else np.uint16 if w <= 1 << 16 else np.int64


def _behind(kind: Order, seed: int, first: int, n: int, w: int, raters: int) -> np.random.Generator:
    """The generator of a seed as the first shuffles leave it: each key of theirs is one number of it."""
    keys = {"by column": w, "within items": n * w, "raters": raters}
    generator = np.random.PCG64(seed)
    return np.random.Generator(generator.advance(first * keys[kind]) if first else generator)


def _draw(
    kind: Order, rng: np.random.Generator, shuffles: int, n: int, w: int, table: bytes, raters: int
) -> NDArray[np.intp]:
    """(w, shuffles, n) cells: columns by random keys, by a random order of raters, or all alike."""
    known = np.frombuffer(table, dtype=np.int32)
    if kind == "by column":
        column = np.repeat(permutations(rng, (shuffles, 1, w)), n, axis=1)
    elif kind == "within items":
        column = permutations(rng, (shuffles, n, w), counts=known)
    else:
        rank = np.full((shuffles, raters + 1), raters)  # rater -1, past the last rating, comes last
        drawn = permutations(rng, (shuffles, raters))
        np.put_along_axis(rank[:, :raters], drawn, np.arange(raters)[None], axis=1)
        column = rank[:, known.reshape(n, w)] * w + np.arange(w)
        column.sort(axis=-1)
        column %= w
    small = column.astype(_small(w))  # turned around while it is small
    return _numbered(np.ascontiguousarray(small.transpose(2, 0, 1)))


def permutations(
    rng: np.random.Generator, shape: tuple[int, ...], counts: NDArray[Any] | None = None
) -> NDArray[np.int64]:
    """Random permutations of 0 … w - 1 along the last axis."""
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


def reach(counts: NDArray[np.int64], share: float = 0.9, fewest: int = 10) -> int:
    """The largest r at which a share of the items, and at least so many, still has r ratings, from counts (n,).

    With fewer items than that, the smallest count: all of them stay to the end.

    >>> reach(np.array([1] + [8] * 320)), reach(np.array([3, 5])), reach(np.zeros(0, dtype=np.int64))
    (8, 3, 0)
    """
    counts = np.sort(counts)[::-1]
    if not len(counts):
        return 0
    needed = min(max(ceil(share * len(counts) - 1e-9), fewest), len(counts))
    return int(counts[needed - 1])
