"""How far all raters agree: every figure, what differs from another measure or group, and each two raters."""

from dataclasses import replace

import streamlit as st

from analysis.assessors.agreement_of_everyone import AgreementFigure
from charts.assessors.rater_pairs import rater_matrix
from findings.assessors import agreement as findings
from findings.study import Study
from panels.assessors import rater_figures
from panels.assessors.assessments import names
from panels.parts.conclusions import conclude_that
from panels.parts.downloads import downloads
from panels.parts.pictures import draw, look
from panels.parts.tables import show_table
from panels.parts.words import note

_NOTHING = "nothing"


def show(study: Study, measure: str) -> None:
    """The fold with its controls, the table, and the matrix of each two raters."""
    fold = st.expander(
        "How far all raters agree (alpha, ICC, kappa, AC2), and each two of them",
        on_change="rerun",
        key="agreement_of_everyone",
    )
    if not fold.open:
        return
    with fold:
        _show_figures(study, measure)
        pairs, raters = rater_figures.pairs(study, measure), names(study, "rater")
        note(*findings.pairs_of_raters(pairs, raters[rater_figures.raters(study)]))
        draw(
            st,
            rater_matrix(pairs, raters[pairs.raters].tolist(), look()),
            key="pairs_of_raters",
            alt=f"Correlation of each two raters on {measure}",
        )


def _show_figures(study: Study, measure: str) -> None:
    others = {each: (study, each) for each in study.all_measures if each != measure} | {
        f"group {group}": (replace(study, candidate=group), measure)
        for group in study.groups
        if group != study.candidate
    }
    with st.container(horizontal=True, vertical_alignment="bottom"):
        weights = findings.WEIGHTS[
            st.selectbox(
                "Weights of near misses",
                list(findings.WEIGHTS),
                key="agreement_weights",
                bind="query-params",
                width=200,
                help="What two ratings that lie close together earn: much, less, or nothing. It holds for "
                "Brennan-Prediger, AC and the kappas.",
            )
        ]
        compared = _NOTHING
        if others:
            compared = st.selectbox(
                "Compare with",
                [_NOTHING, *others],
                key="agreement_with",
                bind="query-params",
                width=320,
                help="Each figure less that of another measure or group, paired over the items and raters that "
                "both have.",
            )
    of_everyone = rater_figures.of_everyone(study, measure)
    beyond = rater_figures.beyond_chance(study, measure, weights)
    if of_everyone is None:
        return
    figures = of_everyone | ({} if beyond is None else beyond.figures)
    differences: dict[str, AgreementFigure] = {}
    if beyond is None:
        note(*findings.TOO_MANY)
    elif compared != _NOTHING:
        other = rater_figures.beyond_chance(*others[compared], weights)
        if other is not None:
            differences = beyond.differences(other)
    if not study.raters_are_persons:
        figures, differences = findings.for_these_raters(figures), findings.for_these_raters(differences)
    if differences:
        here = measure if others[compared][0] is study else f"group {study.candidate}"
        conclude_that(*findings.difference(differences, here, compared))
    table, written = findings.agreement_table(figures, differences)
    show_table(table, written, alt=f"Agreement of all raters on {measure}")
    for sentence in findings.why_no_interval(figures):
        note(*sentence)
    downloads("agreement", lambda: table)
