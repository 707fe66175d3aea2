"""Pyramid: who misses content that he marked elsewhere, by manual less automatic Pyramid score."""

import streamlit as st

from analysis.assessors.pyramid import PyramidScores
from charts.assessors import pyramid as chart
from features.plotting.figure import Figure
from features.study import Scenario, Study
from findings.assessors import pyramid as findings
from findings.assessors.contributors import differences
from findings.assessors.pyramid import EXPLANATION
from findings.code import assessors as program
from panels.assessors import contributors
from panels.assessors.joined_datasets import choose_joined
from ui.conclusions import show_code, show_finding
from ui.pictures import draw, look
from ui.sampling_controls import bootstrap_controls
from ui.stages import conclude
from ui.tables import show_table
from ui.words import note, say, warn

__all__ = ["EXPLANATION", "show"]


def show(study: Study, scenario: Scenario) -> None:
    """Finding, dots with whiskers per assessor (Figure 1), their table, then topic by topic."""
    offered = contributors.offered(study)
    if not study.whole.has("text"):
        say(findings.NO_TEXTS if offered else findings.NO_TEXTS_NOR_CONTRIBUTORS)
        return
    if not offered:
        say(findings.NO_CONTRIBUTORS)
        return
    finding = st.empty()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = choose_joined("Contributors", offered, contributors.PARAMETER)
        with st.popover("More"):
            spec = bootstrap_controls()
    if chosen is None:
        return
    scores = contributors.scores(study, chosen)
    if scores is None:
        return
    of_each = differences(study, chosen, scores, spec)
    with finding:
        show_finding(findings.finding(of_each, scenario))
    if not len(of_each.raters):
        _say_what_was_scored(scores)
        return

    def figure() -> Figure:
        return chart.differences(findings.by_name(of_each), look(), set(scenario.names))

    draw(
        st,
        figure(),
        key="pyramid_differences",
        alt="Manual less automatic Pyramid score of each assessor with its interval, the lowest at the bottom",
    )
    by_assessor = findings.assessor_table(of_each, scenario), "mP − aP per assessor, the lowest first"
    show_table(*by_assessor[0], alt=by_assessor[1], most=12)
    _say_what_was_scored(scores)
    note(*findings.intervals(spec))
    st.header("Topic by topic")
    conclude(
        "pyramid",
        [(findings.topic_table(scores), "mP − aP per topic and assessor, the lowest first")],
        most=10,
        shown_above=[by_assessor],
        figure=figure,
    )
    key = next(key for key, dataset in offered.items() if dataset is chosen)
    show_code(lambda: program.pyramid(study, key, chosen, spec))


def _say_what_was_scored(scores: PyramidScores) -> None:
    note(*findings.scored(scores))
    for sentence in findings.remarks(scores):
        warn(*sentence)
