"""Beyond half of the ratings: what split halves say about all of them, and about more.

Only half of an item's ratings can be held against the other half, so the simulated curve ends at h.
Spearman-Brown carries it on: from the correlation c of two means of h ratings follow the reliability of one
rating and of any number of them.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analysis.repetitions.curves import Curves
from analysis.values.errors import InputError


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
