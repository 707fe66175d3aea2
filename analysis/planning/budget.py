"""Designs within a budget, and alternatives to a plan with other numbers of items or ratings per item."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf, nan
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from analysis.planning.difference import Design, DifferencePlan, Layout, Numbers, plan_powers, power_of_plan
from analysis.planning.precision import half_widths
from analysis.planning.workloads import check_at_least, check_positive
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
        where a cost is not a number or below 0.

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
            check_at_least(name, getattr(self, name), 0)

    def of(self, plan: DifferencePlan) -> float:
        """Return the cost of a plan."""
        return self.fixed + self.rater * plan.raters + self.item * plan.items + self.rating * plan.ratings


@dataclass(frozen=True)
class BestDesign:
    """The best study within a budget: its numbers, `cost`, `power` and `half_width` of the difference's interval.

    `next_power` and `next_half_width` are those of the best study with `more` money; NaN, with a `reason`, where the
    budget is too small. `caution` is that of its power (`Power`).
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
class AffordableDesigns:
    """Studies (n,) within a budget: their numbers, `cost`, `power` and `half_width` of the difference's interval."""

    raters: Floats
    items: Floats
    ratings_per_item: Floats
    cost: Floats
    power: Floats
    half_width: Floats

    def best(self, aim: Aim = "power") -> int:
        """Return the index of the best study, the cheapest among equally good ones."""
        worth = np.round(self.power if aim == "power" else -self.half_width, 9)
        return int(np.lexsort((self.cost, -worth))[0])

    def select(self, mask: NDArray[np.bool_]) -> "AffordableDesigns":
        """Return the masked studies."""
        return AffordableDesigns(*(getattr(self, name)[mask] for name in self.__dataclass_fields__))


def affordable_designs(
    budget: float, costs: StudyCosts, plan: DifferencePlan, most_raters: int = MOST_RATERS
) -> AffordableDesigns:
    """Return all studies within a budget, each with the largest number of items; `plan` for all but its numbers.

    Source: Westfall, Kenny and Judd 2014; methods, section 8.
    """
    check_positive("budget", budget)
    return _Search(plan, costs, "power", most_raters, MOST_ITEMS).affordable(budget)


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
    """Find the numbers of raters, items and ratings per item with the most power, or the narrowest interval, in a
    budget.

    Parameters
    ----------
    budget : maximum cost
    costs : of a rating, an item, a rater, and the study
    d, residual, rater_slope, item_slope, rater, item, rater_item, design, alpha, comparisons : as in `difference_power`
    aim : "power" or "precision" (half of the width of the difference's interval)
    more : additional money for `next_power`; a tenth of the budget if not given
    most_raters, most_items : available numbers

    Returns
    -------
    BestDesign
        of all studies in which each rater rates at least one item; the cheapest among equally good ones

    Raises
    ------
    InputError
        where an argument lies outside its range.

    Notes
    -----
    A grid search over numbers of raters up to `most_raters` and of ratings per item up to 50, each with the largest
    affordable number of items. For unequal loads: `best_of_plan`.
    Source: Westfall, Kenny and Judd 2014; methods, section 8.
    """
    check_at_least("most_raters", most_raters, 2)
    check_at_least("most_items", most_items, 2)
    plan = DifferencePlan(
        4, 4, d, residual, rater_slope, item_slope, rater, item, rater_item, design, None, alpha, comparisons
    )
    return best_of_plan(budget, costs, plan, aim, more, most_raters, most_items)


def best_of_plan(
    budget: float,
    costs: StudyCosts,
    plan: DifferencePlan,
    aim: Aim = "power",
    more: float | None = None,
    most_raters: int = MOST_RATERS,
    most_items: int = MOST_ITEMS,
) -> BestDesign:
    """Find the `best_design` of a plan, which may have unequal loads.

    Parameters
    ----------
    budget, costs, aim, more, most_raters, most_items : as in `best_design`
    plan : for all but its numbers of raters, items and ratings per item; its `loads` (p,) are interpolated

    Returns
    -------
    BestDesign
        as from `best_design`

    Raises
    ------
    InputError
        where an argument lies outside its range.

    Notes
    -----
    Source: Westfall, Kenny and Judd 2014; Kish 1965.
    """
    check_positive("budget", budget)
    if aim not in ("power", "precision"):
        raise InputError(f"`aim` must be 'power' or 'precision', got {aim!r}")
    search = _Search(plan, costs, aim, most_raters, most_items)
    best = search.best_within(budget)
    if best.reason:
        return best
    extra = budget / 10 if more is None else more
    check_positive("more", extra)
    next_design = search.best_within(budget + extra)
    return replace(best, more=extra, next_power=next_design.power, next_half_width=next_design.half_width)


