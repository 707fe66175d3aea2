"""Which systems a planned study can tell apart: its power in words, the studies beside it, and what a paper says."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite, isnan
from typing import Any

import pandas as pd

from analysis.planning.alternatives import (
    items_along,
    items_for_power,
    items_within,
    most_per_item,
    per_item_beside,
    raters_for_power,
)
from analysis.planning.budget import StudyCosts
from analysis.planning.difference import Design, DifferencePlan, power_of_plan
from analysis.planning.pilot import power_by_items, power_with_pilot
from analysis.planning.precision import difference_half_width
from analysis.values.estimate import Estimate
from features.blocks import Finding
from features.evidence import for_raters
from features.plotting.numbers import chance, chance_between, count, decimal, money, p_value, share
from features.tables import Shown
from features.verdicts import clear_if, excludes, not_enough_data
from features.words import Sentence, of_many
from findings.planning.basis import Basis
from findings.planning.loads import EXPLANATION as OF_LOADS
from findings.planning.loads import Loads, worth

DESIGNS: dict[str, Design] = {
    "every rater and item meets both": "crossed",
    "halves swapped (counterbalanced)": "counterbalanced",
    "each item is of one system": "items within",
    "each rater meets one system": "raters within",
    "items and raters of one system each": "both within",
}
WHO: Mapping[Design, str] = {
    "crossed": "{items}, each rated under both systems by {k} of {raters}",
    "counterbalanced": "{items} and {raters}, of whom {k} rate an item, one half of them under either system",
    "items within": "{items}, half of them of each system, each rated by {k} of {raters}",
    "raters within": "{items} and {raters}, of whom half meet each system and {k} rate an item",
    "both within": "{items} and {raters}, half of them for each system, and {k} raters per item",
}
MOST_DRAWS = 250
"""Draws of the band along the curve."""
HOUR = 3600
EXPLANATION = """
**Power.** The chance that a study finds a difference of two systems that is there, by a two-sided test that holds for
other raters and other items (both are drawn by chance): t with Satterthwaite's degrees of freedom, for five designs
(Westfall, Kenny and Judd 2014, "Statistical power and optimal design in experiments in which samples of participants
respond to samples of stimuli", and their app). Where systems are many, the level of each test is divided by the number
of comparisons (Bonferroni). With each item rated by k of the raters, the rest falls with items times k; how far the
difference varies with raters and items falls with their numbers only. That is why more ratings per item stop helping.

**Variances.** Of the open ratings they are estimated by REML (by moments where that is slow; of more than 1,000,000
ratings by those of some items, drawn by a seed) as in *Where the variance comes from* on the Assessors page; items of
the plan are the topics that all systems met, and half of rater × system and of item × system are the slopes of the
difference. Their uncertainty is drawn (generalised confidence intervals), and the band and the interval are the middle
95 % of the power over these draws. Few raters in a pilot leave a wide band. The difference asked for is taken as given.
The studies behind the named kinds are public; their variances carry no band here, because your raters and items will
differ from theirs by more than chance.

{loads}

**Check by simulation.** Studies of this design are drawn with normal ratings and analysed as real ones would be (sums
of squares, Satterthwaite). Formula and simulation agree within .03; scales with few steps tell a little less.

**Price.** Ratings, items and raters at the prices typed, and the fixed cost. The line in the picture joins the studies
that the budget pays for, or, without one, those as dear as the chosen study. In the design in which every rater meets
both systems an item takes two ratings from each of its raters.
""".replace("{loads}", OF_LOADS.strip())
ALL_ALIKE = Loads()


@dataclass(frozen=True)
class Prices:
    """What a study costs, what may be spent (None: as much as the chosen study costs), and seconds per rating."""

    costs: StudyCosts
    currency: str
    seconds: float
    budget: float | None = None


@dataclass(frozen=True)
class Planned:
    """A plan with the variances of its basis, its power, and what it costs."""

    plan: DifferencePlan
    basis: Basis
    power: Estimate
    half_width: float
    prices: Prices
    wanted: float
    loads: Loads = ALL_ALIKE

    @property
    def price(self) -> float:
        return self.prices.costs.of(self.plan)

    @property
    def budget(self) -> float:
        """What may be spent."""
        return self.price if self.prices.budget is None else self.prices.budget

    @property
    def each(self) -> int:
        """Raters of an item."""
        return int(self.plan.per_item)

    def with_per_item(self, ratings: int) -> DifferencePlan:
        """The same plan with other ratings per item."""
        return replace(self.plan, ratings_per_item=ratings)


def planned(
    plan: DifferencePlan, basis: Basis, prices: Prices, wanted: float, loads: Loads = ALL_ALIKE
) -> Planned:
    """A plan worked out; its own variances and loads give way to those of the basis and of `loads`."""
    variances: dict[str, Any] = dict(basis.pilot.estimated)
    known = replace(plan, **variances, loads=loads.each)
    power = power_with_pilot(basis.pilot, known)
    return Planned(known, basis, power, difference_half_width(known), prices, wanted, loads)


def who(plan: DifferencePlan) -> tuple[str, Mapping[str, object]]:
    """Who rates what in a plan."""
    k = int(plan.per_item)
    words = WHO[plan.design]
    if plan.design in ("crossed", "items within") and k == plan.raters:
        words = words.replace("{k} of {raters}", "all {raters}")
    return words.replace("{raters}", "{raters}{worth}"), {
        "worth": worth(plan),
        "items": of_many(plan.items, "items"),
        "raters": of_many(plan.raters, "raters"),
        "k": count(k),
    }


def finding(one: Planned) -> list[Finding]:
    """The power of the chosen study, and what a study with the wanted power takes."""
    words, values = who(one.plan)
    power = one.power
    told = "{power}" if isnan(power.low) else "{power}</b> ({interval}, as far as the pilot knows)<b>"
    is_clear = isnan(power.low) or excludes(power, one.wanted)
    sentences = [
        clear_if(
            is_clear,
            f"With <b>{words}</b>, a difference of <b>{{d}}</b> is found with a power of "
            f"<b>{told}</b> and known to about ± {{half}}.",
            {
                **values,
                "d": decimal(one.plan.d),
                "power": chance(power.value),
                "interval": chance_between(power),
                "half": decimal(one.half_width),
            },
            for_raters("raters like these"),
        )
    ]
    if isnan(power.value):
        return [
            not_enough_data(
                "{who} leave no degrees of freedom: it takes more raters or items.",
                {"who": words.format_map(values)},
            )
        ]
    sentences.append(clear_if(is_clear, *_what_it_takes(one), for_raters("raters like these")))
    return sentences


def _what_it_takes(one: Planned) -> Sentence:
    items = items_for_power(one.plan, one.wanted)
    raters = raters_for_power(one.plan, one.wanted)
    most = power_of_plan(replace(one.plan, items=1e7)).power
    values: dict[str, object] = {
        "wanted": share(one.wanted),
        "items": of_many(items, "items") if isfinite(items) else "",
        "raters": of_many(raters, "raters") if isfinite(raters) else "",
        "most": chance(most),
    }
    more = "" if not isfinite(raters) else ", or {raters} for these items"
    if isfinite(items):
        return "For {wanted} it takes {items} with these raters" + more + ".", values
    if isfinite(raters):
        return (
            "No number of items is enough for {wanted} with these raters, who differ about the systems (at most "
            "{most}); {raters} are, for these items.",
            values,
        )
    return (
        "Neither more items nor up to 200 raters alone are enough for {wanted}: it takes more of both.",
        values,
    )


REACHES = (60, 120, 250, 500)


def reach(items: int) -> int:
    """How far the picture goes: in few steps, so that it stands still while somebody moves in it.

    >>> reach(30), reach(31), reach(500)
    (60, 120, 500)
    """
    return next((most for most in REACHES if most >= 2 * items), REACHES[-1])


def curves(one: Planned, most: int) -> dict[int, tuple[tuple[int, ...], tuple[Estimate, ...]]]:
    """Power along the number of items, by ratings per item; with the band of the pilot for the chosen one."""
    plan = one.plan
    made = {}
    for k in per_item_beside(plan.layout, int(plan.raters), one.each):
        chosen = k == one.each
        items = items_along(most, int(plan.items), fewest=2 * plan.layout.sets, points=16)
        found = power_by_items(one.basis.pilot, one.with_per_item(k), items, MOST_DRAWS if chosen else 0)
        made[k] = items, found
    return made


def paid_for(one: Planned, ratings_per_item: Sequence[int], most: int) -> list[tuple[float, float, int]]:
    """Items, power and ratings per item of the studies that the budget pays for, up to so many items."""
    points = []
    for k in ratings_per_item:
        plan = one.with_per_item(k)
        items = items_within(plan, one.prices.costs, one.budget)
        if 2 * plan.layout.sets <= items <= most:
            points.append((items, power_of_plan(replace(plan, items=items)).power, k))
    return points


BESIDE = ("Ratings per item", "Power", "Half of the interval", "Price")


def beside(one: Planned) -> Shown:
    """The studies with other ratings per item and the same items and raters."""
    plans = [one.with_per_item(k) for k in per_item_beside(one.plan.layout, int(one.plan.raters), one.each)]
    rows = pd.DataFrame(
        {
            "Ratings per item": [int(plan.per_item) for plan in plans],
            "Power": [power_of_plan(plan).power for plan in plans],
            "Half of the interval": [difference_half_width(plan) for plan in plans],
            "Price": [one.prices.costs.of(plan) for plan in plans],
            "Ratings": [int(plan.ratings) for plan in plans],
            f"Items for {share(one.wanted)}": [items_for_power(plan, one.wanted) for plan in plans],
        }
    )
    return rows, {
        "Power": lambda value: share(value, 1),
        "Half of the interval": decimal,
        "Price": lambda value: money(value, one.prices.currency),
        "Ratings": count,
        f"Items for {share(one.wanted)}": lambda value: count(value) if isfinite(value) else "–",
    }


def effort(one: Planned) -> Sentence:
    """Price, ratings and hours."""
    plan = one.plan
    ratings = plan.ratings
    return (
        "That is <b>{price}</b>: {ratings}, about {each} by each rater, {hours} hours at {seconds}\u00a0s each.",
        {
            "price": money(one.price, one.prices.currency),
            "ratings": of_many(ratings, "ratings"),
            "each": count(ratings / plan.raters),
            "hours": decimal(ratings * one.prices.seconds / HOUR, 1),
            "seconds": f"{one.prices.seconds:g}",
        },
    )


def for_the_paper(one: Planned) -> str:
    """What an application or a paper says of the size of the study."""
    words, values = who(one.plan)
    plan, power = one.plan, one.power
    tests = (
        ""
        if plan.comparisons == 1
        else f", Bonferroni-adjusted for {of_many(plan.comparisons, 'comparisons')}"
    )
    between = (
        "" if isnan(power.low) else f" (95 % interval {chance_between(power)}, from the pilot's variances)"
    )
    return (
        f"We plan {words.format_map(values)} ({of_many(plan.ratings, 'ratings')} in all). For other raters and "
        f"other items, a two-sided test at alpha = {p_value(plan.alpha)}{tests} then finds a difference of "
        f"{decimal(plan.d)} scale points between two systems with a power of {chance(power.value)}{between} "
        f"(Westfall, Kenny and Judd 2014), given {one.basis.told}."
    )


def plan_table(one: Planned) -> pd.DataFrame:
    """The plan, a row per figure, as it is handed on."""
    plan = one.plan
    rows: dict[str, object] = {
        "Design": plan.design,
        "Items": int(plan.items),
        "Raters": int(plan.raters),
        "Ratings per item": one.each,
        "Ratings": int(plan.ratings),
        "Raters' effective number": plan.effective_raters,
        "Difference": plan.d,
        "Level of the test": plan.alpha,
        "Comparisons": plan.comparisons,
        "Power": one.power.value,
        "Power, from": one.power.low,
        "Power, to": one.power.high,
        "Half of the interval of the difference": one.half_width,
        "Price": one.price,
        "Currency": one.prices.currency,
        "Hours of rating": plan.ratings * one.prices.seconds / HOUR,
        "Given": one.basis.told,
        **{f"Variance: {name.replace('_', ' ')}": value for name, value in one.basis.pilot.estimated.items()},
    }
    return pd.DataFrame({"Figure": list(rows), "Value": [str(value) for value in rows.values()]})


def largest(raters: int, design: Design) -> int:
    """The raters that an item can have."""
    plan = DifferencePlan(raters, 4, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, design)
    return most_per_item(plan.layout, raters)


def too_many(asked: int, plan: DifferencePlan) -> Sentence | None:
    """That an item cannot have as many raters as was asked for."""
    if int(plan.per_item) == asked:
        return None
    return (
        "An item cannot have {asked} of {raters} in this design; the figures are for {k}.",
        {"asked": count(asked), "raters": of_many(plan.raters, "raters"), "k": count(plan.per_item)},
    )
