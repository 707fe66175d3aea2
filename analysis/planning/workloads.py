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


def effective_raters(loads: ArrayLike) -> float:
    """Return how many raters with equal loads raters with these are worth.

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
        where a load is no number or below 0.

    Notes
    -----
    Source: Kish 1965, section 11.7 (unequal weights).

    >>> effective_raters([30, 30, 30]), effective_raters([60, 15, 15])
    (3.0, 2.0)
    """
    given = finite_numbers("loads", loads)
    if (given < 0).any():
        raise InputError(f"`loads` must be 0 or more, got {given.min()}")
    return float(given.sum() ** 2 / (given**2).sum()) if given.any() else float("nan")


def checked_loads(loads: ArrayLike) -> tuple[float, ...]:
    """Loads above 0 in any unit, the largest first."""
    given = finite_numbers("loads", loads)
    if not len(given) or (given <= 0).any():
        raise InputError("`loads` must be numbers above 0, at least one")
    return tuple(sorted(given.tolist(), reverse=True))


def loads_by_busiest(share: float, of_raters: float = 0.2, points: int = 50) -> tuple[float, ...]:
    """Loads of raters of whom the busiest rate a given share of all, the others ever less by a power of their rank.

    Parameters
    ----------
    share : of the ratings, by the busiest; from `of_raters`, where all rate alike, to below 1
    of_raters : who the busiest are, as a share of the raters
    points : how many loads

    Returns
    -------
    (points,) in any unit, the largest first

    Raises
    ------
    InputError
        where `share` is below `of_raters`, or either is not between 0 and 1.

    Notes
    -----
    For `DifferencePlan.loads`, which spreads them over any number of raters. Source: Zipf 1949, "Human behavior and the
    principle of least effort" (powers of ranks).

    >>> loads = loads_by_busiest(0.5)
    >>> round(sum(loads[:10]) / sum(loads), 3), round(effective_raters(loads) / len(loads), 2)
    (0.5, 0.44)
    """
    shares(share=share, of_raters=of_raters)
    if share < of_raters:
        raise InputError(f"`share` must be at least {of_raters}, that of equal loads, got {share}")
    rank = (np.arange(points) + 0.5) / points
    busiest = rank < of_raters

    def reached(power: float) -> float:
        loads = rank**-power
        return float(loads[busiest].sum() / loads.sum()) - share

    power = 0.0 if share == of_raters else float(optimize.brentq(reached, 0.0, 20.0))
    return tuple((rank**-power).tolist())


def loads_of(loads: Sequence[float], raters: int) -> Floats:
    """(raters,) loads spread like these, which may be of another number of raters; the largest first.

    >>> loads_of((3.0, 2.0, 1.0), 3).tolist(), loads_of((3.0, 1.0), 4).tolist()
    ([3.0, 2.0, 1.0], [3.0, 2.5, 1.5, 1.0])
    """
    given = np.asarray(loads, dtype=np.float64)
    at = (np.arange(raters) + 0.5) / raters
    return np.interp(at, (np.arange(len(given)) + 0.5) / len(given), given)


def shares_of_items(loads: Floats, per_item: float) -> Floats:
    """(p,) the share of the items that each rater of a group rates, `per_item` in sum, none more than all of them.

    >>> shares_of_items(np.array([9.0, 2.0, 1.0]), 2).round(3).tolist()
    [1.0, 0.667, 0.333]
    """
    share = loads / loads.sum() * per_item
    full = np.zeros(len(loads), dtype=bool)
    while (share > 1 + 1e-12).any():
        full |= share >= 1
        share = np.where(full, 1.0, 0.0)
        left = per_item - full.sum()
        if not full.all():
            share += np.where(full, 0.0, loads) / loads[~full].sum() * left
    return np.asarray(np.minimum(share, 1.0))


def whole_loads(share: Floats, items: int) -> Floats:
    """(p,) how many items each rates whose `share` of them is given: whole numbers of the same sum.

    >>> whole_loads(np.array([1.0, 0.625, 0.375]), 4).tolist()
    [4.0, 3.0, 1.0]
    """
    least = np.floor(share * items + 1e-9)
    lacking = share * items - least
    least[np.argsort(-lacking, kind="stable")[: round(float(lacking.sum()))]] += 1
    return np.asarray(least)


class Workloads(NamedTuple):
    """Effect of unequal loads: the effective number of all `raters`, and one's largest share of a group's ratings."""

    raters: float
    busiest: float


@lru_cache(maxsize=20_000)
def workloads(loads: tuple[float, ...], raters: int, groups: int, per_item: float, items: float) -> Workloads:
    """So many raters with loads spread like these, dealt out to groups in turn, of which each rates so many `items`; an
    item takes `per_item` of a group.

    >>> round(workloads((3.0, 1.0), 2, 1, 1, 4).raters, 9), round(workloads((3.0, 1.0), 2, 1, 2, 4).raters, 9)
    (1.6, 2.0)
    """
    of_groups = _shares_of_groups(loads, raters, groups, per_item)
    if items == round(items) and per_item == round(per_item):
        of_groups = [whole_loads(share, int(items)) / items for share in of_groups]
    squares = sum(float(share @ share) for share in of_groups) / per_item**2
    return Workloads(groups**2 / squares, max(float(share.max()) for share in of_groups) / per_item)


@lru_cache(maxsize=20_000)
def _shares_of_groups(loads: tuple[float, ...], raters: int, groups: int, per_item: float) -> list[Floats]:
    """The share of the items that each rater of each group rates."""
    every = loads_of(loads, raters)
    return [shares_of_items(every[group::groups], per_item) for group in range(groups)]
