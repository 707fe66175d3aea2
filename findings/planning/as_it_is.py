"""What a study as large as this one finds and how precisely: a plan for the next one that needs no setting."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isnan, nan
from typing import Any

import numpy as np
import pandas as pd

from analysis.items.rating_spread import FEWEST_RATERS
from analysis.study_planning.detectable import detectable_difference, detectable_share, spread_of_shares
from analysis.study_planning.difference import DifferencePlan
from analysis.study_planning.pilot import NO_ITEMS, NO_RATERS, TIMES_RATER, pilot
from analysis.study_planning.workloads import effective_raters
from analysis.values.estimate import BootstrapSpec, Estimate
from analysis.variance.components import Components
from analysis.variance.sources import ITEM, SYSTEM, TOPIC
from analysis.workers.polls import Poll
from features.assessments import assessments
from features.blocks import Finding
from features.plotting.numbers import count, decimal, decimal_with_interval, share
from features.study import Study
from features.tables import Shown
from features.verdicts import clear_if, excludes, not_enough_data, uncertain
from features.words import Sentence, of_many, reasons
from findings.assessors.variance_components import drawn, laid_out, without_intervals
from findings.planning.open_ratings import of_components
from findings.planning.precise import TYPICAL, Size, of_mos, of_system

POWER = 0.8
NO_SYSTEMS_HERE = "the data set does not tell which system an item is of"
FOUND = f"Difference found with {share(POWER)}"
OF_ALL = f"{FOUND}, all pairs"
HALF_MOS, HALF_SYSTEM = "± of an item's MOS", "± of a system's mean"
PREFERRED = f"Preference found with {share(POWER)}"
NOT_EVIDENCE: Sentence = (
    "This is for planning a further study of this size, not evidence about these results: power worked out afterwards "
    "adds nothing to their intervals (Hoenig and Heisey 2001).",
    {},
)


@dataclass(frozen=True)
class Again:
    """One measure by one group, as if a study of this size were carried out again.

    `topics` that all systems met, 0 where each has items of its own; `each` is how many ratings a system has of one.
    `found` is the smallest difference of two systems, `of_all` where all pairs are tested; `caution` is why both
    are rough.
    """

    group: str
    measure: str
    rated: int
    per_item: float
    raters: int
    systems: int
    half_mos: float
    half_system: float
    found: Estimate
    of_all: Estimate
    topics: int = 0
    each: float = nan
    caution: str = ""

    @property
    def size(self) -> str:
        """How large the study is, in words."""
        raters, each = of_many(self.raters, "raters"), of_many(round(self.each, 1), "ratings")
        if self.topics:
            return f"{of_many(self.topics, 'topics')}, {raters}, {each} of each system on a topic"
        items = of_many(round(self.rated / self.systems, 1), "items")
        return f"{items} of each system, {raters}, {each} per item"


def of_ratings(study: Study, measure: str) -> Again | None:
    """One measure by the candidate group; None where its variances cannot be told."""
    a = assessments(study, measure)
    made = laid_out(study, measure)
    closed = without_intervals(study, measure, made)
    if not len(a) or closed is None or closed.reason:
        return None
    rated, loads = len(np.unique(a.item)), np.unique(a.rater, return_counts=True)[1]
    raters = len(loads)
    per_item, systems = len(a) / rated, len(np.unique(a.system[a.system >= 0]))
    why = _unknown(closed, per_item) if systems > 1 else NO_SYSTEMS_HERE
    found = closed if why else drawn(study, measure, closed, BootstrapSpec(), made) or closed
    variances = replace(pilot(found), reason=why)
    topics = len(np.unique(a.topic[a.topic >= 0])) if TOPIC in closed.sources else 0
    items, each = topics or 2 * rated / max(systems, 1), per_item
    if topics and systems:
        each = len(a) / len(np.unique(np.stack([a.system, a.topic]), axis=1).T)

    known: dict[str, Any] = dict(variances.estimated)
    plan = None if why else DifferencePlan(
        raters, items, 0.0, **known, design="crossed" if topics else "items within",
        ratings_per_item=min(each, raters), loads=tuple(loads.tolist()),
    )  # fmt: skip

    def smallest(comparisons: int) -> Estimate:
        if plan is None:
            return Estimate(nan, reason=why)
        return detectable_difference(variances, replace(plan, comparisons=comparisons), POWER)

    basis = of_components(study, measure, closed)
    worth = max(round(effective_raters(loads)), 1)
    size = Size(max(round(rated / max(systems, 1)), 1), worth, max(round(per_item), 1), 0.0)
    return Again(
        study.candidate if len(study.groups) > 1 else "",
        measure,
        rated,
        per_item,
        raters,
        systems,
        of_mos(basis, replace(size, items=rated)).here,
        of_system(basis, size).here if systems else nan,
        smallest(1),
        smallest(max(systems * (systems - 1) // 2, 1)),
        topics,
        each,
        "" if plan is None else plan.caution,
    )


def _unknown(found: Components, per_item: float) -> str:
    """Why the ratings leave open how far a difference of two systems varies; "" where they do not."""
    if SYSTEM not in found.sources:
        return "systems are not told apart from the items"
    if TIMES_RATER not in found.sources:
        return NO_RATERS
    if TOPIC in found.sources and ITEM not in found.sources and round(per_item, 1) > 1:
        return NO_ITEMS
    return ""


def finding(made: Sequence[Again]) -> list[Finding]:
    """What a study of this size would find, and how precisely it would tell an item's MOS."""
    told: list[Finding] = []
    known = [one for one in made if one.found.defined]
    if known:
        low = min(known, key=lambda one: one.found.value)
        high = max(known, key=lambda one: one.found.value)
        sentence = (
            "A further study as large as this one ({size}) would find a difference of "
            "<b>{d}</b> between two systems on {measure} with a power of {power}"
        )
        sentence += "" if low is high else "; on {other} it takes {more}"
        told.append(
            clear_if(
                excludes(low.found) and excludes(high.found),
                sentence + ".",
                {
                    "size": low.size,
                    "d": decimal_with_interval(low.found),
                    "measure": _called(low),
                    "power": share(POWER),
                    "other": _called(high),
                    "more": decimal_with_interval(high.found),
                },
            )
        )
    precise = [one for one in made if not isnan(one.half_mos)]
    if precise:
        low = min(precise, key=lambda one: one.half_mos)
        high = max(precise, key=lambda one: one.half_mos)
        told.append(
            uncertain(
                "The MOS of one item would be known to about <b>±\u00a0{low}</b> ({measure}, {per} per item)"
                + ("" if low is high else " to ±\u00a0{high} ({other})")
                + ", {scope}.",
                {
                    "low": decimal(low.half_mos),
                    "high": decimal(high.half_mos),
                    "measure": _called(low),
                    "other": _called(high),
                    "per": of_many(round(low.per_item, 1), "ratings"),
                    "scope": "compared with others by the same raters"
                    if low.raters < FEWEST_RATERS
                    else TYPICAL,
                },
            )
        )
    return told or [
        not_enough_data("What a study of this size would find cannot be told from these ratings.")
    ]


