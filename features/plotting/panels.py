"""Small multiples as one figure, names of lines next to what they name, and lines and remarks across a figure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from itertools import pairwise, product
from math import inf, isnan
from pickle import Pickler
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from plotly.basedatatypes import BaseFigure

from analysis.values.estimate import Estimate
from features.plotting.theme import TEMPLATE, Look, PlotlyFigure, in_two_lines, translucent

MOST_NAMED = 6
"""Lines that are named directly; more have a legend."""
_LETTER, _HIGH, _GAP = 6.6, 14.0, 5.0
"""Pixels of a letter, of a line of text, and between a name and a line."""
_PLACES = np.linspace(0.02, 0.98, 49)
"""Places at which a name may begin, in shares of a panel's width."""
_MORE = 0.0, 0.3, 0.6
"""Parts by which the y axis may grow to make room."""
_BEYOND = 1e9
"""Pixels of a line where it has no value."""
_LEGEND = 30
"""Pixels over the panels that a legend takes; the buttons of a picture keep theirs."""
Curve = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class _Panel:
    """A panel in pixels, with the lowest and the highest of each series at `_PLACES`; notes may stand at its foot."""

    x: str
    y: str
    width: float
    height: float
    low: Curve
    high: Curve
    has_notes: bool

    def upside_down(self) -> "_Panel":
        """The same panel seen from its other edge."""
        return _Panel(
            self.x, self.y, self.width, self.height, self.height - self.high, self.height - self.low, False
        )


@dataclass(frozen=True)
class _Label:
    """A name that begins at a place and a height, both in pixels from the left and from the edge that is looked at."""

    series: int
    begin: int
    left: float
    right: float
    height: float


def label_lines(figure: PlotlyFigure, look: Look) -> PlotlyFigure:
    """Return the figure with a name at each line, in the first panel with room; with its legend where none has room.

    A thin line leads from a name to what it names, and crosses no other name. Lines of one `legendgroup` have one name.
    """
    layout = figure["layout"]
    traces = [
        trace for trace in figure["data"] if trace.get("name") and any(y is not None for y in trace["y"])
    ]
    if not layout.get("showlegend"):
        return figure
    named = {_group(trace): trace for trace in reversed(traces)}
    groups = list(dict.fromkeys(map(_group, traces)))
    if len(groups) < 2:
        return {**figure, "layout": _without_legend(layout, look)}
    if len(groups) > MOST_NAMED:
        return figure
    names = [named[group]["name"] for group in groups]
    wider = (_with_ranges(layout, traces, more) for more in _MORE)
    ways = ((layout, way) for layout in wider for way in _label_layouts(layout, traces, groups, names, look))
    layout, way = next(ways, (layout, None))
    if way is None:
        return figure
    panel, labels, is_above = way
    shapes, notes = list(layout.get("shapes", ())), list(layout.get("annotations", ()))
    axes = {"xref": f"{panel.x} domain", "yref": f"{panel.y} domain"}
    for label in labels:
        trace = named[groups[label.series]]
        ends = label.height, float(panel.low[label.series, label.begin])
        high, low = (end / panel.height if not is_above else 1 - end / panel.height for end in ends)
        x = float(_PLACES[label.begin])
        line = {"color": trace["line"].get("color", look.faint), "width": 1}
        shapes.append({"type": "line", "line": line, "x0": x, "x1": x, "y0": high, "y1": low} | axes)
        anchors = {"xanchor": "left", "yanchor": "middle", "bgcolor": look.ground, "borderpad": 0}
        notes.append(remark(trace["name"], look, 11.5, x=x, y=high, **anchors, **axes))
    return {**figure, "layout": _without_legend(layout, look) | {"shapes": shapes, "annotations": notes}}


def _group(trace: PlotlyFigure) -> str:
    return str(trace.get("legendgroup") or trace["name"])


def _without_legend(layout: PlotlyFigure, look: Look) -> PlotlyFigure:
    kept = {name: part for name, part in layout.items() if name != "legend"}
    legend = _LEGEND + _LINE * look.narrow
    margin = layout["margin"] | {"t": max(layout["margin"]["t"] - legend, 12)}
    height = layout["height"] - (layout["margin"]["t"] - margin["t"])
    return kept | {"showlegend": False, "margin": margin, "height": height}


