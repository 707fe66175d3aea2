"""Automatic metrics: verdicts, tables, figures and section."""

from collections.abc import Collection, Iterator, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from analysis.assessors.automatic_metrics import Change, MetricAgreement
from analysis.values.estimate import Estimate
from analysis.values.estimate import shorten as shorten_name
from data.dataset import Dataset
from features.blocks import (
    MAIN,
    Block,
    Figure,
    Finding,
    Heading,
    NextStep,
    Table,
    Warning,
    clear_if,
    confidence_interval,
    for_raters,
    in_stages,
    method_of,
    not_enough_data,
    resampled_scope,
)
from features.cache import Stopped
from features.metric_pairs import pair_finding, pair_note, pair_warnings, pairs_table
from features.metrics.results import MetricResult, MetricSpec, compare_with_metric, metric_stages
from features.plotting.panels import LEGEND_ON_TOP, grid, panel_title, vertical_line
from features.plotting.series import Dot, circle_markers, dots, row_chart
from features.plotting.theme import (
    GROUP_COLOURS,
    SHUFFLE_GREY,
    THREE_DIGITS,
    Look,
    PlotlyFigure,
    count,
    decimal,
    escape,
    group_colour,
    interval,
    point_marker,
    shorten,
)
from features.program import computed_by
from features.study import Scenario, Study
from features.words import Column, by_reason, counted, estimate_columns, raters_named, stacked, table_of

TERMS = {"pearson": "r", "spearman": "ρ"}


def no_metric() -> Finding:
    return not_enough_data(
        "Not enough data to compare a metric with raters: no metric is known.",
        {},
        "A file of kind metrics has an item column and a number per item",
        "or import the ratings with a numeric column, or with the columns text and reference_text for ROUGE",
        next_step=NextStep("Upload metrics", "datasets.py"),
    )


def current_correlation(change: Change) -> Estimate:
    """Return the correlation without those excluded where it is known, else with everyone."""
    return change.after if change.after.defined else change.before


def agreement_finding(found: MetricResult, name: str = MAIN) -> Finding:
    """Return the measure with which the metric correlates best."""
    metric, term = found.spec.metric.name, TERMS[found.spec.correlation]
    known = {m: one for m, one in found.agreements.items() if current_correlation(one.system_level).defined}
    if not known:
        reason = next(iter(found.agreements.values())).system_level.before.reason
        headline = "Not enough data to compare {metric} with raters."
        return not_enough_data(headline, {"metric": metric}, _named(reason, found.what), name=name)
    best = max(known, key=lambda measure: current_correlation(known[measure].system_level).value)
    levels = known[best].system_level, known[best].summary_level
    over, single = map(current_correlation, levels)
    resampled, several = known[best].resampled, len(known) > 1
    holds_zero = over.low <= 0 <= over.high
    how = "correlates best with {best}" if several else "correlates with {best}"
    headline = f"{{metric}} {how}, {{term}} = <b>{{value}}</b>."
    if holds_zero:
        unclear = f"{how}, but not clearly" if several else "does not clearly correlate with {best}"
        headline = f"{{metric}} {unclear}."
    return clear_if(
        over.excludes(),
        headline,
        {"metric": f"Metric {metric}", "best": best, "term": term, "value": decimal(over.value)},
        f"{term} {decimal(over.value)}" if holds_zero else "",
        confidence_interval(over),
        f"{count(over.n)} {found.what}",
        f"{shorten_name(found.spec.kind)} systems only" if found.spec.kind else "",
        f"within raters {decimal(single.value)}",
        for_raters(resampled_scope(resampled)) if resampled else "",
        name=name,
    )


def exclusion_finding(found: MetricResult, scenario: Scenario) -> Finding:
    """Return the measure whose correlation the exclusion changes most."""
    values = {"who": raters_named(scenario.names), "metric": found.spec.metric.name}
    changed = {m: one for m, one in found.agreements.items() if one.system_level.difference.defined}
    if not changed:
        reasons = {one.system_level.difference.reason for one in found.agreements.values()} - {""}
        line = _named("; ".join(sorted(reasons)), found.what)
        return not_enough_data("Without {who}, no correlation is defined.", values, line, name="exclusion")
    measure = max(changed, key=lambda one: abs(changed[one].system_level.difference.value))
    over, single = changed[measure].system_level, changed[measure].summary_level
    sign = "+" if over.difference.value > 0 else ""
    values |= {"measure": measure, "term": TERMS[found.spec.correlation]}
    return clear_if(
        over.difference.excludes(),
        "Without {who}, {term} of {metric} and {measure} changes by <b>{change}</b>.",
        values | {"change": f"{sign}{THREE_DIGITS(over.difference.value)}"},
        confidence_interval(over.difference, THREE_DIGITS),
        f"{THREE_DIGITS(over.after.value)} instead of {THREE_DIGITS(over.before.value)}",
        f"{count(over.after.n)} {found.what}",
        f"within raters {decimal(single.after.value)} instead of {decimal(single.before.value)}",
        f"the largest change of {counted(len(changed), 'measure')}" if len(changed) > 1 else "",
        name="exclusion",
    )


