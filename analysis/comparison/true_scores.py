"""Both sides' agreement without the chance in their means: spread, reliability, ceiling and corrected correlation."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, inf, isinf, isnan, log, nan, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from analysis.resampling.intervals import (
    fieller_interval,
    interval_from_error,
    jackknife_covariance,
    jackknife_groups,
)
from analysis.values.estimate import Codes, Estimate, Floats, OnProgress, student_p
from analysis.values.ratings import Ratings, coded, sums_of_pairs

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
    kinds = [jackknife_groups(int(code.max()) + 1, most, rng)[code] for code in clusters]
    if len(kinds) != 1:
        kinds.append(jackknife_groups(items, most, rng))
    of_kinds = [jackknife_covariance(_without_items(whole, of)) for of in kinds]
    # Of systems and topics that cross, both hold what is of the items.
    over_items = sum(of_kinds[:-1]) - of_kinds[-1] if len(of_kinds) > 1 else of_kinds[0]
    parts = [(over_items, min(float(of.max()) for of in kinds))]
    for at, side in enumerate(few) if persons else ():
        raters = jackknife_groups(int(side.rater.max()) + 1, most, rng)[side.rater]
        spread = []
        for part in (raters, jackknife_groups(len(side.item), most, rng)):
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
    """True where two people rated an item; its mean, the mean product of two's ratings, and 1 over their number."""
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
    """Parts of the variance of one side's true scores, by part (g,) of its items (n,)."""

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


FEWEST_ITEMS = 5
SHARED = "somebody rated in both groups, so that their errors are not independent"
COLUMN = "the reference is a column of numbers, of which nobody knows how far it repeats"
MANY = "it is worked out from single ratings, which are read with the intervals"
FEW = "fewer than 3 items were rated by two different people on each side"
PERFECT = "the raters agree perfectly, which leaves no room for an interval"
NO_INTERVAL = "too few raters or items, or too small a spread of the items, for an interval"


@dataclass(frozen=True)
class TrueScores:
    """Return what remains of both sides' agreement without the chance in their means, over the items (`n` of the
    estimates) that two different people rated on each side.

    `spread`: SD of the candidate's true scores over that of the reference's, `spread_p` of its being 1, two-sided;
    `reliability_candidate`, `reliability_reference` of the means; `ceiling`: the correlation of the reference with
    a candidate without error; `corrected`: Pearson's r over the root of both reliabilities, which may exceed 1.
    """

    spread: Estimate
    spread_p: float
    reliability_candidate: Estimate
    reliability_reference: Estimate
    ceiling: Estimate
    corrected: Estimate


def undefined(reason: str) -> TrueScores:
    """Nothing of it, and why."""
    none = Estimate(nan, reason=reason)
    return TrueScores(none, nan, none, none, none, none)


def true_scores(
    candidate: Ratings,
    reference: Ratings,
    items: NDArray[Any],
    clusters: Sequence[NDArray[np.int64]] = (),
    persons: bool = True,
    intervals: bool = True,
    level: float = 0.95,
    seed: int = 0,
    on_progress: OnProgress = None,
) -> TrueScores:
    """Figures of true scores over items (n,), with intervals over these or over what they hang on (n,), and raters.

    Source: Spearman 1904 (correction for attenuation); Shrout & Fleiss 1979 (reliability); Bland & Altman 1999, section
    3.2 (unequal spreads); Fieller 1954 (intervals of ratios).
    """
    if persons and np.intersect1d(coded(candidate.rater)[0], coded(reference.rater)[0]).size:
        return undefined(SHARED)
    sides = cells_of(candidate, items, persons), cells_of(reference, items, persons)
    intervals = intervals and len(items) >= FEWEST_ITEMS
    return _told(variances(sides, len(items), clusters, persons, intervals, seed, on_progress), level)


@dataclass(frozen=True, eq=False)
class SharedSums:
    """Sums of candidate and reference over the items that both rated (n,), where nobody rated an item twice; the raters
    of either; and both sides' ratings of `some` of the items (m,), by which it is looked what raters carry."""

    sums: tuple[SideSums, SideSums]
    raters: tuple[NDArray[Any], NDArray[Any]]
    ratings: tuple[Ratings, Ratings]
    some: NDArray[Any]


def true_scores_of_sums(
    of: SharedSums,
    clusters: Sequence[NDArray[np.int64]] = (),
    persons: bool = True,
    level: float = 0.95,
    seed: int = 0,
    on_progress: OnProgress = None,
) -> TrueScores:
    """As `true_scores`, with intervals, from sums over items (n,) and over raters."""
    if persons and np.intersect1d(*of.raters).size:
        return undefined(SHARED)
    items = len(of.sums[0].count)
    few = cells_of(of.ratings[0], of.some, persons), cells_of(of.ratings[1], of.some, persons)
    found = variances_of_sums(
        of.sums, few, len(of.some), clusters, persons, items >= FEWEST_ITEMS, seed, on_progress
    )
    return _told(found, level)


