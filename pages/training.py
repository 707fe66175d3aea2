"""Training a metric: numbers of the items that predict the raters, and if excluding some raters helps."""

import streamlit as st

from features.metrics.controls import choose_training
from features.metrics.training import missing_data, training_section
from ui.render import render_section, show_finding
from ui.visit.filters import scenario
from ui.visit.study import study

opened, excluded, finding = study(), scenario(), st.container()
if (missing := missing_data(opened)) is not None:
    with finding:
        show_finding(missing)
    st.stop()
spec = choose_training(opened)
render_section(
    "training",
    training_section,
    opened,
    spec,
    scenario=excluded,
    in_program=True,
    has_code=spec is not None,
    finding=finding,
)
