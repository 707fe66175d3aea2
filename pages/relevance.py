"""Relevance: whether readers of a summary decide as readers of the whole document do."""

import streamlit as st

from pages import (
    _judgments,
    _relevance_agreement_panel,
    _relevance_anova_panel,
    _relevance_kappa_panel,
    _relevance_metrics_panel,
    _relevance_order_panel,
    _relevance_partitions_panel,
)
from pages._study import study
from pages._words import how_computed, say

PANELS = {
    "Which summaries suffice": _relevance_agreement_panel,
    "Do raters agree": _relevance_kappa_panel,
    "Significant differences": _relevance_anova_panel,
    "Automatic metrics": _relevance_metrics_panel,
    "Partitions": _relevance_partitions_panel,
    "Order of presentation": _relevance_order_panel,
}

opened = study()
if not len(_judgments.judgments(opened)):
    say("Nobody is left: everyone is left out. Choose fewer in the sidebar (<b>Leave out</b>).")
    st.stop()
question = st.segmented_control(
    "Question", list(PANELS), default=next(iter(PANELS)), required=True, key="about", bind="query-params"
)
panel = PANELS[question]
panel.show(opened)
how_computed(lambda: st.markdown(panel.EXPLANATION))
