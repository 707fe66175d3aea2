"""Histograms of two groups on one scale, one panel per measure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analysis.distributions.distribution import histogram, shared_edges
from charts.parts.figure import Figure
from charts.parts.numbers import count, share
from charts.parts.panels import LEGEND_ON_TOP, grid, panel_title
from charts.parts.theme import Look, escape, group_colour, group_dash, translucent


@dataclass(frozen=True, eq=False)
class Bars:
    """One group's histogram: `edges` (b + 1,), `counts` (b,)."""

    group: str
    edges: NDArray[np.float64]
    counts: NDArray[np.int64]


def bars_on_one_scale(
    values: Mapping[str, NDArray[np.float64]], counts: Mapping[str, NDArray[np.int64]] | None = None
) -> list[Bars]:
    """Histograms of several groups on shared edges; `counts` says how often each value of a group comes."""
    known = [of_group for of_group in values.values() if len(of_group)]
    if not known:
        return []
    edges = shared_edges(min(v.min() for v in known), max(v.max() for v in known))
    return [
        Bars(group, edges, histogram(of_group, edges, None if counts is None else counts[group]))
        for group, of_group in values.items()
    ]


def histograms(
    panels: Sequence[tuple[str, Sequence[Bars]]], groups: Sequence[str], look: Look, what: str
) -> Figure:
    """Shares per bar as filled steps, so that two groups of different size can be compared.

    `panels` holds (measure, bars of each group); `what` names what is counted, in the plural.
    """
    made = grid(
        look,
        [panel_title(measure) for measure, _ in panels],
        x_title="Rating",
        y_title=f"Share of {what}",
        y_axis={"tickformat": ".0%", "rangemode": "tozero"},
        legend=LEGEND_ON_TOP,
        hovermode="x",
        barmode="overlay",
        bargap=0,
    )
    traces: list[Figure] = []
    for panel, (_, bars) in enumerate(panels):
        traces += [_steps(one, groups, panel == 0) | made.on(panel) for one in bars if one.counts.sum()]
    return {"data": traces, "layout": made.layout}


def _steps(bars: Bars, groups: Sequence[str], in_legend: bool) -> Figure:
    colour = group_colour(bars.group, groups) if bars.group in groups else "#8A9099"
    dash = group_dash(bars.group, groups) if bars.group in groups else "dot"
    total = max(int(bars.counts.sum()), 1)
    shares = bars.counts / total
    hover = [
        f"{escape(bars.group)}<br>{low:g} to {high:g}: {count(number)} ({share(part, 1)})"
        for low, high, number, part in zip(bars.edges[:-1], bars.edges[1:], bars.counts, shares, strict=True)
    ]
    return {
        "type": "scatter",
        "mode": "lines",
        "name": escape(bars.group),
        "x": [float(bars.edges[0]), *bars.edges.tolist()],
        "y": [0.0, *shares.tolist(), 0.0],
        "line": {"shape": "hv", "color": colour, "width": 2, "dash": dash},
        "fill": "tozeroy",
        "fillcolor": translucent(colour, 0.18),
        "text": ["", *hover, ""],
        "hovertemplate": "%{text}<extra></extra>",
        "showlegend": in_legend,
        "legendgroup": escape(bars.group),
    }
