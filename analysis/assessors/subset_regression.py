"""Three linear models, each fitted to many subsets of the same features at once.

A search over thousands of subsets spends its time in fitting. All subsets of one size share the sums of
products of the features, so a fit picks its own out of them, and Huber's iterations run for a whole block of
subsets as one matrix product. Features are standardised for the sake of the numbers' accuracy only: all three
models give the same predictions without it.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, optimize

from analysis.values.estimate import Floats

Places = NDArray[np.int64]

TUNING = 1.345
"""Huber's k in scales: 95% as efficient as least squares where errors are normal."""
MAD_OF_NORMAL = 0.6744897501960817
"""The median absolute deviation of the standard normal distribution."""
MOST_STEPS = 100
CLOSE = 1e-9
"""Steps smaller than this, in standard deviations, end Huber's iterations."""
SINGULAR = 1e-9
"""Smallest eigenvalue of the features' correlations below which one of them follows from the others."""
BLOCK = 400_000
"""Residuals of a block of subsets: more would not fit into the processor's cache."""


@dataclass(frozen=True, eq=False)
class Models:
    """Linear models of a subset of features each.

    Parameters
    ----------
    subsets : (s, k) places of the features
    weights : (s, k) per unit of the feature
    intercepts : (s,)
    """

    subsets: Places
    weights: Floats
    intercepts: Floats

    def predict(self, features: Floats) -> Floats:
        """Return what each model says of each row (the definition of a linear model)."""
        spread = np.zeros((len(self.subsets), features.shape[1]))
        np.put_along_axis(spread, self.subsets, self.weights, axis=1)
        return spread @ features.T + self.intercepts[:, None]


def redundant(features: Floats, subsets: Places) -> NDArray[np.bool_]:
    """Return whether a feature of a subset is constant or follows from the subset's others (Golub and Van Loan 2013,
    Matrix Computations, section 5.5 (rank deficiency))."""
    # Such a subset has no unique model, and a smaller one gives the same predictions.
    z = _Scaled.of(features).values
    correlation = z.T @ z / len(z)
    return np.asarray(np.linalg.eigvalsh(_picked(correlation, subsets))[:, 0] < SINGULAR)


