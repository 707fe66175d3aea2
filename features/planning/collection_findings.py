"""Further judgments to collect: verdict, axes, tables and notes."""

from collections.abc import Iterator
from functools import partial
from math import isfinite, isnan, nan

import numpy as np
import pandas as pd

from analysis.items.rating_spread import FEWEST_RATINGS
from analysis.planning.collection import STRATEGIES, Strategy
from analysis.planning.promises import RepeatsSource
from analysis.values.estimate import shorten
from features.blocks import (
    Finding,
    NextStep,
    Note,
    Table,
    Warning,
    clear_if,
    confidence_interval,
    name_of,
    not_enough_data,
    uncertain,
)
from features.planning.collection_results import (
    ALL_SYSTEMS,
    CONSISTENCY,
    ITEMS,
    LABELS_RIGHT,
    RELIABILITY,
    SCALE,
    TWO_ON_SCALE,
    TWO_SYSTEMS,
    CollectionFound,
    Kept,
)
from features.planning.figures import Axes
from features.plotting.theme import (
    PERCENT_ONE_DIGIT,
    NumberFormat,
    as_typed,
    count,
    decimal,
    estimate_in_table,
    share,
)
from features.words import Column, counted, table_of, why_column

SUBJECTS = {
    ITEMS: "every item's mean",
    RELIABILITY: "the reliability of item means",
    ALL_SYSTEMS: "differences of systems",
    TWO_SYSTEMS: "the difference of the two systems",
    SCALE: "differences on the scale",
    TWO_ON_SCALE: "the difference of the two systems",
    LABELS_RIGHT: "the share of right labels",
}
CHOSEN: dict[Strategy, str] = {
    "as before": "Further {word} as before",
    "evenly": "Further evenly spread {word}",
    "targeted": "Further targeted {word}",
}
UNITS = {SCALE: "Pair", TWO_ON_SCALE: "Pair"}
HEADS = {RELIABILITY: "Reliability", LABELS_RIGHT: "Right labels"}
FEW_SHOWN = 200
"""Rows of the table of assignments on a page; the download has all."""


def word_of(found: CollectionFound) -> str:
    """Return what judgments are called under the goal."""
    if found.spec.goal == LABELS_RIGHT:
        return "votes"
    return "comparisons" if found.spec.goal in UNITS else "ratings"


def subject_of(found: CollectionFound) -> str:
    if isinstance(found.source, RepeatsSource):
        rater = name_of(shorten(str(found.source.raters[0])), "rater")
        return f"the consistency of {rater[:1].lower()}{rater[1:]}"
    return SUBJECTS[found.spec.goal]


def number_of(found: CollectionFound) -> NumberFormat:
    """Return how a figure of the goal is written, without its unit."""
    if found.spec.goal == LABELS_RIGHT:
        return PERCENT_ONE_DIGIT
    return partial(decimal, digits=digits_of(found))


def digits_of(found: CollectionFound) -> int:
    """Return the decimals of a figure of the goal that is no share."""
    if found.spec.goal in (ITEMS, ALL_SYSTEMS, TWO_SYSTEMS):
        return found.score_digits
    return 1 if found.spec.goal in UNITS else 2


def write_value(found: CollectionFound, value: float) -> str:
    """Return a figure of the goal as its headline has it."""
    return _with_unit(found, number_of(found)(value))


def write_goal(found: CollectionFound) -> str:
    """Return what is wanted, as the visitor typed it."""
    if found.spec.goal == LABELS_RIGHT:
        return f"{as_typed(100 * found.wanted)}%"
    return _with_unit(found, as_typed(found.wanted))


def _with_unit(found: CollectionFound, number: str) -> str:
    if found.source.rises:
        return number
    return f"±\u00a0{number}" + (" points" if found.spec.goal in UNITS else "")


def collection_finding(found: CollectionFound) -> Finding:
    """Return whether the goal is reached, else what the chosen further judgments bring."""
    spec, source = found.spec, found.source
    if not found.plans:
        headline = "Not enough data to say what to collect next."
        step = NextStep("Plan a pilot", "planning.py", {"plan": "How precise?"})
        return not_enough_data(headline, {}, source.reason, next_step=step)
    subject = subject_of(found)
    write, wanted = partial(write_value, found), write_goal(found)
    assumed = "" if source.errors_known else "only if raters share no errors"
    if found.is_reached:
        line = f"Now {write(source.now)}", f"wanted {wanted}", *source.size
        headline = f"The goal for {{subject}} is reached{'' if source.errors_known else ' if raters share no errors'}."
        return clear_if(source.errors_known, headline, {"subject": subject}, *line)
    after, n = found.after, len(found.plan)
    if not n:
        headline = "Nobody may judge any more: allow new raters or more per rater."
        return uncertain(headline, {}, f"Now {write(source.now)}", f"wanted {wanted}", *source.size)
    if not after.defined:
        headline = "Not enough data to say what further {word} bring to {subject}."
        values = {"word": word_of(found), "subject": subject}
        line = f"Now {write(source.now)}", f"wanted {wanted}", *source.size
        return not_enough_data(headline, values, f"Expected: {after.reason}", *line)
    line = (
        confidence_interval(after, number_of(found)),
        f"{count(n)} further {word_of(found)}",
        *source.size,
        f"now {write(source.now)}",
        f"for {wanted}: {_needs(found, found.needed(spec.strategy))}",
        assumed,
    )
    values = {
        "word": word_of(found),
        "subject": subject,
        "after": write(after.value),
    }
    chosen = "Further {word}" if _is_equally_good(found) else CHOSEN[spec.strategy]
    however = ", however chosen." if _is_equally_good(found) else "."
    gains = after.value > source.now if source.rises else after.value < source.now
    headline = f"{chosen} bring {{subject}} to <b>{{after}}</b>{however}"
    if spec.goal == LABELS_RIGHT:
        headline = f"{chosen} make <b>{{after}}</b> of labels right{however}"
    if not (gains or isnan(source.now)):
        headline = f"{chosen} do not clearly improve {{subject}}{however}"
        line = f"Expected {values['after']}", *line
    settled = all(after.excludes(one) or isnan(one) for one in (found.wanted, source.now)) or isnan(after.low)
    return clear_if(settled and source.errors_known, headline, values, *line)


