"""Restricted maximum likelihood (REML) of variances, for crossed sources and missing ratings.

The source with most levels is absorbed: its levels are independent given the others, so that its block of the equations
is diagonal, and each step uses a dense matrix of the levels of all *other* sources. Fisher scoring equates the
quadratic forms y'P V_i P y with their expectations, with nonnegative variances. On complete ratings the first step is
the analysis of variance.
"""

from dataclasses import dataclass

import numpy as np
from scipy import optimize, sparse

from analysis.values.estimate import Floats, OnProgress
from analysis.variance.sources import Design

MOST_LEVELS = 600
"""Largest number of levels of all sources but the largest, for a fit of one or two seconds."""
MOST_STEPS = 100
CONVERGENCE = 1e-8
"""Convergence tolerance: largest relative change of the variances."""
SMALLEST_RESIDUAL = 1e-6
"""Smallest share of the residual: sources that explain every rating have no finite maximum."""


@dataclass(frozen=True, eq=False)
class Fit:
    """Variances (k + 1,) of k sources and of the residual, and the covariance (k + 1, k + 1) of their estimates."""

    variance: Floats
    covariance: Floats
    deviance: float
    converged: bool


def dense_levels(design: Design) -> int:
    """Return the number of levels of all sources but the largest, the size of a step's matrix."""
    levels = [source.levels for source in design.sources]
    return sum(levels) - max(levels, default=0)


def reml(design: Design, on_progress: OnProgress = None) -> Fit:
    """Fit by Fisher scoring from equal variances; `on_progress` receives the progress of convergence.

    Source: Searle, Casella & McCulloch 1992, sections 6.6 and 8.3 (scoring); Johnson & Thompson 1995, section 2 (the
    deviance from the equations with a factor absorbed).
    """
    scale = design.squares / (design.ratings - 1)
    equations = _LikelihoodEquations(design, scale)
    k = len(design.sources)
    variance = np.full(k + 1, 1 / (k + 1))
    current = equations.evaluate(variance)
    converged = False
    for _ in range(MOST_STEPS):
        target = _solve_nonnegative(current.information, current.quadratic_forms)
        share = 1.0
        candidate = equations.evaluate(target)
        while candidate.deviance > current.deviance + 1e-10 * abs(current.deviance) + 1e-12 and share > 1e-4:
            share /= 2
            candidate = equations.evaluate(variance + share * (target - variance))
        change = share * (target - variance)
        variance, current = variance + change, candidate
        length = np.abs(change).max() / variance.sum()
        if length < CONVERGENCE:
            converged = True
            break
        if on_progress is not None:
            on_progress(float(np.log(min(length, 1.0)) / np.log(CONVERGENCE)))
    covariance = np.asarray(
        2 * np.linalg.pinv(current.information, hermitian=True) * scale**2, dtype=np.float64
    )
    deviance = current.deviance + (design.ratings - 1) * float(np.log(scale))
    return Fit(variance * scale, covariance, deviance, converged)


def _solve_nonnegative(information: Floats, quadratic_forms: Floats) -> Floats:
    """Return the nonnegative variances closest to solving information · variances = quadratic forms."""
    scale = np.sqrt(np.diagonal(information))
    values, vectors = np.linalg.eigh(information / np.outer(scale, scale))
    root = np.sqrt(np.maximum(values, 1e-12 * values[-1]))
    aim, _ = optimize.nnls(root[:, None] * vectors.T, vectors.T @ (quadratic_forms / scale) / root)
    aim = aim / scale
    aim[-1] = max(aim[-1], SMALLEST_RESIDUAL * max(float(aim.sum()), SMALLEST_RESIDUAL))
    return np.asarray(aim)


@dataclass(frozen=True, eq=False)
class _Likelihood:
    """Likelihood at some variances: the deviance, tr(P V_i P V_j) (k + 1, k + 1), and y'P V_i P y (k + 1,)."""

    deviance: float
    information: Floats
    quadratic_forms: Floats


