"""Workers: who is reliable."""

import streamlit as st

from features.polls import polls
from findings.leaving_out import NOBODY_LEFT
from findings.workers.reliability import RATERS_ARE_SLOTS
from panels.workers import reliability
from ui.conclusions import how_computed
from ui.visit.study import study
from ui.words import say, warn

opened = study()
if not polls(opened):
    say(*NOBODY_LEFT)
    st.stop()
if not opened.raters_are_persons:
    warn(*RATERS_ARE_SLOTS)
reliability.show(opened)
how_computed(lambda: st.markdown(reliability.EXPLANATION))
