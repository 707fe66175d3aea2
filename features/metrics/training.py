"""Metrics trained on human scores: results, findings and section."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from math import nan

import numpy as np
from numpy.typing import NDArray

from analysis.assessors.metric_training import (
    FEWEST_FEATURES,
    FEWEST_SPLITS,
    Cell,
    Method,
    Trained,
    TrainingSpec,
    table5,
)
from analysis.assessors.summary_scores import SummaryScores, summary_scores
from analysis.values.estimate import Estimate, shorten
from features.assessments import assessments, item_numbers, names, system_kinds
from features.blocks import (
    Block,
    Figure,
    Finding,
    NextStep,
    Table,
    Warning,
    clear_if,
    confidence_interval,
    method_of,
    not_enough_data,
    too_few,
)
from features.cache import Stopped
from features.plotting.series import Series, series_dots
from features.plotting.theme import MINUS, THREE_DIGITS, Look, PlotlyFigure, count, decimal
from features.program import computed_by
from features.study import Scenario, Study, key_of, long_result
from features.words import Column, by_reason, counted, estimate_columns, listed, raters_named, table_of


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
    return [measure for measure in study.all_measures if len(assessments(study, measure))]


def train_metrics(study: Study, scenario: Scenario, spec: MetricTrainingSpec) -> TrainedMetrics:
    """Train metrics on everyone's ratings, and on those that the scenario leaves.

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


METHOD_NAMES: dict[Method, str] = {
    "huber": "robust regression (Huber)",
    "nnls": "non-negative least squares",
    "cca": "canonical correlation",
}
_DATA = NextStep("Map columns on Data", "datasets.py")
Columns = Sequence[tuple[str, Cell]]


def missing_data(study: Study) -> Finding | None:
    splits, features = len(names(study, "split")), len(study.whole.named("item number"))
    return missing_columns(study.whole.has("system"), splits, features)


def missing_columns(has_systems: bool, splits: int, features: int) -> Finding | None:
    purpose = "train a metric"
    if not has_systems:
        lines = "A metric is judged by how it ranks systems", "give a column system"
        return not_enough_data(
            "Not enough data to train a metric: no item has a system.", {}, *lines, next_step=_DATA
        )
    if splits < FEWEST_SPLITS:
        line = "One to fit models, one to choose among them, one to test the choice (a column split, such as years)"
        return too_few(purpose, {}, counted(splits, "split"), FEWEST_SPLITS, line, next_step=_DATA)
    if features < FEWEST_FEATURES:
        line = "Numbers that describe the items, such as automatic metrics or lengths, one value per item"
        there = counted(features, "numeric column")
        return too_few(purpose, {}, there, FEWEST_FEATURES, line, next_step=_DATA)
    return None


def correlation_dots(columns: Columns, look: Look) -> PlotlyFigure:
    """Draw the correlation of each column's metrics when tested, learned from everyone and without excluded raters."""
    series = [Series("Everyone", [cell.everyone.correlation_test for _, cell in columns])]
    without = [cell.left_out.correlation_test if cell.left_out else None for _, cell in columns]
    if any(without):
        series.append(Series("Without them", without))
    names = [name for name, _ in columns]
    return series_dots(names, series, "Pearson's r over the systems", look, shares=False)


def training_finding(trained: TrainedMetrics) -> Finding:
    """Return how well the best metric that learned from everyone ranks systems."""
    spec = trained.spec
    tested = [column for column in trained.columns if column[1].everyone.correlation_test.defined]
    if not tested:
        headline, values = "Not enough data to train a metric for {measure}.", {"measure": spec.measure}
        return not_enough_data(headline, values, trained.columns[0][1].everyone.reason)
    name, cell = max(tested, key=lambda column: column[1].everyone.correlation_test.value)
    best = cell.everyone
    return clear_if(
        best.correlation_test.excludes(),
        "The metric trained for {measure} correlates with it at r = <b>{r}</b>.",
        {"measure": spec.measure, "r": decimal(best.correlation_test.value)},
        confidence_interval(best.correlation_test),
        f"tested on {counted(best.systems, 'system')} of {shorten(spec.splits[2])}",
        shorten(name),
        f"from {listed([spec.features[at] for at in best.features])}",
        f"the best of {counted(best.fits, 'model')}",
    )


