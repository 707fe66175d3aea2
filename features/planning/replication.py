"""Results expected of a study of the same size, with its own variances: results, findings, tables."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import isnan, nan

import numpy as np

from analysis.items.rating_spread import FEWEST_RATERS
from analysis.planning.pilot import detectable_share, spread_of_shares
from analysis.planning.workloads import effective_raters
from analysis.values.estimate import Estimate, Scope, default_scope
from analysis.variance.sources import TOPIC
from analysis.workers.polls import Poll
from features.assessments import assessments
from features.blocks import Finding, Table, for_raters, not_applicable, not_enough_data, uncertain
from features.exclusion import system_differences
from features.planning.precision import MOS, SYSTEM, PrecisionSpec, of_mos, of_system
from features.planning.variances import of_components
from features.planning.votes import votes_of_sides
from features.plotting.theme import count, decimal, share
from features.raters.variance_results import load_layout, without_intervals
from features.study import Scenario, Study
from features.words import WHY, Column, of_many, table_of

POWER = 0.8
NO_SYSTEMS = "the data set does not tell which system an item is of"
FOUND = f"Difference detected with {share(POWER)}, all pairs"
HALF_MOS, HALF_SYSTEM = "± of an item's mean", "± of a system's mean"
PREFERRED = f"Preference detected with {share(POWER)}"
_TENTH = partial(decimal, digits=1)


@dataclass(frozen=True)
class Replication:
    """One measure by one group, as if a study of this size were carried out again.

    `topics` that all systems met, 0 where each has its own items; `each` is how many ratings a system has of one.
    `found` is the difference of two systems that the comparison of all pairs detects, for the raters of `scope`.
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
        """Size of the study in words."""
        raters, each = of_many(self.raters, "raters"), of_many(round(self.each, 1), "ratings")
        if self.topics:
            return f"{of_many(self.topics, 'topics')}, {raters}, {each} of each system on a topic"
        items = of_many(round(self.rated / self.systems, 1), "items")
        return f"{items} of each system, {raters}, {each} per item"

    @property
    def name(self) -> str:
        """The measure, with the group where there are several."""
        return f"{self.measure}, {self.group}" if self.group else self.measure


def replicate(study: Study, measure: str, scope: Scope | None = None) -> Replication | None:
    """Return a replication of one measure by the candidate group; None where its variances are unknown."""
    a = assessments(study, measure)
    closed = without_intervals(study, measure, load_layout(study, measure))
    if not len(a) or closed is None or closed.reason:
        return None
    rated, loads = len(np.unique(a.item)), np.unique(a.rater, return_counts=True)[1]
    per_item, systems = len(a) / rated, len(np.unique(a.system[a.system >= 0]))
    topics = len(np.unique(a.topic[a.topic >= 0])) if TOPIC in closed.sources else 0
    each = per_item
    if topics and systems:
        each = len(a) / len(np.unique(np.stack([a.system, a.topic]), axis=1).T)
    found, scope = Estimate(nan, reason=NO_SYSTEMS), scope or default_scope(len(loads))
    if systems:
        pairs = system_differences(study, measure, Scenario(), scope)
        found, scope = Estimate(pairs.detectable, n=pairs.pairs, reason=pairs.reason), pairs.scope
    variances = of_components(closed)
    worth = max(round(effective_raters(loads)), 1)
    items = max(round(rated / max(systems, 1)), 1)
    size = PrecisionSpec(SYSTEM, items=items, raters=worth, per_item=max(round(per_item), 1))
    half_mos = of_mos(variances, replace(size, what=MOS, items=rated)).here.value
    return Replication(
        study.candidate if len(study.groups) > 1 else "",
        measure,
        rated,
        per_item,
        len(loads),
        systems,
        half_mos,
        of_system(variances, size).here.value if systems else nan,
        found,
        scope,
        topics,
        each,
    )


