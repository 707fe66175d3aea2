"""Names that say two things: of files called OQ_crowd, OQ_lab, SI_crowd and SI_lab, the measure and the group."""

from collections.abc import Mapping, Sequence

from data.kinds.likely_names import GROUPS, MEASURES
from data.reading.grids import Grid


def roles_of(grid: Grid, raters: Sequence[frozenset[str]] | None) -> Mapping[str, tuple[str, ...]] | None:
    """Return which part is the measure and which the group, or the rater where the files name none.

    `raters`: those of each file, by name or column; None where no file names any. Told by words that people use for
    groups and measures, else by groups having no rater in common.
    """
    first, second = zip(*grid.pairs, strict=True)
    sides = [(first, second), (second, first)]
    groups = [side for side in sides if _are_called(side[0], GROUPS)]
    if len(groups) != 1:
        groups = [(other, side) for side, other in sides if _are_called(side, MEASURES)]
        if len(groups) == 1 and raters is None:
            return {"measure": groups[0][1], "rater_id": groups[0][0]}
    if len(groups) != 1:
        groups = [side for side in sides if raters and _are_apart(side[0], raters)]
    return {"measure": groups[0][1], "rater_group": groups[0][0]} if len(groups) == 1 else None


def _are_called(parts: Sequence[str], words: frozenset[str]) -> bool:
    return all({word.casefold() for word in part.split()} <= words for part in parts)


def _are_apart(parts: Sequence[str], raters: Sequence[frozenset[str]]) -> bool:
    """Return True where no rater is in two of the parts."""
    seen: dict[str, str] = {}
    return all(
        seen.setdefault(rater, part) == part
        for part, names in zip(parts, raters, strict=True)
        for rater in names
    )