def _is_equally_good(found: CollectionFound) -> bool:
    """Return True where equally many judgments bring the same under each strategy: the same text, or the same two
    digits of a half-width of scores, however long their scale."""
    of_scores = found.spec.goal in (ITEMS, ALL_SYSTEMS, TWO_SYSTEMS)
    ends = {
        (x[-1], f"{curve[-1].value:.2g}" if of_scores else write_value(found, curve[-1].value))
        for x, curve in found.curves.values()
    }
    return len(ends) == 1


def promise_finding(found: CollectionFound, kept: Kept) -> Finding:
    """Return whether the judgments since the version before brought what was promised of as many."""
    low, high = kept.promise.low, kept.promise.high
    better = kept.now > high if found.source.rises else kept.now < low
    worse = kept.now < low if found.source.rises else kept.now > high
    outcome = "more than promised" if better else "less than promised" if worse else "as promised"
    return clear_if(
        not isnan(low),
        "Further {word} brought {subject} to <b>{now}</b>, {told}.",
        {
            "word": word_of(found),
            "subject": subject_of(found),
            "now": write_value(found, kept.now),
            "told": outcome,
        },
        f"Promised {write_value(found, kept.promise.value)}",
        confidence_interval(kept.promise, number_of(found)),
        f"{count(kept.n)} {word_of(found)} more than in the version before",
        name="promise",
    )


def _needs(found: CollectionFound, needed: float) -> str:
    if isfinite(needed):
        return f"about {count(needed)}"
    if not found.source.rises and found.source.limit >= found.wanted:
        return "no number of ratings of these items, it needs new items"
    if found.source.rises and found.source.limit < found.wanted:
        return "no number of votes, since raters share errors"
    return f"more than {count(len(found.plan))}"


def axes_of(found: CollectionFound) -> Axes:
    goal, rises = found.spec.goal, found.source.rises
    values = [one.value for _, curve in found.curves.values() for one in curve if one.defined]
    title = "± (half-width of the 95% CI)" + (", percentage points" if goal in UNITS else "")
    return Axes(
        f"Further {word_of(found)}",
        HEADS.get(goal, title),
        as_share=goal == LABELS_RIGHT,
        marked=write_value(found, found.after.value),
        wanted=found.wanted,
        highest=1.0 if rises else 1.15 * max(*values, found.wanted),
        names=tuple(STRATEGIES),
        goal=f"goal {write_goal(found)}",
        lowest=max(0.0, 2 * min(*values, found.wanted) - 1) if rises else 0.0,
        digits=digits_of(found),
    )


def strategies_table(found: CollectionFound) -> Table:
    rows = [(one.capitalize(), found.plans[one], found.curves[one][1][-1]) for one in STRATEGIES]
    by = {raters: each for raters, each in found.by_raters.items() if len(each[0])}
    rows += [(f"Targeted, {raters}", plan, one) for raters, (plan, one) in by.items()]
    needed = [found.needed(one) for one in STRATEGIES] + [nan] * len(by)
    texts = [estimate_in_table(one, number_of(found)) for *_, one in rows]
    why = why_column([one] for *_, one in rows)
    further = [len(plan) for _, plan, _ in rows]
    new = Column("New raters", [plan.new_raters for _, plan, _ in rows], count)

    def enough(n: float) -> str:
        return count(n) if isfinite(n) else "–" if isnan(n) else "more"

    return table_of(
        "strategies",
        "What further judgments bring, by how they are chosen and by whom.",
        [
            Column("Strategy", [name for name, *_ in rows]),
            Column(f"Further {word_of(found)}", further, count, len({*further}) > 1),
            *([] if found.spec.goal == CONSISTENCY else [new]),
            Column(HEADS.get(found.spec.goal, "Half-width"), [one.value for *_, one in rows], texts),
            Column("Goal reached at", needed, list(map(enough, needed)), False),
            *([why] if any(why.values) else []),
        ],
    )


