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
    """Columns of one name but for their number."""

    stem: str
    rest: str
    columns: Mapping[int, str]


def paired(
    rows: Sequence[Mapping[str, str]], answers: Iterable[str], items: Iterable[str], same_stem: bool = False
) -> tuple[Pair, ...]:
    """The slots among these columns, in the order of their numbers; none where no pair holds in the rows. With
    `same_stem` only columns of one name are pairs: q3 and Q3_URL."""
    answering = [
        family
        for family in _families(answers)
        if is_answer([row[name] for row in rows for name in family.columns.values()])
    ]
    showing = _families(items)
    fitting = [
        (_stem(showed) != _stem(answer), len(answer.stem + answer.rest), at, answer, showed)
        for answer in answering
        for at, showed in enumerate(showing)
        if showed is not answer
        and set(answer.columns) <= set(showed.columns)
        and _holds(rows, answer, showed)
    ]
    if not fitting or (same_stem and min(fitting)[0]):
        return ()
    *_, answer, showed = min(fitting, key=lambda found: found[:3])
    return tuple(Pair(name, showed.columns[number]) for number, name in sorted(answer.columns.items()))


def slots_of(names: Sequence[str], rows: Sequence[Sequence[str]]) -> tuple[Pair, ...]:
    """Return the slots of a table: numbers or words of a scale, and beside them what is no number or called an item."""
    cells = [dict(zip(names, map(str.strip, row), strict=True)) for row in rows]
    told = {name: [row[name] for row in cells if row[name]] for name in names if _NUMBERED.fullmatch(name)}
    ratings = [
        name for name, each in told.items() if each and _plain_stem(name) not in _CALLED and is_score(each)
    ]
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


def _plain_stem(name: str) -> str:
    return "".join(c for c in name.casefold() if c.isalpha())


def _families(names: Iterable[str]) -> list[_Family]:
    found: dict[tuple[str, str], dict[int, str]] = {}
    for name in names:
        told = _NUMBERED.fullmatch(name)
        if told:
            found.setdefault((told["before"], told["after"]), {})[int(told["number"])] = name
    return [_Family(*key, columns) for key, columns in found.items() if len(columns) > 1]


def _stem(family: _Family) -> str:
    """The name without number, what follows it, and a platform's prefix."""
    return re.sub(r"^.*[.:]", "", family.stem).casefold()


def _holds(rows: Sequence[Mapping[str, str]], answer: _Family, showed: _Family) -> bool:
    seen: Counter[str] = Counter()
    for row in rows:
        items = [row[showed.columns[number]] for number in answer.columns if row[answer.columns[number]]]
        if not all(items) or len(set(items)) < len(items):
            return False
        seen.update(items)
    return len(seen) > 1 and sum(times > 1 for times in seen.values()) >= _FEWEST_RETURN * len(seen)
