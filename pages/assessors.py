"""Assessors: who rates consistently, and what changes when some of them are left out."""

import streamlit as st

from pages import _consistency_panel, _exclusion_panel, _metrics_panel, _pyramid_panel, _training_panel
from pages._scenario import scenario
from pages._study import study
from pages._words import how_computed, warn

PANELS = {
    "Who is consistent": _consistency_panel,
    "What if they go": _exclusion_panel,
    "Automatic metrics": _metrics_panel,
    "Pyramid": _pyramid_panel,
    "Training a metric": _training_panel,
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
