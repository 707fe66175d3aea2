"""The best use of a budget: which raters, items and ratings per item tell two systems apart best for the money."""

from dataclasses import dataclass, replace
from math import isnan

import numpy as np
import pandas as pd

from analysis.planning.budget import BestDesign, Bought, StudyCosts, best_of_plan, designs_within
from analysis.planning.difference import DifferencePlan
from analysis.planning.pilot import power_with_pilot
from analysis.values.estimate import Estimate
from features.blocks import Finding
from features.evidence import for_raters
from features.plotting.numbers import chance, chance_between, decimal, money, share
from features.tables import Shown
from features.verdicts import clear_if, not_enough_data
from features.words import Sentence
from findings.planning.apart import Prices, who
from findings.planning.basis import Basis

FIRST = ("Ratings per item", "Raters", "Items", "Power", "Price")
CURVES = 5
EXPLANATION = """
**Best use of a budget.** Every number of raters up to the most that there are, and of ratings per item up to 50, is
tried, each with as many items as the money leaves; the study with the highest power is named (of equally good ones the
cheapest), and what a tenth more money would buy. The picture shows that the top is mostly flat: near it, what is easier
to arrange may be taken. Where items cost nothing, many items with few ratings each are nearly always best; prices of
items and raters pull the other way. Power, variances and unequal loads as in *Which systems can be told apart?*
(Westfall, Kenny and Judd 2014; Kish 1965).
"""


@dataclass(frozen=True, eq=False)
class Spent:
    """What a budget buys: the best study, and all that it could buy."""

    budget: float
    currency: str
    plan: DifferencePlan
    best: BestDesign
    bought: Bought
    sure: Estimate

    @property
    def study(self) -> DifferencePlan:
        """The best study; the plan where none can be had."""
        best = self.best
        if best.reason:
            return self.plan
        return _study(self.plan, best)


def spent(plan: DifferencePlan, basis: Basis, prices: Prices, budget: float, most_raters: int) -> Spent:
    """What a budget buys of studies like the plan, the best one's power with what a pilot leaves open."""
    best = best_of_plan(budget, prices.costs, plan, most_raters=most_raters)
    bought = designs_within(budget, prices.costs, plan, most_raters)
    sure = Estimate(best.power) if best.reason else power_with_pilot(basis.pilot, _study(plan, best))
    return Spent(budget, prices.currency, plan, best, bought, sure)


def _study(plan: DifferencePlan, best: BestDesign) -> DifferencePlan:
    return replace(plan, items=best.items, raters=best.raters, ratings_per_item=best.ratings_per_item)


def finding(one: Spent) -> list[Finding]:
    """The best study and what more money would bring."""
    best = one.best
    if best.reason:
        return [
            not_enough_data(
                "For <b>{budget}</b> no study can be had: {reason}. Raise the budget or lower the prices.",
                {"budget": money(one.budget, one.currency), "reason": best.reason},
            )
        ]
    words, of_study = who(_study(one.plan, best))
    power = "{power}" if isnan(one.sure.low) else "{power}</b> ({interval}, as far as the pilot knows)<b>"
    values: dict[str, object] = {
        "budget": money(one.budget, one.currency),
        **of_study,
        "d": decimal(one.plan.d),
        "power": chance(best.power),
        "interval": chance_between(one.sure),
        "half": decimal(best.half_width),
        "cost": money(best.cost, one.currency),
        "more": money(best.more, one.currency),
        "then": chance(best.next_power),
        "half_then": decimal(best.next_half_width),
    }
    is_clear, scope = isnan(one.sure.low), for_raters("raters like these")
    return [
        clear_if(
            is_clear,
            f"<b>{{budget}}</b> are best spent on <b>{words}</b> ({{cost}}): a difference of {{d}} "
            f"is then found with a power of <b>{power}</b> and known to about ±\u00a0{{half}}.",
            values,
            scope,
        ),
        clear_if(is_clear, "{more} more would make that {then}, and ±\u00a0{half_then}.", values, scope),
    ]


def free(costs: StudyCosts) -> Sentence | None:
    """What follows where items or raters cost nothing."""
    names = [name for name in ("item", "rater") if not getattr(costs, name)]
    if not names:
        return None
    return (
        "{what} cost nothing here, so that many come out best: type what one costs under Prices.",
        {"what": " and ".join(f"{name}s" for name in names).capitalize()},
    )


def shown_per_item(one: Spent) -> tuple[int, ...]:
    """Ratings per item whose curves are drawn: the best, and some around it."""
    there = np.unique(one.bought.ratings_per_item).astype(int)
    best = one.best.ratings_per_item
    wanted = [best, 1, 2, 2 * best, 4 * best, 5, 10]
    chosen = list(dict.fromkeys(k for k in wanted if k in there))[:CURVES]
    return tuple(sorted(chosen))


def curves(one: Spent) -> dict[int, tuple[tuple[int, ...], tuple[Estimate, ...]]]:
    """Power along the number of raters, by ratings per item, all for the same money."""
    drawn = {}
    for k in shown_per_item(one):
        of = one.bought.of(one.bought.ratings_per_item == k)
        spread = np.linspace(0, len(of.raters) - 1, 25).astype(int)
        kept = np.union1d(spread, np.flatnonzero(of.raters == one.best.raters))
        drawn[k] = (
            tuple(of.raters[kept].astype(int).tolist()),
            tuple(Estimate(power) for power in of.power[kept].tolist()),
        )
    return drawn


def table(one: Spent) -> Shown:
    """The best study of each number of ratings per item, the best of all first."""
    rows = []
    for k in np.unique(one.bought.ratings_per_item):
        of = one.bought.of(one.bought.ratings_per_item == k)
        at = of.best()
        rows.append(
            {
                "Ratings per item": int(k),
                "Raters": int(of.raters[at]),
                "Items": int(of.items[at]),
                "Power": float(of.power[at]),
                "Price": float(of.cost[at]),
                "Half of the interval": float(of.half_width[at]),
            }
        )
    made = pd.DataFrame(rows).sort_values("Power", ascending=False, kind="stable")
    return made, {
        "Power": lambda value: share(value, 1),
        "Price": lambda value: money(value, one.currency),
        "Half of the interval": lambda value: "–" if isnan(value) else decimal(value),
    }
