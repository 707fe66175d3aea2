"""Findings and tables of "Items": items on which raters disagree, items that are possibly faulty, and single items."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.items.disagreement import FEWEST_RATERS, FEWEST_RATINGS, Disagreement, Discrimination
from analysis.values.estimate import Estimate, shorten
from features.blocks import (
    MAIN,
    Finding,
    NextStep,
    Note,
    Table,
    capitalized,
    clear,
    confidence_interval,
    for_raters,
    not_applicable,
    not_enough_data,
    too_few,
)
from features.items.results import LEVEL, ItemList, ItemRatings, spread_of_items
from features.plotting.theme import count, decimal, decimal_with_interval, p_value
from features.study import Study
from features.words import UNNAMED, Column, WhenAsked, counted, listed, raters_named, table_of

LIST, MEANS, RATINGS = "item list", "item means", "ratings"
"""Names of the tables."""
SCOPE = for_raters("raters like these")
"""An item's raters are taken as drawn at random."""
FEWEST_OF_MEAN = 5
"""Ratings below which no mean is stated in a headline."""
ABOUT = ("system", "topic", "condition", "split")
ALL_ITEMS = NextStep("List all items", "items.py")
SD, R = "SD of its ratings", "r with agreement"
P_SD, P_R = "p of disagreement (Holm)", "p of r (Holm)"


def named(kind: str, name: object) -> str:
    """Return the name of an item or a rater as a headline has it.

    >>> named("Item", "clip 3"), named("Item", "item 3")
    ('Item clip 3', 'Item 3')
    """
    text = str(name)
    return capitalized(text) if text.casefold().startswith(kind.casefold()) else f"{kind} {text}"


def no_items(measure: str) -> Finding:
    """Return the finding of a measure without ratings by the candidate."""
    return not_enough_data("The chosen group has no ratings on {measure}.", {"measure": measure})


def exclusion_finding(study: Study, measure: str = "") -> Iterator[Finding]:
    """Yield what the exclusion changes for a measure's items, or that raters are excluded; nothing without any."""
    who = {"who": raters_named(study.dataset.without)}
    if not study.dataset.without:
        return
    found = not_applicable("Ratings by {who} are excluded.", who)
    both = (study, study.everyone) if measure else ()
    each = [spread_of_items(one, measure).p for one in both]
    if each and min(np.isfinite(p).sum() for p in each) > 1:
        after, before = (int((p < LEVEL).sum()) for p in each)
        items = counted(after, "item") if after else "no item"
        headline = f"Without {{who}}, {{items}} {'stands' if after < 2 else 'stand'} out for disagreement."
        change = f"with everyone {count(before) if before else 'none'}"
        found = clear(headline, {**who, "items": items}, change, "in these ratings")
    yield replace(found, name="exclusion")


def disagreement_finding(found: ItemList, name: str = MAIN) -> Finding:
    """Return how many items stand out for disagreement, and the clearest of them."""
    spread, values = found.spread, {"measure": found.spec.measure}
    asked = int((~np.isnan(spread.p)).sum())
    tested = f"{counted(asked, 'item')} with at least {FEWEST_RATINGS} ratings"
    adjusted = f"adjusted for {counted(asked, 'test')}"
    if asked < 2:
        there = f"{counted(asked, 'item')} with {FEWEST_RATINGS} ratings"
        step = NextStep("Plan more ratings", "planning.py")
        return too_few("compare disagreement on {measure}", values, there, 2, next_step=step, name=name)
    out = np.flatnonzero(found.is_disputed)
    if not len(out):
        headline = "No item stands out for disagreement on {measure}."
        return clear(headline, values, tested, adjusted, SCOPE, name=name)
    first = int(out[np.lexsort((-spread.sd[out], spread.p[out]))[0]])
    stand = "stands" if len(out) == 1 else "stand"
    return clear(
        f"{{out}} of {{items}} items {stand} out for disagreement on {{measure}}.",
        {**values, "out": len(out), "items": count(asked)},
        f"Most clearly {shorten(found.names[first])}: SD {decimal(spread.sd[first])}",
        confidence_interval(_sd(spread, first)),
        counted(int(spread.ratings[first]), "rating"),
        f"SD of the other items {decimal(spread.others[first])}",
        adjusted,
        SCOPE,
        name=name,
    )


