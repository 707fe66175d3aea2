"""Several candidates: whether they err alike, folded."""

import streamlit as st

from analysis.values.names import distinct_label
from features.study import Study
from findings.standing_in import several as findings
from findings.standing_in.candidates import Asked, Standing
from findings.standing_in.standings import Candidate
from ui.conclusions import show_finding
from ui.tables import show_table
from ui.words import note


def show(
    study: Study, asked: Asked, candidates: tuple[Candidate, ...], standings: tuple[Standing, ...]
) -> None:
    """Which candidates, the finding, and every two of them; nothing where there are fewer than two."""
    offered = findings.comparable(candidates, standings)
    if len(offered) < 2 or study.holds_choices:
        return
    fold = st.expander("Do the candidates err alike?", on_change="rerun", key="shared_errors")
    if not fold.open:
        return
    with fold:
        names = st.multiselect(
            "Candidates",
            list(offered),
            [name for name, one in offered.items() if one.kind != "rater"],
            format_func=distinct_label,
            key="errors_of",
            bind="query-params",
            help="Items count that all of them have a value of.",
        )
        if len(names) < 2:
            note("Choose two candidates or more.")
            return
        errors = findings.found(study, asked, [offered[name] for name in names], standings)
        if errors is None:
            return
        show_finding(findings.finding(asked, names, errors))
        if not errors.reason:
            show_table(*findings.table(names, errors), alt="Errors of every two candidates", most=8)
            note(*findings.NOTE)
