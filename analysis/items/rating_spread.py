"""The MOS of one item, with an interval over the raters who gave it."""

from dataclasses import dataclass
from math import exp, inf, isinf, log, nan, sqrt

import numpy as np
from numpy.typing import ArrayLike
from scipy import optimize, special

from analysis.resampling.intervals import interval_from_error, t_quantile
from analysis.values.estimate import Estimate, Floats, InputError
from analysis.values.ratings import Ratings, coded, finite_numbers
from analysis.variance.jackknives import average_repeats, estimate_variances

FEWEST_RATERS = 3
"""Fewest raters for the variance of their severities."""
FEWEST_RATINGS = 5
"""Fewest ratings of an item for its own variance."""
TWO_RATERS = "with two raters only items can be compared, not their level on the scale"
NO_PAIRS = "no item has two ratings, so ratings of one item cannot be compared"
SMALLEST = 1e-5
"""Share of the median variance that replaces the variance 0 of items with equal ratings."""


@dataclass(frozen=True)
class RatingSpread:
    """Variances of an item's ratings, pooled over items, and their degrees of freedom.

    `rater`, `residual` of raters who rate several items, `effective` the effective number of these raters, with
    `residual_degrees`; `within` the variance of an item's ratings with `within_degrees`, which counts alone where no
    rater rates two items (`shared` is False). `prior`, `prior_degrees` are those that items' own variances are shrunk
    to. `raters` is their number. NaN with a `reason` where undefined.
    """

    rater: float
    residual: float
    residual_degrees: float
    within: float
    within_degrees: float
    effective: float
    raters: int
    shared: bool
    prior: float = nan
    prior_degrees: float = nan
    reason: str = ""

    @property
    def level_variance(self) -> tuple[float, float]:
        """Variance of a rating around its item's level for other raters, and its degrees of freedom.

        NaN with two raters. Source: Satterthwaite 1946.
        """
        if not self.shared:
            return self.within, self.within_degrees
        if self.raters < FEWEST_RATERS:
            return nan, nan
        variance = self.rater + self.residual
        degrees = level_degrees(self.rater, self.residual, self.effective, self.residual_degrees)
        return variance, float(degrees)

    @property
    def comparison_variance(self) -> tuple[float, float]:
        """Variance of a rating if items are compared by the same raters, and its degrees of freedom."""
        return (self.residual, self.residual_degrees) if self.shared else (self.within, self.within_degrees)

    @property
    def mean_variance(self) -> tuple[float, float]:
        """Variance and degrees of freedom of the level, with two raters of the comparison."""
        return self.comparison_variance if self.has_two_raters else self.level_variance

    @property
    def has_two_raters(self) -> bool:
        """True with two raters, from whom the variance of severities cannot be estimated."""
        return self.shared and self.raters < FEWEST_RATERS

    def shrink(self, variance: float, degrees: float) -> tuple[float, float]:
        """Return an item's own variance shrunk to that of all items, and its degrees of freedom.

        Source: Smyth 2004, "Linear models and empirical Bayes methods", section 3.
        """
        if isinf(self.prior_degrees):
            return self.prior, inf
        whole = self.prior_degrees + degrees
        return (self.prior_degrees * self.prior + degrees * variance) / whole, whole


def level_degrees(
    rater: ArrayLike, residual: ArrayLike, raters: ArrayLike, residual_degrees: ArrayLike
) -> Floats:
    """Return Satterthwaite's degrees of freedom (…,) of the sum of the variances of raters and residual.

    >>> round(float(level_degrees(0.2, 0.6, 5, 76)), 1)
    43.4
    """
    rater_variance, residual_variance = (
        np.maximum(np.asarray(one, dtype=np.float64), 0.0) for one in (rater, residual)
    )
    residual_df = np.maximum(residual_degrees, 1.0)
    denominator = (
        rater_variance**2 / np.maximum(np.asarray(raters) - 1, 1e-9) + residual_variance**2 / residual_df
    )
    degrees = np.where(
        denominator > 0,
        (rater_variance + residual_variance) ** 2 / np.where(denominator > 0, denominator, 1.0),
        residual_df,
    )
    return np.asarray(np.maximum(degrees, 1.0))


