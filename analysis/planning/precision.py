"""Planned precision: widths of intervals, and how many items, units and ratings they need."""

from collections.abc import Callable, Sequence
from math import exp, isnan, log, nan, sqrt
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from analysis.planning.difference import DifferencePlan, Numbers, satterthwaite_degrees
from analysis.planning.workloads import check_at_least, check_positive, check_shares
from analysis.resampling.intervals import fisher_interval, t_quantile
from analysis.values.estimate import Estimate, InputError


def items_for_icc_width(
    icc: float, raters: int, width: float, level: float = 0.95, few_raters: bool = False
) -> float:
    """Return the number of items for which the ICC's interval has this width, not rounded.

    Parameters
    ----------
    icc : expected intraclass correlation of a single rating
    raters : of every item
    width : from the lower to the upper bound
    level : of the interval
    few_raters : adds 5 icc for 2 raters, where the approximation is too small

    Raises
    ------
    InputError
        where `icc` or `level` is not between 0 and 1, there are fewer than 2 raters, or `width` is not above 0.

    Notes
    -----
    Source: Bonett 2002, "Sample size requirements for estimating intraclass correlations with desired precision".

    >>> round(items_for_icc_width(0.85, 4, 0.2), 2), round(items_for_icc_width(0.7, 2, 0.2, few_raters=True), 2)
    (19.15, 104.42)
    """
    check_positive("width", width)
    correction = 5 * icc if few_raters and raters == 2 else 0.0
    return 8 * _bonett(icc, raters, level) / width**2 + 1 + correction


def icc_half_width(
    icc: float,
    raters: int,
    items: float,
    level: float = 0.95,
    all_raters: float | None = None,
    severity: float | None = None,
) -> float:
    """Return the half-width of the interval of an ICC, which is about that of Krippendorff's interval alpha.

    Parameters
    ----------
    icc : the intraclass correlation of a single rating
    raters : of every item
    items : 2 or more
    level : of the interval
    all_raters : raters of the study or their effective number, for an interval that holds for other raters; for these
        raters if not given
    severity : the raters' share, 0 to 1, of the variance of ratings of one item; required with `all_raters`: 0 would
        understate the width

    Raises
    ------
    InputError
        where an argument lies outside its range, or `severity` is missing.

    Notes
    -----
    For other raters: the variance of the log of the ratio of mean squares over items and over raters, Student's t with
    Satterthwaite's degrees. For about equal loads and mixed assignments it is within a tenth of simulated studies from
    8 raters on; with fewer raters up to a sixth too wide.
    Source: Bonett 2002, solved for the width; for other raters Shrout and Fleiss 1979 (mean squares), Satterthwaite
    1946.

    >>> round(icc_half_width(0.85, 4, 19.1548), 4), round(icc_half_width(0.85, 4, 19, all_raters=8, severity=0.5), 2)
    (0.1, 0.13)
    """
    check_at_least("items", items, 2)
    if all_raters is None:
        return sqrt(8 * _bonett(icc, raters, level) / (items - 1)) / 2
    if severity is None or not 0 <= severity <= 1:
        raise InputError(f"`severity` must be between 0 and 1 where `all_raters` is given, got {severity}")
    check_shares(icc=icc, level=level)
    check_at_least("raters", raters, 2)
    check_at_least("all_raters", all_raters, raters)
    ratio = 1 + raters * (icc / (1 - icc) - severity / all_raters)
    within = 1 - severity**2 * (raters - 1) / (all_raters - 1)
    item_variance = 2 / (items - 1) * (1 + within / (raters - 1))
    rater_effect = severity * (1 - (1 - raters / all_raters) / ratio)
    rater_variance = 2 * rater_effect**2 / (all_raters - 1)
    variance = item_variance + rater_variance
    df = variance**2 / (item_variance**2 / (items - 1) + rater_variance**2 / (all_raters - 1))
    log_half_width = float(t_quantile(df, level)) * sqrt(variance)
    low, high = (
        (bound - 1) / (bound - 1 + raters)
        for bound in (ratio * exp(-log_half_width), ratio * exp(log_half_width))
    )
    return (high - low) / 2


def _bonett(icc: float, raters: int, level: float) -> float:
    """Return z² times the variance of an ICC over two items, up to a factor common to both uses."""
    check_shares(icc=icc, level=level)
    check_at_least("raters", raters, 2)
    z = float(special.ndtri(0.5 + level / 2))
    return z**2 * (1 - icc) ** 2 * (1 + (raters - 1) * icc) ** 2 / (raters * (raters - 1))


