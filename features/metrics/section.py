"""Sections of "Automatic metrics": one metric compared with raters, and all metrics of a study."""

from collections.abc import Collection, Iterator, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from analysis.assessors.automatic_metrics import MetricAgreement
from analysis.values.estimate import Estimate
from data.dataset import Dataset
from features.blocks import MAIN, Block, Figure, Finding, Heading, Table, in_stages, method_of
from features.cache import Stopped
from features.metric_pairs import pair_finding, pair_note, pair_warnings, pairs_table
from features.metrics import findings
from features.metrics.findings import TERMS
from features.metrics.results import MetricResult, MetricSpec, compare_with_metric, metric_stages
from features.plotting.panels import LEGEND_ON_TOP, grid, panel_title, remark, upright
from features.plotting.series import Dot, chart, dots, ends, outlined, row_chart
from features.plotting.theme import (
    GROUP_COLOURS,
    SHUFFLE_GREY,
    Look,
    PlotlyFigure,
    count,
    decimal,
    escape,
    interval,
    rimmed,
    shorten,
)
from features.program import computed_by
from features.study import Scenario, Study
from features.words import stacked

MOST_POINTS = 2000
"""Systems drawn in one panel; of more, every so many-th."""
_COLOR = GROUP_COLOURS[0]


def scatter(found: MetricResult, measures: Sequence[str], look: Look) -> PlotlyFigure:
    """Draw each system at (metric, human score): filled with everyone, hollow without the excluded raters."""
    panels = [(found.agreements[one], found.ranked[one][found.agreements[one].systems]) for one in measures]
    excluded = any(agreement.excluded.any() for agreement, _ in panels)
    legend: PlotlyFigure = {"legend": LEGEND_ON_TOP} if excluded else {}
    made = grid(
        look,
        [
            panel_title(measure, _told(agreement))
            for measure, (agreement, _) in zip(measures, panels, strict=True)
        ],
        x_title=shorten(found.spec.metric.name, 40),
        y_title="Mean score by raters",
        **legend,
    )
    for axis in made.yaxes[1:]:
        made.layout[f"yaxis{axis[1:]}"].pop("matches", None)
        made.layout[f"yaxis{axis[1:]}"]["showticklabels"] = True
    for axis in made.xaxes:
        made.layout[f"xaxis{axis[1:]}"] |= {"nticks": 3, "tickangle": 0}
    traces: list[PlotlyFigure] = []
    for at, panel in enumerate(panels):
        traces += [{"showlegend": at == 0} | trace | made.on(at) for trace in _traces(*panel, excluded, look)]
    return {"data": traces, "layout": made.layout}


def _told(agreement: MetricAgreement) -> str:
    level, term = agreement.system_level, TERMS[agreement.correlation]
    told = f"{term} = {decimal(level.before.value)}"
    return f"{told} → {decimal(level.after.value)}" if agreement.excluded.any() else told


