"""Intervals of a change between two versions of a study that share items, and variances due to items and raters.

Most units are in both versions, so that their separate intervals do not show the change. The variance of the change is
that of the differences of the units' influence values: a unit that is equal in both has difference 0, a unit of one
version its whole influence.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.resampling.intervals import (
    IDENTITY,
    Ends,
    Transform,
    interval_from_error,
    scaled_percentiles,
    t_quantile,
)
from analysis.values.estimate import Codes, Estimate, Floats, InputError

UNCHANGED = "nothing that it is based on changed"
ONE_UNIT = "a single unit does not show how units differ"
EQUAL_CHANGES = "all units changed alike, so that they show no spread"
NOT_IN_BOTH = "it is not there in both"
UNDEFINED_WITHOUT_ONE_UNIT = "without one of its units it is not defined"
_NOTHING = 1e-15


@dataclass(frozen=True, eq=False)
class InfluenceValues:
    """Value of a figure, and the `influence` (u,) of each of its `units` (u,), with sum 0."""

    value: float
    units: NDArray[Any]
    influence: Floats


def influence_of_mean(units: ArrayLike, values: ArrayLike) -> InfluenceValues:
    """Return the influence values of the mean of one value (u,) per unit (u,).

    >>> influence_of_mean(["a", "b"], [1, 3]).influence.tolist()
    [-0.5, 0.5]
    """
    return influence_of_ratio(units, values, np.ones(np.shape(values)))


def influence_of_ratio(units: ArrayLike, total: ArrayLike, count: ArrayLike) -> InfluenceValues:
    """Return the influence values of the ratio of the sums of totals (u,) and counts (u,); repeated units are added."""
    names, unit_of = np.unique(np.asarray(units), return_inverse=True)
    totals, counts = (np.bincount(unit_of, np.asarray(one, dtype=np.float64)) for one in (total, count))
    number = counts.sum()
    value = float(totals.sum() / number) if number else nan
    return InfluenceValues(
        value, names, (totals - value * counts) / number if number else np.full(len(names), nan)
    )


def influence_from_leave_one_out(units: ArrayLike, value: float, leave_one_out: Floats) -> InfluenceValues:
    """Return the influence values of a figure from its leave-one-out values (u,)."""
    names, n = np.asarray(units), len(leave_one_out)
    influence = (leave_one_out.mean() - leave_one_out) * (n - 1) / n if n else leave_one_out
    return InfluenceValues(value, names, influence)


def average_influence(parts: Sequence[InfluenceValues]) -> InfluenceValues:
    """Return the influence values of the mean of several figures of the same study."""
    units = np.concatenate([part.units for part in parts])
    names, unit_of = np.unique(units, return_inverse=True)
    influence = np.bincount(unit_of, np.concatenate([part.influence for part in parts])) / len(parts)
    return InfluenceValues(float(np.mean([part.value for part in parts])), names, influence)


def estimate_change(before: InfluenceValues, after: InfluenceValues, level: float = 0.95) -> Estimate:
    """Estimate the figure of the newer version minus that of the older one, with its interval over units.

    Parameters
    ----------
    before, after : influence values; units of equal names are the same
    level : of the interval

    Returns
    -------
    Estimate
        n = units of either. Without an interval, with the reason, where nothing changed or all changes are equal.

    Raises
    ------
    InputError
        where a version names a unit twice.

    Notes
    -----
    The change in *these* rows is known exactly, so this does not test whether it happened. Raters are fixed. Student's
    t with units - 1 degrees of freedom; for means over the same units it is the interval of the paired t test. What a
    method estimates from all units (weights of items and raters) is also fixed.
    Source: Efron 1982, The Jackknife, the Bootstrap and Other Resampling Plans, chapter 6 (influence functions).

    >>> old = influence_of_mean(["a", "b", "c"], [1, 2, 3])
    >>> found = estimate_change(old, influence_of_mean(["a", "b", "c"], [2, 2, 5]))
    >>> found.value, round(found.low, 2), round(found.high, 2)
    (1.0, -1.48, 3.48)
    """
    for version in (before, after):
        if len(np.unique(version.units)) != len(version.units):
            raise InputError("`units` of a version must be told once each")
    value = after.value - before.value
    units, unit_of = np.unique(np.concatenate([before.units, after.units]), return_inverse=True)
    n = len(units)
    influence = np.bincount(unit_of, np.concatenate([-before.influence, after.influence]), minlength=n)
    if not np.isfinite(value):
        return Estimate(nan, n=n, reason=NOT_IN_BOTH)
    if n < 2:
        return Estimate(value, n=n, reason=ONE_UNIT)
    if not np.isfinite(influence).all():
        return Estimate(value, n=n, reason=UNDEFINED_WITHOUT_ONE_UNIT)
    variance = n / (n - 1) * float(influence @ influence)
    if variance < _NOTHING:
        return Estimate(value, n=n, reason=UNCHANGED if abs(value) < _NOTHING else EQUAL_CHANGES)
    half_width = float(t_quantile(n - 1, level)) * float(np.sqrt(variance))
    return Estimate(value, value - half_width, value + half_width, n)


class VarianceEstimate(NamedTuple):
    """Estimated variance with its `uncertainty`: its square over its degrees of freedom, half its own variance."""

    variance: float
    uncertainty: float

    @property
    def degrees(self) -> float:
        """Satterthwaite's degrees of freedom, 1 or more (Satterthwaite 1946)."""
        if not (self.variance > 0 and self.uncertainty > 0):
            return np.inf
        return max(self.variance**2 / self.uncertainty, 1.0)


