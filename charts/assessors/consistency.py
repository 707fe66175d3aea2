"""How consistent each rater is, a panel per measure."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np

from analysis.assessors.rater_estimates import place
from analysis.raters.naming import FEWEST_UNITS
from analysis.values.estimate import Estimate
from features.plotting.figure import Figure
from features.plotting.numbers import count, decimal, interval
from features.plotting.panels import grid, panel_title
from features.plotting.theme import Look, escape, shorten
from features.plotting.whiskers import Dot, dots, ends
from features.raters.naming_findings import ABOVE, BELOW, ComparedRaters, verdicts

MOST_RATERS = 30
"""Raters in one panel."""
_BEST = 3
"""Raters at the top of those drawn of more; the others are at the bottom."""
_COLOUR = "#0072B2"
_LOOKS = {BELOW: ("diamond", "#D55E00"), ABOVE: ("square", "#009E73")}
"""Symbol and color of raters by their verdict."""
_ROW = 17


def consistency_dots(
    compared: Sequence[ComparedRaters],
    title: str,
    look: Look,
    left_out: Collection[str] = (),
    shown: Collection[str] | None = None,
) -> Figure:
    """Draw raters the most consistent first, a panel per measure that is shown, all of them by default.

    Diamonds are clearly below the typical rater, squares above; excluded raters are hollow. Of more than 30 raters the
    3 at the top and the 27 at the bottom are drawn, with a gap between them. Who has no figure stands below, in
    brackets.
    """
    of_measures = verdicts(compared)
    panels = [
        (
            each.measure,
            [
                (name, e, of_measures[each.measure].get(name, ("", 0.0))[0])
                for name, e in zip(each.names, each.figures, strict=True)
            ],
        )
        for each in compared
        if shown is None or each.measure in shown
    ]
    chosen = [_ranked(rows) for _, rows in panels]
    title += _legend({rater.verdict for rows in chosen for rater in rows})
    is_few = {r.estimate.n < FEWEST_UNITS for rows in chosen for r in rows if r.estimate.defined}
    if is_few == {True, False}:
        title += f"<br>last: fewer than {FEWEST_UNITS} items"
    inside = ends(rater.estimate for rows in chosen for rater in rows if rater.estimate.defined)
    low, high = min([0.0, *inside]), max([1.0, *inside])
    span = high - low
    most = max([rater.y + 1 for rows in chosen for rater in rows], default=0)
    if len(panels) == 1 and len(chosen[0]) < len(panels[0][1]):  # a single panel has no title of its own
        title += f"<br>top {_BEST} and bottom {len(chosen[0]) - _BEST} of {count(len(panels[0][1]))} raters"
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
    verdict: str = ""


def _dots(
    rows: Sequence[_Rater], edge: float, undefined: float, look: Look, left_out: Collection[str]
) -> list[Figure]:
    hovers = [_hover(rater, rater.name in left_out) for rater in rows]
    names: Figure = {
        "type": "scatter",
        "mode": "text",
        "x": [edge] * len(rows),
        "y": [rater.y for rater in rows],
        "text": [shorten(name, 14) if e.defined else f"({shorten(name, 12)})" for _, name, e, _ in rows],
        "textposition": "middle right",
        "textfont": {
            "size": 11,
            "color": [look.ink if rater.estimate.defined else look.faint for rater in rows],
        },
        "hovertext": hovers,
        "hovertemplate": "%{hovertext}<extra></extra>",
    }
    known = [Dot(y, e, hover) for (y, _, e, _), hover in zip(rows, hovers, strict=True) if e.defined]
    unknown = [(y, hover) for (y, _, e, _), hover in zip(rows, hovers, strict=True) if not e.defined]
    below: Figure = {
        "type": "scatter",
        "mode": "markers",
        "x": [undefined] * len(unknown),
        "y": [y for y, _ in unknown],
        "marker": {"size": 8, "color": look.faint, "symbol": "diamond-open"},
        "text": [hover for _, hover in unknown],
        "hovertemplate": "%{text}<extra></extra>",
    }
    marker = _marker([rater for rater in rows if rater.estimate.defined], left_out)
    traces = (names, dots(known, _COLOUR, 8, marker, thickness=1.3), below)
    return [trace for trace in traces if trace["x"]]


def _marker(rows: Sequence[_Rater], left_out: Collection[str]) -> Figure:
    """Return colors and symbols of raters by their verdicts."""
    looks = [_LOOKS.get(rater.verdict, ("circle", _COLOUR)) for rater in rows]
    colours = [colour for _, colour in looks]
    symbols = [
        f"{symbol}-open" if rater.name in left_out else symbol
        for rater, (symbol, _) in zip(rows, looks, strict=True)
    ]
    return {"symbol": symbols, "color": colours, "line": {"width": 1.5, "color": colours}}


def _legend(verdicts_drawn: Collection[str]) -> str:
    words = [f"{_LOOKS[verdict][0]}s: {verdict}" for verdict in (BELOW, ABOVE) if verdict in verdicts_drawn]
    return f"<br>{', '.join(words)} the typical rater" if words else ""


def _hover(rater: _Rater, is_left_out: bool) -> str:
    name, e = escape(rater.name) + (" (left out)" if is_left_out else ""), rater.estimate
    if not e.defined:
        return f"{name}<br>undefined: {escape(e.reason)}"
    verdict = f"<br>{rater.verdict} the typical rater" if rater.verdict else ""
    return f"{name}<br>{decimal(e.value, 3)} ({interval(e, 3)}), n = {count(e.n)}{verdict}"


def _ranked(rows: Sequence[tuple[str, Estimate, str]]) -> list[_Rater]:
    """Return the raters drawn, the most consistent first; below a gap those with few items, undefined ones last."""
    known = sorted((row for row in rows if row[1].defined), key=lambda row: place(row[1]))
    unknown = [row for row in rows if not row[1].defined]
    cut = len(known) > MOST_RATERS
    kept = known[:_BEST] + known[_BEST - MOST_RATERS :] if cut else known
    enough = sum(row[1].n >= FEWEST_UNITS for row in kept)
    drawn = kept + unknown[: MOST_RATERS - len(kept)]
    gaps = [(cut and at >= _BEST) + (0 < enough <= at < len(kept)) for at in range(len(drawn))]
    return [_Rater(at + gap, *row) for at, (gap, row) in enumerate(zip(gaps, drawn, strict=True))]


def _measure_title(measure: str, raters: int, drawn: int) -> str:
    return panel_title(measure, f"{drawn} of {count(raters)} raters, both ends" if drawn < raters else "")


def _ticks(low: float, high: float) -> list[float]:
    step = 0.5 if high - low <= 2.5 else 1.0
    ticks = np.arange(np.ceil(low / step), np.floor(high / step) + 1) * step
    return [float(tick) for tick in ticks]