def huber(features: Floats, response: Floats, subsets: Places) -> Models:
    """Robust regression: large residuals count by their size, not by its square.

    Parameters
    ----------
    features : (n, f)
    response : (n,)
    subsets : (s, k) places of features, none redundant

    Returns
    -------
    Models

    Notes
    -----
    Weights min(1, k scale / |residual|) with k = 1.345 and scale = median |residual| / 0.6745, both renewed in each
    step of reweighted least squares, from least squares on, with an intercept. Where more than half the rows are met
    exactly the scale is 0 and the steps end. Not against rows whose features are far out.
    Source: Huber 1981, Robust Statistics, sections 7.7 and 7.8; the same as statsmodels' RLM with HuberT.
    """
    x, y = _Scaled.of(features), _Scaled.of(response)
    design = np.column_stack([np.ones(len(y.values)), x.values])
    first, second = np.triu_indices(design.shape[1])
    products = design[:, first] * design[:, second]
    where = np.zeros((design.shape[1],) * 2, dtype=np.int64)
    where[first, second] = where[second, first] = np.arange(len(first))
    block = max(BLOCK // max(len(design), 1), 1)
    coefficients = np.empty((len(subsets), subsets.shape[1] + 1))
    for start in range(0, len(subsets), block):
        part = subsets[start : start + block]
        terms = np.column_stack([np.zeros(len(part), dtype=np.int64), part + 1])
        coefficients[start : start + block] = _reweighted(design, products, where, y.values, terms)
    return _unscaled(subsets, coefficients[:, 1:], x, y, coefficients[:, 0])


def non_negative(features: Floats, response: Floats, subsets: Places) -> Models:
    """Least squares with weights that may not be negative, and a free intercept.

    Parameters
    ----------
    features : (n, f)
    response : (n,)
    subsets : (s, k) places of features, none redundant

    Returns
    -------
    Models
        NaN where scipy's solver does not converge.

    Notes
    -----
    Not for features of which less is better, unless their sign is turned first. The intercept is left free by centring
    features and response; the problem is then solved on the triangle of the normal equations, which has the same
    minimum.
    Source: Lawson and Hanson 1974, Solving Least Squares Problems, chapter 23.
    """
    x, y = _Scaled.of(features), _Scaled.of(response)
    triangles = np.linalg.cholesky(_picked(x.values.T @ x.values, subsets))
    moments = (x.values.T @ y.values)[subsets]
    weights = np.array([_non_negative(*pair) for pair in zip(triangles, moments, strict=True)])
    return _unscaled(subsets, weights.reshape(subsets.shape), x, y)


def canonical(features: Floats, responses: Floats, subsets: Places, response: int) -> Models:
    """The mixture of features that correlates highest with some mixture of all responses.

    Parameters
    ----------
    features : (n, f)
    responses : (n, h)
    subsets : (s, k) places of features, none redundant
    response : place of the response in whose units predictions are given

    Returns
    -------
    Models
        the feature side of the first canonical variates, each turned so that it rises with the chosen
        response and scaled by its regression on it. Constant where it does not correlate with it at all.

    Notes
    -----
    With one response it is least squares. Constant responses and those that follow from others count for nothing.
    Source: Hotelling 1936; Härdle and Simar 2015, Applied Multivariate Statistical Analysis, section 16.1.
    """
    x, y = _Scaled.of(features), _Scaled.of(responses)
    n = len(x.values)
    values, vectors = np.linalg.eigh(y.values.T @ y.values / n)
    kept = values > SINGULAR
    whiten = vectors[:, kept] / np.sqrt(values[kept])
    if not kept.any():
        zeros = np.zeros(subsets.shape)
        return _unscaled(subsets, zeros, x, y.only(response))
    cross = x.values.T @ y.values / n
    shared = (cross @ whiten)[subsets]
    loadings = np.linalg.solve(_picked(x.values.T @ x.values / n, subsets), shared)
    squares, directions = np.linalg.eigh(np.swapaxes(shared, 1, 2) @ loadings)
    variate = (loadings @ directions[:, :, -1:])[:, :, 0]
    covariance = (variate * cross[subsets, response]).sum(axis=1)
    variance = squares[:, -1]
    slope = np.divide(covariance, variance, out=np.zeros_like(variance), where=variance > SINGULAR)
    return _unscaled(subsets, variate * slope[:, None], x, y.only(response))


@dataclass(frozen=True, eq=False)
class _Scaled:
    """Columns with mean 0 and SD 1 (constant ones: 0), and what it takes to go back."""

    values: Floats
    centre: Floats
    spread: Floats

    @classmethod
    def of(cls, columns: Floats) -> "_Scaled":
        centre = columns.mean(axis=0)
        spread = np.asarray(columns.std(axis=0))
        flat = spread <= 1e-12 * np.maximum(np.abs(columns).max(axis=0), 1e-300)
        spread = np.where(flat, 1.0, spread)
        return cls(np.where(flat, 0.0, (columns - centre) / spread), np.asarray(centre), spread)

    def only(self, column: int) -> "_Scaled":
        return _Scaled(self.values[:, column], self.centre[column], self.spread[column])


def _picked(matrix: Floats, subsets: Places) -> Floats:
    """The square parts (s, k, k) of a matrix that belong to subsets."""
    return matrix[subsets[:, :, None], subsets[:, None, :]]


def _unscaled(
    subsets: Places, weights: Floats, x: _Scaled, y: _Scaled, at_mean: Floats | float = 0.0
) -> Models:
    """Models of standardised numbers in the numbers' own units."""
    own = weights * y.spread / x.spread[subsets]
    return Models(subsets, own, y.centre + y.spread * at_mean - (own * x.centre[subsets]).sum(axis=1))


def _reweighted(design: Floats, products: Floats, where: Places, y: Floats, terms: Places) -> Floats:
    """Huber's weights (s, k + 1) of the design's columns that each row of `terms` names."""
    fit = _least_squares(design, products, where, y, terms, np.ones((1, len(y))))
    moving = np.arange(len(terms))
    for _ in range(MOST_STEPS):
        full = np.zeros((len(moving), design.shape[1]))
        np.put_along_axis(full, terms[moving], fit[moving], axis=1)
        residual = np.abs(y - full @ design.T)
        limit = TUNING * np.median(residual, axis=1) / MAD_OF_NORMAL
        spread = limit > SINGULAR
        moving, residual, limit = moving[spread], residual[spread], limit[spread, None]
        if not len(moving):
            break
        weight = limit / np.maximum(residual, limit)
        stepped = _least_squares(design, products, where, y, terms[moving], weight)
        step = np.abs(stepped - fit[moving]).max(axis=1)
        fit[moving] = stepped
        moving = moving[step > CLOSE]
        if not len(moving):
            break
    return fit


def _least_squares(
    design: Floats, products: Floats, where: Places, y: Floats, terms: Places, weight: Floats
) -> Floats:
    sums = weight @ products
    moments = (weight * y) @ design
    row = np.arange(len(terms))[:, None] if len(weight) == len(terms) else np.zeros((1, 1), dtype=np.int64)
    squares = sums[row[:, :, None], where[terms[:, :, None], terms[:, None, :]]]
    wanted = moments[row, terms][:, :, None]
    try:
        fit = np.linalg.solve(squares, wanted)
    except np.linalg.LinAlgError:
        fit = np.linalg.pinv(squares, hermitian=True) @ wanted
    return np.asarray(fit[:, :, 0], dtype=np.float64)


def _non_negative(triangle: Floats, moment: Floats) -> Floats:
    try:
        return optimize.nnls(triangle.T, linalg.solve_triangular(triangle, moment, lower=True))[0]
    except RuntimeError:
        return np.full(len(moment), np.nan)
