"""Sections of "Relevance" on automatic metrics: correlations with how well people judge, and random partitions."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import isnan

from analysis.relevance.judgments import OUTCOMES
from analysis.relevance.metric_correlations import MEASURES, CorrelationSpec
from analysis.relevance.partitions import BIN_EDGES
from analysis.values.estimate import BootstrapSpec, Estimate
from features.blocks import Block, Figure, Heading, Method, Status, in_stages, last_of
from features.metric_pairs import pair_finding, pair_note, pair_warnings, pairs_table
from features.plotting.marks import at_top_right, level, remark, upright
from features.plotting.numbers import count, decimal
from features.plotting.panels import LEGEND_ON_TOP
from features.plotting.series import Series, error_bars, series_dots, span
from features.plotting.theme import (
    GROUP_COLOURS,
    GROUP_SYMBOLS,
    Look,
    PlotlyFigure,
    axis,
    escape,
    layout,
    rimmed,
    shorten,
    translucent,
)
from features.program import method_of, study_program
from features.relevance import differences_findings
from features.relevance import metrics_findings as findings
from features.relevance import metrics_results as results
from features.relevance.judgments_results import main_study, metrics
from features.relevance.metrics_findings import (
    MEASURE_NAMES,
    correlation_label,
    highest_first,
    outcome_estimates,
    with_outcomes,
)
from features.relevance.metrics_results import ComparedMetric, MetricSpec, Partitions, PartitionsSpec
from features.study import Scenario, Study
from features.verdicts import largest_change

MOST_NAMED = 12
"""Points that carry their names."""
MOST_POINTS = 2000
MOST_COLOURED = 6
"""Surrogates up to which each has a color and marker where there are many points."""
MOST_OUTLINES = 12
"""Surrogates whose partitions are drawn; the first ones of more."""
_ROW = 92
_TALL = 0.62
"""Height of the highest outline, as a share of its row."""


def metric_scatter(found: ComparedMetric, look: Look) -> PlotlyFigure | None:
    """Draw the points of the chosen level; None while they are not computed."""
    shown, measure = found.drawn, found.spec.measure
    if shown is None:
        return None
    at = MEASURES.index(measure)
    columns = shown.surrogate, shown.event, shown.metric[at], shown.value[at]
    rows = zip(*(column.tolist() for column in columns), strict=True)
    points = [
        Point(
            found.main.surrogates.names[shown.surrogates[surrogate]],
            "" if event < 0 else found.main.events[shown.events[event]],
            x,
            y,
        )
        for surrogate, event, x, y in rows
        if not isnan(y)
    ]
    label, adjusted = correlation_label(shown, measure), found.spec.level == "event-adjusted"
    return scatter(points, found.spec.metric, MEASURE_NAMES[measure], label, look, adjusted)


def metric_mean_dots(found: ComparedMetric, look: Look) -> PlotlyFigure:
    """Draw the mean of the metric of each surrogate with its letters, the highest on top."""
    order, codes = highest_first(found), found.test.conditions.tolist()
    names = found.main.surrogates.names_of([codes[at] for at in order])
    series = Series(found.spec.metric, [found.test.means[at] for at in order])
    letters = [found.pairs.letters[at] for at in order]
    title = f"Mean {shorten(found.spec.metric, 24)}, by {found.spec.subjects}"
    return series_dots(names, [series], title, look, shares=False, letters=letters)


def outcome_dots(found: ComparedMetric, look: Look) -> PlotlyFigure:
    """Draw the mean metric over true and false positives and negatives of each summary."""
    of_outcome: dict[str, list[Estimate | None]] = {each: [] for each in OUTCOMES}
    for _, each, mean, _ in outcome_estimates(found):
        of_outcome[each].append(mean)
    names = found.main.surrogates.names_of(with_outcomes(found))
    series = [Series(each.upper(), means) for each, means in of_outcome.items()]
    title = f"Mean {shorten(found.spec.metric, 24)} over judgments ({found.spec.side})"
    return series_dots(names, series, title, look, shares=False)


@dataclass(frozen=True)
class Point:
    """Metric and measure of a surrogate, pooled or in one event ("" where pooled)."""

    surrogate: str
    event: str
    metric: float
    value: float


def scatter(
    points: Sequence[Point],
    metric: str,
    measure: str,
    told: str,
    look: Look,
    adjusted: bool = False,
) -> PlotlyFigure:
    """Draw points with `told` (the correlation) above; `adjusted` values are differences from the event's mean."""
    drawn = points[:MOST_POINTS]
    surrogates = list(dict.fromkeys(point.surrogate for point in drawn))
    pooled = all(not point.event for point in drawn)
    coloured = not pooled and len(surrogates) <= MOST_COLOURED
    made = layout(look, height=400, hovermode="closest")
    made["margin"] = {"l": 60, "r": 16, "t": 62 if coloured and len(surrogates) > 1 else 34, "b": 54}
    minus = ", minus the event's mean" if adjusted else ""
    made["xaxis"] = axis(
        look,
        f"{shorten(metric, 24)}{minus}",
        range=list(span([p.metric for p in drawn], 0.1, least=0.01)),
        nticks=6,
    )
    made["yaxis"] = axis(
        look,
        f"{escape(measure)}{minus}",
        range=list(span([p.value for p in drawn], 0.1, least=0.01)),
        nticks=6,
        tickformat=".0%",
    )
    made["annotations"] = [at_top_right(told if drawn else "nothing to draw", look, 12)]
    if coloured and len(surrogates) > 1:
        made |= {"showlegend": True, "legend": LEGEND_ON_TOP}
    groups = surrogates if coloured else [""]
    traces = []
    for at, group in enumerate(groups):
        own = [p for p in drawn if not coloured or p.surrogate == group]
        named = pooled and len(drawn) <= MOST_NAMED
        traces.append(
            {
                "type": "scatter",
                "mode": "markers+text" if named else "markers",
                "name": shorten(group, 18),
                "x": [p.metric for p in own],
                "y": [p.value for p in own],
                "marker": rimmed(GROUP_COLOURS[at], 9, many=len(drawn) > 100) | {"symbol": GROUP_SYMBOLS[at]},
                **({"text": [shorten(p.surrogate, 14) for p in own]} if named else {}),
                "textposition": [_side(p.metric, [q.metric for q in drawn]) for p in own]
                if named
                else "top center",
                "textfont": {"size": 12, "color": look.ink},
                "hovertext": [_hover(p, metric, measure) for p in own],
                "hovertemplate": "%{hovertext}<extra></extra>",
                "cliponaxis": False,
            }
        )
    return {"data": [trace for trace in traces if trace["x"]], "layout": made}