def faults_finding(found: ItemList, name: str = MAIN) -> Finding:
    """Return how many items are possibly faulty, and the clearest of them."""
    faults, ratings = found.faults, counted(int(found.spread.ratings.sum()), "rating")
    if not found.were_searched:
        pending = f"The search reads each of {ratings}", "choose Possibly faulty to start it"
        return not_applicable("Faulty items were not searched for.", {}, *pending, name=name)
    asked = int((~np.isnan(faults.p)).sum())
    adjusted = f"adjusted for {counted(asked, 'test')}"
    if not asked:
        there = f"at most {counted(int(faults.raters.max(initial=0)), 'usable rater')} of an item"
        line, step = (
            f"Each must rate {FEWEST_RATERS} further items",
            NextStep("Plan more raters", "planning.py"),
        )
        return too_few("find faulty items", {}, there, FEWEST_RATERS, line, next_step=step, name=name)
    out = np.flatnonzero(found.is_faulty)
    if not len(out):
        line = f"The most consistent raters rate none of the {count(asked)} unexpectedly"
        return clear("No item is possibly faulty.", {}, line, adjusted, SCOPE, name=name)
    first = int(out[np.argmin(faults.p[out])])
    return clear(
        f"{{out}} of {{items}} items {'is' if len(out) == 1 else 'are'} possibly faulty.",
        {"out": len(out), "items": count(asked)},
        f"Most clearly {shorten(found.names[first])}: r = {decimal(faults.r[first])}",
        confidence_interval(_r(faults, first)),
        counted(int(faults.raters[first]), "rater"),
        f"consistent raters rate it {'lower' if faults.r[first] < 0 else 'higher'} than predicted",
        adjusted,
        SCOPE,
        name=name,
    )


def shown_note(found: ItemList) -> Iterator[Note]:
    """Yield how many items have the MOS that was asked for, where the others are not shown."""
    shown = found.is_shown
    if not shown.all():
        values = {"some": count(int(shown.sum())), "items": counted(len(shown), "item")}
        yield Note(("{some} of {items} have the MOS asked for and are shown; findings are on all.", values))


def items_table(found: ItemList, places: NDArray[np.int64] | None = None) -> Table:
    """Return the table of the items shown, or of those at some places, those first that stand out most."""
    spread, at = found.spread, found.rows if places is None else places
    faults = found.faults
    by_faults = found.spec.order == "faults"
    order = at.tolist()
    return table_of(
        LIST,
        ("Items by {measure}, those first that stand out most.", {"measure": found.spec.measure}),
        [
            Column("Item", found.names[at]),
            Column("Ratings", spread.ratings[at], count, not by_faults),
            Column("MOS", spread.mean[at], decimal),
            Column(
                SD,
                spread.sd[at],
                WhenAsked(lambda place: decimal_with_interval(_sd(spread, place)), order),
                not by_faults,
            ),
            Column("SD of the others", spread.others[at], decimal, False),
            Column(P_SD, spread.p[at], p_value, not by_faults),
            Column(
                R,
                faults.r[at],
                WhenAsked(lambda place: decimal_with_interval(_r(faults, place), 3), order),
                by_faults,
            ),
            Column("Raters", faults.raters[at], count, by_faults),
            Column(P_R, faults.p[at], p_value, by_faults),
        ],
    )


def can_stand_out(found: ItemList) -> bool:
    """Return True where some item was tested."""
    return bool((~np.isnan([found.faults.p, found.spread.p])).any())


def _sd(found: Disagreement, at: int) -> Estimate:
    return Estimate(found.sd[at], found.low[at], found.high[at], int(found.ratings[at]))


