"""What comparisons become without the raters of the scenario, beside the same figures with everyone."""

from collections.abc import Sequence

import streamlit as st

from analysis.comparison.comparison import Comparison, ComparisonSpec, OrderAlone
from features.study import Study
from findings.crowd_vs_lab.comparisons import best_known, first_known
from findings.crowd_vs_lab.tables import leaving_out_table
from findings.leaving_out import most_changed
from ui.conclusions import show_finding
from ui.tables import show_table
from ui.visit.scenario import scenario


def say_change(study: Study, spec: ComparisonSpec, without: Sequence[Comparison | OrderAlone]) -> None:
    """The measure whose correlation changes most without the raters left out."""
    if study.dataset.without:
        changes = [
            (measure, before.spearman, after.spearman)
            for measure, before, after in zip(
                study.measures, first_known(study.everyone, spec), without, strict=True
            )
        ]
        show_finding(most_changed(scenario(), changes, "Spearman's ρ"))


def show(study: Study, spec: ComparisonSpec, without: Sequence[Comparison]) -> None:
    """Agreement and level per measure with everyone, without the raters left out, and the difference."""
    if study.dataset.without:
        st.header("What leaving them out changes")
        show_table(
            *leaving_out_table(study, best_known(study.everyone, spec), without),
            alt="Figures with everyone and without the raters left out",
        )
