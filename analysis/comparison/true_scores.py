"""Agreement of true scores: ratio of SDs, reliabilities, ceiling and corrected correlation of two groups."""

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
"""Largest and smallest number of jackknife groups of items, raters or cells, and cells x groups in a block."""
ZERO = 1e-9
"""Share of the variance of an item's means below which the variance of true scores is 0."""
MOST_ITEMS = 20_000
"""Largest number of items for the variance due to raters, which does not decrease with more items."""


@dataclass(frozen=True, eq=False)
class CellSums:
    """One side's scores (c,) per item and rater: codes of both, sum and number of the scores."""

    item: Codes
    rater: Codes
    total: Floats
    count: Floats

    def select(self, mask: NDArray[np.bool_]) -> "CellSums":
        """Return the cells in the mask (c,)."""
        return CellSums(self.item[mask], self.rater[mask], self.total[mask], self.count[mask])


@dataclass(frozen=True, eq=False)
class TrueVariances:
    """Variances of the candidate's and the reference's true scores, of both together, and of either side's means (5,).

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
        covariances = [
            _drop_negative_eigenvalues(gradients @ matrix @ gradients.T) for matrix, _ in self.parts
        ]
        sizes = [float(contrast @ matrix @ contrast) for matrix in covariances]
        spread = sum(size**2 / df for size, (_, df) in zip(sizes, self.parts, strict=True))
        return np.sum(covariances, axis=0), sum(sizes) ** 2 / spread if spread > 0 else inf


def estimate_true_variances(
    sides: tuple[CellSums, CellSums],
    items: int,
    clusters: Sequence[Codes] = (),
    persons: bool = True,
    intervals: bool = True,
    seed: int = 0,
    on_progress: OnProgress = None,
) -> TrueVariances:
    """Estimate the variances of both sides over n items, with jackknife covariances.

    These are over items or their clusters (n,), plus over the raters of either side minus over cells.

    Source: Arvesen 1969 (jackknife of variances); Cameron, Gelbach & Miller 2011 (two ways of clustering).
    """
    centred = tuple(_center(side) for side in sides)
    stride = max(items // MOST_ITEMS, 1)
    sampled = _sample_items(centred[0], stride), _sample_items(centred[1], stride)
    moments = _GroupMoments.from_cells(centred[0], items), _GroupMoments.from_cells(centred[1], items)
    return _variances_with_covariances(
        moments, sampled, -(-items // stride), clusters, persons, intervals, seed, on_progress
    )


@dataclass(frozen=True, eq=False)
class SideSums:
    """Sums of one side's ratings without repeats.

    Per item (n,) number, total and squares of the scores. Per rater (w,), over the items with other raters, the sum of
    scores minus the mean of all (`pull`) and of 1 (`reach`), each divided by the item's number of ratings.
    """

    count: Floats
    total: Floats
    squares: Floats
    pull: Floats
    reach: Floats


def true_variances_from_sums(
    sums: tuple[SideSums, SideSums],
    sampled: tuple[CellSums, CellSums],
    n_sampled: int,
    clusters: Sequence[Codes] = (),
    persons: bool = True,
    intervals: bool = True,
    seed: int = 0,
    on_progress: OnProgress = None,
) -> TrueVariances:
    """Estimate the variances from sums, with the variance due to raters from the cells of a sample of items.

    For leave-one-out values over items, the products of a rater's ratings of different items are scaled to the
    remaining pairs of items, as they are a mean over all pairs.
    """
    moments = _GroupMoments.from_sums(sums[0], persons), _GroupMoments.from_sums(sums[1], persons)
    centred = _center(sampled[0]), _center(sampled[1])
    return _variances_with_covariances(
        moments, centred, n_sampled, clusters, persons, intervals, seed, on_progress
    )


def _variances_with_covariances(
    moments: "tuple[_GroupMoments, _GroupMoments]",
    sampled: tuple[CellSums, CellSums],
    n_sampled: int,
    clusters: Sequence[Codes],
    persons: bool,
    intervals: bool,
    seed: int,
    on_progress: OnProgress,
) -> TrueVariances:
    values, n_used = _estimate_variances(*moments)
    if not intervals or not n_used:
        return TrueVariances(values, n_used)
    items, rng = len(moments[0].is_paired), np.random.default_rng([seed, 2])
    max_groups = int(np.clip(AT_ONCE / max(len(side.item) for side in sampled), FEWEST_PARTS, MOST_PARTS))
    groupings = [jackknife_groups(int(code.max()) + 1, max_groups, rng)[code] for code in clusters]
    if len(groupings) != 1:
        groupings.append(jackknife_groups(items, max_groups, rng))
    item_covariances = [jackknife_covariance(_leave_out_items(moments, grouping)) for grouping in groupings]
    # Crossed systems and topics both include the variance over items.
    over_items = (
        sum(item_covariances[:-1]) - item_covariances[-1]
        if len(item_covariances) > 1
        else item_covariances[0]
    )
    parts = [(over_items, min(float(grouping.max()) for grouping in groupings))]
    for index, side in enumerate(sampled) if persons else ():
        raters = jackknife_groups(int(side.rater.max()) + 1, max_groups, rng)[side.rater]
        covariances = []
        for part in (raters, jackknife_groups(len(side.item), max_groups, rng)):
            covariances.append(jackknife_covariance(_leave_out_cells(sampled, n_sampled, index, part)))
            if on_progress is not None:
                on_progress((2 * index + len(covariances)) / 4)
        parts.append((covariances[0] - covariances[1], max(float(raters.max()), 1.0)))
    return TrueVariances(values, n_used, tuple(parts))


def sum_cells(ratings: Ratings, items: NDArray[Any], persons: bool) -> CellSums:
    """Sum one side's ratings by item (n,) and rater; if rater ids are only slots, each rating has its own rater."""
    ids, code = coded(ratings.item)
    position = np.searchsorted(items, ids) if len(items) else np.zeros(len(ids), dtype=np.int64)
    is_known = position < len(items)
    is_known[is_known] = items[position[is_known]] == ids[is_known]
    rating_is_known = is_known[code]
    item, score = position[code[rating_is_known]], ratings.score[rating_is_known]
    if not persons:
        return CellSums(item, np.arange(len(item)), score, np.ones(len(item)))
    return CellSums(*sums_of_pairs(item, coded(ratings.rater[rating_is_known])[1], score))


