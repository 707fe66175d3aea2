"""Distributions: where the ratings lie on the scale, group beside group."""

import streamlit as st

from findings.distributions.descriptions import EXPLANATION, finding, remarks, table
from panels.distributions import histograms
from panels.distributions.descriptions import descriptions
from panels.parts.conclusions import conclude_that
from panels.parts.stages import conclude
from panels.visit.study import study

opened = study()
described = descriptions(opened)
conclude_that(*finding(opened, described))
figure = histograms.show(opened)
conclude(
    "distributions",
    [(table(described), "Size, centre, spread and shape of each group's MOS per measure")],
    remarks=remarks(described),
    explanation=lambda: st.markdown(EXPLANATION),
    figure=lambda: figure,
)