def _told(found: Variances, level: float) -> TrueScores:
    if not found.items:
        return undefined(FEW)
    of_candidate, of_reference = (_reliability(found, at, level) for at in (0, 1))
    why = "; ".join(
        f"the {name}'s items differ no more than chance within a rating makes them"
        for at, name in enumerate(("candidate", "reference"))
        if not found.values[at] > 0
    )
    spread, p = _spread(found, level) if not why else (Estimate(nan, n=found.items, reason=why), nan)
    return TrueScores(
        spread,
        p,
        of_candidate,
        of_reference,
        _ceiling(of_reference, why.split("; ")[-1]),
        _corrected(found, level) if not why else Estimate(nan, n=found.items, reason=why),
    )


def _reliability(found: Variances, at: int, level: float) -> Estimate:
    """The share of true scores in the variance of one side's means; its interval on the log of the share of chance."""
    true, of_means = float(found.values[at]), float(found.values[3 + at])
    name = ("candidate", "reference")[at]
    if not of_means > 0:
        return Estimate(nan, n=found.items, reason=f"the {name}'s means do not differ")
    chance = 1 - true / of_means
    if abs(chance) < 1e-12:
        return Estimate(1.0, n=found.items, reason=PERFECT)
    if chance < 0:
        return Estimate(nan, n=found.items, reason=f"the {name}'s ratings differ too little to tell chance")
    gradient = np.zeros((1, 5))
    gradient[0, at], gradient[0, 3 + at] = -1 / (chance * of_means), true / (chance * of_means**2)
    covariance, degrees = found.covariance(gradient, np.ones(1))
    low, high = interval_from_error(log(chance), sqrt(covariance[0, 0]), level, degrees)
    return _bounded(1 - chance, 1 - exp(high), 1 - exp(low), found)


def _spread(found: Variances, level: float) -> tuple[Estimate, float]:
    """The ratio of true SDs, with p of equal ones: they agree, as both use the same contrast of variances.

    No more degrees of freedom than the smaller group of raters has: Satterthwaite's take the estimated share of the
    raters in the variance for the true one, and reject up to 17% of equal spreads of ordinal scores.
    """
    candidate, reference = found.values[:2]
    both = np.eye(5)[:2]
    covariance, degrees = found.covariance(both, np.array([1.0, -1.0]))
    degrees = min([degrees, *(of_raters for _, of_raters in found.parts[1:])])
    low, high = fieller_interval(candidate, reference, covariance, level, degrees)
    error = sqrt(covariance[0, 0] - 2 * covariance[0, 1] + covariance[1, 1])
    p = student_p(float(candidate - reference) / error, degrees, "two-sided") if error > 0 else nan
    lower, upper = (sqrt(max(float(end), 0.0)) if not isnan(end) else nan for end in (low, high))
    return _bounded(sqrt(candidate / reference), lower, upper, found), p


def _ceiling(reliability: Estimate, why: str) -> Estimate:
    """The root of the reference's reliability; where that may be less than nothing, no correlation is allowed."""
    if not reliability.value >= 0:
        return Estimate(nan, n=reliability.n, reason=reliability.reason or why)
    low, high = (
        sqrt(max(end, 0.0)) if not isnan(end) else nan for end in (reliability.low, reliability.high)
    )
    return Estimate(sqrt(reliability.value), low, high, reliability.n, reliability.reason)


def _corrected(found: Variances, level: float) -> Estimate:
    """The covariance of both sides' means over the root of both true variances."""
    candidate, reference, together = (float(value) for value in found.values[:3])
    size = sqrt(candidate * reference)
    gradients = np.zeros((2, 5))
    gradients[0, 2] = 1.0
    gradients[1, :2] = size / 2 / candidate, size / 2 / reference
    contrast = np.array([1.0, -together / size])
    covariance, degrees = found.covariance(gradients, contrast)
    low, high = fieller_interval(together, size, covariance, level, degrees)
    if isnan(low) or isinf(high):  # few systems leave the root unsure, and not its ratio to what goes with it
        error = sqrt(float(contrast @ covariance @ contrast)) / size
        low, high = interval_from_error(together / size, error, level, degrees)
    return _bounded(together / size, float(low), float(high), found)


def _bounded(value: float, low: float, high: float, found: Variances) -> Estimate:
    known = not (isnan(low) or isnan(high))
    reason = NO_INTERVAL if found.parts and not known else ""
    return (
        Estimate(value, low, high, found.items, reason)
        if known
        else Estimate(value, n=found.items, reason=reason)
    )
