"""What if they go: the ranking with and without the raters of the scenario, and without each one in turn."""

from collections.abc import Mapping

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from analysis.assessors.exclusion import ExclusionSpec
from analysis.assessors.exclusion_intervals import Intervals
from analysis.assessors.random_drops import RandomDrops
from charts.assessors.leave_one_out import leave_one_out_bars
from charts.assessors.slopes import slopes
from features import exclusion as rankings
from features.assessments import names
from features.plotting.figure import Figure
from features.study import Scenario, Study
from features.tables import Shown
from findings.assessors import exclusion as findings
from findings.assessors.exclusion import EXPLANATION
from findings.code import assessors as program
from panels.assessors.ranking_settings import choose_spec
from ui.conclusions import show_code, show_finding
from ui.downloads import downloads
from ui.pictures import draw, look
from ui.ranking_controls import choose_measure
from ui.stages import conclude, show_stages
from ui.tables import show_table
from ui.words import note, warn

__all__ = ["EXPLANATION", "say_change", "show"]

Drawn = Mapping[str, tuple[Intervals, RandomDrops]]

SUMMARY = "The ranking before and after per measure"
SYSTEMS = "Scores and ranks before and after"


def show(study: Study, scenario: Scenario) -> None:
    """Finding, slope chart, Table 2, the systems, then leaving out one at a time."""
    finding = st.empty()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        measure = choose_measure(study)
        spec = choose_spec(study, measure, scenario)
    if scenario.excludes:
        _show_change(study, scenario, measure, spec, finding)
    _show_one_by_one(study, scenario, measure, spec)
    if not scenario.excludes:
        _conclude_of_everyone(study, scenario, measure, spec, finding)
    show_code(lambda: program.exclusion(study, measure, spec, scenario))


def say_change(study: Study, scenario: Scenario, measure: str, spec: ExclusionSpec) -> None:
    """What becomes of the ranking, in words."""
    exclusion = rankings.exclusion(study, measure, scenario, spec)
    what = rankings.kind_of_ranked(study, measure)
    show_finding(findings.finding(scenario, exclusion, measure, what))


def _show_change(
    study: Study, scenario: Scenario, measure: str, spec: ExclusionSpec, finding: DeltaGenerator
) -> None:
    """What becomes of the ranking: the finding in its place, the slope chart, Table 2 and the systems."""
    exclusion, ranked = (
        rankings.exclusion(study, measure, scenario, spec),
        rankings.names_of_ranked(study, measure),
    )
    what = rankings.kind_of_ranked(study, measure)
    with finding:
        show_finding(findings.finding(scenario, exclusion, measure, what))
    if exclusion.change.pearson.n:
        draw(
            st,
            slopes(exclusion, ranked, what, look()),
            key="slopes",
            alt=f"Ranks of the {what} with everyone and without the raters left out",
        )
    summary, systems = st.empty(), st.empty()
    exclusions = {each: rankings.exclusion(study, each, scenario, spec) for each in study.measures}

    def show_tables(drawn: Drawn | None, _: str) -> None:
        with summary:
            show_table(
                *summary_table(drawn),
                alt=SUMMARY,
            )
        with systems:
            show_table(*systems_table(drawn), alt=SYSTEMS)

    def summary_table(drawn: Drawn | None) -> Shown:
        by_chance = None if drawn is None else {each: drops for each, (_, drops) in drawn.items()}
        return findings.summary_table(exclusions, by_chance)

    def systems_table(drawn: Drawn | None) -> Shown:
        intervals = None if drawn is None else drawn[measure][0]
        return findings.systems_table(exclusion, ranked, what, intervals)

    drawn: Drawn | None = show_stages(
        None,
        show_tables,
        ("with intervals", lambda _: rankings.exclusion_intervals(study, scenario, spec)),
    )
    by_draws = None if drawn is None else drawn[measure]
    notes = findings.notes(exclusion, ranked, by_draws, scenario, names(study, "rater"))
    for sentence in notes:
        note(*sentence)
    downloads(
        "exclusion",
        [(systems_table(drawn), SYSTEMS), (summary_table(drawn), SUMMARY)],
        lambda: slopes(exclusion, ranked, what, look()),
        notes=notes,
    )


def _conclude_of_everyone(
    study: Study, scenario: Scenario, measure: str, spec: ExclusionSpec, finding: DeltaGenerator
) -> None:
    """The finding while nobody is left out; its intervals are drawn once the picture below stands."""
    everyone, ranked = (
        rankings.exclusion(study, measure, scenario, spec),
        rankings.names_of_ranked(study, measure),
    )
    what = rankings.kind_of_ranked(study, measure)

    def tell(drawn: Drawn | None, _: str) -> None:
        intervals = None if drawn is None else drawn[measure][0]
        with finding:
            show_finding(findings.first_finding(everyone, intervals, ranked, measure, what))

    show_stages(
        None,
        tell,
        ("with intervals", lambda _: rankings.exclusion_intervals(study, scenario, spec)),
    )


def _show_one_by_one(study: Study, scenario: Scenario, measure: str, spec: ExclusionSpec) -> None:
    one_by_one = rankings.leave_one_out_of(study, measure, spec)
    if one_by_one is None:
        return
    raters = names(study, "rater")
    st.header("Each rater in turn")
    if one_by_one.reason:
        warn(*findings.undefined(one_by_one))
        return
    note(*findings.of_single_raters(one_by_one, raters, measure, rankings.kind_of_ranked(study, measure)))
    if one_by_one.reason_ranks:
        note("{reason}.", reason=one_by_one.reason_ranks)

    def figure() -> Figure:
        return leave_one_out_bars(one_by_one, raters, look(), set(scenario.left_out_codes))

    draw(
        st,
        figure(),
        key="one_by_one",
        alt="Spearman's correlation of the ranking with and without each rater",
    )
    conclude(
        "leave-one-out",
        [
            (
                findings.one_by_one_table(one_by_one, raters),
                "What leaving out each rater in turn does to the ranking",
            )
        ],
        most=10,
        figure=figure,
    )
