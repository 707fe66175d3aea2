"""Worth of a difference of a metric: results, verdict, figure, tables and blocks."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from math import isnan, nan

import numpy as np
from numpy.typing import NDArray

from analysis.correlation.metric_comparison import (
    AccuracyIntervals,
    TieCalibrated,
    accuracy_intervals,
    common_means,
    tie_calibrated_accuracy,
)
from analysis.correlation.metric_difference import (
    CHANCES,
    FEWEST_SYSTEMS,
    PreferenceCurve,
    clear_differences,
    preference_curve,
)
from analysis.values.estimate import Estimate
from data.dataset import Dataset
from features.blocks import (
    Block,
    Figure,
    Finding,
    Heading,
    NextStep,
    Table,
    Warning,
    clear_if,
    confidence_interval,
    method_of,
    not_enough_data,
    too_few,
)
from features.metrics.results import Metric, metric_values, rows_of
from features.notices import exclusion_in_words
from features.plotting.panels import band, remark
from features.plotting.theme import THREE_DIGITS, Look, PlotlyFigure, count, share
from features.program import computed_by
from features.study import OnProgress, Scenario, Study, key_of, long_result, report_part
from features.words import Column, counted, estimate_columns, table_of, why_column

MOST_METRICS = 12
"""Metrics whose accuracy is compared at once."""
USUALLY = 0.8
"""Chance from which people usually agree with a metric."""
Scores = NDArray[np.float64]


@dataclass(frozen=True)
class DifferenceSpec:
    """Metric and measure, the only kind of systems that counts ("" for all), and metrics whose accuracy is compared.

    `values` are two values of the metric whose difference is asked about, None for none.
    """

    metric: Metric
    measure: str
    kind: str = ""
    compared: tuple[Metric, ...] = ()
    values: tuple[float, float] | None = None


@dataclass(frozen=True)
class Accuracy:
    """Accuracy of a metric over pairs, with intervals for systems like these, and `segments` with its epsilon."""

    intervals: AccuracyIntervals
    segments: TieCalibrated
    needed: Estimate


@dataclass(frozen=True, eq=False)
class DifferenceResult:
    """Curves of one metric for people's preference and for their clear preference, and the accuracy of each metric."""

    spec: DifferenceSpec
    curve: PreferenceCurve
    clear: PreferenceCurve
    accuracy: Mapping[str, Accuracy]

    @property
    def asked(self) -> float:
        """Return the chance at the difference that was asked about, NaN where it is not known."""
        values = self.spec.values
        return nan if values is None else self.curve.chance_at(abs(values[0] - values[1]))


def compute_difference(
    study: Study, scenario: Scenario, spec: DifferenceSpec, joined: Dataset | None = None
) -> DifferenceResult | None:
    """Return what a difference of a metric is worth; None while stopped.

    Parameters
    ----------
    study : study of ratings with systems
    scenario : raters to exclude, `Scenario()` for none
    spec : metric, measure and metrics to compare
    joined : data set of the file that metrics are from
    """
    metrics = {one.name: one for one in (spec.metric, *spec.compared)}
    values = {name: metric_values(study, one, joined) for name, one in metrics.items()}
    known = {name: column for name, column in values.items() if column is not None}
    if len(known) < len(values):
        return None

    def compute(on_progress: OnProgress) -> DifferenceResult:
        rows = rows_of(study, spec.measure, spec.kind)
        stays = ~np.isin(rows[3], list(scenario.left_out_codes))
        item, system, topic, _, score = (column[stays] for column in rows)
        human = _table(system, topic, score)
        accuracy, curves = {}, {}
        for at, (name, column) in enumerate(known.items()):
            report_part(on_progress, at, len(known))(0.0)
            metric = _table(system, topic, column[item])
            people, machine = common_means(human, metric)
            curve = preference_curve(people, machine)
            oriented = -metric if curve.sign_reversed else metric
            accuracy[name] = Accuracy(
                accuracy_intervals(human, oriented),
                tie_calibrated_accuracy(human, oriented),
                curve.needed[USUALLY],
            )
            if name == spec.metric.name:
                clear = preference_curve(people, machine, clear_differences(human))
                curves = {"all": curve, "clear": clear}
        return DifferenceResult(spec, curves["all"], curves["clear"], accuracy)

    file = "" if joined is None else joined.sha256
    parts = study.candidate, scenario.left_out_codes, spec, file
    return long_result(key_of(study.whole, "worth of a difference", *parts), "Worth of a difference", compute)