def assignments_table(found: CollectionFound) -> Table:
    """Return the further judgments of each unit under the chosen strategy, and its figure before and after."""
    source, plan, units = found.source, found.plan, len(found.source.units)
    if isinstance(source, RepeatsSource):
        return _topics_table(found, source)
    more = np.bincount(plan.item, minlength=units)
    new = np.bincount(plan.item[plan.rater >= plan.known], minlength=units)
    before, after = source.each(plan)
    order = np.lexsort((np.arange(units), -more))[: min(int((more > 0).sum()), FEW_SHOWN)]
    columns = [
        Column(UNITS.get(found.spec.goal, "Item"), source.units[order].tolist()),
        Column("So far", source.counts[order].astype(int).tolist(), count),
        Column("Further", more[order].tolist(), count),
        *([Column("By new raters", new[order].tolist(), count)] if new.any() else []),
    ]
    if not np.isnan(before).all():
        label, write = (
            ("Right", share) if found.spec.goal == LABELS_RIGHT else ("Half-width", number_of(found))
        )
        columns += [
            Column(f"{label} now", before[order].tolist(), write),
            Column(f"{label} expected", after[order].tolist(), write),
        ]
    unit = UNITS.get(found.spec.goal, "Item").casefold()
    return table_of("assignments", f"Further {word_of(found)} by {unit}, most first.", columns)


def _topics_table(found: CollectionFound, source: RepeatsSource) -> Table:
    topic = source.own.topic
    so_far = np.bincount(topic[source.own.counts > 1], minlength=len(source.topics))
    chosen = topic[found.plan.item]
    order = list(dict.fromkeys(chosen.tolist()))
    further = np.bincount(chosen, minlength=len(source.topics))[order]
    columns = [
        Column("Topic" if source.has_topics else "Item", source.topics[order].tolist()),
        Column("Judged twice so far", so_far[order].tolist(), count),
        Column("Further", further.tolist(), count),
    ]
    return table_of("assignments", "Topics to judge again, the first to collect first.", columns)


def assignments_note(found: CollectionFound, rows: pd.DataFrame) -> tuple[str, dict[str, object]]:
    """Return what is in the file of assignments, and what is done with it."""
    word, raters, new = word_of(found), rows["rater_id"].nunique(), found.plan.new_raters
    values: dict[str, object] = {
        "n": counted(len(rows), word.removesuffix("s")),
        "raters": counted(raters, "new rater" if raters == new else "rater"),
        "new": count(new),
    }
    some = ", {new} new" if 0 < new < raters else ""
    return f"{{n}} by {{raters}}{some}. Fill in the file, then add it on the Data page.", values


def collection_notes(found: CollectionFound) -> Iterator[Note | Warning]:
    """Yield warnings about rough promises and shifted averages where the goal is not reached."""
    source = found.source
    if found.spec.goal == ITEMS:
        after = source.counts + np.bincount(found.plan.item, minlength=len(source.units))
        if ((source.counts < FEWEST_RATINGS) & (after >= FEWEST_RATINGS)).any():
            yield Warning((FIRST_VARIANCES, {}))
    if found.spec.goal in (ITEMS, RELIABILITY) and len(source.units) < source.of:
        text = "Of {all} items, {drawn} drawn at random are considered (seed 0)."
        yield Note((text, {"all": count(source.of), "drawn": count(len(source.units))}))
    if isinstance(source, RepeatsSource):
        if len(found.plan):
            yield _raised_alpha(found, source)
        return
    yield Note((_AVERAGES.get(found.spec.goal, _OF_RATINGS), {}))
    if found.spec.goal == RELIABILITY and found.spec.strategy == "targeted":
        yield Note((NOISY_ITEMS, {}))


FIRST_VARIANCES = (
    "Some items reach 5 ratings only with this plan. From 5 ratings on, an item has a separate variance; items with "
    "fewer share one. The expected precision of such items is rough: its interval held in 88 of 100 simulated studies."
)
NOISY_ITEMS = (
    "Afterwards Agreement gives less than promised, by about 0.01 in simulated studies: noisy items then have most of "
    "the ratings, and count most in it."
)
_OF_RATINGS = "Targeted items have more ratings than others: average the items' means, not all ratings."
_OF_PAIRS = "Targeted pairs are compared more often than others. Report the scale, not win rates."
_AVERAGES = {
    SCALE: _OF_PAIRS,
    TWO_ON_SCALE: _OF_PAIRS,
    LABELS_RIGHT: "Targeted items are the unsure ones. Count each item's label once, not all votes.",
}


def _raised_alpha(found: CollectionFound, source: RepeatsSource) -> Note:
    """Return what the choice of topics does to alpha itself."""
    chosen, even = (source.both(found.plans[one])[1] for one in ("targeted", "evenly"))
    text = (
        "Targeted topics raise alpha itself, to {chosen} instead of {even} on topics spread evenly. Compare raters on "
        "topics chosen in the same way."
    )
    return Note((text, {"chosen": decimal(chosen.value), "even": decimal(even.value)}))
