"""Numbered columns that go in pairs: the answer in slot 3, and beside it which item slot 3 showed.

What a slot shows differs from row to row, so a pair is believed only if the rows speak for it: no row shows an item
twice, and the items return in other rows.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from data.kinds.shared_columns import ITEM
from data.reading.columns import is_answer, is_score

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
