"""Type of what all charts return."""

from typing import Any

PlotlyFigure = dict[str, Any]
"""A figure as Plotly takes it, or a part of one (a trace, an axis, a shape), in plain Python."""
