"""Raters who do not all rate as much: what their loads come to in a study, and what the raters are worth with them.

Where rater r has the share w of the ratings, what raters differ by adds sum(w²) times their variance to that of the
mean: 1 over their effective number (Kish). The test takes that number for theirs. Raters rate whole items, so that of
many raters of few items some rate none.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import optimize

from analysis.planning.t_tests import shares
from analysis.values.columns import finite_numbers
from analysis.values.errors import InputError
from analysis.values.types import Floats


def effective_raters(loads: ArrayLike) -> float:
    """How many raters with equal loads raters with these are worth.

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
    """What unequal loads come to: the effective number of all `raters`, and the largest share that one has of a group's
    ratings.
    """

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
