"""Differences of systems by least squares: score = system + topic + rater.

It is fitted to the sums of each topic, system and rater. The factor with more levels (topics or raters) is eliminated
from the normal equations, so that they hold the systems and the other factor only.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from analysis.values.estimate import Codes, Floats

MOST_EQUATIONS = 2_500
"""Equations that are solved at once; where systems, topics and raters are more, the model has no raters."""
MOST_LOADINGS = 30_000_000
"""Numbers that describe the eliminated factor, up to which the model has raters."""
MOST_PLACES = 2
"""Places of a table of all combinations for each that occurs, up to which there is one."""
SMALLEST = 100_000
"""Combinations from which a full table is faster."""


@dataclass(frozen=True, eq=False)
class Design:
    """Sums of n combinations of system, topic and rater that occur, in c cells of a system and a topic.

    `system_of`, `topic_of` (c,) codes of the cells and `rater` (n,) codes, all from 0 and each of which occurs; `cell`
    (n,) of each combination; `count` (n,) ratings and `sums` (n,) of their scores. `has_topics` is False where topics
    stand for items that each belong to one system: they then have no effects of their own.
    """

    system_of: Codes
    topic_of: Codes
    cell: Codes
    rater: Codes
    count: Floats
    sums: Floats
    has_topics: bool = True

    @cached_property
    def systems(self) -> int:
        """Number of systems."""
        return count_levels(self.system_of)

    @cached_property
    def system(self) -> Codes:
        """System (n,) of each combination."""
        return self.system_of[self.cell]

    @cached_property
    def topic(self) -> Codes:
        """Topic (n,) of each combination."""
        return self.topic_of[self.cell]

    @cached_property
    def ratings(self) -> Floats:
        """Number of ratings (c,) of each cell."""
        return np.bincount(self.cell, self.count, len(self.system_of)).astype(np.float64, copy=False)

    @cached_property
    def mean(self) -> Floats:
        """Mean score (n,) of each combination."""
        return self.sums / self.count

    @cached_property
    def weight(self) -> Floats:
        """Each combination's part (n,) of the ratings of its system and topic."""
        return self.count / self.ratings[self.cell]

    @cached_property
    def grand_mean(self) -> float:
        """Mean of the means of all cells."""
        sums = np.bincount(self.cell, self.sums, len(self.system_of))
        return float((sums / self.ratings).mean())

    @property
    def variance(self) -> float:
        """Variance of the combinations' means, each as often as it has ratings."""
        total = float(self.count.sum())
        beyond = self.sums - self.count * (float(self.sums.sum()) / total)
        return float(beyond @ (beyond / self.count)) / total

    def without_raters(self) -> "Design":
        """Return the same, of one rater."""
        return Design(
            self.system_of,
            self.topic_of,
            self.cell,
            np.zeros_like(self.rater),
            self.count,
            self.sums,
            self.has_topics,
        )


@dataclass(frozen=True, eq=False)
class FullTable:
    """Full table (levels, others, S) of the eliminated factor, the other factor and the systems, 0 for empty cells.

    `weight` of each combination, and `weighted_residual`, its residual times its weight (before the fit, its score
    times its weight). `ratings` (others, S) or (levels, 1, S) of each cell.
    """

    weight: Floats
    weighted_residual: Floats
    ratings: Floats


