"""Studies beside a planned one: with other numbers of items, and of ratings per item."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf, nan
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from analysis.planning.difference import Design, DifferencePlan, Layout, Numbers, power_of_plan, powers
from analysis.planning.precision import half_widths
from analysis.planning.workloads import at_least, positive
from analysis.values.estimate import Floats, InputError

Aim = Literal["power", "precision"]
MOST_RATERS = 200
MOST_PER_ITEM = 50
MOST_ITEMS = 10_000


@dataclass(frozen=True)
class StudyCosts:
    """Costs of one rating, one item, one rater (recruiting, qualification) and of the study itself.

    Raises
    ------
    InputError
        where one is no number or below 0.

    Notes
    -----
    Source: methods, section 8.
    """

    rating: float
    item: float = 0.0
    rater: float = 0.0
    fixed: float = 0.0

    def __post_init__(self) -> None:
        for name in ("rating", "item", "rater", "fixed"):
            at_least(name, getattr(self, name), 0)

    def of(self, plan: DifferencePlan) -> float:
        """The price of a plan."""
        return self.fixed + self.rater * plan.raters + self.item * plan.items + self.rating * plan.ratings


@dataclass(frozen=True)
class BestDesign:
    """The best study within a budget: its numbers, `cost`, `power` and `half_width` of the difference's interval.

    `next_power` and `next_half_width` are those of the best study with `more` money; NaN, with a `reason`, where the
    budget buys no study. `caution` is that of its power (`Power`).
    """

    raters: int
    items: int
    ratings_per_item: int
    cost: float
    power: float
    half_width: float
    more: float = 0.0
    next_power: float = nan
    next_half_width: float = nan
    reason: str = ""
    caution: str = ""


@dataclass(frozen=True, eq=False)
class Bought:
    """Studies (n,) that a budget buys: their numbers, `cost`, `power` and `half_width` of the difference's interval."""

    raters: Floats
    items: Floats
    ratings_per_item: Floats
    cost: Floats
    power: Floats
    half_width: Floats

    def best(self, aim: Aim = "power") -> int:
        """The place of the best; of equally good ones the cheapest."""
        worth = np.round(self.power if aim == "power" else -self.half_width, 9)
        return int(np.lexsort((self.cost, -worth))[0])

    def of(self, kept: NDArray[np.bool_]) -> "Bought":
        """Some of them."""
        return Bought(*(getattr(self, name)[kept] for name in self.__dataclass_fields__))


def designs_within(
    budget: float, costs: StudyCosts, plan: DifferencePlan, most_raters: int = MOST_RATERS
) -> Bought:
    """Every study that a budget buys, each with as many items as it leaves; `plan` for all but its numbers.

    Source: Westfall, Kenny and Judd 2014; methods, section 8.
    """
    positive("budget", budget)
    return _Search(plan, costs, "power", most_raters, MOST_ITEMS).bought(budget)


def best_design(
    budget: float,
    costs: StudyCosts,
    d: float,
    residual: float,
    rater_slope: float,
    item_slope: float,
    rater: float | None = None,
    item: float | None = None,
    rater_item: float | None = None,
    design: Design = "crossed",
    alpha: float = 0.05,
    comparisons: int = 1,
    aim: Aim = "power",
    more: float | None = None,
    most_raters: int = MOST_RATERS,
    most_items: int = MOST_ITEMS,
) -> BestDesign:
    """The numbers of raters, items and ratings per item with the most power, or the narrowest interval, for the money.

    Parameters
    ----------
    budget : what may be spent
    costs : of a rating, an item, a rater, and the study
    d, residual, rater_slope, item_slope, rater, item, rater_item, design, alpha, comparisons : as in `difference_power`
    aim : "power" or "precision" (half of the width of the difference's interval)
    more : further money whose worth is told; a tenth of the budget if not given
    most_raters, most_items : that there are

    Returns
    -------
    BestDesign
        of all studies in which each rater rates at least one item; of equally good ones the cheapest

    Raises
    ------
    InputError
        where an argument lies outside its range.

    Notes
    -----
    Every number of raters up to `most_raters` and of ratings per item up to 50 is tried, each with as many items as the
    budget leaves. Of unequal loads: `best_of_plan`.
    Source: Westfall, Kenny and Judd 2014; methods, section 8.
    """
    at_least("most_raters", most_raters, 2)
    at_least("most_items", most_items, 2)
    one = DifferencePlan(
        4, 4, d, residual, rater_slope, item_slope, rater, item, rater_item, design, None, alpha, comparisons
    )
    return best_of_plan(budget, costs, one, aim, more, most_raters, most_items)


