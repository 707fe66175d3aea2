"""Differences of systems by least squares, and how each changes without a topic, a rater or the ratings of both.

The model is score = system + topic + rater, fitted to the sums of each topic, system and rater. The factor with more
levels (topics or raters) is eliminated from the normal equations, so that they hold the systems and the other factor
only. A cluster's change is exact: that of fitting again without it (CR3, the jackknife).
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]

MOST_EQUATIONS = 2_500
"""Equations that are solved at once; where systems, topics and raters are more, the model has no raters."""
MOST_LOADINGS = 30_000_000
"""Numbers that describe the eliminated factor, up to which the model has raters."""
SINGULAR = 1e-8
"""Part of the largest below which an eigenvalue or a pivot is 0."""
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

    @property
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

    def gradient(self, rows: Codes) -> Floats:
        """Return how the scores (…, S) change with the means of combinations (…,), per unit of weight."""
        systems = self.design.systems
        to_systems = self.inverse[:, :systems]
        found = to_systems[self.column[rows]].sum(axis=-2) - self.loading[self.inner[rows], :systems]
        return np.asarray(found - found.mean(axis=-1, keepdims=True))


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
            column = np.stack([design.system, systems + outer], axis=1)
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
    residual = mean - effect[column].sum(axis=1) - level[inner]
    score = effect[:systems] - effect[:systems].mean()
    return Fit(
        design, score, residual, column, np.diag(products), inner, inner_weight, reduced, inverse, share,
        share @ inverse, is_estimable,
    )  # fmt: skip


def changes(fitted: Fit, cluster: Codes) -> Floats:
    """Return the scores with all ratings minus those without each cluster, times sqrt((G - 1) / G): (G, S).

    `cluster` (n,) holds the codes of G clusters. The cross products of what is returned are the jackknife's variances.
    """
    size = np.bincount(cluster)
    order, start = np.argsort(cluster, kind="stable"), np.cumsum(size) - size
    found = np.zeros((len(size), fitted.design.systems))
    equations = len(fitted.equations)
    for rows in np.unique(size[size <= equations]):
        same = np.flatnonzero(size == rows)
        memory = rows * max(rows, equations if fitted.column.shape[1] > 1 else 1)
        step = max(1, int(BLOCK // memory))
        for at in range(0, len(same), step):
            some = same[at : at + step]
            found[some] = _change_by_rows(fitted, order[start[some][:, None] + np.arange(rows)])
    for large in np.flatnonzero(size > equations):
        found[large] = _change_by_equations(fitted, order[start[large] : start[large] + size[large]])
    return np.asarray(found * np.sqrt((len(size) - 1) / len(size)))


def _change_by_rows(fitted: Fit, rows: Codes) -> Floats:
    """Changes (b, S) without each of b clusters of n combinations (b, n), from the clusters' hat matrices."""
    weight = fitted.design.weight[rows]
    root = np.sqrt(weight)
    column, inner = fitted.column[rows], fitted.inner[rows]
    hat = np.zeros((*rows.shape, rows.shape[1]))
    for one in range(column.shape[2]):
        across = fitted.loading[inner[:, :, None], column[:, None, :, one]]
        hat -= across + across.transpose(0, 2, 1)
        for other in range(column.shape[2]):
            hat += fitted.inverse[column[:, :, None, one], column[:, None, :, other]]
    if (inner == inner[:, :1]).all():
        hat += np.einsum("bp,bp->b", fitted.loading[inner[:, 0]], fitted.share[inner[:, 0]])[:, None, None]
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
    solved = _solve(left, (root * fitted.residual[rows])[:, :, None])[:, :, 0]
    return np.asarray(np.einsum("bns,bn->bs", fitted.gradient(rows), root * solved))