NO_VARIANCE = VarianceEstimate(0.0, 0.0)
SMALLEST_VARIANCE = 1e-24


def rater_variance(influence: Floats, rater: Codes, raters: int) -> VarianceEstimate:
    """Estimate the variance of a figure due to raters (N,), from the influence of each vote (N,).

    Source: Cameron, Gelbach and Miller 2011, "Robust inference with multiway clustering", section 2 (raters minus their
    crossing with items); Carter, Schnepel and Steigerwald 2017 (effective number of clusters).
    """
    counts = np.bincount(rater, minlength=raters).astype(np.float64)
    number = int((counts > 0).sum())
    if number < 2:
        return NO_VARIANCE
    correction = number / (number - 1)
    by_rater = float((np.bincount(rater, influence, raters) ** 2).sum()) * correction
    between = max(by_rater - float((influence**2).sum()) * correction, 0.0)
    effective_raters = counts.sum() ** 2 / (counts**2).sum()
    return VarianceEstimate(between, by_rater**2 / max(effective_raters - 1, 1.0))


def add_variances(items: VarianceEstimate, raters: VarianceEstimate) -> VarianceEstimate:
    """Add both variances and uncertainties; few raters leave few degrees of freedom even if their variance is 0."""
    return VarianceEstimate(items.variance + raters.variance, items.uncertainty + raters.uncertainty)


def item_variance(variance: float, items: int) -> VarianceEstimate:
    """Return a variance over so many items with its uncertainty."""
    return VarianceEstimate(variance, variance**2 / (items - 1))


def item_variance_from_samples(samples: Floats, items: int) -> VarianceEstimate:
    """Estimate a variance from bootstrap samples (draws,) of items, times n / (n - 1); NaN below two samples."""
    defined = samples[np.isfinite(samples)]
    if len(defined) < max(len(samples) / 2, 2) or items < 2:
        return VarianceEstimate(np.nan, np.nan)
    return item_variance(float(defined.var(ddof=1)) * items / (items - 1), items)


def item_and_rater_interval(
    value: float,
    samples: Floats,
    items: int,
    raters: VarianceEstimate,
    level: float,
    scale: Transform = IDENTITY,
) -> Ends:
    """Return the interval shaped like samples (draws,) of items, with the variance due to raters added on the scale."""
    by_items = item_variance_from_samples(scale.forward(samples), items)
    total = add_variances(by_items, raters)
    if by_items.variance <= SMALLEST_VARIANCE:  # all samples are equal
        return interval_from_error(value, np.sqrt(total.variance), level, total.degrees, scale=scale)
    return scaled_percentiles(value, samples, level, total.degrees, total.variance, scale)
