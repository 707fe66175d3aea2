"""Marks on a figure beside its data: lines all across it, and remarks at its edges."""

from collections.abc import Sequence
from io import BytesIO
from math import isnan
from pickle import Pickler
from zlib import crc32

from plotly.basedatatypes import BaseFigure

from analysis.values.estimate import Estimate
from features.plotting.theme import TEMPLATE, Look, PlotlyFigure, translucent


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
