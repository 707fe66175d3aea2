"""Overview: the open data set at a glance, and each page's finding with a small picture."""

from collections.abc import Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from analysis.crowd_vs_lab.comparison import Comparison, ComparisonSpec
from analysis.repetitions.repetition import RepetitionSpec
from charts.crowd_vs_lab.items import correlations
from charts.parts.numbers import count
from charts.parts.panels import MOST
from charts.parts.theme import group_colour
from data.kinds.definitions import KINDS
from findings.crowd_vs_lab.agreement import order_finding
from findings.distributions.descriptions import finding as distribution_finding
from findings.distributions.descriptions import sizes_table, widest_apart
from findings.repetitions.curves import finding as repetition_finding
from findings.repetitions.curves import in_focus
from panels.assessors import consistency
from panels.crowd_vs_lab import comparisons
from panels.distributions.descriptions import descriptions
from panels.distributions.histograms import of_item_mos
from panels.overview import answers, choices, judgments
from panels.parts.pictures import draw, look
from panels.parts.store import query
from panels.parts.tables import show_table
from panels.parts.words import note, say
from panels.repetitions.curve_picture import curves_figure
from panels.repetitions.rating_curves import fitted_curves
from panels.repetitions.simulation_controls import DEFAULT_SHUFFLES
from panels.visit.scenario import scenario
from panels.visit.study import study

AT_A_GLANCE = 1000
"""Items above which intervals of correlations are drawn on their own page only: they take many seconds."""

OTHER_KINDS = {
    "choices": choices,
    "comprehension": answers,
    "relevance": judgments,
}


def show_correlations(place: DeltaGenerator, found: Sequence[Comparison], key: str) -> None:
    rows = [(measure, each.spearman) for measure, each in zip(opened.measures, found, strict=True)]
    draw(
        place,
        correlations(rows, group_colour(opened.candidate, opened.groups), look()),
        key=key,
        alt="Spearman's correlation with the reference per measure",
    )


opened = study()
size = query(opened.dataset, "overview")
kind = KINDS[opened.dataset.kind]
say(
    "<b>{name}</b>: {rows} {what} of {items} {of} by {raters} {by}{groups}.",
    name=opened.dataset.name,
    rows=count(size["rows"][0]),
    what=kind.rows,
    items=count(size["items"][0]),
    of=kind.items,
    raters=count(size["raters"][0]),
    by=kind.raters,
    groups=f" in {len(opened.groups)} groups" if len(opened.groups) > 1 else "",
)
if opened.synthetic:
    note(
        "This built-in study is synthetic: made to resemble published results, not collected. "
        "Upload your own on the Data page."
    )
if opened.dataset.kind in OTHER_KINDS:
    OTHER_KINDS[opened.dataset.kind].show(opened)
    st.stop()

agreement, enough = st.columns(2, gap="large")
levels, assessors = st.columns(2, gap="large")
with agreement:
    st.subheader("Crowd vs lab")
    if not opened.comparable:
        say("There is one group only, and no numeric column to hold it against.")
    else:
        sentence, picture = st.empty(), st.empty()
with enough:
    st.subheader("Repetitions")
    if opened.reference == opened.candidate:
        say("Candidate and reference are the same group. Choose another reference in the sidebar.")
    else:
        fitted = fitted_curves(opened, RepetitionSpec(shuffles=DEFAULT_SHUFFLES), 1.0)
        say(*repetition_finding(opened, fitted))
        focus = in_focus(fitted)
        draw(
            st,
            curves_figure(opened, [focus], "Spearman's ρ"),
            key="overview_curves",
            alt=f"Correlation of {focus.measure} against the number of ratings per item",
        )
with levels:
    st.subheader("Distributions")
    described = descriptions(opened)
    say(*distribution_finding(opened, described))
    draw(
        st,
        of_item_mos(opened, [widest_apart(described)]),
        key="overview_histogram",
        alt=f"Histogram of item MOS of {widest_apart(described)}",
    )
with assessors:
    st.subheader("Assessors")
    consistency.show_at_a_glance(opened, scenario(), opened.measures[:MOST])
st.subheader("What was rated by whom")
show_table(*sizes_table(query(opened.dataset, "cells")), alt="Ratings per measure and group", most=11)

if opened.comparable:
    spec = ComparisonSpec(raters_are_persons=opened.raters_are_persons)
    known = comparisons.best_known(opened, spec)
    with sentence:
        say(*order_finding(opened, known))
    show_correlations(picture, known, "overview_correlations")
    found = None
    if max(each.items_shared for each in known) <= AT_A_GLANCE:
        with agreement:
            found = comparisons.comparisons(opened, spec)
    if found is not None and found != known:
        show_correlations(picture, found, "overview_correlations_intervals")
