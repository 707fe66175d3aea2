"""Names of columns that are a full grid: each level of one thing with each level of another."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from data.tables.sniffing import BETWEEN_LEVELS

SEPARATORS = ("__", " - ", " / ", "/", "|", "::", ": ", ":", "_", ".", "-", " ")
_FULL = 0.85
"""Share of the pairs of levels that names must have: some columns hold nothing."""
_BRACKETS = re.compile(r"(.*\S)\s*\[(.+)\]")


@dataclass(frozen=True)
class Grid:
    """Pairs of levels that the names consist of, in the order of the names."""

    pairs: tuple[tuple[str, str], ...]

    @property
    def first(self) -> tuple[str, ...]:
        """Levels of the first part."""
        return tuple(dict.fromkeys(pair[0] for pair in self.pairs))

    @property
    def second(self) -> tuple[str, ...]:
        """Levels of the second part."""
        return tuple(dict.fromkeys(pair[1] for pair in self.pairs))

    @property
    def is_full(self) -> bool:
        """True where nearly each level meets each level of the other part, once, two or more of both."""
        different = len(set(self.pairs)) == len(self.pairs)
        return (
            different and min(len(self.first), len(self.second)) > 1 and len(self.pairs) >= _FULL * self._size
        )

    @property
    def _size(self) -> int:
        return len(self.first) * len(self.second)


def grids_of(names: Sequence[str]) -> list[Grid]:
    """Return every way to split all names into a full grid, the most natural separator first."""
    found: list[Grid] = []
    bracketed = [_BRACKETS.fullmatch(name.strip()) for name in names]
    if all(bracketed):
        found.append(Grid(tuple((told[1], told[2]) for told in bracketed if told)))
    for separator in SEPARATORS:
        if all(separator in name for name in names):
            found.append(Grid(tuple(_split(name.partition(separator)) for name in names)))
            found.append(Grid(tuple(_split(name.rpartition(separator)) for name in names)))
    different: dict[tuple[tuple[str, str], ...], Grid] = {}
    for grid in found:
        if grid.is_full and all(_is_name(part) for pair in grid.pairs for part in pair):
            different.setdefault(grid.pairs, grid)
    return list(different.values())


def short_names(columns: Sequence[str]) -> tuple[str, ...]:
    """Return the names without the upper level, or the parts between dots, that all have in common: of
    annotations.kim.fluency and annotations.lee.fluency kim and lee."""
    split = [name.split(".") for name in columns]
    most = min(map(len, split))
    before = next((at for at in range(most) if len({parts[at] for parts in split}) > 1), 0)
    if not before or any(set(name) & set("@ ") for name in columns):
        return _below(columns)
    after = next((at for at in range(most) if len({parts[-1 - at] for parts in split}) > 1), 0)
    short = tuple(".".join(parts[before : len(parts) - after]) for parts in split)
    return short if all(short) and len(set(short)) == len(short) else tuple(columns)


def _below(columns: Sequence[str]) -> tuple[str, ...]:
    """Return the lower levels of names whose upper level is the same for all."""
    split = [name.partition(BETWEEN_LEVELS) for name in columns]
    if all(lower for _, _, lower in split) and len({upper for upper, _, _ in split}) == 1:
        return tuple(lower for _, _, lower in split)
    return tuple(columns)


def _is_name(part: str) -> bool:
    return (part[:1].isalnum() or part[:1] in "¿¡") and (part[-1].isalnum() or part[-1] in ")]?？!%.")


def _split(parts: tuple[str, str, str]) -> tuple[str, str]:
    return parts[0].strip().rstrip(":-/|_ "), parts[2].strip()
