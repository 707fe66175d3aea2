"""Relevance: whether readers of a summary decide as readers of the whole document do."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import streamlit as st

from features.blocks import Block
from features.program import section_program
from features.relevance import agreement_section, controls, metrics_results, metrics_section
from ui.render import render
from ui.visit.filters import scenario
from ui.visit.study import study

opened, excluded = study(), scenario()


def show(name: str, section: Callable[..., Iterator[Block]], spec: Any, has_code: bool = True) -> None:
    """Render the section of a question, and the program that computes its results."""
    code = partial(section_program, section, opened, spec)
    render(name, section(opened, excluded, spec), finding=finding, code=code if has_code else None)


question = controls.choose_question()
full_text = controls.choose_full_text(opened)
finding = st.container()
match question:
    case controls.ACCURACY:
        show("relevance", agreement_section.accuracy_section, controls.choose_accuracy(opened, full_text))
    case controls.RATERS:
        show("kappa", agreement_section.raters_section, controls.choose_raters(full_text))
    case controls.DIFFERENCES:
        measured = controls.choose_differences(opened, full_text)
        show("differences", agreement_section.differences_section, measured, bool(measured.measure))
    case controls.METRICS:
        metric = controls.choose_metric(opened, full_text)
        show("metrics", metrics_section.metrics_section, metric, bool(metric.metric))
    case controls.PARTITIONS:
        parts = controls.choose_partitions(opened, full_text)
        show("partitions", metrics_section.partitions_section, parts, bool(parts.metric))
        if parts.metric:
            metrics_results.compute_other_sizes(opened, parts)
    case controls.ORDER:
        show("order", agreement_section.order_section, controls.choose_order())
