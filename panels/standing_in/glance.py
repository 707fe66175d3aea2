"""Standing in at a glance: who may take the place of a rater of the reference."""

import streamlit as st

from features.study import Study
from findings.standing_in.candidates import finding
from findings.standing_in.standings import as_usual, at_a_glance
from ui.conclusions import show_finding


def show_at_a_glance(study: Study) -> None:
    """The finding by usual settings under its heading, without intervals; nothing where nobody is tested at once."""
    study = study.between_raters
    asked = as_usual(study)
    if standings := at_a_glance(study, asked):
        st.header("Standing in")
        show_finding(finding(asked, standings))