def _own(level: Codes, weight: Floats, total: Floats) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return whether the level of each combination (b, n) has all its weight in the cluster, and which share one."""
    same = level[:, :, None] == level[:, None, :]
    inside = np.einsum("bij,bj->bi", same, weight)
    return inside > total[level] * (1 - 1e-9), same


def _change_by_equations(fitted: Fit, rows: Codes) -> Floats:
    """Change (S,) without one cluster that has more combinations (n,) than there are equations: solve them again."""
    column, weight, size = fitted.column[rows], fitted.design.weight[rows], len(fitted.equations)
    residual = weight * fitted.residual[rows]
    touched, inner = np.unique(fitted.inner[rows], return_inverse=True)
    before = fitted.share[touched] * fitted.inner_weight[touched][:, None]
    gone = sum(
        (
            np.bincount(inner * size + each, weight, len(touched) * size).reshape(-1, size)
            for each in column.T
        ),
        start=np.zeros((len(touched), size)),
    )
    left = fitted.inner_weight[touched] - np.bincount(inner, weight)
    stays = left > fitted.inner_weight[touched] * 1e-9
    within = (before - gone)[stays]
    share = within / left[stays][:, None]
    equations = fitted.equations + before.T @ fitted.share[touched] - _outer_products(column, weight, size)
    equations -= within.T @ share
    right = sum((np.bincount(each, residual, size) for each in column.T), start=np.zeros(size))
    right -= share.T @ np.bincount(inner, residual)[stays]
    # What adds the same to all systems, or to all levels of the other factor, belongs to the eliminated one.
    systems, typical = fitted.design.systems, np.trace(equations) / size
    filled = equations / typical
    filled[:systems, :systems] += 1 / systems
    if size > systems:
        filled[systems:, systems:] += 1 / (size - systems)
    empty = np.diag(equations) <= 1e-9 * typical
    filled[empty, empty] += 1.0
    change = _solve(filled[None], right[None, :, None] / typical)[0, :systems, 0]
    return np.asarray(change - change.mean())


def _solve(matrices: Floats, right: Floats) -> Floats:
    """Solve symmetric systems (b, n, n) of right-hand sides (b, n, 1), by the pseudo-inverse where one is singular."""
    try:
        pivots = np.diagonal(np.linalg.cholesky(matrices), axis1=1, axis2=2)
    except np.linalg.LinAlgError:
        pivots = np.zeros((1, 1))
    if (pivots**2 > SINGULAR).all():
        return np.asarray(np.linalg.solve(matrices, right))
    return np.asarray(np.linalg.pinv(matrices, rcond=SINGULAR, hermitian=True) @ right)


def _outer_products(column: Codes, weight: Floats, size: int) -> Floats:
    """Weights (p, p) of each pair of columns."""
    total = np.zeros(size * size)
    for one in column.T:
        for other in column.T:
            total += np.bincount(one * size + other, weight, size * size)
    return total.reshape(size, size)


def variances_added(fitted: Fit, cluster: Codes) -> tuple[Floats, Floats]:
    """Return what effects of variance 1 add to the sum of the scores' variances, cluster by cluster (G,).

    The first are effects of each system in each cluster, the second independent errors of single ratings.
    """
    design, systems = fitted.design, fitted.design.systems
    clusters = _levels(cluster)
    together, errors = np.zeros(clusters), np.zeros(clusters)
    pair = cluster * systems + design.system
    order = np.argsort(pair, kind="stable")
    for rows in _blocks(order, cluster[order], max(1, BLOCK // max(systems, 1))):
        gradient = fitted.gradient(rows) * design.weight[rows][:, None]
        first = np.flatnonzero(np.diff(pair[rows], prepend=-1))
        sums = np.add.reduceat(gradient, first, axis=0)
        together += np.bincount(cluster[rows[first]], (sums**2).sum(axis=1), clusters)
        errors += np.bincount(cluster[rows], (gradient**2).sum(axis=1) / design.count[rows], clusters)
    return together, errors


def _blocks(order: Codes, cluster: Codes, most: int) -> Iterator[Codes]:
    """Yield rows in order, about so many at a time, clusters whole."""
    begins = np.flatnonzero(np.diff(cluster, prepend=-1))
    at = 0
    while at < len(order):
        later = begins[begins > at]
        last = later[later <= at + most]
        end = int(last[-1]) if len(last) else int(later[0]) if len(later) else len(order)
        end = len(order) if at + most >= len(order) else end
        yield order[at:end]
        at = end


def _levels(codes: Codes) -> int:
    return int(codes.max(initial=-1)) + 1
