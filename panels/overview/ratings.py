"""Overview of a study of ratings: each page's finding with a small picture, then what was rated by whom."""

from dataclasses import replace

import streamlit as st

from features.agreement.section import agreement_card
from features.comparison.section import groups_card
from features.distributions.findings import sizes_table
from features.distributions.section import distributions_card
from features.planning.section import planning_card
from features.plotting.panels import MOST
from features.raters.consistency_section import consistency_card
from features.repetitions.ratings_section import ratings_card
from features.replacement.section import replacement_card
from features.results import query
from features.study import Study
from features.systems.scores_section import scores_card
from findings.pages import comparison_title
from ui.render import render_card
from ui.tables import show_table
from ui.visit.scenario import scenario
from ui.visit.study import holding_of


def show(study: Study) -> None:
    """The findings of the pages with their pictures; systems' scores and correlations last, for their intervals."""
    left, right = st.columns(2, gap="large")
    agreement, levels, systems = left.container(), left.container(), left.container()
    enough, assessors = right.container(), right.container()
    comparison = comparison_title(holding_of(study.whole))
    agreement.header(comparison if study.comparable else "Agreement")
    with enough:
        st.header("Repetitions")
        render_card("overview repetitions", ratings_card(study))
    with levels:
        st.header("Distributions")
        render_card("overview distributions", distributions_card(study, comparison))
    with assessors:
        st.header("Assessors")
        some = replace(study, measures=study.measures[:MOST])
        render_card("overview raters", consistency_card(some, scenario()))
    with right:
        st.header("Planning")
        render_card("overview planning", planning_card(study))
    with left:
        render_card("overview replacement", replacement_card(study))
    with systems:
        if study.whole.has("system"):
            st.header("Systems")
            render_card("overview systems", scores_card(study, scenario()))
    st.header("What was rated by whom")
    show_table(*sizes_table(query(study.dataset, "cells")), alt="Ratings per measure and group", most=11)
    with agreement:
        if study.comparable:
            render_card("overview comparison", groups_card(study))
        else:
            render_card("overview agreement", agreement_card(study, scenario()))