def agreement_table(found: MetricResult, excludes_raters: bool) -> Table:
    """Return the paper's Tables 3 (systems) and 4 (single items), with a row per level and measure."""
    rows = [
        (level, measure, getattr(agreement, field))
        for level, field in ((found.what, "system_level"), ("single items of a rater", "summary_level"))
        for measure, agreement in found.agreements.items()
    ]
    heads, counts = {"before": "Correlation"}, {"before": "n"}
    if excludes_raters:
        heads = {"before": "Before", "after": "After", "difference": "Difference"}
        counts = {"before": "n before", "after": "n after"}
    several, over = len(found.agreements) > 1, Column("Over", [one for one, _, _ in rows])
    measure = Column("Measure", [one for _, one, _ in rows], None, several)
    columns = [measure] if several else [over]
    for side, head in heads.items():
        columns += estimate_columns(head, [getattr(one, side) for *_, one in rows], THREE_DIGITS)
    columns.append(over if several else measure)
    columns += [Column(counts[side], [getattr(one, side).n for *_, one in rows], count) for side in counts]
    caption = (
        "Correlation ({term}) of {metric} with human scores over {what} and on single items, with 95% CI. n counts "
        "{what}, and raters on single items."
    )
    spec = found.spec
    values = {"term": TERMS[spec.correlation], "metric": spec.metric.name, "what": found.what}
    return table_of("metrics", (caption, values), columns)


def agreement_warnings(found: MetricResult) -> Iterator[Warning]:
    """Yield what was set aside and what is undefined, each reason once."""
    every = found.agreements
    missing = max(agreement.without_metric for agreement in every.values())
    if missing:
        text = "Up to {n} ratings of a measure have no metric value and are not used."
        yield Warning((text, {"n": count(missing)}))
    undefined = max(agreement.undefined_raters for agreement in every.values())
    if undefined:
        text = (
            "For up to {n} raters of a measure the correlation is undefined (fewer than three items, or all scores or "
            "metric values equal); they are not in the mean over raters."
        )
        yield Warning((text, {"n": count(undefined)}))
    reasons = (
        (measure, _named(estimate.reason, found.what))
        for measure, agreement in every.items()
        for level in (agreement.system_level, agreement.summary_level)
        for estimate in (level.before, level.after)
        if found.is_drawn or not estimate.defined
    )
    yield from by_reason(reasons, len(every), "measures")


def _named(text: str, what: str) -> str:
    """Return a sentence of `analysis` with the word for what is ranked."""
    return text.replace("systems", what)


MOST_POINTS = 2000
"""Systems drawn in one panel; of more, every so many-th."""


def scatter(
    found: MetricResult, measures: Sequence[str], look: Look, color: str = GROUP_COLOURS[0]
) -> PlotlyFigure:
    """Draw each system at (metric, human score), in the color of the group: hollow without the excluded raters."""
    panels = [(found.agreements[one], found.ranked[one][found.agreements[one].systems]) for one in measures]
    excluded = any(agreement.excluded.any() for agreement, _ in panels)
    legend: PlotlyFigure = {"legend": LEGEND_ON_TOP} if excluded else {}
    made = grid(
        look,
        [
            panel_title(measure, _correlation_in_words(agreement))
            for measure, (agreement, _) in zip(measures, panels, strict=True)
        ],
        x_title=shorten(found.spec.metric.name, 40),
        y_title="Mean score by raters",
        shared_y=False,
        **legend,
    )
    for axis in made.xaxes:
        made.layout[f"xaxis{axis[1:]}"] |= {"nticks": 3 if len(panels) > 1 else 8, "tickangle": 0}
    traces: list[PlotlyFigure] = []
    for at, panel in enumerate(panels):
        traces += [
            {"showlegend": at == 0} | trace | made.on(at) for trace in _traces(*panel, excluded, look, color)
        ]
    return {"data": traces, "layout": made.layout}


def _correlation_in_words(agreement: MetricAgreement) -> str:
    level, term = agreement.system_level, TERMS[agreement.correlation]
    text = f"{term} = {decimal(level.before.value)}"
    return f"{text} → {decimal(level.after.value)}" if agreement.excluded.any() else text


