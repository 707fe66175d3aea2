"""Jackknife intervals of the residual variance and of intraclass correlations, valid for raters of unequal noise.

The estimate is repeated without each rater, each item and each cell (one rater's score of one item), on an unbounded
scale. Henderson's method 1 is a function of nine sums, so that each repetition changes these sums.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log, nan, sqrt
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from analysis.resampling.intervals import jackknife_variance, t_quantile
from analysis.values.estimate import Codes, Estimate, Floats, InputError
from analysis.values.ratings import coded, finite_numbers, sums_of_pairs

Figure = Literal["residual", "consistency", "agreement"]

FIGURES: tuple[Figure, ...] = ("residual", "consistency", "agreement")
MOST_CELLS = 400
"""Largest number of cells left out; of more cells a random sample is used, and its variance scaled up."""
FEWEST_RATERS, FEWEST_ITEMS = 3, 10
FEWEST_OF_BOTH = 5
"""Fewest clusters of either kind, such as systems and topics, for leaving out both kinds."""
ZERO = 1e-9
"""Share of the total variance below which a variance is 0."""
SMALLEST_RATIO = 1e-3
"""Lower bound of 1 + k × signal / noise before taking its logarithm."""
LOWEST_RATER_VARIANCE = -0.9
"""Lower bound of a rater variance estimate, in residual variances."""

FEW_RATERS = f"an interval for raters like these needs at least {FEWEST_RATERS} raters"
FEW_ITEMS = f"an interval needs at least {FEWEST_ITEMS} items"
FEW_TOPICS = f"an interval needs at least {FEWEST_ITEMS} topics"
NOT_ESTIMABLE = (
    "without one of the raters or items the variances cannot be estimated, so there is no interval"
)


@dataclass(frozen=True, eq=False)
class CellScores:
    """Scores (c,) of observed pairs of items and raters, sorted by item and rater.

    `item`, `rater` are codes, `score` is centered, `averaged` counts the cells with averaged repeats.
    """

    item: Codes
    rater: Codes
    score: Floats
    averaged: int

    @property
    def ratings_per_item(self) -> Codes:
        """Number of raters of each item (n,)."""
        return np.bincount(self.item)

    @property
    def harmonic_mean(self) -> float:
        """Harmonic mean of the ratings per item."""
        counts = self.ratings_per_item
        return float(len(counts) / (1 / counts).sum()) if len(counts) else nan


def average_repeats(item: ArrayLike, rater: ArrayLike, score: ArrayLike) -> CellScores:
    """Return one score per item and rater, the mean of repeats.

    Raises
    ------
    InputError
        where the columns differ in length or a score is not a finite number.
    """
    scores = finite_numbers("score", score)
    columns = np.asarray(item), np.asarray(rater)
    if any(column.shape != scores.shape for column in columns):
        raise InputError("`item`, `rater` and `score` must be 1-d and equally long")
    centered = scores - (scores.mean() if len(scores) and np.ptp(scores) > 0 else scores)
    of_item, of_rater, total, count = sums_of_pairs(coded(columns[0])[1], coded(columns[1])[1], centered)
    return CellScores(of_item, of_rater, total / count, int((count > 1).sum()))


@dataclass(frozen=True)
class JackknifeSpread:
    """Variances of a figure on its scale, over items, and over raters beyond single cells.

    `degrees` of freedom are Satterthwaite's; `bias` is the jackknife's bias correction over raters, and over the
    smaller of two ways of clustering.
    """

    items: float
    raters: float
    degrees: float
    bias: float

    @property
    def variance(self) -> float:
        """Variance over items and raters."""
        return self.items + self.raters

    def half_width(self, level: float) -> float:
        """Half-width of the interval on the scale, without the bias correction."""
        return float(t_quantile(self.degrees, level)) * sqrt(self.variance)

    def bounds(self, value: float, level: float) -> tuple[float, float]:
        """Return the interval's bounds around a value on the scale, extended to include the bias-corrected value."""
        half = self.half_width(level)
        return value + min(self.bias, 0.0) - half, value + max(self.bias, 0.0) + half


