"""Names of lines in a figure, next to what they name, instead of a legend."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import inf

import numpy as np
from numpy.typing import NDArray

from features.plotting.panels import remark
from features.plotting.theme import Look, PlotlyFigure

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
        return {**figure, "layout": _without_legend(layout)}
    if len(groups) > MOST_NAMED:
        return figure
    names = [named[group]["name"] for group in groups]
    wider = (_with_ranges(layout, traces, more) for more in _MORE)
    ways = ((layout, way) for layout in wider for way in _ways(layout, traces, groups, names, look))
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
    return {**figure, "layout": _without_legend(layout) | {"shapes": shapes, "annotations": notes}}


def _group(trace: PlotlyFigure) -> str:
    return str(trace.get("legendgroup") or trace["name"])


def _without_legend(layout: PlotlyFigure) -> PlotlyFigure:
    kept = {name: part for name, part in layout.items() if name != "legend"}
    margin = layout["margin"] | {"t": max(layout["margin"]["t"] - _LEGEND, 12)}
    height = layout["height"] - (layout["margin"]["t"] - margin["t"])
    return kept | {"showlegend": False, "margin": margin, "height": height}


def _ways(
    layout: PlotlyFigure,
    traces: Sequence[PlotlyFigure],
    groups: Sequence[str],
    names: Sequence[str],
    look: Look,
) -> Iterator[tuple[_Panel, list[_Label], bool]]:
    """Yield panels with labels of all series, under the lines or above them."""
    widths = [_LETTER * len(name) + 6 for name in names]
    for panel in _panels(layout, traces, groups, look):
        for seen in (panel, panel.upside_down()):
            best = _placed(seen, widths)
            if best is not None:
                yield seen, best, seen is not panel


def _placed(panel: _Panel, widths: Sequence[float]) -> list[_Label] | None:
    """Return labels between the foot of a panel and its lines, where the lines are most exposed; None without room."""
    several = 3 if len(widths) < 4 else 2
    offered = [_exposed_places(panel, at, width, several) for at, width in enumerate(widths)]
    best: tuple[float, list[_Label]] | None = None
    for chosen in product(*offered):
        begins = [begin for _, begin in chosen]
        if min(np.diff(np.sort(begins)), default=9) < 2:
            continue
        labels = _stacked(panel, begins, widths)
        score = sum(score for score, _ in chosen)
        if labels is not None and (best is None or score > best[0]):
            best = score, labels
    return None if best is None else best[1]


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
) -> list[_Panel]:
    """Return the panels that have every series, with the lines in pixels."""
    found = []
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
            np.array([line for one in here if _group(one) == group for line in _along(one, at)])
            for group in groups
        ]
        scaled = [(of - bottom) / (top - bottom) * height for of in lines]
        low = np.array([np.nan_to_num(of, nan=_BEYOND).min(axis=0) for of in scaled])
        high = np.array([np.nan_to_num(of, nan=-_BEYOND).max(axis=0) for of in scaled])
        has_notes = any(note.get("xref") == x for note in layout.get("annotations", ()))
        found.append(_Panel(x, y, width, height, low, high, has_notes))
    return found


def _axis(short: str) -> str:
    return f"{short[0]}axis{short[1:]}"


def _along(trace: PlotlyFigure, at: Curve) -> list[Curve]:
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
    for name, axis in axes.items():
        leader = axis.get("matches", name.replace("axis", ""))
        values = [
            value
            for trace in traces
            for value in trace[name[0]]
            if value is not None and leader in (_leader(axes, trace, name[0]),)
        ]
        if "range" not in axis and values:
            low, high = min(values), max(values)
            if axis.get("rangemode") == "tozero":
                low = min(low, 0)
            room = 0.06 * (high - low) or 0.5
            axis["range"] = [low - (0 if low == 0 else room), high + room]
        if name[0] == "y" and "range" in axis:
            low, high = axis["range"]
            low, high = (low, high) if low < high else (low - 0.05, high + 0.05)
            grown = more * (high - low)
            axis["range"] = [low, high + grown] if low == 0 else [low - grown, high]
    return {**layout, **axes}


def _leader(axes: PlotlyFigure, trace: PlotlyFigure, letter: str) -> str:
    """Return the axis whose range that of a trace follows."""
    own: str = trace.get(f"{letter}axis", letter)
    leader: str = axes[_axis(own)].get("matches", own)
    return leader
