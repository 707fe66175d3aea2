"""Three linear models, each fitted to many subsets of the same features at once.

A search over thousands of subsets spends its time in fitting. All subsets of one size share the sums of products of
the features, and Huber's iterations run for a whole block of subsets as one matrix product. Features are standardized
for numerical accuracy only: all three models are invariant to it.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, optimize

from analysis.values.estimate import Floats

Indices = NDArray[np.int64]

TUNING = 1.345
"""Huber's k in scales: 95% as efficient as least squares where errors are normal."""
MAD_OF_NORMAL = 0.6744897501960817
"""The median absolute deviation of the standard normal distribution."""
MOST_STEPS = 100
TOLERANCE = 1e-9
"""Step size, in standard deviations, at which Huber's iterations stop."""
SINGULAR = 1e-9
"""Smallest eigenvalue of the features' correlation matrix below which they are linearly dependent."""
BLOCK = 400_000
"""Residuals in a block of subsets, which fit into the processor's cache."""


@dataclass(frozen=True, eq=False)
class Models:
    """Linear models of a subset of features each.

    Parameters
    ----------
    subsets : (s, k) indices of the features
    weights : (s, k) per unit of the feature
    intercepts : (s,)
    """

    subsets: Indices
    weights: Floats
    intercepts: Floats

    def predict(self, features: Floats) -> Floats:
        """Return the predictions (s, n) of each model for each row (n, f)."""
        weights = np.zeros((len(self.subsets), features.shape[1]))
        np.put_along_axis(weights, self.subsets, self.weights, axis=1)
        return weights @ features.T + self.intercepts[:, None]


def is_redundant(features: Floats, subsets: Indices) -> NDArray[np.bool_]:
    """Return True for subsets with constant or linearly dependent features.

    Such a subset has no unique model, and a smaller one gives the same predictions.
    Source: Golub and Van Loan 2013, Matrix Computations, section 5.5 (rank deficiency).
    """
    z = _Standardized.from_columns(features).values
    correlation = z.T @ z / len(z)
    return np.asarray(np.linalg.eigvalsh(_submatrices(correlation, subsets))[:, 0] < SINGULAR)