def items_for_icc_test(
    icc0: float, icc1: float, raters: int, power: float = 0.8, alpha: float = 0.05, sides: int = 1
) -> float:
    """Return the number of items for a test of an ICC of icc1 against icc0, not rounded.

    Parameters
    ----------
    icc0, icc1 : ICC under the null hypothesis, and expected ICC
    raters : of every item
    power, alpha : power and significance level
    sides : 1 or 2, of the test

    Raises
    ------
    InputError
        where both are the same, or an argument lies outside its range.

    Notes
    -----
    Source: Walter, Eliasziw and Donner 1998, "Sample size and optimal designs for reliability studies", eq. 6.

    >>> round(items_for_icc_test(0.6, 0.8, 2), 1), round(items_for_icc_test(0.6, 0.8, 2, sides=2), 1)
    (38.6, 48.7)
    """
    check_shares(icc1=icc1, power=power, alpha=alpha)
    if not 0 <= icc0 < 1 or icc0 == icc1:
        raise InputError(f"`icc0` must be from 0 to below 1 and differ from `icc1`, got {icc0}")
    if sides not in (1, 2):
        raise InputError(f"`sides` must be 1 or 2, got {sides}")
    check_at_least("raters", raters, 2)
    z = float(special.ndtri(1 - alpha / sides) + special.ndtri(power))
    first, second = (1 + raters * icc / (1 - icc) for icc in (icc0, icc1))
    return 1 + 2 * z**2 * raters / (log(first / second) ** 2 * (raters - 1))


def units_for_alpha(alpha: float, p: float, share: float) -> float:
    """Return the number of units for a test of Krippendorff's alpha against `alpha`, not rounded.

    Parameters
    ----------
    alpha : smallest acceptable alpha
    p : one-sided significance level
    share : share of the rarest value

    Raises
    ------
    InputError
        where one of them is not between 0 and 1.

    Notes
    -----
    For two coders who both code every unit. Source: Krippendorff 2011, "Agreement and information in the reliability of
    coding" (N = 2 z² ((1 + a)(3 - a) / (4 pc (1 - pc)(1 - a)) - a)).

    >>> round(units_for_alpha(0.8, 0.05, 0.25), 1), round(units_for_alpha(0.667, 0.05, 0.25), 1)
    (138.5, 80.7)
    """
    check_shares(alpha=alpha, p=p, share=share)
    z = float(special.ndtri(1 - p))
    spread = (1 + alpha) * (3 - alpha) / (4 * share * (1 - share) * (1 - alpha))
    return 2 * z**2 * (spread - alpha)


Coefficient = Literal["spearman", "pearson"]


def mos_half_width(
    ratings: ArrayLike, sd: ArrayLike, level: float = 0.95, degrees: ArrayLike | None = None
) -> NDArray[np.float64]:
    """Return the half-width of the interval of one item's mean rating.

    Parameters
    ----------
    ratings : (…,) number of ratings of the item
    sd : (…,) standard deviation of the ratings of one item (the root of their mean variance)
    level : of the interval
    degrees : (…,) degrees of freedom of an SD that is pooled over items (`analysis.items.rating_spread`); by default
        the SD is that of the item's own ratings, with one degree fewer than ratings

    Returns
    -------
    (…,) NaN for fewer than 2 ratings where the SD is the item's own

    Raises
    ------
    InputError
        where `sd` is below 0 or `level` not between 0 and 1.

    Notes
    -----
    A pooled SD holds for a typical item; disputed items are less certain.
    Source: Student 1908; ITU-T P.800.2, section 7.

    >>> [round(float(half), 2) for half in mos_half_width([4, 24, 64], 1.0)]
    [1.59, 0.42, 0.25]
    """
    check_at_least("sd", float(np.asarray(sd, dtype=np.float64).min(initial=0.0)), 0)
    check_shares(level=level)
    r = np.asarray(ratings, dtype=np.float64)
    if degrees is not None:
        return np.asarray(t_quantile(degrees, level) * np.asarray(sd) / np.sqrt(r))
    safe_ratings = np.where(r > 1, r, 2.0)
    return np.asarray(
        np.where(r > 1, t_quantile(safe_ratings - 1, level) * np.asarray(sd) / np.sqrt(safe_ratings), nan)
    )


def system_half_width(
    raters: float,
    items: float,
    residual: float,
    rater: float,
    item: float,
    ratings_per_item: float | None = None,
    level: float = 0.95,
    loads: Sequence[float] | None = None,
) -> float:
    """Return the half-width of the interval of a system's mean, for other raters and items.

    Parameters
    ----------
    raters, items : total numbers; raters may be an effective number
    residual, rater, item : variance components of a rating; the residual includes rater × item
    ratings_per_item : raters of an item, if not all
    level : of the interval
    loads : (p,) relative numbers of ratings by each rater; equal if not given

    Returns
    -------
    float
        NaN for fewer than 2 raters or items

    Raises
    ------
    InputError
        where an argument lies outside its range.

    Notes
    -----
    Source: Owen 2007, "The pigeonhole bootstrap", section 3; Satterthwaite 1946.

    >>> round(system_half_width(20, 40, 0.4, 0.2, 0.2), 3)
    0.252
    """
    check_shares(level=level)
    plan = DifferencePlan(
        raters, items, 0.0, 2 * residual, rater, item, ratings_per_item=ratings_per_item, alpha=1 - level,
        loads=loads,
    )  # fmt: skip
    return _half_width(plan)