def _label_layouts(
    layout: PlotlyFigure,
    traces: Sequence[PlotlyFigure],
    groups: Sequence[str],
    names: Sequence[str],
    look: Look,
) -> Iterator[tuple[_Panel, list[_Label], bool]]:
    """Yield panels with labels of all series, under the lines or above them; above first where areas are filled."""
    widths = [_LETTER * len(name) + 6 for name in names]
    is_filled = any(trace.get("fill") == "tozeroy" for trace in traces)
    for panel in _panels(layout, traces, groups, look):
        for is_above in (is_filled, not is_filled):
            seen = panel.upside_down() if is_above else panel
            best = _placed(seen, widths, is_filled)
            if best is not None:
                yield seen, best, is_above


def _placed(panel: _Panel, widths: Sequence[float], apart: bool) -> list[_Label] | None:
    """Return labels between the foot of a panel and its lines, where the lines are most exposed; None without room.

    Labels `apart` stand side by side where they can, since the steps of histograms leave room far from the lines.
    """
    several = 6 if apart and len(widths) < 3 else 3 if len(widths) < 4 else 2
    offered = [_exposed_places(panel, at, width, several) for at, width in enumerate(widths)]

    def badness(chosen: tuple[tuple[float, int], ...]) -> tuple[int, float]:
        """Return how many names begin under or over another one, then the negative score of all places."""
        ends = sorted(
            (_PLACES[begin] * panel.width, width) for (_, begin), width in zip(chosen, widths, strict=True)
        )
        close = sum(left + width > right for (left, width), (right, _) in pairwise(ends))
        return close * apart, -sum(score for score, _ in chosen)

    by_score = sorted(product(*offered), key=badness)
    for begins in ([begin for _, begin in chosen] for chosen in by_score):
        if min(np.diff(np.sort(begins)), default=9) < 2:
            continue
        if (labels := _stacked(panel, begins, widths)) is not None:
            return labels
    return None


def _exposed_places(panel: _Panel, at: int, width: float, several: int) -> list[tuple[float, int]]:
    """Return where a series lies lowest under the others and its name fits into the panel, the best places first."""
    others = np.delete(panel.low, at, axis=0).min(axis=0)
    score = np.minimum(others - panel.low[at], _HIGH) - 0.02 * panel.low[at]
    score[(_PLACES * panel.width + width > panel.width + 4) | (panel.low[at] >= _BEYOND)] = -inf
    found: list[tuple[float, int]] = []
    for place in np.argsort(-score, kind="stable").tolist():
        if score[place] > -inf and all(abs(place - other) > 3 for _, other in found):
            found.append((float(score[place]), place))
    return found[:several]


def _stacked(panel: _Panel, begins: Sequence[int], widths: Sequence[float]) -> list[_Label] | None:
    """Return labels as near to the lines as they can be, from right to left; None where one leaves the panel.

    What begins further left stands further away from the lines, so that no leading line crosses a name.
    """
    done: list[_Label] = []
    for at in np.argsort(-np.array(begins), kind="stable").tolist():
        left = float(_PLACES[begins[at]] * panel.width)
        right = left + widths[at]
        under = panel.low[:, begins[at] : int(np.searchsorted(_PLACES * panel.width, right)) + 1]
        height = min(float(under.min()) - _GAP, panel.height) - _HIGH / 2
        height = min([height, *(one.height - _HIGH for one in done if one.left < right)])
        if height < _HIGH / 2 + _HIGH * panel.has_notes:
            return None
        done.append(_Label(at, begins[at], left, right, height))
    return done


def _panels(
    layout: PlotlyFigure, traces: Sequence[PlotlyFigure], groups: Sequence[str], look: Look
) -> Iterator[_Panel]:
    """Yield the panels that have every series, with the lines in pixels."""
    across = 330 if look.narrow else 380 if look.on_card else 880
    down = layout["height"] - layout["margin"]["t"] - layout["margin"]["b"]
    for x in dict.fromkeys(trace.get("xaxis", "x") for trace in traces):
        here = [trace for trace in traces if trace.get("xaxis", "x") == x]
        y = here[0].get("yaxis", "y")
        if {_group(one) for one in here} != {*groups}:
            continue
        (left, right), (bottom, top) = (layout[_axis(of)]["range"] for of in (x, y))
        width, height = (
            float(np.ptp(layout[_axis(of)].get("domain", (0, 1)))) * size
            for of, size in ((x, across), (y, down))
        )
        at = left + _PLACES * (right - left)
        lines = [
            np.array([line for one in here if _group(one) == group for line in _values_at(one, at)])
            for group in groups
        ]
        scaled = [(of - bottom) / (top - bottom) * height for of in lines]
        low = np.array([np.nan_to_num(of, nan=_BEYOND).min(axis=0) for of in scaled])
        high = np.array([np.nan_to_num(of, nan=-_BEYOND).max(axis=0) for of in scaled])
        has_notes = any(note.get("xref") == x for note in layout.get("annotations", ()))
        yield _Panel(x, y, width, height, low, high, has_notes)


