"""Agreement: how far the raters of a group agree, and whether their ratings repeat."""

import streamlit as st

from features.rater_agreement import fewest_raters
from findings.agreement import by_group
from findings.agreement.summary import (
    EXPLANATION,
    FIRST,
    agreement_table,
    anything,
    finding,
    full_table,
    remarks,
)
from findings.code import agreement as program
from panels.agreement import all_figures, picture
from ui.conclusions import how_computed, show_code, show_finding
from ui.controls import choose_scope
from ui.stages import conclude
from ui.visit.study import study

opened = study()
told = st.empty()
scope = choose_scope(fewest_raters(opened, opened.candidate), opened.raters_are_persons)
pictures = st.empty()
closed = by_group.at_a_glance(opened, scope)
if closed is None:
    st.stop()
with told.container():
    show_finding(finding(opened, closed))
if not anything(closed):
    st.stop()
with pictures.container():
    figure = picture.show(opened, closed)
agreed = by_group.with_halves(opened, closed, scope) or closed
conclude(
    "agreement of raters",
    [(agreement_table(opened, agreed), "Agreement per measure and group")],
    first=FIRST,
    below=remarks(opened, agreed),
    download=lambda: full_table(opened, agreed),
    figure=figure,
)
all_figures.show(opened)
how_computed(lambda: st.markdown(EXPLANATION))
show_code(lambda: program.code(opened, agreed, scope))
