"""Figures as a paper prints them: as wide as one or two of its columns, in the light colours, with letters of 7 to 9
points.

A figure is drawn as a page shows it at 378 or 800 pixels and made smaller as a whole, so that letters, lines and points
keep their proportions.
"""

from typing import Any

from features.plotting.figure import PlotlyFigure
from features.plotting.theme import Look

ONE_COLUMN, TWO_COLUMNS = 85.0, 180.0
"""Millimetres; what most journals call single and double column lies within a few of them."""
DOTS_PER_INCH = 300
SMALLER = 0.85
"""Ratio to a figure on a page, whose letters of 11 to 14 pixels are then 7 to 9 points."""
LETTERS = 11, 14
"""Pixels of the smallest and the largest."""
FONT = "Arial, Helvetica, Liberation Sans, sans-serif"
"""Fonts of which every machine has one, or one of the same widths."""
_PIXELS_PER_MM = 96 / 25.4
_FOR_THE_MOUSE = {
    "hovertemplate",
    "hovertext",
    "hoverlabel",
    "customdata",
    "hovermode",
    "clickmode",
    "dragmode",
}
_LIGHT = {getattr(Look(dark=True), ink): getattr(Look(), ink) for ink in ("ink", "faint", "grid", "ground")}


def look_of(width_mm: float) -> Look:
    """Return the look of a figure of that width: light, and in one column as on a phone."""
    return Look(narrow=width_mm < (ONE_COLUMN + TWO_COLUMNS) / 2)


def for_paper(figure: PlotlyFigure, width_mm: float) -> PlotlyFigure:
    """The figure with the size in pixels to draw it at, on white, in light colours, with nothing for the mouse."""
    made: PlotlyFigure = _printable(figure)
    layout = made["layout"]
    width = round(width_mm * _PIXELS_PER_MM / SMALLER)
    return {
        "data": made["data"],
        "layout": {
            **layout,
            "width": width,
            "height": layout.get("height") or round(0.75 * width),
            "autosize": False,
            "paper_bgcolor": Look().ground,
            "plot_bgcolor": Look().ground,
            "font": {**layout.get("font", {}), "family": FONT},
        },
    }


def _printable(part: Any, key: str = "") -> Any:
    if isinstance(part, dict):
        return {name: _printable(one, name) for name, one in part.items() if name not in _FOR_THE_MOUSE} | (
            {"size": min(max(part["size"], LETTERS[0]), LETTERS[1])}
            if key.endswith("font") and isinstance(part.get("size"), int | float)
            else {}
        )
    if isinstance(part, list | tuple):
        return [_printable(one, key) for one in part]
    return _LIGHT.get(part, part) if isinstance(part, str) else part


def dots_per_pixel() -> float:
    """Return how many dots a printed picture has for each pixel that the figure is drawn at."""
    return SMALLER * DOTS_PER_INCH / 96
