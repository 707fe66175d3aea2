"""Intervals of a change between two versions of a study that share items.

Both versions are mostly the same units, so that their own intervals say nothing of the change. What each unit pulls the
figure by is told of both, and the change's spread is that of the difference of the pulls: a unit that is the same in
both pulls both alike and adds nothing, one that only one version has adds all of its pull.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.resampling.intervals import IDENTITY, Ends, Transform, by_error, quantile_of_t, shaped
from analysis.values.estimate import Codes, Estimate, Floats, InputError

UNCHANGED = "nothing that it is based on changed"
ONE_UNIT = "a single unit does not show how units differ"
ALL_MOVED_ALIKE = "all units changed alike, so that they show no spread"
NOT_IN_BOTH = "it is not there in both"
ONE_HOLDS_ALL = "without one of its units it is not defined"
_NOTHING = 1e-15


@dataclass(frozen=True, eq=False)
class Pulls:
    """A figure's `value`, and by how much each of its `units` (u,) pulls it from where it would be without it: `pull`
    (u,), which add up to 0."""

    value: float
    units: NDArray[Any]
    pull: Floats


def of_mean(units: ArrayLike, values: ArrayLike) -> Pulls:
    """The mean of one value (u,) per unit (u,), each unit once.

    >>> of_mean(["a", "b"], [1, 3]).pull.tolist()
    [-0.5, 0.5]
    """
    return of_ratio(units, values, np.ones(np.shape(values)))


def of_ratio(units: ArrayLike, total: ArrayLike, count: ArrayLike) -> Pulls:
    """The sum of all totals over that of all counts, from both of each unit (u,); repeated units are added up."""
    names, place = np.unique(np.asarray(units), return_inverse=True)
    totals, counts = (np.bincount(place, np.asarray(one, dtype=np.float64)) for one in (total, count))
    of = counts.sum()
    value = float(totals.sum() / of) if of else nan
    return Pulls(value, names, (totals - value * counts) / of if of else np.full(len(names), nan))


def of_left_out(units: ArrayLike, value: float, left: Floats) -> Pulls:
    """Any figure, from what it is without each of its units (u,)."""
    names, n = np.asarray(units), len(left)
    pull = (left.mean() - left) * (n - 1) / n if n else left
    return Pulls(value, names, pull)


def mean_of(parts: Sequence[Pulls]) -> Pulls:
    """The mean of several figures of the same study."""
    units = np.concatenate([one.units for one in parts])
    names, place = np.unique(units, return_inverse=True)
    pull = np.bincount(place, np.concatenate([one.pull for one in parts])) / len(parts)
    return Pulls(float(np.mean([one.value for one in parts])), names, pull)


def changed(before: Pulls, after: Pulls, level: float = 0.95) -> Estimate:
    """The figure of the newer version less that of the older one, with its interval over units.

    Parameters
    ----------
    before, after : equal names are the same unit in both
    level : of the interval

    Returns
    -------
    Estimate
        n = units of either. Without an interval, and with the reason, where nothing changed or all changed alike.

    Raises
    ------
    InputError
        where a version names a unit twice.

    Notes
    -----
    The change in *these* rows is known exactly, so this is no test of whether it happened, and not for raters, who are
    taken as they are. Student's t with units - 1 degrees of freedom; of means over the same units it is the interval of
    the paired t test. What a method estimates from all units (weights of items and raters) is taken as it came out.
    Source: Efron 1982, The Jackknife, the Bootstrap and Other Resampling Plans, chapter 6 (influence functions).

    >>> old = of_mean(["a", "b", "c"], [1, 2, 3])
    >>> found = changed(old, of_mean(["a", "b", "c"], [2, 2, 5]))
    >>> found.value, round(found.low, 2), round(found.high, 2)
    (1.0, -1.48, 3.48)
    """
    for version in (before, after):
        if len(np.unique(version.units)) != len(version.units):
            raise InputError("`units` of a version must be told once each")
    value = after.value - before.value
    units, place = np.unique(np.concatenate([before.units, after.units]), return_inverse=True)
    n = len(units)
    pull = np.bincount(place, np.concatenate([-before.pull, after.pull]), minlength=n)
    if not np.isfinite(value):
        return Estimate(nan, n=n, reason=NOT_IN_BOTH)
    if n < 2:
        return Estimate(value, n=n, reason=ONE_UNIT)
    if not np.isfinite(pull).all():
        return Estimate(value, n=n, reason=ONE_HOLDS_ALL)
    variance = n / (n - 1) * float(pull @ pull)
    if variance < _NOTHING:
        return Estimate(value, n=n, reason=UNCHANGED if abs(value) < _NOTHING else ALL_MOVED_ALIKE)
    far = float(quantile_of_t(n - 1, level)) * float(np.sqrt(variance))
    return Estimate(value, value - far, value + far, n)


class Chance(NamedTuple):
    """A variance, and how unsure it is: half the variance of its estimate, its square over its degrees of freedom."""

    variance: float
    unsure: float

    @property
    def degrees(self) -> float:
        """Satterthwaite's degrees of freedom, 1 or more (Satterthwaite 1946)."""
        if not (self.variance > 0 and self.unsure > 0):
            return np.inf
        return max(self.variance**2 / self.unsure, 1.0)


NONE = Chance(0.0, 0.0)
ALIKE = 1e-24


def carried(parts: Floats, rater: Codes, raters: int) -> Chance:
    """The variance that raters (N,) carry into a figure, from each vote's part in it (N,).

    Source: Cameron, Gelbach and Miller 2011, "Robust inference with multiway clustering", section 2 (raters less their
    crossing with items); Carter, Schnepel and Steigerwald 2017 (how many equal loads unequal ones are worth).
    """
    load = np.bincount(rater, minlength=raters).astype(np.float64)
    many = int((load > 0).sum())
    if many < 2:
        return NONE
    widened = many / (many - 1)
    by_rater = float((np.bincount(rater, parts, raters) ** 2).sum()) * widened
    between = max(by_rater - float((parts**2).sum()) * widened, 0.0)
    worth = load.sum() ** 2 / (load**2).sum()
    return Chance(between, by_rater**2 / max(worth - 1, 1.0))


def together(items: Chance, raters: Chance) -> Chance:
    """Both variances; of few raters, whose part is often estimated as 0, they leave few degrees of freedom."""
    return Chance(items.variance + raters.variance, items.unsure + raters.unsure)


def of_items(variance: float, items: int) -> Chance:
    """A variance over so many items."""
    return Chance(variance, variance**2 / (items - 1))


def over_items(drawn: Floats, items: int) -> Chance:
    """The variance of a figure's draws (draws,) of items, widened by n / (n - 1); NaN for fewer than two draws."""
    known = drawn[np.isfinite(drawn)]
    if len(known) < max(len(drawn) / 2, 2) or items < 2:
        return Chance(np.nan, np.nan)
    return of_items(float(known.var(ddof=1)) * items / (items - 1), items)


def two_way_ends(
    value: float, drawn: Floats, items: int, raters: Chance, level: float, scale: Transform = IDENTITY
) -> Ends:
    """An interval with the shape of draws (draws,) of items, and what raters carry, on the scale, in its width."""
    by_items = over_items(scale.forth(drawn), items)
    chance = together(by_items, raters)
    if by_items.variance <= ALIKE:  # draws without a shape
        return by_error(value, np.sqrt(chance.variance), level, chance.degrees, scale=scale)
    return shaped(value, drawn, level, chance.degrees, chance.variance, scale)
