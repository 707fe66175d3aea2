"""How consistent each rater is, a panel per measure."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np

from analysis.assessors.rater_estimates import place
from analysis.values.estimate import Estimate
from features.plotting.figure import Figure
from features.plotting.numbers import count, decimal, interval
from features.plotting.panels import grid, panel_title
from features.plotting.theme import Look, escape, shorten
from features.plotting.whiskers import Dot, dots, ends, outlined

MOST_RATERS = 30
"""Raters in one panel."""
_BEST = 3
"""Of more, so many of the most consistent; the others are the least consistent."""
_COLOUR = "#0072B2"
_ROW = 17


def consistency_dots(
    panels: Sequence[tuple[str, Sequence[tuple[str, Estimate]]]],
    title: str,
    look: Look,
    left_out: Collection[str] = (),
) -> Figure:
    """One panel per measure: raters from the most to the least consistent, with whiskers; those left out hollow.

    Of more than 30 raters the 3 most and the 27 least consistent are drawn, with a gap between them. Who has no figure
    stands below, in brackets.
    """
    chosen = [_ranked(rows) for _, rows in panels]
    inside = ends(rater.estimate for rows in chosen for rater in rows if rater.estimate.defined)
    low, high = min([0.0, *inside]), max([1.0, *inside])
    span = high - low
    most = max([rater.y + 1 for rows in chosen for rater in rows], default=0)
    if len(panels) == 1 and len(chosen[0]) < len(panels[0][1]):  # a single panel has no title of its own
        title += f", both ends of {count(len(panels[0][1]))} raters"
    made = grid(
        look,
        [
            _measure_title(measure, len(rows), len(drawn))
            for (measure, rows), drawn in zip(panels, chosen, strict=True)
        ],
        x_title=title,
        y_title="",
        x_axis={
            "range": [low - 0.5 * span, high + 0.04 * span],
            "tickvals": _ticks(low, high),
            "zeroline": low < 0,
            "zerolinecolor": look.faint,
        },
        y_axis={"range": [max(most, 1) - 0.4, -0.6], "visible": False},
        row_height=_ROW * most + 70,
    )
    made.layout["margin"] |= {"l": 8}
    traces: list[Figure] = []
    for at, rows in enumerate(chosen):
        traces += [
            trace | made.on(at) for trace in _dots(rows, low - 0.48 * span, low - 0.1 * span, look, left_out)
        ]
    return {"data": traces, "layout": made.layout}


class _Rater(NamedTuple):
    """One that is drawn, and the row of the picture."""

    y: int
    name: str
    estimate: Estimate


def _dots(
    rows: Sequence[_Rater], edge: float, undefined: float, look: Look, left_out: Collection[str]
) -> list[Figure]:
    hovers = [_hover(name, e, name in left_out) for _, name, e in rows]
    names: Figure = {
        "type": "scatter",
        "mode": "text",
        "x": [edge] * len(rows),
        "y": [rater.y for rater in rows],
        "text": [shorten(name, 14) if e.defined else f"({shorten(name, 12)})" for _, name, e in rows],
        "textposition": "middle right",
        "textfont": {"size": 11, "color": [look.ink if e.defined else look.faint for *_, e in rows]},
        "hovertext": hovers,
        "hovertemplate": "%{hovertext}<extra></extra>",
    }
    known = [Dot(y, e, hover) for (y, _, e), hover in zip(rows, hovers, strict=True) if e.defined]
    hollow = [name in left_out for _, name, e in rows if e.defined]
    unknown = [(y, hover) for (y, _, e), hover in zip(rows, hovers, strict=True) if not e.defined]
    below: Figure = {
        "type": "scatter",
        "mode": "markers",
        "x": [undefined] * len(unknown),
        "y": [y for y, _ in unknown],
        "marker": {"size": 8, "color": look.faint, "symbol": "diamond-open"},
        "text": [hover for _, hover in unknown],
        "hovertemplate": "%{text}<extra></extra>",
    }
    traces = (names, dots(known, _COLOUR, 8, outlined(_COLOUR, hollow), thickness=1.3), below)
    return [trace for trace in traces if trace["x"]]


def _hover(name: str, estimate: Estimate, is_left_out: bool) -> str:
    out = " (left out)" if is_left_out else ""
    if not estimate.defined:
        return f"{escape(name)}{out}<br>undefined: {escape(estimate.reason)}"
    return f"{escape(name)}{out}<br>{decimal(estimate.value, 3)} ({interval(estimate, 3)}), n = {count(estimate.n)}"


def _ranked(rows: Sequence[tuple[str, Estimate]]) -> list[_Rater]:
    """The raters drawn, most consistent first, undefined ones last; of too many, both ends."""
    known = sorted((row for row in rows if row[1].defined), key=lambda row: place(row[1]))
    unknown = [row for row in rows if not row[1].defined]
    cut = len(known) > MOST_RATERS
    kept = known[:_BEST] + known[_BEST - MOST_RATERS :] if cut else known
    drawn = kept + unknown[: MOST_RATERS - len(kept)]
    return [_Rater(at + (cut and at >= _BEST), *row) for at, row in enumerate(drawn)]


def _measure_title(measure: str, raters: int, drawn: int) -> str:
    return panel_title(measure, f"{drawn} of {count(raters)} raters, both ends" if drawn < raters else "")


def _ticks(low: float, high: float) -> list[float]:
    step = 0.5 if high - low <= 2.5 else 1.0
    ticks = np.arange(np.ceil(low / step), np.floor(high / step) + 1) * step
    return [float(tick) for tick in ticks]
