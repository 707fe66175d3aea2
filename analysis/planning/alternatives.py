"""Studies beside a planned one: with other numbers of items, and of ratings per item."""

from collections.abc import Callable
from dataclasses import replace
from math import inf

import numpy as np

from analysis.planning.budget import MOST_ITEMS, MOST_RATERS, StudyCosts
from analysis.planning.difference import DifferencePlan, Layout, power_of_plan


def per_item_step(layout: Layout) -> int:
    """Raters of an item that the design can deal out come in this step: half of them in each group."""
    return layout.groups if layout.groups > 1 and not layout.both_within else 1


def most_per_item(layout: Layout, raters: int) -> int:
    """The raters that an item can have.

    >>> most_per_item(Layout(True, True, 2, 2), 24), most_per_item(Layout(True, False, 2, 1), 24)
    (12, 24)
    """
    step = per_item_step(layout)
    return raters // layout.groups * step


def per_item_beside(layout: Layout, raters: int, per_item: int) -> tuple[int, ...]:
    """Ratings per item that a design can deal out: this number, a quarter, half and twice of it, and all raters.

    >>> per_item_beside(Layout(False, False, 1, 1), 24, 8)
    (2, 4, 8, 16, 24)
    """
    step, most = per_item_step(layout), most_per_item(layout, raters)
    wanted = (per_item, per_item // 4, per_item // 2, 2 * per_item, most)
    return tuple(sorted({min(max(each // step * step, step), most) for each in wanted} | {per_item}))


def items_along(most: int, *always: int, fewest: int = 4, points: int = 25) -> tuple[int, ...]:
    """Numbers of items for a curve: about so many from few to `most`, denser where they are few, and these.

    >>> items_along(100, 33, points=4)
    (4, 12, 33, 34, 100)
    """
    between = np.round(np.geomspace(fewest, max(most, fewest), points)).astype(int).tolist()
    return tuple(sorted({*between, *(one for one in always if one >= fewest)}))


def items_within(plan: DifferencePlan, costs: StudyCosts, budget: float) -> float:
    """Items, not rounded, that a budget pays for with the plan's raters and ratings per item; at least 0.

    >>> plan = DifferencePlan(10, 20, 0.5, 0.3, 0.1, 0.1, ratings_per_item=5)
    >>> items_within(plan, StudyCosts(rating=0.1, rater=2), 40)
    20.0
    """
    none = costs.fixed + costs.rater * plan.raters
    of_one = costs.item + costs.rating * plan.ratings / plan.items
    return max((budget - none) / of_one, 0.0) if of_one else inf


def items_for_power(plan: DifferencePlan, power: float) -> float:
    """The fewest items with which the plan's raters have a power; infinite where their own differences forbid it.

    >>> items_for_power(DifferencePlan(20, 20, 0.5, 0.3, 0.1, 0.1), 0.8)
    43.0
    """

    def reached(items: int) -> bool:
        return power_of_plan(replace(plan, items=items)).power >= power

    return inf if plan.d == 0 else fewest(reached, plan.layout.sets)


def raters_for_power(plan: DifferencePlan, power: float) -> float:
    """The fewest raters, an item's staying as many, with which the plan's items have a power; else infinite.

    >>> raters_for_power(DifferencePlan(20, 43, 0.5, 0.3, 0.1, 0.1, ratings_per_item=10), 0.8)
    21.0
    """
    layout, fixed = plan.layout, replace(plan, ratings_per_item=plan.per_item)
    first = max(int(plan.per_item) // per_item_step(layout), 1) * layout.groups
    for raters in range(max(first, 2 * layout.groups), MOST_RATERS + 1, layout.groups):
        if power_of_plan(replace(fixed, raters=raters)).power >= power:
            return float(raters)
    return inf


def fewest(reached: Callable[[int], bool], least: int = 1, most: int = MOST_ITEMS) -> float:
    """The first number above `least` from which something is reached on; infinite where `most` is too few.

    >>> fewest(lambda n: n * n >= 50), fewest(lambda n: n > 20_000)
    (8.0, inf)
    """
    if not reached(most):
        return inf
    low, high = least, most
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reached(middle) else (middle, high)
    return float(high)
