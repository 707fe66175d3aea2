"""Planning: how many items, raters and ratings a study needs, before it is carried out."""

import streamlit as st

from panels.planning.questions import questions
from ui.conclusions import how_computed, show_code
from ui.controls import usually
from ui.visit.study import study

opened = study()
asked = questions(opened)
question = st.segmented_control(
    "Question",
    list(asked),
    default=usually("plan", next(iter(asked))),
    required=True,
    key="plan",
    bind="query-params",
    label_visibility="collapsed",
)
panel = asked[question]
write = panel.show(opened)
how_computed(lambda: st.markdown(panel.EXPLANATION))
if write is not None:
    show_code(write)