def _axis(short: str) -> str:
    return f"{short[0]}axis{short[1:]}"


def _values_at(trace: PlotlyFigure, at: Curve) -> list[Curve]:
    """Return the values of a line, or of both edges of a band, at places; NaN beyond their ends."""
    x = np.array(trace["x"], float)
    y = np.array([np.nan if value is None else value for value in trace["y"]], float)
    if trace["line"].get("shape") == "hv":
        inside = (at >= x[0]) & (at <= x[-1])
        return [np.where(inside, y[np.searchsorted(x, at, "right").clip(1) - 1], np.nan)]
    edges = [(x, y)]
    if trace.get("fill") == "toself":
        half = len(x) // 2
        edges = [(x[:half], y[:half]), (x[half:][::-1], y[half:][::-1])]
    return [np.interp(at, *edge, left=np.nan, right=np.nan) for edge in edges]


def _with_ranges(layout: PlotlyFigure, traces: Sequence[PlotlyFigure], more: float) -> PlotlyFigure:
    """Return the layout with a range on every axis, that of the data where it has none, with more of y.

    A range from 0 on grows upward, others downward.
    """
    axes = {name: dict(part) for name, part in layout.items() if name[1:5] == "axis"}
    following: dict[str, list[PlotlyFigure]] = {}
    for trace, letter in product(traces, "xy"):
        following.setdefault(_range_axis(axes, trace, letter), []).append(trace)
    for name, one in axes.items():
        leader = one.get("matches", name.replace("axis", ""))
        along = () if "range" in one else following.get(leader, ())
        values = [value for trace in along for value in trace[name[0]] if value is not None]
        if values:
            low, high = min(values), max(values)
            if one.get("rangemode") == "tozero":
                low = min(low, 0)
            room = 0.06 * (high - low) or 0.5
            one["range"] = [low - (0 if low == 0 else room), high + room]
        if name[0] == "y" and "range" in one:
            low, high = one["range"]
            low, high = (low, high) if low < high else (low - 0.05, high + 0.05)
            grown = more * (high - low)
            one["range"] = [low, high + grown] if low == 0 else [low - grown, high]
    return {**layout, **axes}


def _range_axis(axes: PlotlyFigure, trace: PlotlyFigure, letter: str) -> str:
    """Return the axis whose range that of a trace follows."""
    own: str = trace.get(f"{letter}axis", letter)
    leader: str = axes[_axis(own)].get("matches", own)
    return leader


def vertical_line(x: float, colour: str, width: float = 1, dash: str = "dot", **more: object) -> PlotlyFigure:
    """Return a line from bottom to top, solid where `dash` is ""."""
    return {"type": "line", "yref": "paper", "x0": x, "x1": x, "y0": 0, "y1": 1} | _line(
        colour, width, dash, more
    )


def horizontal_line(y: float, colour: str, width: float = 1, dash: str = "", **more: object) -> PlotlyFigure:
    """Return a line from left to right, behind the data."""
    ends = {"type": "line", "layer": "below", "xref": "paper", "x0": 0, "x1": 1, "y0": y, "y1": y}
    return ends | _line(colour, width, dash, more)


def _line(colour: str, width: float, dash: str, more: PlotlyFigure) -> PlotlyFigure:
    return {"line": {"color": colour, "width": width, **({"dash": dash} if dash else {})}, **more}


def remark(text: str, look: Look, size: float = 11.5, **place: object) -> PlotlyFigure:
    """Return a faint remark, placed in shares of the figure's width and height by default."""
    return {
        "text": text,
        "xref": "paper",
        "yref": "paper",
        "showarrow": False,
        "font": {"size": size, "color": look.faint},
        **place,
    }