def _hover(point: Point, metric: str, measure: str) -> str:
    where = f", {escape(point.event)}" if point.event else ""
    return (
        f"{escape(point.surrogate)}{where}<br>{escape(metric)}: {decimal(point.metric, 3)}<br>"
        f"{escape(measure)}: {decimal(100 * point.value, 1)}%"
    )


def _side(x: float, every: Sequence[float]) -> str:
    """Return the inner side of a point, where its name has room."""
    return "top left" if x > (min(every) + max(every)) / 2 else "top right"


@dataclass(frozen=True)
class Outline:
    """Correlations of one surrogate: their number between each two edges, their mean, and its interval once known."""

    name: str
    counts: Sequence[int]
    mean: float
    sd: float
    interval: Estimate | None = None
    reason: str = ""


def partition_outlines(found: Partitions, look: Look) -> PlotlyFigure | None:
    """Draw the partitions into groups of the chosen size; None while they are not computed."""
    if found.chosen is None:
        return None
    intervals = found.chosen.intervals or [None] * len(found.chosen.study.partitions)
    rows = [
        Outline(
            found.main.surrogates.names[one.surrogate],
            one.counts.tolist(),
            one.mean,
            one.sd,
            interval,
            one.reason,
        )
        for one, interval in zip(found.chosen.study.partitions, intervals, strict=True)
    ]
    return outlines(rows, BIN_EDGES.tolist(), "Pearson's r over groups of documents", look)


def outlines(rows: Sequence[Outline], edges: Sequence[float], title: str, look: Look) -> PlotlyFigure:
    """Draw the outline of a histogram per surrogate; below it a dot for the mean, with whiskers for its interval.

    The interval is over raters and documents, which the outline's width is not.
    """
    drawn = rows[:MOST_OUTLINES]
    made = layout(look, height=70 + _ROW * max(len(drawn), 2), hovermode="closest")
    made["margin"] = {"l": 8, "r": 14, "t": 14, "b": 48}
    made["xaxis"] = axis(look, title, range=_range(drawn, edges), nticks=8)
    made["yaxis"] = axis(
        look,
        tickvals=[-at for at in range(len(drawn))],
        ticktext=[shorten(row.name, 18) for row in drawn],
        range=[-len(drawn) + 0.6, 0.9],
        showgrid=False,
        tickfont={"color": look.ink, "size": 12.5},
    )
    made["shapes"] = [upright(0, look.faint, layer="below")]
    made["shapes"] += [level(-at, look.grid, dash="solid") for at in range(len(drawn))]
    made["annotations"] = [
        remark(escape(row.reason), look, x=0.5, y=-at + 0.3, yref="y")
        for at, row in enumerate(drawn)
        if isnan(row.mean)
    ]
    if len(drawn) < len(rows):
        text = f"the first {len(drawn)} of {count(len(rows))}"
        made["annotations"].append(at_top_right(text, look))
    most = max((max(row.counts, default=0) for row in drawn), default=0)
    traces = []
    for at, row in enumerate(drawn):
        if isnan(row.mean):
            continue
        colour = GROUP_COLOURS[at % len(GROUP_COLOURS)]
        traces.append(_outline(row, edges, -at, _TALL / max(most, 1), colour))
        traces.append(_mean(row, -at, colour, look))
    return {"data": traces, "layout": made}


