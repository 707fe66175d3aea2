"""Readings of a table as votes per grade: columns of consecutive grades that hold how many raters gave each.

Counts look like ratings of raters who are numbered, or like points for criteria. What the file tells of them decides:
a mean or standard deviation that follows from the votes, names such as "4 stars", or a constant number of votes. Where
these leave doubts, both readings are proposed.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum, IntEnum

import numpy as np
from numpy.typing import NDArray

from data.dataset import SLOT
from data.errors import list_first, listed
from data.kinds.answer_words import points_of
from data.kinds.studies import GRADE_COLUMNS, RATINGS
from data.mapping.plan import ROW, grades_of
from data.reading.columns import MOST_LABELS, cells_by_name, is_missing, to_number
from data.reading.item_key import PARTS
from data.reading.item_means import COUNTS, MEANS
from data.reading.profile import TableProfile, source_of
from data.reading.rankings import words_of
from data.reading.wide_layouts import row_of
from data.tables.sniffed import Reading, is_any_number

PER_GRADE = "number of votes per grade"
TOLERANCE = 0.02
"""Difference up to which a mean is that of the votes: files round to two digits."""
SURE = 0.99
_MOSTLY = 0.95
_FEWEST_GRADES, _FEWEST_ROWS = 3, 5
_FEWEST_PLACES, _OTHER_SIZE = 5, 6
"""Grades of votes in lists without their names, and the ratio of the sums of two places, which scores on a scale do not
reach."""
_FEW_GRADES = 4
"""Numbered columns of votes up to which they may be for options as well as for grades."""
_VOTES = frozenset(("votes", "stars", "star", "stimmen", "sterne", "voix", "votos", "estrellas", "etoiles"))
"""Words in names of columns that hold numbers of votes."""
_STARS = frozenset(("stars", "star", "sterne", "estrellas", "etoiles"))
"""Those of them that stand for grades, never for options."""
_COUNTED = ("c", "n", "count", "counts", "num", "number", "freq", "frequency", "anzahl", "nombre", "numero")
_GIVEN = (
    "of",
    "for",
    "vote",
    "grade",
    "grades",
    "score",
    "scores",
    "rating",
    "ratings",
    "category",
    "note",
    "bewertung",
)
_GRADES = _VOTES.union(_COUNTED, _GIVEN)
"""Words in names of columns that may hold numbers of votes."""
_NUMBERS = frozenset(("n", "num", "number", "count", "counts", "votes", "raters"))
_GIVERS = frozenset(
    "responses annotations annotators answers coders judgments judgements voters workers".split()  # noqa: SIM905
)
"""Words in names of columns that hold how many raters answered."""
_SPREADS = frozenset(("std", "sd", "stdev", "stddev"))
_OTHER_SCALE = frozenset(("z", "zscore", "norm", "normalized", "normalised", "weighted", "scaled"))
"""Words for means on another scale than the votes."""
_COMPOSITION = 0.5
"""Variance of sums over columns, in the sum of the columns' variances, below which the columns share a total."""


class VoteStatistic(Enum):
    """Statistic of the votes that a column holds."""

    NUMBER = "number"
    MEAN = "mean"
    SPREAD = "standard deviation"


def measure_of(column: str) -> str:
    """Return the measure that a column of votes names besides the grade.

    >>> measure_of("noise_level_3")
    'noise level'
    """
    return " ".join(word for word in words_of(column) if not word.isdecimal())


def parse_vote_name(name: str) -> VoteStatistic | None:
    """Return the statistic of votes that a column's name says; None for other names.

    >>> parse_vote_name("c_total"), parse_vote_name("MOS"), parse_vote_name("SD"), parse_vote_name("MOS_zscore")
    (<VoteStatistic.NUMBER: 'number'>, <VoteStatistic.MEAN: 'mean'>, <VoteStatistic.SPREAD: 'standard deviation'>, None)
    """
    words = {*words_of(name)}
    if words & _OTHER_SCALE:
        return None
    if words & _SPREADS:
        return VoteStatistic.SPREAD
    if words & MEANS:
        return VoteStatistic.MEAN
    return VoteStatistic.NUMBER if words & COUNTS and words <= COUNTS | _GRADES else None


