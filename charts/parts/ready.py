"""Figures on their way to the page without Plotly's validation, which takes ten times as long as writing them.

Our figures are plain dicts; that each is one that Plotly accepts is held by the tests, once, and not at every
step of a slider.
"""

from plotly.basedatatypes import BaseFigure

from charts.parts.figure import Figure


class Ready(BaseFigure):  # type: ignore[misc]  # Plotly has no types
    """A figure that is taken as it is."""

    def __init__(self, figure: Figure) -> None:
        self._ready = figure

    def to_dict(self) -> Figure:
        return self._ready