@dataclass(frozen=True, eq=False)
class Jackknife:
    """Jackknife of the log residual variance and of z of ICC(C,1) and of ICC(A,1), which are `values` (3,).

    z is half the log of 1 + k × signal / noise, k the harmonic mean of the ratings per item. `items` (or clusters,
    the smaller number of two kinds) and `raters` are numbers. Without `spreads` there is a `reason`.
    """

    values: Floats
    k: float
    items: int
    raters: int
    spreads: dict[Figure, JackknifeSpread]
    reason: str = ""

    @property
    def ratios(self) -> Floats:
        """Signal / noise (2,) of one rating, for consistency and for agreement."""
        return np.asarray((np.exp(2 * self.values[1:]) - 1) / self.k)

    def ratio_to_z(self, ratio: float) -> float:
        """Convert signal / noise of one rating to z."""
        return 0.5 * log(max(1 + self.k * ratio, SMALLEST_RATIO))

    def interval_of_residual(self, value: float, level: float) -> Estimate:
        """Return a residual variance with its interval."""
        if self.reason or not value > 0:
            return Estimate(value, n=self.items, reason=self.reason)
        low, high = self.spreads["residual"].bounds(log(value), level)
        return Estimate(value, exp(low), exp(high), self.items)

    def interval_of_icc(
        self, value: float, ratio: float, figure: Figure, ratings: float, level: float
    ) -> Estimate:
        """Return the reliability of a mean of this many ratings with its interval, from signal / noise of one
        rating.

        Source: Spearman 1910, Brown 1910.
        """
        if self.reason or not np.isfinite(value + ratio):
            return Estimate(value, n=self.items, reason=self.reason or NOT_ESTIMABLE)
        ends = self.spreads[figure].bounds(self.ratio_to_z(ratio), level)
        low, high = (_reliability((exp(2 * z) - 1) / self.k, ratings) for z in ends)
        return Estimate(value, min(low, value), max(high, value), self.items)


@dataclass(frozen=True)
class ComponentIntervals:
    """Residual variance, ICC(C,1) and ICC(A,1) with intervals over items and raters; `k` as in `Jackknife`."""

    residual: Estimate
    consistency: Estimate
    agreement: Estimate
    k: float