def _table(system: NDArray[np.int64], topic: NDArray[np.int64], value: Scores) -> Scores:
    """Return the mean of each system and topic, NaN where there is none."""
    known = ~np.isnan(value)
    systems, row = np.unique(system, return_inverse=True)
    topics, column = np.unique(topic, return_inverse=True)
    cell = row * len(topics) + column
    cells = len(systems) * len(topics)
    counts = np.bincount(cell[known], minlength=cells)
    sums = np.bincount(cell[known], value[known], cells)
    means = np.divide(sums, counts, out=np.full(cells, nan), where=counts > 0)
    return np.asarray(means.reshape(len(systems), len(topics)))


@computed_by(compute_difference, "results = {'needed': found.curve.needed, **found.accuracy}")
def difference_section(
    study: Study, scenario: Scenario, spec: DifferenceSpec, joined: Dataset | None
) -> Iterator[Block]:
    """Yield what a difference of a metric is worth, and how often metrics order systems as people do."""
    found = compute_difference(study, scenario, spec, joined)
    if found is None:
        return
    yield _finding(found)
    if scenario.excludes:
        yield Warning(exclusion_in_words(scenario))
    if spec.values is not None and not found.curve.reason:
        yield _asked(found)
    if not found.curve.reason:
        caption = (
            "Chance that people prefer the system with the higher {metric}, by the difference: fitted curve with its "
            "95% band, and the share of observed pairs as steps that only rise."
        )
        yield Figure("metric-difference", (caption, {"metric": spec.metric.name}), partial(_figure, found))
        yield _needed_table(found)
    yield Heading("Accuracy of the metrics")
    yield _accuracy_table(found)
    yield method_of("metrics", "difference", ["kocmi2024", "thompson2024", "deutsch2023"])


def _finding(found: DifferenceResult) -> Finding:
    curve, name = found.curve, found.spec.metric.name
    values: dict[str, object] = {"metric": name}
    counts = f"{counted(curve.pairs, 'pair')} of {counted(curve.systems, 'system')}"
    if curve.systems < FEWEST_SYSTEMS:
        step = NextStep("Add data", "datasets.py")
        return too_few(
            "value a {metric} difference",
            values,
            counted(curve.systems, "system"),
            FEWEST_SYSTEMS,
            next_step=step,
        )
    if curve.reason:
        return not_enough_data("Not enough data to value a {metric} difference.", values, curve.reason)
    needed = curve.needed[USUALLY]
    if not needed.defined:
        largest = THREE_DIGITS(float(curve.at[-1]))
        most = f"at most {share(float(curve.chance[-1]))} at the largest difference, {largest}"
        headline = "No observed difference in {metric} makes people's preference likely."
        return clear_if(
            float(curve.high[-1]) < USUALLY, headline, values, most, counts, "for systems like these"
        )
    values["difference"] = THREE_DIGITS(needed.value)
    return clear_if(
        not isnan(needed.high),
        "People usually agree with {metric} from a difference of <b>{difference}</b>.",
        values,
        f"{share(USUALLY)} chance",
        confidence_interval(needed, THREE_DIGITS) or f"at least {THREE_DIGITS(needed.low)}",
        counts,
        "for systems like these",
    )


