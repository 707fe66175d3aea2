"""The Overview's part of the comparison: the finding, and a correlation per measure and group with its interval."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from analysis.comparison.comparison import ComparisonSpec
from features.study import Study
from findings.crowd_vs_lab.agreement import order_finding
from findings.crowd_vs_lab.all_groups import ByGroup, candidates, finding
from findings.crowd_vs_lab.comparisons import best_known, comparisons
from findings.crowd_vs_lab.every_group import at_hand, correlation_dots, of_all
from ui.conclusions import show_finding
from ui.pictures import draw, look
from ui.stages import show_stages

MOST_ITEMS = 1000
"""Items above which intervals of correlations are drawn on their own page only: they take many seconds."""


def show_at_a_glance(study: Study, place: DeltaGenerator) -> None:
    """Says and draws how alike the groups and the reference order the items, in a container of the page."""
    with place:
        told, picture = st.empty(), st.empty()
    spec = ComparisonSpec(raters_are_persons=study.raters_are_persons, scope=None)
    groups = candidates(study)
    with place:
        known = at_hand(study, spec) if len(groups) > 1 else {study.candidate: best_known(study, spec)}
    if known is None:
        return

    def show_correlations(compared: ByGroup, stage: str) -> None:
        with told:
            show_finding(
                finding(study, compared)
                if len(groups) > 1
                else order_finding(study, compared[study.candidate])
            )
        if any(each.spearman.defined for of in compared.values() for each in of):
            draw(
                picture,
                correlation_dots(study, compared, look()),
                key=f"overview_correlations {stage}",
                alt="Spearman's correlation with the reference per measure and group",
            )

    def with_intervals(closed: ByGroup) -> ByGroup | None:
        if max(each.items_shared for of in closed.values() for each in of) > MOST_ITEMS:
            return None
        with place:
            compared = of_all(study, spec) if len(groups) > 1 else _alone(study, spec)
        return None if compared == closed else compared

    show_stages(
        known,
        show_correlations,
        ("with intervals", with_intervals),
    )


def _alone(study: Study, spec: ComparisonSpec) -> ByGroup | None:
    compared = comparisons(study, spec)
    return None if compared is None else {study.candidate: compared}
