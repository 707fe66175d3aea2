"""Sections of "Ranking systems": the blocks that its page shows and its report prints."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from analysis.values.estimate import BootstrapSpec
from features.blocks import Block, Figure, Method, Note, Progress, card_of
from features.plotting.numbers import count
from features.program import study_program
from features.study import Scenario, Study
from features.systems import scores_findings
from features.systems.scores_figures import score_dots
from features.systems.scores_results import (
    RankedSystems,
    ScoresSpec,
    are_intervals_kept,
    count_all_ratings,
    has_systems,
    rank_systems,
)

MOST_RATINGS_OF_CARD = 10_000_000
"""Ratings up to which the overview's card has intervals, which read each rating."""


def scores_section(study: Study, scenario: Scenario, spec: ScoresSpec) -> Iterator[Block]:
    """Yield the ranking of systems by their scores: first without intervals, unless these are there already."""
    if not has_systems(study, spec.measure):
        yield scores_findings.missing_systems(study.candidate, spec.measure)
        return
    no_draws = replace(spec, bootstrap=replace(spec.bootstrap, draws=0))
    if not spec.bootstrap.draws or not are_intervals_kept(study, scenario, spec):
        quick = rank_systems(study, scenario, no_draws)
        if quick is not None:
            yield from _scores_blocks(quick, scenario, spec)
        yield Progress("Intervals of the scores")
    ranked = rank_systems(study, scenario, spec) if spec.bootstrap.draws else None
    if ranked is not None:
        yield from _scores_blocks(ranked, scenario, spec)
    yield Method(
        (
            "A system's score is the mean over topics of its mean score within the topic, or the additive model "
            "system + topic where cells are missing (Owczarzak, Rankel, Dang and Conroy 2012). Pairs of systems are "
            "compared by their own differences, adjusted for topics and raters, whose intervals hold for all pairs at "
            "once (jackknife over topics and raters, studentized range). Intervals of scores: {draws} bootstrap "
            "samples, seed {seed}.",
            {"draws": spec.bootstrap.draws, "seed": spec.bootstrap.seed},
        ),
        ["owczarzak2012"],
        scores_findings.DETAILS,
    )


def _scores_blocks(ranked: RankedSystems, scenario: Scenario, spec: ScoresSpec) -> Iterator[Block]:
    if ranked.by_everyone is not None:
        yield scores_findings.exclusion_finding(ranked, scenario)
    yield scores_findings.ranking_finding(ranked, spec)
    if not len(ranked.ranking):
        return
    yield Figure(
        "systems",
        (
            "Score of each system by {measure} with its 95% CI, the first on top. Systems that share a letter do not "
            "clearly differ.",
            {"measure": spec.measure},
        ),
        partial(score_dots, ranked, spec.measure),
    )
    yield scores_findings.ranking_table(ranked, spec, "systems")
    yield from scores_findings.ranking_notes(ranked)
    if ranked.ranking.compared:
        yield scores_findings.pairs_table(ranked, "pairs")


def scores_card(study: Study, scenario: Scenario) -> Iterator[Block]:
    """Yield the ranking by the first measure for the overview; without intervals where there are many ratings."""
    spec, ratings = ScoresSpec(study.measures[0]), 0
    if has_systems(study, spec.measure):
        ratings = count_all_ratings(study, spec.measure)
    if ratings > MOST_RATINGS_OF_CARD:
        spec = replace(spec, bootstrap=BootstrapSpec(draws=0))
    yield from card_of(scores_section(study, scenario, spec))
    if ratings > MOST_RATINGS_OF_CARD:
        yield Note(
            ("The page has the intervals: they read each of {ratings} ratings.", {"ratings": count(ratings)})
        )


def scores_program(study: Study, scenario: Scenario, spec: ScoresSpec) -> str:
    """Return a program that ranks the systems without a browser."""
    return study_program(
        study,
        scenario,
        rank_systems,
        spec,
        ["results = {'scores': found.scores, 'letters': found.letters, 'ranking': found.ranking}"],
    )
