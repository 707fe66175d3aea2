"""Overview of a study of cross comprehension: how much summaries share, and whether length explains it."""

import streamlit as st

from features.comprehension.section import length_card, shares_card
from features.study import Study
from ui.render import render_card
from ui.visit.scenario import scenario


def show(study: Study) -> None:
    """Show the findings of two questions with their figures, without intervals."""
    shared, length = st.columns(2, gap="large")
    with shared:
        st.header("How much is shared")
        render_card("overview shares", shares_card(study, scenario()))
    with length:
        st.header("Summary length")
        render_card("overview length", length_card(study, scenario()))
