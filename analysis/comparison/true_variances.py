"""Variances of the items' true scores on either side, and how sure they are.

The product of two ratings of one item by different people holds the item twice and the chance within a rating not at
all; the product of two ratings of different items by different people holds neither. The mean of the first less that
of the second is the variance of the items' true scores. Where everybody rated everything it is the mean covariance of
two raters, (MS of items - MS of the rest) / raters; where each item has raters of its own, that of one-way components.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from analysis.resampling.jackknife import in_groups, jackknife_covariance
from analysis.values.codes import coded, sums_of_pairs
from analysis.values.ratings import Ratings
from analysis.values.types import Codes, Floats, OnProgress

MOST_PARTS, FEWEST_PARTS, AT_ONCE = 100, 20, 4_000_000
"""Parts that are left out in turn, random groups of more items, raters or cells; fewer of more than 40,000 cells."""
ZERO = 1e-9
"""Share of the variance of an item's means below which the variance of true scores is 0."""
MOST_ITEMS = 20_000
"""Items on which it is looked what raters carry: that does not become less with more items."""


@dataclass(frozen=True, eq=False)
class Cells:
    """One side's scores (c,) per item and rater: codes of both, sum and number of the scores."""

    item: Codes
    rater: Codes
    total: Floats
    count: Floats

    def kept(self, keep: NDArray[np.bool_]) -> "Cells":
        """Some of the cells."""
        return Cells(self.item[keep], self.rater[keep], self.total[keep], self.count[keep])


@dataclass(frozen=True, eq=False)
class Variances:
    """Of the candidate's and the reference's true scores, of both together, and of either side's means (5,).

    `parts`: covariance matrices (5, 5) by what they come from, with degrees of freedom, where they were asked for.
    `items`: how many items two different people rated on each side.
    """

    values: Floats
    items: int
    parts: tuple[tuple[Floats, float], ...] = ()

    def covariance(self, gradients: Floats, contrast: Floats) -> tuple[Floats, float]:
        """Covariances (m, m) of figures with these gradients (m, 5), no part below 0, and the degrees of freedom of
        their contrast (m,); NaN where a part is not known.

        Source: Satterthwaite 1946.
        """
        if not self.parts:
            return np.full((len(gradients), len(gradients)), nan), nan
        of_parts = [_not_negative(gradients @ matrix @ gradients.T) for matrix, _ in self.parts]
        sizes = [float(contrast @ matrix @ contrast) for matrix in of_parts]
        spread = sum(size**2 / df for size, (_, df) in zip(sizes, self.parts, strict=True))
        return np.sum(of_parts, axis=0), sum(sizes) ** 2 / spread if spread > 0 else inf


