"""Sections of "Relevance" on judgments: which summaries suffice, raters, differences between surrogates, order."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from analysis.relevance.tukey import OrderStudy
from analysis.values.estimate import BootstrapSpec, Estimate
from features.blocks import Block, Figure, Heading, in_stages, method_of
from features.exclusion import exclusion_change
from features.plotting.panels import horizontal_line, vertical_line
from features.plotting.series import (
    Point,
    Series,
    axis_range_of,
    estimate_dots,
    hover,
    point_chart,
    point_trace,
    series_dots,
    span_of,
)
from features.plotting.theme import (
    ONE_DIGIT,
    PERCENT_ONE_DIGIT,
    Look,
    PlotlyFigure,
    escape,
    estimate_in_table,
    shorten,
)
from features.program import computed_by
from features.relevance import agreement_findings as findings
from features.relevance import agreement_results as results
from features.relevance.agreement_findings import FIGURE_NAMES, figure_of, pair_title
from features.relevance.agreement_results import (
    CLOSED,
    KAPPAS,
    LDC,
    Accuracy,
    AccuracySpec,
    Differences,
    DifferencesSpec,
    Kappas,
    RatersSpec,
)
from features.study import Scenario, Study

MOST_NAMED = 14
"""Points that carry their names; of more, names are in the hovers."""


def agreement_dots(found: Accuracy, figure: results.Figure, look: Look) -> PlotlyFigure:
    """Draw one figure of both agreements, a row per surrogate."""
    present = found.main.surrogates.present
    series = [Series(side, [figure_of(of[at], figure) for at in present]) for side, of in found.sides]
    title = f"{FIGURE_NAMES[figure]} of judgments"
    names = found.main.surrogates.names_of(present)
    return series_dots(names, series, title, look, shares=figure != "kappa")


def kappa_dots(found: Kappas, look: Look) -> PlotlyFigure:
    present = found.main.surrogates.present
    series = [Series(name, [found.of(name, at) for at in present]) for name in KAPPAS]
    known = [one for one in series if one.defined]
    return series_dots(found.main.surrogates.names_of(present), known, "Kappa", look, shares=False, guide=0.0)


def mean_dots(found: Differences, look: Look) -> PlotlyFigure:
    """Draw the mean of each surrogate with its letters, the best on top."""
    order, unit = found.best_first, "seconds" if found.name == results.SECONDS else f"by {found.subjects}"
    title = f"Mean {shorten(found.measure, 24)}" + (f" ({found.side})" if found.side else f", {unit}")
    series = Series(found.name, [found.test.means[at] for at in order])
    letters = [found.pairs.letters[at] for at in order]
    names = [found.conditions[at] for at in order]
    return series_dots(names, [series], title, look, shares=found.is_share, letters=letters)


def order_dots(order: OrderStudy, look: Look) -> PlotlyFigure:
    return estimate_dots(_shares(order), "Share of equal judgments", look)


def speed_figure(found: Accuracy, look: Look) -> PlotlyFigure | None:
    """Draw the agreement that each summary loses for the seconds that it saves; None where neither is known."""
    both, surrogates, series = found.both, found.main.surrogates, dict[str, list[Point]]()
    for side, _ in found.sides:
        lost = both.ldc_lost if side == LDC else both.prediction_lost
        for at in surrogates.summaries:
            if both.seconds_saved[at].defined and lost[at].defined:
                point = Point(surrogates.names[at], both.seconds_saved[at], lost[at])
                series.setdefault(side, []).append(point)
    return tradeoff(series, surrogates.full_text_name, look) if series else None


def tradeoff(series: Mapping[str, Sequence[Point]], full_text: str, look: Look) -> PlotlyFigure:
    """Draw seconds saved to the right and agreement lost downwards; the full text is where both are 0."""
    x, y = span_of([point for points in series.values() for point in points])
    across, down = (axis_range_of([*values, 0.0], room=0.12) for values in (x, y))
    is_named = sum(map(len, series.values())) <= MOST_NAMED
    traces = [
        point_trace([_tradeoff_hover(one, name) for one in points], name, at, look, is_named)
        for at, (name, points) in enumerate(series.items())
    ]
    origin = Point(full_text, Estimate(0.0), Estimate(0.0), escape(full_text))
    marker: PlotlyFigure = {"symbol": "circle-open", "color": look.faint, "line": {"width": 1.5}}
    traces.append(
        point_trace([origin], "", 0, look, **marker)
        | {"text": [shorten(full_text, 16)], "textposition": "bottom right", "showlegend": False}
    )
    return point_chart(
        traces,
        {"title": "Seconds saved per judgment", "range": list(across)},
        {"title": "Agreement lost", "range": [down[1], down[0]], "tickformat": ".0%"},
        "faster, and nothing lost ↗",
        look,
        shapes=[vertical_line(0.0, look.faint, layer="below"), horizontal_line(0, look.faint, dash="dot")],
    )


def _tradeoff_hover(point: Point, side: str) -> Point:
    saved = hover(point.name, "saves", point.x, ONE_DIGIT)
    return replace(
        point,
        hover=f"{saved} s<br>{escape(side)}: {estimate_in_table(point.y, PERCENT_ONE_DIGIT)} lost",
    )


@computed_by(results.accuracy_stages)
def accuracy_section(study: Study, scenario: Scenario, spec: AccuracySpec) -> Iterator[Block]:
    """Yield which summaries let readers decide as with the full text: first without intervals, the events last."""
    found = yield from in_stages(
        results.accuracy_stages(study, spec), partial(_accuracy_blocks, study, scenario, spec)
    )
    if found.sides:
        yield findings.accuracy_table(found)
    yield from findings.accuracy_warnings(found)
    if not found.sides:
        return
    if len(found.sides) > 1:
        yield Heading("Relevance Prediction and LDC Agreement")
        difference = findings.difference_finding(found)
        if difference is not None:
            yield difference
        yield findings.difference_table(found)
    if (way := findings.way_finding(found)) is not None:
        yield Heading("Between the baseline and the full text")
        yield way
        yield findings.way_table(found)
    if found.by_event:
        yield Heading("Event by event")
        yield findings.events_table(found)
    sources, bootstrap = ["hobson2007", "cameron2011", "fieller1954"], spec.bootstrap
    yield method_of("relevance", "accuracy", sources, draws=bootstrap.draws, seed=bootstrap.seed)


def _accuracy_blocks(
    study: Study, scenario: Scenario, spec: AccuracySpec, found: Accuracy
) -> Iterator[Block]:
    stages, read = results.accuracy_stages, findings.accuracies
    yield from exclusion_change(study, scenario, "agreement on", found, stages, spec, read)
    yield findings.accuracy_finding(found)
    if not found.sides:
        return
    caption = "{figure} of each surrogate, compared with gold and with the rater's own full text."
    draw = partial(agreement_dots, found, spec.figure)
    yield Figure("relevance-agreement", (caption, {"figure": FIGURE_NAMES[spec.figure]}), draw)
    if any(e.defined for e in found.both.seconds_saved):
        caption = "Seconds saved by each surrogate and the agreement that is lost for it."
        yield Figure("speed", (caption, {}), partial(speed_figure, found))


@computed_by(results.rater_stages)
def raters_section(study: Study, scenario: Scenario, spec: RatersSpec) -> Iterator[Block]:
    """Yield how far raters agree with each other, with gold and with their own full text."""
    found = yield from in_stages(
        results.rater_stages(study, spec), partial(_raters_blocks, study, scenario, spec)
    )
    yield findings.kappa_table(found)
    yield from findings.raters_warnings(found)
    yield method_of("relevance", "raters", ["cohen1960", "hobson2007"], chance=spec.chance)


def _raters_blocks(study: Study, scenario: Scenario, spec: RatersSpec, found: Kappas) -> Iterator[Block]:
    what, stages = "the share of equal judgments on", results.rater_stages
    yield from exclusion_change(study, scenario, what, found, stages, spec, lambda one: one.alike)
    yield findings.raters_finding(found)
    caption = "Kappa of each surrogate, between raters, with gold and with the own full text."
    yield Figure("kappa", (caption, {}), partial(kappa_dots, found))


@computed_by(results.compare_surrogates)
def differences_section(study: Study, scenario: Scenario, spec: DifferencesSpec) -> Iterator[Block]:
    """Yield whether surrogates differ in a measure by more than raters, or events, do."""
    if not spec.measure:
        yield findings.nothing_to_compare()
        return
    found = results.compare_surrogates(study, spec)
    what, write = f"mean {found.measure} of", findings.write_of(found)

    def before(everyone: Study, spec: DifferencesSpec) -> list[Differences]:
        return [results.compare_surrogates(everyone, spec)]

    yield from exclusion_change(study, scenario, what, found, before, spec, lambda one: one.means, write)
    yield findings.differences_finding(found)
    if found.test.k > 1:
        yield means_figure("differences", found)
        yield findings.means_table(found, "differences")
    yield from findings.differences_warnings(found)
    if found.test.defined:
        yield Heading("The test")
        yield findings.test_table(found)
    if found.pairs.defined:
        yield Heading("Pair by pair")
        yield findings.pairs_table(found)
    yield method_of("relevance", "differences", ["hobson2007"])


def means_figure(name: str, found: Differences) -> Figure:
    caption = (
        "Mean {measure} of each surrogate with its within-subject 95% CI. Surrogates that share a letter do not "
        "clearly differ."
    )
    return Figure(name, (caption, {"measure": found.name}), partial(mean_dots, found))


@computed_by(results.order_stages, "results = found.pairs")
def order_section(study: Study, scenario: Scenario, spec: BootstrapSpec) -> Iterator[Block]:
    """Yield whether judgments of a document change with the order of presentation."""
    lacking = results.missing_order_columns(study)
    if lacking is not None:
        yield findings.no_order(lacking)
        return
    found = yield from in_stages(results.order_stages(study, spec), partial(_order_blocks, study, scenario))
    if found.pairs:
        yield findings.order_table(found)
    yield from findings.order_warnings(found)
    yield method_of("relevance", "order", ["hobson2007"])


def _order_blocks(study: Study, scenario: Scenario, order: OrderStudy) -> Iterator[Block]:
    what, stages = "the share of equal judgments in", results.order_stages
    yield from exclusion_change(study, scenario, what, order, stages, CLOSED, _shares)
    yield findings.order_finding(order)
    if order.pairs:
        caption = "Share of equal judgments by order label and pair of presentations."
        yield Figure("order", (caption, {}), partial(order_dots, order))


def _shares(order: OrderStudy) -> Mapping[str, Estimate]:
    return {pair_title(pair): same.share for pair, same in order.pairs.items()}
