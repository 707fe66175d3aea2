"""The power of a t test, and the pairs it needs.

SciPy's noncentral t is NaN in places that power needs (10 degrees, noncentrality 20): here the normal tails are
integrated over chi-square on a log scale, where the trapezoidal rule is exact to rounding.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import optimize, special

from analysis.values.estimate import Floats, InputError, thousands
from analysis.values.ratings import finite_numbers

NODES = 401
MOST_PAIRS = 10**9
"""Largest number of pairs that is searched."""


def t_test_power(t: ArrayLike, df: ArrayLike, alpha: ArrayLike = 0.05) -> Floats:
    """Return the power (…,) of a two-sided t test at `alpha` with noncentrality t; NaN without degrees of freedom.

    Source: Johnson, Kotz and Balakrishnan 1995, chapter 31 (t is a shifted normal over the root of chi-square / df).
    """
    return t_test_power_function(df, alpha)(t)


def t_test_power_function(df: ArrayLike, alpha: ArrayLike = 0.05) -> Callable[[ArrayLike], Floats]:
    """Return `t_test_power` as a function of t at these degrees, with all that does not depend on t precomputed."""
    degrees, level = np.broadcast_arrays(*(np.asarray(one, dtype=np.float64) for one in (df, alpha)))
    is_defined = (degrees > 0) & np.isfinite(degrees)
    safe_degrees = np.where(is_defined, degrees, 1.0)[..., None]
    half_range = 8 * np.sqrt(2 / safe_degrees)
    low = -(half_range + 70 / safe_degrees)
    log = low + (half_range - low) * np.linspace(0, 1, NODES)
    weight = np.exp(safe_degrees / 2 * (log - np.exp(log) + 1))
    critical = special.stdtrit(safe_degrees, 1 - level[..., None] / 2) * np.exp(log / 2)
    total_weight = weight.sum(axis=-1)

    def power(t: ArrayLike) -> Floats:
        shift = np.asarray(t, dtype=np.float64)
        centre = shift[..., None]
        rejection = special.ndtr(centre - critical) + special.ndtr(-centre - critical)
        result = (rejection * weight).sum(axis=-1) / total_weight
        return np.asarray(np.where(is_defined & np.isfinite(shift), np.minimum(result, 1.0), np.nan))

    return power


def paired_sample_size(
    difference: float, sd: float, power: float = 0.8, alpha: float = 0.05, comparisons: int = 1
) -> int:
    """Return the number of raters (or other pairs) with which a two-sided paired t test finds a difference.

    Parameters
    ----------
    difference : of the two means
    sd : of the differences within pairs
    power, alpha : power and significance level
    comparisons : number of such tests; each has level alpha / comparisons (Bonferroni)

    Raises
    ------
    InputError
        where the difference is 0, or an argument lies outside its range.

    Notes
    -----
    Not for few items per rater, whose sampling variance remains: use `difference_power`.
    Source: Brunnström and Barkowsky 2018, "Statistical quality of experience analysis", Table 1; Student 1908.

    >>> paired_sample_size(1, 0.8, comparisons=100), paired_sample_size(0.5, 1.0, comparisons=4950)
    (18, 121)
    """
    if difference == 0 or not np.isfinite(difference):
        raise InputError(f"`difference` must be a number other than 0, got {difference}")
    check_positive("sd", sd)
    check_shares(power=power, alpha=alpha)
    check_at_least("comparisons", comparisons, 1)

    def has_power(pairs: int) -> bool:
        shift = abs(difference) / sd * np.sqrt(pairs)
        return bool(t_test_power(shift, pairs - 1, alpha / comparisons) >= power)

    upper = 2
    while not has_power(upper):
        if upper > MOST_PAIRS:
            raise InputError(
                f"more than {thousands(MOST_PAIRS)} pairs would be needed; ask for a larger difference"
            )
        upper *= 2
    lower = max(upper // 2, 1)
    while upper - lower > 1:
        midpoint = (lower + upper) // 2
        lower, upper = (lower, midpoint) if has_power(midpoint) else (midpoint, upper)
    return upper


def check_positive(name: str, value: float) -> None:
    """Raise an error unless the value is a positive number."""
    if not 0 < value < np.inf:
        raise InputError(f"`{name}` must be a number above 0, got {value}")


def check_shares(**shares: float) -> None:
    """Raise an error unless all values lie between 0 and 1."""
    for name, value in shares.items():
        if not 0 < value < 1:
            raise InputError(f"`{name}` must be between 0 and 1, got {value}")


def check_at_least(name: str, value: Any, least: float) -> None:
    """Raise an error unless the value is a number of at least `least`."""
    if not least <= value < np.inf:
        raise InputError(f"`{name}` must be {least} or more, got {value}")


def effective_raters(loads: ArrayLike) -> float:
    """Return the number of equally loaded raters that are equivalent to raters with these loads.

    Parameters
    ----------
    loads : (p,) ratings of each

    Returns
    -------
    float
        at most p; NaN without ratings

    Raises
    ------
    InputError
        where a load is not a number or below 0.

    Notes
    -----
    Source: Kish 1965, section 11.7 (unequal weights).

    >>> effective_raters([30, 30, 30]), effective_raters([60, 15, 15])
    (3.0, 2.0)
    """
    values = finite_numbers("loads", loads)
    if (values < 0).any():
        raise InputError(f"`loads` must be 0 or more, got {values.min()}")
    return float(values.sum() ** 2 / (values**2).sum()) if values.any() else float("nan")


def check_loads(loads: ArrayLike) -> tuple[float, ...]:
    """Return loads above 0, in any unit, in descending order."""
    values = finite_numbers("loads", loads)
    if not len(values) or (values <= 0).any():
        raise InputError("`loads` must be numbers above 0, at least one")
    return tuple(sorted(values.tolist(), reverse=True))


def loads_by_busiest(share: float, of_raters: float = 0.2, points: int = 50) -> tuple[float, ...]:
    """Return loads that follow a power law of rank, of which the busiest raters have a given share.

    Parameters
    ----------
    share : share of the ratings by the busiest raters, from `of_raters` (equal loads) to below 1
    of_raters : share of the raters that are the busiest
    points : number of loads

    Returns
    -------
    (points,) in any unit, the largest first

    Raises
    ------
    InputError
        where `share` is below `of_raters`, or either is not between 0 and 1.

    Notes
    -----
    For `DifferencePlan.loads`, which interpolates them for any number of raters.
    Source: Zipf 1949, "Human behavior and the principle of least effort" (powers of ranks).

    >>> loads = loads_by_busiest(0.5)
    >>> round(sum(loads[:10]) / sum(loads), 3), round(effective_raters(loads) / len(loads), 2)
    (0.5, 0.44)
    """
    check_shares(share=share, of_raters=of_raters)
    if share < of_raters:
        raise InputError(f"`share` must be at least {of_raters}, that of equal loads, got {share}")
    rank = (np.arange(points) + 0.5) / points
    busiest = rank < of_raters

    def excess_share(power: float) -> float:
        loads = rank**-power
        return float(loads[busiest].sum() / loads.sum()) - share

    power = 0.0 if share == of_raters else float(optimize.brentq(excess_share, 0.0, 20.0))
    return tuple((rank**-power).tolist())


def interpolate_loads(loads: Sequence[float], raters: int) -> Floats:
    """Interpolate the distribution of loads to (raters,) loads, in descending order.

    >>> interpolate_loads((3.0, 2.0, 1.0), 3).tolist(), interpolate_loads((3.0, 1.0), 4).tolist()
    ([3.0, 2.0, 1.0], [3.0, 2.5, 1.5, 1.0])
    """
    values = np.asarray(loads, dtype=np.float64)
    quantile = (np.arange(raters) + 0.5) / raters
    return np.interp(quantile, (np.arange(len(values)) + 0.5) / len(values), values)


def item_shares(loads: Floats, per_item: float) -> Floats:
    """Return the share of the items that each rater (p,) of a group rates, with sum `per_item` and at most 1 each.

    >>> item_shares(np.array([9.0, 2.0, 1.0]), 2).round(3).tolist()
    [1.0, 0.667, 0.333]
    """
    share = loads / loads.sum() * per_item
    is_full = np.zeros(len(loads), dtype=bool)
    while (share > 1 + 1e-12).any():
        is_full |= share >= 1
        share = np.where(is_full, 1.0, 0.0)
        remaining = per_item - is_full.sum()
        if not is_full.all():
            share += np.where(is_full, 0.0, loads) / loads[~is_full].sum() * remaining
    return np.asarray(np.minimum(share, 1.0))


def round_loads(share: Floats, items: int) -> Floats:
    """Round the number of items of each rater (p,) to whole numbers with the same sum, from their `share` of the
    items.

    >>> round_loads(np.array([1.0, 0.625, 0.375]), 4).tolist()
    [4.0, 3.0, 1.0]
    """
    least = np.floor(share * items + 1e-9)
    remainder = share * items - least
    least[np.argsort(-remainder, kind="stable")[: round(float(remainder.sum()))]] += 1
    return np.asarray(least)


class Workloads(NamedTuple):
    """Effect of unequal loads: the effective number of all `raters`, and the largest share of a group's ratings by
    one rater."""

    raters: float
    busiest: float


@lru_cache(maxsize=20_000)
def summarize_workloads(
    loads: tuple[float, ...], raters: int, groups: int, per_item: float, items: float
) -> Workloads:
    """Return the effect of unequal loads for this many raters, dealt to groups in turn, and `items` with `per_item`
    raters of each group.

    >>> one = summarize_workloads((3.0, 1.0), 2, 1, 1, 4)
    >>> round(one.raters, 9), round(summarize_workloads((3.0, 1.0), 2, 1, 2, 4).raters, 9)
    (1.6, 2.0)
    """
    group_shares = _item_shares_by_group(loads, raters, groups, per_item)
    if items == round(items) and per_item == round(per_item):
        group_shares = [round_loads(share, int(items)) / items for share in group_shares]
    sum_of_squares = sum(float(share @ share) for share in group_shares) / per_item**2
    return Workloads(groups**2 / sum_of_squares, max(float(share.max()) for share in group_shares) / per_item)


@lru_cache(maxsize=20_000)
def _item_shares_by_group(
    loads: tuple[float, ...], raters: int, groups: int, per_item: float
) -> list[Floats]:
    """Return the share of the items that each rater of each group rates."""
    all_loads = interpolate_loads(loads, raters)
    return [item_shares(all_loads[group::groups], per_item) for group in range(groups)]
