"""A study of choices: who wins, who is reliable, and how many votes are enough."""

from collections.abc import Iterator
from dataclasses import replace

from analysis.repetitions.choice_repetition import ChoiceRepetitionSpec
from analysis.systems.preference import PreferenceSpec
from analysis.workers.polls import on_the_same_pair
from charts.repetitions.curves import repetitions
from features.blocks import Finding
from features.plotting.panels import MOST
from features.plotting.theme import GROUP_COLOURS
from features.polls import count_compared_systems, is_pairs, polls
from features.raters.workers_results import WorkersSpec
from features.raters.workers_section import workers_section
from features.results import LARGEST_BOOTSTRAP
from features.study import Scenario, Study
from features.systems.pairs_section import all_pairs_section, default_spec, pair_section
from features.systems.scale_results import ScaleSpec
from features.systems.scale_section import scale_section
from findings.repetitions import choice_curves, choice_tables
from findings.repetitions.rating_curves import DEFAULT_SHUFFLES
from findings.repetitions.vote_curves import fitted_votes, intervals_of_votes, is_known, range_of_votes
from report.parts.asked import Asked
from report.parts.model import Picture, Section, Table, given
from report.parts.of_blocks import section_of, together
from report.parts.without import what_changes

MOST_PAIRS = 12
"""Pairs of systems up to which each is looked at for itself; the scale says more of so many."""
DRAWS = 100
"""Of the intervals of knees, as on the page."""


def systems(study: Study, asked: Asked) -> Iterator[Section]:
    """All systems on one scale where there are more than two, then each pair."""
    if not is_pairs(study):
        return
    there = polls(study)
    if count_compared_systems(study) > 2:
        spec = ScaleSpec(style=study.whole.told_of_options, bootstrap=asked.bootstrap())
        yield section_of("systems", "Systems on one scale", scale_section(study, spec))
    if len(there) <= MOST_PAIRS:
        yield _pairs(study, asked)


def _pairs(study: Study, asked: Asked) -> Section:
    """Return all pairs, then each: in full under the design with most items, under others its finding."""
    name, title, there = "pairs-of-systems", "Pairs of systems", polls(study)
    bootstrap = asked.bootstrap()
    shares = PreferenceSpec(draws=bootstrap.draws, seed=bootstrap.seed)
    parts = [section_of(name, title, all_pairs_section(study, shares))] if len(there) > 1 else []
    for nth, poll in enumerate(there, 1):
        blocks = pair_section(study, default_spec(study, poll, bootstrap))
        if poll is not max(on_the_same_pair(poll, there), key=lambda each: each.votes.items):
            blocks = (block for block in blocks if isinstance(block, Finding))
        parts.append(section_of(name, title, blocks, f"-{nth}"))
    return together(parts)


def workers(study: Study, scenario: Scenario) -> Section:
    """Return who agrees with the others, over all comparisons, and what changes without excluded raters."""
    part = section_of("workers", "The raters of choices", workers_section(study, scenario, WorkersSpec()))
    without, tables = what_changes(study, scenario)
    return replace(part, findings=[*part.findings, *without], tables=[*part.tables, *tables])


def votes(study: Study, asked: Asked) -> Section:
    """How many votes per item are enough for the answer."""
    there, bootstrap = polls(study), asked.bootstrap(DRAWS)
    against = next(each for each in choice_curves.AGAINST if any(is_known(poll, each) for poll in there))
    spec = ChoiceRepetitionSpec(DEFAULT_SHUFFLES, range_of_votes(there, against).repetitions, bootstrap.seed)
    view = choice_curves.ChoiceView(spec, against, 1.0)
    fitted = given(fitted_votes(study, there, view))
    intervals = intervals_of_votes(study, there, fitted, view, bootstrap) if bootstrap.draws else None
    every = [poll.votes for poll in there]
    drawn = fitted[:MOST]
    return Section(
        "repetitions",
        "How many votes are enough",
        findings=[choice_curves.finding(fitted, view)],
        pictures=[
            Picture(
                "curves",
                (
                    "Share of items with the {against} against the number of votes per item.",
                    {"against": against},
                ),
                lambda look: repetitions(
                    drawn, f"Share of items with the {against}", GROUP_COLOURS[0], look, "votes"
                ),
            )
        ],
        tables=[
            Table(
                "knees",
                ("Share of items after one vote, at the knee and after all; the fitted curve.", {}),
                choice_tables.shown_table(fitted, intervals),
                ("Comparison", "Knee", "Knee, 95 %", "Votes per item", "Items", *choice_tables.IN_PERCENT),
                full=choice_tables.full_table(fitted, intervals),
                notes=[choice_curves.how_drawn(study, bootstrap)] if intervals else (),
            )
        ],
        warnings=choice_curves.remarks(every, fitted, view, LARGEST_BOOTSTRAP),
        notes=choice_curves.notes(every, view),
        methods=[
            (
                "An item's answer after r votes is its most voted option among the first r; curves run over {shuffles} "
                "random orders (seed {seed}), an exponential curve is fitted and its knee found by Kneedle (Satopää et "
                "al. 2011), after Iskender, Polzehl and Möller (2020).",
                {"shuffles": spec.shuffles, "seed": spec.seed},
            )
        ],
        cited=["iskender2020", "satopaa2011"],
    )