@dataclass(frozen=True)
class Votes:
    """Columns with numbers of votes, their grades and measures; `is_sure` where there is no evidence for another
    reading."""

    columns: tuple[str, ...]
    grades: tuple[str, ...]
    measures: tuple[str, ...]
    is_sure: bool


@dataclass(frozen=True)
class _Family:
    """Columns of consecutive grades: the words of their names, and counts (rows, grades)."""

    words: frozenset[str]
    stem: str
    columns: tuple[str, ...]
    grades: tuple[str, ...]
    counts: NDArray[np.float64]

    @property
    def totals(self) -> NDArray[np.float64]:
        return np.asarray(self.counts.sum(axis=1))

    def means(self) -> NDArray[np.float64]:
        """Mean grade of each row, NaN without votes."""
        grades = np.array([float(grade) for grade in self.grades])
        with np.errstate(invalid="ignore"):
            return np.asarray(self.counts @ grades / self.totals)

    def spreads(self, degrees: int) -> NDArray[np.float64]:
        """Standard deviation of each row's votes, with n - `less` in the denominator."""
        grades = np.array([float(grade) for grade in self.grades])
        off = (grades - self.means()[:, None]) ** 2
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(np.sqrt((self.counts * off).sum(axis=1) / (self.totals - degrees)))


def find_votes(names: Sequence[str], rows: Sequence[Sequence[str]]) -> Votes | None:
    """Return the columns with how many raters gave each grade, in the order of the grades; None where none may be.

    >>> rows = [["a", "0", "5", "5", "2.5"], ["b", "8", "2", "0", "1.2"]]
    >>> find_votes(["clip", "c1", "c2", "c3", "MOS"], rows).columns
    ('c1', 'c2', 'c3')
    """
    cells = cells_by_name(names, rows)
    families = _families(cells)
    if not families:
        return None
    other_columns = [
        _numbers(column)
        for name, column in cells.items()
        if not any(name in family.columns for family in families)
    ]
    weighed = [(family, _evidence(family, other_columns)) for family in families]
    best = max(evidence for _, evidence in weighed)
    if best is _Evidence.NONE:
        return None
    votes = [family for family, evidence in weighed if evidence is best]
    votes = [family for family in votes if family.grades == votes[0].grades]
    has_measures = len(votes) > 1
    return Votes(
        tuple(name for family in votes for name in family.columns),
        tuple(grade for family in votes for grade in family.grades),
        tuple(family.stem for family in votes for _ in family.columns) if has_measures else (),
        best is _Evidence.SURE
        and len(votes) == sum(evidence is not _Evidence.NONE for _, evidence in weighed),
    )


def find_class_votes(names: Sequence[str], rows: Sequence[Sequence[str]]) -> tuple[tuple[str, ...], str]:
    """Return the columns with how many raters chose each class, and the one with their number, which is the sum of the
    others in every row; nothing where there are none such.

    >>> rows = [["3", "0", "3"], ["3", "1", "2"], ["4", "4", "0"], ["3", "3", "0"], ["2", "1", "1"]]
    >>> find_class_votes(["count", "spam", "ham"], rows)
    (('spam', 'ham'), 'count')
    """
    counts = {
        name: _numbers(column)
        for name, column in cells_by_name(names, rows).items()
        if len(rows) >= _FEWEST_ROWS and _are_counts(column)
    }
    found: list[tuple[tuple[str, ...], str]] = []
    for total in filter(_is_number_of_raters, counts):
        others = [name for name in counts if name != total]
        for start in range(len(others)):
            sums = np.zeros(len(rows))
            for end, name in enumerate(others[start : start + MOST_LABELS], start + 1):
                sums = sums + counts[name]
                classes = tuple(others[start:end])
                if np.array_equal(sums, counts[total]) and _are_votes([counts[each] for each in classes]):
                    found.append((classes, total))
    return max(found, key=lambda columns: len(columns[0]), default=((), ""))


