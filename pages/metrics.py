"""Automatic metrics: how a metric agrees with raters, and what that becomes without some of them."""

from functools import partial

import streamlit as st

from features.metrics.controls import choose_metrics
from features.metrics.findings import no_metric
from features.metrics.section import metrics_program, metrics_section
from features.plotting.panels import MOST
from ui.controls import measures_on_show
from ui.render import render, show_finding
from ui.visit.filters import scenario
from ui.visit.study import study

opened, excluded, finding = study(), scenario(), st.container()
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