def exclusion_finding(trained: TrainedMetrics, scenario: Scenario) -> Finding:
    """Return in how many columns learning without the excluded raters does better."""
    changed = [column for column in trained.columns if column[1].difference.defined]
    who: dict[str, object] = {"who": raters_named(scenario.names)}
    if not changed:
        reason = trained.columns[0][1].difference.reason
        return not_enough_data("Without {who}, no metric can be trained.", who, reason, name="exclusion")
    name, most = max(changed, key=lambda column: abs(column[1].difference.value))
    differences = [cell.difference for _, cell in changed]
    before = THREE_DIGITS(most.everyone.correlation_test.value)
    after = THREE_DIGITS(most.left_out.correlation_test.value if most.left_out else nan)
    return clear_if(
        most.difference.excludes(),
        "Without {who}, the trained metric does better in <b>{better} of {columns}</b> columns.",
        who | {"better": sum(one.value > 0 for one in differences), "columns": len(changed)},
        f"Largest change: {name}, r {after} instead of {before}",
        confidence_interval(most.difference, THREE_DIGITS),
        f"{sum(map(Estimate.excludes, differences))} of {counted(len(changed), 'difference')} clear",
        name="exclusion",
    )


def models_table(trained: TrainedMetrics, scenario: Scenario) -> Table:
    """Return the table with a row per metric: how well it does, and what it is made of."""
    features, values = trained.spec.features, {"test": trained.spec.splits[2]}
    rest, nothing = f"without {raters_named(scenario.names)}", Estimate(nan)
    rows = [
        (name, learned_from, difference, one)
        for name, cell in trained.columns
        for learned_from, difference, one in (
            ("everyone", nothing, cell.everyone),
            (rest, cell.difference, cell.left_out),
        )
        if one is not None
    ]
    of = [one for *_, one in rows]
    differences = estimate_columns("Difference", [difference for _, _, difference, _ in rows], THREE_DIGITS)
    return table_of(
        "models",
        (
            "The chosen models, and Pearson's r with the raters over the systems of {test}, as in Table 5.",
            values,
        ),
        [
            Column("Metric", [name for name, *_ in rows]),
            Column(
                "Learned from", [learned_from for _, learned_from, *_ in rows], None, bool(scenario.excludes)
            ),
            *estimate_columns("r when tested", [one.correlation_test for one in of], THREE_DIGITS),
            *(differences if scenario.excludes else []),
            Column("r when chosen", [one.correlation_choose for one in of], THREE_DIGITS, False),
            Column("Method", [METHOD_NAMES[one.method] if one.method else "" for one in of]),
            Column("Features", [", ".join(features[at] for at in one.features) for one in of]),
            Column("Model", [_model(one, features) for one in of], at_first_sight=False),
            Column("Models compared", [one.fits for one in of], count, False),
            Column("Systems", [one.systems for one in of], count, False),
            Column("Judgments fitted", [one.summaries[0] for one in of], count, False),
            Column("Judgments chosen with", [one.summaries[1] for one in of], count, False),
            Column("Why undefined", [one.reason for one in of], at_first_sight=False),
        ],
    )


def _model(trained: Trained, features: Sequence[str]) -> str:
    """Return the chosen model as a sum, in the units of features and score."""
    if trained.method is None:
        return ""
    terms = [
        f"{_number(weight, '+')} × {features[at]}"
        for at, weight in zip(trained.features, trained.coefficients.tolist(), strict=True)
    ]
    return " ".join([_number(trained.intercept, ""), *terms])


def _number(value: float, sign: str) -> str:
    return f"{value:{sign}.3g}".replace("-", MINUS)


def training_warnings(trained: TrainedMetrics) -> Iterator[Warning]:
    unknown = max(cell.everyone.unknown for _, cell in trained.columns)
    if unknown:
        text = "Up to {n} judgments per metric are not used, as a feature or the score is not known."
        yield Warning((text, {"n": count(unknown)}))
    yield from by_reason(
        (name, f"undefined, or without an interval: {reason}")
        for name, cell in trained.columns
        for one in (cell.everyone, cell.left_out or cell.everyone)
        if (reason := one.reason or one.correlation_test.reason)
    )


@computed_by(train_metrics, "results = dict(found.columns)")
def training_section(study: Study, scenario: Scenario, spec: MetricTrainingSpec | None) -> Iterator[Block]:
    """Yield how well trained metrics rank systems, and their models; no spec where splits are not different."""
    if spec is None:
        yield not_enough_data("Choose three different splits to fit on, to choose on and to test on.")
        return
    try:
        trained = train_metrics(study, scenario, spec)
    except Stopped:
        return
    if scenario.excludes:
        yield exclusion_finding(trained, scenario)
    yield training_finding(trained)
    if any(cell.everyone.correlation_test.defined for _, cell in trained.columns):
        caption = "Pearson's r of the trained metrics with the raters over the systems of the test split, with 95% CI."
        yield Figure("training_correlations", (caption, {}), partial(correlation_dots, trained.columns))
    yield models_table(trained, scenario)
    yield from training_warnings(trained)
    yield method_of("metrics", "training", ["owczarzak2012"])
