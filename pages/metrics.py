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
from features.metrics.difference import difference_program, difference_section
from features.metrics.findings import no_metric
from features.metrics.results import offered_metrics
from features.metrics.section import metrics_program, metrics_section
from features.plotting.panels import MOST
from ui.controls import measures_on_show
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
    render(
        "metric-difference",
        difference_section(opened, excluded, asked, None if joined is None else joined[1]),
        finding=finding,
        code=partial(difference_program, opened, excluded, asked, joined),
    )
    st.stop()
spec, joined = choose_metrics(opened)
if spec is None:
    with finding:
        show_finding(no_metric())
    st.stop()
file = None if joined is None else joined[1]
render(
    "metrics",
    metrics_section(opened, excluded, spec, file, measures_on_show(opened.measures, MOST)),
    finding=finding,
    code=partial(metrics_program, opened, excluded, spec, joined),
)
