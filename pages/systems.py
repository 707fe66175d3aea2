"""Systems: who is on top and how surely, any two of them, and for labels what stands for the systems: the classes."""

import streamlit as st

from features.polls import polls
from findings.leaving_out import NOBODY_LEFT
from findings.workers.reliability import RATERS_ARE_SLOTS
from panels.systems import scores
from panels.systems.questions import questions
from ui.conclusions import how_computed
from ui.visit.scenario import scenario
from ui.visit.study import study
from ui.words import say, warn

opened = study()
if not opened.holds_choices:
    scores.show(opened, scenario())
    how_computed(lambda: st.markdown(scores.EXPLANATION))
    st.stop()
if not polls(opened):
    say(*NOBODY_LEFT)
    st.stop()
asked = questions(opened)
question = next(iter(asked))
if len(asked) > 1:
    question = st.segmented_control(
        "Question", list(asked), default=question, required=True, key="about", bind="query-params"
    )
if not opened.raters_are_persons:
    warn(*RATERS_ARE_SLOTS)
panel = asked[question]
panel.show(opened)
how_computed(lambda: st.markdown(panel.EXPLANATION))