def true_variance(side: CellSums, items: int) -> tuple[Floats, float]:
    """Return MOS (n,), NaN for items with a single rater, and the variance of the true scores of n items."""
    return _true_variance(_GroupMoments.from_cells(side, items))


def true_variances_without(side: CellSums, items: int, part: Codes) -> tuple[Floats, Floats]:
    """Compute `true_variance` without each part of the cells (c,), from sums over the parts: MOS (n, g), (g,)."""
    parts, raters = int(part.max(initial=-1)) + 1, int(side.rater.max(initial=-1)) + 1
    of_item, of_rater = side.item * parts + part, side.rater * parts + part
    count, total, own_counts, own_totals = (
        np.bincount(side.item, weights, items)[:, None]
        - np.bincount(of_item, weights, items * parts).reshape(items, parts)
        for weights in (side.count, side.total, side.count**2, side.total**2)
    )
    pairs = count**2 - own_counts
    is_paired = pairs > 0.5
    n_used, shares = is_paired.sum(axis=0), np.where(is_paired, 1 / np.maximum(count, 1), 0.0)
    mean, excluded_share = total * shares, shares.ravel()[of_item]
    rater_totals, rater_counts = (
        sparse.csr_array((column, (side.rater, side.item)), shape=(raters, items)) @ shares
        - np.bincount(of_rater, column * excluded_share, raters * parts).reshape(raters, parts)
        for column in (side.total, side.count)
    )
    between = mean.sum(axis=0) ** 2 - (mean**2).sum(axis=0) - (rater_totals**2).sum(axis=0)
    pairs_of_items = n_used**2 - n_used - (rater_counts**2).sum(axis=0) + (own_counts * shares**2).sum(axis=0)
    between += (own_totals * shares**2).sum(axis=0)
    within = np.divide(total**2 - own_totals, pairs, out=np.zeros_like(pairs), where=is_paired).sum(axis=0)
    is_defined = (n_used > 1) & (pairs_of_items > 0)
    variance = within / np.maximum(n_used, 1) - between / np.where(is_defined, pairs_of_items, 1.0)
    return np.where(is_paired, mean, nan), np.where(is_defined, variance, nan)