def variances(
    sides: tuple[Cells, Cells],
    items: int,
    clusters: Sequence[Codes] = (),
    persons: bool = True,
    intervals: bool = True,
    seed: int = 0,
    on_progress: OnProgress = None,
) -> Variances:
    """Of both sides over n items; jackknife covariances over items, or over what the items hang on (n,), and over the
    raters of either side less what both share.

    Source: Arvesen 1969 (jackknife of variances); Cameron, Gelbach & Miller 2011 (two ways of clustering).
    """
    centred = tuple(_centred(side) for side in sides)
    every = max(items // MOST_ITEMS, 1)
    few = _some(centred[0], every), _some(centred[1], every)
    whole = _Side.of(centred[0], items), _Side.of(centred[1], items)
    return _variances(whole, few, -(-items // every), clusters, persons, intervals, seed, on_progress)


@dataclass(frozen=True, eq=False)
class SideSums:
    """One side's ratings added up, where nobody rated an item twice: per item (n,) number, total and squares of the
    scores, and per rater (w,) what was given less the mean of all, and 1, each over the number of its item's ratings,
    added up over the items that others rated, too."""

    count: Floats
    total: Floats
    squares: Floats
    pull: Floats
    reach: Floats


def variances_of_sums(
    sums: tuple[SideSums, SideSums],
    few: tuple[Cells, Cells],
    few_items: int,
    clusters: Sequence[Codes] = (),
    persons: bool = True,
    intervals: bool = True,
    seed: int = 0,
    on_progress: OnProgress = None,
) -> Variances:
    """The same from sums, with what raters carry from the cells of a few of the items.

    That raters meet again on other items enters the variance without a part of the items in proportion to the pairs of
    items that are left: it is a mean over all pairs, of which a part's own hardly differ.
    """
    whole = _Side.of_sums(sums[0], persons), _Side.of_sums(sums[1], persons)
    centred = _centred(few[0]), _centred(few[1])
    return _variances(whole, centred, few_items, clusters, persons, intervals, seed, on_progress)


def _variances(
    whole: "tuple[_Side, _Side]",
    few: tuple[Cells, Cells],
    few_items: int,
    clusters: Sequence[Codes],
    persons: bool,
    intervals: bool,
    seed: int,
    on_progress: OnProgress,
) -> Variances:
    values, used = _estimated(*whole)
    if not intervals or not used:
        return Variances(values, used)
    items, rng = len(whole[0].several), np.random.default_rng([seed, 2])
    most = int(np.clip(AT_ONCE / max(len(side.item) for side in few), FEWEST_PARTS, MOST_PARTS))
    kinds = [in_groups(int(code.max()) + 1, most, rng)[code] for code in clusters]
    if len(kinds) != 1:
        kinds.append(in_groups(items, most, rng))
    of_kinds = [jackknife_covariance(_without_items(whole, of)) for of in kinds]
    # Of systems and topics that cross, both hold what is of the items.
    over_items = sum(of_kinds[:-1]) - of_kinds[-1] if len(of_kinds) > 1 else of_kinds[0]
    parts = [(over_items, min(float(of.max()) for of in kinds))]
    for at, side in enumerate(few) if persons else ():
        raters = in_groups(int(side.rater.max()) + 1, most, rng)[side.rater]
        spread = []
        for part in (raters, in_groups(len(side.item), most, rng)):
            spread.append(jackknife_covariance(_without(few, few_items, at, part)))
            if on_progress is not None:
                on_progress((2 * at + len(spread)) / 4)
        parts.append((spread[0] - spread[1], max(float(raters.max()), 1.0)))
    return Variances(values, used, tuple(parts))


def cells_of(ratings: Ratings, items: NDArray[Any], persons: bool) -> Cells:
    """One side's ratings of items (n,); where rater ids are only slots each rating is of somebody else."""
    ids, code = coded(ratings.item)
    place = np.searchsorted(items, ids) if len(items) else np.zeros(len(ids), dtype=np.int64)
    there = place < len(items)
    there[there] = items[place[there]] == ids[there]
    known = there[code]
    item, score = place[code[known]], ratings.score[known]
    if not persons:
        return Cells(item, np.arange(len(item)), score, np.ones(len(item)))
    return Cells(*sums_of_pairs(item, coded(ratings.rater[known])[1], score))


def true_variance(side: Cells, items: int) -> tuple[Floats, float]:
    """MOS (n,) and the variance of the true scores of n items; NaN for an item that one person alone rated."""
    return _true_variance(_Side.of(side, items))


def variances_without(side: Cells, items: int, part: Codes) -> tuple[Floats, Floats]:
    """`true_variance` without each part of the cells (c,), from sums over the parts: MOS (n, g), variances (g,)."""
    parts, raters = int(part.max(initial=-1)) + 1, int(side.rater.max(initial=-1)) + 1
    of_item, of_rater = side.item * parts + part, side.rater * parts + part
    count, total, own_counts, own_totals = (
        np.bincount(side.item, weights, items)[:, None]
        - np.bincount(of_item, weights, items * parts).reshape(items, parts)
        for weights in (side.count, side.total, side.count**2, side.total**2)
    )
    pairs = count**2 - own_counts
    several = pairs > 0.5
    used, shares = several.sum(axis=0), np.where(several, 1 / np.maximum(count, 1), 0.0)
    mean, gone = total * shares, shares.ravel()[of_item]
    pull, reach = (
        sparse.csr_array((column, (side.rater, side.item)), shape=(raters, items)) @ shares
        - np.bincount(of_rater, column * gone, raters * parts).reshape(raters, parts)
        for column in (side.total, side.count)
    )
    apart = mean.sum(axis=0) ** 2 - (mean**2).sum(axis=0) - (pull**2).sum(axis=0)
    others = used**2 - used - (reach**2).sum(axis=0) + (own_counts * shares**2).sum(axis=0)
    apart += (own_totals * shares**2).sum(axis=0)
    together = np.divide(total**2 - own_totals, pairs, out=np.zeros_like(pairs), where=several).sum(axis=0)
    known = (used > 1) & (others > 0)
    found = together / np.maximum(used, 1) - apart / np.where(known, others, 1.0)
    return np.where(several, mean, nan), np.where(known, found, nan)


@dataclass(frozen=True, eq=False)
class _Side:
    """One side: of its n items whether two people rated it, its mean, and the mean product of two people's ratings
    (n,); what the products of a rater's own ratings of different items add up to, of their parts in the items' means
    (`again`) and of their numbers' (`met`). `cells` (c,) with these parts, `pull` and `reach`, where they are known."""

    several: NDArray[np.bool_]
    mean: Floats
    together: Floats
    again: float
    met: float
    cells: Cells | None = None
    pull: Floats | None = None
    reach: Floats | None = None

    @classmethod
    def of(cls, cells: Cells, items: int) -> "_Side":
        """The side's cells over n items."""
        count, total, own_counts, own_totals = (
            np.bincount(cells.item, weights, items).astype(np.float64, copy=False)
            for weights in (cells.count, cells.total, cells.count**2, cells.total**2)
        )
        several, mean, together, shares = _of_items(count, total, own_counts, own_totals)
        share = shares[cells.item]
        parts = cells.total * share, cells.count * share
        raters = int(cells.rater.max(initial=-1)) + 1
        again, met = (
            float((np.bincount(cells.rater, part, raters) ** 2).sum() - (part**2).sum()) for part in parts
        )
        return cls(several, mean, together, again, met, cells, *parts)

    @classmethod
    def of_sums(cls, sums: SideSums, persons: bool) -> "_Side":
        """The same of sums; where raters are no persons nobody rates again."""
        centre = sums.total.sum() / max(float(sums.count.sum()), 1.0)
        total = sums.total - sums.count * centre
        squares = np.maximum(sums.squares - centre * (sums.total + total), 0.0)
        several, mean, together, shares = _of_items(sums.count, total, sums.count, squares)
        again = float((sums.pull**2).sum() - (squares * shares**2).sum()) if persons else 0.0
        met = float((sums.reach**2).sum() - (sums.count * shares**2).sum()) if persons else 0.0
        return cls(several, mean, together, again, met)


def _of_items(
    count: Floats, total: Floats, own_counts: Floats, own_totals: Floats
) -> tuple[NDArray[np.bool_], Floats, Floats, Floats]:
    """Whether two people rated an item, its mean, the mean product of two people's ratings, and 1 over their number."""
    pairs = count**2 - own_counts
    several = pairs > 0.5
    shares = np.where(several, 1 / np.maximum(count, 1), 0.0)
    together = np.divide(total**2 - own_totals, pairs, out=np.zeros(len(count)), where=several)
    return several, np.asarray(total * shares, dtype=np.float64), together, shares


def _true_variance(side: _Side) -> tuple[Floats, float]:
    several, used = side.several, int(side.several.sum())
    mean = np.where(several, side.mean, nan)
    if used < 2:
        return mean, nan
    apart = side.mean.sum() ** 2 - (side.mean**2).sum() - side.again
    others = used**2 - used - side.met
    together = side.together[several].mean()
    return mean, float(together - apart / others) if others > 0 else nan


def _estimated(candidate: _Side, reference: _Side) -> tuple[Floats, int]:
    """The five variances over items, and how many of those two different people rated on each side."""
    (x, true_x), (y, true_y) = _true_variance(candidate), _true_variance(reference)
    both = ~(np.isnan(x) | np.isnan(y))
    used = int(both.sum())
    if used < 3:
        return np.full(5, nan), 0
    dx, dy = (side[both] - side[both].mean() for side in (x, y))
    together, of_x, of_y = (float(product.sum()) / (used - 1) for product in (dx * dy, dx * dx, dy * dy))
    true_x, true_y = (
        0.0 if abs(true) <= ZERO * of else true for true, of in ((true_x, of_x), (true_y, of_y))
    )
    return np.array([true_x, true_y, together, of_x, of_y]), used


def _some(side: Cells, every: int) -> Cells:
    """The cells of every so-manieth item, items and raters numbered anew."""
    some = side.kept(side.item % every == 0)
    return Cells(some.item // every, coded(some.rater)[1], some.total, some.count)


class _Sums:
    """What the variance of one side's true scores is made of, by part (g,) of its items (n,)."""

    def __init__(self, side: _Side, of: Codes, parts: int) -> None:
        self.side, self.of, self.parts = side, of, parts
        self.used, self.together, self.means, self.squares = (
            np.bincount(of, column, parts)
            for column in (side.several / 1.0, side.together, side.mean, side.mean**2)
        )

    def without_each(self) -> Floats:
        """The variance (g,) without each part, as `true_variance` has it."""
        used, together, means, squares = (
            column.sum(axis=0) - column for column in (self.used, self.together, self.means, self.squares)
        )
        again, met = self._again(used)
        apart = means**2 - squares - again
        others = used**2 - used - met
        known = (used > 1) & (others > 0)
        return np.where(known, together / np.maximum(used, 1) - apart / np.where(known, others, 1.0), nan)

    def _again(self, used: Floats) -> tuple[Floats, Floats]:
        """`again` and `met` (g,) without each part, which leaves so many items."""
        side, cells = self.side, self.side.cells
        if cells is None or side.pull is None or side.reach is None:
            every = self.used.sum()
            left = used * (used - 1) / max(every * (every - 1), 1.0)
            return side.again * left, side.met * left
        raters = int(cells.rater.max(initial=-1)) + 1
        place = self.of[cells.item] * raters + cells.rater
        found = []
        for column in (side.pull, side.reach):
            by_rater = np.bincount(place, column, self.parts * raters).reshape(self.parts, raters)
            own = np.bincount(self.of, np.bincount(cells.item, column**2, len(self.of)), self.parts)
            left = by_rater.sum(axis=0) - by_rater
            found.append((left**2).sum(axis=1) - (own.sum() - own))
        return found[0], found[1]


def _without_items(sides: tuple[_Side, _Side], of: Codes) -> Floats:
    """The variances (g, 5) without each part (n,) of the items, from sums over the parts."""
    parts = int(of.max()) + 1
    x, y = sides
    both = x.several & y.several
    n, of_x, of_y, of_xy, of_xx, of_yy = (
        (sums := np.bincount(of[both], column, parts)).sum() - sums
        for column in (
            np.ones(int(both.sum())),
            *(side.mean[both] for side in (x, y)),
            *((one.mean * other.mean)[both] for one, other in ((x, y), (x, x), (y, y))),
        )
    )
    enough = n >= 3
    many = np.maximum(n, 2)
    spreads = (
        np.where(enough, (products - one * other / many) / (many - 1), nan)
        for products, one, other in ((of_xy, of_x, of_y), (of_xx, of_x, of_x), (of_yy, of_y, of_y))
    )
    true = (np.where(enough, _Sums(side, of, parts).without_each(), nan) for side in sides)
    return np.column_stack([*true, *spreads])


def _without(sides: Sequence[Cells], items: int, at: int, part: Codes) -> Floats:
    """The variances (g, 5) over items (n,) without each part of the cells (c,) of the side `at`."""
    mean, true = variances_without(sides[at], items, part)
    other, true_other = true_variance(sides[1 - at], items)
    both = ~(np.isnan(mean) | np.isnan(other)[:, None])
    n = both.sum(axis=0)
    apart, other_apart = (
        np.where(both, of - np.where(both, of, 0.0).sum(axis=0) / np.maximum(n, 1), 0.0)
        for of in (mean, np.broadcast_to(other[:, None], mean.shape))
    )
    enough = n >= 3
    together, own, others = (
        np.where(enough, (one * two).sum(axis=0) / np.maximum(n - 1, 1), nan)
        for one, two in ((apart, other_apart), (apart, apart), (other_apart, other_apart))
    )
    trues = np.where(enough, true, nan), np.where(enough, true_other, nan)
    of_both = ((own, others), trues) if at == 0 else ((others, own), trues[::-1])
    return np.column_stack([*of_both[1], together, *of_both[0]])


def _not_negative(matrix: Floats) -> Floats:
    """The matrix (m, m) without what is negative in it: a variance may come out so by chance."""
    if np.isnan(matrix).any():
        return matrix
    sizes, directions = np.linalg.eigh((matrix + matrix.T) / 2)
    return np.asarray((directions * np.maximum(sizes, 0.0)) @ directions.T)


def _centred(side: Cells) -> Cells:
    """Less the mean of all scores, so that sums of squares keep their digits."""
    mean = side.total.sum() / max(float(side.count.sum()), 1.0)
    return Cells(side.item, side.rater, side.total - mean * side.count, side.count)
