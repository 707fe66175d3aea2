"""Changes of the systems' scores without a topic, a rater or a cell of both: the cluster jackknife (CR3).

A cluster's change is exact: it equals refitting without the cluster. If most combinations of systems, topics and raters
occur, sums over combinations are sums along the axes of the full table.
"""

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from analysis.pairs.least_squares import Fit, FullTable, count_levels, outer_products, sum_over_systems
from analysis.values.estimate import Codes, Floats
from analysis.values.ratings import coded

FEW_ROWS = 100
"""Combinations of a cluster up to which it is deleted by its hat matrix, even if there are fewer equations."""
SINGULAR = 1e-8
"""Eigenvalue or pivot of scaled equations below which it is 0."""
MOST_STEPS, CONVERGED = 12, 1e-14
"""Largest number of iterations for the equations without a level, and their relative tolerance."""
BLOCK = 4_000_000
"""Entries in a block."""


def cluster_changes(fitted: Fit, cluster: Codes) -> Floats:
    """Return the scores minus those without each cluster, times sqrt((G - 1) / G): (G, S).

    `cluster` (n,) holds the codes of G clusters. The cross products of the changes are jackknife covariances.
    """
    size, equations = np.bincount(cluster), len(fitted.equations)
    are_levels = np.array_equal(cluster, fitted.level_of)
    by_rows = size <= (equations if are_levels else max(equations, FEW_ROWS))
    changes = np.zeros((len(size), fitted.design.systems))
    order = np.argsort(cluster.astype(np.min_scalar_type(len(size))), kind="stable")
    start = np.cumsum(size) - size
    for rows in np.flatnonzero(np.bincount(size[by_rows])).tolist():
        clusters = np.flatnonzero(size == rows)
        memory = rows * max(rows, equations if fitted.column.shape[1] > 1 else 1)
        for block in _blocks(clusters, memory):
            changes[block] = _change_by_rows(fitted, order[start[block][:, None] + np.arange(rows)])
    large = np.flatnonzero(~by_rows)
    for block in _blocks(large, equations**2 if are_levels else BLOCK):
        rows_of_each = [order[start[one] : start[one] + size[one]] for one in block]
        delete = _change_of_levels if are_levels else _change_by_equations
        changes[block] = delete(fitted, np.concatenate(rows_of_each))
    return np.asarray(changes * np.sqrt((len(size) - 1) / len(size)))


