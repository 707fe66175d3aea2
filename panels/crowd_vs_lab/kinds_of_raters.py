"""The same figures of one measure for each kind of rater, where raters have attributes."""

import streamlit as st

from analysis.comparison.comparison import ComparisonSpec
from features.results import query
from features.study import Study
from findings.crowd_vs_lab.comparisons import by_subset
from findings.crowd_vs_lab.tables import kinds_table
from ui.controls import attribute_values
from ui.tables import show_table


def show(study: Study, spec: ComparisonSpec) -> None:
    """Draws the choice of an attribute and the figures for each of its values."""
    attributes = query(study.dataset, "rater_attributes")
    if not len(attributes["attribute"]):
        return
    st.header("By kind of rater")
    chosen = attribute_values(attributes, study.measures)
    if chosen is None:
        return
    measure, subsets = chosen
    compared = by_subset(study, measure, spec, subsets)
    if compared is None:
        return
    table = kinds_table(compared, [value for _, value in subsets], subsets[0][0])
    show_table(*table, alt=f"Figures per kind of rater for {measure}")