def replication_finding(made: Sequence[Replication]) -> Finding:
    """Return the difference that a study of this size would detect, else how precisely it would measure a mean."""
    known = sorted((one for one in made if one.found.defined), key=lambda one: one.found.value)
    if known:
        low, high = known[0], known[-1]
        return uncertain(
            "A further study of this size would detect a difference of <b>{d}</b>.",
            {"d": decimal(low.found.value)},
            f"Two systems on {low.name}",
            f"power {share(POWER)}, all pairs",
            low.size,
            for_raters(low.scope),
            f"{high.name}: {decimal(high.found.value)}" if high is not low else "",
        )
    precise = sorted((one for one in made if not isnan(one.half_mos)), key=lambda one: one.half_mos)
    if not precise:
        return not_enough_data("Not enough data to plan a further study: no item has two ratings.")
    low, high = precise[0], precise[-1]
    few = low.raters < FEWEST_RATERS
    return uncertain(
        "A further study of this size would measure an item's mean to <b>±\u00a0{half}</b>.",
        {"half": decimal(low.half_mos)},
        low.name,
        f"{of_many(round(low.per_item, 1), 'ratings')} per item",
        "compared with items of the same raters" if few else "for a typical item",
        f"{high.name}: ±\u00a0{decimal(high.half_mos)}" if high is not low else "",
    )


NOT_EVIDENCE = not_applicable(
    "Power worked out afterwards says nothing about these results.",
    {},
    "For planning a further study only (Hoenig and Heisey 2001)",
    name="caution",
)


def replication_table(made: Sequence[Replication]) -> Table:
    """Return a row per measure and group."""
    has_systems, has_found = any(one.systems for one in made), any(one.found.defined for one in made)
    groups = [one.group for one in made]
    return table_of(
        "planning",
        "What a further study of this size would find, and how precisely it would measure means.",
        [
            *([Column("Group", groups)] if any(groups) else []),
            Column("Measure", [one.measure for one in made]),
            Column("Items", [one.rated for one in made], count),
            Column("Raters", [one.raters for one in made], count),
            Column("Ratings per item", [one.per_item for one in made], _TENTH),
            Column(HALF_MOS, [one.half_mos for one in made], decimal),
            Column(HALF_SYSTEM, [one.half_system for one in made], decimal, has_systems),
            Column(FOUND, [one.found.value for one in made], decimal, has_found),
            Column("Systems", [one.systems for one in made], count, False),
            Column(WHY, [one.found.reason for one in made], None, False),
        ],
    )


@dataclass(frozen=True)
class VotesAgain:
    """One comparison of two systems, as if its votes were collected again."""

    name: str
    items: int
    votes: float
    item_sd: float
    found: float
    of_all: float


def replicate_votes(polls: Sequence[Poll]) -> list[VotesAgain]:
    """Return the smallest preference that each comparison detects; answers for both or neither do not count."""
    made = []
    for poll in polls:
        chosen, votes = votes_of_sides(poll)
        rated = votes > 0
        items, each = int(rated.sum()), float(votes[rated].mean()) if rated.any() else nan
        spread = spread_of_shares(chosen, votes)
        sd = 0.0 if isnan(spread) else min(spread, 0.49)
        smallest = [
            detectable_share(items, each, sd, POWER, comparisons=comparisons) if items > 1 else nan
            for comparisons in (1, len(polls))
        ]
        made.append(VotesAgain(poll.name, items, each, spread, *smallest))
    return made


def votes_finding(made: Sequence[VotesAgain]) -> Finding:
    """Return the preference that comparisons of this size detect."""
    known = sorted((one for one in made if not isnan(one.found)), key=lambda one: one.found)
    if not known:
        return not_enough_data("Not enough data to plan a further comparison: it needs two items with votes.")
    low, high = known[0], known[-1]
    return uncertain(
        "A further comparison of this size would detect a preference of <b>{found}</b>.",
        {"found": share(low.found, 1)},
        low.name,
        f"power {share(POWER)}",
        of_many(low.items, "items"),
        f"{of_many(round(low.votes, 1), 'votes')} each",
        for_raters("these raters"),
        f"{high.name}: {share(high.found, 1)}" if high is not low else "",
    )


def votes_table(made: Sequence[VotesAgain]) -> Table:
    """Return a row per comparison."""
    percent = partial(share, digits=1)
    return table_of(
        "planning",
        "The preference that a further comparison of this size would detect.",
        [
            Column("Comparison", [one.name for one in made]),
            Column("Items", [one.items for one in made], count),
            Column("Votes per item", [one.votes for one in made], _TENTH),
            Column("Items differ by (SD)", [one.item_sd for one in made], decimal),
            Column(PREFERRED, [one.found for one in made], percent),
            Column(f"{PREFERRED}, all pairs", [one.of_all for one in made], percent),
        ],
    )