def _blocks(clusters: Codes, memory: int) -> list[Codes]:
    """Split clusters into blocks, given the memory of each."""
    step = max(1, int(BLOCK // memory))
    return [clusters[at : at + step] for at in range(0, len(clusters), step)]


def _change_by_rows(fitted: Fit, rows: Codes) -> Floats:
    """Compute changes (b, S) without each of b clusters of n combinations (b, n), from the clusters' hat matrices."""
    weight = fitted.design.weight[rows]
    root = np.sqrt(weight)
    column, inner = fitted.column[rows], fitted.level_of[rows]
    if (inner == inner[:, :1]).all() and (column[:, :, 1:] == column[:, :1, 1:]).all():
        of_cells = root.T, (root * fitted.residual[rows]).T, fitted.design.system[rows].T
        changes = _change_of_cells(fitted, *of_cells, inner[:, 0], column[:, 0, 1:].T)
        if changes is not None:
            return changes
    hat = np.zeros((*rows.shape, rows.shape[1]))
    for first in range(column.shape[2]):
        cross_terms = fitted.loading[inner[:, :, None], column[:, None, :, first]]
        hat -= cross_terms + cross_terms.transpose(0, 2, 1)
        for second in range(column.shape[2]):
            hat += fitted.inverse[column[:, :, None, first], column[:, None, :, second]]
    if (inner == inner[:, :1]).all():
        hat += fitted.level_leverage[inner[:, :1, None]]
    else:
        hat += fitted.loading[inner] @ fitted.share[inner].transpose(0, 2, 1)
    identity_minus_hat = np.eye(rows.shape[1]) - root[:, :, None] * root[:, None, :] * hat
    # A topic or rater that occurs only in this cluster is removed with it, and affects neither residuals nor scores.
    is_only, is_shared = _only_in_cluster(inner, weight, fitted.inner_weight)
    pair = root[:, :, None] * root[:, None, :] * is_shared
    identity_minus_hat -= pair * ~is_only[:, :, None] / fitted.inner_weight[inner][:, :, None]
    if column.shape[2] > 1:
        level = column[:, :, 1]
        is_only, is_shared = _only_in_cluster(level, weight, fitted.column_weight)
        identity_minus_hat += (
            root[:, :, None]
            * root[:, None, :]
            * is_shared
            * is_only[:, :, None]
            / fitted.column_weight[level][:, :, None]
        )
    solved = _solve(identity_minus_hat, root * fitted.residual[rows])
    return np.asarray(np.einsum("bns,bn->bs", fitted.gradient(rows), root * solved))


def _change_of_cells(
    fitted: Fit, root: Floats, residual: Floats, system: Codes, inner: Codes, other_levels: Codes
) -> Floats | None:
    """Compute changes (b, S) without clusters whose combinations (n, b) differ only in their system (n, b), or (n, 1).

    `root` is the square root of their weights, by which their residuals are multiplied; `inner` (b,) and `other_levels`
    (m - 1, b) are the clusters' level and other columns. None if the matrix of a cluster is singular.
    """
    total = (root**2).sum(axis=0)
    of_columns, of_levels = fitted.gradients
    by_system, common = -fitted.loading[inner, system], fitted.level_leverage[inner]
    outer = of_levels[inner]
    # A topic or rater that occurs only in this cluster is removed with it, as in `_change_by_rows`.
    level = fitted.inner_weight[inner]
    common += np.where(total > level * (1 - 1e-9), 0.0, 1 / level)
    for other in other_levels:
        by_system += fitted.inverse[system, other]
        common += fitted.inverse[other, other] - 2 * fitted.loading[inner, other]
        level = fitted.column_weight[other]
        common -= np.where(total > level * (1 - 1e-9), 1 / level, 0.0)
        outer += of_columns[other]
    # Cholesky factors of all clusters at once, column by column: LAPACK's overhead dominates for such small matrices.
    removed, lower = residual.copy(), np.empty((*root.shape[:1], *root.shape))
    for i in range(len(root)):
        column = fitted.inverse[system[i:], system[i]] + by_system[i:]
        column += by_system[i] + common
        column *= root[i:]
        column *= -root[i]
        column[0] += 1
        column -= np.einsum("ikb,kb->ib", lower[i:, :i], lower[i, :i])
        if (column[0] <= SINGULAR).any():
            return None
        lower[i:, i] = column / np.sqrt(column[0])
        removed[i] -= np.einsum("kb,kb->b", lower[i, :i], removed[:i])
        removed[i] /= lower[i, i]
    for i in reversed(range(len(root))):
        removed[i] -= np.einsum("kb,kb->b", lower[i + 1 :, i], removed[i + 1 :])
        removed[i] /= lower[i, i]
    removed *= root
    systems, clusters = fitted.design.systems, root.shape[1]
    cell = np.arange(clusters) * systems + system
    by_column = np.bincount(cell.ravel(), removed.ravel(), clusters * systems).reshape(-1, systems)
    return np.asarray(by_column @ of_columns[:systems] + removed.sum(axis=0)[:, None] * outer)


def _only_in_cluster(
    level: Codes, weight: Floats, total: Floats
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return masks of combinations (b, n) whose level occurs only in the cluster, and of pairs with the same level."""
    is_shared = level[:, :, None] == level[:, None, :]
    weight_inside = np.einsum("bij,bj->bi", is_shared, weight)
    return weight_inside > total[level] * (1 - 1e-9), is_shared


def _change_by_equations(fitted: Fit, rows: Codes) -> Floats:
    """Compute the change (1, S) without a cluster of more combinations (n,) than equations, by solving these again."""
    column, weight, size = fitted.column[rows], fitted.design.weight[rows], len(fitted.equations)
    residual = weight * fitted.residual[rows]
    levels, inner = coded(fitted.level_of[rows])
    within = fitted.level_weights[levels]
    before = fitted.reduction if len(levels) == len(fitted.share) else within.T @ fitted.share[levels]
    for code in column.T:
        within -= np.bincount(inner * size + code, weight, within.size).reshape(-1, size)
    right_side = np.zeros(size)
    for code in column.T:
        right_side += np.bincount(code, residual, size)
    equations = fitted.equations + before - outer_products(column, weight, size)
    removed_weight, removed_residual = (
        np.bincount(inner, of).astype(np.float64) for of in (weight, residual)
    )
    return _change_without_cluster(
        fitted, equations, right_side, levels, within, removed_weight, removed_residual
    )


def _change_without_cluster(
    fitted: Fit,
    equations: Floats,
    right_side: Floats,
    levels: Codes,
    within: Floats,
    weight: Floats,
    residual: Floats,
) -> Floats:
    """Compute the change (1, S) without one cluster by eliminating the levels (l,) that it contains again.

    `within` (l, p) is the remaining weight of each column in them, `weight` and `residual` (l,) the weights removed
    from each, and their products with the residuals.
    """
    remaining = fitted.inner_weight[levels] - weight
    is_remaining = remaining > fitted.inner_weight[levels] * 1e-9
    # A product of a matrix with itself takes half the time of one with another.
    root = np.sqrt(np.divide(1.0, remaining, out=np.zeros_like(remaining), where=is_remaining))
    within = within * root[:, None]
    equations = equations - within.T @ within
    right_side = right_side - within.T @ (root * residual)
    return _solve_scores(fitted, equations[None], right_side[None])


def _change_of_levels(fitted: Fit, rows: Codes) -> Floats:
    """Compute changes (b, S) without each of b levels of the eliminated factor, given their rows, in order."""
    column, weight, size = fitted.column[rows], fitted.design.weight[rows], len(fitted.equations)
    levels, level_of = coded(fitted.level_of[rows])
    number, systems = len(levels), fitted.design.systems
    residual, right_side, pair_weights = (
        weight * fitted.residual[rows],
        np.zeros(number * size),
        np.zeros((number, systems, 0)),
    )
    for code in column.T:
        right_side += np.bincount(level_of * size + code, residual, number * size)
    for other in column.T[1:]:
        cells = (level_of * systems + column[:, 0]) * (size - systems) + other - systems
        pair_weights = np.bincount(cells, weight, number * systems * (size - systems)).astype(np.float64)
        pair_weights = pair_weights.reshape(number, systems, -1)
    return _change_without_levels(fitted, levels, right_side.reshape(number, size), pair_weights)


def _change_without_levels(fitted: Fit, levels: Codes, right_side: Floats, pair_weights: Floats) -> Floats:
    """Compute changes (b, S) without levels from their sums (b, p) of weighted residuals in each column.

    `pair_weights` (b, S, p - S) are their weights by system and other column.
    """
    systems, size, share, level_weight = (
        fitted.design.systems,
        right_side.shape[1],
        fitted.share[levels],
        fitted.level_weights[levels],
    )

    def missing_terms(effect: Floats) -> Floats:
        """Return the equations' terms due to each level, times effects (b, p)."""
        terms = level_weight * effect - level_weight * np.einsum("bp,bp->b", share, effect)[:, None]
        terms[:, :systems] += np.matmul(pair_weights, effect[:, systems:, None])[:, :, 0]
        terms[:, systems:] += np.matmul(effect[:, None, :systems], pair_weights)[:, 0]
        return np.asarray(terms)

    effect = first = right_side @ fitted.inverse
    for _ in range(MOST_STEPS):
        previous, effect = effect, first + missing_terms(effect) @ fitted.inverse
        if (np.abs(effect - previous).max(axis=1) <= CONVERGED * np.abs(effect).max(axis=1)).all():
            return np.asarray(effect[:, :systems] - effect[:, :systems].mean(axis=1, keepdims=True))
    diagonal = np.arange(size)
    equations = fitted.equations + level_weight[:, :, None] * share[:, None, :]
    equations[:, diagonal, diagonal] -= level_weight
    equations[:, :systems, systems:] -= pair_weights
    equations[:, systems:, :systems] -= pair_weights.transpose(0, 2, 1)
    return _solve_scores(fitted, equations, right_side)


def _solve_scores(fitted: Fit, equations: Floats, right_side: Floats) -> Floats:
    """Return the scores (b, S) that solve equations (b, p, p) of right-hand sides (b, p)."""
    systems, size = fitted.design.systems, right_side.shape[1]
    diagonal = np.diagonal(equations, axis1=1, axis2=2)
    scale = diagonal.mean(axis=1)[:, None]
    empty_rows, empty_columns = np.nonzero(diagonal <= 1e-9 * scale)
    # Constants of all systems, or of all levels of the other factor, belong to the eliminated factor.
    completed = equations / scale[:, :, None]
    completed[:, :systems, :systems] += 1 / systems
    if size > systems:
        completed[:, systems:, systems:] += 1 / (size - systems)
    completed[empty_rows, empty_columns, empty_columns] += 1.0
    score = _solve(completed, right_side / scale)[:, :systems]
    return np.asarray(score - score.mean(axis=1, keepdims=True))


def _solve(matrices: Floats, right_side: Floats) -> Floats:
    """Solve symmetric equations (b, n, n) with right-hand sides (b, n), by the pseudo-inverse if any is singular.

    The largest eigenvalues are about 1, so that an absolute limit identifies zeros.
    """
    try:
        lower = np.linalg.cholesky(matrices)
    except np.linalg.LinAlgError:
        lower = np.zeros_like(matrices)
    pivot = np.diagonal(lower, axis1=1, axis2=2)
    if not (pivot**2 > SINGULAR).all():
        values, vectors = np.linalg.eigh(matrices)
        projected = np.einsum("bnk,bn->bk", vectors, right_side)
        projected = np.where(values > SINGULAR, projected / np.where(values > SINGULAR, values, 1.0), 0.0)
        return np.asarray(np.einsum("bnk,bk->bn", vectors, projected))
    if len(matrices) < right_side.shape[1]:
        return np.asarray(np.linalg.solve(matrices, right_side[:, :, None])[:, :, 0])
    # All b equations are solved a row at a time: LAPACK would factor each again.
    solution = right_side.copy()
    for i in range(right_side.shape[1]):
        solution[:, i] -= np.einsum("bn,bn->b", lower[:, i, :i], solution[:, :i])
        solution[:, i] /= pivot[:, i]
    for i in reversed(range(right_side.shape[1])):
        solution[:, i] -= np.einsum("bn,bn->b", lower[:, i + 1 :, i], solution[:, i + 1 :])
        solution[:, i] /= pivot[:, i]
    return solution


def added_variances(fitted: Fit, cluster: Codes) -> tuple[Floats, Floats]:
    """Return the variance that effects of variance 1 add to the sum of the scores' variances, by cluster (G,).

    The first is of effects of each system in each cluster, the second of independent errors of single ratings.
    """
    design, systems, clusters = fitted.design, fitted.design.systems, count_levels(cluster)
    errors = np.bincount(cluster, fitted.squares / design.count, clusters).astype(np.float64)
    pair = cluster * systems + design.system
    if np.bincount(pair).max() == 1:  # each effect is that of one combination
        return np.bincount(cluster, fitted.squares, clusters).astype(np.float64), errors
    of_columns, of_levels = fitted.gradients
    total = np.bincount(pair, design.weight, clusters * systems)[:, None]
    gradients = total * np.tile(of_columns[:systems], (clusters, 1))
    parts = [(other - systems, of_columns[systems:]) for other in fitted.column.T[1:]]
    for part, gradient in (*parts, (fitted.level_of, of_levels)):
        if np.array_equal(cluster, part):
            gradients += total * np.repeat(gradient, systems, axis=0)
        else:
            weights = sparse.csr_array((design.weight, (pair, part)), (len(gradients), len(gradient)))
            gradients += weights @ gradient
    return np.einsum("gk,gk->g", *2 * [gradients.reshape(clusters, -1)]), errors


def cluster_changes_of_table(fitted: Fit, table: FullTable) -> tuple[Floats, Floats, Floats]:
    """Compute `cluster_changes` without each level, each level of the other factor, and each cell of both."""
    systems, size = fitted.design.systems, len(fitted.equations)
    totals, residuals = sum_over_systems(table.weight), sum_over_systems(table.weighted_residual)
    of_weight, of_moved = table.weight.sum(axis=0), table.weighted_residual.sum(axis=0)
    right_side = np.concatenate([table.weighted_residual.sum(axis=1), residuals], axis=1)
    step = max(1, BLOCK // size**2)
    of_levels = [
        _change_without_levels(fitted, levels, right_side[levels], table.weight[levels].transpose(0, 2, 1))
        for levels in np.split(np.arange(len(right_side)), range(step, len(right_side), step))
    ]
    all_levels, of_others = np.arange(len(right_side)), []
    for other in range(table.weight.shape[1]):
        row, removed = systems + other, of_weight[other]
        columns, removed_weights = np.append(np.arange(systems), row), np.append(removed, removed.sum())
        within, equations = fitted.level_weights.copy(), fitted.equations + fitted.reduction
        within[:, :systems] -= table.weight[:, other]
        within[:, row] = 0.0
        equations[columns, columns] -= removed_weights
        equations[columns[:-1], row] -= removed_weights[:-1]
        equations[row, columns[:-1]] -= removed_weights[:-1]
        of_columns = np.zeros(size)
        of_columns[columns] = np.append(of_moved[other], of_moved[other].sum())
        sums = totals[:, other], residuals[:, other]
        of_others.append(_change_without_cluster(fitted, equations, of_columns, all_levels, within, *sums))
    changes = np.concatenate(of_levels), np.concatenate(of_others), _changes_of_both(fitted, table, totals)
    return tuple(each * np.sqrt((len(each) - 1) / len(each)) for each in changes)


def _changes_of_both(fitted: Fit, table: FullTable, totals: Floats) -> Floats:
    """Compute the changes without each cell of a level and the other factor that has ratings."""
    systems, (level, other) = fitted.design.systems, np.nonzero(totals)
    step, changes, system = max(1, BLOCK // (8 * systems**2)), [], np.arange(systems)[:, None]
    for start in range(0, len(level), step):
        block = level[start : start + step], other[start : start + step]
        root = np.sqrt(table.weight[block].T)
        scaled_residual = np.divide(
            table.weighted_residual[block].T, root, out=np.zeros_like(root), where=root > 0
        )
        change = _change_of_cells(fitted, root, scaled_residual, system, block[0], systems + block[1][None])
        if change is None:
            _, cell = coded(fitted.level_of * (int(other.max()) + 1) + fitted.column[:, 1])
            changed = cluster_changes(fitted, cell)
            return np.asarray(changed / np.sqrt((len(changed) - 1) / len(changed)))
        changes.append(change)
    return np.concatenate(changes)


def added_variances_of_table(fitted: Fit, table: FullTable) -> tuple[tuple[Floats, Floats], ...]:
    """Compute `added_variances` of the three kinds of clusters of `cluster_changes_of_table`."""
    weight, systems = table.weight, fitted.design.systems
    of_columns, of_levels = fitted.gradients
    of_systems, of_others = of_columns[:systems], of_columns[systems:]
    squares = (2 * of_others @ of_systems.T)[None] + _squared_sums(of_levels, of_systems)[:, None, :]
    squares += _squared_sums(of_levels, of_others)[:, :, None]
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
    is_present = sum_over_systems(weight) > 0
    errors_of_both = sum_over_systems(errors)
    return (
        ((by_level**2).sum(axis=(1, 2)), errors_of_both.sum(axis=1)),
        ((by_other**2).sum(axis=(1, 2)), errors_of_both.sum(axis=0)),
        (sum_over_systems(squares)[is_present], errors_of_both[is_present]),
    )


def _squared_sums(levels: Floats, columns: Floats) -> Floats:
    """Return twice the inner products (levels, columns) plus the columns' squared norms."""
    return np.asarray(2 * levels @ columns.T + np.einsum("cs,cs->c", columns, columns))
