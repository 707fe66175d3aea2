"""Differences of systems by least squares, and how each changes without a topic, a rater or the ratings of both.

The model is score = system + topic + rater, fitted to the sums of each topic, system and rater. The factor with more
levels (topics or raters) is eliminated from the normal equations, so that they hold the systems and the other factor
only. A cluster's change is exact: that of fitting again without it (CR3, the jackknife).
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from analysis.values.columns import coded
from analysis.values.types import Codes, Floats

MOST_EQUATIONS = 2_500
"""Equations that are solved at once; where systems, topics and raters are more, the model has no raters."""
MOST_LOADINGS = 30_000_000
"""Numbers that describe the eliminated factor, up to which the model has raters."""
FEW_ROWS = 100
"""Combinations up to which a cluster is deleted by its hat matrix though the equations are fewer."""
SINGULAR = 1e-8
"""Eigenvalue or pivot of scaled equations below which it is 0."""
MOST_STEPS, CONVERGED = 12, 1e-14
"""Steps in which equations without a level are solved by those with it, and the part of the effects that is none."""
BLOCK = 4_000_000
"""Numbers in memory at once."""


@dataclass(frozen=True, eq=False)
class Design:
    """Sums of n combinations of system, topic and rater that occur.

    `system`, `topic`, `rater` (n,) codes from 0, each of which occurs; `count` (n,) ratings and `mean` (n,) of their
    scores; `weight` (n,) their part of the ratings of their system and topic. `has_topics` is False where topics stand
    for items that each belong to one system: they then have no effects of their own.
    """

    system: Codes
    topic: Codes
    rater: Codes
    count: Floats
    mean: Floats
    weight: Floats
    has_topics: bool = True

    @cached_property
    def systems(self) -> int:
        """Number of systems."""
        return _levels(self.system)


@dataclass(frozen=True, eq=False)
class Fit:
    """Least squares of a design.

    `score` (S,) of the systems, mean 0, and `residual` (n,). `column` (n, m) holds the places of a combination's
    system and other factor among the p equations, `inner` (n,) its level of the eliminated factor; `column_weight` (p,)
    and `inner_weight` (levels,) are their total weights. `inverse` (p, p) is the pseudo-inverse of the equations,
    `share` (levels, p) the part of each column in a level, `loading` their product. `is_estimable` says whether the
    model determines all differences of systems.
    """

    design: Design
    score: Floats
    residual: Floats
    column: Codes
    column_weight: Floats
    inner: Codes
    inner_weight: Floats
    equations: Floats
    inverse: Floats
    share: Floats
    loading: Floats
    is_estimable: bool

    @cached_property
    def within(self) -> Floats:
        """Weight (levels, p) of each column in each level."""
        return np.asarray(self.share * self.inner_weight[:, None])

    @cached_property
    def reduction(self) -> Floats:
        """Part (p, p) of the equations that went when the levels were eliminated."""
        return np.asarray(self.within.T @ self.share)

    @cached_property
    def gradients(self) -> tuple[Floats, Floats]:
        """Changes of the scores per unit of weight in a column (p, S), and in an inner level (levels, S)."""
        found = self.inverse[:, : self.design.systems], self.loading[:, : self.design.systems]
        return found[0] - found[0].mean(axis=1, keepdims=True), found[1].mean(axis=1, keepdims=True) - found[
            1
        ]

    @cached_property
    def squares(self) -> Floats:
        """Variance (n,) that an error of variance 1 in each combination's mean adds to the sum of the scores'."""
        # |a + b + c|² from the inner products of the gradients of columns a, b and of levels c.
        of_columns, of_levels = self.gradients
        columns = of_columns @ of_columns.T
        own = np.diag(columns)
        both = 2 * of_levels @ of_columns.T + own
        level = np.einsum("ls,ls->l", of_levels, of_levels)
        size, found = len(own), level[self.inner]
        for at, column in enumerate(self.column.T):
            found += both.ravel()[self.inner * size + column]
            for other in self.column.T[:at]:
                found += 2 * columns.ravel()[other * size + column]
        return np.asarray(found * self.design.weight**2)

    @cached_property
    def level_leverage(self) -> Floats:
        """Part (levels,) of a hat matrix's entries that the columns add where both are of one inner level."""
        return np.asarray(np.einsum("lp,lp->l", self.loading, self.share))

    def gradient(self, rows: Codes) -> Floats:
        """Return how the scores (…, S) change with the means of combinations (…,), per unit of weight."""
        of_columns, of_levels = self.gradients
        found = of_levels[self.inner[rows]]
        for column in self.column.T:
            found += of_columns[column[rows]]
        return found


