"""Who agrees with the others: each rater's correlation with their mean, and with the reference where there is one."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from analysis.values.estimate import BootstrapSpec
from features.study import Scenario, Study
from findings.assessors import rater_figures
from findings.assessors.with_others import EXPLANATION
from findings.code import assessors as program
from findings.workers import reliability as findings
from findings.workers.reliability import Reliability
from panels.assessors.ranked_raters import (
    fewest_items,
    ranking_figure,
    show_known,
    show_table_to_tick,
    what_it_shows,
)
from ui.conclusions import show_code, show_finding
from ui.controls import choose_one
from ui.pictures import draw
from ui.stages import conclude, show_stages

__all__ = ["EXPLANATION", "show"]


def show(study: Study, scenario: Scenario) -> None:
    """Finding, controls, ranking, the reference beside it, table with rows to tick, remarks."""
    finding = st.empty()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        measure = study.measures[0]
        if len(study.measures) > 1:
            measure = choose_one("Measure", study.measures, key="ranked_measure", width=320)
        closed = _ranked(study, measure, rater_figures.CLOSED, not study.whole.has_sums)
        least = fewest_items(closed)
    picture = st.empty()

    def say_and_draw(reliability: Reliability, stage: str) -> None:
        with finding.container():
            show_finding(findings.finding(reliability))
        _draw(picture, reliability, least, stage)

    reliability = show_stages(
        closed,
        say_and_draw,
        ("with intervals", lambda _: _ranked(study, measure, BootstrapSpec())),
    )
    show_known(reliability, least)
    st.header("All raters")
    show_table_to_tick(study, reliability)
    conclude(
        "raters",
        [],
        remarks=findings.remarks(reliability, least),
        shown_above=[(reliability.table, what_it_shows(reliability))],
        figure=lambda: ranking_figure(reliability, least),
    )
    show_code(lambda: program.with_others(study, measure))


def _draw(place: DeltaGenerator, reliability: Reliability, least: int, stage: str) -> None:
    draw(
        place,
        ranking_figure(reliability, least),
        key=f"raters {stage}",
        alt="Agreement of each rater with the others, the highest on top",
    )


def _ranked(study: Study, measure: str, bootstrap: BootstrapSpec, referred: bool = True) -> Reliability:
    """What is known of the raters; of a large data set the reference waits for the picture."""
    agreement = rater_figures.with_others(study, measure, bootstrap)
    return findings.of_ratings(
        rater_figures.compared(study, measure, agreement),
        rater_figures.numbers(study, measure).tolist(),
        rater_figures.with_reference(study, measure) if referred and study.comparable else None,
        study.reference_name,
        "Fisher's z" if bootstrap.draws else "",
    )
