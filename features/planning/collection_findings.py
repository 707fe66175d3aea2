"""Further ratings to collect: verdict, tables and notes."""

from collections.abc import Iterator
from functools import partial
from math import isfinite, isnan

import numpy as np

from analysis.planning.collection import STRATEGIES, Strategy
from features.blocks import (
    Finding,
    NextStep,
    Note,
    Table,
    clear,
    clear_if,
    confidence_interval,
    excludes,
    for_raters,
    not_enough_data,
    uncertain,
)
from features.planning.collection_results import (
    ALL_SYSTEMS,
    ITEMS,
    RELIABILITY,
    TWO_SYSTEMS,
    CollectionFound,
    RatingsSource,
)
from features.planning.figures import Axes
from features.plotting.numbers import count, decimal
from features.words import Column, counted, table_of, with_interval

NAMES: dict[Strategy, str] = {"as so far": "as so far", "evenly": "evenly", "targeted": "targeted"}
SUBJECTS = {
    ITEMS: "every item's mean",
    RELIABILITY: "the reliability of item means",
    ALL_SYSTEMS: "differences of systems",
    TWO_SYSTEMS: "the difference of the two systems",
}
FEW_SHOWN = 200
"""Rows of the table of assignments on a page; the download has all."""


def write_value(found: CollectionFound, value: float) -> str:
    """Return a value of the goal as its headline has it."""
    return decimal(value) if found.spec.goal == RELIABILITY else f"±\u00a0{decimal(value)}"


def collection_finding(found: CollectionFound) -> Finding:
    """Return whether the goal is reached, else what the chosen further ratings bring."""
    spec, source = found.spec, found.source
    subject = SUBJECTS[spec.goal]
    if not found.plans:
        step = NextStep("Plan a pilot", "planning.py", {"plan": "How precise?"})
        headline = "Not enough data to say which ratings to collect next."
        return not_enough_data(headline, {}, source.reason, next_step=step)
    write, wanted = partial(write_value, found), write_value(found, found.wanted)
    size = _size(found)
    if found.is_reached:
        return clear(
            "The goal for {subject} is reached: <b>{now}</b>.",
            {"subject": subject, "now": write(source.now)},
            f"Wanted {wanted}",
            *size,
        )
    after, n = found.after, len(found.plan)
    values = {
        "n": count(n),
        "how": _HOW[spec.strategy],
        "subject": subject,
        "after": write(after.value),
    }
    if not n:
        headline = "Nobody may rate any more: allow new raters or more ratings per rater."
        return uncertain(headline, {}, f"Now {write(source.now)}", f"wanted {wanted}", *size)
    needed = found.needed(spec.strategy)
    line = [
        confidence_interval(after, decimal),
        *size,
        f"now {write(source.now)}",
        *(
            f"{NAMES[one]} {write(found.curves[one][1][-1].value)}"
            for one in STRATEGIES
            if one != spec.strategy
        ),
        f"for {wanted}: {_needs(found, needed)}",
    ]
    headline = "{n} further ratings, {how}, bring {subject} to <b>{after}</b>."
    return clear_if(excludes(after, found.wanted) or isnan(after.low), headline, values, *line)


_HOW = {"as so far": "collected as so far", "evenly": "spread evenly", "targeted": "targeted"}


def _needs(found: CollectionFound, needed: float) -> str:
    if isfinite(needed):
        return f"about {count(needed)}"
    if not found.source.rises and found.source.limit >= found.wanted:
        return "no number of ratings of these items, it needs new items"
    return f"more than {count(len(found.plan))}"


def _size(found: CollectionFound) -> list[str]:
    source = found.source
    assert isinstance(source, RatingsSource)
    told = [counted(len(source.units), "item")]
    if len(source.of_raters):
        told.append(counted(len(source.of_raters), "rater"))
    if source.means.spread.compares_only and found.spec.goal == ITEMS:
        told.append("for items compared by the same raters")
    if source.differences is not None:
        told.append(for_raters(source.differences.scope))
    return told


