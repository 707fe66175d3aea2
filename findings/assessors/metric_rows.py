"""The ratings that a metric is held against, and how far both agree."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.assessors.automatic_metrics import MetricAgreement, MetricScores, metric_agreement
from analysis.correlation.rows import CorrelationName
from analysis.values.estimate import BootstrapSpec
from features.assessments import assessments, system_kinds
from features.results import key_of, long_result, part
from features.study import Scenario, Study

EVERY_KIND = "all systems"
ByMeasure = Mapping[str, MetricAgreement]


def rows_of(study: Study, measure: str, kind: str) -> tuple[Any, ...]:
    """Item, what is ranked, topic, rater and score of the ratings of one measure and kind of system."""
    a = assessments(study, measure)
    kept = (a.ranked >= 0) & _of_kind(study, kind, a.system)
    item, ranked, block, rater, score = (
        column[kept] for column in (a.item, a.ranked, a.block, a.rater, a.score)
    )
    return item, ranked, block, rater, score


def _of_kind(study: Study, kind: str, system: NDArray[np.int64]) -> NDArray[np.bool_]:
    if kind == EVERY_KIND:
        return np.ones(len(system), dtype=bool)
    of_kind: NDArray[np.bool_] = np.append(system_kinds(study), "")[system] == kind.removeprefix("only ")
    return of_kind


def agreements_of(
    study: Study,
    scenario: Scenario,
    source: str,
    values: NDArray[np.float64],
    kind: str,
    correlation: CorrelationName,
    spec: BootstrapSpec,
) -> ByMeasure | None:
    """Every measure's agreement with a metric's `values` by item code, before and after; None while stopped.

    `source` tells the metric from others.
    """

    def compute(on_progress: Callable[[float], object]) -> ByMeasure:
        by_measure = {}
        for at, measure in enumerate(study.measures):
            item, ranked, block, rater, score = rows_of(study, measure, kind)
            by_measure[measure] = metric_agreement(
                MetricScores(values[item], item, ranked, block, rater, score),
                scenario.left_out_codes,
                correlation,
                spec,
                part(on_progress, at, len(study.measures)),
            )
        return by_measure

    parts = (
        study.candidate,
        study.measures,
        scenario.left_out_codes,
        source,
        correlation,
        kind,
        spec,
    )
    what = "Intervals of the metric's correlations" if spec.draws else "The metric against the raters"
    return long_result(key_of(study.whole, "metric agreement", *parts), what, compute)