def _called(one: Again) -> str:
    return f"{one.measure}, {one.group}" if one.group else one.measure


def table(made: Sequence[Again]) -> Shown:
    """A row per measure and group."""
    rows = pd.DataFrame(
        [
            {
                "Group": one.group,
                "Measure": one.measure,
                "Items": one.rated,
                "Raters": one.raters,
                "Ratings per item": one.per_item,
                HALF_MOS: one.half_mos,
                HALF_SYSTEM: one.half_system,
                FOUND: one.found.value,
                f"{FOUND} low": one.found.low,
                f"{FOUND} high": one.found.high,
                "Systems": one.systems,
                OF_ALL: one.of_all.value,
            }
            for one in made
        ]
    )
    if not any(one.group for one in made):
        rows = rows.drop(columns="Group")
    return rows, {
        **dict.fromkeys(("Items", "Raters", "Systems"), count),
        "Ratings per item": lambda value: decimal(value, 1),
        **dict.fromkeys((HALF_MOS, HALF_SYSTEM), decimal),
        FOUND: [decimal_with_interval(one.found) for one in made],
        OF_ALL: decimal,
    }


def few_columns(made: Sequence[Again]) -> tuple[str, ...]:
    """The columns that have something to say."""
    there = ["Group"] if any(one.group for one in made) else []
    there += ["Measure", "Items", "Raters", "Ratings per item", HALF_MOS]
    there += [HALF_SYSTEM] if any(one.systems for one in made) else []
    return (*there, *([FOUND, OF_ALL] if any(one.found.defined for one in made) else []))