def axes_of(found: CollectionFound) -> Axes:
    """Return the axes of the figure, its curves named by their strategies."""
    after, rises = found.after.value, found.source.rises
    values = [one.value for _, curve in found.curves.values() for one in curve]
    return Axes(
        "Further ratings",
        "Reliability" if rises else "± (half of the 95% interval)",
        as_share=False,
        marked=write_value(found, after),
        wanted=found.wanted,
        highest=1.0 if rises else 1.15 * max(*values, found.wanted),
        names=tuple(NAMES[one] for one in STRATEGIES),
        goal=f"goal {write_value(found, found.wanted)}",
    )


def strategies_table(found: CollectionFound) -> Table:
    """Return what each strategy brings, and whether raters so far or new ones bring more."""
    rows = [(NAMES[one].capitalize(), found.plans[one], found.curves[one][1][-1]) for one in STRATEGIES]
    rows += [(f"Targeted, {raters} only", plan, one) for raters, (plan, one) in found.who.items()]
    needed = [found.needed(one) for one in STRATEGIES] + [np.nan] * len(found.who)
    return table_of(
        "strategies",
        "What further ratings bring, by how they are chosen and by whom.",
        [
            Column("Strategy", [name for name, _, _ in rows]),
            Column("Ratings", [len(plan) for _, plan, _ in rows], count),
            Column("New raters", [plan.new_raters for _, plan, _ in rows], count),
            Column(
                "Reliability" if found.source.rises else "±",
                [one.value for _, _, one in rows],
                [with_interval(one, decimal) for _, _, one in rows],
            ),
            Column(
                "Enough at", needed, lambda n: "–" if isnan(n) else count(n) if isfinite(n) else "more", False
            ),
        ],
    )


def assignments_table(found: CollectionFound) -> Table:
    """Return each item's further ratings of the chosen strategy, and its half-width before and after."""
    source, plan = found.source, found.plan
    more = np.bincount(plan.item, minlength=len(source.units))
    new = np.bincount(plan.item[plan.rater >= plan.known], minlength=len(source.units))
    before, after = source.each(plan)
    order = np.lexsort((np.arange(len(more)), -more))[: int((more > 0).sum())][:FEW_SHOWN]
    columns = [
        Column("Item", source.units[order].tolist()),
        Column("Ratings so far", source.base[order].astype(int).tolist(), count),
        Column("Further", more[order].tolist(), count),
        Column("By new raters", new[order].tolist(), count),
    ]
    if not np.isnan(before).all():
        columns += [
            Column("± now", before[order].tolist(), decimal),
            Column("± after", after[order].tolist(), decimal),
        ]
    return table_of("assignments", "Further ratings by item, the items with most first.", columns)


def advice(found: CollectionFound) -> Iterator[Note]:
    """Yield whether new raters or more ratings per rater help more."""
    if len(found.who) < 2 or found.is_reached:
        return
    so_far, new = (found.who[raters] for raters in ("raters so far", "new raters"))
    values: dict[str, object] = {
        "so_far": write_value(found, so_far[1].value),
        "new": write_value(found, new[1].value),
        "n": count(len(so_far[0])),
    }
    if len(so_far[0]) < len(new[0]):
        text = "Raters so far can give {n} of these ratings only ({so_far}); new raters bring {new}."
    elif abs(so_far[1].value - new[1].value) < 0.02 * max(found.source.now, 1e-12):
        text = "New raters bring as much as more ratings by the raters so far ({new} and {so_far})."
    elif (new[1].value > so_far[1].value) == found.source.rises:
        text = "New raters bring more ({new}) than more ratings by the raters so far ({so_far})."
    else:
        text = "More ratings by the raters so far bring more ({so_far}) than new raters ({new})."
    yield Note((text, values))


def collection_notes(found: CollectionFound) -> Iterator[Note]:
    """Yield what the choice of items does to averages, and of how many items this is."""
    source = found.source
    assert isinstance(source, RatingsSource)
    if len(source.units) < source.items_of and found.spec.goal in (ITEMS, RELIABILITY):
        text = "Of {all} items, {drawn} drawn at random are considered (seed {seed})."
        yield Note((text, {"all": count(source.items_of), "drawn": count(len(source.units)), "seed": "0"}))
    yield Note(
        (
            "Items that get more ratings because their ratings vary more pull a plain average of all ratings towards "
            "them. Average items' means instead, which weighs each rating by 1 over the ratings of its item.",
            {},
        )
    )
