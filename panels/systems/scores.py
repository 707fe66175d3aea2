"""Scores of systems: who comes first, who is told apart from whom, and what leaving raters out does to it."""

from functools import partial

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from analysis.assessors.exclusion import ExclusionSpec
from analysis.assessors.exclusion_intervals import Intervals
from analysis.systems.system_ranking import SystemRanking, system_ranking
from charts.systems.scores import score_dots
from features.assessments import names
from features.plotting.figure import Figure
from features.study import Scenario, Study
from findings.assessors import rankings
from findings.code import systems as program
from findings.systems import scores as findings
from panels.assessors.exclusion import say_change
from panels.assessors.ranking_settings import choose_measure, choose_spec
from ui.conclusions import show_code, show_finding
from ui.downloads import downloads
from ui.pictures import draw, look
from ui.stages import show_stages
from ui.tables import show_table
from ui.words import note, say

EXPLANATION = findings.EXPLANATION
BY_NAME = "as its name says"
FIRST = {BY_NAME: None, "the highest": False, "the lowest": True}

MOST_AT_A_GLANCE = 10_000_000
"""Ratings of a measure by a group up to which intervals are shown at a glance: they look at each."""
RANKED = "Systems, the first on top"


def show(study: Study, scenario: Scenario) -> None:
    """Finding, picture, table, all pairs, and what the scenario does to the ranking."""
    finding = st.empty()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        measure = choose_measure(study)
        lowest_first = _lowest_first(measure)
        spec = choose_spec()
    if not rankings.outline(study, measure).has_systems:
        with finding:
            say(findings.NO_SYSTEMS, group=study.candidate, measure=measure)
        return
    called, without = names(study, "system"), scenario.applied and scenario.excludes
    picture, table = st.empty(), st.empty()
    ranked = partial(_ranking, study, measure, scenario, spec, lowest_first)
    raters = _raters(study, measure, scenario, spec)
    everyone = ranked(None, False) if without else None

    def figure(ranking: SystemRanking) -> Figure:
        return score_dots(ranking, called, measure, look(), everyone)

    def say_and_draw(drawn: Intervals | None, stage: str) -> None:
        ranking = ranked(drawn, without)
        with finding:
            show_finding(findings.finding(ranking, called, measure, raters, scenario, lowest_first))
        if len(ranking):
            draw(
                picture,
                figure(ranking),
                key=f"system_scores {stage}",
                alt=f"Score of each system by {measure} with its interval, the first on top; systems that share a "
                "letter are not told apart",
            )
        with table:
            show_table(
                *findings.table(ranking, called),
                alt=RANKED,
                most=12,
                first=findings.few_columns(ranking),
            )

    drawn = show_stages(
        f"systems {study.key} {measure} {study.candidate} {spec.method} {scenario.left_out_codes} {without}",
        None,
        say_and_draw,
        ("with intervals", lambda _: rankings.intervals_of(study, measure, scenario, spec)),
    )
    ranking = ranked(drawn, without)
    point, has_topics = (
        rankings.point(study, measure, scenario, spec),
        rankings.outline(study, measure).has_topics,
    )
    notes = findings.notes(point, drawn, ranking, called, without, has_topics)
    for sentence in notes:
        note(*sentence)
    _show_pairs(ranking, called)
    downloads(
        "systems",
        [(findings.table(ranking, called), RANKED)],
        lambda: figure(ranking),
        first=findings.few_columns(ranking),
        notes=notes,
    )
    if scenario.excludes:
        st.header("What leaving them out does to the ranking")
        say_change(study, scenario, measure, spec)
        st.page_link(
            "assessors.py",
            label="The rankings before and after, and each rater in turn",
            icon=":material/how_to_reg:",
            query_params={"d": st.session_state["d"], "question": "What if they go"},
        )
    show_code(lambda: program.code(study, measure, spec, scenario, lowest_first))


def show_at_a_glance(study: Study, scenario: Scenario) -> None:
    """Finding and picture of the first measure."""
    measure, spec = study.measures[0], ExclusionSpec()
    if not rankings.outline(study, measure).has_systems:
        say(findings.NO_SYSTEMS, group=study.candidate, measure=measure)
        return
    lowest_first, called = findings.low_is_first(measure), names(study, "system")
    ratings = int(rankings.ratings_of_each(study, measure, Scenario()).sum())
    few = ratings <= MOST_AT_A_GLANCE
    drawn = rankings.intervals_of(study, measure, scenario, spec) if few else None
    ranking = _ranking(
        study, measure, scenario, spec, lowest_first, drawn, scenario.applied and scenario.excludes
    )
    raters = _raters(study, measure, scenario, spec)
    show_finding(findings.finding(ranking, called, measure, raters, scenario, lowest_first))
    if len(ranking):
        draw(
            st,
            score_dots(ranking, called, measure, look()),
            key="overview_systems",
            alt=f"Score of each system by {measure}{' with its interval' * few}, the first on top",
        )
    if not few:
        note(*findings.told_on_its_page(ratings))


def _show_pairs(ranking: SystemRanking, called: NDArray[np.str_]) -> None:
    if not ranking.compared:
        return
    fold = st.expander(findings.pairs_head(ranking), on_change="rerun", key="all_pairs_of_systems")
    if fold.open:
        with fold:
            show_table(
                *findings.pairs_table(ranking, called),
                alt="All pairs of systems, with the interval of their difference",
                most=12,
            )


def _lowest_first(measure: str) -> bool:
    chosen = FIRST[
        st.selectbox(
            "First comes",
            list(FIRST),
            key="first",
            bind="query-params",
            width=170,
            help="Whether a high score is a good one. By its name, the lowest of penalties and errors comes first and "
            "the highest of all else.",
        )
    ]
    return findings.low_is_first(measure) if chosen is None else chosen


def _ranking(
    study: Study,
    measure: str,
    scenario: Scenario,
    spec: ExclusionSpec,
    lowest_first: bool,
    drawn: Intervals | None,
    without: bool,
) -> SystemRanking:
    point = rankings.point(study, measure, scenario, spec)
    ratings: NDArray[np.int64] = rankings.ratings_of_each(study, measure, scenario if without else Scenario())
    return system_ranking(point, drawn, ratings, without, lowest_first)


def _raters(study: Study, measure: str, scenario: Scenario, spec: ExclusionSpec) -> int:
    point = rankings.point(study, measure, scenario, spec)
    return point.raters_left if scenario.applied and scenario.excludes else point.raters
