"""From which variances could these estimates have come? Draws by way of mean squares, which vary as chi-squared does.

The means of a source's levels vary by its own variance and by shares of those of finer sources: items vary within
systems, ratings within items. These variances of means are nearly uncorrelated, and chance in each is that of
chi-squared; variances themselves, being their differences, have no such law.
"""

import numpy as np
from scipy import special

from analysis.values.types import Floats
from analysis.variance.sources import Design

LEAST_DEGREES = 0.1


def weights(design: Design) -> Floats:
    """How much of each variance the means of each source's levels vary by, (k + 1, k + 1); the rest's by itself."""
    k = len(design.sources)
    made = np.eye(k + 1)
    for coarse in range(k):
        of_levels = design.counts(coarse)
        made[coarse, k] = (1 / of_levels).mean()
        for fine in range(k):
            within = None if fine == coarse else design.within(coarse, fine)
            if within is not None:
                shares = design.counts(fine) / of_levels[within]
                made[coarse, fine] = float((shares**2).sum()) / len(of_levels)
    return made


def drawn(
    variance: Floats,
    covariance: Floats,
    weights: Floats,
    rng: np.random.Generator,
    draws: int,
    of_log_residual: float = 0.0,
) -> Floats:
    """Variances (draws, k + 1) that may lie behind these estimates (k + 1,), below 0 where a draw says so.

    Each mean square has the degrees of freedom that its variance gives it, 2 mean square² / variance, and is divided by
    a chi-squared over its degrees; on complete ratings these are the mean squares of the analysis of variance. What
    correlation sparse ratings leave between them, their draws have too (by way of normal ones). The residual varies at
    least as a variance of its logarithm of `of_log_residual` says: raters may be unequally noisy.
    Source: Weerahandi 1993, "Generalized confidence intervals"; Satterthwaite 1946; Burdick & Graybill 1992,
    "Confidence Intervals on Variance Components", chapter 6 (means of unequally many).
    """
    square = weights @ variance
    together = weights @ covariance @ weights.T
    wider = np.ones(len(variance))
    wider[-1] = np.sqrt(max(of_log_residual * square[-1] ** 2 / max(together[-1, -1], 1e-300), 1.0))
    together = together * np.outer(wider, wider)
    chance = np.diagonal(together)
    known = (square > 0) & (chance > 0)
    error = np.sqrt(np.where(known, chance, 1.0))
    degrees = np.maximum(2 * np.where(known, square / error, 1.0) ** 2, LEAST_DEGREES)
    normal = rng.normal(size=(draws, len(variance))) @ _root(together / np.outer(error, error)).T
    below = np.clip(special.ndtr(normal), 1e-12, 1 - 1e-12)
    chi = 2 * special.gammaincinv(degrees / 2, below)
    drawn_square = np.where(known, square * degrees / np.maximum(chi, 1e-12), square)
    return np.asarray(np.linalg.solve(weights, drawn_square.T).T)


def _root(correlation: Floats) -> Floats:
    """A matrix whose product with its transpose is this one, as near as one with no negative eigenvalue comes."""
    values, vectors = np.linalg.eigh(correlation)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    length = np.sqrt((root**2).sum(axis=1))
    return np.asarray(root / np.where(length > 0, length, 1.0)[:, None])
