"""Overview of a study of ratings: each page's finding with a small picture, then what was rated by whom."""

from collections.abc import Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from analysis.crowd_vs_lab.comparison import Comparison, ComparisonSpec
from analysis.repetitions.repetition import RepetitionSpec
from charts.crowd_vs_lab.items import correlations
from charts.parts.panels import MOST
from charts.parts.theme import group_colour
from findings.crowd_vs_lab.agreement import order_finding
from findings.distributions.descriptions import finding as distribution_finding
from findings.distributions.descriptions import sizes_table, widest_apart
from findings.overview.open_dataset import ONE_GROUP, SAME_GROUP
from findings.repetitions.curves import finding as repetition_finding
from findings.repetitions.curves import in_focus
from findings.study import Study
from panels.assessors import consistency
from panels.crowd_vs_lab.comparisons import best_known, comparisons
from panels.distributions.descriptions import descriptions
from panels.distributions.histograms import of_item_mos
from panels.parts.pictures import draw, look
from panels.parts.stages import show_stages
from panels.parts.store import query
from panels.parts.tables import show_table
from panels.parts.words import say
from panels.repetitions.curve_picture import curves_figure
from panels.repetitions.rating_curves import fitted_curves
from panels.repetitions.settings import SYMBOLS
from panels.repetitions.simulation_controls import DEFAULT_SHUFFLES
from panels.visit.scenario import scenario

AT_A_GLANCE = 1000
"""Items above which intervals of correlations are drawn on their own page only: they take many seconds."""


def show(study: Study) -> None:
    """The findings of four pages with their pictures; the intervals of correlations last."""
    agreement, enough = st.columns(2, gap="large")
    levels, assessors = st.columns(2, gap="large")
    with agreement:
        st.subheader("Crowd vs lab")
        told, picture = st.empty(), st.empty()
    with enough:
        st.subheader("Repetitions")
        _show_repetitions(study)
    with levels:
        st.subheader("Distributions")
        _show_distributions(study)
    with assessors:
        st.subheader("Assessors")
        consistency.show_at_a_glance(study, scenario(), study.measures[:MOST])
    st.subheader("What was rated by whom")
    show_table(*sizes_table(query(study.dataset, "cells")), alt="Ratings per measure and group", most=11)
    if study.comparable:
        _show_agreement(study, told, picture, agreement)
    else:
        with told:
            say(*ONE_GROUP)


def _show_repetitions(study: Study) -> None:
    if study.reference == study.candidate:
        say(*SAME_GROUP)
        return
    spec = RepetitionSpec(shuffles=DEFAULT_SHUFFLES)
    fitted = fitted_curves(study, spec, 1.0)
    say(*repetition_finding(study, fitted))
    focus = in_focus(fitted)
    draw(
        st,
        curves_figure(study, [focus], SYMBOLS[spec.correlation]),
        key="overview_curves",
        alt=f"Correlation of {focus.measure} against the number of ratings per item",
    )


def _show_distributions(study: Study) -> None:
    described = descriptions(study)
    say(*distribution_finding(study, described))
    measure = widest_apart(described)
    draw(
        st,
        of_item_mos(study, [measure]),
        key="overview_histogram",
        alt=f"Histogram of item MOS of {measure}",
    )


def _show_agreement(
    study: Study, told: DeltaGenerator, picture: DeltaGenerator, column: DeltaGenerator
) -> None:
    spec = ComparisonSpec(raters_are_persons=study.raters_are_persons)
    known = best_known(study, spec)
    with told:
        say(*order_finding(study, known))

    def show_correlations(compared: Sequence[Comparison], stage: str) -> None:
        rows = [(measure, each.spearman) for measure, each in zip(study.measures, compared, strict=True)]
        draw(
            picture,
            correlations(rows, group_colour(study.candidate, study.groups), look()),
            key=f"overview_correlations {stage}",
            alt="Spearman's correlation with the reference per measure",
        )

    def with_intervals(closed: Sequence[Comparison]) -> Sequence[Comparison] | None:
        if max(each.items_shared for each in closed) > AT_A_GLANCE:
            return None
        with column:
            compared = comparisons(study, spec)
        return None if compared == closed else compared

    show_stages(
        f"overview {study.key} {study.candidate} {study.reference_name} {study.measures}",
        known,
        show_correlations,
        ("with intervals", with_intervals),
    )