def difference_half_width(plan: DifferencePlan) -> float:
    """Return the half-width of the interval, at level 1 - alpha / comparisons, of a plan's difference.

    Parameters
    ----------
    plan : its `d` is ignored

    Returns
    -------
    float
        NaN without degrees of freedom for raters or items

    Notes
    -----
    Source: Westfall, Kenny and Judd 2014 (the variance); Satterthwaite 1946 (the degrees of freedom, without the
    missing factor of their app).
    """
    return 2 * _half_width(plan)


def _half_width(plan: DifferencePlan) -> float:
    return float(half_widths(plan, plan.numbers, plan.parts))


def half_widths(plan: DifferencePlan, numbers: Numbers, parts: Sequence[ArrayLike]) -> NDArray[np.float64]:
    """Return half-widths (…,) of half of the difference with other numbers (…,), from the three parts of the
    variance."""
    df = satterthwaite_degrees(plan.layout, numbers, parts)
    variance = np.asarray(sum(np.asarray(part) for part in parts))
    critical = t_quantile(np.where(df > 0, df, 1.0), 1 - plan.alpha / plan.comparisons)
    return np.asarray(np.where(df > 0, critical * np.sqrt(variance), nan))


STEPS = 9
"""Places between the ends of an interval at which a half-width is computed: it may be largest between them."""


def plannable_reliability(reliability: Estimate) -> tuple[float, float] | None:
    """Return the ends between which a pilot leaves a reliability that a study can be planned for; None without any.

    >>> plannable_reliability(Estimate(0.4, -0.1, 0.6)), plannable_reliability(Estimate(0.4))
    ((0.01, 0.6), None)
    """
    low, high = max(reliability.low, 0.01), min(reliability.high, 0.99)
    return (low, high) if low < high else None


def half_width_with_pilot(
    half: Callable[[float, float], float], reliability: Estimate, severity: Estimate
) -> Estimate:
    """Return a half-width with its extremes over what a pilot leaves open.

    Parameters
    ----------
    half : the half-width by the reliability of one rating and the raters' share of the variance of an item's ratings
    reliability, severity : both with the ends of their intervals, NaN where they are known

    >>> half_width_with_pilot(lambda r, s: 1 - r + s, Estimate(0.5, 0.25, 0.75), Estimate(0.0))
    Estimate(value=0.5, low=0.25, high=0.75, n=0, reason='', warning='')
    """
    reliabilities, severities = [reliability.value], [severity.value]
    if not isnan(reliability.low):
        reliabilities = np.linspace(reliability.low, reliability.high, STEPS).tolist()
    if not isnan(severity.low):
        severities += [severity.low, severity.high]
    value = half(reliability.value, severity.value)
    others = [half(r, share) for share in severities for r in reliabilities]
    return Estimate(value, min(value, *others), max(value, *others))


def correlation_interval(
    limit: float,
    ratings_for_half: float,
    ratings: float,
    items: int,
    method: Coefficient = "spearman",
    level: float = 0.95,
) -> Estimate:
    """Return the expected interval of a correlation of items' means with a reference, for these raters.

    Parameters
    ----------
    limit : the correlation without sampling error of the means (rho_inf of the attenuation curve)
    ratings_for_half : lambda of that curve, (1 - reliability) / reliability of one rating; 0: no attenuation
    ratings : number per item
    items : total number
    method : "spearman" (Bonett and Wright) or "pearson" (Fisher)
    level : of the interval

    Returns
    -------
    Estimate
        the expected correlation; bounds are NaN for fewer than 4 items

    Raises
    ------
    InputError
        where `limit` is not within -1 … 1, or another argument lies outside its range.

    Notes
    -----
    Raters are fixed: their variance is not included.
    Source: Spearman 1904 (attenuation); Bonett and Wright 2000, eq. 5; Fisher 1921.

    >>> one = correlation_interval(0.9, 4, 16, 60)
    >>> round(one.value, 3), round(one.low, 2), round(one.high, 2)
    (0.805, 0.67, 0.89)
    """
    if not -1 <= limit <= 1:
        raise InputError(f"`limit` must be between -1 and 1, got {limit}")
    if method not in ("spearman", "pearson"):
        raise InputError(f"`method` must be 'spearman' or 'pearson', got {method!r}")
    check_at_least("ratings_for_half", ratings_for_half, 0)
    check_positive("ratings", ratings)
    check_at_least("items", items, 1)
    check_shares(level=level)
    value = limit * sqrt(ratings / (ratings + ratings_for_half))
    variance_factor = 1 + value**2 / 2 if method == "spearman" else 1.0
    error = sqrt(variance_factor / (items - 3)) if items > 3 else nan
    return fisher_interval(value, error, int(items), level)
