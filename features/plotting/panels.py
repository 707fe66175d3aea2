"""Small multiples as one figure: panels share their axes and carry their measure's name as title.

One plain dict of traces and axes; Plotly's own subplot helpers take many times as long to build, and one
figure of nine panels draws far faster in the browser than nine figures.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from features.plotting.theme import Look, PlotlyFigure, axis, in_two_lines, layout

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
    """Where each panel's traces go, and the layout that holds them."""

    layout: PlotlyFigure
    xaxes: tuple[str, ...]
    yaxes: tuple[str, ...]

    def on(self, panel: int) -> dict[str, str]:
        """The axes of a panel, for a trace."""
        return {"xaxis": self.xaxes[panel], "yaxis": self.yaxes[panel]}


def panel_title(measure: object, below: str = "") -> str:
    """A measure's name over its panel, escaped, long ones in two lines so that it fits a phone's panel.

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
    """Panels in up to three columns, two on a phone; `x_axis` and `y_axis` hold what all share, such as a range.

    Without `shared_x` each panel has its own scale of x.
    `square`: both axes are on one scale, and a step is as long on either; up to five stand in a row.

    Titles come from `panel_title`; with a `legend` among `more` there is room for it on top.
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
            annotations.append(_title(title, sum(domain_x) / 2, y1, look))
    annotations.append(_edge_title(x_title, look, x=0.5, y=0, yshift=8 - below, yanchor="bottom"))
    annotations.append(_edge_title(y_title, look, x=0, y=0.5, xshift=-56, textangle=-90, xanchor="left"))
    made["annotations"] = annotations
    names = ["" if panel == 0 else str(panel + 1) for panel in range(n)]
    return Grid(made, tuple(f"x{s}" for s in names), tuple(f"y{s}" for s in names))


def _title(text: str, x: float, y: float, look: Look) -> PlotlyFigure:
    return {
        "text": f"<b>{text}</b>",
        "x": x,
        "y": y,
        "xref": "paper",
        "yref": "paper",
        "xanchor": "center",
        "yanchor": "bottom",
        "showarrow": False,
        "font": {"size": 12.5, "color": look.ink},
    }


def _edge_title(text: str, look: Look, **place: Any) -> PlotlyFigure:
    return {
        "text": text,
        "xref": "paper",
        "yref": "paper",
        "showarrow": False,
        "font": {"size": 13, "color": look.ink},
        **place,
    }
