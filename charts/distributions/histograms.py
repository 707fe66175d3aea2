"""Histograms of two groups on one scale, one panel per measure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analysis.distributions.distribution import histogram, shared_edges
from features.plotting.figure import Figure
from features.plotting.numbers import count, share
from features.plotting.panels import LEGEND_ON_TOP, grid, panel_title
from features.plotting.theme import Look, escape, group_colour, group_dash, translucent


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

    `panels` holds (measure, bars of each group); `what` names what is counted, in the plural. A click on a bar gives
    its panel and its place among the bars, whatever its group.
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
        for one in bars:
            if one.counts.sum():
                traces += [
                    _steps(one, groups, panel == 0) | made.on(panel),
                    _middles(one, groups, panel) | made.on(panel),
                ]
    return {"data": traces, "layout": made.layout}


def _steps(bars: Bars, groups: Sequence[str], in_legend: bool) -> Figure:
    colour = _colour(bars, groups)
    return {
        "type": "scatter",
        "mode": "lines",
        "name": escape(bars.group),
        "x": [float(bars.edges[0]), *bars.edges.tolist()],
        "y": [0.0, *_shares(bars).tolist(), 0.0],
        "line": {
            "shape": "hv",
            "color": colour,
            "width": 2,
            "dash": group_dash(bars.group, groups) if bars.group in groups else "dot",
        },
        "fill": "tozeroy",
        "fillcolor": translucent(colour, 0.18),
        "hoverinfo": "skip",
        "showlegend": in_legend,
        "legendgroup": escape(bars.group),
    }


def _middles(bars: Bars, groups: Sequence[str], panel: int) -> Figure:
    """What is told of a bar and clicked: a point over its middle, seen once it is chosen."""
    filled = np.flatnonzero(bars.counts)
    shares = _shares(bars)
    return {
        "type": "scatter",
        "mode": "markers",
        "x": ((bars.edges[:-1] + bars.edges[1:]) / 2)[filled].tolist(),
        "y": shares[filled].tolist(),
        "customdata": [[panel, int(at)] for at in filled],
        "marker": {"color": _colour(bars, groups), "size": 9, "opacity": 0},
        "selected": {"marker": {"opacity": 1}},
        "unselected": {"marker": {"opacity": 0}},
        "text": [
            f"{escape(bars.group)}<br>{bars.edges[at]:g} to {bars.edges[at + 1]:g}: {count(bars.counts[at])} "
            f"({share(shares[at], 1)})"
            for at in filled
        ],
        "hovertemplate": "%{text}<extra></extra>",
        "showlegend": False,
    }


def _shares(bars: Bars) -> NDArray[np.float64]:
    return bars.counts / max(int(bars.counts.sum()), 1)


def _colour(bars: Bars, groups: Sequence[str]) -> str:
    return group_colour(bars.group, groups) if bars.group in groups else "#8A9099"
