"""Random partitions of documents into groups: how the correlation is distributed over them, by surrogate."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan

from analysis.values.estimate import Estimate
from features.plotting.figure import Figure
from features.plotting.marks import at_top_right, level, remark, upright
from features.plotting.numbers import count, decimal
from features.plotting.theme import GROUP_COLOURS, Look, axis, escape, layout, shorten, translucent
from features.plotting.whiskers import error_bars

MOST_ROWS = 12
"""Surrogates drawn; the first ones of more."""
_ROW = 92
_TALL = 0.62
"""Height of the highest outline, as a share of its row."""


@dataclass(frozen=True)
class Outline:
    """One surrogate's draws: how many fall between each two `edges`, their mean, and the interval once it is known."""

    name: str
    counts: Sequence[int]
    mean: float
    sd: float
    interval: Estimate | None = None
    reason: str = ""


def outlines(rows: Sequence[Outline], edges: Sequence[float], title: str, look: Look) -> Figure:
    """A histogram's outline per surrogate on a common axis; below it a dot for the mean and whiskers for its
    interval, over raters and documents, which is another thing than the outline's width."""
    drawn = rows[:MOST_ROWS]
    made = layout(look, height=70 + _ROW * max(len(drawn), 2), hovermode="closest")
    made["margin"] = {"l": 8, "r": 14, "t": 14, "b": 48}
    made["xaxis"] = axis(look, title, range=_range(drawn, edges), nticks=8)
    made["yaxis"] = axis(
        look,
        tickvals=[-at for at in range(len(drawn))],
        ticktext=[shorten(row.name, 18) for row in drawn],
        range=[-len(drawn) + 0.6, 0.9],
        showgrid=False,
        tickfont={"color": look.ink, "size": 12.5},
    )
    made["shapes"] = [upright(0, look.faint, layer="below")]
    made["shapes"] += [level(-at, look.grid, dash="solid") for at in range(len(drawn))]
    made["annotations"] = [
        remark(escape(row.reason), look, x=0.5, y=-at + 0.3, yref="y")
        for at, row in enumerate(drawn)
        if isnan(row.mean)
    ]
    if len(drawn) < len(rows):
        text = f"the first {len(drawn)} of {count(len(rows))}"
        made["annotations"].append(at_top_right(text, look))
    most = max((max(row.counts, default=0) for row in drawn), default=0)
    traces = []
    for at, row in enumerate(drawn):
        if isnan(row.mean):
            continue
        colour = GROUP_COLOURS[at % len(GROUP_COLOURS)]
        traces.append(_outline(row, edges, -at, _TALL / max(most, 1), colour))
        traces.append(_mean(row, -at, colour, look))
    return {"data": traces, "layout": made}


def _outline(row: Outline, edges: Sequence[float], base: float, scale: float, colour: str) -> Figure:
    """Steps from the first to the last bin that holds a draw."""
    held = [at for at, n in enumerate(row.counts) if n]
    x: list[float] = []
    y: list[float] = []
    for at in range(held[0], held[-1] + 1):
        x += [edges[at], edges[at + 1]]
        y += [base + scale * row.counts[at]] * 2
    return {
        "type": "scatter",
        "mode": "lines",
        "x": [x[0], *x, x[-1], x[0]],
        "y": [base, *y, base, base],
        "fill": "toself",
        "fillcolor": translucent(colour, 0.25),
        "line": {"color": colour, "width": 1.2},
        "hoverinfo": "skip",
    }


def _mean(row: Outline, base: float, colour: str, look: Look) -> Figure:
    told = f"{escape(row.name)}<br>mean r = {decimal(row.mean, 3)}, SD over draws {decimal(row.sd, 3)}"
    interval = row.interval or Estimate(row.mean)
    if not isnan(interval.low):
        told += (
            f"<br>95 % over raters and documents: {decimal(interval.low, 3)} to {decimal(interval.high, 3)}"
        )
    interval = Estimate(row.mean, interval.low, interval.high)
    return {
        "type": "scatter",
        "mode": "markers+text",
        "x": [row.mean],
        "y": [base - 0.1],
        "text": [f"{decimal(row.mean)}"],
        "textposition": "bottom center",
        "textfont": {"size": 12, "color": look.ink},
        "marker": {"size": 9, "color": colour, "line": {"width": 1, "color": look.ground}},
        "error_x": error_bars([interval], look.ink, width=5),
        "hovertext": [told],
        "hovertemplate": "%{hovertext}<extra></extra>",
        "cliponaxis": False,
    }


def _range(rows: Sequence[Outline], edges: Sequence[float]) -> list[float]:
    ends = [0.0]
    for row in rows:
        held = [at for at, n in enumerate(row.counts) if n]
        ends += [edges[held[0]], edges[held[-1] + 1]] if held else []
        if row.interval is not None and not isnan(row.interval.low):
            ends += [row.interval.low, row.interval.high]
    low, high = min(ends), max(ends)
    margin = 0.04 * max(high - low, 0.2)
    return [max(low - margin, -1.05), min(high + margin, 1.05)]
