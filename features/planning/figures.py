"""Curves of a planned study, a curve per number of ratings per item, labeled directly."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan, nan

import numpy as np

from analysis.values.estimate import Estimate
from features.plotting.panels import band, horizontal_line, remark
from features.plotting.theme import (
    GROUP_COLOURS,
    GROUP_DASHES,
    SHUFFLE_GREY,
    Look,
    PlotlyFigure,
    as_typed,
    escape,
    estimate_in_table,
)

HEIGHT, _TOP, _FOOT = 400, 24, 54
_PLOT, _LABEL, _LABEL_WIDTH = HEIGHT - _TOP - _FOOT, 18, 0.14
"""Height of the plot and of a label in pixels, and a label's width as a share of the plot."""
Curves = Mapping[int, tuple[Sequence[float], Sequence[Estimate]]]


@dataclass(frozen=True)
class Axes:
    """Titles of the axes, and how a curve is named; `marked` is the word next to the chosen point.

    `names` name curves by their places, and `goal` the line of what is wanted, where given; y begins at `lowest` and
    is written with `digits`.
    """

    x: str
    y: str
    named: str = "{} per item"
    as_share: bool = True
    marked: str = ""
    wanted: float | None = None
    highest: float | None = None
    names: tuple[str, ...] = ()
    goal: str = ""
    lowest: float = 0.0
    digits: int = 2

    def name_of(self, curve: int) -> str:
        """Return the name of a curve, such as "5 votes"; that of 1 in the singular."""
        if self.names:
            return self.names[curve]
        name = self.named.format(curve)
        return name.removesuffix("s") if curve == 1 else name

    @property
    def unit(self) -> str:
        """Format of y in a hover box."""
        return ".0%" if self.as_share else f".{self.digits}f"


def curve_chart(
    curves: Curves,
    chosen: tuple[int, float],
    axes: Axes,
    look: Look,
    same_price: Sequence[tuple[float, float, int]] = (),
    price: str = "",
) -> PlotlyFigure:
    """Draw a curve per number, with its band where its estimates have intervals.

    `chosen` is (which curve, where on it); `same_price` joins the points (x, y, which curve) that a budget pays for.
    `customdata` of a point is [x, which curve].
    """
    values = [e.value for _, found in curves.values() for e in found if not isnan(e.value)]
    top = 1.02 if axes.as_share else axes.highest or 1.05 * max(values, default=1.0)
    traces: list[PlotlyFigure] = []
    for place, (of, (x, found)) in enumerate(curves.items()):
        traces += band(x, found, GROUP_COLOURS[place]) if of == chosen[0] else []
        traces.append(_line(of, x, found, place, of == chosen[0], axes))
    labels = _curve_names(curves, axes, top, look)
    if axes.wanted is not None:
        text = f"wanted {axes.wanted:.0%}" if axes.as_share else f"wanted ± {as_typed(axes.wanted)}"
        text = axes.goal or text
        _, found = curves[chosen[0]]
        name_place = _goal_place(curves, axes.wanted, axes.lowest, top, found[0].value < found[-1].value)
        label = remark(text, look, y=axes.wanted, yref="y", **name_place)
        labels.append(label | {"font": {"size": 11.5, "color": look.ink}})
    if same_price:
        name = f"for {escape(price)}"
        traces.append(_same_price_trace(same_price, name, axes))
        labels.append(_label(max(same_price)[:2], name, look.faint, "left", -12))
    x, found = curves[chosen[0]]
    y = next((e.value for at, e in zip(x, found, strict=True) if at == chosen[1]), nan)
    if not isnan(y):
        traces.append(_marker(chosen[1], y, look))
        anchor = "right" if axes.as_share or axes.names else "left"
        pixel = (top - axes.lowest) / _PLOT
        to_goal = _PLOT if axes.wanted is None else (axes.wanted - y) / pixel
        below = (anchor == "right" and found[0].value > y) or 0 < to_goal < 2 * _LABEL
        shift = -18 if below and (y - axes.lowest) / pixel > 2 * _LABEL else 14
        labels.append(_label((chosen[1], y), f"<b>{escape(axes.marked)}</b>", look.ink, anchor, shift))
    made = look.layout(
        height=HEIGHT,
        hovermode="closest",
        shapes=[] if axes.wanted is None else [horizontal_line(axes.wanted, look.ink, 1.5, "dash")],
        annotations=labels,
        margin={"l": 66, "r": 88 if look.narrow else 92, "t": _TOP, "b": _FOOT},
    )
    last = max(x[-1] for x, _ in curves.values())
    percent = {"tickformat": ".0%"} if axes.as_share else {}
    made["xaxis"] = look.axis(axes.x, range=[0, 1.02 * last], nticks=8)
    made["yaxis"] = look.axis(axes.y, range=[axes.lowest, top], nticks=6, **percent)
    return {"data": traces, "layout": made}


