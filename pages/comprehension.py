"""Comprehension: how much of what one author found important is in another author's summary."""

import streamlit as st

from pages import (
    _comprehension_judges_panel,
    _comprehension_length_panel,
    _comprehension_machine_panel,
    _comprehension_matrix_panel,
    _comprehension_shares_panel,
)
from pages._study import study
from pages._words import how_computed

PANELS = {
    "How much is shared": _comprehension_shares_panel,
    "Author by author": _comprehension_matrix_panel,
    "Summary length": _comprehension_length_panel,
    "Judges": _comprehension_judges_panel,
    "Machine summaries": _comprehension_machine_panel,
}

opened = study()
question = st.segmented_control(
    "Question", list(PANELS), default=next(iter(PANELS)), required=True, key="about", bind="query-params"
)
panel = PANELS[question]
panel.show(opened)
how_computed(lambda: st.markdown(panel.EXPLANATION))