def at_top_right(text: str, look: Look, size: float = 11.5, **place: object) -> PlotlyFigure:
    return remark(text, look, size, **{"x": 1, "y": 1, "xanchor": "right", "yanchor": "bottom", **place})


def text_trace(
    placed: Sequence[tuple[float, float, str]],
    colour: str | Sequence[str],
    size: float,
    position: str = "middle center",
    **more: object,
) -> PlotlyFigure:
    """Return words at points (x, y), in one trace without hovers."""
    return {
        "type": "scatter",
        "mode": "text",
        "x": [x for x, _, _ in placed],
        "y": [y for _, y, _ in placed],
        "text": [text for _, _, text in placed],
        "textposition": position,
        "textfont": {"size": size, "color": colour},
        "hoverinfo": "skip",
        "cliponaxis": False,
        **more,
    }


def band(x: Sequence[float], estimates: Sequence[Estimate], colour: str) -> list[PlotlyFigure]:
    """Return the band from low to high of each interval, as one filled shape; none without intervals."""
    known = [(at, e) for at, e in zip(x, estimates, strict=True) if not isnan(e.low)]
    if not known:
        return []
    return [
        {
            "type": "scatter",
            "mode": "lines",
            "x": [*(at for at, _ in known), *(at for at, _ in reversed(known))],
            "y": [*(e.high for _, e in known), *(e.low for _, e in reversed(known))],
            "fill": "toself",
            "fillcolor": translucent(colour, 0.14),
            "line": {"width": 0},
            "hoverinfo": "skip",
            "showlegend": False,
        }
    ]


def page_figure(figure: PlotlyFigure) -> PlotlyFigure:
    """Return the figure without the template, with a `datarevision` that changes with its data.

    >>> page_figure({"data": [], "layout": {"template": {"layout": {}}, "height": 300}})["layout"]["height"]
    300
    """
    layout = {name: part for name, part in figure["layout"].items() if (name, part) != ("template", TEMPLATE)}
    return {**figure, "layout": {**layout, "datarevision": revision(figure["data"])}}


def revision(data: object) -> int:
    """Return a checksum of the data, without the memory of objects, which makes it fast."""
    written = BytesIO()
    pickler = Pickler(written)
    pickler.fast = True
    pickler.dump(data)
    return crc32(written.getbuffer())


class PreparedFigure(BaseFigure):  # type: ignore[misc]  # Plotly has no types
    """A figure as a dict, which Streamlit takes without Plotly's checks."""

    def __init__(self, figure: PlotlyFigure) -> None:
        self._ready = page_figure(figure)

    def to_dict(self) -> PlotlyFigure:
        return self._ready


MOST = 9
"""Panels in one picture; beyond, the page turns."""
_LINE = 16
_BELOW = 52
"""Pixels that an axis with its numbers and title takes: two fewer, and Plotly draws all panels twice."""
_BETWEEN_ROWS = 34
"""Pixels between a row's axis and the titles of the next one."""
_BUTTONS = 26
"""Pixels over the legend that the buttons of a picture take."""
_ONE_LINE = 16
"""Characters of a title that stand over a panel on a phone."""
_FITTING = 19
"""Characters of a line of a title that fit over a panel on a phone at the usual size."""
LEGEND_ON_TOP = {
    "orientation": "h",
    "yref": "container",
    "y": 1,
    "yanchor": "top",
    "x": 0,
    "itemclick": False,
    "itemdoubleclick": False,
}


@dataclass(frozen=True)
class Grid:
    """Places of each panel's traces, and the layout that holds them."""

    layout: PlotlyFigure
    xaxes: tuple[str, ...]
    yaxes: tuple[str, ...]

    def on(self, panel: int) -> dict[str, str]:
        return {"xaxis": self.xaxes[panel], "yaxis": self.yaxes[panel]}


def panel_title(measure: object, below: str = "") -> str:
    """Return a measure's name over its panel, escaped, a long one in two lines.

    >>> panel_title("summary usefulness"), panel_title("focus", "ρ = 0.83")
    ('summary<br>usefulness', 'focus<br>ρ = 0.83')
    """
    shown = in_two_lines(measure, 24, longest=_ONE_LINE)
    return f"{shown}<br>{below}" if below else shown


