"""One measure looked at closely: each two raters, every coefficient there is, and how they differ elsewhere."""

from dataclasses import replace

import streamlit as st

from analysis.assessors.agreement_of_everyone import AgreementFigure
from charts.agreement.rater_pairs import rater_matrix
from features.rater_agreement import of_group
from features.results import query
from features.study import Study
from findings.agreement import by_group
from findings.agreement import figures as findings
from ui.conclusions import show_finding
from ui.controls import choose_one
from ui.pictures import draw, look
from ui.stages import conclude
from ui.words import note

_NOTHING = "nothing"


def show(study: Study) -> None:
    """The choice of a measure, the matrix of each two raters, and the fold with every coefficient."""
    st.header("Each two raters")
    measure = study.measures[0]
    if len(study.measures) > 1:
        measure = choose_one("Measure", study.measures, key="agreement_measure", width=320)
    _show_pairs(study, measure)
    fold = st.expander(
        "All figures of agreement (alpha, ICC, kappa, AC2)", on_change="rerun", key="agreement_of_everyone"
    )
    if fold.open:
        with fold:
            _show_figures(study, measure)


def _show_pairs(study: Study, measure: str) -> None:
    pairs = by_group.pairs(study, measure)
    group = study.candidate if len(study.groups) > 1 else ""
    names = query(study.dataset, "rater_names")["name"]
    note(*findings.pairs_of_raters(pairs, of_group(study, measure, study.candidate).raters, group))
    if findings.correlations_of(pairs).size:
        draw(
            st,
            rater_matrix(pairs, names[pairs.raters].tolist(), look()),
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
            compared = choose_one(
                "Compare with",
                [_NOTHING, *others],
                key="agreement_with",
                width=320,
                help="Each figure less that of another measure or group, paired over the items and raters that "
                "both have.",
            )
    of_everyone = by_group.of_everyone(study, measure)
    beyond = by_group.beyond(study, measure, weights)
    if of_everyone is None:
        return
    figures = of_everyone | ({} if beyond is None else beyond.figures)
    differences: dict[str, AgreementFigure] = {}
    if beyond is None:
        note(*findings.TOO_MANY)
    elif compared != _NOTHING:
        other = by_group.beyond(*others[compared], weights)
        if other is not None:
            differences = beyond.differences(other)
    if not study.raters_are_persons:
        figures, differences = findings.for_these_raters(figures), findings.for_these_raters(differences)
    if differences:
        here = measure if others[compared][0] is study else f"group {study.candidate}"
        show_finding(findings.difference(differences, here, compared))
    conclude(
        "agreement",
        [(findings.agreement_table(figures, differences), f"Agreement of all raters on {measure}")],
        below=findings.why_no_interval(figures),
    )