class _Search:
    """Grid of all studies of a design: numbers of raters and of ratings per item, with the largest affordable number
    of items."""

    def __init__(
        self, plan: DifferencePlan, costs: StudyCosts, aim: Aim, most_raters: int, most_items: int
    ) -> None:
        self.plan, self.costs, self.aim, self.most_items = plan, costs, aim, most_items
        groups, sets = plan.layout.groups, plan.layout.sets
        meet = groups if groups > 1 and not plan.layout.both_within else 1
        raters = np.arange(groups, most_raters + 1, groups)
        per_item = np.arange(meet, MOST_PER_ITEM + 1, meet)
        self.raters, self.per_item = (
            each.ravel().astype(np.float64) for each in np.meshgrid(raters, per_item, indexing="ij")
        )
        possible = self.per_item * groups <= self.raters * meet
        self.raters, self.per_item = self.raters[possible], self.per_item[possible]
        self.sets = sets
        self.both = 2 if plan.design == "crossed" else 1

    def affordable(self, budget: float) -> AffordableDesigns:
        """Return all studies within a budget, each with the largest number of items."""
        costs = self.costs
        cost_per_item = costs.item + costs.rating * self.both * self.per_item
        remaining = budget - costs.fixed - costs.rater * self.raters
        with np.errstate(divide="ignore", invalid="ignore"):
            items = np.where(
                cost_per_item > 0,
                np.floor(remaining / cost_per_item + 1e-9),
                np.where(remaining >= 0, np.inf, 0),
            )
        items = np.clip(items, 0, self.most_items) // self.sets * self.sets
        possible = (
            (items > self.sets)
            & (self.raters > self.plan.layout.groups)
            & (items * self.per_item >= self.raters)
        )
        raters, per_item, items = self.raters[possible], self.per_item[possible], items[possible]
        power, half = self._power_and_half_width(
            Numbers(self._effective_raters(raters, items, per_item), items, per_item)
        )
        cost = costs.fixed + costs.rater * raters + cost_per_item[possible] * items
        return AffordableDesigns(raters, items, per_item, cost, power, half)

    def best_within(self, budget: float) -> BestDesign:
        """Return the best study within a budget."""
        designs = self.affordable(budget)
        if not len(designs.raters):
            return BestDesign(
                0, 0, 0, nan, nan, nan, reason="the budget buys no study with two raters and two items"
            )
        best = designs.best(self.aim)
        raters, items, per_item = (
            int(numbers[best]) for numbers in (designs.raters, designs.items, designs.ratings_per_item)
        )
        return BestDesign(
            raters,
            items,
            per_item,
            float(designs.cost[best]),
            float(designs.power[best]),
            float(designs.half_width[best]),
            caution=replace(self.plan, raters=raters, items=items, ratings_per_item=per_item).caution,
        )

    def _effective_raters(self, raters: Floats, items: Floats, per_item: Floats) -> Floats:
        """Return the effective numbers of raters given their loads."""
        if self.plan.loads is None:
            return raters
        return np.array(list(map(self.plan.effective_raters_of, raters, items, per_item)))

    def _power_and_half_width(self, numbers: Numbers) -> tuple[Floats, Floats]:
        plan, plan_parts = self.plan, self.plan.parts
        raters, items, per_item = (np.asarray(number) for number in numbers)
        parts: tuple[Floats, Floats, Floats] = (
            plan_parts.raters * plan.effective_raters / raters,
            plan_parts.items * plan.items / items,
            plan_parts.rest * plan.cells / (items * per_item),
        )
        return plan_powers(plan, numbers, parts), 2 * half_widths(plan, numbers, parts)


