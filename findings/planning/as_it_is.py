"""What a study as large as this one finds and how precisely: a plan for the next one that needs no setting."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isnan, nan
from typing import Any

import numpy as np
import pandas as pd

from analysis.items.rating_spread import FEWEST_RATERS
from analysis.planning.detectable import detectable_share, spread_of_shares
from analysis.planning.workloads import effective_raters
from analysis.values.estimate import Estimate
from analysis.values.scope import Scope, default_scope
from analysis.variance.sources import TOPIC
from analysis.workers.polls import Poll
from features.assessments import assessments
from features.blocks import Finding
from features.exclusion import system_differences
from features.plotting.numbers import count, decimal, share
from features.study import Scenario, Study
from features.tables import Shown
from features.variance_components import laid_out, without_intervals
from features.verdicts import not_enough_data, uncertain
from features.words import Sentence, of_many, reasons
from findings.planning.open_ratings import of_components
from findings.planning.precise import TYPICAL, Size, of_mos, of_system

POWER = 0.8
NO_SYSTEMS_HERE = "the data set does not tell which system an item is of"
FOUND = f"Difference found with {share(POWER)}, all pairs"
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
    `found` is the difference of two systems that the comparison of all pairs finds, for the raters of `scope`.
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
    scope: Scope
    topics: int = 0
    each: float = nan

    @property
    def size(self) -> str:
        """How large the study is, in words."""
        raters, each = of_many(self.raters, "raters"), of_many(round(self.each, 1), "ratings")
        if self.topics:
            return f"{of_many(self.topics, 'topics')}, {raters}, {each} of each system on a topic"
        items = of_many(round(self.rated / self.systems, 1), "items")
        return f"{items} of each system, {raters}, {each} per item"


def of_ratings(study: Study, measure: str, scope: Scope | None = None) -> Again | None:
    """One measure by the candidate group; None where its variances cannot be told."""
    a = assessments(study, measure)
    made = laid_out(study, measure)
    closed = without_intervals(study, measure, made)
    if not len(a) or closed is None or closed.reason:
        return None
    rated, loads = len(np.unique(a.item)), np.unique(a.rater, return_counts=True)[1]
    per_item, systems = len(a) / rated, len(np.unique(a.system[a.system >= 0]))
    topics = len(np.unique(a.topic[a.topic >= 0])) if TOPIC in closed.sources else 0
    each = per_item
    if topics and systems:
        each = len(a) / len(np.unique(np.stack([a.system, a.topic]), axis=1).T)
    found, scope = Estimate(nan, reason=NO_SYSTEMS_HERE), scope or default_scope(len(loads))
    if systems:
        pairs = system_differences(study, measure, Scenario(), scope)
        found, scope = Estimate(pairs.detectable, n=pairs.pairs, reason=pairs.reason), pairs.scope
    basis = of_components(study, measure, closed)
    worth = max(round(effective_raters(loads)), 1)
    size = Size(max(round(rated / max(systems, 1)), 1), worth, max(round(per_item), 1), 0.0)
    return Again(
        study.candidate if len(study.groups) > 1 else "",
        measure,
        rated,
        per_item,
        len(loads),
        systems,
        of_mos(basis, replace(size, items=rated)).here,
        of_system(basis, size).here if systems else nan,
        found,
        scope,
        topics,
        each,
    )


def finding(made: Sequence[Again]) -> list[Finding]:
    """What a study of this size would find, and how precisely it would tell an item's MOS."""
    told: list[Finding] = []
    known = [one for one in made if one.found.defined]
    if known:
        low = min(known, key=lambda one: one.found.value)
        high = max(known, key=lambda one: one.found.value)
        sentence = (
            "A further study as large as this one ({size}) would find a difference of "
            "<b>{d}</b> between two systems on {measure} with a power of {power}, all pairs tested, for {scope}"
        )
        sentence += "" if low is high else "; on {other} the difference must be {more}"
        told.append(
            uncertain(
                sentence + ".",
                {
                    "size": low.size,
                    "d": decimal(low.found.value),
                    "scope": low.scope,
                    "measure": _called(low),
                    "power": share(POWER),
                    "other": _called(high),
                    "more": decimal(high.found.value),
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
                "Systems": one.systems,
            }
            for one in made
        ]
    )
    if not any(one.group for one in made):
        rows = rows.drop(columns="Group")
    return rows, {
        **dict.fromkeys(("Items", "Raters", "Systems"), count),
        "Ratings per item": lambda value: decimal(value, 1),
        **dict.fromkeys((HALF_MOS, HALF_SYSTEM, FOUND), decimal),
    }


def few_columns(made: Sequence[Again]) -> tuple[str, ...]:
    """The columns that have something to say."""
    there = ["Group"] if any(one.group for one in made) else []
    there += ["Measure", "Items", "Raters", "Ratings per item", HALF_MOS]
    there += [HALF_SYSTEM] if any(one.systems for one in made) else []
    return (*there, *([FOUND] if any(one.found.defined for one in made) else []))


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