def _outline(row: Outline, edges: Sequence[float], base: float, scale: float, colour: str) -> PlotlyFigure:
    """Return steps from the first to the last bin that holds a draw."""
    held = [at for at, n in enumerate(row.counts) if n]
    x: list[float] = []
    y: list[float] = []
    for at in range(held[0], held[-1] + 1):
        x += [edges[at], edges[at + 1]]
        y += [base + scale * row.counts[at]] * 2
    return {
        "type": "scatter",
        "mode": "lines",
        "x": [x[0], *x, x[-1], x[0]],
        "y": [base, *y, base, base],
        "fill": "toself",
        "fillcolor": translucent(colour, 0.25),
        "line": {"color": colour, "width": 1.2},
        "hoverinfo": "skip",
    }


def _mean(row: Outline, base: float, colour: str, look: Look) -> PlotlyFigure:
    told = f"{escape(row.name)}<br>mean r = {decimal(row.mean, 3)}, SD over partitions {decimal(row.sd, 3)}"
    interval = row.interval or Estimate(row.mean)
    if not isnan(interval.low):
        told += (
            f"<br>95% CI over raters and documents: {decimal(interval.low, 3)} to {decimal(interval.high, 3)}"
        )
    interval = Estimate(row.mean, interval.low, interval.high)
    return {
        "type": "scatter",
        "mode": "markers+text",
        "x": [row.mean],
        "y": [base - 0.1],
        "text": [f"{decimal(row.mean)}"],
        "textposition": "bottom center",
        "textfont": {"size": 12, "color": look.ink},
        "marker": {"size": 9, "color": colour, "line": {"width": 1, "color": look.ground}},
        "error_x": error_bars([interval], look.ink, width=5),
        "hovertext": [told],
        "hovertemplate": "%{hovertext}<extra></extra>",
        "cliponaxis": False,
    }


def _range(rows: Sequence[Outline], edges: Sequence[float]) -> list[float]:
    ends = [0.0]
    for row in rows:
        held = [at for at, n in enumerate(row.counts) if n]
        ends += [edges[held[0]], edges[held[-1] + 1]] if held else []
        if row.interval is not None and not isnan(row.interval.low):
            ends += [row.interval.low, row.interval.high]
    low, high = min(ends), max(ends)
    margin = 0.04 * max(high - low, 0.2)
    return [max(low - margin, -1.05), min(high + margin, 1.05)]


def metrics_section(study: Study, scenario: Scenario, spec: MetricSpec) -> Iterator[Block]:
    """Yield whether a metric correlates with how well people judge, then its rivals, its means and its outcomes."""
    missing = findings.missing_metric(main_study(study, spec.full_text).surrogates, metrics(study))
    if missing is not None:
        yield missing
        return
    stages = results.metric_stages(study, spec)
    found = yield from in_stages(stages, partial(_correlation_blocks, study, scenario))
    if found.compared:
        yield Heading("Metrics compared")
        yield from _comparison(found)
    yield Heading("The metric by surrogate")
    yield findings.means_finding(found)
    if found.test.k > 1:
        caption = "Mean {metric} of each surrogate with its within-subject 95% CI, the highest on top."
        metric = {"metric": spec.metric}
        yield Figure("metric-means", (caption, metric), partial(metric_mean_dots, found))
        yield findings.means_table(found)
        yield from findings.means_notes(found)
    if found.outcomes is not None:
        yield from _outcomes(found)
    yield _method(spec)