def fit_huber(features: Floats, response: Floats, subsets: Indices) -> Models:
    """Fit robust regressions with Huber's loss.

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
    Weights min(1, k scale / |residual|) with k = 1.345 and scale = median |residual| / 0.6745, both updated in each
    step of iteratively reweighted least squares, with an intercept. If more than half the residuals are 0, the scale is
    0 and the iterations stop. Not robust to outliers in the features.
    Source: Huber 1981, Robust Statistics, sections 7.7 and 7.8; the same as statsmodels' RLM with HuberT.
    """
    x, y = _Standardized.from_columns(features), _Standardized.from_columns(response)
    design = np.column_stack([np.ones(len(y.values)), x.values])
    first, second = np.triu_indices(design.shape[1])
    products = design[:, first] * design[:, second]
    product_index = np.zeros((design.shape[1],) * 2, dtype=np.int64)
    product_index[first, second] = product_index[second, first] = np.arange(len(first))
    block = max(BLOCK // max(len(design), 1), 1)
    coefficients = np.empty((len(subsets), subsets.shape[1] + 1))
    for start in range(0, len(subsets), block):
        part = subsets[start : start + block]
        terms = np.column_stack([np.zeros(len(part), dtype=np.int64), part + 1])
        coefficients[start : start + block] = _fit_reweighted(
            design, products, product_index, y.values, terms
        )
    return _to_original_units(subsets, coefficients[:, 1:], x, y, coefficients[:, 0])


def fit_non_negative(features: Floats, response: Floats, subsets: Indices) -> Models:
    """Fit least squares with nonnegative weights and a free intercept.

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
    Reverse the sign of features of which less is better. Features and response are centered for the intercept; the
    problem is then solved on the Cholesky factor of the normal equations, which has the same minimum.
    Source: Lawson and Hanson 1974, Solving Least Squares Problems, chapter 23.
    """
    x, y = _Standardized.from_columns(features), _Standardized.from_columns(response)
    triangles = np.linalg.cholesky(_submatrices(x.values.T @ x.values, subsets))
    moments = (x.values.T @ y.values)[subsets]
    weights = np.array([_solve_non_negative(*pair) for pair in zip(triangles, moments, strict=True)])
    return _to_original_units(subsets, weights.reshape(subsets.shape), x, y)


def fit_canonical(features: Floats, responses: Floats, subsets: Indices, response: int) -> Models:
    """Fit the linear combination of features with the highest correlation to one of all responses.

    Parameters
    ----------
    features : (n, f)
    responses : (n, h)
    subsets : (s, k) places of features, none redundant
    response : index of the response in whose units predictions are given

    Returns
    -------
    Models
        the features' first canonical variates, scaled by the regression of the chosen response on each. Constant if
        they are uncorrelated with it.

    Notes
    -----
    With one response this is least squares. Constant and linearly dependent responses have no effect.
    Source: Hotelling 1936; Härdle and Simar 2015, Applied Multivariate Statistical Analysis, section 16.1.
    """
    x, y = _Standardized.from_columns(features), _Standardized.from_columns(responses)
    n = len(x.values)
    values, vectors = np.linalg.eigh(y.values.T @ y.values / n)
    is_independent = values > SINGULAR
    whiten = vectors[:, is_independent] / np.sqrt(values[is_independent])
    if not is_independent.any():
        zeros = np.zeros(subsets.shape)
        return _to_original_units(subsets, zeros, x, y.column(response))
    cross = x.values.T @ y.values / n
    shared = (cross @ whiten)[subsets]
    loadings = np.linalg.solve(_submatrices(x.values.T @ x.values / n, subsets), shared)
    squares, directions = np.linalg.eigh(np.swapaxes(shared, 1, 2) @ loadings)
    variate = (loadings @ directions[:, :, -1:])[:, :, 0]
    covariance = (variate * cross[subsets, response]).sum(axis=1)
    variance = squares[:, -1]
    slope = np.divide(covariance, variance, out=np.zeros_like(variance), where=variance > SINGULAR)
    return _to_original_units(subsets, variate * slope[:, None], x, y.column(response))


@dataclass(frozen=True, eq=False)
class _Standardized:
    """Columns with mean 0 and SD 1 (constant ones: 0), with their original means and SDs."""

    values: Floats
    centre: Floats
    spread: Floats

    @classmethod
    def from_columns(cls, columns: Floats) -> "_Standardized":
        centre = columns.mean(axis=0)
        scale = np.asarray(columns.std(axis=0))
        is_constant = scale <= 1e-12 * np.maximum(np.abs(columns).max(axis=0), 1e-300)
        scale = np.where(is_constant, 1.0, scale)
        return cls(np.where(is_constant, 0.0, (columns - centre) / scale), np.asarray(centre), scale)

    def column(self, column: int) -> "_Standardized":
        return _Standardized(self.values[:, column], self.centre[column], self.spread[column])


def _submatrices(matrix: Floats, subsets: Indices) -> Floats:
    """Return the square submatrices (s, k, k) of subsets."""
    return matrix[subsets[:, :, None], subsets[:, None, :]]


def _to_original_units(
    subsets: Indices, weights: Floats, x: _Standardized, y: _Standardized, at_mean: Floats | float = 0.0
) -> Models:
    """Transform models of standardized columns to the original units."""
    rescaled = weights * y.spread / x.spread[subsets]
    return Models(
        subsets, rescaled, y.centre + y.spread * at_mean - (rescaled * x.centre[subsets]).sum(axis=1)
    )


def _fit_reweighted(
    design: Floats, products: Floats, product_index: Indices, y: Floats, terms: Indices
) -> Floats:
    """Fit Huber regressions of the design's columns in each row of `terms` by reweighting: coefficients (s, k + 1)."""
    fit = _least_squares(design, products, product_index, y, terms, np.ones((1, len(y))))
    active = np.arange(len(terms))
    for _ in range(MOST_STEPS):
        coefficients = np.zeros((len(active), design.shape[1]))
        np.put_along_axis(coefficients, terms[active], fit[active], axis=1)
        residual = np.abs(y - coefficients @ design.T)
        limit = TUNING * np.median(residual, axis=1) / MAD_OF_NORMAL
        has_spread = limit > SINGULAR
        active, residual, limit = active[has_spread], residual[has_spread], limit[has_spread, None]
        if not len(active):
            break
        weight = limit / np.maximum(residual, limit)
        updated = _least_squares(design, products, product_index, y, terms[active], weight)
        step = np.abs(updated - fit[active]).max(axis=1)
        fit[active] = updated
        active = active[step > TOLERANCE]
        if not len(active):
            break
    return fit


def _least_squares(
    design: Floats, products: Floats, product_index: Indices, y: Floats, terms: Indices, weight: Floats
) -> Floats:
    sums = weight @ products
    moments = (weight * y) @ design
    row = np.arange(len(terms))[:, None] if len(weight) == len(terms) else np.zeros((1, 1), dtype=np.int64)
    squares = sums[row[:, :, None], product_index[terms[:, :, None], terms[:, None, :]]]
    right_sides = moments[row, terms][:, :, None]
    try:
        fit = np.linalg.solve(squares, right_sides)
    except np.linalg.LinAlgError:
        fit = np.linalg.pinv(squares, hermitian=True) @ right_sides
    return np.asarray(fit[:, :, 0], dtype=np.float64)


def _solve_non_negative(triangle: Floats, moment: Floats) -> Floats:
    try:
        return optimize.nnls(triangle.T, linalg.solve_triangular(triangle, moment, lower=True))[0]
    except RuntimeError:
        return np.full(len(moment), np.nan)
