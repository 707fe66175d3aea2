"""Sections of "Relevance" on automatic metrics: correlations with how well people judge, and random partitions."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from math import isnan

from analysis.relevance.metric_correlations import MEASURES, CorrelationSpec
from analysis.relevance.partitions import BIN_EDGES, Partition
from analysis.values.estimate import Estimate
from features.blocks import Block, Figure, Heading, Method, Status, in_stages, last_stage, method_of
from features.exclusion import exclusion_change
from features.metric_pairs import pair_finding, pair_note, pair_warnings, pairs_table
from features.plotting.panels import at_top_right, horizontal_line, remark, vertical_line
from features.plotting.series import (
    Dot,
    Point,
    axis_range,
    chart,
    dots,
    point_chart,
    point_trace,
    span_of,
    values_and_ends,
)
from features.plotting.theme import (
    GROUP_COLOURS,
    Look,
    PlotlyFigure,
    count,
    decimal,
    escape,
    point_marker,
    share,
    shorten,
    translucent,
)
from features.program import computed_by
from features.relevance import metrics_findings as findings
from features.relevance import metrics_results as results
from features.relevance.agreement_findings import differences_finding, differences_warnings
from features.relevance.agreement_results import main_study, metrics
from features.relevance.agreement_section import means_figure
from features.relevance.metrics_findings import MEASURE_NAMES, correlation_label
from features.relevance.metrics_results import ComparedMetric, MetricSpec, Partitions, PartitionsSpec
from features.study import Scenario, Study

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
    shown, spec = found.drawn, found.spec
    if shown is None:
        return None
    at = MEASURES.index(spec.measure)
    columns = shown.surrogate, shown.event, shown.metric[at], shown.value[at]
    of_surrogate: dict[str, list[Point]] = {}
    for surrogate, event, x, y in zip(*(column.tolist() for column in columns), strict=True):
        name = found.main.surrogates.names[shown.surrogates[surrogate]]
        where = "" if event < 0 else f", {escape(found.main.events[shown.events[event]])}"
        hover = (
            f"{escape(name)}{where}<br>{escape(spec.metric)}: {decimal(x, 3)}<br>"
            f"{MEASURE_NAMES[spec.measure]}: {share(y, 1)}"
        )
        if not isnan(y):
            of_surrogate.setdefault(name, []).append(Point(name, Estimate(x), Estimate(y), hover))
    minus = ", minus the event's mean" if spec.level == "event-adjusted" else ""
    titles = f"{shorten(spec.metric, 24)}{minus}", f"{MEASURE_NAMES[spec.measure]}{minus}"
    pooled = spec.level == "system"
    return scatter(of_surrogate, titles, correlation_label(shown, spec.measure, spec.level), look, pooled)


def scatter(
    of_surrogate: Mapping[str, Sequence[Point]],
    titles: tuple[str, str],
    remark_text: str,
    look: Look,
    pooled: bool = False,
) -> PlotlyFigure:
    """Draw points with `told` (the correlation) above; of `pooled` surrogates, each point has its name."""
    drawn = [point for points in of_surrogate.values() for point in points][:MOST_POINTS]
    is_colored, is_named = (
        not pooled and len(of_surrogate) <= MOST_COLOURED,
        pooled and len(drawn) <= MOST_NAMED,
    )
    x, y = (list(axis_range(values, 0.1, least=0.01)) for values in span_of(drawn))
    series = of_surrogate if is_colored else {"": drawn}
    traces = [
        point_trace(
            points, name, at, look, is_named, **point_marker(GROUP_COLOURS[at], 9, many=len(drawn) > 100)
        )
        for at, (name, points) in enumerate(series.items())
    ]
    x_axis, y_axis = {"title": titles[0], "range": x}, {"title": titles[1], "range": y, "tickformat": ".0%"}
    return point_chart(traces, x_axis, y_axis, remark_text if drawn else "nothing to draw", look)


def partition_outlines(found: Partitions, look: Look) -> PlotlyFigure | None:
    """Draw the partitions into groups of the chosen size; None while they are not computed."""
    if not found.sizes:
        return None
    rows = [(found.main.surrogates.names[one.surrogate], one, mean) for one, mean in found.chosen]
    return outlines(rows, "Pearson's r over groups of documents", look)


def outlines(rows: Sequence[tuple[str, Partition, Estimate]], title: str, look: Look) -> PlotlyFigure:
    """Draw the outline of a histogram per surrogate; below it a dot for the mean, with whiskers for its interval."""
    drawn = rows[:MOST_OUTLINES]
    known = [(at, *row) for at, row in enumerate(drawn) if not isnan(row[1].mean)]
    most = max((one.counts.max() for *_, one, _ in known), default=1)
    traces, inside = list[PlotlyFigure](), [0.0, *values_and_ends(mean for *_, mean in known)]
    for at, name, one, mean in known:
        color = GROUP_COLOURS[at % len(GROUP_COLOURS)]
        outline = _outline(one, -at, _TALL / most, color)
        inside += [min(outline["x"]), max(outline["x"])]
        between = "" if isnan(mean.low) else f"<br>95% CI {decimal(mean.low, 3)} to {decimal(mean.high, 3)}"
        hover = f"{escape(name)}<br>mean r = {decimal(one.mean, 3)}, SD over partitions {decimal(one.sd, 3)}"
        dot = dots(
            [Dot(-at - 0.1, mean, hover + between)], color, 9, written=[decimal(one.mean)], ink=look.ink
        )
        traces += [outline, dot | {"textposition": "bottom center", "cliponaxis": False}]
    low, high = min(inside), max(inside)
    margin = 0.04 * max(high - low, 0.2)
    annotations = [
        remark(escape(one.reason), look, x=0.5, y=-at + 0.3, yref="y")
        for at, (_, one, _) in enumerate(drawn)
        if isnan(one.mean)
    ]
    if len(drawn) < len(rows):
        annotations.append(at_top_right(f"the first {len(drawn)} of {count(len(rows))}", look))
    return chart(
        [shorten(name, 18) for name, *_ in drawn],
        traces,
        {"title": title, "range": [max(low - margin, -1.05), min(high + margin, 1.05)], "nticks": 8},
        {
            "tickvals": [-at for at in range(len(drawn))],
            "range": [-len(drawn) + 0.6, 0.9],
            "tickfont": {"color": look.ink, "size": 12.5},
        },
        look,
        (8, 14, 14, 48),
        height=70 + _ROW * max(len(drawn), 2),
        hovermode="closest",
        shapes=[
            vertical_line(0, look.faint, layer="below"),
            *(horizontal_line(-at, look.grid, dash="solid") for at in range(len(drawn))),
        ],
        annotations=annotations,
    )


def _outline(one: Partition, base: float, scale: float, color: str) -> PlotlyFigure:
    """Return steps from the first to the last bin that holds a partition."""
    held, edges = one.counts.nonzero()[0].tolist(), BIN_EDGES.tolist()
    x, y = list[float](), list[float]()
    for at in range(held[0], held[-1] + 1):
        x += [edges[at], edges[at + 1]]
        y += [base + scale * int(one.counts[at])] * 2
    return {
        "type": "scatter",
        "mode": "lines",
        "x": [x[0], *x, x[-1], x[0]],
        "y": [base, *y, base, base],
        "fill": "toself",
        "fillcolor": translucent(color, 0.25),
        "line": {"color": color, "width": 1.2},
        "hoverinfo": "skip",
    }


@computed_by(results.metric_stages)
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
    yield differences_finding(found.differences, name="means")
    if found.differences.test.k > 1:
        yield means_figure("metric-means", found.differences)
        yield findings.metric_means_table(found)
        yield from differences_warnings(found.differences)
    if findings.with_outcomes(found):
        yield Heading("The metric where people judge right and wrong")
        yield findings.outcomes_table(found)
    yield _method(spec)


def _comparison(found: ComparedMetric) -> Iterator[Block]:
    pairs, surrogates = {findings.in_words(found.spec.measure): found.compared}, "surrogates"
    verdict = pair_finding(pairs, "r", surrogates, name="comparison")
    yield verdict
    if verdict.status is not Status.NOT_ENOUGH_DATA:
        yield pairs_table(pairs)
        yield pair_note(surrogates, len(found.compared))
        yield from pair_warnings(pairs, surrogates)


def correlation_section(study: Study, scenario: Scenario, spec: MetricSpec) -> Iterator[Block]:
    """Yield the correlations of a metric alone, for the report."""
    yield from in_stages(
        results.correlation_stages(study, spec), partial(_correlation_blocks, study, scenario)
    )
    yield _method(spec)


def _correlation_blocks(study: Study, scenario: Scenario, found: ComparedMetric) -> Iterator[Block]:
    spec = found.spec
    if found.by_level:
        what, before = "r at the level", partial(_same_stage, found)
        yield from exclusion_change(study, scenario, what, found, before, spec, _correlations, decimal)
        yield findings.correlation_finding(found)
    if found.drawn is not None and found.drawn.cell(spec.measure, "pearson").estimate.defined:
        caption = "{metric} and {measure} ({side}): {level}."
        measure, of_level = MEASURE_NAMES[spec.measure], findings.LEVEL_NAMES[spec.level]
        values = {"metric": spec.metric, "measure": measure, "side": spec.side, "level": of_level}
        yield Figure("metric-scatter", (caption, values), partial(metric_scatter, found))
    if found.is_complete:
        yield findings.correlation_table(found)
        yield from findings.correlation_warnings(found)


def _same_stage(found: ComparedMetric, study: Study, spec: MetricSpec) -> list[ComparedMetric]:
    stages = results.correlation_stages(study, spec)
    return [last_stage(stages if found.is_complete else [next(stages)])]


def _correlations(found: ComparedMetric) -> Mapping[str, Estimate]:
    return {
        findings.LEVEL_NAMES[level].lower(): of.cell(found.spec.measure, "pearson").estimate
        for level, of in found.by_level.items()
    }


def _method(spec: MetricSpec) -> Method:
    most = count(CorrelationSpec().permutations)
    return method_of("relevance", "metrics", ["hobson2007"], most=most, seed=spec.seed)


@computed_by(results.partition_stages)
def partitions_section(study: Study, scenario: Scenario, spec: PartitionsSpec) -> Iterator[Block]:
    """Yield the correlation of a metric with agreement over random partitions, first without intervals."""
    missing = findings.missing_metric(main_study(study, spec.full_text).surrogates, metrics(study))
    if missing is not None:
        yield missing
        return
    stages = results.partition_stages(study, spec)
    found = yield from in_stages(stages, partial(_partition_blocks, study, scenario))
    if found.sizes:
        yield findings.partitions_table(found)
    yield from findings.partitions_warnings(found)
    yield method_of("relevance", "partitions", ["hobson2007"], draws=count(spec.draws))


def _partition_blocks(study: Study, scenario: Scenario, found: Partitions) -> Iterator[Block]:
    stages, spec = results.partition_stages, found.spec
    yield from exclusion_change(study, scenario, "r of", found, stages, spec, lambda one: one.means, decimal)
    yield findings.partitions_finding(found)
    caption = (
        "Correlation of {metric} with agreement over random partitions of the documents. The outline's width is no "
        "standard error; whiskers are the 95% CI over raters and documents."
    )
    draw = partial(partition_outlines, found)
    yield Figure("partitions", (caption, {"metric": found.spec.metric}), draw)