def are_votes(lists: Sequence[Sequence[float]]) -> bool:
    """Return True for lists that add up to the same and hold a 0 or parts of 1, or of one length whose sums by place
    rise to one in the middle and fall: votes for classes or grades, or their shares.

    >>> are_votes([[2, 9, 36, 76, 9], [1, 8, 20, 52, 11], [7, 30, 77, 98, 8], [0, 8, 31, 80, 4], [3, 5, 50, 61, 8]])
    True
    >>> are_votes([[4, 5, 3], [2, 1, 2], [5, 5, 4], [3, 4, 4], [1, 2, 2]])
    False
    """
    numbers = [[*values] for values in lists if values]
    if len(numbers) < _FEWEST_ROWS or min(map(min, numbers)) < 0:
        return False
    if len({round(sum(values), 6) for values in numbers}) == 1:
        shares = round(sum(numbers[0]), 6) == 1
        return shares or any(0 in values for values in numbers) or max(map(max, numbers)) > MOST_LABELS
    if len({len(values) for values in numbers}) > 1 or any(number % 1 for each in numbers for number in each):
        return False
    places = [sum(place) for place in zip(*numbers, strict=True)]
    top = places.index(max(places))
    has_hump = sorted(places[: top + 1]) == places[: top + 1] and sorted(places[top:])[::-1] == places[top:]
    is_inside = 0 < top < len(places) - 1
    return (
        len(places) >= _FEWEST_PLACES and has_hump and is_inside and places[top] > _OTHER_SIZE * min(places)
    )


def _is_number_of_raters(name: str) -> bool:
    words = {*words_of(name)}
    return bool(words & (_NUMBERS | _GIVERS)) and words <= COUNTS | _GRADES | _GIVERS


def _are_votes(columns: Sequence[NDArray[np.float64]]) -> bool:
    """Return True where several columns hold numbers, some of them 0 and some above 1, which marks never are."""
    votes = np.array(columns)
    chosen = sum(bool(column.any()) for column in columns)
    return chosen > 1 and bool((votes == 0).any()) and float(votes.max()) > 1


class _Evidence(IntEnum):
    NONE, SOME, SURE = range(3)


def _families(cells: dict[str, list[str]]) -> list[_Family]:
    """Return the families of columns that may hold numbers of votes."""
    counts = {name: column for name, column in cells.items() if _are_counts(column)}
    points = points_of(counts)
    families = []
    for of_grade in columns_of_grades(counts):
        grades = sorted(of_grade)
        columns = tuple(of_grade[grade] for grade in grades)
        votes = np.nan_to_num(np.array([_numbers(cells[name]) for name in columns]).T).clip(min=0)
        words = frozenset(words_of(" ".join(columns))) - {str(grade) for grade in grades}
        if of_grade[grades[0]] in points and votes.max() > 1:  # else one rater's marks at the points
            words = _STARS
        if votes.any():
            families.append(_Family(words, measure_of(columns[0]), columns, tuple(map(str, grades)), votes))
    return families


def columns_of_grades(names: Iterable[str]) -> Iterator[dict[int, str]]:
    """Yield the columns whose names hold three or more consecutive grades from 0 or 1, each by its grade."""
    column_by_grade: dict[tuple[str, ...], dict[int, str]] = {}
    names = list(names)
    for name in names:
        grades = [int(grade) for grade in grades_of([name]) if grade.isdecimal() and len(grade) < 3]
        if grades:
            stem = tuple(word.removesuffix("s") for word in words_of(name) if not word.isdecimal())
            column_by_grade.setdefault(stem, {})[grades[0]] = name
    for of_grade in (
        *column_by_grade.values(),
        {int(point): name for name, point in points_of(names).items()},
    ):
        grades = sorted(of_grade)
        if len(grades) >= _FEWEST_GRADES and grades in (
            [*range(len(grades))],
            [*range(1, len(grades) + 1)],
        ):
            yield of_grade


def _are_counts(column: Sequence[str]) -> bool:
    """Return True where nearly all cells are whole numbers from 0 on, or empty."""
    cells = Counter(column)
    counts = sum(times for cell, times in cells.items() if is_missing(cell) or _is_whole(cell))
    return counts >= _MOSTLY * len(column)


def _is_whole(cell: str) -> bool:
    return cell.isdecimal() or (is_any_number(cell) and to_number(cell) >= 0 and to_number(cell).is_integer())


def _numbers(column: Sequence[str]) -> NDArray[np.float64]:
    return np.array([to_number(cell) if is_any_number(cell) else np.nan for cell in column])