def per_item_step(layout: Layout) -> int:
    """Return the step of possible numbers of raters per item: equal numbers from each group."""
    return layout.groups if layout.groups > 1 and not layout.both_within else 1


def most_per_item(layout: Layout, raters: int) -> int:
    """Return the largest possible number of raters per item.

    >>> most_per_item(Layout(True, True, 2, 2), 24), most_per_item(Layout(True, False, 2, 1), 24)
    (12, 24)
    """
    step = per_item_step(layout)
    return raters // layout.groups * step


def alternative_ratings_per_item(layout: Layout, raters: int, per_item: int) -> tuple[int, ...]:
    """Return possible numbers of ratings per item: this one, a quarter, half and twice of it, and all raters.

    >>> alternative_ratings_per_item(Layout(False, False, 1, 1), 24, 8)
    (2, 4, 8, 16, 24)
    """
    step, largest = per_item_step(layout), most_per_item(layout, raters)
    candidates = (per_item, per_item // 4, per_item // 2, 2 * per_item, largest)
    return tuple(sorted({min(max(each // step * step, step), largest) for each in candidates} | {per_item}))


def item_grid(most: int, *always: int, fewest: int = 4, points: int = 25) -> tuple[int, ...]:
    """Return about `points` numbers of items for a curve, geometrically spaced up to `most`, with the given ones.

    >>> item_grid(100, 33, points=4)
    (4, 12, 33, 34, 100)
    """
    between = np.round(np.geomspace(fewest, max(most, fewest), points)).astype(int).tolist()
    return tuple(sorted({*between, *(one for one in always if one >= fewest)}))


def affordable_items(plan: DifferencePlan, costs: StudyCosts, budget: float) -> float:
    """Return the affordable number of items, not rounded, with the plan's raters and ratings per item; at least 0.

    >>> plan = DifferencePlan(10, 20, 0.5, 0.3, 0.1, 0.1, ratings_per_item=5)
    >>> affordable_items(plan, StudyCosts(rating=0.1, rater=2), 40)
    20.0
    """
    base_cost = costs.fixed + costs.rater * plan.raters
    cost_per_item = costs.item + costs.rating * plan.ratings / plan.items
    return max((budget - base_cost) / cost_per_item, 0.0) if cost_per_item else inf


def items_for_power(plan: DifferencePlan, power: float) -> float:
    """Return the fewest items with which the plan's raters reach a power; infinite where rater variance prevents it.

    >>> items_for_power(DifferencePlan(20, 20, 0.5, 0.3, 0.1, 0.1), 0.8)
    43.0
    """

    def has_power(items: int) -> bool:
        return power_of_plan(replace(plan, items=items)).power >= power

    return inf if plan.d == 0 else smallest_sufficient(has_power, plan.layout.sets)


def raters_for_power(plan: DifferencePlan, power: float) -> float:
    """Return the fewest raters, for the same ratings per item, with which the plan's items reach a power; else
    infinite.

    >>> raters_for_power(DifferencePlan(20, 43, 0.5, 0.3, 0.1, 0.1, ratings_per_item=10), 0.8)
    21.0
    """
    layout, fixed = plan.layout, replace(plan, ratings_per_item=plan.per_item)
    first = max(int(plan.per_item) // per_item_step(layout), 1) * layout.groups
    for raters in range(max(first, 2 * layout.groups), MOST_RATERS + 1, layout.groups):
        if power_of_plan(replace(fixed, raters=raters)).power >= power:
            return float(raters)
    return inf


def smallest_sufficient(
    is_sufficient: Callable[[int], bool], least: int = 1, most: int = MOST_ITEMS
) -> float:
    """Return the smallest number above `least` that is sufficient, by bisection; infinite where `most` is too small.

    >>> smallest_sufficient(lambda n: n * n >= 50), smallest_sufficient(lambda n: n > 20_000)
    (8.0, inf)
    """
    if not is_sufficient(most):
        return inf
    low, high = least, most
    while high - low > 1:
        midpoint = (low + high) // 2
        low, high = (low, midpoint) if is_sufficient(midpoint) else (midpoint, high)
    return float(high)