def _r(found: Discrimination, at: int) -> Estimate:
    return Estimate(found.r[at], found.low[at], found.high[at], int(found.raters[at]))


def item_finding(found: ItemRatings, candidate: str, has_persons: bool = True) -> Finding:
    """Return an item's MOS where it has one measure, else how many ratings it has."""
    ratings, values = len(found.rows["score"]), {"item": named("Item", found.name)}
    if not ratings:
        values = {"item": found.name}
        line = "The name may differ, or its ratings are filtered out or excluded"
        return not_enough_data("No rating of an item {item} was found.", values, line, next_step=ALL_ITEMS)
    known = [
        f"{column} {shorten(found.about[column][0])}"
        for column in ABOUT
        if len(found.about[column]) and found.about[column][0]
    ]
    means = sorted(found.cells, key=lambda cell: cell[1] != candidate)
    raters = counted(len(np.unique(found.rows["rater"])), "rater") if has_persons else UNNAMED
    if len({measure for measure, _, _ in means}) == 1 and means[0][2].n >= FEWEST_OF_MEAN:
        (measure, group, mos), others = means[0], means[1:]
        return clear(
            "{item} has a MOS of <b>{mos}</b> by {group}.",
            {**values, "mos": decimal(mos.value), "group": group},
            confidence_interval(mos),
            counted(mos.n, "rating"),
            *(f"{shorten(other)} {decimal_with_interval(one)}" for _, other, one in others),
            shorten(measure),
            *known,
            SCOPE,
        )
    return not_applicable(
        "{item} has {ratings}.", {**values, "ratings": counted(ratings, "rating")}, raters, *known
    )


def means_table(found: ItemRatings) -> Table:
    """Return the item's MOS by measure and group."""
    of, effective = [mos for _, _, mos in found.cells], list(found.effective.values())
    return table_of(
        MEANS,
        "MOS of the item by measure and group.",
        [
            Column("Measure", [measure for measure, _, _ in found.cells]),
            Column("Group", [group for _, group, _ in found.cells]),
            Column("MOS", [mos.value for mos in of], [decimal_with_interval(mos) for mos in of]),
            Column("Ratings", [mos.n for mos in of], count),
            *([Column("Effective n", effective, decimal)] if effective else []),
        ],
    )


def rater_finding(rater: str, rows: Mapping[str, Any]) -> Finding:
    """Return how many ratings a rater gave."""
    if not len(rows["score"]):
        line = "The name may differ, or their ratings are filtered out or excluded"
        values = {"rater": rater}
        return not_enough_data("No rating by a rater {rater} was found.", values, line, next_step=ALL_ITEMS)
    return not_applicable(
        "{rater} gave {ratings}.",
        {"rater": named("Rater", rater), "ratings": counted(len(rows["score"]), "rating")},
        counted(len(np.unique(rows["item"])), "item"),
        listed(list(dict.fromkeys(rows["group"].tolist()))),
        listed(list(dict.fromkeys(rows["measure"].tolist()))),
    )


def ratings_table(rows: Mapping[str, Any], of: str) -> Table:
    """Return every rating of an item (`of` "rater") or by a rater (`of` "item"), in the file's order."""
    columns = [
        Column(of.capitalize(), rows[of]),
        Column("Group", rows["group"]),
        Column("Measure", rows["measure"]),
        Column("Score", rows["score"], "{:g}".format),
    ]
    if "weight" in rows and len({*rows["weight"].tolist()}) > 1:
        columns.append(Column("Weight", rows["weight"], "{:g}".format))
    if "others" in rows:
        columns.append(Column("Mean of the others", rows["others"], decimal))
        columns.append(Column("Difference", rows["score"] - rows["others"], decimal))
    if (rows["moment"] != "").any():
        columns.append(Column("When", rows["moment"], at_first_sight=False))
    return table_of(
        RATINGS, "Every rating of the item." if of == "rater" else "Every rating by the rater.", columns
    )