def grid(
    look: Look,
    titles: Sequence[str],
    x_title: str,
    y_title: str,
    x_axis: PlotlyFigure | None = None,
    y_axis: PlotlyFigure | None = None,
    row_height: int | None = None,
    square: bool = False,
    shared_x: bool = True,
    shared_y: bool = True,
    **more: Any,
) -> Grid:
    """Return panels in up to three columns, two on a phone; `x_axis` and `y_axis` hold what all share.

    Without `shared_x` or `shared_y` each panel has its own scale of x or y; `square` panels have both axes on one
    scale, up to five in a row. Titles come from `panel_title`; a `legend` among `more` gets room on top.
    """
    n = len(titles)
    columns = min(2 if look.narrow else 5 if square else 3, n)
    rows = -(-n // columns) if n else 1
    left, gap = 0.0, 0.0 if columns == 1 else 0.03 if square and shared_y else 0.05
    width = (1 - gap * (columns - 1)) / max(columns, 1)
    lines = max((title.count("<br>") + 1 for title in titles), default=1) if n > 1 else 0
    if row_height is None:
        row_height = (205 if look.narrow else 235) if square else 178
    below = _BELOW + _LINE * x_title.count("<br>")
    total = max(340, row_height * rows + 60) + below - _BELOW
    if "legend" in more:
        more["legend"] = more["legend"] | {"y": 1 - _BUTTONS / total}
    above = _BUTTONS + 26 + (_LINE if look.narrow else 0) if "legend" in more else 0
    top = 12 + _LINE * lines + above
    between = _BETWEEN_ROWS + (0 if shared_x else _LINE)
    row_gap = (_LINE * lines + between) / (total - top - below) if rows > 1 else 0.0
    height = (1 - row_gap * (rows - 1)) / rows
    made = look.layout(height=total, **more)
    made["showlegend"] = "legend" in more
    made["margin"] = {"l": 60, "r": 10, "t": top, "b": below}
    annotations = list(made.get("annotations", []))
    longest = max((len(line) for title in titles for line in title.split("<br>")), default=0)
    title_size = 10 if look.narrow and longest > _FITTING else 11.5
    for panel, title in enumerate(titles):
        row, column = divmod(panel, columns)
        suffix = "" if panel == 0 else str(panel + 1)
        lowest = panel + columns >= n
        x0, y1 = left + column * (width + gap), 1 - row * (height + row_gap)
        domain_x, domain_y = [x0, min(x0 + width, 1)], [max(y1 - height, 0), y1]
        made[f"xaxis{suffix}"] = look.axis(
            anchor=f"y{suffix}",
            domain=domain_x,
            showticklabels=lowest or not shared_x,
            automargin=lowest,
            nticks=6,
            **({"matches": "x"} if panel and shared_x else {}),
            **({"constrain": "domain"} if square else {}),
            **(x_axis or {}),
        )
        made[f"yaxis{suffix}"] = look.axis(
            anchor=f"x{suffix}",
            domain=domain_y,
            showticklabels=column == 0 or not shared_y,
            automargin=column == 0,
            nticks=5,
            **({"matches": "y"} if panel and shared_y else {}),
            **({"constrain": "domain", "scaleanchor": f"x{suffix}"} if square else {}),
            **(y_axis or {}),
        )
        if n > 1:
            place: PlotlyFigure = {"x": sum(domain_x) / 2, "y": y1, "xanchor": "center", "yanchor": "bottom"}
            font = {"size": title_size, "color": look.ink}
            annotations.append(remark(f"<b>{title}</b>", look, font=font, **place))
    edge: PlotlyFigure = {"font": {"size": 13, "color": look.ink}}
    annotations.append(remark(x_title, look, x=0.5, y=0, yshift=8 - below, yanchor="bottom", **edge))
    if square and n == 1:  # a lone square is narrower than its figure; move the title to it
        made["yaxis"] |= {"title": {"text": y_title, "standoff": 10, **edge}}
    else:
        annotations.append(
            remark(y_title, look, x=0, y=0.5, xshift=-56, textangle=-90, xanchor="left", **edge)
        )
    made["annotations"] = annotations
    names = ["" if panel == 0 else str(panel + 1) for panel in range(n)]
    return Grid(made, tuple(f"x{s}" for s in names), tuple(f"y{s}" for s in names))