def best_of_plan(
    budget: float,
    costs: StudyCosts,
    plan: DifferencePlan,
    aim: Aim = "power",
    more: float | None = None,
    most_raters: int = MOST_RATERS,
    most_items: int = MOST_ITEMS,
) -> BestDesign:
    """`best_design` of a plan, whose loads may differ.

    Parameters
    ----------
    budget, costs, aim, more, most_raters, most_items : as in `best_design`
    plan : for all but its numbers of raters, items and ratings per item; its `loads` (p,) are spread over any number

    Returns
    -------
    BestDesign
        as of `best_design`

    Raises
    ------
    InputError
        where an argument lies outside its range.

    Notes
    -----
    Source: Westfall, Kenny and Judd 2014; Kish 1965.
    """
    positive("budget", budget)
    if aim not in ("power", "precision"):
        raise InputError(f"`aim` must be 'power' or 'precision', got {aim!r}")
    search = _Search(plan, costs, aim, most_raters, most_items)
    found = search.within(budget)
    if found.reason:
        return found
    extra = budget / 10 if more is None else more
    positive("more", extra)
    then = search.within(budget + extra)
    return replace(found, more=extra, next_power=then.power, next_half_width=then.half_width)


class _Search:
    """All studies of a design: every number of raters and of ratings per item, with as many items as one can pay."""

    def __init__(
        self, one: DifferencePlan, costs: StudyCosts, aim: Aim, most_raters: int, most_items: int
    ) -> None:
        self.one, self.costs, self.aim, self.most_items = one, costs, aim, most_items
        groups, sets = one.layout.groups, one.layout.sets
        meet = groups if groups > 1 and not one.layout.both_within else 1
        raters = np.arange(groups, most_raters + 1, groups)
        per_item = np.arange(meet, MOST_PER_ITEM + 1, meet)
        self.raters, self.per_item = (
            each.ravel().astype(np.float64) for each in np.meshgrid(raters, per_item, indexing="ij")
        )
        possible = self.per_item * groups <= self.raters * meet
        self.raters, self.per_item = self.raters[possible], self.per_item[possible]
        self.sets = sets
        self.both = 2 if one.design == "crossed" else 1

    def bought(self, budget: float) -> Bought:
        """All of them that a budget buys, each with as many items as it leaves."""
        costs = self.costs
        of_item = costs.item + costs.rating * self.both * self.per_item
        left = budget - costs.fixed - costs.rater * self.raters
        with np.errstate(divide="ignore", invalid="ignore"):
            items = np.where(of_item > 0, np.floor(left / of_item + 1e-9), np.where(left >= 0, np.inf, 0))
        items = np.clip(items, 0, self.most_items) // self.sets * self.sets
        possible = (
            (items > self.sets)
            & (self.raters > self.one.layout.groups)
            & (items * self.per_item >= self.raters)
        )
        raters, per_item, items = self.raters[possible], self.per_item[possible], items[possible]
        power, half = self._worth(Numbers(self._effective(raters, items, per_item), items, per_item))
        cost = costs.fixed + costs.rater * raters + of_item[possible] * items
        return Bought(raters, items, per_item, cost, power, half)

    def within(self, budget: float) -> BestDesign:
        """The best of them."""
        bought = self.bought(budget)
        if not len(bought.raters):
            return BestDesign(
                0, 0, 0, nan, nan, nan, reason="the budget buys no study with two raters and two items"
            )
        best = bought.best(self.aim)
        raters, items, per_item = (
            int(numbers[best]) for numbers in (bought.raters, bought.items, bought.ratings_per_item)
        )
        return BestDesign(
            raters,
            items,
            per_item,
            float(bought.cost[best]),
            float(bought.power[best]),
            float(bought.half_width[best]),
            caution=replace(self.one, raters=raters, items=items, ratings_per_item=per_item).caution,
        )

    def _effective(self, raters: Floats, items: Floats, per_item: Floats) -> Floats:
        """Return what raters are worth with their loads."""
        if self.one.loads is None:
            return raters
        return np.array(list(map(self.one.effective_of, raters, items, per_item)))

    def _worth(self, numbers: Numbers) -> tuple[Floats, Floats]:
        one, unit = self.one, self.one.parts
        raters, items, per_item = (np.asarray(number) for number in numbers)
        parts: tuple[Floats, Floats, Floats] = (
            unit.raters * one.effective_raters / raters,
            unit.items * one.items / items,
            unit.rest * one.cells / (items * per_item),
        )
        return powers(one, numbers, parts), 2 * half_widths(one, numbers, parts)


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