def _goal_place(curves: Curves, goal: float, lowest: float, top: float, rises: bool) -> PlotlyFigure:
    """Return where the goal's line is named: at an end and on a side where no curve runs through the name.

    By default at the right end, on the side that the curves leave.
    """
    unit = (top - lowest) / _PLOT
    last = max(x[-1] for x, _ in curves.values())
    sides = ("top", "bottom") if rises else ("bottom", "top")
    places: list[tuple[float, str, str]] = [
        (at, anchor, side) for at, anchor in ((0.97, "right"), (0.02, "left")) for side in sides
    ]

    def is_free(at: float, anchor: str, side: str) -> bool:
        low, high = (goal, goal + _LABEL * unit) if side == "bottom" else (goal - _LABEL * unit, goal)
        begin = at - _LABEL_WIDTH if anchor == "right" else at
        across = last * np.linspace(begin, begin + _LABEL_WIDTH, 9)
        lines = [np.interp(across, x, [e.value for e in found]) for x, found in curves.values()]
        return low >= lowest and not any(((low <= line) & (line <= high)).any() for line in lines)

    at, anchor, side = next((each for each in places if is_free(*each)), places[0])
    return {"x": at, "xanchor": anchor, "yanchor": side}


def _line(
    of: int, x: Sequence[float], found: Sequence[Estimate], place: int, is_chosen: bool, axes: Axes
) -> PlotlyFigure:
    color, name = GROUP_COLOURS[place], axes.name_of(of)
    written = f"{{:{axes.unit}}}".format
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": name,
        "x": list(x),
        "y": [None if isnan(e.value) else round(e.value, 5) for e in found],
        "customdata": [[at, of] for at in x],
        "line": {"color": color, "width": 3 if is_chosen else 1.6, "dash": GROUP_DASHES[place]},
        "marker": {"size": 7 if is_chosen else 6, "color": color},
        "hovertext": [estimate_in_table(e, written) for e in found],
        "hovertemplate": f"%{{x:.0f}}, {name}: %{{hovertext}}<extra></extra>",
    }


def _curve_names(curves: Curves, axes: Axes, top: float, look: Look) -> list[PlotlyFigure]:
    """Return the names of several curves at their right ends, none on another, each with its color before it.

    The colors are for marks: as letters they would be too faint.
    """
    if len(curves) == 1:
        return []
    ends = []
    for place, (of, (x, found)) in enumerate(curves.items()):
        known = [(e.value, at) for at, e in zip(x, found, strict=True) if e.value <= top]
        if known:
            ends.append((*known[-1], GROUP_COLOURS[place], axes.name_of(of)))
    ends.sort()
    gap, heights = 0.055 * (top - axes.lowest), list[float]()
    for y, *_ in ends:
        heights.append(max(y, heights[-1] + gap) if heights else y)
    above = top
    for at in reversed(range(len(heights))):
        heights[at] = min(heights[at], above)
        above = heights[at] - gap
    return [
        _label((x, y), f'<span style="color:{color}">■</span> {name}', look.ink, "left", 0)
        for y, (_, x, color, name) in zip(heights, ends, strict=True)
    ]


def _label(point: tuple[float, float], text: str, color: str, anchor: str, shift: int) -> PlotlyFigure:
    return {
        "x": point[0],
        "y": point[1],
        "text": text,
        "showarrow": False,
        "xanchor": anchor,
        "xshift": 8 if anchor == "left" else -8,
        "yshift": shift,
        "font": {"size": 12.5, "color": color},
    }


def _same_price_trace(points: Sequence[tuple[float, float, int]], name: str, axes: Axes) -> PlotlyFigure:
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": name,
        "x": [x for x, _, _ in points],
        "y": [y for _, y, _ in points],
        "line": {"color": SHUFFLE_GREY, "width": 2, "dash": "dot"},
        "marker": {"size": 8, "symbol": "square", "color": SHUFFLE_GREY},
        "text": [f"{x:.0f}, {axes.name_of(of)}" for x, _, of in points],
        "hovertemplate": f"%{{text}}, {name}: %{{y:{axes.unit}}}<extra></extra>",
    }


def _marker(x: float, y: float, look: Look) -> PlotlyFigure:
    outline = {"color": look.ink, "width": 2.5}
    return {
        "type": "scatter",
        "mode": "markers",
        "name": "chosen",
        "x": [x],
        "y": [y],
        "marker": {"size": 15, "symbol": "diamond", "color": look.ground, "line": outline},
        "hoverinfo": "skip",
        "cliponaxis": False,
    }
