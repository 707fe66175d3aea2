"""Comprehension: how much of what one author found important is in another author's summary."""

import streamlit as st

from panels.comprehension import judges, length, machine, matrix, shares
from ui.conclusions import how_computed
from ui.visit.study import study

PANELS = {
    "How much is shared": shares,
    "Author by author": matrix,
    "Summary length": length,
    "Judges": judges,
    "Machine summaries": machine,
}

opened = study()
question = st.segmented_control(
    "Question", list(PANELS), default=next(iter(PANELS)), required=True, key="about", bind="query-params"
)
panel = PANELS[question]
panel.show(opened)
how_computed(lambda: st.markdown(panel.EXPLANATION))
