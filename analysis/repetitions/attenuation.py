"""Beyond half of the ratings: what split halves say about all of them, and about more.

Only half of an item's ratings can be held against the other half, so the simulated curve ends at h.
Spearman-Brown carries it on: from the correlation c of two means of h ratings follow the reliability of one
rating and of any number of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import atanh, ceil, exp, inf, isnan, log, nan, sqrt
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from analysis.agreement.agreement_summary import AgreementSummary
from analysis.agreement.ratio_intervals import fisher_z
from analysis.agreement.reliability import FEWEST_FOR_OTHERS, OTHERS, too_few_raters
from analysis.repetitions.saturation import Curves, mean_and_number, r_squared, where_falling_ends
from analysis.values.estimate import Estimate, InputError
from analysis.values.types import Floats


@dataclass(frozen=True, eq=False)
class Extrapolation:
    """Split halves carried on to r = 1 … R ratings.

    `halves` is c, the mean over shuffles of Pearson's r between the halves of h ratings; `reliability_of_one`
    rho_1; `reliability` (R,) of the mean of r ratings; `curve` (R,) its correlation with a mean of h other
    ratings, sqrt(rho_r rho_h). NaN with a `reason` where c is not positive.
    """

    halves: float
    h: int
    reliability_of_one: float
    reliability: NDArray[np.float64]
    curve: NDArray[np.float64]
    reason: str = ""


def extrapolate(curves: Curves, repetitions: int) -> Extrapolation:
    """Carry a split-half curve on to more ratings, arrays (R,).

    c / (h - (h - 1) c) = rho_1 and rho_k = k rho_1 / (1 + (k - 1) rho_1). This is repeatability, not validity: raters
    may agree about the wrong thing. Not for ratings whose order matters (learning, fatigue).
    Source: Spearman 1910, Brown 1910.

    >>> curves = Curves(np.array([0.8]), np.array([[0.8]]), np.array([9]), pearson_of_halves=np.array([0.8]))
    >>> extrapolate(curves, 2).reliability.round(3)
    array([0.8 , 0.889])
    """
    if curves.pearson_of_halves is None:
        raise InputError("`curves` must come from split halves, so from `simulate` with `reference` None")
    if repetitions < 1:
        raise InputError(f"`repetitions` must be a whole number from 1, got {repetitions}")
    h = curves.repetitions
    known = curves.pearson_of_halves[~np.isnan(curves.pearson_of_halves)]
    halves = float(known.mean()) if len(known) else float("nan")
    if not halves > 0:
        undefined = np.full(repetitions, np.nan)
        reason = curves.reason or "the halves do not agree, so nothing can be said about more ratings"
        return Extrapolation(halves, h, float("nan"), undefined, undefined, reason)
    one = halves / (h - (h - 1) * halves)
    r = np.arange(1, repetitions + 1)
    reliability = r * one / (1 + (r - 1) * one)
    return Extrapolation(halves, h, one, reliability, np.sqrt(reliability * halves))


MOST_FOR_OTHERS = 1_000
"""Upper end of the ratings needed beyond which the raters are too few for raters like these."""
NO_RELIABILITY = "raters do not agree beyond chance, so no mean gets reliable"


def ratings_for(reliability: float, target: float) -> float:
    """Return the first number of ratings whose mean reaches a reliability: Spearman-Brown solved for it.

    Infinite where one rating has none, NaN where it is undefined.
    Source: methods, section 2, rule 3; Spearman 1910, Brown 1910.

    >>> ratings_for(0.3, 0.8)
    10.0
    """
    if isnan(reliability):
        return nan
    if reliability <= 0:
        return inf
    return float(max(ceil(target * (1 - reliability) / ((1 - target) * reliability) - 1e-9), 1))


def ratings_needed(found: AgreementSummary, target: float) -> Estimate:
    """Return the ratings per item at which their mean reaches a reliability, with the interval of one rating's.

    The upper end is infinite where the reliability of one rating may be 0. NaN with a reason where the reliability has
    no interval, and, for raters like these, below 3 raters or where the upper end exceeds 1,000.
    """
    one = found.one
    if found.scope == OTHERS and found.raters < FEWEST_FOR_OTHERS:
        return Estimate(nan, n=one.n, reason=too_few_raters(found.raters))
    if not one.defined or isnan(one.low):
        return Estimate(nan, n=one.n, reason=one.reason, warning=one.warning)
    value, low, high = (ratings_for(end, target) for end in (one.value, one.high, one.low))
    if found.scope == OTHERS and high > MOST_FOR_OTHERS:
        reason = f"{found.raters} raters leave open whether 1,000 ratings are enough with raters like these"
        return Estimate(nan, n=one.n, reason=reason, warning=one.warning)
    return Estimate(value, low, high, one.n, warning=one.warning)


@dataclass(frozen=True)
class Advice:
    """Means to narrow the interval of a reliability: more `of` raters or items, `number` in all where it is known."""

    of: Literal["raters", "items"]
    number: float = nan


def advise(found: AgreementSummary, wanted: float | None = None) -> Advice | None:
    """Return what would narrow the interval of one rating's reliability, to a half-width on z where one is wanted.

    Raters where they make up at least half of its variance, else items; None where more items alone cannot narrow it so
    far. How many items is unknown where they are counted by systems and topics: more items of these narrow little.
    """
    one = found.one
    half = (fisher_z(one.high) - fisher_z(one.low)) / 2
    if found.items_share < 0.5:
        return Advice("raters")
    if wanted is None or isnan(half) or found.by_clusters:
        return Advice("items")
    left = wanted**2 - half**2 * (1 - found.items_share)
    return Advice("items", float(ceil(one.n * half**2 * found.items_share / left))) if left > 0 else None


TOO_WIDE = 4
"""Times the lower end of the ratings needed up to which the upper end leaves a number to plan with."""


def narrow_enough(reliability: float, ratio: float = TOO_WIDE) -> float:
    """Return the half-width on Fisher's z with which the ends of the ratings needed are in this ratio.

    Ratings needed are in proportion to (1 - ρ) / ρ, which is 2 / (exp(2z) - 1).
    """
    at = exp(2 * atanh(min(reliability, 0.99)))
    return log((sqrt((ratio - 1) ** 2 + 4 * ratio * at**2) - ratio + 1) / (2 * at)) / 2


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
        """Return True where a curve was found."""
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
