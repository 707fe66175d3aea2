"""The power of a t test, and the pairs it needs.

SciPy's noncentral t is NaN in places that power needs (10 degrees, noncentrality 20): here the normal tails are
integrated over chi-square on a log scale, where the trapezoidal rule is exact to rounding.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from analysis.values.counts import thousands
from analysis.values.errors import InputError
from analysis.values.types import Floats

NODES = 401
MOST = 10**9
"""Pairs beyond which nobody asks."""


def power_of_t(t: ArrayLike, df: ArrayLike, alpha: ArrayLike = 0.05) -> Floats:
    """The chance (…,) that a two-sided t test at `alpha` rejects where its noncentrality is t; NaN without degrees.

    Source: Johnson, Kotz and Balakrishnan 1995, chapter 31 (t is a shifted normal over the root of chi-square / df).
    """
    return powers_of_t(df, alpha)(t)


def powers_of_t(df: ArrayLike, alpha: ArrayLike = 0.05) -> Callable[[ArrayLike], Floats]:
    """`power_of_t` of any t at these degrees: what t does not change is worked out once for a search."""
    degrees, level = np.broadcast_arrays(*(np.asarray(one, dtype=np.float64) for one in (df, alpha)))
    known = (degrees > 0) & np.isfinite(degrees)
    of = np.where(known, degrees, 1.0)[..., None]
    wide = 8 * np.sqrt(2 / of)
    low = -(wide + 70 / of)
    log = low + (wide - low) * np.linspace(0, 1, NODES)
    weight = np.exp(of / 2 * (log - np.exp(log) + 1))
    critical = special.stdtrit(of, 1 - level[..., None] / 2) * np.exp(log / 2)
    weight_of_all = weight.sum(axis=-1)

    def power(t: ArrayLike) -> Floats:
        shift = np.asarray(t, dtype=np.float64)
        centre = shift[..., None]
        beyond = special.ndtr(centre - critical) + special.ndtr(-centre - critical)
        found = (beyond * weight).sum(axis=-1) / weight_of_all
        return np.asarray(np.where(known & np.isfinite(shift), np.minimum(found, 1.0), np.nan))

    return power


def paired_sample_size(
    difference: float, sd: float, power: float = 0.8, alpha: float = 0.05, comparisons: int = 1
) -> int:
    """Raters (or other pairs) with whom a two-sided paired t test finds a difference.

    Parameters
    ----------
    difference : of the two means
    sd : of the differences within pairs
    power, alpha : chance of finding it, and of finding one where there is none
    comparisons : how many such tests; each is held to alpha / comparisons (Bonferroni)

    Raises
    ------
    InputError
        where the difference is 0, or an argument lies outside its range.

    Notes
    -----
    Not for few items per person, whose own chance stays: use `difference_power`.
    Source: Brunnström and Barkowsky 2018, "Statistical quality of experience analysis", Table 1; Student 1908.

    >>> paired_sample_size(1, 0.8, comparisons=100), paired_sample_size(0.5, 1.0, comparisons=4950)
    (18, 121)
    """
    if difference == 0 or not np.isfinite(difference):
        raise InputError(f"`difference` must be a number other than 0, got {difference}")
    positive("sd", sd)
    shares(power=power, alpha=alpha)
    at_least("comparisons", comparisons, 1)

    def reached(pairs: int) -> bool:
        shift = abs(difference) / sd * np.sqrt(pairs)
        return bool(power_of_t(shift, pairs - 1, alpha / comparisons) >= power)

    most = 2
    while not reached(most):
        if most > MOST:
            raise InputError(
                f"more than {thousands(MOST)} pairs would be needed; ask for a larger difference"
            )
        most *= 2
    least = max(most // 2, 1)
    while most - least > 1:
        middle = (least + most) // 2
        least, most = (least, middle) if reached(middle) else (middle, most)
    return most


def positive(name: str, value: float) -> None:
    """Refuses what is not a positive number."""
    if not 0 < value < np.inf:
        raise InputError(f"`{name}` must be a number above 0, got {value}")


def shares(**given: float) -> None:
    """Refuses what does not lie between 0 and 1."""
    for name, value in given.items():
        if not 0 < value < 1:
            raise InputError(f"`{name}` must be between 0 and 1, got {value}")


def at_least(name: str, value: Any, least: float) -> None:
    """Refuses what lies below, and what is no number."""
    if not least <= value < np.inf:
        raise InputError(f"`{name}` must be {least} or more, got {value}")
