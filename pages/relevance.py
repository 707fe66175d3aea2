"""Relevance: whether readers of a summary decide as readers of the whole document do."""

import streamlit as st

from findings.relevance import judgments
from panels.relevance import agreement, anova, kappa, metrics, order, partitions
from ui.conclusions import how_computed
from ui.visit.study import study
from ui.words import say

PANELS = {
    "Which summaries suffice": agreement,
    "Do raters agree": kappa,
    "Significant differences": anova,
    "Automatic metrics": metrics,
    "Partitions": partitions,
    "Order of presentation": order,
}

opened = study()
if not len(judgments.judgments(opened)):
    say("Nobody is left: everyone is left out. Choose fewer in the sidebar (<b>Leave out</b>).")
    st.stop()
question = st.segmented_control(
    "Question", list(PANELS), default=next(iter(PANELS)), required=True, key="about", bind="query-params"
)
panel = PANELS[question]
panel.show(opened)
how_computed(lambda: st.markdown(panel.EXPLANATION))
