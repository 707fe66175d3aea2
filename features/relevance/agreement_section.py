"""Sections of "Relevance" on judgments: which summaries suffice, raters, differences between surrogates, order."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from analysis.relevance.tukey import OrderStudy
from analysis.values.estimate import BootstrapSpec, Estimate
from features.blocks import Block, Figure, Heading, card_of, in_stages
from features.plotting.marks import at_top_right, level, upright
from features.plotting.numbers import decimal, share
from features.plotting.panels import LEGEND_ON_TOP
from features.plotting.series import Series, around, ends, error_bars, hover, series_dots, with_ends
from features.plotting.theme import (
    GROUP_COLOURS,
    GROUP_SYMBOLS,
    Look,
    PlotlyFigure,
    axis,
    escape,
    layout,
    shorten,
)
from features.program import method_of, study_program
from features.relevance import accuracy_findings, differences_findings
from features.relevance import agreement_results as results
from features.relevance.accuracy_findings import FIGURE_NAMES, figure_of
from features.relevance.agreement_results import (
    KAPPAS,
    Accuracy,
    AccuracySpec,
    Differences,
    DifferencesSpec,
    Kappas,
    OrderSpec,
    RatersSpec,
)
from features.relevance.agreement_results import Figure as FigureName
from features.relevance.differences_findings import measure_name, pair_title
from features.relevance.judgments_results import LDC
from features.study import Scenario, Study
from features.verdicts import largest_change

_HEIGHT = 380
MOST_NAMED = 14
"""Points that carry their names; of more, names are in the hovers."""


def agreement_dots(found: Accuracy, figure: FigureName, look: Look) -> PlotlyFigure:
    """Draw one figure of both agreements, a row per surrogate."""
    surrogates = found.main.surrogates
    series = [
        Series(side, [figure_of(of[at], figure) for at in surrogates.present]) for side, of in found.sides
    ]
    names, title = surrogates.names_of(surrogates.present), f"{FIGURE_NAMES[figure]} of judgments"
    return series_dots(names, series, title, look, shares=figure != "kappa")


def kappa_dots(found: Kappas, look: Look) -> PlotlyFigure:
    """Draw each form of kappa that is defined of any surrogate."""
    present = found.main.surrogates.present
    series = [Series(name, [found.of(name, at) for at in present]) for name in KAPPAS]
    known = [one for one in series if one.defined]
    names = found.main.surrogates.names_of(present)
    return series_dots(names, known, "Kappa", look, shares=False, guide=0.0)


def alike_dots(found: Kappas, look: Look) -> PlotlyFigure:
    """Draw the share of pairs of judgments that are alike."""
    series = Series("Pairs of judgments alike", list(found.alike.values()))
    return series_dots(list(found.alike), [series], "Share of pairs of judgments that are alike", look)


def mean_dots(found: Differences, look: Look) -> PlotlyFigure:
    """Draw the mean of each surrogate with its letters, the best on top."""
    order, test, (measure, side) = found.best_first, found.test, measure_name(found.spec.measure)
    title = f"Mean {measure} ({side})" if side else f"Mean {measure}, seconds"
    series = Series(found.spec.measure, [test.means[at] for at in order])
    letters = [found.pairs.letters[at] for at in order]
    names = [found.conditions[at] for at in order]
    return series_dots(names, [series], title, look, shares=found.is_share, letters=letters)


def order_dots(order: OrderStudy, look: Look) -> PlotlyFigure:
    """Draw the share of equal judgments of each order label and pair of presentations."""
    series = Series("Equal judgments", [same.share for same in order.pairs.values()])
    return series_dots([pair_title(pair) for pair in order.pairs], [series], "Share of equal judgments", look)


def speed_figure(found: Accuracy, look: Look) -> PlotlyFigure | None:
    """Draw the agreement that each summary loses for the seconds that it saves; None where neither is known."""
    both, surrogates, series = found.both, found.main.surrogates, list[tuple[str, list[Tradeoff]]]()
    for side, _ in found.sides:
        lost = both.ldc_lost if side == LDC else both.prediction_lost
        points = [
            Tradeoff(surrogates.names[at], both.seconds_saved[at], lost[at])
            for at in surrogates.summaries
            if both.seconds_saved[at].defined and lost[at].defined
        ]
        series += [(side, points)] if points else []
    return tradeoff(series, surrogates.full_text_name, look) if series else None


@dataclass(frozen=True)
class Tradeoff:
    """Seconds that one surrogate saves, and the share of agreement that is lost for it."""

    name: str
    saved: Estimate
    lost: Estimate


def tradeoff(
    series: Sequence[tuple[str, Sequence[Tradeoff]]],
    full_text: str,
    look: Look,
) -> PlotlyFigure:
    """Draw seconds saved per judgment to the right and agreement lost downwards; the full text is where both are 0.

    Each series is one kind of agreement; the best place is the upper right.
    """
    made = layout(look, height=_HEIGHT, hovermode="closest")
    made["margin"] = {"l": 60, "r": 16, "t": 42 if len(series) > 1 else 14, "b": 54}
    if len(series) > 1:
        made |= {"showlegend": True, "legend": LEGEND_ON_TOP}
    kept = [(name, [p for p in points if p.saved.defined and p.lost.defined]) for name, points in series]
    every = [p for _, points in kept for p in points]
    across = around([*ends(p.saved for p in every), 0.0], room=0.12)
    down = around([*ends(p.lost for p in every), 0.0], room=0.12)
    made["xaxis"] = axis(look, "Seconds saved per judgment", range=list(across), nticks=7)
    made["yaxis"] = axis(look, "Agreement lost", range=[down[1], down[0]], nticks=7, tickformat=".0%")
    made["shapes"] = [
        upright(0.0, look.faint, layer="below"),
        level(0, look.faint, dash="dot"),
    ]
    made["annotations"] = [at_top_right("faster, and nothing lost ↗", look, yanchor="top", yshift=-2)]
    traces = [_points(points, name, at, look, len(every)) for at, (name, points) in enumerate(kept) if points]
    traces.append(
        {
            "type": "scatter",
            "mode": "markers+text",
            "x": [0],
            "y": [0],
            "text": [shorten(full_text, 16)],
            "textposition": "bottom right",
            "textfont": {"size": 12, "color": look.faint},
            "marker": {"size": 9, "symbol": "circle-open", "color": look.faint, "line": {"width": 1.5}},
            "hovertemplate": f"{escape(full_text)}<br>the others are compared with it<extra></extra>",
            "showlegend": False,
            "cliponaxis": False,
        }
    )
    return {"data": traces, "layout": made}


def _points(points: Sequence[Tradeoff], name: str, at: int, look: Look, every: int) -> PlotlyFigure:
    colour = GROUP_COLOURS[at % len(GROUP_COLOURS)]
    x, y = [p.saved.value for p in points], [p.lost.value for p in points]
    named = every <= MOST_NAMED
    seconds = partial(decimal, digits=1)
    return {
        "type": "scatter",
        "mode": "markers+text" if named else "markers",
        "name": escape(name),
        "x": x,
        "y": y,
        "marker": {"size": 10, "color": colour, "symbol": GROUP_SYMBOLS[at % len(GROUP_SYMBOLS)]},
        "error_x": error_bars([p.saved for p in points], colour),
        "error_y": error_bars([p.lost for p in points], colour),
        **({"text": [shorten(p.name, 14) for p in points]} if named else {}),
        "textposition": _sides(x, y),
        "textfont": {"size": 12, "color": look.ink},
        "hovertext": [
            f"{hover(p.name, 'saves', p.saved, seconds)} s<br>"
            f"{escape(name)}: {with_ends(p.lost, partial(share, digits=1))} lost"
            for p in points
        ],
        "hovertemplate": "%{hovertext}<extra></extra>",
        "cliponaxis": False,
    }


def _sides(x: Sequence[float], y: Sequence[float]) -> list[str]:
    """Return the side of each name: clear of its whiskers and away from the nearest other point."""
    wide, tall = (max(max(ends) - min(ends), 1e-9) if ends else 1.0 for ends in (x, y))
    sides = []
    for at in range(len(x)):
        apart = [((x[o] - x[at]) / wide, (y[o] - y[at]) / tall) for o in range(len(x)) if o != at]
        across, down = min(apart, key=lambda d: d[0] ** 2 + d[1] ** 2, default=(1.0, 1.0))
        sides.append(f"{'top' if down > 0 else 'bottom'} {'left' if across > 0 else 'right'}")
    return sides


CLOSED = BootstrapSpec(draws=0)


def accuracy_section(study: Study, scenario: Scenario, spec: AccuracySpec) -> Iterator[Block]:
    """Yield which summaries let readers decide as with the full text: first without intervals, the events last."""
    found = yield from in_stages(
        results.accuracy_stages(study, spec), partial(_accuracy_blocks, study, scenario, spec)
    )
    if not found.sides:
        yield from accuracy_findings.accuracy_warnings(found)
        return
    yield accuracy_findings.accuracy_table(found)
    yield from accuracy_findings.accuracy_warnings(found)
    yield from accuracy_findings.accuracy_notes(found)
    if len(found.sides) > 1:
        yield Heading("Relevance Prediction and LDC Agreement")
        difference = accuracy_findings.difference_finding(found)
        if difference is not None:
            yield difference
        yield accuracy_findings.difference_table(found)
        yield from accuracy_findings.difference_warnings(found)
    if found.by_event:
        yield Heading("Event by event")
        yield accuracy_findings.events_table(found)
    bootstrap = spec.bootstrap
    sources = ["hobson2007", "cameron2011"]
    yield method_of("relevance", "accuracy", sources, draws=bootstrap.draws, seed=bootstrap.seed)


def _accuracy_blocks(
    study: Study, scenario: Scenario, spec: AccuracySpec, found: Accuracy
) -> Iterator[Block]:
    if study.dataset.without:
        before = results.sides_at_once(study.everyone, spec.full_text)
        changes = accuracy_findings.accuracies(before), accuracy_findings.accuracies(found)
        yield largest_change(scenario, "agreement on", *changes)
    yield accuracy_findings.accuracy_finding(found)
    if not found.sides:
        return
    name = accuracy_findings.FIGURE_NAMES[spec.figure]
    caption = (
        "{figure} of each surrogate, compared with gold and with the rater's own full text, with 95% CI."
    )
    draw = partial(agreement_dots, found, spec.figure)
    yield Figure("relevance-agreement", (caption, {"figure": name}), draw)
    if any(e.defined for e in found.both.seconds_saved):
        caption = "Seconds saved by each surrogate and the agreement that is lost for it, with 95% CI."
        yield Figure("speed", (caption, {}), partial(speed_figure, found))


def accuracy_card(study: Study, scenario: Scenario, full_text: str) -> list[Block]:
    """Return the finding and the agreements without intervals for the overview."""
    spec = AccuracySpec(bootstrap=CLOSED, by_event=False, full_text=full_text)
    return card_of(accuracy_section(study, scenario, spec))


def accuracy_program(study: Study, spec: AccuracySpec) -> str:
    """Return a program that compares judgments with both truths without a browser."""
    return study_program(study, None, results.judge_accuracy, spec, ["results = found.figures"])


def raters_section(study: Study, scenario: Scenario, spec: RatersSpec) -> Iterator[Block]:
    """Yield how far raters agree with each other, with gold and with their own full text."""
    found = yield from in_stages(
        results.rater_stages(study, spec), partial(_raters_blocks, study, scenario, spec)
    )
    yield accuracy_findings.kappa_table(found)
    yield from accuracy_findings.raters_warnings(found)
    yield from accuracy_findings.raters_notes(found)
    yield method_of("relevance", "raters", ["cohen1960", "hobson2007"], chance=spec.chance)


def _raters_blocks(study: Study, scenario: Scenario, spec: RatersSpec, found: Kappas) -> Iterator[Block]:
    if study.dataset.without:
        closed = RatersSpec(spec.chance, CLOSED, spec.full_text)
        before = results.compare_raters(study.everyone, closed)
        yield largest_change(scenario, "the share of equal judgments on", before.alike, found.alike)
    yield accuracy_findings.raters_finding(found)
    caption = "Kappa of each surrogate, between raters, with gold and with the own full text, with 95% CI."
    yield Figure("kappa", (caption, {}), partial(kappa_dots, found))
    if any(e.defined for e in found.alike.values()):
        caption = "Share of pairs of judgments of the same document that are alike, with 95% CI."
        yield Figure("alike", (caption, {}), partial(alike_dots, found))


def raters_card(study: Study, scenario: Scenario, full_text: str) -> list[Block]:
    """Return the finding and the kappas without intervals for the overview."""
    return card_of(raters_section(study, scenario, RatersSpec(bootstrap=CLOSED, full_text=full_text)))


def raters_program(study: Study, spec: RatersSpec) -> str:
    """Return a program that compares raters without a browser."""
    return study_program(study, None, results.compare_raters, spec, ["results = found.figures"])


def differences_section(study: Study, scenario: Scenario, spec: DifferencesSpec) -> Iterator[Block]:
    """Yield whether surrogates differ in a measure by more than raters, or events, do."""
    if not spec.measure:
        yield differences_findings.nothing_to_compare()
        return
    found = results.compare_surrogates(study, spec)
    if study.dataset.without:
        before = results.compare_surrogates(study.everyone, spec)
        measure, _ = differences_findings.measure_name(spec.measure)
        changes = f"mean {measure} of", before.means, found.means
        yield largest_change(scenario, *changes, differences_findings.write_of(found))
    yield differences_findings.differences_finding(found)
    if found.test.k > 1:
        caption = (
            "Mean {measure} of each surrogate with its within-subject 95% CI, the best on top. Surrogates that share a "
            "letter do not clearly differ."
        )
        draw = partial(mean_dots, found)
        yield Figure("differences", (caption, {"measure": spec.measure}), draw)
        yield differences_findings.means_table(found)
    yield from differences_findings.differences_warnings(found)
    yield from differences_findings.differences_notes(found)
    yield from _tests(found)
    yield method_of("relevance", "differences", ["hobson2007"])


def _tests(found: Differences) -> Iterator[Block]:
    if found.test.defined:
        yield Heading("The test")
        yield differences_findings.test_table(found)
    if found.pairs.defined:
        yield Heading("Pair by pair")
        yield differences_findings.pairs_table(found)


def differences_program(study: Study, spec: DifferencesSpec) -> str:
    """Return a program that compares surrogates without a browser."""
    return study_program(study, None, results.compare_surrogates, spec, ["results = found.figures"])


def order_section(study: Study, scenario: Scenario, spec: OrderSpec) -> Iterator[Block]:
    """Yield whether judgments of a document change with the order of presentation."""
    lacking = results.missing_order_columns(study)
    if lacking is not None:
        yield differences_findings.no_order(lacking)
        return
    found = yield from in_stages(results.order_stages(study, spec), partial(_order_blocks, study, scenario))
    if found.pairs:
        yield differences_findings.order_table(found)
    yield from differences_findings.order_warnings(found)
    yield from differences_findings.order_notes(found)
    yield method_of("relevance", "order", ["hobson2007"])


def _order_blocks(study: Study, scenario: Scenario, order: OrderStudy) -> Iterator[Block]:
    if study.dataset.without:
        before = results.compare_presentations(study.everyone, OrderSpec(CLOSED))
        yield largest_change(scenario, "the share of equal judgments in", _shares(before), _shares(order))
    yield differences_findings.order_finding(order)
    if order.pairs:
        caption = "Share of equal judgments by order label and pair of presentations, with 95% CI."
        yield Figure("order", (caption, {}), partial(order_dots, order))


def _shares(order: OrderStudy) -> Mapping[str, Estimate]:
    return {differences_findings.pair_title(pair): same.share for pair, same in order.pairs.items()}


def order_program(study: Study, spec: OrderSpec) -> str:
    """Return a program that compares presentations without a browser."""
    return study_program(study, None, results.compare_presentations, spec, ["results = found.pairs"])
