"""Names of columns, files and sheets that say two things: a grid of two levels, or numbered slots.

What a slot shows differs from row to row, so a pair of columns is believed only if the rows speak for it: no row shows
an item twice, and the items return in other rows.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from data.kinds.likely_names import GROUPS, MEASURES
from data.kinds.shared_columns import ITEM
from data.reading.columns import is_answer, is_score
from data.tables.sniffing import BETWEEN_LEVELS

SEPARATORS = ("__", " - ", " / ", "/", "|", "::", ": ", ":", "_", ".", "-", " ")
_FULL = 0.85
"""Share of the pairs of levels that names must have: some columns hold nothing."""
_NAME = re.compile(r"(?:[^\W_]|[¿¡])(?:.*[\])?？!%.]|.*[^\W_])?", re.DOTALL)
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
        sizes = len(self.first), len(self.second)
        full = len(self.pairs) >= _FULL * sizes[0] * sizes[1]
        return full and min(sizes) > 1 and len(set(self.pairs)) == len(self.pairs)


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
        if grid.is_full and all(map(_NAME.fullmatch, (*grid.first, *grid.second))):
            different.setdefault(grid.pairs, grid)
    return list(different.values())


def short_names(columns: Sequence[str]) -> tuple[str, ...]:
    """Return the names without the upper level, or the parts between dots, that all have in common: of
    annotations.kim.fluency and annotations.lee.fluency kim and lee."""
    split = [name.split(".") for name in columns]
    most = min(map(len, split))
    before = next((at for at in range(most) if len({parts[at] for parts in split}) > 1), 0)
    if not before or any(set(name) & set("@ ") for name in columns):
        levels = [name.partition(BETWEEN_LEVELS) for name in columns]
        below = all(lower for *_, lower in levels) and len({upper for upper, *_ in levels}) == 1
        return tuple(lower for *_, lower in levels) if below else tuple(columns)
    after = next((at for at in range(most) if len({parts[-1 - at] for parts in split}) > 1), 0)
    short = tuple(".".join(parts[before : len(parts) - after]) for parts in split)
    return short if all(short) and len(set(short)) == len(short) else tuple(columns)


def _split(parts: tuple[str, str, str]) -> tuple[str, str]:
    return parts[0].strip().rstrip(":-/|_ "), parts[2].strip()


def roles_of(grid: Grid, raters: Sequence[frozenset[str]] | None) -> Mapping[str, tuple[str, ...]] | None:
    """Return which part is the measure and which the group, or the rater where the files name none.

    `raters`: those of each file, by name or column; None where no file names any. Told by words that people use for
    groups and measures, else by groups having no rater in common.
    """
    first, second = zip(*grid.pairs, strict=True)
    sides = [(first, second), (second, first)]

    def are_called(parts: Sequence[str], words: frozenset[str]) -> bool:
        return all({word.casefold() for word in part.split()} <= words for part in parts)

    def are_apart(parts: Sequence[str]) -> bool:
        seen: dict[str, str] = {}
        told = ((rater, part) for part, names in zip(parts, raters or (), strict=True) for rater in names)
        return all(
            seen.setdefault(rater, part) == part for rater, part in told
        )  # no rater is in two of the parts

    groups = [side for side in sides if are_called(side[0], GROUPS)]
    if len(groups) != 1:
        groups = [(other, side) for side, other in sides if are_called(side, MEASURES)]
        if len(groups) == 1 and raters is None:
            return {"measure": groups[0][1], "rater_id": groups[0][0]}
    if len(groups) != 1:
        groups = [side for side in sides if raters and are_apart(side[0])]
    return {"measure": groups[0][1], "rater_group": groups[0][0]} if len(groups) == 1 else None


_NUMBERED = re.compile(r"(?P<before>.*?)(?P<number>\d{1,3})(?P<after>\D*)")
_CALLED = {*ITEM, "url", "itemname", "clipname"}
_FEWEST_RETURN = 0.5
"""The share of items that are shown in more than one row."""


@dataclass(frozen=True)
class Pair:
    """A slot: the column with its answer, and the column that says which item it showed."""

    answer: str
    item: str


@dataclass(frozen=True)
class _Family:
    """Columns of one name but for their number; `stem` is the name without it and what follows, `length` that of both,
    `called` the stem without a platform's prefix."""

    length: int
    called: str
    columns: Mapping[int, str]


def paired(
    rows: Sequence[Mapping[str, str]], answers: Iterable[str], items: Iterable[str]
) -> tuple[Pair, ...]:
    """The slots among these columns, in the order of their numbers; none where no pair holds in the rows."""
    answering = [
        family
        for family in _families(answers)
        if is_answer([row[name] for row in rows for name in family.columns.values()])
    ]
    showing = _families(items)
    fitting = [
        (showed.called != answer.called, answer.length, at, answer, showed)
        for answer in answering
        for at, showed in enumerate(showing)
        if showed is not answer and {*answer.columns} <= {*showed.columns} and _holds(rows, answer, showed)
    ]
    if not fitting:
        return ()
    *_, answer, showed = min(fitting, key=lambda found: found[:3])
    return tuple(Pair(name, showed.columns[number]) for number, name in sorted(answer.columns.items()))


def slots_of(names: Sequence[str], rows: Sequence[Sequence[str]]) -> tuple[Pair, ...]:
    """Return the slots of a table: numbers or words of a scale, and beside them what is no number or called an item."""
    cells = [dict(zip(names, map(str.strip, row), strict=True)) for row in rows]
    told = {name: [row[name] for row in cells if row[name]] for name in names if _NUMBERED.fullmatch(name)}
    stems = {name: "".join(filter(str.isalpha, name.casefold())) for name in told}
    ratings = [name for name, each in told.items() if each and stems[name] not in _CALLED and is_score(each)]
    answers = {cell for name in ratings for cell in told[name]}
    items = [name for name in told if name not in ratings and answers.isdisjoint(told[name])]
    return paired(cells, ratings, items)


def numbered_beside(names: Iterable[str], answers: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the families of other columns with the numbers of these, each in their order: clip_1 to answer_1."""
    told = [_NUMBERED.fullmatch(name) for name in answers]
    numbers = [int(each["number"]) for each in told if each]
    if len({*numbers}) < max(len(answers), 2):
        return []
    return [
        tuple(family.columns[number] for number in numbers)
        for family in _families(name for name in names if name not in answers)
        if {*numbers} <= {*family.columns}
    ]


def _families(names: Iterable[str]) -> list[_Family]:
    found: dict[tuple[str, str], dict[int, str]] = {}
    for name in names:
        told = _NUMBERED.fullmatch(name)
        if told:
            found.setdefault((told["before"], told["after"]), {})[int(told["number"])] = name
    return [
        _Family(len(before + after), re.sub(r"^.*[.:]", "", before).casefold(), columns)
        for (before, after), columns in found.items()
        if len(columns) > 1
    ]


def _holds(rows: Sequence[Mapping[str, str]], answer: _Family, showed: _Family) -> bool:
    seen: Counter[str] = Counter()
    for row in rows:
        items = [row[showed.columns[number]] for number in answer.columns if row[answer.columns[number]]]
        if not all(items) or len(set(items)) < len(items):
            return False
        seen.update(items)
    return len(seen) > 1 and sum(times > 1 for times in seen.values()) >= _FEWEST_RETURN * len(seen)