def rating_spread(ratings: Ratings) -> RatingSpread:
    """Estimate the variance of the ratings of one item, pooled over items.

    Parameters
    ----------
    ratings : N ratings of n items; repeats of a rater on an item count once

    Returns
    -------
    RatingSpread
        in squared points of the scale; NaN with a `reason` where no item has two ratings.

    Notes
    -----
    The variances are Henderson's, 0 where below. Degrees of freedom count the items with two ratings or more.
    Source: Henderson 1953, method 1; Satterthwaite 1946; Smyth 2004 (the prior).

    >>> item, rater = np.repeat([0, 1, 2], 3), np.tile([0, 1, 2], 3)
    >>> found = rating_spread(Ratings(item, rater, [1, 2, 3, 2, 3, 5, 4, 4, 5]))
    >>> round(found.within, 2), found.within_degrees
    (1.22, 6.0)
    """
    cells = average_repeats(ratings.item, ratings.rater, ratings.score)
    counts = cells.ratings_per_item
    is_paired = counts > 1
    pooled = float((counts - 1)[is_paired].sum())
    ratings_per_rater = np.bincount(cells.rater).astype(np.float64)
    raters = len(ratings_per_rater)
    if not pooled:
        return RatingSpread(nan, nan, nan, nan, nan, nan, raters, False, reason=NO_PAIRS)
    means = np.bincount(cells.item, cells.score) / counts
    squares = np.bincount(cells.item, (cells.score - means[cells.item]) ** 2).astype(np.float64, copy=False)
    within = float(squares[is_paired].sum() / pooled)
    shared = bool((ratings_per_rater > 1).any())
    degrees_per_item = (counts[counts >= FEWEST_RATINGS] - 1).astype(np.float64)
    prior, prior_degrees = _fit_prior(
        squares[counts >= FEWEST_RATINGS] / degrees_per_item, degrees_per_item, within
    )
    rater, residual, degrees = nan, nan, nan
    if shared:
        _, rater, residual = estimate_variances(cells)
        shared = residual == residual
        rater, residual = max(rater, 0.0), max(residual, 0.0)
        in_paired = is_paired[cells.item]
        degrees = max(
            float(in_paired.sum() - is_paired.sum() - len(coded(cells.rater[in_paired])[0]) + 1), 1.0
        )
    effective = float(ratings_per_rater.sum() ** 2 / (ratings_per_rater**2).sum())
    return RatingSpread(
        rater, residual, degrees, within, pooled, effective, raters, shared, prior, prior_degrees
    )


def mean_half_width(variance: float, degrees: float, ratings: float, level: float = 0.95) -> float:
    """Return the half-width of the interval of a mean of `ratings` ratings with this variance."""
    return float(t_quantile(degrees, level)) * float(np.sqrt(variance / ratings))


def _fit_prior(variance: Floats, degrees: Floats, within: float) -> tuple[float, float]:
    """Fit the scale and degrees of freedom of the inverse chi-squared prior of items' variances (n,).

    The pooled variance with infinite degrees if items' variances differ no more than by chance.
    Source: Smyth 2004, section 6.2.
    """
    if len(variance) < 2 or not variance.any():
        return within, inf
    floor = SMALLEST * max(float(np.median(variance)), within)
    logs = np.log(np.maximum(variance, floor)) - special.digamma(degrees / 2) + np.log(degrees / 2)
    excess = float(logs.var(ddof=1)) - float(special.polygamma(1, degrees / 2).mean())
    if not excess > 1e-9:
        return within, inf
    half_degrees = exp(
        optimize.brentq(
            lambda log_half: log(float(special.polygamma(1, exp(log_half)))) - log(excess), -30, 30
        )
    )
    return exp(
        float(logs.mean()) + float(special.digamma(half_degrees)) - log(half_degrees)
    ), 2 * half_degrees


