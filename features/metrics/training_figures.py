"""Correlations of trained metrics with raters, learned from everyone and without excluded raters."""

from collections.abc import Sequence

from analysis.values.estimate import Estimate
from features.plotting.figure import PlotlyFigure
from features.plotting.numbers import decimal, interval
from features.plotting.panels import LEGEND_ON_TOP
from features.plotting.theme import Look, escape, shorten
from features.plotting.whiskers import Dot, chart, dots, ends

EVERYONE, WITHOUT = "#5B6570", "#0072B2"
_ROW = 52
_APART = 0.13
"""Distance between the two metrics of a row, in rows: whiskers would hide each other."""

Row = tuple[str, Estimate, Estimate | None]
"""Name, correlation learned from everyone, and without the excluded raters."""


def correlations(rows: Sequence[Row], look: Look) -> PlotlyFigure:
    """Draw a line per row: hollow with everyone, full without the excluded raters, joined, with whiskers."""
    both = any(without is not None for _, _, without in rows)
    apart = _APART if both else 0.0
    traces = [_joined(rows, apart, look)] if both else []
    everyone = [(at - apart, name, e) for at, (name, e, _) in enumerate(rows)]
    traces.append(_dots(everyone, "Learned from everyone", EVERYONE if both else WITHOUT, both, look))
    if both:
        without = [(at + apart, name, e) for at, (name, _, e) in enumerate(rows) if e is not None]
        traces.append(_dots(without, "Without the excluded raters", WITHOUT, False, look))
    inside = ends(e for _, *of_row in rows for e in of_row if e is not None and e.defined)
    low, high = min(inside, default=0.0), max(inside, default=1.0)
    margin = max((high - low) * 0.06, 0.01)
    return chart(
        [shorten(name, 34) for name, _, _ in rows],
        traces,
        {"title": "Pearson's r over the systems", "range": [low - margin, min(high + margin, 1.02)]},
        {"range": [len(rows) - 0.5, -0.5]},
        look,
        (10, 16, 40 if both else 10, 44),
        height=(112 if both else 84) + _ROW * max(len(rows), 2),
        hovermode="closest",
        **({"showlegend": True, "legend": LEGEND_ON_TOP} if both else {}),
    )


def _joined(rows: Sequence[Row], apart: float, look: Look) -> PlotlyFigure:
    x: list[float | None] = []
    y: list[float | None] = []
    for at, (_, before, after) in enumerate(rows):
        if after is not None and before.defined and after.defined:
            x += [before.value, after.value, None]
            y += [at - apart, at + apart, None]
    return {
        "type": "scatter",
        "mode": "lines",
        "x": x,
        "y": y,
        "line": {"color": look.ink, "width": 1.2},
        "hoverinfo": "skip",
        "showlegend": False,
    }


def _dots(
    points: Sequence[tuple[float, str, Estimate]], name: str, color: str, hollow: bool, look: Look
) -> PlotlyFigure:
    drawn = [
        Dot(at, e, f"{escape(cell)}<br>{name}<br>r = {decimal(e.value, 3)} ({interval(e, 3)}), {e.n} systems")
        for at, cell, e in points
        if e.defined
    ]
    marker = {"color": look.ground if hollow else color, "line": {"color": color, "width": 1.8}}
    return dots(drawn, color, 10, marker, name=name)
