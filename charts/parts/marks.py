"""Marks on a figure beside its data: lines all across it, and remarks at its edges."""

from charts.parts.figure import Figure
from charts.parts.theme import Look


def upright(x: float, colour: str, width: float = 1, dash: str = "dot", **more: object) -> Figure:
    """A line from bottom to top; solid where `dash` is ""."""
    return {"type": "line", "yref": "paper", "x0": x, "x1": x, "y0": 0, "y1": 1} | _line(
        colour, width, dash, more
    )


def level(y: float, colour: str, width: float = 1, dash: str = "", **more: object) -> Figure:
    """A line from left to right, behind the data."""
    ends = {"type": "line", "layer": "below", "xref": "paper", "x0": 0, "x1": 1, "y0": y, "y1": y}
    return ends | _line(colour, width, dash, more)


def _line(colour: str, width: float, dash: str, more: Figure) -> Figure:
    return {"line": {"color": colour, "width": width, **({"dash": dash} if dash else {})}, **more}


def remark(text: str, look: Look, size: float = 11.5, **place: object) -> Figure:
    """A quiet word about the figure, at a place in shares of its width and height unless told otherwise."""
    return {
        "text": text,
        "xref": "paper",
        "yref": "paper",
        "showarrow": False,
        "font": {"size": size, "color": look.faint},
        **place,
    }


def at_top_right(text: str, look: Look, size: float = 11.5, **place: object) -> Figure:
    """A remark over the figure's right end."""
    return remark(text, look, size, **{"x": 1, "y": 1, "xanchor": "right", "yanchor": "bottom", **place})
