"""Tables of answers in which no cell is the rating of a single rater: votes per grade, means of items.

Each function takes the names of a table's columns and its first rows. Votes per grade are refused by name until the
product has a kind for them; means are numbers of items, which are added to a study.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from data.errors import listed
from data.kinds.names import plain_name
from data.kinds.shared_columns import ITEM, RATER
from data.tables.sniffed import is_number

Rows = Sequence[Sequence[str]]
_MEANS = {"mos", "dmos", "mean", "avg", "average", "mittelwert", "mittel", "moyenne", "media", "均值", "平均"}
_SPREADS = {"std", "sd", "stdev", "stddev", "sem", "se", "ci", "ci95", "var", "variance"}
_COUNTS = {"n", "votes", "count", "counts", "num", "raters", "ratings", "total"}
_GRADES = {"c", "n", "count", "counts", "vote", "votes", "num", "grade", "star", "stars"}
_NUMBERED = re.compile(r"(\D*?)[ _.-]?(\d{1,2})(\D*)")
_MOSTLY = 0.95
_TOLERANCE = 0.02
"""Difference up to which a mean is that of the votes: files round to two digits."""


@dataclass(frozen=True)
class ItemNumbers:
    """Numbers of items, one row each: the column that names the item, and those with numbers."""

    item: str
    numbers: tuple[str, ...]


def refusal(names: Sequence[str], rows: Rows) -> str:
    """Return a sentence that says which unsupported kind of table this is; empty for all others."""
    voted = find_votes_per_grade(names, rows)
    if voted:
        return (
            f"votes per grade are not supported yet, and {listed(voted)} hold counts of votes, without who voted. "
            "Upload one row per rating, or add the means of the items to a saved study"
        )
    return ""


def find_votes_per_grade(names: Sequence[str], rows: Rows) -> tuple[str, ...]:
    """Return the columns with how many raters gave each grade, in the order of the grades.

    A further column must be their total, or the mean grade that follows from them.

    >>> rows = [["a", "0", "5", "5", "2.5"], ["b", "8", "2", "0", "1.2"]]
    >>> find_votes_per_grade(["clip", "c1", "c2", "c3", "MOS"], rows)
    ('c1', 'c2', 'c3')
    """
    columns = dict(_columns(names, rows))
    families: dict[tuple[str, str], dict[int, str]] = {}
    for name in columns:
        told = _NUMBERED.fullmatch(name)
        if told:
            families.setdefault((told[1].casefold(), told[3]), {})[int(told[2])] = name
    if all(len(family) < 3 for family in families.values()):
        return ()
    cells = {
        n: [float(cell) if is_number(cell) else None for cell in column] for n, column in columns.items()
    }
    for (stem, _), family in families.items():
        grades = sorted(family)
        if len(grades) < 3 or grades != list(range(grades[0], grades[0] + len(grades))) or grades[0] > 1:
            continue
        votes = [cells[family[grade]] for grade in grades]
        counts = list(zip(*votes, strict=True))
        if any(count is None or count < 0 or count % 1 for row in counts for count in row):
            continue
        totals = [sum(count or 0 for count in row) for row in counts]
        sums = [sum(grade * (count or 0) for grade, count in zip(grades, row, strict=True)) for row in counts]
        means = [each / total if total else None for each, total in zip(sums, totals, strict=True)]
        others = [column for name, column in cells.items() if name not in family.values()]
        is_counted = "".join(filter(str.isalpha, stem)) in _GRADES
        if any(_are_same(column, means) or (is_counted and _are_same(column, totals)) for column in others):
            return tuple(family[grade] for grade in grades)
    return ()


def find_item_means(names: Sequence[str], rows: Rows) -> ItemNumbers | None:
    """Return the numbers of a table with one row per item: a mean, and its spread or number of votes; None for others.

    Votes per grade are not among them.

    >>> find_item_means(["clip", "mos", "std"], [["a", "3.25", "0.9"], ["b", "4.5", "0.7"]])
    ItemNumbers(item='clip', numbers=('mos', 'std'))
    """
    votes = find_votes_per_grade(names, rows)
    columns = {name: column for name, column in _columns(names, rows) if name not in votes}
    if any(plain_name(name) in RATER for name in columns) or len(rows) < 2:
        return None
    unique = [name for name, column in columns.items() if len({*column}) == len(column) and all(column)]
    item = next(
        (name for name in unique if plain_name(name) in ITEM),
        next((name for name in unique if not all(map(is_number, columns[name]))), None),
    )
    numbers = tuple(
        name
        for name, column in columns.items()
        if name != item and any(column) and all(is_number(cell) for cell in column if cell)
    )
    means = [name for name in numbers if _MEANS & set(_words(name))]
    others = [name for name in numbers if (_SPREADS | _COUNTS) & set(_words(name)) and name not in means]
    fractions = any(float(cell) % 1 for name in means for cell in columns[name] if cell)
    return ItemNumbers(item, numbers) if item and others and fractions else None


def _columns(names: Sequence[str], rows: Rows) -> list[tuple[str, list[str]]]:
    return [
        (name, [cell.strip() for cell in column])
        for name, column in zip(names, zip(*rows, strict=False), strict=False)
    ]


def _are_same(column: Sequence[float | None], expected: Sequence[float | None]) -> bool:
    near = [
        told is not None and abs(told - value) <= _TOLERANCE
        for told, value in zip(column, expected, strict=True)
        if value is not None
    ]
    return len(near) > 1 and sum(near) >= _MOSTLY * len(near)


def _words(name: str) -> list[str]:
    """Return the words of a name, in lower case: sys_rank, sysRank and "Rank of sys" all hold rank."""
    return [word.casefold() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+|\d+", name)]
