"""Corrected scores: what a candidate on many items adds to the reference on some of them, folded."""

import streamlit as st

from analysis.values.names import distinct_label
from charts.standing_in.corrected import corrected_dots
from features.study import Study
from findings.standing_in import corrected as findings
from findings.standing_in.candidates import Asked, Standing
from findings.standing_in.standings import Candidate
from ui.conclusions import show_finding
from ui.pictures import draw, look
from ui.tables import show_table
from ui.words import note


def show(
    study: Study, asked: Asked, candidates: tuple[Candidate, ...], standings: tuple[Standing, ...]
) -> None:
    """Which candidate with which weight, the finding, the scores and their table."""
    if asked.score != "negative rmse":
        return
    fold = st.expander("Scores corrected with a candidate's help", on_change="rerun", key="corrected_scores")
    if not fold.open:
        return
    with fold:
        by_name = dict(
            zip((one.name for one in candidates), zip(candidates, standings, strict=True), strict=True)
        )
        with st.container(horizontal=True, vertical_alignment="bottom"):
            name = next(iter(by_name))
            if len(by_name) > 1:
                name = st.selectbox(
                    "With the help of",
                    list(by_name),
                    format_func=distinct_label,
                    key="corrected_by",
                    bind="query-params",
                    width=260,
                )
            weight = st.number_input(
                "Weight λ of the candidate",
                0.0,
                None,
                None,
                0.1,
                key="candidate_weight",
                bind="query-params",
                placeholder="tuned to the data",
                width=220,
                help="Left empty: as the candidate goes with the reference on the items that both have. 1: the plain "
                "form; 0: the reference alone.",
            )
        scores = findings.corrected(study, asked, *by_name[name], None if weight is None else float(weight))
        show_finding(findings.finding(asked, scores))
        if scores.items == scores.rated:
            return
        each = scores.scores.values()
        if any(one.tuned.defined for one in each):
            draw(
                st,
                corrected_dots(
                    list(scores.scores), [one.reference for one in each], [one.tuned for one in each], look()
                ),
                key="corrected scores",
                alt="Corrected scores beside those of the reference alone",
            )
        show_table(*findings.table(scores), alt="Corrected scores", most=12)
        note(*findings.RANDOM)
