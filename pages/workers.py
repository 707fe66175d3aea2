"""Workers: who is reliable, and which system wins when that is taken into account."""

import streamlit as st

from findings.leaving_out import NOBODY_LEFT
from findings.workers.reliability import RATERS_ARE_SLOTS
from panels.parts.conclusions import how_computed
from panels.parts.words import say, warn
from panels.visit.study import study
from panels.workers import labels, preference, reliability, scale
from panels.workers.polls import is_pairs, polls

PANELS = {
    "Who is reliable": reliability,
    "Which system wins": preference,
    "More than two systems": scale,
    "Labels with gold": labels,
}

opened = study()
questions = ["Who is reliable"]
if opened.holds_choices and not polls(opened):
    say(*NOBODY_LEFT)
    st.stop()
if opened.holds_choices and is_pairs(opened):
    questions += ["Which system wins", "More than two systems"]
if opened.holds_choices and (not is_pairs(opened) or opened.whole.has("gold")):
    questions.append("Labels with gold")
question = st.segmented_control(
    "Question", questions, default=questions[0], required=True, key="about", bind="query-params"
)
if not opened.raters_are_persons:
    warn(*RATERS_ARE_SLOTS)
panel = PANELS[question]
panel.show(opened)
how_computed(lambda: st.markdown(panel.EXPLANATION))