def _traces(
    agreement: MetricAgreement, names: NDArray[np.str_], excluded: bool, look: Look, color: str
) -> list[PlotlyFigure]:
    every = np.arange(len(agreement.systems))[:: -(-len(agreement.systems) // MOST_POINTS) or 1]
    before = every[~np.isnan(agreement.human_before[every])]
    x, y = agreement.metric_before, agreement.human_before
    if not excluded:
        return [_dots(x, y, names, before, "Everyone", "circle", color)]
    is_lost = np.isnan(agreement.human_after[before])
    both, lost = before[~is_lost], before[is_lost]
    moves = _lines(
        np.column_stack([x, agreement.metric_after])[both], np.column_stack([y, agreement.human_after])[both]
    )
    drawn = [
        moves | {"line": {"color": SHUFFLE_GREY, "width": 1}, "name": "Move"},
        _dots(x, y, names, both, "Everyone", "circle", color),
        _dots(
            agreement.metric_after, agreement.human_after, names, both, "Without them", "circle-open", color
        ),
    ]
    if len(lost):
        drawn.append(_dots(x, y, names, lost, "No ratings left", "x-thin-open", look.ink))
    return drawn


def _dots(
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    names: NDArray[np.str_],
    at: NDArray[np.int64],
    name: str,
    symbol: str,
    color: str,
) -> PlotlyFigure:
    return {
        "type": "scatter",
        "mode": "markers",
        "x": x[at].tolist(),
        "y": y[at].tolist(),
        "name": name,
        "marker": point_marker(color, 7)
        | {"symbol": symbol}
        | ({"color": color} if "open" in symbol else {}),
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
        [dots(drawn, GROUP_COLOURS[0], 9, circle_markers(GROUP_COLOURS[0], hollow))],
        {"title": "mP − aP: manual minus automatic Pyramid score"},
        look,
        row=_PYRAMID_ROW,
        remark=some,
        shapes=[vertical_line(0, look.faint)],
    )


def _hover(name: str, estimate: Estimate, is_excluded: bool) -> str:
    return (
        f"{escape(name)}{' (excluded)' if is_excluded else ''}<br>{decimal(estimate.value, 3)} "
        f"({interval(estimate, 3)}), {count(estimate.n)} topics"
    )


@computed_by(compare_with_metric, "results = {**found.agreements, 'pairs': found.pairs}")
def metrics_section(
    study: Study, scenario: Scenario, spec: MetricSpec, joined: Dataset | None, measures: Sequence[str]
) -> Iterator[Block]:
    """Yield how a metric agrees with raters, each rater, and pairs of metrics; `measures` are those drawn."""
    try:
        yield from in_stages(
            metric_stages(study, scenario, spec, joined), partial(_blocks, study, scenario, measures)
        )
    except Stopped:
        return
    bootstrap = spec.bootstrap
    yield method_of("metrics", "metrics", ["owczarzak2012"], draws=bootstrap.draws, seed=bootstrap.seed)


def _blocks(
    study: Study, scenario: Scenario, measures: Sequence[str], found: MetricResult
) -> Iterator[Block]:
    if scenario.excludes:
        yield exclusion_finding(found, scenario)
    yield agreement_finding(found)
    caption = "Mean score by raters of each of the {what} and its mean {metric}, by measure."
    values = {"what": found.what, "metric": found.spec.metric.name}
    color = group_colour(study.candidate, study.groups)
    yield Figure("metric_scatter", (caption, values), partial(scatter, found, measures, color=color))
    yield agreement_table(found, scenario.excludes)
    yield from agreement_warnings(found)
    if found.pairs is not None:
        metrics = len(found.spec.compared)
        yield Heading("Metrics compared with each other")
        yield pair_finding(found.pairs, TERMS[found.spec.correlation], found.what, "pairs")
        yield pairs_table(found.pairs)
        yield pair_note(found.what, metrics * (metrics - 1) // 2)
        yield from pair_warnings(found.pairs, found.what)


def all_metrics_section(study: Study, scenario: Scenario, specs: Sequence[MetricSpec]) -> Iterator[Block]:
    """Yield how each of several metrics of the items agrees with raters, for a report."""
    tables, headlines = dict[str, Table](), list[Finding]()
    for at, spec in enumerate(specs):
        found = compare_with_metric(study, scenario, spec)
        headlines.append(agreement_finding(found, name=spec.metric.name if at else MAIN))
        tables[spec.metric.name] = agreement_table(found, scenario.excludes)
    yield from headlines
    caption = "Correlation of each metric with human scores over systems and on single items, with 95% CI."
    yield stacked("metrics", caption, "Metric", tables)
    bootstrap = specs[0].bootstrap
    yield method_of("metrics", "metrics", ["owczarzak2012"], draws=bootstrap.draws, seed=bootstrap.seed)
