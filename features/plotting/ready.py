"""Figures on their way to the page: without Plotly's validation, which takes ten times as long as writing them, and
so that a browser draws them once.

Our figures are plain dicts; that each is one that Plotly accepts is held by the tests, once, and not at every
step of a slider. Streamlit hands each figure to Plotly twice. Without a word of it Plotly works everything out a second
time, since the arrays are other ones, and so is the template: so the figure says by its `datarevision` that its data
are the same, and goes without the empty template, which stands for none.
"""

from io import BytesIO
from pickle import Pickler
from zlib import crc32

from plotly.basedatatypes import BaseFigure

from features.plotting.figure import PlotlyFigure
from features.plotting.theme import TEMPLATE


def drawn_once(figure: PlotlyFigure) -> PlotlyFigure:
    """The figure as a page sends it; pictures of other data differ in their `datarevision`.

    >>> drawn_once({"data": [], "layout": {"template": {"layout": {}}, "height": 300}})["layout"]["height"]
    300
    """
    layout = {name: part for name, part in figure["layout"].items() if (name, part) != ("template", TEMPLATE)}
    return {**figure, "layout": {**layout, "datarevision": _revision(figure["data"])}}


def _revision(data: object) -> int:
    """Equal data have the same, whichever of their parts are one object: so nothing is remembered while they are
    written, which takes a tenth of `repr`."""
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
