"""Training a metric: numbers of the items that predict the raters, and if excluding some raters helps."""

from functools import partial

import streamlit as st

from features.metrics.controls import choose_training
from features.metrics.training import missing_data, training_section
from features.program import section_program
from ui.render import render, show_finding
from ui.visit.filters import scenario
from ui.visit.study import study

opened, excluded, finding = study(), scenario(), st.container()
if (missing := missing_data(opened)) is not None:
    with finding:
        show_finding(missing)
    st.stop()
spec = choose_training(opened)
render(
    "training",
    training_section(opened, excluded, spec),
    finding=finding,
    code=None if spec is None else partial(section_program, training_section, opened, spec, excluded),
)
