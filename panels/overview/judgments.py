"""Overview of a study of relevance: which summaries suffice, and whether raters agree."""

import streamlit as st

from features.relevance.agreement_section import accuracy_card, raters_card
from features.relevance.controls import choose_full_text
from features.study import Study
from ui.render import render_card
from ui.visit.scenario import scenario


def show(study: Study) -> None:
    """Show the findings of two questions with their figures, without intervals."""
    full_text, excluded = choose_full_text(study), scenario()
    suffice, agree = st.columns(2, gap="large")
    with suffice:
        st.header("Which summaries suffice")
        render_card("overview accuracy", accuracy_card(study, excluded, full_text))
    with agree:
        st.header("Do raters agree")
        render_card("overview kappa", raters_card(study, excluded, full_text))
