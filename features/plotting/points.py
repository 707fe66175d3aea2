"""Points of a scatter with their whiskers, names and hovers."""

from collections.abc import Sequence
from dataclasses import dataclass

from analysis.values.estimate import Estimate
from features.plotting.marks import at_top_right
from features.plotting.panels import LEGEND_ON_TOP
from features.plotting.series import ends, error_bars
from features.plotting.theme import (
    GROUP_COLOURS,
    GROUP_SYMBOLS,
    Look,
    PlotlyFigure,
    axis,
    escape,
    layout,
    shorten,
)


@dataclass(frozen=True)
class Point:
    """One point with its intervals, its name, and what its hover tells."""

    name: str
    x: Estimate
    y: Estimate
    hover: str = ""


def span_of(points: Sequence[Point]) -> tuple[list[float], list[float]]:
    """Return the figures and ends of intervals across and upwards."""
    return ends(point.x for point in points), ends(point.y for point in points)


def point_trace(
    points: Sequence[Point], name: str, series: int, look: Look, is_named: bool = True, **marker: object
) -> PlotlyFigure:
    """Draw the points of one of several series, with their names next to them unless there are too many."""
    color = GROUP_COLOURS[series % len(GROUP_COLOURS)]
    symbol = GROUP_SYMBOLS[series % len(GROUP_SYMBOLS)]
    x, y = [point.x.value for point in points], [point.y.value for point in points]
    trace: PlotlyFigure = {
        "type": "scatter",
        "mode": "markers+text" if is_named else "markers",
        "name": escape(name),
        "x": x,
        "y": y,
        "marker": {"size": 10, "color": color, "symbol": symbol, **marker},
        "hovertext": [point.hover for point in points],
        "hovertemplate": "%{hovertext}<extra></extra>",
        "cliponaxis": False,
    }
    for way, estimates in (("error_x", [p.x for p in points]), ("error_y", [p.y for p in points])):
        if len(ends(estimates)) > len(estimates):
            trace[way] = error_bars(estimates, color)
    if is_named:
        trace["text"] = [shorten(point.name, 14) for point in points]
        trace["textposition"] = _sides(x, y)
        trace["textfont"] = {"size": 12, "color": look.ink}
    return trace


def point_chart(
    traces: Sequence[PlotlyFigure], x: PlotlyFigure, y: PlotlyFigure, told: str, look: Look, **more: object
) -> PlotlyFigure:
    """Draw traces of points with `told` over the right end, and a legend where several are named.

    `x` and `y` are what the axes have beyond those of any figure.
    """
    drawn = [trace for trace in traces if trace["x"]]
    several = sum(trace.get("name", "") != "" for trace in drawn) > 1
    made = layout(look, height=400, hovermode="closest", showlegend=several, legend=LEGEND_ON_TOP)
    made["margin"] = {"l": 60, "r": 16, "t": 62 if several else 34, "b": 54}
    made["xaxis"], made["yaxis"] = (axis(look, **{"nticks": 6, **each}) for each in (x, y))
    made["annotations"] = [at_top_right(told, look, 12)]
    return {"data": drawn, "layout": made | more}


def _sides(x: Sequence[float], y: Sequence[float]) -> list[str]:
    """Return the side of each name: clear of its whiskers and away from the nearest other point."""
    wide, tall = (max(max(values) - min(values), 1e-9) if values else 1.0 for values in (x, y))
    sides = []
    for at in range(len(x)):
        apart = [((x[o] - x[at]) / wide, (y[o] - y[at]) / tall) for o in range(len(x)) if o != at]
        across, up = min(apart, key=lambda d: d[0] ** 2 + d[1] ** 2, default=(1.0, 1.0))
        sides.append(f"{'top' if up > 0 else 'bottom'} {'left' if across > 0 else 'right'}")
    return sides
