"""Metrics trained on the candidate's ratings, with everyone and without excluded raters, cached."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analysis.assessors.metric_training import Cell, TrainingSpec, table5
from analysis.assessors.summary_scores import SummaryScores, summary_scores
from features.assessments import assessments, item_numbers, names, system_kinds
from features.cache import Stopped
from features.results import key_of, long_result
from features.study import Scenario, Study


@dataclass(frozen=True)
class MetricTrainingSpec:
    """Measure to predict, features of a model, and names of the splits to fit on, to choose on and to test on.

    `machine_kind` is the kind of systems that are machines, "" where the data do not tell kinds apart; `search` says
    how models are searched, with the splits as codes.
    """

    measure: str
    features: tuple[str, ...]
    splits: tuple[str, str, str]
    machine_kind: str
    search: TrainingSpec


@dataclass(frozen=True, eq=False)
class TrainedMetrics:
    """Metrics of each column of Table 5, and the column's name: the systems ranked, and the condition."""

    spec: MetricTrainingSpec
    columns: tuple[tuple[str, Cell], ...]


def rated_measures(study: Study) -> list[str]:
    """Return the measures that the candidate rated."""
    return [measure for measure in study.all_measures if len(assessments(study, measure))]


def train_metrics(study: Study, scenario: Scenario, spec: MetricTrainingSpec) -> TrainedMetrics:
    """Train metrics on everyone's ratings, and without those of excluded raters.

    Parameters
    ----------
    study : study of ratings of systems, with splits and numeric columns of the items
    scenario : raters to exclude from fitting and choosing, `Scenario()` for none
    spec : the measure, features, splits and search

    Raises
    ------
    Stopped
        where the computation was stopped.
    """
    cells = long_result(
        key_of(study.whole, "training a metric", study.candidate, spec, scenario.left_out_codes),
        "Training a metric",
        lambda on_progress: table5(
            _scores(study, spec),
            rated_measures(study).index(spec.measure),
            spec.search,
            scenario.left_out_codes,
            on_progress,
        ),
    )
    if cells is None:
        raise Stopped
    conditions = names(study, "condition").tolist()
    return TrainedMetrics(spec, tuple((_name(spec, cell, conditions), cell) for cell in cells))


def _scores(study: Study, spec: MetricTrainingSpec) -> SummaryScores:
    kinds = system_kinds(study)
    is_machine: NDArray[np.bool_] | None = kinds == spec.machine_kind if spec.machine_kind else None
    features = np.column_stack([item_numbers(study, name) for name in spec.features])
    return summary_scores([assessments(study, one) for one in rated_measures(study)], features, is_machine)


def _name(spec: MetricTrainingSpec, cell: Cell, conditions: list[str]) -> str:
    who = "All systems"
    if spec.machine_kind:
        who = "Systems only" if cell.systems_only else "With humans"
    if not conditions:
        return who
    return f"{who}, {conditions[cell.condition] if cell.condition >= 0 else 'no condition'}"
