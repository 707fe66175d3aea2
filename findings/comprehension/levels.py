"""Shares of the four answers as columns of a table: the same of authors, pairs, judges and types of stories."""

from collections.abc import Callable, Mapping
from functools import partial

from analysis.comprehension.answer_levels import FIGURES, Levels
from charts.comprehension.figure_names import FIGURE_NAMES
from features.plotting.numbers import count, percent, share

TENTH = partial(share, digits=1)
LEVELS_WRITTEN: Mapping[str, Callable[[float], str]] = {
    **dict.fromkeys((FIGURE_NAMES[figure] for figure in FIGURES), TENTH),
    "Questions": count,
    "Stories": count,
}
"""How the columns of `level_cells` are written."""
_WITH_INTERVAL = ("R", "R+P", "N", "found")


def level_cells(levels: Levels, group: int) -> dict[str, object]:
    """The columns of one group's shares, with what they rest on."""
    cells: dict[str, object] = {"Questions": levels.questions[group], "Stories": levels.stories[group]}
    for figure, e in levels.of(group).items():
        cells[FIGURE_NAMES[figure]] = e.value
        if figure in _WITH_INTERVAL:
            cells[f"{FIGURE_NAMES[figure]}, 95 %"] = percent(e, 1)
    return cells