def _comparison(found: ComparedMetric) -> Iterator[Block]:
    pairs, surrogates = {findings.in_words(found.spec.measure): found.compared}, "surrogates"
    verdict = pair_finding(pairs, "r", surrogates, name="comparison")
    yield verdict
    if verdict.status is not Status.NOT_ENOUGH_DATA:
        yield pairs_table(pairs)
        yield pair_note(surrogates, BootstrapSpec(), len(found.compared))
        yield from pair_warnings(pairs, surrogates)


def correlation_section(study: Study, scenario: Scenario, spec: MetricSpec) -> Iterator[Block]:
    """Yield the correlations of a metric alone, for the report."""
    yield from in_stages(
        results.correlation_stages(study, spec), partial(_correlation_blocks, study, scenario)
    )
    yield _method(spec)


def _correlation_blocks(study: Study, scenario: Scenario, found: ComparedMetric) -> Iterator[Block]:
    if study.dataset.without and found.by_level:
        stages = results.correlation_stages(study.everyone, found.spec)
        before = last_of(stages) if found.is_complete else last_of([next(stages)])
        yield largest_change(scenario, "r at the level", _correlations(before), _correlations(found), decimal)
    if found.by_level:
        yield findings.correlation_finding(found)
    yield from _scatter(found)
    if not found.is_complete:
        return
    if any(cell.estimate.defined for of in found.by_level.values() for cell in of.cells):
        yield findings.correlation_table(found)
    yield from findings.correlation_warnings(found)
    yield from findings.correlation_notes(found)


def _scatter(found: ComparedMetric) -> Iterator[Block]:
    if found.drawn is not None and found.drawn.cell(found.spec.measure, "pearson").estimate.defined:
        measure, level = findings.MEASURE_NAMES[found.spec.measure], findings.LEVEL_NAMES[found.spec.level]
        caption = "{metric} and {measure} ({side}): {level}."
        values = {"metric": found.spec.metric, "measure": measure, "side": found.spec.side, "level": level}
        draw = partial(metric_scatter, found)
        yield Figure("metric-scatter", (caption, values), draw)


def _correlations(found: ComparedMetric) -> Mapping[str, Estimate]:
    return {
        findings.LEVEL_NAMES[level].lower(): of.cell(found.spec.measure, "pearson").estimate
        for level, of in found.by_level.items()
    }


def _outcomes(found: ComparedMetric) -> Iterator[Block]:
    yield Heading("The metric where people judge right and wrong")
    verdict = findings.outcome_finding(found)
    yield verdict
    if verdict.status is not Status.NOT_ENOUGH_DATA:
        caption = "Mean {metric} over true and false positives and negatives, with 95% CI."
        metric = {"metric": found.spec.metric}
        yield Figure("metric-outcomes", (caption, metric), partial(outcome_dots, found))
        yield findings.outcomes_table(found)
        yield findings.OUTCOMES_NOTE


def _method(spec: MetricSpec) -> Method:
    most = count(CorrelationSpec().permutations)
    return method_of("relevance", "metrics", ["hobson2007"], most=most, seed=spec.seed)


def metrics_program(study: Study, spec: MetricSpec) -> str:
    """Return a program that compares a metric with judgments without a browser."""
    return study_program(study, None, results.compare_metric, spec, ["results = found.figures"])


def partitions_section(study: Study, scenario: Scenario, spec: PartitionsSpec) -> Iterator[Block]:
    """Yield the correlation of a metric with agreement over random partitions, first without intervals."""
    missing = findings.missing_metric(main_study(study, spec.full_text).surrogates, metrics(study))
    if missing is not None:
        yield missing
        return
    stages = results.partition_stages(study, spec)
    found = yield from in_stages(stages, partial(_partition_blocks, study, scenario))
    if found.sizes:
        yield differences_findings.partitions_table(found)
    yield from differences_findings.partitions_warnings(found)
    yield from differences_findings.partitions_notes(found)
    yield method_of("relevance", "partitions", ["hobson2007"], draws=count(spec.draws))


def _partition_blocks(study: Study, scenario: Scenario, found: Partitions) -> Iterator[Block]:
    if study.dataset.without:
        before = results.preview_partitions(study.everyone, found.spec)
        yield largest_change(scenario, "r of", before.means, found.means, decimal)
    yield differences_findings.partitions_finding(found)
    caption = "Correlation of {metric} with agreement over random partitions of the documents, by surrogate."
    draw = partial(partition_outlines, found)
    yield Figure("partitions", (caption, {"metric": found.spec.metric}), draw)


def partitions_program(study: Study, spec: PartitionsSpec) -> str:
    """Return a program that correlates a metric with agreement over partitions without a browser."""
    return study_program(study, None, results.correlate_partitions, spec, ["results = found.figures"])
