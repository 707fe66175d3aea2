"""Two groups' MOS of the same items: scatter with the identity line, and differences."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan, nan

import numpy as np
from numpy.typing import NDArray

from analysis.comparison.equality import same_scale
from analysis.values.estimate import Estimate
from features.plotting.figure import Figure
from features.plotting.numbers import decimal
from features.plotting.panels import grid, panel_title
from features.plotting.theme import Look, rimmed, shorten, translucent

MOST_NAMED = 5000
"""Items of a measure up to which each may be drawn by itself, with its name."""
MOST_POINTS = 4000
"""Points that all panels draw together: a browser took 0.7 s of its processor for 14,000 and drew them twice."""
UNTOLD = Estimate(nan)
_BINS = 40
_PLACES, _FEW = 20, 3
"""Of a picture cut into 20 by 20 places: those with up to so many items hold items that lie apart."""


@dataclass(frozen=True, eq=False)
class ItemMos:
    """One measure: both groups' MOS of the shared items (n,), their names and how they compare, the level only for
    differences; a click on a point gives the item's code."""

    measure: str
    mos_candidate: NDArray[np.float64]
    mos_reference: NDArray[np.float64]
    names: NDArray[np.str_]
    spearman: Estimate
    mean_difference: Estimate = UNTOLD
    limits: tuple[Estimate, Estimate] = (UNTOLD, UNTOLD)
    codes: NDArray[np.int64] | None = None


