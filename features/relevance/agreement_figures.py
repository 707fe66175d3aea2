"""Figures of judgments: agreements and kappas as dots, time saved and agreement lost, means and equal judgments."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from analysis.relevance.tukey import OrderStudy
from analysis.values.estimate import Estimate
from features.plotting.figure import PlotlyFigure
from features.plotting.marks import at_top_right, level, upright
from features.plotting.numbers import decimal, share
from features.plotting.panels import LEGEND_ON_TOP
from features.plotting.series_dots import Series, around, hover, series_dots, with_ends
from features.plotting.theme import GROUP_COLOURS, GROUP_SYMBOLS, Look, axis, escape, layout, shorten
from features.plotting.whiskers import ends, error_bars
from features.relevance.accuracy_findings import FIGURE_NAMES, figure_of
from features.relevance.agreement_results import KAPPAS, Accuracy, Differences, Kappas
from features.relevance.agreement_results import Figure as FigureName
from features.relevance.differences_findings import measure_name
from features.relevance.judgments_results import LDC
from features.relevance.order_findings import pair_title

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
