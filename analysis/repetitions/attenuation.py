"""The correlation that ratings would reach without noise, and how fast more ratings come near it.

Classical test theory: a mean of r ratings of reliability rho_1 correlates with anything as its noise-free
value does, times sqrt(reliability of r ratings). With lambda = (1 - rho_1) / rho_1 that is

    rho(r) = rho_inf sqrt(r / (r + lambda)),

whose limit does not move with how many ratings were collected, unlike the exponential's. Given lambda,
rho_inf is closed, so only lambda is searched, on the means per r, for one study or many draws at once.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf, nan
from typing import Any

import numpy as np

from analysis.repetitions.curves import Curves, r_squared
from analysis.repetitions.saturation import mean_and_number, where_falling_ends
from analysis.values.types import Floats

ZERO = 1e-9
"""Mean correlation up to which there is none: what rounding leaves of it."""
_GRID = np.concatenate([[0.0], np.geomspace(1e-3, 1e4, 160)])


@dataclass(frozen=True, eq=False)
class Attenuation:
    """The fitted curve rho_inf sqrt(r / (r + lambda)) and how well it describes each order.

    `rho_inf` is the limit, `ratings_for_half` lambda: with that many ratings half of the mean's variance is
    signal. `r_squared_measured` is for the measured order, `r_squared_shuffled` (k,) for each shuffle; `n`
    the number of points. Where not defined, figures are NaN and `reason` says why.
    """

    rho_inf: float
    ratings_for_half: float
    r_squared_measured: float
    r_squared_shuffled: Floats = field(repr=False)
    n: int = 0
    reason: str = ""

    @property
    def defined(self) -> bool:
        """Whether a curve was found."""
        return self.rho_inf == self.rho_inf

    def at(self, r: Any) -> Floats:
        """The curve after r ratings.

        Source: Spearman 1904 (attenuation) with Spearman-Brown.
        """
        ratings = np.asarray(r, dtype=np.float64)
        return np.asarray(self.rho_inf * np.sqrt(ratings / (ratings + self.ratings_for_half)))


def fit(curves: Curves) -> Attenuation:
    """Fit rho_inf sqrt(r / (r + lambda)) to all points of all orders together, by least squares.

    Parameters
    ----------
    curves : measured (m,) and shuffled (k, m), as `repetition.simulate` gives them; NaN are left out

    Returns
    -------
    Attenuation
        with NaN and a reason where the points do not determine a limit within 0 … 1.

    Notes
    -----
    Exact for Pearson's r and ratings
    that are exchangeable within an item, close for Spearman's rho; not for a reference made of the same
    ratings. rho_inf stays at or below 1: where the best fit would be above, the best one with rho_inf = 1 is
    taken.
    Source: Spearman 1904 with Spearman-Brown; methods, section 2 (the paper fits the exponential only).
    """
    return fit_all([curves])[0]


def fit_all(every: Sequence[Curves]) -> list[Attenuation]:
    """The same for several measures at once."""
    widest = max((len(curves.measured) for curves in every), default=0)
    mean = np.full((len(every), widest), nan)
    weight = np.zeros((len(every), widest))
    for row, curves in enumerate(every):
        m = len(curves.measured)
        mean[row, :m], weight[row, :m] = mean_and_number(curves.points)
    limit, half = fit_means(mean, weight)
    return [_described(curves, float(limit[i]), float(half[i])) for i, curves in enumerate(every)]


def fit_means(mean: Floats, weight: Floats) -> tuple[Floats, Floats]:
    """Fit many curves to weighted means per number of ratings."""
    w = np.where(np.isnan(mean), 0, weight)
    y = np.where(w > 0, mean, 0)
    enough = ((w > 0).sum(axis=1) >= 3) & ((w * y).sum(axis=1) > ZERO * w.sum(axis=1))
    r = np.arange(1, mean.shape[1] + 1, dtype=np.float64)
    squared = r / (r + _GRID[:, None])
    best = np.argmin(_left(w, y, np.sqrt(squared)), axis=1)
    bounded = best < len(_GRID) - 1
    low, high = _GRID[np.maximum(best - 1, 0)], _GRID[np.minimum(best + 1, len(_GRID) - 1)]
    half = where_falling_ends(low, high, lambda half: _descent(half, r, y, w))
    limit, _ = _best_limit(half, r, y, w)
    limited = enough & bounded
    return np.where(limited, limit, nan), np.where(limited, half, np.where(enough, inf, nan))


def _left(w: Floats, y: Floats, curve: Floats) -> Floats:
    """(d, g) squared error of each of g curves at its best rho_inf in … 1, less a number that is the same for all."""
    shared, norm = (w * y) @ curve.T, w @ (curve**2).T
    limit = np.minimum(shared / np.where(norm > 0, norm, 1), 1)
    error: Floats = limit * (limit * norm - 2 * shared)
    return error


def _best_limit(half: Floats, r: Floats, y: Floats, w: Floats) -> tuple[Floats, Floats]:
    """(d,) best rho_inf in … 1 for each lambda, (d, m) sqrt(r / (r + lambda))."""
    curve = np.sqrt(r / (r + half[:, None]))
    shared, norm = (w * y * curve).sum(axis=1), (w * curve**2).sum(axis=1)
    return np.minimum(shared / np.where(norm > 0, norm, 1), 1), curve


def _descent(half: Floats, r: Floats, y: Floats, w: Floats) -> Floats:
    """(d,) the fall of the squared error with lambda; at the best rho_inf only lambda's own part is left."""
    limit, curve = _best_limit(half, r, y, w)
    reached = limit[:, None] * curve
    fall: Floats = (w * (reached - y) * reached / (r + half[:, None])).sum(axis=1)
    return fall


def _described(curves: Curves, limit: float, half: float) -> Attenuation:
    k, m = curves.shuffled.shape
    number = int(np.isfinite(curves.points).sum())
    if limit != limit:
        if number == 0:
            reason = curves.reason or "there is no correlation to fit a curve to"
        elif half == inf:
            reason = f"no limit in sight: the correlation rises all the way to {m} ratings"
        elif np.nanmean(curves.points) <= ZERO:
            reason = "the correlation is not positive, so more ratings do not raise it"
        else:
            reason = "fewer than three numbers of ratings do not determine a curve"
        return Attenuation(nan, nan, nan, np.full(k, nan), number, reason)
    r = np.arange(1, m + 1)
    described = r_squared(curves.points, limit * np.sqrt(r / (r + half)))
    return Attenuation(limit, half, float(described[0]), described[1:], number)