def scatter(
    panels: Sequence[ItemMos],
    candidate: str,
    reference: str,
    colour: str,
    look: Look,
    by_column: bool = False,
) -> Figure:
    """Each item at (reference, candidate); on the line both sides agree. A column of numbers has no MOS."""
    low, high = _span([values for panel in panels for values in (panel.mos_candidate, panel.mos_reference)])
    on_one = all(same_scale(panel.mos_candidate, panel.mos_reference) for panel in panels)
    made = grid(
        look,
        [panel_title(panel.measure, f"ρ = {decimal(panel.spearman.value)}") for panel in panels],
        x_title=shorten(reference) if by_column else f"MOS of {shorten(reference)}",
        y_title=f"MOS of {shorten(candidate)}",
        x_axis={"range": [low, high]} if on_one else {},
        y_axis={"range": [low, high]} if on_one else {},
        square=on_one,
    )
    traces: list[Figure] = []
    for at, panel in enumerate(panels):
        if on_one:
            traces.append(_line([low, high], [low, high], look.faint, "dash") | made.on(at))
        drawn = _points(panel.mos_reference, panel.mos_candidate, panel, colour, MOST_POINTS // len(panels))
        traces += [trace | made.on(at) for trace in drawn]
    return {"data": traces, "layout": made.layout}


def differences(panels: Sequence[ItemMos], candidate: str, reference: str, colour: str, look: Look) -> Figure:
    """Bland-Altman: each item's difference against its mean, with bias and limits of agreement."""
    made = grid(
        look,
        [panel_title(panel.measure) for panel in panels],
        x_title="Mean of both groups' MOS",
        y_title=f"{shorten(candidate, 20)} − {shorten(reference, 20)}",
        y_axis=_around_nothing(panels),
    )
    traces: list[Figure] = []
    shapes: list[Figure] = []
    for at, panel in enumerate(panels):
        middle, difference = (
            (panel.mos_candidate + panel.mos_reference) / 2,
            panel.mos_candidate - panel.mos_reference,
        )
        drawn = _points(middle, difference, panel, colour, MOST_POINTS // len(panels))
        traces += [trace | made.on(at) for trace in drawn]
        where = {"xref": f"{made.xaxes[at]} domain", "yref": made.yaxes[at]}
        shapes += _levels(panel, look, where)
        made.layout["annotations"] += _level_labels(panel, look, where)
    made.layout["shapes"] = shapes
    return {"data": traces, "layout": made.layout}


def _points(
    x: NDArray[np.float64], y: NDArray[np.float64], panel: ItemMos, colour: str, most: int
) -> list[Figure]:
    """Every item as a point; of more than `most` how densely they lie, and those that lie apart as points."""
    if len(x) <= most:
        return [_dots(x, y, panel, colour, np.arange(len(x)))]
    density = _density(x, y, colour)
    if len(x) > MOST_NAMED:
        return [density]
    beside = _in_same_place(x, y)
    apart = np.argsort(beside, kind="stable")[: min(most // 4, int((beside <= _FEW).sum()))]
    return [density, _dots(x, y, panel, colour, apart)]


def _in_same_place(x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
    """How many items lie in the place of each item, itself counted."""
    number, *edges = np.histogram2d(x, y, bins=_PLACES)
    across, up = (
        np.clip(np.searchsorted(edge, values, side="right") - 1, 0, _PLACES - 1)
        for edge, values in zip(edges, (x, y), strict=True)
    )
    return number[across, up]


def _density(x: NDArray[np.float64], y: NDArray[np.float64], colour: str) -> Figure:
    number, x_edges, y_edges = np.histogram2d(x, y, bins=_BINS)
    shown = np.where(number > 0, number, np.nan)
    return {
        "type": "heatmap",
        "x": ((x_edges[:-1] + x_edges[1:]) / 2).tolist(),
        "y": ((y_edges[:-1] + y_edges[1:]) / 2).tolist(),
        "z": [[None if isnan(cell) else int(cell) for cell in row] for row in shown.T],
        "colorscale": [[0, translucent(colour, 0.3)], [1, colour]],
        "showscale": False,
        "hovertemplate": "%{z} items near (%{x:.2f}, %{y:.2f})<extra></extra>",
    }


def _dots(
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    panel: ItemMos,
    colour: str,
    shown: NDArray[np.int64],
) -> Figure:
    return {
        "type": "scatter",
        "mode": "markers",
        "x": x[shown].tolist(),
        "y": y[shown].tolist(),
        "marker": rimmed(colour, 7) if len(x) <= 400 else rimmed(colour, 4, many=True),
        "text": [shorten(name, 60) for name in panel.names[shown].tolist()],
        "customdata": [] if panel.codes is None else panel.codes[shown].tolist(),
        "hovertemplate": "%{text}<br>(%{x:.2f}, %{y:.2f})<extra></extra>",
    }


def _levels(panel: ItemMos, look: Look, where: dict[str, str]) -> list[Figure]:
    lines = [(0.0, look.faint, "solid", 1), (panel.mean_difference.value, look.ink, "solid", 1.5)]
    lines += [(limit.value, look.ink, "dot", 1.2) for limit in panel.limits]
    bands = [
        {
            "type": "rect",
            "x0": 0,
            "x1": 1,
            "y0": estimate.low,
            "y1": estimate.high,
            "fillcolor": translucent(look.ink, 0.09),
            "line": {"width": 0},
            "layer": "below",
            **where,
        }
        for estimate in (panel.mean_difference, *panel.limits)
        if not isnan(estimate.low)
    ]
    return bands + [
        {
            "type": "line",
            "x0": 0,
            "x1": 1,
            "y0": at,
            "y1": at,
            "line": {"color": colour, "dash": dash, "width": width},
            "layer": "below",
            **where,
        }
        for at, colour, dash, width in lines
        if not isnan(at)
    ]


def _level_labels(panel: ItemMos, look: Look, where: dict[str, str]) -> list[Figure]:
    return [
        {
            "text": decimal(estimate.value),
            "x": 1,
            "y": estimate.value,
            "xanchor": "right",
            "yanchor": "bottom",
            "showarrow": False,
            "font": {"size": 11, "color": look.ink},
            **where,
        }
        for estimate in (panel.mean_difference, *panel.limits)
        if estimate.defined
    ]


def _line(x: list[float], y: list[float], colour: str, dash: str) -> Figure:
    return {
        "type": "scatter",
        "mode": "lines",
        "x": x,
        "y": y,
        "line": {"color": colour, "width": 1, "dash": dash},
        "hoverinfo": "skip",
    }


def _around_nothing(panels: Sequence[ItemMos]) -> Figure:
    """A range for differences that are as good as nothing, around which Plotly would draw thousandths of a point."""
    low, high = _span([values for p in panels for values in (p.mos_candidate, p.mos_reference)])
    far = max((float(np.abs(p.mos_candidate - p.mos_reference).max(initial=0)) for p in panels), default=0.0)
    tenth = (high - low) / 10
    return {"range": [-tenth, tenth]} if far < tenth / 10 else {}


def _span(arrays: Sequence[NDArray[np.float64]]) -> tuple[float, float]:
    full = [array for array in arrays if len(array)]
    if not full:
        return 0.0, 1.0
    low, high = min(float(a.min()) for a in full), max(float(a.max()) for a in full)
    room = 0.04 * (high - low) or 0.5
    return low - room, high + room