class _LikelihoodEquations:
    """Parts of the likelihood that do not depend on the variances.

    U are the columns of the mean and of all levels but those of the absorbed source, B the latter's. With residual
    variance s and the absorbed source's t, a level with n ratings enters the other equations with weight t / (s + t n).
    """

    def __init__(self, design: Design, scale: float) -> None:
        levels = [source.levels for source in design.sources]
        self.largest = int(np.argmax(levels))
        self.others = [i for i in range(len(levels)) if i != self.largest]
        self.n = design.ratings
        self.squares = design.squares / scale
        self.count, self.total = design.counts(self.largest), design.totals[self.largest] / np.sqrt(scale)
        source_of_column = np.repeat(self.others, [levels[i] for i in self.others]).astype(np.int64)
        self.source = source_of_column
        self.belongs = (source_of_column == np.array(self.others)[:, None]).astype(np.float64)
        counts = [np.full(1, float(self.n)), *(design.counts(i) for i in self.others)]
        inner = [[design.cross_counts(one, other).toarray() for other in self.others] for one in self.others]
        self.cross_products = np.empty((len(source_of_column) + 1, len(source_of_column) + 1))  # U'U
        self.cross_products[0] = self.cross_products[:, 0] = np.concatenate(counts)
        if inner:
            self.cross_products[1:, 1:] = np.block(inner)
        cross_counts = [sparse.csr_array(self.count[:, None])]
        cross_counts += [design.cross_counts(self.largest, i) for i in self.others]
        self.absorbed = sparse.hstack(cross_counts, format="csr")  # B'U
        totals = [np.zeros(1), *(design.totals[i] for i in self.others)]
        self.sums = np.concatenate(totals) / np.sqrt(scale)  # U'y

    def _weighted_cross_product(self, weights: Floats) -> Floats:
        """Return U'B diag(weights) B'U."""
        product = self.absorbed.T @ (sparse.diags_array(weights) @ self.absorbed)
        return np.asarray(product.toarray())

    def evaluate(self, variance: Floats) -> _Likelihood:
        residual, absorbed = float(variance[-1]), float(variance[self.largest])
        shrink = 1 / (residual + absorbed * self.count)
        weighted = (self.cross_products - self._weighted_cross_product(absorbed * shrink)) / residual
        sums = (self.sums - self.absorbed.T @ (absorbed * shrink * self.total)) / residual
        squares = (self.squares - float((absorbed * shrink * self.total**2).sum())) / residual

        mean, by_mean = weighted[0, 0], weighted[0, 1:] / weighted[0, 0]
        equations = weighted[1:, 1:] - np.outer(by_mean, weighted[0, 1:])
        right_side = sums[1:] - by_mean * sums[0]
        root = np.sqrt(variance)[self.source]
        grown = np.eye(len(root)) + root[:, None] * equations * root
        factor = np.linalg.cholesky(grown)
        inverse = root[:, None] * np.linalg.inv(grown) * root
        fitted = inverse @ right_side
        residual_squares = squares - float(sums[0]) ** 2 / mean - float(right_side @ fitted)
        determinant = (self.n - len(self.count)) * np.log(residual) - float(np.log(shrink).sum())
        determinant += float(np.log(mean)) + 2 * float(np.log(np.diagonal(factor)).sum())

        remainder = np.eye(len(root)) - inverse @ equations
        projected = equations @ remainder  # Z'PZ of the others
        trace, quadratic, information = self._absorbed_source_terms(shrink, mean, by_mean, inverse, remainder)
        others = self.others
        trace[others] = self.belongs @ np.diagonal(projected)
        quadratic[others] = self.belongs @ (right_side - equations @ fitted) ** 2
        information[np.ix_(others, others)] = self.belongs @ projected**2 @ self.belongs.T
        fitted_mean = float(sums[0]) / mean - by_mean @ fitted
        of_absorbed = shrink * (self.total - self.absorbed @ np.append(fitted_mean, fitted))
        quadratic[self.largest] = float((of_absorbed**2).sum())

        # P V P = P and tr(P V) = n - 1 give the terms of the residual.
        sources = variance[:-1]
        with_residual = (trace - information @ sources) / residual
        of_projection = (self.n - 1 - sources @ trace) / residual
        of_residual = (of_projection - sources @ with_residual) / residual
        of_residual = max(
            of_residual, of_projection**2 / (self.n - 1)
        )  # lower bound of tr(P P), despite rounding
        return _Likelihood(
            determinant + residual_squares,
            np.block(
                [
                    [information, with_residual[:, None]],
                    [with_residual[None, :], np.full((1, 1), of_residual)],
                ]
            ),
            np.append(quadratic, (residual_squares - sources @ quadratic) / residual),
        )

    def _absorbed_source_terms(
        self, shrink: Floats, mean: float, by_mean: Floats, inverse: Floats, rests: Floats
    ) -> tuple[Floats, Floats, Floats]:
        """Return traces (k,), zeros for quadratic forms (k,), and information (k, k) with the absorbed source's terms.

        Its block of Z'PZ is diag(n shrink) minus a matrix of the others' rank; after removing the mean, U's columns are
        multiplied by [-by_mean; 1].
        """
        k, big = len(self.others) + 1, self.largest
        diagonal = shrink * self.count
        through, through_more = (
            self._weighted_cross_product(shrink**2),
            self._weighted_cross_product(shrink**2 * diagonal),
        )
        of_inverse = inverse @ by_mean
        low_rank = np.empty_like(through)
        low_rank[0, 0] = by_mean @ of_inverse + 1 / mean
        low_rank[0, 1:] = low_rank[1:, 0] = -of_inverse
        low_rank[1:, 1:] = inverse
        product = low_rank @ through
        across = np.vstack([-by_mean @ rests, rests])
        trace, information = np.zeros(k), np.zeros((k, k))
        trace[big] = diagonal.sum() - np.trace(product)
        information[big, big] = (
            (diagonal**2).sum() - 2 * (low_rank * through_more).sum() + (product * product.T).sum()
        )
        information[big, self.others] = self.belongs @ (across * (through @ across)).sum(axis=0)
        information[self.others, big] = information[big, self.others]
        return trace, np.zeros(k), information