@dataclass(frozen=True, eq=False)
class Fit:
    """Least squares of a design.

    `score` (S,) of the systems, mean 0. The p equations are of the systems and, where there is one, of the `other`
    factor, "topic" or "rater"; `eliminated` is the one left out. `effect` (p,) and `level` (levels,) are
    their effects, `column_weight` (p,) and `inner_weight` (levels,) their total weights. `inverse` (p, p) is the
    pseudo-inverse of the equations, `share` (levels, p) the part of each column in a level, `loading` their product.
    `is_estimable` says whether the model determines all differences of systems. `table` holds all combinations, where
    most occur.
    """

    design: Design
    eliminated: str
    other: str | None
    effect: Floats
    level: Floats
    column_weight: Floats
    inner_weight: Floats
    equations: Floats
    inverse: Floats
    share: Floats
    loading: Floats
    is_estimable: bool
    table: FullTable | None

    @cached_property
    def score(self) -> Floats:
        """Effects (S,) of the systems, mean 0."""
        effect = self.effect[: self.design.systems]
        return np.asarray(effect - effect.mean())

    @property
    def level_of(self) -> Codes:
        """Level (n,) of the eliminated factor of each combination."""
        levels: Codes = getattr(self.design, self.eliminated)
        return levels

    @cached_property
    def column(self) -> Codes:
        """Indices (n, m) of each combination's system and other factor among the equations."""
        return _columns(self.design, self.other)

    @cached_property
    def residual(self) -> Floats:
        """Mean score (n,) of each combination minus the fitted value."""
        residual = self.design.mean - self.design.grand_mean - self.level[self.level_of]
        for each in self.column.T:
            residual -= self.effect[each]
        return residual

    @cached_property
    def level_weights(self) -> Floats:
        """Weight (levels, p) of each column in each level."""
        return np.asarray(self.share * self.inner_weight[:, None])

    @cached_property
    def reduction(self) -> Floats:
        """Terms (p, p) subtracted from the equations by eliminating the levels."""
        return np.asarray(self.level_weights.T @ self.share)

    @cached_property
    def gradients(self) -> tuple[Floats, Floats]:
        """Changes of the scores per unit of weight in a column (p, S), and in an inner level (levels, S)."""
        found = self.inverse[:, : self.design.systems], self.loading[:, : self.design.systems]
        return found[0] - found[0].mean(axis=1, keepdims=True), found[1].mean(axis=1, keepdims=True) - found[
            1
        ]

    @cached_property
    def squares(self) -> Floats:
        """Variance (n,) of the sum of the scores due to an error of variance 1 in each combination's mean."""
        # |a + b + c|² from the inner products of the gradients of columns a, b and of levels c.
        column_gradients, level_gradients = self.gradients
        columns = column_gradients @ column_gradients.T
        own_squares = np.diag(columns)
        cross_products = 2 * level_gradients @ column_gradients.T + own_squares
        level = np.einsum("ls,ls->l", level_gradients, level_gradients)
        size, variance = len(own_squares), level[self.level_of]
        for index, column in enumerate(self.column.T):
            variance += cross_products.ravel()[self.level_of * size + column]
            for other in self.column.T[:index]:
                variance += 2 * columns.ravel()[other * size + column]
        return np.asarray(variance * self.design.weight**2)

    @cached_property
    def level_leverage(self) -> Floats:
        """Part (levels,) of a hat matrix's entries that the columns add where both are of one inner level."""
        return np.asarray(np.einsum("lp,lp->l", self.loading, self.share))

    def gradient(self, rows: Codes) -> Floats:
        """Return derivatives of the scores (…, S) by the means of combinations (…,), per unit of weight."""
        column_gradients, level_gradients = self.gradients
        gradient = level_gradients[self.level_of[rows]]
        for column in self.column.T:
            gradient += column_gradients[column[rows]]
        return gradient


def fit_design(design: Design) -> Fit:
    """Fit system + topic + rater, without topics if these are items, without raters if there are too many equations."""
    systems, eliminated, other = design.systems, "rater", None
    if design.has_topics:
        topics, raters = count_levels(design.topic_of), count_levels(design.rater)
        smaller, larger = sorted((topics, raters))
        eliminated, other = ("topic", "rater") if topics >= raters else ("rater", "topic")
        if systems + smaller > MOST_EQUATIONS or (systems + smaller) * larger > MOST_LOADINGS:
            eliminated, other = "topic", None
    table = _full_table(design, eliminated, other)
    if table is None:
        within, products, right_side, inner_scores = _sums_from_design(design, eliminated, other)
    else:
        within, products, right_side, inner_scores = _sums_from_table(table)
    column_weight = np.diag(products)
    inner_weight = within[:, :systems].sum(axis=1)
    share = within / inner_weight[:, None]
    reduced = products - within.T @ share
    values, vectors = np.linalg.eigh(reduced)
    is_null = values <= 1e-10 * max(float(values[-1]), 1e-300)
    is_estimable = bool((np.ptp(vectors[:systems, is_null], axis=0) <= 1e-7).all())
    estimable = vectors[:, ~is_null]
    inverse = (estimable / values[~is_null]) @ estimable.T
    effect = inverse @ (right_side - share.T @ inner_scores)
    level = inner_scores / inner_weight - share @ effect
    if table is not None:
        expected = level[:, None] + effect[systems:]
        for index in range(systems):
            table.weighted_residual[:, :, index] -= table.weight[:, :, index] * (expected + effect[index])
    return Fit(
        design, eliminated, other, effect, level, column_weight, inner_weight, reduced, inverse, share,
        share @ inverse, is_estimable, table,
    )  # fmt: skip


