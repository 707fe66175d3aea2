"""How sure each rater's own noise is: intervals of standard deviations from residuals that all raters weigh on alike.

Maximum likelihood gives most weight to whoever happens to lie near the means, so its residuals say too little noise
with few raters, and chi-squared around it covered 52 to 85%. Here items and raters are fitted with equal weights; what
each rater's squares should come to is then linear in everyone's variance, and is solved for.
"""

import numpy as np
from scipy import sparse, special

from analysis.values.types import Codes, Floats

MOST_RATERS = 1_000
"""Raters up to whom everyone's variance is solved for."""
_MOST_STEPS = 2_000
_STILL = 1e-10
_FLOOR = 1e-3


def noise_intervals(item: Codes, rater: Codes, score: Floats, w: int, level: float) -> tuple[Floats, Floats]:
    """Ends (w,) for the standard deviation of each rater's noise, NaN where others' noise cannot be told from it.

    Source: Grubbs 1948, "On estimating precision of measuring instruments and product variability"; Satterthwaite 1946.
    """
    none = np.full(w, np.nan)
    if w > MOST_RATERS or not len(score):
        return none, none
    n = int(item.max()) + 1
    given = sparse.csr_array((np.ones(len(item)), (item, rater)), shape=(n, w))
    per_item = np.maximum(np.bincount(item, minlength=n), 1)
    per_rater = np.bincount(rater, minlength=w)
    several = per_rater > 1
    residual = _residuals(item, rater, score, per_item, np.maximum(per_rater, 1))
    squares = np.bincount(rater, residual**2, w) / np.where(several, 1 - 1 / np.maximum(per_rater, 2), 1)
    inverse = 1 / per_item
    share = _together(given, inverse**2)
    equations = share + np.diag(np.asarray(given.T @ (1 - 2 * inverse)))
    values, vectors = np.linalg.eigh(equations)
    free = values <= 1e-9 * max(float(values[-1]), 1.0)
    known = several & (np.abs(vectors[:, free]) < 1e-7).all(axis=1)
    solved = (vectors[:, ~free] / values[~free]) @ vectors[:, ~free].T
    variance = solved @ squares
    plausible = np.maximum(variance, _FLOOR * max(float(variance[known].mean()), 0.0) if known.any() else 0.0)
    spread = solved @ _covariances(given, plausible, inverse, share) @ solved
    error = np.sqrt(np.maximum(np.diag(spread), 0.0))
    degrees = np.maximum(2 * plausible**2 / np.where(error > 0, error**2, np.inf), 1.0)
    low, high = (
        np.sqrt(plausible * degrees / special.chdtri(degrees, 0.5 + side * level / 2)) for side in (-1, 1)
    )
    return np.where(known & (error > 0), low, np.nan), np.where(known & (error > 0), high, np.nan)


def _residuals(item: Codes, rater: Codes, score: Floats, per_item: Codes, per_rater: Codes) -> Floats:
    """Of score = item + rater, by least squares."""
    bias = np.zeros(len(per_rater))
    spread = float(score.std())
    for _ in range(_MOST_STEPS):
        quality = np.bincount(item, score - bias[rater], len(per_item)) / per_item
        before, bias = bias, np.bincount(rater, score - quality[item], len(per_rater)) / per_rater
        if np.abs(bias - before).max() <= _STILL * spread:
            break
    return np.asarray(score - quality[item] - bias[rater])


def _together(given: sparse.csr_array, weight: Floats) -> Floats:
    """(w, w) sums of the weights (n,) of the items that two raters both rated."""
    return np.asarray((given.T @ (given * weight[:, None])).toarray(), dtype=np.float64)


def _covariances(given: sparse.csr_array, variance: Floats, inverse: Floats, share: Floats) -> Floats:
    """(w, w) of the raters' sums of squares: twice the squared covariances of their residuals, over items.

    `share` (w, w) are the sums of `inverse` squared over the items that two raters both rated.
    """
    of_items = np.asarray(given @ variance) * inverse**2
    pair = variance[:, None] + variance
    both = _together(given, of_items**2) - 2 * pair * _together(given, of_items * inverse) + pair**2 * share
    alone = 1 - 2 * inverse
    own = (
        given.T @ of_items**2
        + 2 * variance * (given.T @ (of_items * alone))
        + variance**2 * (given.T @ alone**2)
    )
    np.fill_diagonal(both, own)
    return np.asarray(2 * both)
