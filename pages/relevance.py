"""Relevance: whether readers of a summary decide as readers of the whole document do."""

from functools import partial

import streamlit as st

from features.relevance import agreement_section, controls, metrics_results, metrics_section
from ui.render import render_section
from ui.visit.filters import scenario
from ui.visit.study import study

opened, excluded = study(), scenario()
question = controls.choose_question()
full_text = controls.choose_full_text(opened)
show = partial(render_section, study=opened, scenario=excluded, finding=st.container())
match question:
    case controls.ACCURACY:
        accuracy = controls.choose_accuracy(opened, full_text)
        show("relevance", agreement_section.accuracy_section, spec=accuracy)
    case controls.RATERS:
        show("kappa", agreement_section.raters_section, spec=controls.choose_raters(full_text))
    case controls.DIFFERENCES:
        measured = controls.choose_differences(opened, full_text)
        show(
            "differences",
            agreement_section.differences_section,
            spec=measured,
            has_code=bool(measured.measure),
        )
    case controls.METRICS:
        metric = controls.choose_metric(opened, full_text)
        show("metrics", metrics_section.metrics_section, spec=metric, has_code=bool(metric.metric))
    case controls.PARTITIONS:
        parts = controls.choose_partitions(opened, full_text)
        show("partitions", metrics_section.partitions_section, spec=parts, has_code=bool(parts.metric))
        if parts.metric:
            metrics_results.compute_other_sizes(opened, parts)
    case controls.ORDER:
        show("order", agreement_section.order_section, spec=controls.choose_order())
