"""Metrics against each other on the same human scores, below what one of them says."""

from collections.abc import Callable, Mapping

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from analysis.correlation.metric_comparison import MetricPair, compare_metrics
from analysis.correlation.rows import CorrelationName
from analysis.values.estimate import BootstrapSpec
from features.exclusion import kind_of_ranked
from features.results import key_of, long_result, part
from features.study import Scenario, Study
from findings import metric_comparison as findings
from findings.assessors.metric_rows import rows_of
from panels.assessors.metric_rows import Metric
from ui.conclusions import show_finding
from ui.errors import told_in_words
from ui.metrics_compared import metrics_compared
from ui.stages import conclude

Pairs = Mapping[str, tuple[MetricPair, ...]]


def show(
    study: Study,
    scenario: Scenario,
    offered: Mapping[str, Metric],
    term: str,
    correlation: CorrelationName,
    kind: str,
    spec: BootstrapSpec,
) -> list[Metric]:
    """Which metrics, the finding, a row per pair and measure, what the columns do not say; the metrics compared."""
    st.header("Which metric goes better with the raters")
    names = metrics_compared(
        "metrics_compared",
        list(offered),
        "ratings for which both are known, by the raters who are not left out",
    )
    if not names:
        return []
    with told_in_words():
        values = {name: offered[name].values() for name in names}
    known = {name: column for name, column in values.items() if column is not None}
    if len(known) < len(names):
        return []
    pairs = _pairs(study, scenario, [offered[name] for name in names], known, correlation, kind, spec)
    if pairs is None:
        return []
    what = kind_of_ranked(study, study.measures[0])
    show_finding(findings.finding(pairs, term, what))
    conclude(
        "metric_pairs",
        [
            (
                findings.table(pairs),
                "Every two metrics: difference of their correlations with the human scores",
            )
        ],
        notes=findings.notes(what, spec, len(names) * (len(names) - 1) // 2),
        remarks=findings.remarks(pairs, what),
    )
    return [offered[name] for name in names]


def _pairs(
    study: Study,
    scenario: Scenario,
    metrics: list[Metric],
    values: Mapping[str, NDArray[np.float64]],
    correlation: CorrelationName,
    kind: str,
    spec: BootstrapSpec,
) -> Pairs | None:
    """Every two metrics by measure; None while stopped."""

    def compute(on_progress: Callable[[float], object]) -> Pairs:
        by_measure = {}
        for at, measure in enumerate(study.measures):
            item, system, topic, rater, score = rows_of(study, measure, kind)
            stays = ~np.isin(rater, list(scenario.left_out_codes))
            by_measure[measure] = compare_metrics(
                {name: column[item[stays]] for name, column in values.items()},
                system[stays],
                topic[stays],
                score[stays],
                correlation,
                spec,
                part(on_progress, at, len(study.measures)),
            )
        return by_measure

    sources = tuple(metric.source for metric in metrics)
    names = tuple(metric.name for metric in metrics)
    parts = study.candidate, study.measures, scenario.left_out_codes, sources, names, correlation, kind, spec
    return long_result(key_of(study.whole, "metrics compared", *parts), "Comparison of metrics", compute)
