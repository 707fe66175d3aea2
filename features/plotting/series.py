"""Figures side by side with their intervals, a row per name and in it a dot per series, and points of two values."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from textwrap import wrap
from typing import Any

from analysis.values.estimate import Estimate
from features.plotting.panels import (
    LEGEND_ON_TOP,
    MOST_NAMED,
    at_top_right,
    horizontal_line,
    remark,
    vertical_line,
)
from features.plotting.theme import (
    GROUP_COLOURS,
    GROUP_SYMBOLS,
    PERCENT_ONE_DIGIT,
    THREE_DIGITS,
    Look,
    NumberFormat,
    PlotlyFigure,
    count,
    escape,
    estimate_in_table,
    group_colour,
    group_symbol,
    in_two_lines,
    shorten,
)


@dataclass(frozen=True)
class Dot:
    """One estimate, the height of its row (0, 1, 2, …), and its hover text."""

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
    """Draw a row per name (escaped) at 0, 1, 2, …; `margin` is left, right, top, bottom, axes add to `theme.axis`."""
    rows: PlotlyFigure = {"tickvals": list(range(len(names))), "ticktext": list(names), "showgrid": False}
    sides = dict(zip("lrtb", margin, strict=True))
    made = look.layout(margin=sides, **more)
    if (look.narrow or look.on_card) and "title" in x_axis:
        lines = wrap(
            x_axis["title"],
            max(18, int(((_NARROW if look.narrow else _CARD) - _label_width(names)) / _LETTER)),
        )
        x_axis = {**x_axis, "title": "<br>".join(lines)}
        sides["b"] += _LINE * (len(lines) - 1)
        if "height" in made:
            made["height"] += _LINE * (len(lines) - 1)
    return {
        "data": list(traces),
        "layout": made | {"xaxis": look.axis(**x_axis), "yaxis": look.axis(**(rows | y_axis))},
    }


_NARROW, _CARD = 340, 460
"""Pixels of a narrow figure, and of one on a card, without its margins."""
_LETTER, _LINE = 7.4, 17
"""Width and height in pixels of a letter of an axis title, in the widest font that it may be drawn with."""


def _label_width(names: Sequence[str]) -> float:
    return _LETTER * max((len(line) for name in names for line in name.split("<br>")), default=0)


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
        [shorten(name, 18 if look.narrow or look.on_card else 30) for name in names],
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
    """Return figures as dots with whiskers, in one trace; `written` are numbers over the dots, in the color `ink`."""
    hovers = {"hovertext" if written else "text": [dot.hover for dot in drawn]}
    if written:
        hovers |= {"text": list(written)}
        more |= {"textposition": "top center", "textfont": {"size": 12, "color": ink}}
    return {
        "type": "scatter",
        "mode": "markers+text" if written else "markers",
        "x": [dot.estimate.value for dot in drawn],
        "y": [dot.y for dot in drawn],
        "marker": {"size": size, "color": colour, **(marker or {})},
        "error_x": error_bars([dot.estimate for dot in drawn], colour, thickness),
        "hovertemplate": "%{hovertext}<extra></extra>" if written else "%{text}<extra></extra>",
        **hovers,
        **more,
    }


def circle_markers(colour: str, hollow: Sequence[bool]) -> PlotlyFigure:
    """Return circles for `dots`, hollow where told."""
    symbols = ["circle-open" if is_hollow else "circle" for is_hollow in hollow]
    return {"symbol": symbols, "line": {"width": 1.5, "color": colour}}


def error_bars(estimates: Sequence[Estimate], colour: str, thickness: float = 1.5) -> PlotlyFigure:
    """Return the whiskers of points, for `error_x` or `error_y`, to the ends of their intervals."""
    return {
        "type": "data",
        "symmetric": False,
        "array": [0 if isnan(e.high) else e.high - e.value for e in estimates],
        "arrayminus": [0 if isnan(e.low) else e.value - e.low for e in estimates],
        "color": colour,
        "thickness": thickness,
        "width": 0,
    }


def interval_lines(spans: Iterable[tuple[float, float, float]], colour: str, width: float) -> PlotlyFigure:
    """Return lines from low to high, each a (height, low, high), in one trace."""
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


def values_and_ends(estimates: Iterable[Estimate]) -> list[float]:
    """Return figures and both ends of their intervals, where defined."""
    return [end for e in estimates for end in (e.value, e.low, e.high) if not isnan(end)]


def axis_range(inside: Sequence[float], room: float, least: float = 0.0) -> tuple[float, float]:
    """Return an axis range around the values, with `room` at both ends as a share of its width, or of `least`."""
    low, high = min(inside, default=0.0), max(inside, default=1.0)
    margin = room * max(high - low, least)
    return low - margin, high + margin


MOST_ROWS = 30
"""Names drawn one below the other; the first ones of more."""
_ROW, _SERIES, _ON_TOP = 16, 15, 26
"""Height in pixels of a row without, and for each of its series; and of a legend over the rows."""


@dataclass(frozen=True)
class Series:
    """One figure of all rows, such as one kind of agreement of all surrogates, or the figures of one group.

    Without its own colour and symbol a series has those of its place. None: the row is of other series only.
    `formats` are those of the rows, where they differ.
    """

    name: str
    estimates: Sequence[Estimate | None]
    colour: str = ""
    symbol: str = ""
    formats: Sequence[NumberFormat] = ()

    @property
    def defined(self) -> bool:
        """True where it has a figure in any row."""
        return any(e is not None and e.defined for e in self.estimates)


def series_dots(
    names: Sequence[str],
    series: Sequence[Series],
    title: str,
    look: Look,
    shares: bool = True,
    letters: Sequence[str] = (),
    guide: float | None = None,
    guide_name: str = "",
    write: NumberFormat | None = None,
) -> PlotlyFigure:
    """Draw a row per name with a dot and whiskers per series; `letters` stand at the right of their rows.

    `shares` are written in percent, other figures as `write` says, by default with 3 digits; `guide` is a dotted
    upright line with its name over it.
    """
    rows = min(len(names), MOST_ROWS)
    in_row = [[at for at, one in enumerate(series) if one.estimates[row] is not None] for row in range(rows)]
    beside = max((len(of) for of in in_row), default=0)
    on_top = beside > 1
    drawn = [e for one in series for e in one.estimates[:rows] if e is not None and e.defined]
    low, high = axis_range_of([*values_and_ends(drawn), *([] if guide is None else [guide])])
    if shares and max(values_and_ends(drawn), default=1.0) <= 1.0:
        low, high = max(low, -1.02), min(high, 1.02)
    beside_rows: PlotlyFigure = {"x": 1, "yref": "y", "xanchor": "left", "xshift": 6}
    annotations = [
        remark(f"<b>{escape(letter)}</b>", look, y=row, font={"size": 13, "color": look.ink}, **beside_rows)
        for row, letter in enumerate(letters[:rows])
        if letter
    ]
    if not drawn:
        annotations.append(remark("nothing is defined", look, x=0.5, y=0.5))
    elif rows < len(names):
        annotations.append(at_top_right(f"the first {rows} of {count(len(names))}", look))
    shapes = [horizontal_line(row + 0.5, look.grid) for row in range(rows - 1)]
    if guide is not None:
        shapes.append(vertical_line(guide, look.faint))
    if guide is not None and guide_name:
        side = "right" if guide > (low + high) / 2 else "left"
        annotations.append(at_top_right(guide_name, look, 12, x=guide, xref="x", xanchor=side))
    write = write or (PERCENT_ONE_DIGIT if shares else THREE_DIGITS)
    made = chart(
        [in_two_lines(name, 18) if look.narrow else shorten(name, 26) for name in names[:rows]],
        [
            _of_series(names, one, at, in_row, write)
            for at, one in enumerate(series)
            if any(e is not None and e.defined for e in one.estimates[:rows])
        ],
        {
            "title": title,
            "range": [
                max(low, -1.02),
                high if max(values_and_ends(drawn), default=1) > 1.02 else min(high, 1.02),
            ]
            if shares
            else [low, high],
            "nticks": 7,
            **({"tickformat": ".0%"} if shares else {}),
        },
        {"range": [max(rows, 1) - 0.45, -0.55], "tickfont": {"color": look.ink, "size": 12.5}},
        look,
        (8, 16 + 14 * any(letters), 40 if on_top else 26 if guide_name else 14, 48),
        height=100 + _ON_TOP * on_top + (_ROW + _SERIES * max(beside, 1)) * max(rows, 2),
        hovermode="closest",
        shapes=shapes,
        annotations=annotations,
        **({"showlegend": True, "legend": LEGEND_ON_TOP} if on_top else {}),
    )
    return _name_series(made, look)


def _name_series(made: PlotlyFigure, look: Look) -> PlotlyFigure:
    """Return the chart with each series named at its whiskers in a row that has all, instead of a legend.

    Without such a row, or without room beside the whiskers, the legend stays.
    """
    traces, (low, high) = made["data"], made["layout"]["xaxis"]["range"]
    across = (200 if look.narrow else 280 if look.on_card else 700) / (high - low)
    rows = set.intersection(*({round(y) for y in trace["y"]} for trace in traces)) if traces else set()
    if not made["layout"].get("showlegend") or not 1 < len(traces) <= MOST_NAMED:
        return made
    for row in sorted(rows):
        named = []
        for trace in traces:
            at = [round(y) for y in trace["y"]].index(row)
            x, y, bars = trace["x"][at], trace["y"][at], trace["error_x"]
            left, right = x - bars["arrayminus"][at], x + bars["array"][at]
            wide = (_LETTER * len(trace["name"]) + 10) / across
            place: PlotlyFigure = {
                "x": right,
                "xref": "x",
                "y": y,
                "yref": "y",
                "xanchor": "left",
                "xshift": 6,
            }
            if right + wide > high:
                place |= {"x": left, "xanchor": "right", "xshift": -6}
            if right + wide <= high or left - wide >= low:
                named.append(remark(trace["name"], look, bgcolor=look.ground, borderpad=0, **place))
        if len(named) == len(traces):
            made["layout"]["annotations"] += named
            made["layout"]["showlegend"] = False
            made["layout"]["height"] -= _ON_TOP
            made["layout"]["margin"]["t"] -= _ON_TOP
            break
    return made


def estimate_dots(estimates: Mapping[str, Estimate], title: str, look: Look, **more: Any) -> PlotlyFigure:
    """Draw a dot per name, all in one series; `more` are further arguments of `series_dots`."""
    return series_dots(list(estimates), [Series(title, list(estimates.values()))], title, look, **more)


def _of_series(
    names: Sequence[str], one: Series, at: int, in_row: Sequence[list[int]], write: NumberFormat
) -> PlotlyFigure:
    colour = one.colour or GROUP_COLOURS[at % len(GROUP_COLOURS)]
    symbol = one.symbol or GROUP_SYMBOLS[at % len(GROUP_SYMBOLS)]
    known = [
        (row + (of.index(at) - (len(of) - 1) / 2) * 0.7 / len(of), row, e)
        for row, of in enumerate(in_row)
        if (e := one.estimates[row]) is not None and e.defined
    ]
    return dots(
        [
            Dot(place, e, hover(names[row], one.name, e, one.formats[row] if one.formats else write))
            for place, row, e in known
        ],
        colour,
        9,
        {"symbol": symbol, "line": {"width": 1.5, "color": colour}},
        name=escape(one.name),
        cliponaxis=False,
    )


def hover(name: str, what: str, e: Estimate, write: NumberFormat) -> str:
    """Return a figure with its interval, under its name."""
    return f"{escape(name)}<br>{escape(what)}: {estimate_in_table(e, write)}"


def axis_range_of(inside: Sequence[float], room: float = 0.06) -> tuple[float, float]:
    """Return an axis range for estimates and their intervals, with some room at both ends.

    A lone value gets an axis as wide as a fifth of it, at least 0.2.

    >>> axis_range_of([0.25]), axis_range_of([50.0])
    ((0.15, 0.35), (45.0, 55.0))
    """
    largest = max([1.0, *(abs(end) for end in inside)])
    if inside and min(inside) == max(inside):
        return axis_range(inside, 0.1, least=largest)
    return axis_range(inside, room, least=0.02 * largest)


Cell = tuple[str, str, Estimate]
"""A measure, a group, and the figure there."""


def dots_by_group(
    cells: Sequence[Cell],
    groups: Sequence[str],
    title: str,
    look: Look,
    guide: float | None = 0.0,
    format_of: Callable[[str, str], NumberFormat] = lambda measure, group: THREE_DIGITS,
) -> PlotlyFigure:
    """Draw a row per measure with a dot per group; for one measure, a row per group.

    `format_of` returns the format of a measure and group.
    """
    measures = list(dict.fromkeys(measure for measure, _, _ in cells))
    there = [group for group in groups if any(group == of for _, of, _ in cells)]
    known = {(measure, group): e for measure, group, e in cells}
    if len(measures) == 1 < len(there):
        names = there
        rows = [[known[measures[0], of] if of == group else None for of in there] for group in there]
        formats = [[format_of(measures[0], group)] * len(there) for group in there]
    else:
        names = measures
        rows = [[known.get((measure, group)) for measure in measures] for group in there]
        formats = [[format_of(measure, group) for measure in measures] for group in there]
    series = [
        Series(group, row, group_colour(group, groups), group_symbol(group, groups), written)
        for group, row, written in zip(there, rows, formats, strict=True)
    ]
    return series_dots(names, series, title, look, shares=False, guide=guide)


@dataclass(frozen=True)
class Point:
    """One point with its intervals, its name, and what its hover tells."""

    name: str
    x: Estimate
    y: Estimate
    hover: str = ""


def span_of(points: Sequence[Point]) -> tuple[list[float], list[float]]:
    """Return the figures and ends of intervals across and upwards."""
    return values_and_ends(point.x for point in points), values_and_ends(point.y for point in points)


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
        if len(values_and_ends(estimates)) > len(estimates):
            trace[way] = error_bars(estimates, color)
    if is_named:
        trace["text"] = [shorten(point.name, 14) for point in points]
        trace["textposition"] = _CORNERS[0]
        trace["textfont"] = {"size": 12, "color": look.ink}
    return trace


def point_chart(
    traces: Sequence[PlotlyFigure],
    x: PlotlyFigure,
    y: PlotlyFigure,
    remark_text: str,
    look: Look,
    **more: object,
) -> PlotlyFigure:
    """Draw traces of points with a remark over the right end, and a legend where several are named."""
    drawn = _place_names([trace for trace in traces if trace["x"]], x["range"], y["range"], look)
    several = sum(trace.get("name", "") != "" for trace in drawn) > 1
    made = look.layout(height=400, hovermode="closest", showlegend=several, legend=LEGEND_ON_TOP)
    made["margin"] = {"l": 60, "r": 16, "t": 62 if several else 34, "b": 54}
    made["xaxis"], made["yaxis"] = (look.axis(**{"nticks": 6, **each}) for each in (x, y))
    made["annotations"] = [at_top_right(remark_text, look, 12)]
    return {"data": drawn, "layout": made | more}


Box = tuple[float, float, float, float]
"""Left, lower, right and upper end in pixels."""
_CORNERS = ("top right", "top left", "bottom right", "bottom left")


def _place_names(
    traces: Sequence[PlotlyFigure], across: Sequence[float], up: Sequence[float], look: Look
) -> list[PlotlyFigure]:
    """Return the traces with each name at the corner of its point where it covers fewest whiskers, points and names."""
    per_unit = [
        pixels / (ends[1] - ends[0])
        for pixels, ends in ((250 if look.narrow else 300 if look.on_card else 800, across), (280, up))
    ]
    drawn = [box for trace in traces for box in _boxes(trace, per_unit)]
    placed = list[PlotlyFigure]()
    for trace in traces:
        if "textposition" not in trace:
            placed.append(trace)
            continue
        chosen = list[str]()
        for x, y, name in zip(trace["x"], trace["y"], trace["text"], strict=True):
            boxes = {
                corner: _name_box(x * per_unit[0], y * per_unit[1], len(name), corner)
                for corner in (trace["textposition"], *_CORNERS)
            }
            covered = {corner: sum(_overlap(box, other) for other in drawn) for corner, box in boxes.items()}
            chosen.append(min(covered, key=lambda corner: covered[corner]))
            drawn.append(boxes[chosen[-1]])
        placed.append(trace | {"textposition": chosen})
    return placed


def _boxes(trace: PlotlyFigure, per_unit: Sequence[float]) -> Iterator[Box]:
    """Yield the place of each point and of its whiskers."""
    for at, point in enumerate(zip(trace["x"], trace["y"], strict=True)):
        x, y = (value * scale for value, scale in zip(point, per_unit, strict=True))
        yield x - 5, y - 5, x + 5, y + 5
        for way, scale in zip(("error_x", "error_y"), per_unit, strict=True):
            if way in trace:
                ends = (-trace[way]["arrayminus"][at] * scale, trace[way]["array"][at] * scale)
                low, high = min(ends), max(ends)
                yield (x + low, y, x + high, y) if way == "error_x" else (x, y + low, x, y + high)


def _name_box(x: float, y: float, letters: int, corner: str) -> Box:
    up, across = corner.split()
    left = x + 6 if across == "right" else x - 6 - 6.6 * letters
    lower = y + 3 if up == "top" else y - 17
    return left, lower, left + 6.6 * letters, lower + 14


def _overlap(one: Box, other: Box) -> bool:
    return one[0] <= other[2] and other[0] <= one[2] and one[1] <= other[3] and other[1] <= one[3]
