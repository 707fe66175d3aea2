"""Assessors: who rates consistently, and what changes when some of them are left out."""

import streamlit as st

from panels.assessors import (
    consistency,
    exclusion,
    variance,
    with_others,
)
from ui.conclusions import how_computed
from ui.visit.scenario import scenario
from ui.visit.study import study
from ui.words import warn

PANELS = {
    "Who is consistent": consistency,
    "Who agrees with the others": with_others,
    "What if they go": exclusion,
    "Where the variance comes from": variance,
}

opened = study()
question = st.segmented_control(
    "Question", list(PANELS), default=next(iter(PANELS)), required=True, key="question", bind="query-params"
)
if not opened.raters_are_persons:
    warn(
        "Rater ids are only slots here, not persons: what is said of a rater holds for a column of the file, and "
        "intervals over raters do not show chance over persons."
    )
panel = PANELS[question]
panel.show(opened, scenario())
how_computed(lambda: st.markdown(panel.EXPLANATION))