def fit(design: Design) -> Fit:
    """Fit system + topic + rater; without topics where these are items, without raters where equations are too many."""
    systems, column, inner = design.systems, design.system[:, None], design.rater
    if design.has_topics:
        topics, raters = _levels(design.topic), _levels(design.rater)
        fewer, more = sorted((topics, raters))
        equations = systems + fewer
        if equations > MOST_EQUATIONS or equations * more > MOST_LOADINGS:
            inner = design.topic
        else:
            outer, inner = (design.rater, design.topic) if topics >= raters else (design.topic, design.rater)
            column = np.empty((2, len(inner)), dtype=np.int64).T
            column[:, 0] = design.system
            np.add(outer, systems, out=column[:, 1])
    size, levels = int(column.max(initial=0)) + 1, _levels(inner)
    weight = design.weight
    mean = design.mean - np.average(design.mean, weights=weight)
    inner_weight = np.bincount(inner, weight).astype(np.float64)
    within = sum(
        (np.bincount(inner * size + each, weight, levels * size).reshape(levels, size) for each in column.T),
        start=np.zeros((levels, size)),
    )
    share = within / inner_weight[:, None]
    products = _outer_products(column, weight, size)
    reduced = products - within.T @ share
    right = sum((np.bincount(each, weight * mean, size) for each in column.T), start=np.zeros(size))
    of_inner = np.bincount(inner, weight * mean)
    values, vectors = np.linalg.eigh(reduced)
    free = values <= 1e-10 * max(float(values[-1]), 1e-300)
    is_estimable = bool((np.ptp(vectors[:systems, free], axis=0) <= 1e-7).all())
    kept = vectors[:, ~free]
    inverse = (kept / values[~free]) @ kept.T
    effect = inverse @ (right - share.T @ of_inner)
    level = of_inner / inner_weight - share @ effect
    residual = mean - level[inner]
    for each in column.T:
        residual -= effect[each]
    score = effect[:systems] - effect[:systems].mean()
    return Fit(
        design, score, residual, column, np.diag(products), inner, inner_weight, reduced, inverse, share,
        share @ inverse, is_estimable,
    )  # fmt: skip


def changes(fitted: Fit, cluster: Codes) -> Floats:
    """Return the scores with all ratings minus those without each cluster, times sqrt((G - 1) / G): (G, S).

    `cluster` (n,) holds the codes of G clusters. The cross products of what is returned are the jackknife's variances.
    """
    size, equations = np.bincount(cluster), len(fitted.equations)
    are_levels = np.array_equal(cluster, fitted.inner)
    by_rows = size <= (equations if are_levels else max(equations, FEW_ROWS))
    found = np.zeros((len(size), fitted.design.systems))
    order = np.argsort(cluster.astype(np.min_scalar_type(len(size))), kind="stable")
    start = np.cumsum(size) - size
    for rows in np.flatnonzero(np.bincount(size[by_rows])).tolist():
        same = np.flatnonzero(size == rows)
        memory = rows * max(rows, equations if fitted.column.shape[1] > 1 else 1)
        for some in _blocks(same, memory):
            found[some] = _change_by_rows(fitted, order[start[some][:, None] + np.arange(rows)])
    large = np.flatnonzero(~by_rows)
    for some in _blocks(large, equations**2 if are_levels else BLOCK):
        rows_of_each = [order[start[one] : start[one] + size[one]] for one in some]
        delete = _change_of_levels if are_levels else _change_by_equations
        found[some] = delete(fitted, np.concatenate(rows_of_each))
    return np.asarray(found * np.sqrt((len(size) - 1) / len(size)))