def _asked(found: DifferenceResult) -> Finding:
    first, second = found.spec.values or (nan, nan)
    values: dict[str, object] = {"metric": found.spec.metric.name, "chance": share(found.asked)}
    apart = f"difference {THREE_DIGITS(abs(first - second))}"
    if isnan(found.asked):
        headline = "That difference in {metric} is larger than any observed."
        return not_enough_data(
            headline, values, apart, f"largest {THREE_DIGITS(float(found.curve.at[-1]))}", name="asked"
        )
    curve, at = found.curve, abs(first - second)
    low, high = (float(np.interp(at, curve.at, each)) for each in (curve.low, curve.high))
    return clear_if(
        low >= USUALLY,
        "With those two values of {metric}, people prefer the higher with <b>{chance}</b> chance.",
        values,
        confidence_interval(Estimate(found.asked, low, high), share),
        apart,
        name="asked",
    )


def _needed_table(found: DifferenceResult) -> Table:
    needed = [found.curve.needed[chance] for chance in CHANCES]
    clear = [found.clear.needed.get(chance, Estimate(nan)) for chance in CHANCES]
    return table_of(
        "differences",
        (
            "Difference in {metric} at which people prefer the higher system, with 95% CIs.",
            {"metric": found.spec.metric.name},
        ),
        [
            Column("Chance", list(CHANCES), share),
            *estimate_columns("Prefer", needed, THREE_DIGITS),
            *estimate_columns("Clearly prefer", clear, THREE_DIGITS),
            why_column(zip(needed, clear, strict=True)),
        ],
    )


def _accuracy_table(found: DifferenceResult) -> Table:
    each = list(found.accuracy.values())
    return table_of(
        "accuracy",
        ("How often each metric orders pairs of systems, and outputs of an item, as people do.", {}),
        [
            Column("Metric", list(found.accuracy)),
            *estimate_columns("Pairwise accuracy", [one.intervals.pairwise for one in each], THREE_DIGITS),
            *estimate_columns("Soft pairwise accuracy", [one.intervals.soft for one in each], THREE_DIGITS),
            *estimate_columns("On single items", [one.intervals.segments for one in each], THREE_DIGITS),
            Column("ε", [one.segments.epsilon for one in each], THREE_DIGITS),
            Column("On single items, ε = 0", [one.segments.at_zero for one in each], THREE_DIGITS, False),
            Column("Pairs of outputs", [one.segments.pairs for one in each], count, False),
        ],
    )


def _figure(found: DifferenceResult, look: Look) -> PlotlyFigure:
    curve, color = found.curve, look.ink
    estimates = map(Estimate, curve.chance.tolist(), curve.low.tolist(), curve.high.tolist())
    traces: list[PlotlyFigure] = band(curve.at.tolist(), list(estimates), color)
    for name, x, y, line in (
        ("observed pairs", curve.observed, curve.steps, {"color": look.faint, "width": 1.5, "shape": "hv"}),
        ("fitted", curve.at, curve.chance, {"color": color, "width": 2.5}),
    ):
        hover = f"{name}<br>difference %{{x:.3f}}: %{{y:.0%}}<extra></extra>"
        drawn = {"type": "scatter", "mode": "lines", "line": line, "hovertemplate": hover}
        traces.append({**drawn, "x": x.tolist(), "y": y.tolist()})
    middle = len(curve.observed) // 2
    ends = {
        "fitted": (curve.at[-1], curve.chance[-1]),
        "observed pairs": (curve.observed[middle], curve.steps[middle]),
    }
    notes = [
        remark(text, look, x=float(x), y=float(y), xref="x", yref="y", xanchor="right", yanchor="top")
        for text, (x, y) in ends.items()
    ]
    made = look.layout(height=360, hovermode="closest", showlegend=False, annotations=notes)
    low = min(0.5, float(curve.steps.min(initial=0.5)))
    title = f"Difference in {found.spec.metric.name}"
    made["xaxis"] = look.axis(title, range=[0, float(curve.at[-1]) * 1.02])
    made["yaxis"] = look.axis(
        "People prefer the higher", range=[max(low - 0.03, -0.02), 1.02], tickformat=".0%"
    )
    return {"data": traces, "layout": made}
