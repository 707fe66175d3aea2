"""How well trained metrics rank systems, learned from everyone and without some assessors."""

from collections.abc import Sequence
from math import isnan
from typing import Any

from analysis.values.estimate import Estimate
from charts.parts.numbers import decimal, interval
from charts.parts.panels import LEGEND_ON_TOP
from charts.parts.theme import Look, axis, escape, layout, shorten

EVERYONE, WITHOUT = "#5B6570", "#0072B2"
_ROW = 52
_APART = 0.13
"""How far the two metrics of a row are set apart, in rows: whiskers would hide each other."""

Row = tuple[str, Estimate, Estimate | None]
"""A name, the correlation with everyone learned from, and without the assessors left out."""


def correlations(rows: Sequence[Row], look: Look) -> dict[str, Any]:
    """A line per row: hollow with everyone, full without the assessors left out, joined, with whiskers."""
    both = any(without is not None for _, _, without in rows)
    known = [e for _, everyone, without in rows for e in (everyone, without) if e is not None and e.defined]
    lows = [e.value if isnan(e.low) else e.low for e in known]
    highs = [e.value if isnan(e.high) else e.high for e in known]
    low, high = min(lows, default=0.0), max(highs, default=1.0)
    margin = max((high - low) * 0.06, 0.01)
    made = layout(look, height=(112 if both else 84) + _ROW * max(len(rows), 2), hovermode="closest")
    made["margin"] = {"l": 10, "r": 16, "t": 40 if both else 10, "b": 44}
    made["xaxis"] = axis(
        look,
        "Pearson's r over the systems",
        range=[low - margin, min(high + margin, 1.02)],
    )
    places = list(range(len(rows)))
    made["yaxis"] = axis(
        look,
        tickvals=places,
        ticktext=[shorten(name, 34) for name, _, _ in rows],
        range=[len(rows) - 0.5, -0.5],
        showgrid=False,
    )
    if both:
        made |= {"showlegend": True, "legend": LEGEND_ON_TOP}
    apart = _APART if both else 0.0
    first = [(at - apart, name, everyone) for at, (name, everyone, _) in zip(places, rows, strict=True)]
    second = [(at + apart, name, e) for at, (name, _, e) in zip(places, rows, strict=True) if e is not None]
    traces = [_joined(rows, apart, look)] if both else []
    traces.append(_dots(first, "Learned from everyone", EVERYONE if both else WITHOUT, both, look))
    if both:
        traces.append(_dots(second, "Without the assessors left out", WITHOUT, False, look))
    return {"data": traces, "layout": made}


def _joined(rows: Sequence[Row], apart: float, look: Look) -> dict[str, Any]:
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
    points: Sequence[tuple[float, str, Estimate]], name: str, colour: str, hollow: bool, look: Look
) -> dict[str, Any]:
    defined = [point for point in points if point[2].defined]
    return {
        "type": "scatter",
        "mode": "markers",
        "name": name,
        "x": [e.value for _, _, e in defined],
        "y": [at for at, _, _ in defined],
        "marker": {
            "color": look.ground if hollow else colour,
            "size": 10,
            "line": {"color": colour, "width": 1.8},
        },
        "error_x": {
            "type": "data",
            "symmetric": False,
            "array": [0 if isnan(e.high) else e.high - e.value for _, _, e in defined],
            "arrayminus": [0 if isnan(e.low) else e.value - e.low for _, _, e in defined],
            "color": colour,
            "thickness": 1.5,
            "width": 0,
        },
        "text": [
            f"{escape(cell)}<br>{name}<br>r = {decimal(e.value, 3)} ({interval(e, 3)}), {e.n} systems"
            for _, cell, e in defined
        ],
        "hovertemplate": "%{text}<extra></extra>",
    }
