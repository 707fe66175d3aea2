"""Relevance: whether readers of a summary decide as readers of the whole document do."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import streamlit as st

from features.blocks import Block
from features.program import study_program
from features.relevance import (
    agreement_results,
    agreement_section,
    controls,
    metrics_results,
    metrics_section,
)
from ui.render import render
from ui.visit.filters import scenario
from ui.visit.study import study

opened, excluded = study(), scenario()


def show(
    name: str,
    section: Callable[..., Iterator[Block]],
    compute: Callable[..., Any],
    spec: Any,
    has_code: bool = True,
    results: str = "found.figures",
) -> None:
    """Render the section of a question, and the program that computes its results."""
    code = partial(study_program, opened, None, compute, spec, [f"results = {results}"])
    render(name, section(opened, excluded, spec), finding=finding, code=code if has_code else None)


question = controls.choose_question()
full_text = controls.choose_full_text(opened)
finding = st.container()
match question:
    case controls.ACCURACY:
        accuracy = controls.choose_accuracy(opened, full_text)
        show("relevance", agreement_section.accuracy_section, agreement_results.accuracy_stages, accuracy)
    case controls.RATERS:
        raters = controls.choose_raters(full_text)
        show("kappa", agreement_section.raters_section, agreement_results.rater_stages, raters)
    case controls.DIFFERENCES:
        measured = controls.choose_differences(opened, full_text)
        compute, has_code = agreement_results.compare_surrogates, bool(measured.measure)
        show("differences", agreement_section.differences_section, compute, measured, has_code)
    case controls.METRICS:
        metric = controls.choose_metric(opened, full_text)
        stages, has_code = metrics_results.metric_stages, bool(metric.metric)
        show("metrics", metrics_section.metrics_section, stages, metric, has_code)
    case controls.PARTITIONS:
        parts = controls.choose_partitions(opened, full_text)
        has_code = bool(parts.metric)
        show(
            "partitions",
            metrics_section.partitions_section,
            metrics_results.partition_stages,
            parts,
            has_code,
        )
        if has_code:
            metrics_results.compute_other_sizes(opened, parts)
    case controls.ORDER:
        drawn, stages_of_order = controls.choose_order(), agreement_results.order_stages
        show("order", agreement_section.order_section, stages_of_order, drawn, results="found.pairs")
