"""Power of a planned comparison of two systems, with other ratings per item too, and the best study for a budget."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from analysis.planning.budget import (
    AffordableDesigns,
    BestDesign,
    StudyCosts,
    affordable_designs,
    affordable_items,
    alternative_ratings_per_item,
    best_of_plan,
    item_grid,
    items_for_power,
    most_per_item,
)
from analysis.planning.difference import LAYOUTS, Design, DifferencePlan, power_of_plan
from analysis.planning.pilot import Pilot, power_by_items, power_with_pilot
from analysis.planning.precision import difference_half_width
from analysis.planning.simulated_difference import SimulatedPower, assigned_study, simulated_power
from analysis.values.estimate import Estimate
from features.blocks import Note, Progress, last_stage, map_stages
from features.planning.variances import (
    CALLED,
    Loads,
    LoadsSpec,
    Variances,
    VariancesSpec,
    find_loads,
    variance_stages,
)
from features.plotting.theme import decimal, money
from features.study import Study, key_of, long_result, result
from features.words import Column, of_many

HOUR = 3600


@dataclass(frozen=True)
class Prices:
    """Prices as entered, of which None or 0 were not; `seconds` is the time of a rating, `budget` what may be spent."""

    rating: float | None = None
    item: float = 0.0
    rater: float = 0.0
    fixed: float = 0.0
    currency: str = "€"
    seconds: float = 15.0
    budget: float | None = None

    @property
    def are_known(self) -> bool:
        """True where somebody entered the price of a rating: without it nothing has a price."""
        return self.rating is not None

    @property
    def costs(self) -> StudyCosts:
        """Costs of a study, free as far as nobody entered a price."""
        return StudyCosts(self.rating or 0.0, self.item, self.rater, self.fixed)

    def of_votes(self, items: int, each: int) -> float:
        """Return the price of `each` votes on each item."""
        costs = self.costs
        return costs.fixed + items * (costs.item + each * costs.rating)

    def written(self, amount: float) -> str:
        return money(amount, self.currency)

    def column(self, amounts: Sequence[float]) -> list[Column]:
        """Return the column of prices, none where nobody entered the price of a rating."""
        return [Column("Price", amounts, self.written)] if self.are_known else []

    def effort(self, ratings: int, price: float, each: str = "", what: str = "ratings") -> Note:
        """Return price, ratings and hours of a study; `each` says how many a rater gives."""
        cost = "Price {price}: " if self.are_known else ""
        values = {
            "price": self.written(price),
            "ratings": of_many(ratings, what),
            "each": each,
            "hours": decimal(ratings * self.seconds / HOUR, 1),
            "seconds": f"{self.seconds:g}",
        }
        return Note((cost + "{ratings}{each}, {hours} hours at {seconds}\u00a0s each.", values))


MOST_DRAWS = 250
"""Draws of the band along the curve."""
STUDIES = 1000
MOST_CELLS = 1500
"""Pairs of a rater and an item up to which a study is simulated: the analysis of one takes their third power."""
SYSTEMS = ("A", "B")
_REACHES = (60, 120, 250, 500)
_WHOLE = "items", "raters", "ratings_per_item"
Curves = dict[int, tuple[tuple[float, ...], tuple[Estimate, ...]]]
"""By a number, such as ratings per item, the places along x and the estimates there."""


@dataclass(frozen=True)
class PowerSpec:
    """Planned comparison of two systems that differ by `difference`, tested at `alpha` over so many comparisons."""

    variances: VariancesSpec = field(default_factory=VariancesSpec)
    difference: float = 0.3
    items: int = 40
    raters: int = 24
    per_item: int = 8
    design: Design = "crossed"
    loads: LoadsSpec = field(default_factory=LoadsSpec)
    alpha: float = 0.05
    comparisons: int = 1
    wanted: float = 0.8
    prices: Prices = field(default_factory=Prices)

    def plan(self, variances: Variances, loads: Loads) -> DifferencePlan:
        """Return the study with these variances, its ratings per item at most those of the design."""
        known: dict[str, Any] = {**dict.fromkeys(CALLED, 0.0), **variances.pilot.estimated}
        return DifferencePlan(
            self.raters,
            self.items,
            self.difference,
            **known,
            design=self.design,
            ratings_per_item=min(self.per_item, most_per_item(LAYOUTS[self.design], self.raters)),
            alpha=self.alpha,
            comparisons=self.comparisons,
            loads=loads,
        )


@dataclass(frozen=True, eq=False)
class PowerFound:
    """A planned study with its power; NaN with a reason where the open ratings supply no variances."""

    spec: PowerSpec
    variances: Variances
    plan: DifferencePlan
    power: Estimate
    half_width: float

    @property
    def per_item(self) -> int:
        """Raters of an item."""
        return int(self.plan.per_item)

    def price(self, per_item: int) -> float:
        return self.spec.prices.costs.of(self.others[per_item])

    def items_needed(self, per_item: int) -> float:
        """Return the items that have the wanted power with these raters."""
        return items_for_power(self.others[per_item], self.spec.wanted)

    @cached_property
    def others(self) -> dict[int, DifferencePlan]:
        """The same study with other ratings per item, by their number."""
        numbers = alternative_ratings_per_item(self.plan.layout, int(self.plan.raters), self.per_item)
        return {each: replace(self.plan, ratings_per_item=each) for each in numbers}

    @property
    def alternatives(self) -> dict[int, tuple[float, float]]:
        return {
            each: (float(power_of_plan(plan).power), difference_half_width(plan))
            for each, plan in self.others.items()
        }

    def curves(self) -> Curves:
        """Return the power along the number of items, by ratings per item; with a band for the chosen number."""
        made: Curves = {}
        fewest = 2 * self.plan.layout.sets
        items = item_grid(axis_end(self.spec.items), self.spec.items, fewest=fewest, points=16)
        for each, plan in self.others.items():
            draws = MOST_DRAWS if each == self.per_item else 0
            made[each] = items, power_by_items(self.variances.pilot, plan, items, draws)
        return made

    @property
    def budget(self) -> float:
        """Money that may be spent: as entered, else what the plan costs."""
        budget = self.spec.prices.budget
        return self.price(self.per_item) if budget is None else budget

    def same_price(self) -> list[tuple[float, float, int]]:
        """Return items, power and ratings per item of the studies that the budget pays for."""
        points = []
        for each, plan in self.others.items() if self.spec.prices.are_known else ():
            items = affordable_items(plan, self.spec.prices.costs, self.budget)
            if 2 * plan.layout.sets <= items <= axis_end(self.spec.items):
                points.append((items, float(power_of_plan(replace(plan, items=items)).power), each))
        return points


def axis_end(items: int) -> int:
    """Return the last number of items on the x axis, in coarse steps so that the axis rarely changes.

    >>> reach(30), reach(31), reach(500)
    (60, 120, 500)
    """
    return next((most for most in _REACHES if most >= 2 * items), _REACHES[-1])


def power_stages(study: Study, spec: PowerSpec) -> Iterator[PowerFound | Progress]:
    """Yield the planned study, of the open ratings first without the uncertainty of their variances."""
    loads = find_loads(study, spec.loads)

    def find(variances: Variances) -> PowerFound:
        plan = spec.plan(variances, loads)
        if variances.reason:
            return PowerFound(spec, variances, plan, Estimate(np.nan, reason=variances.reason), np.nan)
        power = power_with_pilot(variances.pilot, plan)
        return PowerFound(spec, variances, plan, power, difference_half_width(plan))

    yield from map_stages(variance_stages(study, spec.variances), find)


def bare_plan(study: Study, spec: PowerSpec) -> DifferencePlan:
    """Return who rates what in the plan, whatever ratings vary by."""
    return spec.plan(Variances(Pilot({}, {}, 0.95)), find_loads(study, spec.loads))


def simulate_power(study: Study, plan: DifferencePlan, seed: int) -> SimulatedPower | None:
    """Simulate a planned study; None while stopped."""
    return long_result(
        key_of(study.whole.as_saved, "simulated power", plan, seed),
        "Simulated studies",
        lambda on_progress: simulated_power(plan, STUDIES, seed, on_progress=on_progress),
    )


def template(plan: DifferencePlan, most_per_rater: int | None, seed: int) -> pd.DataFrame:
    """Return a row per rating to collect, its score empty: filled in, the Data page reads it."""
    dealt = assigned_study(plan, most_per_rater, seed)
    topic, system = _numbered("item", dealt.item), np.array(SYSTEMS)[dealt.system]
    meets_both = not plan.layout.items_within
    items = [f"{each} {of}" for each, of in zip(topic, system, strict=True)] if meets_both else topic
    return pd.DataFrame(
        {
            "rater_id": _numbered("rater", dealt.rater),
            "order": dealt.order,
            "item_id": items,
            "system": system,
            **({"topic": topic} if meets_both else {}),
            "score": "",
        }
    )


def _numbered(what: str, codes: "np.ndarray[tuple[int], np.dtype[np.int64]]") -> list[str]:
    width = len(str(int(codes.max()) + 1))
    return [f"{what} {code + 1:0{width}}" for code in codes.tolist()]


@dataclass(frozen=True)
class BudgetSpec:
    """Best study for a budget: `study` says all but the numbers of raters, items and ratings per item."""

    study: PowerSpec
    budget: float = 100.0
    most_raters: int = 60


@dataclass(frozen=True, eq=False)
class BudgetFound:
    """The best study for a budget with its power, and all that the budget could buy; none without variances."""

    spec: BudgetSpec
    variances: Variances
    plan: DifferencePlan
    best: BestDesign
    bought: AffordableDesigns | None
    power: Estimate

    def alternatives(self) -> list[BestDesign]:
        """Return the best study of each number of ratings per item, the best of all first."""
        if self.bought is None:
            return []
        found = []
        for each in np.unique(self.bought.ratings_per_item):
            of = self.bought.select(self.bought.ratings_per_item == each)
            at = of.best()
            numbers: dict[str, Any] = {name: int(getattr(of, name)[at]) for name in _WHOLE}
            numbers |= {name: float(getattr(of, name)[at]) for name in ("power", "cost", "half_width")}
            found.append(replace(self.best, **numbers))
        return sorted(found, key=lambda one: -one.power)

    def curves(self, most: int = 5) -> Curves:
        """Return the power along the number of raters, by ratings per item, all for the same money."""
        if self.bought is None:
            return {}
        there = np.unique(self.bought.ratings_per_item).astype(int)
        best = self.best.ratings_per_item
        wanted = dict.fromkeys(each for each in (best, 1, 2, 2 * best, 4 * best, 5, 10) if each in there)
        made: Curves = {}
        for each in sorted(list(wanted)[:most]):
            of = self.bought.select(self.bought.ratings_per_item == each)
            spread = np.linspace(0, len(of.raters) - 1, 25).astype(int)
            kept = np.union1d(spread, np.flatnonzero(of.raters == self.best.raters))
            x = tuple(of.raters[kept].astype(int).tolist())
            made[each] = x, tuple(Estimate(power) for power in of.power[kept].tolist())
        return made


def spend_budget(study: Study, spec: BudgetSpec) -> BudgetFound:
    """Find the study with the most power that a budget pays for."""
    loads = find_loads(study, spec.study.loads)
    variances = last_stage(variance_stages(study, spec.study.variances))
    blank = replace(spec.study, raters=4, items=4, per_item=1)
    plan = replace(blank.plan(variances, loads), ratings_per_item=None)
    costs = spec.study.prices.costs

    def compute() -> BudgetFound:
        best = best_of_plan(spec.budget, costs, plan, most_raters=spec.most_raters)
        bought = None if best.reason else affordable_designs(spec.budget, costs, plan, spec.most_raters)
        numbers = {name: getattr(best, name) for name in _WHOLE}
        chosen = plan if best.reason else replace(plan, **numbers)
        power = Estimate(best.power) if best.reason else power_with_pilot(variances.pilot, chosen)
        return BudgetFound(spec, variances, chosen, best, bought, power)

    if variances.reason:
        none = BestDesign(0, 0, 0, np.nan, np.nan, np.nan, reason=variances.reason)
        unknown = Estimate(np.nan, reason=variances.reason)
        return BudgetFound(spec, variances, plan, none, None, unknown)
    return result(key_of(study.whole, "best use", plan, variances.told, costs, spec), compute)
