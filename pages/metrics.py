"""Automatic metrics: how a metric agrees with raters, and what that becomes without some of them."""

from functools import partial

import streamlit as st

from features.metrics.controls import (
    AGREEMENT,
    DIFFERENCE,
    choose_difference,
    choose_metrics,
    choose_question,
)
from features.metrics.difference import difference_section
from features.metrics.results import joined_file_in_use, offered_metrics
from features.metrics.section import metrics_section, no_metric
from features.plotting.panels import MOST
from features.program import section_program
from ui.controls import choose_shown_measures
from ui.render import render, show_finding
from ui.visit.filters import scenario
from ui.visit.study import joinable_metrics, study

opened, excluded = study(), scenario()
has_metric = bool(offered_metrics(opened, None) or joinable_metrics(opened))
question = choose_question() if has_metric and opened.whole.has("system") else AGREEMENT
finding = st.container()
if question == DIFFERENCE:
    asked, joined = choose_difference(opened)
    if asked is None:
        with finding:
            show_finding(no_metric())
        st.stop()
    used = joined_file_in_use((asked.metric, *asked.compared), joined)
    render(
        "metric-difference",
        difference_section(opened, excluded, asked, None if joined is None else joined[1]),
        finding=finding,
        code=partial(section_program, difference_section, opened, asked, excluded, used),
    )
    st.stop()
spec, joined = choose_metrics(opened)
if spec is None:
    with finding:
        show_finding(no_metric())
    st.stop()
file, used = None if joined is None else joined[1], joined_file_in_use((spec.metric, *spec.compared), joined)
render(
    "metrics",
    metrics_section(opened, excluded, spec, file, choose_shown_measures(opened.measures, MOST)),
    finding=finding,
    code=partial(section_program, metrics_section, opened, spec, excluded, used),
)