def cautions(made: Sequence[Again]) -> list[Sentence]:
    """Where the difference is rough."""
    return [
        (
            "The difference found on {measure} is rough, since {why}: its power can be off by more than 3 points.",
            {"measure": _called(one), "why": one.caution},
        )
        for one in made
        if one.caution
    ]


def undefined(made: Sequence[Again]) -> list[Sentence]:
    """Why a difference has no figure."""
    return reasons(one.found.reason for one in made if not one.found.defined)


@dataclass(frozen=True)
class VotedAgain:
    """One comparison of two systems, as if its votes were collected again."""

    name: str
    items: int
    votes: float
    item_sd: float
    found: float
    of_all: float


def of_votes(polls: Sequence[Poll]) -> list[VotedAgain]:
    """The smallest preference that each comparison tells from a draw; answers for both or neither do not count."""
    made = []
    for poll in polls:
        first, second = ((poll.votes.choice == side) for side in (0, 1))
        chosen = np.bincount(poll.votes.item[first], minlength=poll.votes.items)
        votes = chosen + np.bincount(poll.votes.item[second], minlength=poll.votes.items)
        rated = votes > 0
        items, each = int(rated.sum()), float(votes[rated].mean()) if rated.any() else nan
        spread = spread_of_shares(chosen, votes)
        sd = 0.0 if isnan(spread) else min(spread, 0.49)

        def smallest(comparisons: int, items: int = items, each: float = each, sd: float = sd) -> float:
            return detectable_share(items, each, sd, POWER, comparisons=comparisons) if items > 1 else nan

        made.append(VotedAgain(poll.name, items, each, spread, smallest(1), smallest(len(polls))))
    return made


def votes_finding(made: Sequence[VotedAgain]) -> Finding:
    """What comparisons of this size tell from a draw."""
    known = [one for one in made if not isnan(one.found)]
    if not known:
        return not_enough_data("What comparisons of this size would find cannot be told from these votes.")
    low, high = (pick(known, key=lambda one: one.found) for pick in (min, max))
    return uncertain(
        "A further comparison as large as {name} ({items}, {votes} each for one of the two) would tell a preference of "
        "<b>{found}</b> from a draw with a power of {power}"
        + ("." if low is high else "; {other} it takes {more}."),
        {
            "name": low.name,
            "items": of_many(low.items, "items"),
            "votes": of_many(round(low.votes, 1), "votes"),
            "found": share(low.found, 1),
            "power": share(POWER),
            "other": f"as large as {high.name}",
            "more": share(high.found, 1),
        },
    )


def votes_table(made: Sequence[VotedAgain]) -> Shown:
    """A row per comparison."""
    rows = pd.DataFrame(
        {
            "Comparison": [one.name for one in made],
            "Items": [one.items for one in made],
            "Votes per item": [one.votes for one in made],
            "Items differ by (SD)": [one.item_sd for one in made],
            PREFERRED: [one.found for one in made],
            f"{PREFERRED}, all pairs": [one.of_all for one in made],
        }
    )
    written: Mapping[str, Callable[[Any], str]] = {
        "Items": count,
        "Votes per item": lambda value: decimal(value, 1),
        "Items differ by (SD)": decimal,
        **dict.fromkeys((PREFERRED, f"{PREFERRED}, all pairs"), lambda value: share(value, 1)),
    }
    return rows, dict(written)
