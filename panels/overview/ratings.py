"""Overview of a study of ratings: each page's finding with a small picture, then what was rated by whom."""

import streamlit as st

from charts.parts.panels import MOST
from findings.distributions.descriptions import sizes_table
from findings.overview.open_dataset import ONE_GROUP, SAME_GROUP
from findings.study import Study
from panels.assessors import consistency
from panels.crowd_vs_lab import correlation_picture
from panels.distributions import histograms
from panels.parts.store import query
from panels.parts.tables import show_table
from panels.parts.words import say
from panels.repetitions import curve_picture
from panels.visit.scenario import scenario


def show(study: Study) -> None:
    """The findings of four pages with their pictures; correlations last, since their intervals take longest."""
    left, right = st.columns(2, gap="large")
    agreement, levels = left.container(), left.container()
    enough, assessors = right.container(), right.container()
    agreement.subheader("Crowd vs lab")
    with enough:
        st.subheader("Repetitions")
        if study.reference == study.candidate:
            say(*SAME_GROUP)
        else:
            curve_picture.show_at_a_glance(study)
    with levels:
        st.subheader("Distributions")
        histograms.show_at_a_glance(study)
    with assessors:
        st.subheader("Assessors")
        consistency.show_at_a_glance(study, scenario(), study.measures[:MOST])
    st.subheader("What was rated by whom")
    show_table(*sizes_table(query(study.dataset, "cells")), alt="Ratings per measure and group", most=11)
    if study.comparable:
        correlation_picture.show_at_a_glance(study, agreement)
    else:
        with agreement:
            say(*ONE_GROUP)
