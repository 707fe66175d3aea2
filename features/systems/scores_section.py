"""Sections of "Ranking systems": the blocks that its page shows and its report prints."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from analysis.values.estimate import BootstrapSpec
from features.blocks import Block, Figure, Note, card_of, in_stages
from features.methods import method_of
from features.plotting.numbers import count
from features.program import study_program
from features.study import Scenario, Study
from features.systems import scores_findings as findings
from features.systems import scores_results as results
from features.systems.scores_figures import score_dots
from features.systems.scores_results import RankedSystems, ScoresSpec

MOST_RATINGS_OF_CARD = 10_000_000
"""Ratings up to which the overview's card has intervals, which read each rating."""


def scores_section(study: Study, scenario: Scenario, spec: ScoresSpec) -> Iterator[Block]:
    """Yield the ranking of systems by their scores: first without intervals, unless these are there already."""
    if not results.has_systems(study, spec.measure):
        yield findings.missing_systems(study.candidate, spec.measure)
        return
    stages = results.ranking_stages(study, scenario, spec)
    yield from in_stages(stages, partial(_ranking_blocks, scenario, spec))
    bootstrap = spec.bootstrap
    yield method_of("systems", "scores", ["owczarzak2012"], draws=bootstrap.draws, seed=bootstrap.seed)


def _ranking_blocks(scenario: Scenario, spec: ScoresSpec, ranked: RankedSystems) -> Iterator[Block]:
    if ranked.by_everyone is not None:
        yield findings.exclusion_finding(ranked, scenario)
    yield findings.ranking_finding(ranked, spec)
    if not len(ranked.ranking):
        return
    caption = (
        "Score of each system by {measure} with its 95% CI, the first on top. Systems that share a letter do not "
        "clearly differ."
    )
    draw = partial(score_dots, ranked, spec.measure)
    yield Figure("systems", (caption, {"measure": spec.measure}), draw)
    yield findings.ranking_table(ranked, spec)
    yield from findings.ranking_notes(ranked)
    if ranked.ranking.compared:
        yield findings.pairs_table(ranked)


def scores_card(study: Study, scenario: Scenario) -> Iterator[Block]:
    """Yield the ranking by the first measure for the overview; without intervals where there are many ratings."""
    spec = ScoresSpec(study.measures[0])
    has_systems = results.has_systems(study, spec.measure)
    ratings = results.count_all_ratings(study, spec.measure) if has_systems else 0
    if ratings > MOST_RATINGS_OF_CARD:
        spec = replace(spec, bootstrap=BootstrapSpec(draws=0))
    yield from card_of(scores_section(study, scenario, spec))
    if ratings > MOST_RATINGS_OF_CARD:
        text = "The page has the intervals: they read each of {ratings} ratings."
        yield Note((text, {"ratings": count(ratings)}))


def scores_program(study: Study, scenario: Scenario, spec: ScoresSpec) -> str:
    """Return a program that ranks the systems without a browser."""
    told = "{'scores': found.scores, 'letters': found.letters, 'ranking': found.ranking}"
    return study_program(study, scenario, results.rank_systems, spec, [f"results = {told}"])