@dataclass(frozen=True, eq=False)
class _GroupMoments:
    """Moments of one side's ratings of n items.

    `is_paired` (n,) True for items with two raters, `mean` (n,), `mean_products` (n,) of two raters' ratings;
    `rater_products` and `rater_weights` the sums of products of a rater's ratings of different items, as shares of the
    items' means, and of the shares themselves. `cells` (c,) with these shares `pull` and `reach`, if known.
    """

    is_paired: NDArray[np.bool_]
    mean: Floats
    mean_products: Floats
    rater_products: float
    rater_weights: float
    cells: CellSums | None = None
    pull: Floats | None = None
    reach: Floats | None = None

    @classmethod
    def from_cells(cls, cells: CellSums, items: int) -> "_GroupMoments":
        """Compute the moments of cells over n items."""
        count, total, own_counts, own_totals = (
            np.bincount(cells.item, weights, items).astype(np.float64, copy=False)
            for weights in (cells.count, cells.total, cells.count**2, cells.total**2)
        )
        is_paired, mean, mean_products, shares = _item_moments(count, total, own_counts, own_totals)
        share = shares[cells.item]
        parts = cells.total * share, cells.count * share
        raters = int(cells.rater.max(initial=-1)) + 1
        rater_products, rater_weights = (
            float((np.bincount(cells.rater, part, raters) ** 2).sum() - (part**2).sum()) for part in parts
        )
        return cls(is_paired, mean, mean_products, rater_products, rater_weights, cells, *parts)

    @classmethod
    def from_sums(cls, sums: SideSums, persons: bool) -> "_GroupMoments":
        """Compute the moments from sums; without persons there are no repeated raters."""
        centre = sums.total.sum() / max(float(sums.count.sum()), 1.0)
        total = sums.total - sums.count * centre
        squares = np.maximum(sums.squares - centre * (sums.total + total), 0.0)
        is_paired, mean, mean_products, shares = _item_moments(sums.count, total, sums.count, squares)
        rater_products = float((sums.pull**2).sum() - (squares * shares**2).sum()) if persons else 0.0
        rater_weights = float((sums.reach**2).sum() - (sums.count * shares**2).sum()) if persons else 0.0
        return cls(is_paired, mean, mean_products, rater_products, rater_weights)


def _item_moments(
    count: Floats, total: Floats, own_counts: Floats, own_totals: Floats
) -> tuple[NDArray[np.bool_], Floats, Floats, Floats]:
    """Return for each item: has two raters, mean, mean product of two raters' ratings, and 1 / number of ratings."""
    pairs = count**2 - own_counts
    is_paired = pairs > 0.5
    shares = np.where(is_paired, 1 / np.maximum(count, 1), 0.0)
    mean_products = np.divide(total**2 - own_totals, pairs, out=np.zeros(len(count)), where=is_paired)
    return is_paired, np.asarray(total * shares, dtype=np.float64), mean_products, shares


def _true_variance(side: _GroupMoments) -> tuple[Floats, float]:
    is_paired, n_used = side.is_paired, int(side.is_paired.sum())
    mean = np.where(is_paired, side.mean, nan)
    if n_used < 2:
        return mean, nan
    between = side.mean.sum() ** 2 - (side.mean**2).sum() - side.rater_products
    pairs_of_items = n_used**2 - n_used - side.rater_weights
    mean_product = side.mean_products[is_paired].mean()
    return mean, float(mean_product - between / pairs_of_items) if pairs_of_items > 0 else nan


def _estimate_variances(candidate: _GroupMoments, reference: _GroupMoments) -> tuple[Floats, int]:
    """Return the five variances over items, and the number of items with two raters on each side."""
    (x, true_x), (y, true_y) = _true_variance(candidate), _true_variance(reference)
    is_shared = ~(np.isnan(x) | np.isnan(y))
    n_used = int(is_shared.sum())
    if n_used < 3:
        return np.full(5, nan), 0
    dx, dy = (side[is_shared] - side[is_shared].mean() for side in (x, y))
    covariance, variance_x, variance_y = (
        float(product.sum()) / (n_used - 1) for product in (dx * dy, dx * dx, dy * dy)
    )
    true_x, true_y = (
        0.0 if abs(true) <= ZERO * of else true for true, of in ((true_x, variance_x), (true_y, variance_y))
    )
    return np.array([true_x, true_y, covariance, variance_x, variance_y]), n_used


