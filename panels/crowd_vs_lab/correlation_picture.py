"""The Overview's part of Crowd vs lab: the finding, and a correlation per measure, at last with its interval."""

from collections.abc import Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from analysis.crowd_vs_lab.comparison import Comparison, ComparisonSpec
from charts.crowd_vs_lab.items import correlations
from charts.parts.theme import group_colour
from findings.crowd_vs_lab.agreement import order_finding
from findings.study import Study
from panels.crowd_vs_lab.comparisons import best_known, comparisons
from panels.parts.conclusions import conclude_that
from panels.parts.pictures import draw, look
from panels.parts.stages import show_stages

MOST_ITEMS = 1000
"""Items above which intervals of correlations are drawn on their own page only: they take many seconds."""


def show_at_a_glance(study: Study, place: DeltaGenerator) -> None:
    """Says and draws how alike both sides order the items, in a container of the page."""
    with place:
        told, picture = st.empty(), st.empty()
    spec = ComparisonSpec(raters_are_persons=study.raters_are_persons)
    known: Sequence[Comparison] = best_known(study, spec)
    with told:
        conclude_that(*order_finding(study, known))

    def show_correlations(compared: Sequence[Comparison], stage: str) -> None:
        if not any(each.spearman.defined for each in compared):
            return
        rows = [(measure, each.spearman) for measure, each in zip(study.measures, compared, strict=True)]
        draw(
            picture,
            correlations(rows, group_colour(study.candidate, study.groups), look()),
            key=f"overview_correlations {stage}",
            alt="Spearman's correlation with the reference per measure",
        )

    def with_intervals(closed: Sequence[Comparison]) -> Sequence[Comparison] | None:
        if max(each.items_shared for each in closed) > MOST_ITEMS:
            return None
        with place:
            compared = comparisons(study, spec)
        return None if compared == closed else compared

    show_stages(
        f"overview {study.key} {study.candidate} {study.reference_name} {study.measures}",
        known,
        show_correlations,
        ("with intervals", with_intervals),
    )
