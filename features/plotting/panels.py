"""Small multiples as one figure, and marks on a figure: lines across it, and remarks at its edges."""

from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from math import isnan
from pickle import Pickler
from typing import Any
from zlib import crc32

from plotly.basedatatypes import BaseFigure

from analysis.values.estimate import Estimate
from features.plotting.theme import (
    TEMPLATE,
    Look,
    PlotlyFigure,
    axis,
    in_two_lines,
    layout,
    translucent,
)


def upright(x: float, colour: str, width: float = 1, dash: str = "dot", **more: object) -> PlotlyFigure:
    """Return a line from bottom to top, solid where `dash` is ""."""
    return {"type": "line", "yref": "paper", "x0": x, "x1": x, "y0": 0, "y1": 1} | _line(
        colour, width, dash, more
    )


def level(y: float, colour: str, width: float = 1, dash: str = "", **more: object) -> PlotlyFigure:
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
    """Return a remark over the figure's right end."""
    return remark(text, look, size, **{"x": 1, "y": 1, "xanchor": "right", "yanchor": "bottom", **place})


def texts(
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


def drawn_once(figure: PlotlyFigure) -> PlotlyFigure:
    """Return the figure as a page sends it; pictures of other data differ in their `datarevision`.

    >>> drawn_once({"data": [], "layout": {"template": {"layout": {}}, "height": 300}})["layout"]["height"]
    300
    """
    layout = {name: part for name, part in figure["layout"].items() if (name, part) != ("template", TEMPLATE)}
    return {**figure, "layout": {**layout, "datarevision": _revision(figure["data"])}}


def _revision(data: object) -> int:
    """Return a checksum of the data, without the memory of objects, which makes it fast."""
    written = BytesIO()
    pickler = Pickler(written)
    pickler.fast = True
    pickler.dump(data)
    return crc32(written.getbuffer())


class Ready(BaseFigure):  # type: ignore[misc]  # Plotly has no types
    """A figure that is taken as it is."""

    def __init__(self, figure: PlotlyFigure) -> None:
        self._ready = drawn_once(figure)

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
        """Return the axes of a panel, for a trace."""
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
    **more: Any,
) -> Grid:
    """Return panels in up to three columns, two on a phone; `x_axis` and `y_axis` hold what all share.

    Without `shared_x` each panel has its own scale of x; `square` panels have both axes on one scale, up to five in a
    row. Titles come from `panel_title`; a `legend` among `more` gets room on top.
    """
    n = len(titles)
    columns = min(2 if look.narrow else 5 if square else 3, n)
    rows = -(-n // columns) if n else 1
    left, gap = 0.0, 0.0 if columns == 1 else 0.03 if square else 0.05
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
    made = layout(look, height=total, **more)
    made["showlegend"] = "legend" in more
    made["margin"] = {"l": 60, "r": 10, "t": top, "b": below}
    annotations = list(made.get("annotations", []))
    for panel, title in enumerate(titles):
        row, column = divmod(panel, columns)
        suffix = "" if panel == 0 else str(panel + 1)
        lowest = panel + columns >= n
        x0, y1 = left + column * (width + gap), 1 - row * (height + row_gap)
        domain_x, domain_y = [x0, min(x0 + width, 1)], [max(y1 - height, 0), y1]
        made[f"xaxis{suffix}"] = axis(
            look,
            anchor=f"y{suffix}",
            domain=domain_x,
            showticklabels=lowest or not shared_x,
            automargin=lowest,
            nticks=6,
            **({"matches": "x"} if panel and shared_x else {}),
            **({"constrain": "domain"} if square else {}),
            **(x_axis or {}),
        )
        made[f"yaxis{suffix}"] = axis(
            look,
            anchor=f"x{suffix}",
            domain=domain_y,
            showticklabels=column == 0,
            automargin=column == 0,
            nticks=5,
            **({"matches": "y"} if panel else {}),
            **({"constrain": "domain", "scaleanchor": f"x{suffix}"} if square else {}),
            **(y_axis or {}),
        )
        if n > 1:
            place: PlotlyFigure = {"x": sum(domain_x) / 2, "y": y1, "xanchor": "center", "yanchor": "bottom"}
            font = {"size": 12.5, "color": look.ink}
            annotations.append(remark(f"<b>{title}</b>", look, font=font, **place))
    edge: PlotlyFigure = {"font": {"size": 13, "color": look.ink}}
    annotations.append(remark(x_title, look, x=0.5, y=0, yshift=8 - below, yanchor="bottom", **edge))
    annotations.append(remark(y_title, look, x=0, y=0.5, xshift=-56, textangle=-90, xanchor="left", **edge))
    made["annotations"] = annotations
    names = ["" if panel == 0 else str(panel + 1) for panel in range(n)]
    return Grid(made, tuple(f"x{s}" for s in names), tuple(f"y{s}" for s in names))