def _sample_items(side: CellSums, stride: int) -> CellSums:
    """Return the cells of every `stride`-th item, with new codes of items and raters."""
    sampled = side.select(side.item % stride == 0)
    return CellSums(sampled.item // stride, coded(sampled.rater)[1], sampled.total, sampled.count)


class _PartSums:
    """Sums for the variance of one side's true scores, by part (g,) of its items (n,)."""

    def __init__(self, side: _GroupMoments, part: Codes, parts: int) -> None:
        self.side, self.from_cells, self.parts = side, part, parts
        self.n_used, self.mean_products, self.means, self.squares = (
            np.bincount(part, column, parts)
            for column in (side.is_paired / 1.0, side.mean_products, side.mean, side.mean**2)
        )

    def leave_one_out(self) -> Floats:
        """Return leave-one-out values (g,) of `true_variance`."""
        n_used, mean_products, means, squares = (
            column.sum(axis=0) - column
            for column in (self.n_used, self.mean_products, self.means, self.squares)
        )
        rater_products, rater_weights = self._rater_moments(n_used)
        between = means**2 - squares - rater_products
        pairs_of_items = n_used**2 - n_used - rater_weights
        is_defined = (n_used > 1) & (pairs_of_items > 0)
        return np.where(
            is_defined,
            mean_products / np.maximum(n_used, 1) - between / np.where(is_defined, pairs_of_items, 1.0),
            nan,
        )

    def _rater_moments(self, n_used: Floats) -> tuple[Floats, Floats]:
        """Return `rater_products` and `rater_weights` (g,) without each part, given the numbers of remaining items."""
        side, cells = self.side, self.side.cells
        if cells is None or side.pull is None or side.reach is None:
            n_items = self.n_used.sum()
            remaining = n_used * (n_used - 1) / max(n_items * (n_items - 1), 1.0)
            return side.rater_products * remaining, side.rater_weights * remaining
        raters = int(cells.rater.max(initial=-1)) + 1
        cell = self.from_cells[cells.item] * raters + cells.rater
        moments = []
        for column in (side.pull, side.reach):
            by_rater = np.bincount(cell, column, self.parts * raters).reshape(self.parts, raters)
            squares = np.bincount(
                self.from_cells, np.bincount(cells.item, column**2, len(self.from_cells)), self.parts
            )
            remaining = by_rater.sum(axis=0) - by_rater
            moments.append((remaining**2).sum(axis=1) - (squares.sum() - squares))
        return moments[0], moments[1]


def _leave_out_items(sides: tuple[_GroupMoments, _GroupMoments], part: Codes) -> Floats:
    """Return the variances (g, 5) without each part of the items (n,), from sums over the parts."""
    parts = int(part.max()) + 1
    x, y = sides
    is_shared = x.is_paired & y.is_paired
    n, of_x, of_y, of_xy, of_xx, of_yy = (
        (sums := np.bincount(part[is_shared], column, parts)).sum() - sums
        for column in (
            np.ones(int(is_shared.sum())),
            *(side.mean[is_shared] for side in (x, y)),
            *((one.mean * other.mean)[is_shared] for one, other in ((x, y), (x, x), (y, y))),
        )
    )
    is_defined = n >= 3
    at_least_two = np.maximum(n, 2)
    spreads = (
        np.where(is_defined, (products - one * other / at_least_two) / (at_least_two - 1), nan)
        for products, one, other in ((of_xy, of_x, of_y), (of_xx, of_x, of_x), (of_yy, of_y, of_y))
    )
    true = (np.where(is_defined, _PartSums(side, part, parts).leave_one_out(), nan) for side in sides)
    return np.column_stack([*true, *spreads])


def _leave_out_cells(sides: Sequence[CellSums], items: int, index: int, part: Codes) -> Floats:
    """Return the variances (g, 5) over items (n,) without each part of the cells (c,) of the side `index`."""
    mean, true = true_variances_without(sides[index], items, part)
    other, true_other = true_variance(sides[1 - index], items)
    is_shared = ~(np.isnan(mean) | np.isnan(other)[:, None])
    n = is_shared.sum(axis=0)
    deviation, other_deviation = (
        np.where(is_shared, of - np.where(is_shared, of, 0.0).sum(axis=0) / np.maximum(n, 1), 0.0)
        for of in (mean, np.broadcast_to(other[:, None], mean.shape))
    )
    enough = n >= 3
    covariance, variance, other_variance = (
        np.where(enough, (one * two).sum(axis=0) / np.maximum(n - 1, 1), nan)
        for one, two in (
            (deviation, other_deviation),
            (deviation, deviation),
            (other_deviation, other_deviation),
        )
    )
    true_pair = np.where(enough, true, nan), np.where(enough, true_other, nan)
    pairs = (
        ((variance, other_variance), true_pair)
        if index == 0
        else ((other_variance, variance), true_pair[::-1])
    )
    return np.column_stack([*pairs[1], covariance, *pairs[0]])


def _drop_negative_eigenvalues(matrix: Floats) -> Floats:
    """Set the negative eigenvalues of an estimated covariance matrix (m, m) to 0."""
    if np.isnan(matrix).any():
        return matrix
    sizes, directions = np.linalg.eigh((matrix + matrix.T) / 2)
    return np.asarray((directions * np.maximum(sizes, 0.0)) @ directions.T)


def _center(side: CellSums) -> CellSums:
    """Subtract the mean of all scores, for the precision of sums of squares."""
    mean = side.total.sum() / max(float(side.count.sum()), 1.0)
    return CellSums(side.item, side.rater, side.total - mean * side.count, side.count)


FEWEST_ITEMS = 5
SHARED = "somebody rated in both groups, so that their errors are not independent"
COLUMN = "the reference is a column of numbers, of which nobody knows how far it repeats"
MANY = "it is worked out from single ratings, which are read with the intervals"
FEW = "fewer than 3 items were rated by two different people on each side"
PERFECT = "the raters agree perfectly, which leaves no room for an interval"
NO_INTERVAL = "too few raters or items, or too small a spread of the items, for an interval"


@dataclass(frozen=True)
class TrueScores:
    """Agreement of true scores, over the items (`n` of the estimates) with two raters on each side.

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


def undefined_true_scores(reason: str) -> TrueScores:
    """Return undefined true-score figures with a reason."""
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
    """Estimate figures of true scores over items (n,), with intervals over items or their clusters (n,), and raters.

    Source: Spearman 1904 (correction for attenuation); Shrout & Fleiss 1979 (reliability); Bland & Altman 1999, section
    3.2 (unequal spreads); Fieller 1954 (intervals of ratios).
    """
    if persons and np.intersect1d(coded(candidate.rater)[0], coded(reference.rater)[0]).size:
        return undefined_true_scores(SHARED)
    sides = sum_cells(candidate, items, persons), sum_cells(reference, items, persons)
    intervals = intervals and len(items) >= FEWEST_ITEMS
    return _build_true_scores(
        estimate_true_variances(sides, len(items), clusters, persons, intervals, seed, on_progress), level
    )


@dataclass(frozen=True, eq=False)
class SharedSums:
    """Sums of candidate and reference over the shared items (n,), without repeats, and the raters of both.

    `ratings` of the `sampled_items` (m,) give the variance due to raters.
    """

    sums: tuple[SideSums, SideSums]
    raters: tuple[NDArray[Any], NDArray[Any]]
    ratings: tuple[Ratings, Ratings]
    sampled_items: NDArray[Any]


def true_scores_from_sums(
    shared: SharedSums,
    clusters: Sequence[NDArray[np.int64]] = (),
    persons: bool = True,
    level: float = 0.95,
    seed: int = 0,
    on_progress: OnProgress = None,
) -> TrueScores:
    """Estimate `true_scores` with intervals from sums over items (n,) and over raters."""
    if persons and np.intersect1d(*shared.raters).size:
        return undefined_true_scores(SHARED)
    items = len(shared.sums[0].count)
    sampled = (
        sum_cells(shared.ratings[0], shared.sampled_items, persons),
        sum_cells(shared.ratings[1], shared.sampled_items, persons),
    )
    variances = true_variances_from_sums(
        shared.sums,
        sampled,
        len(shared.sampled_items),
        clusters,
        persons,
        items >= FEWEST_ITEMS,
        seed,
        on_progress,
    )
    return _build_true_scores(variances, level)


def _build_true_scores(variances: TrueVariances, level: float) -> TrueScores:
    if not variances.items:
        return undefined_true_scores(FEW)
    of_candidate, of_reference = (_estimate_reliability(variances, index, level) for index in (0, 1))
    reason = "; ".join(
        f"the {name}'s items differ no more than chance within a rating makes them"
        for index, name in enumerate(("candidate", "reference"))
        if not variances.values[index] > 0
    )
    sd_ratio, p = (
        _estimate_spread(variances, level)
        if not reason
        else (Estimate(nan, n=variances.items, reason=reason), nan)
    )
    return TrueScores(
        sd_ratio,
        p,
        of_candidate,
        of_reference,
        _estimate_ceiling(of_reference, reason.split("; ")[-1]),
        _estimate_corrected(variances, level)
        if not reason
        else Estimate(nan, n=variances.items, reason=reason),
    )


def _estimate_reliability(variances: TrueVariances, index: int, level: float) -> Estimate:
    """Estimate the share of true variance in the variance of a side's means, with its interval on log(1 - share)."""
    true, of_means = float(variances.values[index]), float(variances.values[3 + index])
    name = ("candidate", "reference")[index]
    if not of_means > 0:
        return Estimate(nan, n=variances.items, reason=f"the {name}'s means do not differ")
    chance = 1 - true / of_means
    if abs(chance) < 1e-12:
        return Estimate(1.0, n=variances.items, reason=PERFECT)
    if chance < 0:
        return Estimate(
            nan, n=variances.items, reason=f"the {name}'s ratings differ too little to tell chance"
        )
    gradient = np.zeros((1, 5))
    gradient[0, index], gradient[0, 3 + index] = -1 / (chance * of_means), true / (chance * of_means**2)
    covariance, degrees = variances.covariance(gradient, np.ones(1))
    low, high = interval_from_error(log(chance), sqrt(covariance[0, 0]), level, degrees)
    return _with_interval(1 - chance, 1 - exp(high), 1 - exp(low), variances)


def _estimate_spread(variances: TrueVariances, level: float) -> tuple[Estimate, float]:
    """Estimate the ratio of true SDs, and p of equal SDs from the same contrast of variances.

    The degrees of freedom are at most those of the smaller group of raters: Satterthwaite's treat the estimated share
    of the raters' variance as known, and reject up to 17% of equal SDs of ordinal scores.
    """
    candidate, reference = variances.values[:2]
    gradients = np.eye(5)[:2]
    covariance, degrees = variances.covariance(gradients, np.array([1.0, -1.0]))
    degrees = min([degrees, *(of_raters for _, of_raters in variances.parts[1:])])
    low, high = fieller_interval(candidate, reference, covariance, level, degrees)
    error = sqrt(covariance[0, 0] - 2 * covariance[0, 1] + covariance[1, 1])
    p = student_p(float(candidate - reference) / error, degrees, "two-sided") if error > 0 else nan
    lower, upper = (sqrt(max(float(end), 0.0)) if not isnan(end) else nan for end in (low, high))
    return _with_interval(sqrt(candidate / reference), lower, upper, variances), p


def _estimate_ceiling(reliability: Estimate, reason: str) -> Estimate:
    """Estimate the square root of the reference's reliability, the largest possible correlation."""
    if not reliability.value >= 0:
        return Estimate(nan, n=reliability.n, reason=reliability.reason or reason)
    low, high = (
        sqrt(max(end, 0.0)) if not isnan(end) else nan for end in (reliability.low, reliability.high)
    )
    return Estimate(sqrt(reliability.value), low, high, reliability.n, reliability.reason)


def _estimate_corrected(variances: TrueVariances, level: float) -> Estimate:
    """Estimate the covariance of both sides' means divided by the square root of both true variances."""
    candidate, reference, covariance_value = (float(value) for value in variances.values[:3])
    size = sqrt(candidate * reference)
    gradients = np.zeros((2, 5))
    gradients[0, 2] = 1.0
    gradients[1, :2] = size / 2 / candidate, size / 2 / reference
    contrast = np.array([1.0, -covariance_value / size])
    covariance, degrees = variances.covariance(gradients, contrast)
    low, high = fieller_interval(covariance_value, size, covariance, level, degrees)
    if isnan(low) or isinf(high):  # with few systems the root is imprecise, but not the ratio
        error = sqrt(float(contrast @ covariance @ contrast)) / size
        low, high = interval_from_error(covariance_value / size, error, level, degrees)
    return _with_interval(covariance_value / size, float(low), float(high), variances)


def _with_interval(value: float, low: float, high: float, variances: TrueVariances) -> Estimate:
    is_defined = not (isnan(low) or isnan(high))
    reason = NO_INTERVAL if variances.parts and not is_defined else ""
    return (
        Estimate(value, low, high, variances.items, reason)
        if is_defined
        else Estimate(value, n=variances.items, reason=reason)
    )