def _evidence(family: _Family, other_columns: Sequence[NDArray[np.float64]]) -> _Evidence:
    """Return the evidence in values and names that a family holds numbers of votes."""
    means = family.means()
    statistics = [means, family.spreads(0), family.spreads(1)]
    if any(_are_same(column, of_votes) for of_votes in statistics for column in other_columns):
        return _Evidence.SURE
    totals = family.totals
    is_counted = any(_are_same(column, totals) for column in other_columns)
    if family.words & _STARS or (family.words & _VOTES and (is_counted or len(family.grades) > _FEW_GRADES)):
        return _Evidence.SURE
    if not family.words <= _GRADES:
        return _Evidence.NONE
    if np.ptp(totals) and family.counts.max() > len(family.grades) and are_votes(family.counts.tolist()):
        return _Evidence.SURE
    if is_counted or family.words & _VOTES:
        return _Evidence.SOME
    variance = float(family.counts.var(axis=0).sum())
    shared = len(totals) >= _FEWEST_ROWS and float(totals.var()) < _COMPOSITION * variance
    return _Evidence.SOME if shared else _Evidence.NONE


def _are_same(column: NDArray[np.float64], expected: NDArray[np.float64]) -> bool:
    is_finite = np.isfinite(expected)
    if is_finite.sum() < 2 or np.ptp(expected[is_finite]) == 0:
        return False
    with np.errstate(invalid="ignore"):
        near = np.abs(column[is_finite] - expected[is_finite]) <= TOLERANCE
    return bool(near.mean() >= _MOSTLY)


def read_votes(table: TableProfile, rows: Sequence[Sequence[str]]) -> Iterator[tuple[Reading, bool]]:
    """Yield the reading of a table as votes per grade, and True where there is no evidence for another one."""
    votes = find_votes([column.name for column in table.columns], rows)
    roles = table.roles(RATINGS)
    rater = roles.get("rater_id")
    if votes is None:
        return
    cells = cells_by_name([column.name for column in table.columns], rows)
    totals = np.nansum([_numbers(cells[name]) for name in votes.columns], axis=0)
    # as many votes as raters of each subject
    as_many = rater is not None and rater.names_rows and np.ptp(totals) == 0
    if rater is not None and parse_vote_name(rater.name) is None and not as_many:
        return  # how often a rater gave each grade says nothing of items
    roles = {role: column for role, column in roles.items() if column.name not in votes.columns}
    roles |= {"item_id": rater} if rater is not None and as_many else {}
    separate = tuple(
        roles[role] for role in ("measure", "rater_group") if role in roles and roles[role].is_full
    )
    remaining = [
        column for column in table.columns if column.name not in votes.columns and column not in separate
    ]
    order = [roles.get(role) for role in ("item_id", *PARTS)]
    remaining.sort(key=lambda column: order.index(column) if column in order else len(order))
    key = row_of(replace(table, parts=(*table.parts, *separate)), remaining, roles, of_raters=False).key
    mapping: dict[str, str | tuple[str, ...]] = {"item_id": source_of(key) if key else ROW}
    mapping |= {"rater_id": SLOT, "@raters": "slots", "votes": votes.columns, "@form": GRADE_COLUMNS}
    mapping |= {"@names score": votes.grades}
    if votes.measures:
        mapping["@names measure"] = votes.measures
    elif "measure" in roles and roles["measure"].is_full:
        mapping["measure"] = roles["measure"].name
    examples = list_first(votes.columns)
    note = (
        f"{len(votes.columns)} columns hold numbers of votes ({examples}): one column per grade, from "
        f"{votes.grades[0]} to {votes.grades[-1]}. Nothing is said about persons."
    )
    words = {*words_of(votes.columns[0])} - {votes.grades[0]}
    unused = [
        column.name
        for column in remaining
        if column not in key
        and words
        and words <= {*words_of(column.name)}
        and parse_vote_name(column.name) is None
        and _are_counts(cells[column.name])
    ]
    notes = (note, f"Not used: {listed(unused)}, which no grade belongs to.") if unused else (note,)
    items = len({*zip(*(column.cells for column in key), strict=True)}) if key else table.rows
    yield Reading(RATINGS.name, PER_GRADE, mapping, SURE, notes, 0, items), votes.is_sure