def _blocks(clusters: Codes, memory: int) -> list[Codes]:
    """Return clusters in blocks, for so many numbers that each needs in memory."""
    step = max(1, int(BLOCK // memory))
    return [clusters[at : at + step] for at in range(0, len(clusters), step)]


def _change_by_rows(fitted: Fit, rows: Codes) -> Floats:
    """Changes (b, S) without each of b clusters of n combinations (b, n), from the clusters' hat matrices."""
    weight = fitted.design.weight[rows]
    root = np.sqrt(weight)
    column, inner = fitted.column[rows], fitted.inner[rows]
    if (inner == inner[:, :1]).all() and (column[:, :, 1:] == column[:, :1, 1:]).all():
        of_cells = root.T, (root * fitted.residual[rows]).T, fitted.design.system[rows].T
        found = change_of_cells(fitted, *of_cells, inner[:, 0], column[:, 0, 1:].T)
        if found is not None:
            return found
    hat = np.zeros((*rows.shape, rows.shape[1]))
    for one in range(column.shape[2]):
        across = fitted.loading[inner[:, :, None], column[:, None, :, one]]
        hat -= across + across.transpose(0, 2, 1)
        for other in range(column.shape[2]):
            hat += fitted.inverse[column[:, :, None, one], column[:, None, :, other]]
    if (inner == inner[:, :1]).all():
        hat += fitted.level_leverage[inner[:, :1, None]]
    else:
        hat += fitted.loading[inner] @ fitted.share[inner].transpose(0, 2, 1)
    left = np.eye(rows.shape[1]) - root[:, :, None] * root[:, None, :] * hat
    # A topic or rater that occurs in this cluster only goes with it: neither residuals nor scores depend on it.
    own, same = _own(inner, weight, fitted.inner_weight)
    pair = root[:, :, None] * root[:, None, :] * same
    left -= pair * ~own[:, :, None] / fitted.inner_weight[inner][:, :, None]
    if column.shape[2] > 1:
        level = column[:, :, 1]
        own, same = _own(level, weight, fitted.column_weight)
        left += (
            root[:, :, None]
            * root[:, None, :]
            * same
            * own[:, :, None]
            / fitted.column_weight[level][:, :, None]
        )
    solved = _solve(left, root * fitted.residual[rows])
    return np.asarray(np.einsum("bns,bn->bs", fitted.gradient(rows), root * solved))


def change_of_cells(
    fitted: Fit, root: Floats, residual: Floats, system: Codes, inner: Codes, others: Codes
) -> Floats | None:
    """Return the same for clusters whose combinations (n, b) differ in nothing but their system (n, b), or (n, 1).

    `root` is that of their weights, by which their residuals are multiplied; `inner` (b,) and `others` (m - 1, b) are
    the clusters' level and other columns. None where the matrix of one is singular.
    """
    total = (root**2).sum(axis=0)
    of_columns, of_levels = fitted.gradients
    by_system, alike = -fitted.loading[inner, system], fitted.level_leverage[inner]
    outer = of_levels[inner]
    # A topic or rater that occurs in this cluster only goes with it, as in `_change_by_rows`.
    level = fitted.inner_weight[inner]
    alike += np.where(total > level * (1 - 1e-9), 0.0, 1 / level)
    for other in others:
        by_system += fitted.inverse[system, other]
        alike += fitted.inverse[other, other] - 2 * fitted.loading[inner, other]
        level = fitted.column_weight[other]
        alike -= np.where(total > level * (1 - 1e-9), 1 / level, 0.0)
        outer += of_columns[other]
    # Cholesky's factors of all clusters at once, column by column: so small ones take LAPACK longer to enter than do.
    removed, lower = residual.copy(), np.empty((*root.shape[:1], *root.shape))
    for at in range(len(root)):
        left = fitted.inverse[system[at:], system[at]] + by_system[at:]
        left += by_system[at] + alike
        left *= root[at:]
        left *= -root[at]
        left[0] += 1
        left -= np.einsum("ikb,kb->ib", lower[at:, :at], lower[at, :at])
        if (left[0] <= SINGULAR).any():
            return None
        lower[at:, at] = left / np.sqrt(left[0])
        removed[at] -= np.einsum("kb,kb->b", lower[at, :at], removed[:at])
        removed[at] /= lower[at, at]
    for at in reversed(range(len(root))):
        removed[at] -= np.einsum("kb,kb->b", lower[at + 1 :, at], removed[at + 1 :])
        removed[at] /= lower[at, at]
    removed *= root
    systems, many = fitted.design.systems, root.shape[1]
    place = np.arange(many) * systems + system
    by_column = np.bincount(place.ravel(), removed.ravel(), many * systems).reshape(-1, systems)
    return np.asarray(by_column @ of_columns[:systems] + removed.sum(axis=0)[:, None] * outer)


def _own(level: Codes, weight: Floats, total: Floats) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return whether the level of each combination (b, n) has all its weight in the cluster, and which share one."""
    same = level[:, :, None] == level[:, None, :]
    inside = np.einsum("bij,bj->bi", same, weight)
    return inside > total[level] * (1 - 1e-9), same


def _change_by_equations(fitted: Fit, rows: Codes) -> Floats:
    """Change (1, S) without one cluster that has more combinations (n,) than there are equations: solve them again."""
    column, weight, size = fitted.column[rows], fitted.design.weight[rows], len(fitted.equations)
    residual = weight * fitted.residual[rows]
    touched, inner = coded(fitted.inner[rows])
    within = fitted.within[touched]
    before = fitted.reduction if len(touched) == len(fitted.share) else within.T @ fitted.share[touched]
    for each in column.T:
        within -= np.bincount(inner * size + each, weight, within.size).reshape(-1, size)
    right = np.zeros(size)
    for each in column.T:
        right += np.bincount(each, residual, size)
    equations = fitted.equations + before - _outer_products(column, weight, size)
    gone, with_them = (np.bincount(inner, of).astype(np.float64) for of in (weight, residual))
    return change_without(fitted, equations, right, touched, within, gone, with_them)


def change_without(
    fitted: Fit,
    equations: Floats,
    right: Floats,
    touched: Codes,
    within: Floats,
    weight: Floats,
    residual: Floats,
) -> Floats:
    """Return the change (1, S) without one cluster, before the levels (l,) that it touches are eliminated again.

    `within` (l, p) is the weight of each column left in them, `weight` and `residual` (l,) the weights that went from
    each and these times their residuals.
    """
    left = fitted.inner_weight[touched] - weight
    stays = left > fitted.inner_weight[touched] * 1e-9
    # A product of a matrix with itself takes half the time of one with another.
    root = np.sqrt(np.divide(1.0, left, out=np.zeros_like(left), where=stays))
    within = within * root[:, None]
    equations = equations - within.T @ within
    right = right - within.T @ (root * residual)
    return _solve_again(fitted, equations[None], right[None])


def _change_of_levels(fitted: Fit, rows: Codes) -> Floats:
    """Return the same without each of b levels of the eliminated factor (b, S); these are their rows, in order."""
    column, weight, size = fitted.column[rows], fitted.design.weight[rows], len(fitted.equations)
    levels, place = coded(fitted.inner[rows])
    many, systems = len(levels), fitted.design.systems
    residual, right, both = (
        weight * fitted.residual[rows],
        np.zeros(many * size),
        np.zeros((many, systems, 0)),
    )
    for each in column.T:
        right += np.bincount(place * size + each, residual, many * size)
    for other in column.T[1:]:
        cells = (place * systems + column[:, 0]) * (size - systems) + other - systems
        both = np.bincount(cells, weight, many * systems * (size - systems)).astype(np.float64)
        both = both.reshape(many, systems, -1)
    return change_without_levels(fitted, levels, right.reshape(many, size), both)


def change_without_levels(fitted: Fit, levels: Codes, right: Floats, both: Floats) -> Floats:
    """Return the same from the levels' sums (b, p) of weighted residuals in each column.

    `both` (b, S, p - S) are their weights by system and other column.
    """
    systems, size, share, before = (
        fitted.design.systems,
        right.shape[1],
        fitted.share[levels],
        fitted.within[levels],
    )

    def gone(effect: Floats) -> Floats:
        """Return what the equations without each level lack, times effects (b, p)."""
        found = before * effect - before * np.einsum("bp,bp->b", share, effect)[:, None]
        found[:, :systems] += np.matmul(both, effect[:, systems:, None])[:, :, 0]
        found[:, systems:] += np.matmul(effect[:, None, :systems], both)[:, 0]
        return np.asarray(found)

    effect = first = right @ fitted.inverse
    for _ in range(MOST_STEPS):
        before_step, effect = effect, first + gone(effect) @ fitted.inverse
        if (np.abs(effect - before_step).max(axis=1) <= CONVERGED * np.abs(effect).max(axis=1)).all():
            return np.asarray(effect[:, :systems] - effect[:, :systems].mean(axis=1, keepdims=True))
    at = np.arange(size)
    equations = fitted.equations + before[:, :, None] * share[:, None, :]
    equations[:, at, at] -= before
    equations[:, :systems, systems:] -= both
    equations[:, systems:, :systems] -= both.transpose(0, 2, 1)
    return _solve_again(fitted, equations, right)


def _solve_again(fitted: Fit, equations: Floats, right: Floats) -> Floats:
    """Return the scores (b, S) that solve equations (b, p, p) of right-hand sides (b, p)."""
    systems, size = fitted.design.systems, right.shape[1]
    diagonal = np.diagonal(equations, axis1=1, axis2=2)
    typical = diagonal.mean(axis=1)[:, None]
    empty, at = np.nonzero(diagonal <= 1e-9 * typical)
    # What adds the same to all systems, or to all levels of the other factor, belongs to the eliminated one.
    filled = equations / typical[:, :, None]
    filled[:, :systems, :systems] += 1 / systems
    if size > systems:
        filled[:, systems:, systems:] += 1 / (size - systems)
    filled[empty, at, at] += 1.0
    score = _solve(filled, right / typical)[:, :systems]
    return np.asarray(score - score.mean(axis=1, keepdims=True))


def _solve(matrices: Floats, right: Floats) -> Floats:
    """Solve symmetric systems (b, n, n) of right-hand sides (b, n), by the pseudo-inverse where one is singular.

    Their largest eigenvalues are about 1, so that smaller ones are 0 below an absolute limit.
    """
    try:
        lower = np.linalg.cholesky(matrices)
    except np.linalg.LinAlgError:
        lower = np.zeros_like(matrices)
    pivot = np.diagonal(lower, axis1=1, axis2=2)
    if not (pivot**2 > SINGULAR).all():
        values, vectors = np.linalg.eigh(matrices)
        along = np.einsum("bnk,bn->bk", vectors, right)
        along = np.where(values > SINGULAR, along / np.where(values > SINGULAR, values, 1.0), 0.0)
        return np.asarray(np.einsum("bnk,bk->bn", vectors, along))
    if len(matrices) < right.shape[1]:
        return np.asarray(np.linalg.solve(matrices, right[:, :, None])[:, :, 0])
    # All b systems are solved a row at a time: LAPACK would factor each again.
    found = right.copy()
    for at in range(right.shape[1]):
        found[:, at] -= np.einsum("bn,bn->b", lower[:, at, :at], found[:, :at])
        found[:, at] /= pivot[:, at]
    for at in reversed(range(right.shape[1])):
        found[:, at] -= np.einsum("bn,bn->b", lower[:, at + 1 :, at], found[:, at + 1 :])
        found[:, at] /= pivot[:, at]
    return found


def _outer_products(column: Codes, weight: Floats, size: int) -> Floats:
    """Weights (p, p) of each pair of columns."""
    total = np.zeros((size, size))
    for at, one in enumerate(column.T):
        for other in column.T[:at]:
            both = np.bincount(one * size + other, weight, size * size).reshape(size, size)
            total += both + both.T
        total[np.arange(size), np.arange(size)] += np.bincount(one, weight, size)
    return total


def variances_added(fitted: Fit, cluster: Codes) -> tuple[Floats, Floats]:
    """Return what effects of variance 1 add to the sum of the scores' variances, cluster by cluster (G,).

    The first are effects of each system in each cluster, the second independent errors of single ratings.
    """
    design, systems, clusters = fitted.design, fitted.design.systems, _levels(cluster)
    errors = np.bincount(cluster, fitted.squares / design.count, clusters).astype(np.float64)
    pair = cluster * systems + design.system
    if np.bincount(pair).max() == 1:  # each effect is that of one combination
        return np.bincount(cluster, fitted.squares, clusters).astype(np.float64), errors
    of_columns, of_levels = fitted.gradients
    total = np.bincount(pair, design.weight, clusters * systems)[:, None]
    moved = total * np.tile(of_columns[:systems], (clusters, 1))
    parts = [(other - systems, of_columns[systems:]) for other in fitted.column.T[1:]]
    for part, gradient in (*parts, (fitted.inner, of_levels)):
        if np.array_equal(cluster, part):
            moved += total * np.repeat(gradient, systems, axis=0)
        else:
            weights = sparse.csr_array((design.weight, (pair, part)), (len(moved), len(gradient)))
            moved += weights @ gradient
    return np.einsum("gk,gk->g", *2 * [moved.reshape(clusters, -1)]), errors


def _levels(codes: Codes) -> int:
    return int(codes.max(initial=-1)) + 1