def _columns(design: Design, other: str | None) -> Codes:
    """Return the indices (n, m) of each combination's system and other factor among the equations."""
    if other is None:
        return design.system[:, None]
    column = np.empty((2, len(design.cell)), dtype=np.int64).T
    column[:, 0] = design.system
    np.add(getattr(design, other), design.systems, out=column[:, 1])
    return column


def _sums_from_design(
    design: Design, eliminated: str, other: str | None
) -> tuple[Floats, Floats, Floats, Floats]:
    """Weights (levels, p) within levels and (p, p) of pairs, and weighted scores (p,) and (levels,)."""
    column, inner, weight = _columns(design, other), getattr(design, eliminated), design.weight
    size, levels = int(column.max(initial=0)) + 1, count_levels(inner)
    scores = weight * (design.mean - design.grand_mean)
    within = sum(
        (np.bincount(inner * size + code, weight, levels * size).reshape(levels, size) for code in column.T),
        start=np.zeros((levels, size)),
    )
    right_side = sum((np.bincount(code, scores, size) for code in column.T), start=np.zeros(size))
    of_inner = np.bincount(inner, scores).astype(np.float64, copy=False)
    return np.asarray(within), outer_products(column, weight, size), np.asarray(right_side), of_inner


def _sums_from_table(table: FullTable) -> tuple[Floats, Floats, Floats, Floats]:
    """Weights (levels, p) within levels and (p, p) of pairs, and weighted scores (p,) and (levels,)."""
    pair_weights, scores = table.weight.sum(axis=0), table.weighted_residual.sum(axis=0)
    within = np.concatenate([table.weight.sum(axis=1), sum_over_systems(table.weight)], axis=1)
    products = np.diag(within.sum(axis=0))
    systems = pair_weights.shape[1]
    products[systems:, :systems], products[:systems, systems:] = pair_weights, pair_weights.T
    right_side = np.append(scores.sum(axis=0), scores.sum(axis=1))
    return within, products, right_side, sum_over_systems(table.weighted_residual).sum(axis=1)


def sum_over_systems(values: Floats) -> Floats:
    """Sum a table over systems (levels, others)."""
    return np.asarray(values @ np.ones(values.shape[2]))


def _full_table(design: Design, eliminated: str, other: str | None) -> FullTable | None:
    """Build the table of all combinations before the fit, None if there are few, or most do not occur."""
    if other is None or len(design.cell) < SMALLEST:
        return None
    topics, raters, systems = count_levels(design.topic_of), count_levels(design.rater), design.systems
    is_by_topic = eliminated == "topic"
    shape = (topics, raters, systems) if is_by_topic else (raters, topics, systems)
    size = shape[0] * shape[1] * systems
    if size > MOST_PLACES * len(design.cell):
        return None
    # Position of each combination in the flat table: offset of its cell plus that of its rater.
    topic_stride, rater_stride = (raters * systems, systems) if is_by_topic else (systems, topics * systems)
    position = (design.topic_of * topic_stride + design.system_of)[design.cell]
    position += design.rater * rater_stride
    ratings = np.ones((topics, systems))
    ratings[design.topic_of, design.system_of] = design.ratings
    ratings = ratings[:, None] if is_by_topic else ratings
    weight, scores = np.zeros(size), np.zeros(size)
    weight[position], scores[position] = design.count, design.sums
    weight, scores = weight.reshape(shape), scores.reshape(shape)
    weight /= ratings
    scores /= ratings
    for at in range(systems):
        scores[:, :, at] -= weight[:, :, at] * design.grand_mean
    return FullTable(weight, scores, ratings)


def outer_products(column: Codes, weight: Floats, size: int) -> Floats:
    """Sum the weights (p, p) of each pair of columns."""
    total = np.zeros((size, size))
    for index, first in enumerate(column.T):
        for second in column.T[:index]:
            pair_weights = np.bincount(first * size + second, weight, size * size).reshape(size, size)
            total += pair_weights + pair_weights.T
        total[np.arange(size), np.arange(size)] += np.bincount(first, weight, size)
    return total


def count_levels(codes: Codes) -> int:
    """Return the number of levels of codes from 0."""
    return int(codes.max(initial=-1)) + 1
