"""Changes of the differences of systems without a topic, a rater or the ratings of both.

A cluster's change is exact: that of fitting again without it (CR3, the jackknife). Where systems, topics and raters met
in most combinations, sums over combinations are sums along the axes of a table of all.
"""

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from analysis.pairs.least_squares import Fit, FullTable, levels_of, outer_products, over_systems
from analysis.values.estimate import Codes, Floats
from analysis.values.ratings import coded

FEW_ROWS = 100
"""Combinations up to which a cluster is deleted by its hat matrix though the equations are fewer."""
SINGULAR = 1e-8
"""Eigenvalue or pivot of scaled equations below which it is 0."""
MOST_STEPS, CONVERGED = 12, 1e-14
"""Steps in which equations without a level are solved by those with it, and the part of the effects that is none."""
BLOCK = 4_000_000
"""Numbers in memory at once."""


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
        found = _change_of_cells(fitted, *of_cells, inner[:, 0], column[:, 0, 1:].T)
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


def _change_of_cells(
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
    equations = fitted.equations + before - outer_products(column, weight, size)
    gone, with_them = (np.bincount(inner, of).astype(np.float64) for of in (weight, residual))
    return _change_without(fitted, equations, right, touched, within, gone, with_them)


def _change_without(
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
    return _change_without_levels(fitted, levels, right.reshape(many, size), both)


def _change_without_levels(fitted: Fit, levels: Codes, right: Floats, both: Floats) -> Floats:
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


def variances_added(fitted: Fit, cluster: Codes) -> tuple[Floats, Floats]:
    """Return what effects of variance 1 add to the sum of the scores' variances, cluster by cluster (G,).

    The first are effects of each system in each cluster, the second independent errors of single ratings.
    """
    design, systems, clusters = fitted.design, fitted.design.systems, levels_of(cluster)
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


def changes_of_table(fitted: Fit, table: FullTable) -> tuple[Floats, Floats, Floats]:
    """Return what `changes` does without each level, each of the other factor, and both together where they met."""
    systems, size = fitted.design.systems, len(fitted.equations)
    totals, residuals = over_systems(table.weight), over_systems(table.moved)
    of_weight, of_moved = table.weight.sum(axis=0), table.moved.sum(axis=0)
    right = np.concatenate([table.moved.sum(axis=1), residuals], axis=1)
    step = max(1, BLOCK // size**2)
    of_levels = [
        _change_without_levels(fitted, levels, right[levels], table.weight[levels].transpose(0, 2, 1))
        for levels in np.split(np.arange(len(right)), range(step, len(right), step))
    ]
    every, of_others = np.arange(len(right)), []
    for other in range(table.weight.shape[1]):
        place, gone = systems + other, of_weight[other]
        columns, at = np.append(np.arange(systems), place), np.append(gone, gone.sum())
        within, equations = fitted.within.copy(), fitted.equations + fitted.reduction
        within[:, :systems] -= table.weight[:, other]
        within[:, place] = 0.0
        equations[columns, columns] -= at
        equations[columns[:-1], place] -= at[:-1]
        equations[place, columns[:-1]] -= at[:-1]
        of_columns = np.zeros(size)
        of_columns[columns] = np.append(of_moved[other], of_moved[other].sum())
        sums = totals[:, other], residuals[:, other]
        of_others.append(_change_without(fitted, equations, of_columns, every, within, *sums))
    found = np.concatenate(of_levels), np.concatenate(of_others), _changes_of_both(fitted, table, totals)
    return tuple(each * np.sqrt((len(each) - 1) / len(each)) for each in found)


def _changes_of_both(fitted: Fit, table: FullTable, totals: Floats) -> Floats:
    """Return the changes without each level's ratings of each other factor, where the two met."""
    systems, (level, other) = fitted.design.systems, np.nonzero(totals)
    step, found, each = max(1, BLOCK // (8 * systems**2)), [], np.arange(systems)[:, None]
    for at in range(0, len(level), step):
        here = level[at : at + step], other[at : at + step]
        root = np.sqrt(table.weight[here].T)
        pull = np.divide(table.moved[here].T, root, out=np.zeros_like(root), where=root > 0)
        change = _change_of_cells(fitted, root, pull, each, here[0], systems + here[1][None])
        if change is None:
            _, cell = coded(fitted.inner * (int(other.max()) + 1) + fitted.column[:, 1])
            again = changes(fitted, cell)
            return np.asarray(again / np.sqrt((len(again) - 1) / len(again)))
        found.append(change)
    return np.concatenate(found)


def variances_added_of_table(fitted: Fit, table: FullTable) -> tuple[tuple[Floats, Floats], ...]:
    """Return what `variances_added` does for the same three as `changes_of_table`."""
    weight, systems = table.weight, fitted.design.systems
    of_columns, of_levels = fitted.gradients
    of_systems, of_others = of_columns[:systems], of_columns[systems:]
    squares = (2 * of_others @ of_systems.T)[None] + _products(of_levels, of_systems)[:, None, :]
    squares += _products(of_levels, of_others)[:, :, None]
    squares += np.einsum("ls,ls->l", of_levels, of_levels)[:, None, None]
    squares *= weight
    errors = (
        squares / table.ratings
    )  # a combination's weight is its number of ratings, too, as part of its cell's
    squares *= weight
    in_level, in_other = weight.sum(axis=1)[:, :, None], weight.sum(axis=0)[:, :, None]
    by_level = in_level * (of_systems + of_levels[:, None]) + weight.transpose(0, 2, 1) @ of_others
    by_other = in_other * (of_systems + of_others[:, None])
    by_other += (weight.reshape(len(weight), -1).T @ of_levels).reshape(by_other.shape)
    there = over_systems(weight) > 0
    errors_of_both = over_systems(errors)
    return (
        ((by_level**2).sum(axis=(1, 2)), errors_of_both.sum(axis=1)),
        ((by_other**2).sum(axis=(1, 2)), errors_of_both.sum(axis=0)),
        (over_systems(squares)[there], errors_of_both[there]),
    )


def _products(levels: Floats, columns: Floats) -> Floats:
    """Twice the inner products (levels, columns) and the columns' own."""
    return np.asarray(2 * levels @ columns.T + np.einsum("cs,cs->c", columns, columns))