def _traces(
    agreement: MetricAgreement, names: NDArray[np.str_], excluded: bool, look: Look
) -> list[PlotlyFigure]:
    every = np.arange(len(agreement.systems))[:: -(-len(agreement.systems) // MOST_POINTS) or 1]
    before = every[~np.isnan(agreement.human_before[every])]
    x, y = agreement.metric_before, agreement.human_before
    if not excluded:
        return [_dots(x, y, names, before, "Everyone", "circle", look)]
    is_lost = np.isnan(agreement.human_after[before])
    both, lost = before[~is_lost], before[is_lost]
    moves = _lines(
        np.column_stack([x, agreement.metric_after])[both], np.column_stack([y, agreement.human_after])[both]
    )
    drawn = [
        moves | {"line": {"color": SHUFFLE_GREY, "width": 1}, "name": "Move"},
        _dots(x, y, names, both, "Everyone", "circle", look),
        _dots(
            agreement.metric_after, agreement.human_after, names, both, "Without them", "circle-open", look
        ),
    ]
    if len(lost):
        drawn.append(_dots(x, y, names, lost, "No ratings left", "x-thin-open", look))
    return drawn


def _dots(
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    names: NDArray[np.str_],
    at: NDArray[np.int64],
    name: str,
    symbol: str,
    look: Look,
) -> PlotlyFigure:
    color = _COLOR if symbol != "x-thin-open" else look.ink
    return {
        "type": "scatter",
        "mode": "markers",
        "x": x[at].tolist(),
        "y": y[at].tolist(),
        "name": name,
        "marker": rimmed(color, 7) | {"symbol": symbol} | ({"color": color} if "open" in symbol else {}),
        "text": [shorten(names[system], 60) for system in at],
        "hovertemplate": f"%{{text}}<br>(%{{x:.3f}}, %{{y:.2f}}), {name.lower()}<extra></extra>",
    }


def _lines(x: NDArray[np.float64], y: NDArray[np.float64]) -> PlotlyFigure:
    """Return separate lines in one trace, each between two places (n, 2)."""
    return {
        "type": "scatter",
        "mode": "lines",
        "x": [end for pair in x.tolist() for end in (*pair, None)],
        "y": [end for pair in y.tolist() for end in (*pair, None)],
        "hoverinfo": "skip",
        "showlegend": False,
    }


MOST_RATERS = 40
"""Raters in one figure; of more, the lowest."""
_PYRAMID_ROW = 26


def difference_dots(
    rows: Sequence[tuple[str, Estimate]], look: Look, excluded: Collection[str] = ()
) -> PlotlyFigure:
    """Draw a dot with its interval per rater, in the order of the rows; excluded raters are hollow."""
    shown = rows[:MOST_RATERS]
    drawn = [Dot(at, e, _hover(name, e, name in excluded)) for at, (name, e) in enumerate(shown)]
    hollow = [name in excluded for name, _ in shown]
    some = f"the lowest {len(shown)} of {count(len(rows))} raters" if len(shown) < len(rows) else ""
    return row_chart(
        [name for name, _ in shown],
        [dots(drawn, _COLOR, 9, outlined(_COLOR, hollow))],
        {"title": "mP − aP: manual minus automatic Pyramid score"},
        look,
        row=_PYRAMID_ROW,
        remark=some,
        shapes=[upright(0, look.faint)],
    )


def _hover(name: str, estimate: Estimate, is_excluded: bool) -> str:
    return (
        f"{escape(name)}{' (excluded)' if is_excluded else ''}<br>{decimal(estimate.value, 3)} "
        f"({interval(estimate, 3)}), {count(estimate.n)} topics"
    )


EVERYONE, WITHOUT = "#5B6570", "#0072B2"
_TRAINING_ROW = 52
_APART = 0.13
"""Distance between the two metrics of a row, in rows: whiskers would hide each other."""

_EVERYONE, _WITHOUT = "Learned from everyone", "Without the excluded raters"
Row = tuple[str, Estimate, Estimate | None]
"""Name, correlation learned from everyone, and without the excluded raters."""


def correlations(rows: Sequence[Row], look: Look) -> PlotlyFigure:
    """Draw a line per row: hollow with everyone, full without the excluded raters, joined, with whiskers."""
    both = any(without is not None for _, _, without in rows)
    apart = _APART if both else 0.0
    everyone = [(at - apart, name, e) for at, (name, e, _) in enumerate(rows)]
    without = [(at + apart, name, e) for at, (name, _, e) in enumerate(rows) if e is not None]
    series = [_training_dots(everyone, _EVERYONE, EVERYONE if both else WITHOUT, both, look)]
    if both:
        moved = [
            (at, before.value, after.value)
            for at, (_, before, after) in enumerate(rows)
            if after is not None and before.defined and after.defined
        ]
        x = np.array([ends for _, *ends in moved]).reshape(-1, 2)
        y = np.array([[at - apart, at + apart] for at, *_ in moved]).reshape(-1, 2)
        joined = _lines(x, y) | {"line": {"color": look.ink, "width": 1.2}}
        series = [joined, *series, _training_dots(without, _WITHOUT, WITHOUT, False, look)]
    inside = ends(e for _, *of_row in rows for e in of_row if e is not None and e.defined)
    low, high = min(inside, default=0.0), max(inside, default=1.0)
    margin = max((high - low) * 0.06, 0.01)
    return chart(
        [shorten(name, 34) for name, _, _ in rows],
        series,
        {"title": "Pearson's r over the systems", "range": [low - margin, min(high + margin, 1.02)]},
        {"range": [len(rows) - 0.5, -0.5]},
        look,
        (10, 16, 10, 44),
        height=84 + _TRAINING_ROW * max(len(rows), 2),
        hovermode="closest",
        annotations=[
            remark(name, look, x=e.value, xref="x", y=at, yref="y", yshift=shift)
            for name, dots, shift in ((_EVERYONE, everyone, 13), (_WITHOUT, without, -13))
            for at, _, e in dots[:1]
            if both and e.defined
        ],
    )


def _training_dots(
    points: Sequence[tuple[float, str, Estimate]], name: str, color: str, hollow: bool, look: Look
) -> PlotlyFigure:
    drawn = [
        Dot(at, e, f"{escape(cell)}<br>{name}<br>r = {decimal(e.value, 3)} ({interval(e, 3)}), {e.n} systems")
        for at, cell, e in points
        if e.defined
    ]
    marker = {"color": look.ground if hollow else color, "line": {"color": color, "width": 1.8}}
    return dots(drawn, color, 10, marker, name=name)


"""Key and data set of a joined table, for programs."""


@computed_by(compare_with_metric, "results = {**found.agreements, 'pairs': found.pairs}")
def metrics_section(
    study: Study, scenario: Scenario, spec: MetricSpec, joined: Dataset | None, measures: Sequence[str]
) -> Iterator[Block]:
    """Yield how a metric agrees with raters, each rater, and pairs of metrics; `measures` are those drawn."""
    try:
        yield from in_stages(
            metric_stages(study, scenario, spec, joined), partial(_blocks, scenario, measures)
        )
    except Stopped:
        return
    bootstrap = spec.bootstrap
    yield method_of("metrics", "metrics", ["owczarzak2012"], draws=bootstrap.draws, seed=bootstrap.seed)


def _blocks(scenario: Scenario, measures: Sequence[str], found: MetricResult) -> Iterator[Block]:
    if scenario.excludes:
        yield findings.exclusion_finding(found, scenario)
    yield findings.agreement_finding(found)
    caption = "Mean score by raters of each of the {what} and its mean {metric}, by measure."
    values = {"what": found.what, "metric": found.spec.metric.name}
    yield Figure("metric_scatter", (caption, values), partial(scatter, found, measures))
    yield findings.agreement_table(found, scenario.excludes)
    yield from findings.agreement_warnings(found)
    yield Heading("Each rater")
    yield findings.raters_table(found, scenario)
    if found.pairs is not None:
        metrics = len(found.spec.compared)
        yield Heading("Metrics compared with each other")
        yield pair_finding(found.pairs, findings.TERMS[found.spec.correlation], found.what, "pairs")
        yield pairs_table(found.pairs)
        yield pair_note(found.what, found.spec.bootstrap, metrics * (metrics - 1) // 2)
        yield from pair_warnings(found.pairs, found.what)


def all_metrics_section(study: Study, scenario: Scenario, specs: Sequence[MetricSpec]) -> Iterator[Block]:
    """Yield how each of several metrics of the items agrees with raters, for a report."""
    tables, headlines = dict[str, Table](), list[Finding]()
    for at, spec in enumerate(specs):
        found = compare_with_metric(study, scenario, spec)
        headlines.append(findings.agreement_finding(found, name=spec.metric.name if at else MAIN))
        tables[spec.metric.name] = findings.agreement_table(found, scenario.excludes)
    yield from headlines
    caption = "Correlation of each metric with human scores over systems and on single items, with 95% CI."
    yield stacked("metrics", caption, "Metric", tables)
    bootstrap = specs[0].bootstrap
    yield method_of("metrics", "metrics", ["owczarzak2012"], draws=bootstrap.draws, seed=bootstrap.seed)
