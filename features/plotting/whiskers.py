"""Figures by name as dots with their intervals as whiskers: the one chart of this kind, for every room.

`chart` is the picture (a row per name), `row_chart` the usual one, `dots` the figures in it (one trace per series),
`error_bars` the whiskers alone, for points that have two, and `interval_lines` whiskers that stand on coloured bars.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isnan

from analysis.values.estimate import Estimate
from features.plotting.figure import PlotlyFigure
from features.plotting.marks import at_top_right
from features.plotting.theme import Look, axis, layout, shorten


@dataclass(frozen=True)
class Dot:
    """One figure, the height it stands at (rows count 0, 1, 2, …), and what its hover tells."""

    y: float
    estimate: Estimate
    hover: str


def chart(
    names: Sequence[str],
    traces: Sequence[PlotlyFigure],
    x_axis: PlotlyFigure,
    y_axis: PlotlyFigure,
    look: Look,
    margin: tuple[int, int, int, int],
    **more: object,
) -> PlotlyFigure:
    """A row per name (as written, escaped) at 0, 1, 2, …; `margin` is left, right, top, bottom.

    Both axes are told by what they have beyond `theme.axis`, the ordinate its range at least.
    """
    rows: PlotlyFigure = {"tickvals": list(range(len(names))), "ticktext": list(names), "showgrid": False}
    made = layout(look, margin=dict(zip("lrtb", margin, strict=True)), **more)
    return {
        "data": list(traces),
        "layout": made | {"xaxis": axis(look, **x_axis), "yaxis": axis(look, **(rows | y_axis))},
    }


def row_chart(
    names: Sequence[str],
    traces: Sequence[PlotlyFigure],
    x_axis: PlotlyFigure,
    look: Look,
    *,
    row: float,
    remark: str = "",
    right: int = 14,
    annotations: Sequence[PlotlyFigure] = (),
    **more: object,
) -> PlotlyFigure:
    """Draw a row of a height per name, from top to bottom, with a remark over the right end, such as "30 of 31"."""
    letters = {"size": 12 if row > 14 else 9.5, "color": look.ink}
    return chart(
        [shorten(name, 18) for name in names],
        traces,
        {"nticks": 6, **x_axis},
        {"range": [max(len(names), 1) - 0.4, -0.7], "tickfont": letters},
        look,
        margin=(10, right, 26, 46),
        height=90 + row * max(len(names), 3),
        annotations=[*annotations, *([at_top_right(remark, look)] if remark else [])],
        **more,
    )


def dots(
    drawn: Sequence[Dot],
    colour: str,
    size: float,
    marker: PlotlyFigure | None = None,
    thickness: float = 1.5,
    written: Sequence[str] = (),
    ink: str = "",
    **more: object,
) -> PlotlyFigure:
    """Figures as dots with whiskers, in one trace; `written` are numbers over the dots, in the colour `ink`."""
    told = {"hovertext" if written else "text": [dot.hover for dot in drawn]}
    if written:
        told |= {"text": list(written)}
        more |= {"textposition": "top center", "textfont": {"size": 12, "color": ink}}
    return {
        "type": "scatter",
        "mode": "markers+text" if written else "markers",
        "x": [dot.estimate.value for dot in drawn],
        "y": [dot.y for dot in drawn],
        "marker": {"size": size, "color": colour, **(marker or {})},
        "error_x": error_bars([dot.estimate for dot in drawn], colour, thickness),
        "hovertemplate": "%{hovertext}<extra></extra>" if written else "%{text}<extra></extra>",
        **told,
        **more,
    }


def outlined(colour: str, hollow: Sequence[bool], width: float = 1.5) -> PlotlyFigure:
    """Circles for `dots`, hollow where told."""
    symbols = ["circle-open" if is_hollow else "circle" for is_hollow in hollow]
    return {"symbol": symbols, "line": {"width": width, "color": colour}}


def error_bars(
    estimates: Sequence[Estimate], colour: str, thickness: float = 1.5, width: float = 0
) -> PlotlyFigure:
    """The whiskers of points, for `error_x` or `error_y`: to the ends of their intervals, none where there is none."""
    return {
        "type": "data",
        "symmetric": False,
        "array": [0 if isnan(e.high) else e.high - e.value for e in estimates],
        "arrayminus": [0 if isnan(e.low) else e.value - e.low for e in estimates],
        "color": colour,
        "thickness": thickness,
        "width": width,
    }


def interval_lines(spans: Iterable[tuple[float, float, float]], colour: str, width: float) -> PlotlyFigure:
    """Lines from low to high at a height, each a (height, low, high), all in one trace."""
    x: list[float | None] = []
    y: list[float | None] = []
    for at, low, high in spans:
        x += [low, high, None]
        y += [at, at, None]
    return {
        "type": "scatter",
        "mode": "lines",
        "x": x,
        "y": y,
        "line": {"color": colour, "width": width},
        "hoverinfo": "skip",
    }


def ends(estimates: Iterable[Estimate]) -> list[float]:
    """Figures and both ends of their intervals, where there are such."""
    return [end for e in estimates for end in (e.value, e.low, e.high) if not isnan(end)]


def span(inside: Sequence[float], room: float, least: float = 0.0) -> tuple[float, float]:
    """An axis around what is `inside`, with `room` at both ends as a share of its width, or of `least` if greater."""
    low, high = min(inside, default=0.0), max(inside, default=1.0)
    margin = room * max(high - low, least)
    return low - margin, high + margin
