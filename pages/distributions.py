"""Distributions: where the ratings lie on the scale, group beside group."""

import streamlit as st

from findings.code import distributions as program
from findings.distributions.descriptions import EXPLANATION, NO_RATINGS, finding, remarks, table
from panels.distributions import histograms
from panels.distributions.descriptions import descriptions
from panels.items.choose import offer_items
from ui.conclusions import show_code, show_finding
from ui.stages import conclude
from ui.tables import show_table
from ui.visit.study import study
from ui.words import say

opened = study()
described = descriptions(opened)
if not described:
    say(*NO_RATINGS)
    st.stop()
show_finding(finding(opened, described))
figure = histograms.show(opened)
rows, written = table(described)
alt = "Size, centre, spread and shape of each group's MOS per measure"
for row in show_table(rows, written, alt=alt, key="descriptions"):
    offer_items(opened, *described[row][:2])
conclude(
    "distributions",
    [],
    shown_above=[((rows, written), alt)],
    remarks=remarks(described),
    explanation=lambda: st.markdown(EXPLANATION),
    figure=figure,
)
show_code(lambda: program.code(opened, described))
