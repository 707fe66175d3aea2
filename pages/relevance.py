"""Relevance: whether readers of a summary decide as readers of the whole document do."""

from functools import partial

import streamlit as st

from features.relevance import agreement_section, controls, metrics_section
from features.relevance.metrics_results import compute_other_sizes
from ui.render import render
from ui.visit.scenario import scenario
from ui.visit.study import study

opened, excluded = study(), scenario()
question = controls.choose_question()
full_text = controls.choose_full_text(opened)
finding = st.container()
match question:
    case controls.ACCURACY:
        accuracy = controls.choose_accuracy(full_text)
        section = agreement_section.accuracy_section
        code = partial(agreement_section.accuracy_program, opened, accuracy)
        render("relevance", section(opened, excluded, accuracy), finding=finding, code=code)
    case controls.RATERS:
        raters = controls.choose_raters(full_text)
        blocks, code = (
            agreement_section.raters_section(opened, excluded, raters),
            partial(agreement_section.raters_program, opened, raters),
        )
        render("kappa", blocks, finding=finding, code=code)
    case controls.DIFFERENCES:
        differences = controls.choose_differences(opened, full_text)
        blocks = agreement_section.differences_section(opened, excluded, differences)
        code = partial(agreement_section.differences_program, opened, differences)
        render("differences", blocks, finding=finding, code=code if differences.measure else None)
    case controls.METRICS:
        metric = controls.choose_metric(opened, full_text)
        blocks, code = (
            metrics_section.metrics_section(opened, excluded, metric),
            partial(metrics_section.metrics_program, opened, metric),
        )
        render("metrics", blocks, finding=finding, code=code if metric.metric else None)
    case controls.PARTITIONS:
        partitions = controls.choose_partitions(opened, full_text)
        blocks = metrics_section.partitions_section(opened, excluded, partitions)
        code = partial(metrics_section.partitions_program, opened, partitions)
        render("partitions", blocks, finding=finding, code=code if partitions.metric else None)
        if partitions.metric:
            compute_other_sizes(opened, partitions)
    case controls.ORDER:
        order = controls.choose_order()
        blocks, code = (
            agreement_section.order_section(opened, excluded, order),
            partial(agreement_section.order_program, opened, order),
        )
        render("order", blocks, finding=finding, code=code)