def component_intervals(
    item: ArrayLike,
    rater: ArrayLike,
    score: ArrayLike,
    topic: ArrayLike | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> ComponentIntervals:
    """Estimate the residual variance, ICC(C,1) and ICC(A,1) with intervals for raters like these.

    Parameters
    ----------
    item, rater : (N,) ids, one per rating; repeats of a rater on an item are averaged
    score : (N,) numbers
    topic : (N,) ids; topics are then left out instead of items
    level : of the intervals
    seed : of the sample of more than 400 cells

    Returns
    -------
    ComponentIntervals
        the residual in squared points of the scale; without an interval a `reason`, below 3 raters or 10 items (or
        topics) and where a leave-one-out estimate is undefined.

    Raises
    ------
    InputError
        where the columns differ in length or a score is not a finite number.

    Notes
    -----
    Raters may have unequal severity and noise. The estimates are Henderson's (on complete ratings those of the
    analysis of variance).
    Source: Henderson 1953, method 1; Arvesen 1969; Cameron, Gelbach and Miller 2011; Owen 2007; Satterthwaite 1946.

    >>> item, rater = (codes.ravel() for codes in np.indices((12, 4)))
    >>> found = component_intervals(item, rater, item % 5 + 0.5 * rater + (item * (rater + 2)) % 3)
    >>> [round(value, 2) for value in (found.consistency.low, found.consistency.value, found.consistency.high)]
    [0.72, 0.88, 0.95]
    """
    topics = () if topic is None else (_topic_of_items(topic, item),)
    jackknife = jackknife_components(average_repeats(item, rater, score), topics, seed)
    if np.isnan(jackknife.values).any():
        undefined = Estimate(nan, n=jackknife.items, reason=jackknife.reason)
        return ComponentIntervals(undefined, undefined, undefined, jackknife.k)
    consistency, agreement = (
        jackknife.interval_of_icc(_reliability(ratio, 1), ratio, figure, 1, level)
        for ratio, figure in zip(jackknife.ratios.tolist(), FIGURES[1:], strict=True)
    )
    residual = jackknife.interval_of_residual(exp(jackknife.values[0]), level)
    return ComponentIntervals(residual, consistency, agreement, jackknife.k)


def _topic_of_items(topic: ArrayLike, item: ArrayLike) -> Codes:
    """Return the topic of each item (n,)."""
    _, first = np.unique(coded(np.asarray(item))[1], return_index=True)
    return coded(np.asarray(topic))[1][first]


def _count_levels(codes: Codes) -> int:
    return int(codes.max(initial=-1)) + 1


def jackknife_components(cells: CellScores, clusters: Sequence[Codes] = (), seed: int = 0) -> Jackknife:
    """Repeat the variance estimates without each rater, item, and cell.

    With `clusters` (n,) of items, such as topics, these are left out instead of items, and cluster × rater instead of
    cells. With two kinds, such as topics and systems, both are left out for a coefficient; the residual, which depends
    on neither, and the cells use the first kind.
    Source: Cameron, Gelbach and Miller 2011; MacKinnon, Nielsen and Webb 2023 (the largest of the variances).
    """
    units = [coded(one)[1] for one in clusters] or [np.arange(len(cells.ratings_per_item))]
    raters, first_clusters = _count_levels(cells.rater), _count_levels(units[0])
    cluster_of_cell = [cells.item] if not clusters else [one[cells.item] for one in units]
    fewest_units = min(_count_levels(one) for one in units)
    k = cells.harmonic_mean
    sums = _Sums.from_cells(cells)
    values = _transform_variances(sums.total, k)[:, 0]
    result = Jackknife(values, k, fewest_units, raters, {})
    if raters < FEWEST_RATERS:
        return _without_interval(result, FEW_RATERS)
    if fewest_units < (FEWEST_ITEMS if len(units) == 1 else FEWEST_OF_BOTH):
        return _without_interval(result, FEW_TOPICS if clusters else FEW_ITEMS)
    part = coded(cluster_of_cell[0] * raters + cells.rater)[1]
    parts = _count_levels(part)
    sampled_cells = min(parts, MOST_CELLS)
    if parts > sampled_cells:
        sampled = np.full(parts, -1)
        sampled[np.random.default_rng(seed).permutation(parts)[:sampled_cells]] = np.arange(sampled_cells)
        part = sampled[part]
    if len(units) > 1:
        intersection = coded(units[1] * first_clusters + units[0])[1]
        units, cluster_of_cell = [*units, intersection], [*cluster_of_cell, intersection[cells.item]]
    by_unit = [
        _transform_variances(sums.without(of, _count_levels(one), one), k)
        for of, one in zip(cluster_of_cell, units, strict=True)
    ]
    by_rater = _transform_variances(sums.without(cells.rater, raters), k)
    by_cell = _transform_variances(sums.without(part, sampled_cells), k)
    if not all(np.isfinite(one).all() for one in (values, *by_unit, by_rater, by_cell)):
        return _without_interval(result, NOT_ESTIMABLE)
    rater_load = np.bincount(cells.rater).astype(np.float64)
    effective_raters = float(rater_load.sum() ** 2 / (rater_load**2).sum())
    spreads: dict[Figure, JackknifeSpread] = {}
    for index, figure in enumerate(FIGURES):
        unit_variances = [jackknife_variance(one[index]) for one in by_unit]
        item_variance, fewer, bias = unit_variances[0], first_clusters, 0.0
        if len(units) > 1 and figure != "residual":
            item_variance, fewer = (
                max(unit_variances[0] + unit_variances[1] - unit_variances[2], *unit_variances),
                fewest_units,
            )
            leave_one_unit = by_unit[0 if first_clusters == fewest_units else 1][index]
            bias = (fewest_units - 1) * float(values[index] - leave_one_unit.mean())
        leave_one_rater, cell_variance = (
            by_rater[index],
            jackknife_variance(by_cell[index]) * parts / sampled_cells,
        )
        squares = (leave_one_rater - leave_one_rater.mean()) ** 2
        effective_count = float(squares.sum() ** 2 / max(float((squares**2).sum()), 1e-300))
        rater_variance = (
            max(jackknife_variance(leave_one_rater) - cell_variance, 0.0)
            * (1 + 1 / max(effective_count, 1.0)) ** 2
        )
        if not item_variance + rater_variance > 0:
            return _without_interval(result, NOT_ESTIMABLE)
        degrees = (item_variance + rater_variance) ** 2 / (
            item_variance**2 / (fewer - 1) + rater_variance**2 / max(effective_raters - 1, 1)
        )
        largest_degrees = (effective_raters - 1) * (1 if figure == "residual" else 2)
        bias += (raters - 1) * float(values[index] - leave_one_rater.mean())
        spreads[figure] = JackknifeSpread(
            item_variance, rater_variance, max(min(degrees, largest_degrees), 1.0), bias
        )
    return Jackknife(values, k, fewest_units, raters, spreads)


def estimate_variances(cells: CellScores) -> tuple[float, float, float]:
    """Estimate the variances of items, raters and the residual; NaN where they are not estimable.

    Source: Henderson 1953, method 1.
    """
    items, raters, residual = _henderson_variances(_Sums.from_cells(cells).total)[:, 0].tolist()
    return items, raters, residual


def _without_interval(jackknife: Jackknife, reason: str) -> Jackknife:
    return Jackknife(jackknife.values, jackknife.k, jackknife.items, jackknife.raters, {}, reason)


def _reliability(ratio: float, ratings: float) -> float:
    """Return the reliability of a mean of this many ratings within -1 … 1, from signal / noise of one rating."""
    signal = ratings * ratio
    return max(signal / (1 + signal), -1.0) if 1 + signal > 0 else -1.0


@dataclass(frozen=True, eq=False)
class _Sums:
    """Sums (9, 1) of Henderson's estimates, and their changes without parts of the cells.

    In order: ratings, scores, squared scores; of items and then of raters their number, the sum of squared totals
    over counts, and the sum of squared counts.
    """

    cells: CellScores
    total: Floats

    @classmethod
    def from_cells(cls, cells: CellScores) -> "_Sums":
        all_in_one = np.zeros(len(cells.score), dtype=np.int64)
        axes = (cells.item, cells.rater)
        of_axes = [_level_terms(*_counts_and_totals(level, cells.score)).sum(axis=1) for level in axes]
        return cls(cells, np.concatenate([_score_sums(all_in_one, cells.score, 1)[:, 0], *of_axes])[:, None])

    def without(self, part: Codes, parts: int, of_items: Codes | None = None) -> Floats:
        """Return the sums (9, parts) without each part of the cells (c,); cells of part -1 are always kept.

        `of_items` (n,) is the part of each item, if parts consist of whole items.
        """
        has_part = part >= 0
        part_code, score = part[has_part], self.cells.score[has_part]
        changes = [-_score_sums(part_code, score, parts)]
        for levels in (self.cells.item, self.cells.rater):
            counts, totals = _counts_and_totals(levels, self.cells.score)
            in_part, level = part_code, levels[has_part]
            total, count = score, np.ones(len(score))
            if part is levels or (levels is self.cells.item and of_items is not None):
                in_part = np.arange(parts) if of_items is None else of_items
                level, total, count = np.arange(len(counts)), totals, counts
            elif {id(part), id(levels)} != {
                id(self.cells.item),
                id(self.cells.rater),
            }:  # which meet at most once
                in_part, level, total, count = sums_of_pairs(part_code, levels[has_part], score)
            differences = _level_terms(counts[level] - count, totals[level] - total)
            differences -= _level_terms(counts[level], totals[level])
            changes.append(np.array([np.bincount(in_part, one, parts) for one in differences]))
        return self.total + np.concatenate(changes)


def _counts_and_totals(level: Codes, score: Floats) -> tuple[Floats, Floats]:
    return np.bincount(level).astype(np.float64), np.bincount(level, score).astype(np.float64, copy=False)


def _score_sums(part: Codes, score: Floats, parts: int) -> Floats:
    return np.array([np.bincount(part, one, parts) for one in (np.ones(len(score)), score, score**2)])


def _level_terms(count: Floats, total: Floats) -> Floats:
    """Return the terms (3, levels) of levels with these counts and totals: 1, squared total over count, squared
    count."""
    there = count > 0
    return np.array([there, np.where(there, total**2 / np.where(there, count, 1), 0.0), count**2])


def _henderson_variances(sums: Floats) -> Floats:
    """Return variances (3, g) of items, raters and the residual from sums (9, g); NaN where they are not estimable.

    Source: Henderson 1953, method 1; Searle, Casella and McCulloch 1992, section 5.3.
    """
    ratings, total, _, items, of_items, item_counts, raters, of_raters, rater_counts = sums
    with np.errstate(divide="ignore", invalid="ignore"):
        mean, by_item, by_rater = (one / ratings for one in (total**2, item_counts, rater_counts))
    rows: list[list[Any]] = [
        [ratings - by_item, items - by_rater, items - 1],
        [raters - by_item, ratings - by_rater, raters - 1],
        [ratings - by_item, ratings - by_rater, ratings - 1],
    ]
    equations = np.moveaxis(np.array(rows, dtype=np.float64), 2, 0)
    observed = np.array([of_items - mean, of_raters - mean, sums[2] - mean]).T
    size = np.prod(np.abs(np.diagonal(equations, axis1=1, axis2=2)), axis=1)
    with np.errstate(invalid="ignore"):
        is_solvable = np.abs(np.linalg.det(np.nan_to_num(equations))) > ZERO * size
    variances = np.full((3, sums.shape[1]), nan)
    if is_solvable.any():
        variances[:, is_solvable] = np.linalg.solve(equations[is_solvable], observed[is_solvable, :, None])[
            ..., 0
        ].T
        total_variance = observed[is_solvable, 2] / np.maximum(ratings[is_solvable] - 1, 1)
        variances[2, is_solvable] = np.where(
            variances[2, is_solvable] > ZERO * total_variance, variances[2, is_solvable], nan
        )
    return variances


def _transform_variances(sums: Floats, k: float) -> Floats:
    """Return the log of the residual and z of ICC(C,1) and of ICC(A,1), (3, g), from sums (9, g)."""
    items, raters, residual = _henderson_variances(sums)
    noise = np.maximum(raters, LOWEST_RATER_VARIANCE * residual) + residual
    ratios = np.maximum(1 + k * np.array([items / residual, items / noise]), SMALLEST_RATIO)
    return np.vstack([np.log(residual), 0.5 * np.log(ratios)])
