"""Figures on their way to the page without Plotly's validation, which takes ten times as long as writing them.

Our figures are plain dicts; that each is one that Plotly accepts is held by the tests, once, and not at every
step of a slider.
"""

from typing import Any

from plotly.basedatatypes import BaseFigure


class Ready(BaseFigure):
    """A figure that is taken as it is."""

    def __init__(self, figure: dict[str, Any]) -> None:
        self._ready = figure

    def to_dict(self) -> dict[str, Any]:
        return self._ready