def effective_number(weight: ArrayLike) -> float:
    """Return the effective number of weights (n,).

    Source: Kish 1965, Survey Sampling, section 11.7.

    >>> effective_number([2, 2, 2]), round(effective_number([3, 1]), 2)
    (3.0, 1.6)
    """
    w = np.asarray(weight, dtype=np.float64)
    return float(w.sum() ** 2 / (w**2).sum()) if len(w) else 0.0


def item_mean(
    score: ArrayLike,
    rater: ArrayLike,
    level: float = 0.95,
    spread: RatingSpread | None = None,
    weight: ArrayLike | None = None,
) -> Estimate:
    """Estimate the mean of an item's ratings.

    Parameters
    ----------
    score, rater : (m,) ratings of one item and who gave them
    level : of the interval
    spread : result of `rating_spread` on the ratings of all items
    weight : (m,) weight of each rating, above 0; equal if not given

    Returns
    -------
    Estimate
        its `n` counts the ratings.

    Raises
    ------
    InputError
        where lengths differ, a score is not a finite number, or a weight is not above 0.

    Notes
    -----
    Repeated ratings by one rater are a cluster. Student's t over raters, or, with the `spread` of all items, with the
    pooled variance below 5 raters of the item, and with the item's own variance shrunk to that of all items from 5 on.
    With two raters in all there is no interval: they can only compare items. With weights the number of raters is
    Kish's effective one, and a rater's weight the mean of those of their ratings.
    Source: Student 1908; Kish 1965; Liang and Zeger 1986, section 2, for the clusters; Smyth 2004 (shrinkage).

    >>> found = item_mean([1, 3, 5, 3], list("abcd"))
    >>> found.value, round(found.low, 2), round(found.high, 2)
    (3.0, 0.4, 5.6)
    """
    ratings = Ratings(np.zeros(len(np.asarray(rater)), dtype=np.int64), rater, score)
    m = len(ratings)
    if not m:
        return Estimate(nan, reason="nobody rated this item")
    w = np.ones(m) if weight is None else finite_numbers("weight", weight)
    if w.shape != ratings.score.shape or not (w > 0).all():
        raise InputError(f"`weight` must hold a number above 0 for each of the {m} ratings")
    mean = float(w @ ratings.score / w.sum())
    raters, code = np.unique(ratings.rater, return_inverse=True)
    rater_totals = np.bincount(code, w)
    rater_weight = rater_totals / np.bincount(code)
    if spread is not None and not spread.reason:
        return _mean_with_spread(
            mean, m, np.bincount(code, w * ratings.score) / rater_totals, rater_weight, spread, level
        )
    if len(raters) < 2:
        return Estimate(mean, n=m, reason="one rater alone gives no interval")
    effective = effective_number(rater_weight)
    if effective < 2:
        return Estimate(mean, n=m, reason="one rater has nearly all the weight")
    influence = np.bincount(code, weights=w * (ratings.score - mean))
    error = sqrt(float((influence**2).sum()) * effective / (effective - 1)) / float(w.sum())
    low, high = interval_from_error(mean, error, level, degrees=effective - 1)
    return Estimate(mean, float(low), float(high), m)


def _mean_with_spread(
    mean: float, n: int, score: Floats, weight: Floats, spread: RatingSpread, level: float
) -> Estimate:
    """Return the mean of n ratings with its interval, from one score and weight (r,) per rater."""
    if spread.has_two_raters:
        return Estimate(mean, n=n, reason=TWO_RATERS)
    effective, variance_and_degrees = effective_number(weight), spread.level_variance
    if len(score) >= FEWEST_RATINGS and effective > 1:
        squared_deviation = (score - np.average(score, weights=weight)) ** 2
        variance = float(np.average(squared_deviation, weights=weight)) * effective / (effective - 1)
        variance_and_degrees = spread.shrink(variance, effective - 1)
    half_width = mean_half_width(*variance_and_degrees, effective, level)
    return Estimate(mean, mean - half_width, mean + half_width, n)
