"""Figures per measure and group as dots with whiskers, each group in its colour."""

from collections.abc import Sequence

from analysis.values.estimate import Estimate
from features.plotting.figure import PlotlyFigure
from features.plotting.series_dots import Series, series_dots
from features.plotting.theme import Look, group_colour, group_symbol

Cell = tuple[str, str, Estimate]
"""A measure, a group, and the figure there."""


def dots_by_group(
    cells: Sequence[Cell], groups: Sequence[str], title: str, look: Look, guide: float | None = 0.0
) -> PlotlyFigure:
    """A row per measure with a dot per group; of one measure alone, a row per group."""
    measures = list(dict.fromkeys(measure for measure, _, _ in cells))
    there = [group for group in groups if any(group == of for _, of, _ in cells)]
    known = {(measure, group): e for measure, group, e in cells}
    if len(measures) == 1 < len(there):
        names = there
        rows = [[known[measures[0], of] if of == group else None for of in there] for group in there]
    else:
        names = measures
        rows = [[known.get((measure, group)) for measure in measures] for group in there]
    series = [
        Series(group, row, group_colour(group, groups), group_symbol(group, groups))
        for group, row in zip(there, rows, strict=True)
    ]
    return series_dots(names, series, title, look, shares=False, guide=guide)
