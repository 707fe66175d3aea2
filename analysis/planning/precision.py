"""How narrow the interval of a planned figure will be."""

from collections.abc import Sequence
from math import nan, sqrt
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.correlation.two_columns import fisher_interval
from analysis.planning.difference import DifferencePlan, Numbers, degrees
from analysis.planning.t_tests import at_least, positive, shares
from analysis.resampling.intervals import quantile_of_t
from analysis.values.errors import InputError
from analysis.values.estimate import Estimate

Coefficient = Literal["spearman", "pearson"]


def mos_half_width(
    ratings: ArrayLike, sd: ArrayLike, level: float = 0.95, degrees: ArrayLike | None = None
) -> NDArray[np.float64]:
    """Half of the width of the interval of one item's mean rating.

    Parameters
    ----------
    ratings : (…,) of the item
    sd : (…,) of the ratings of one item (the root of their mean variance)
    level : of the interval
    degrees : (…,) of freedom of an SD that is pooled over items (`analysis.items.rating_spread`); by default the SD is
        that of the item's own ratings, with one degree fewer than ratings

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
    at_least("sd", float(np.asarray(sd, dtype=np.float64).min(initial=0.0)), 0)
    shares(level=level)
    r = np.asarray(ratings, dtype=np.float64)
    if degrees is not None:
        return np.asarray(quantile_of_t(degrees, level) * np.asarray(sd) / np.sqrt(r))
    many = np.where(r > 1, r, 2.0)
    return np.asarray(np.where(r > 1, quantile_of_t(many - 1, level) * np.asarray(sd) / np.sqrt(many), nan))


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
    """Half of the width of the interval of a system's mean over items and raters, for others of both.

    Parameters
    ----------
    raters, items : in all; raters may be an effective number
    residual, rater, item : variances of a rating's parts; the rest holds rater × item
    ratings_per_item : raters of an item, if not all
    level : of the interval
    loads : (p,) how often each rater comes, in any unit; equal if not given

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
    shares(level=level)
    plan = DifferencePlan(
        raters, items, 0.0, 2 * residual, rater, item, ratings_per_item=ratings_per_item, alpha=1 - level,
        loads=loads,
    )  # fmt: skip
    return _half_width(plan)


def difference_half_width(plan: DifferencePlan) -> float:
    """Half of the width of the interval, at level 1 - alpha / comparisons, of the difference of a plan.

    Parameters
    ----------
    plan : whatever its `d` is

    Returns
    -------
    float
        NaN where raters or items leave no degrees of freedom

    Notes
    -----
    Source: Westfall, Kenny and Judd 2014 (the variance); Satterthwaite 1946 (the degrees of freedom, without the
    missing factor of their app).
    """
    return 2 * _half_width(plan)


def _half_width(plan: DifferencePlan) -> float:
    return float(half_widths(plan, plan.numbers, plan.parts))


def half_widths(plan: DifferencePlan, numbers: Numbers, parts: Sequence[ArrayLike]) -> NDArray[np.float64]:
    """Half-widths (…,) of half of the difference with other numbers (…,), from the three parts of the variance."""
    df = degrees(plan.layout, numbers, parts)
    variance = np.asarray(sum(np.asarray(part) for part in parts))
    critical = quantile_of_t(np.where(df > 0, df, 1.0), 1 - plan.alpha / plan.comparisons)
    return np.asarray(np.where(df > 0, critical * np.sqrt(variance), nan))


def correlation_interval(
    limit: float,
    ratings_for_half: float,
    ratings: float,
    items: int,
    method: Coefficient = "spearman",
    level: float = 0.95,
) -> Estimate:
    """The interval that a correlation of items' means with a reference will have, for these raters.

    Parameters
    ----------
    limit : the correlation without chance in the means (rho_inf of the attenuation curve)
    ratings_for_half : lambda of that curve, (1 - reliability) / reliability of one rating; 0: no attenuation
    ratings : per item
    items : in all
    method : "spearman" (Bonett and Wright) or "pearson" (Fisher)
    level : of the interval

    Returns
    -------
    Estimate
        the expected correlation, its ends NaN for fewer than 4 items

    Raises
    ------
    InputError
        where `limit` is not within -1 … 1, or another argument lies outside its range.

    Notes
    -----
    At fixed raters: what others would change is not in it.
    Source: Spearman 1904 (attenuation); Bonett and Wright 2000, eq. 5; Fisher 1921.

    >>> one = correlation_interval(0.9, 4, 16, 60)
    >>> round(one.value, 3), round(one.low, 2), round(one.high, 2)
    (0.805, 0.67, 0.89)
    """
    if not -1 <= limit <= 1:
        raise InputError(f"`limit` must be between -1 and 1, got {limit}")
    if method not in ("spearman", "pearson"):
        raise InputError(f"`method` must be 'spearman' or 'pearson', got {method!r}")
    at_least("ratings_for_half", ratings_for_half, 0)
    positive("ratings", ratings)
    at_least("items", items, 1)
    shares(level=level)
    value = limit * sqrt(ratings / (ratings + ratings_for_half))
    wider = 1 + value**2 / 2 if method == "spearman" else 1.0
    error = sqrt(wider / (items - 3)) if items > 3 else nan
    return fisher_interval(value, error, int(items), level)
