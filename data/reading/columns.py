"""Columns of a table by its first rows, once missing codes are set aside: numbers, words, labels, times or texts."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

from data.kinds.answer_words import points_of
from data.kinds.names import plain_name
from data.tables.sniffed import MISSING, begins_with_number, is_comma_number, is_number

CODES = frozenset((-1, -7, -8, -9, -66, -77, -88, -99, -999, -9999, 77, 88, 98, 99, 999, 9999))
"""Numbers that surveys write for a missing answer."""
Holds = Literal["nothing", "numbers", "words", "labels", "times", "texts"]
MOST_POINTS = 101
"""Different numbers of a scale."""
MOST_LABELS = 20
LONGEST_LABEL = 60
"""Characters of a label."""
_NUMBERS, _NEARLY_ALL = 0.95, 0.99
_HIGHEST_LOW = 100
"""The lowest number of a column above which these are no points of a scale."""
_SCALE = (-100.0, 1000.0)
TIME = re.compile(
    r"\d{4}[-/]\d\d?[-/]\d\d?([ T]\d\d?:\d\d.*)?|\d\d?[./-]\d\d?[./-]\d{2,4},?( \d\d?[:.]\d\d.*)?"
    r"|\d\d?:\d\d(:\d\d)?( ?[AaPp]\.?[Mm]\.?)?|[A-Z][a-z]{2} [A-Z][a-z]{2} \d\d? \d\d:\d\d:\d\d .*"
)
ROUNDED = 0.051
"""Distance of a mean with one decimal from the exact one."""
_EPOCHS = ((9e8, 2.5e9), (9e11, 2.5e12))
"""Seconds and milliseconds since 1970 of dates from 1998 to 2049."""
_LOWEST_TOP = 10
"""Least maximum of a slider on which -1 may be a code."""
_FAR = 50
"""Distance of a code from a single other number."""
_SMALLEST_CODE = 10
"""Least absolute value of codes that a single column determines; smaller ones need all columns of answers."""
_QUARTERS = 4
_LOOKED_AT = 50
_LONGEST_WORD = 30
_PLAIN = re.compile(r"[+-]?(0|[1-9]\d*)([.,]\d+)?")
"""A number as people rate; 007 and 1e5 are ids."""
_OF_A_WHOLE = re.compile(r".*\d\s*/\s*\d+\s*")


def is_missing(cell: str) -> bool:
    """Return True for a code of a missing value."""
    return cell.casefold() in MISSING


@dataclass(frozen=True)
class Column:
    """A column by the first rows: its `cells`, "" for a code of a missing value, the type of content that it `holds`,
    and the number of each of the `codes`. `leading`: its numbers begin texts such as "4 - good"."""

    name: str
    at: int
    holds: Holds
    cells: tuple[str, ...] = field(repr=False)
    codes: Mapping[str, int] = field(default_factory=dict, repr=False)
    leading: bool = False

    @cached_property
    def filled(self) -> tuple[str, ...]:
        """The cells that are not empty."""
        return tuple(cell for cell in self.cells if cell)

    @cached_property
    def values(self) -> frozenset[str]:
        """Different filled cells."""
        return frozenset(self.filled)

    @cached_property
    def numbers(self) -> tuple[float, ...]:
        """The numbers; none where it holds another type of content."""
        return tuple(to_number(cell) for cell in self.filled) if self.holds == "numbers" else ()

    @cached_property
    def number_or_none(self) -> tuple[float | None, ...]:
        """The number of each row, None where its cell is empty."""
        return tuple(to_number(cell) if cell else None for cell in self.cells)

    @cached_property
    def points(self) -> frozenset[float]:
        """Different numbers."""
        return frozenset(self.numbers)

    @cached_property
    def low(self) -> float:
        """The lowest number."""
        return min(self.points)

    @cached_property
    def high(self) -> float:
        """The highest number."""
        return max(self.points)

    @cached_property
    def digits(self) -> int:
        """The largest number of digits after the decimal mark."""
        return max((len(cell.replace(",", ".").partition(".")[2]) for cell in self.values), default=0)

    @cached_property
    def plain(self) -> str:
        """The name as names are compared."""
        return plain_name(self.name)

    @cached_property
    def may_be_scale(self) -> bool:
        """True where the numbers or words may be points of a scale of ratings."""
        if self.holds == "words":
            return True
        if self.holds != "numbers" or not self.numbers:
            return False
        if self.counts_rows or self.low > _HIGHEST_LOW:
            return False
        low, high = _SCALE
        few = len(self.points) <= MOST_POINTS or self.leading
        if few and min(self.numbers) >= low and max(self.numbers) <= high:
            return True
        counts = Counter(number for number in self.numbers if low <= number <= high)
        most = sum(times for _, times in counts.most_common(MOST_POINTS))
        return self.in_steps and most >= _NEARLY_ALL * len(self.numbers)  # some are beyond the scale

    @cached_property
    def is_slider(self) -> bool:
        """True where numbers up to 100 have decimals and more points than a scale with steps: of a slider, or computed
        from ratings."""
        is_fine = self.holds == "numbers" and not self.in_steps and len(self.points) > MOST_POINTS
        return is_fine and _SCALE[0] <= self.low and self.high <= -_SCALE[0]

    @cached_property
    def is_free(self) -> bool:
        """True where these are numbers above 0 on no scale, as those of magnitude estimation."""
        return (
            self.holds == "numbers" and not self.counts_rows and not self.is_constant and min(self.points) > 0
        )

    @cached_property
    def counts_rows(self) -> bool:
        """True where each row has its own number, in the order of the rows."""
        steps = {later - earlier for earlier, later in zip(self.numbers, self.numbers[1:], strict=False)}
        return len(self.numbers) == len(self.cells) > 2 and steps == {1.0} and len(self.points) > 5

    @property
    def counts_from_one(self) -> bool:
        """True where the numbers, none of them missing, are 1 to that of the last of some things, such as lessons."""
        return self.is_full and len(self.points) > 1 and self.points == {*range(1, len(self.points) + 1)}

    @cached_property
    def in_steps(self) -> bool:
        """True where all numbers are whole, half or quarter steps, as raters give them."""
        return self.holds == "numbers" and all((_QUARTERS * number).is_integer() for number in self.points)

    @property
    def is_constant(self) -> bool:
        """True where all filled cells are the same."""
        return len(self.values) <= 1

    @property
    def is_full(self) -> bool:
        """True where no cell is empty."""
        return len(self.filled) == len(self.cells)

    @property
    def names_rows(self) -> bool:
        """True where each row has its own value."""
        return self.is_full and len(self.cells) == len(self.values)


def to_number(cell: str) -> float:
    """Return the number that a cell holds or begins with, with a decimal point or comma."""
    if is_number(cell):
        return float(cell)
    match = re.match(r"\s*[+-]?(?:[0-9]+(?:[.,][0-9]+)?|[.,][0-9]+)", cell)
    return float(match[0].replace(",", ".")) if match else float("nan")


def column_of(name: str, at: int, cells: Iterable[str], decimal: str = ".") -> Column:
    """Return a column with its content classified."""
    stripped = tuple(cell.strip() for cell in cells)
    filled = Counter(cell for cell in stripped if cell)
    codes = {cell: times for cell, times in filled.items() if is_missing(cell)}
    counts = Counter({cell: times for cell, times in filled.items() if cell not in codes})
    if not counts:
        return Column(name, at, "nothing", ("",) * len(stripped), codes)
    as_numbers = {cell for cell in counts if is_number(cell) or (decimal == "," and is_comma_number(cell))}
    numbers = sum(counts[cell] for cell in as_numbers)
    if numbers == counts.total():
        off = frozenset(cell for cell in find_outlying_codes(counts) if abs(to_number(cell)) > _SMALLEST_CODE)
        codes |= {cell: times for cell, times in counts.items() if cell in off}
        coded = tuple("" if cell in codes else cell for cell in stripped)
        all_numbers = [to_number(cell) for cell in counts]
        are_times = any(low <= min(all_numbers) and max(all_numbers) <= high for low, high in _EPOCHS)
        return Column(name, at, "times" if are_times else "numbers", coded, codes)
    coded = tuple("" if cell in codes else cell for cell in stripped)
    if all(cell in as_numbers or begins_with_number(cell) for cell in counts):
        wholes = {cell.rpartition("/")[2].strip() for cell in counts if _OF_A_WHOLE.fullmatch(cell)}
        if len(counts) <= (MOST_POINTS if "%" in min(counts) else MOST_LABELS) and len(wholes) < 2:
            return Column(name, at, "numbers", coded, codes, leading=True)
    elif missing_words := _missing_words(counts, as_numbers):
        codes |= {cell: counts[cell] for cell in missing_words}
        coded = tuple("" if cell in codes else cell for cell in stripped)
        return Column(name, at, "numbers", coded, codes)
    elif numbers >= _NUMBERS * counts.total():
        return Column(name, at, "texts", stripped)
    if len(points_of(counts)) == len({cell.casefold() for cell in counts}):
        return Column(name, at, "words", coded, codes)
    if all(TIME.fullmatch(cell) for cell in list(filled)[:_LOOKED_AT]):
        return Column(name, at, "times", stripped)
    most_labels = min(MOST_LABELS, max(2, filled.total() // 2))
    are_short = all(len(cell) <= LONGEST_LABEL and cell[0] not in "{[" for cell in counts)
    return Column(name, at, "labels" if len(counts) <= most_labels and are_short else "texts", stripped)


def _missing_words(counts: Mapping[str, int], numbers: Collection[str]) -> frozenset[str]:
    """Return one or two words for no answer, such as "skip", in a column of numbers."""
    words = frozenset(counts) - frozenset(numbers)
    short = all(len(word) <= _LONGEST_WORD and not re.search(r"\d", word) for word in words)
    are_rare = 2 * sum(counts[word] for word in words) < sum(counts.values())
    # else these are ids
    ratings = max(map(counts.__getitem__, numbers), default=0) > 1 and all(map(_PLAIN.fullmatch, numbers))
    return words if are_rare and short and ratings and len(words) <= 2 < len(numbers) else frozenset()


def cells_by_name(names: Sequence[str], rows: Sequence[Sequence[str]]) -> dict[str, list[str]]:
    """Return the cells of each column."""
    columns = zip(*rows, strict=False)
    return {name: [cell.strip() for cell in column] for name, column in zip(names, columns, strict=False)}


def is_answer(cells: Iterable[str]) -> bool:
    """Return True where these may be ratings or labels: points of one scale, or a few short texts, and several."""
    column = column_of("", 0, cells, decimal=",")
    are_few = len(column.values) * MOST_LABELS <= len(column.filled)  # of which each may be a whole sentence
    return not column.is_constant and (column.may_be_scale or column.holds == "labels" or are_few)


def is_numeric(cells: Iterable[str]) -> bool:
    """Return True where all filled cells are numbers, with a decimal point or comma, or codes of missing ones."""
    column = column_of("", 0, cells, decimal=",")
    return column.holds in ("numbers", "nothing") and not column.leading


def is_score(cells: Iterable[str]) -> bool:
    """Return True where these are numbers, begin with one as "4 - good" does, or are words for points of a scale."""
    return column_of("", 0, cells, decimal=",").holds in ("numbers", "words", "nothing")


def find_outlying_codes(times: Mapping[str, int]) -> frozenset[str]:
    """Return the cells whose numbers stand for a missing answer, far off the scale of the others, by their counts."""
    numbers = {cell: to_number(cell) for cell in times}
    scale = {number for number in numbers.values() if number not in CODES} or {-1.0} & {*numbers.values()}
    if not scale:
        return frozenset()
    low, high = min(scale), max(scale)
    in_steps = all((_QUARTERS * number).is_integer() for number in scale)
    often = max(times[cell] for cell, number in numbers.items() if number in scale)
    codes = []
    for cell, number in numbers.items():
        if number not in CODES or low <= number <= high:
            continue
        distance = low - number if number < low else number - high
        is_negative = number < 0 <= low and (number < -1 or low > 0 or high >= _QUARTERS)
        is_far = distance > high - low and (times[cell] > 1 or distance >= 5 * (high - low))
        is_far = is_far and (high > low or distance >= _FAR)
        is_code = is_far or (is_negative and distance > 1)
        if not in_steps:  # numbers of a slider seldom come again
            is_code = is_far and times[cell] > 2 * often and abs(number) > _SMALLEST_CODE
        if is_code:
            codes.append(cell)
    return frozenset(codes)


def find_minus_one(times: Mapping[str, int]) -> frozenset[str]:
    """Return the cells with -1 below the numbers of a slider that reaches 10, of which none comes half as often."""
    numbers = {cell: to_number(cell) for cell in times}
    minus_one = frozenset(cell for cell, number in numbers.items() if number == -1)
    slider = {cell: number for cell, number in numbers.items() if cell not in minus_one}
    if not slider or min(slider.values()) < 0 or max(slider.values()) < _LOWEST_TOP:
        return frozenset()
    in_steps = all((_QUARTERS * number).is_integer() for number in slider.values())
    often = max(times[cell] for cell in slider)  # numbers of a slider seldom come again
    return minus_one if not in_steps and sum(times[cell] for cell in minus_one) > 2 * often else frozenset()


def is_scale_with_minus_one(cells: Collection[str]) -> bool:
    """Return True for a scale that -1 belongs to: other numbers are below 0, or none reaches the end of a slider."""
    numbers = {*map(to_number, cells)}
    others = numbers - {-1}
    return -1 in numbers and bool(others) and (min(others) < 0 or max(others) < _LOWEST_TOP)


def largest_group(columns: Sequence[Column], are_alike: Callable[[Column, Column], bool]) -> list[Column]:
    """Return the most columns that are like one of them, which is compared second."""
    largest: list[Column] = []
    for first in columns:
        group = [column for column in columns if are_alike(column, first)]
        largest = max(largest, group, key=len)
        if len(largest) == len(columns):
            break
    return largest


def columns_of(names: Sequence[str], rows: Sequence[Sequence[str]], decimal: str = ".") -> tuple[Column, ...]:
    """Return the columns of a table by its first rows; words are of one scale where all columns together say so."""
    width = len(names)
    padded = [tuple(row[:width]) + ("",) * (width - len(row)) for row in rows]
    cells = list(zip(*padded, strict=True)) if padded else [()] * width
    columns = [column_of(name, at, cells[at], decimal) for at, name in enumerate(names)]
    scale_words = {value for column in columns if column.holds == "words" for value in column.values}
    if not scale_words:
        scale_words = _shared_words([column for column in columns if column.holds == "labels"])
    return tuple(_as_words(column, scale_words) for column in columns)


def _shared_words(columns: Sequence[Column]) -> set[str]:
    """Return the words of labels that stand in several columns, where they are points of one scale."""
    overlapping = [
        column
        for column in columns
        if any(column.values & other.values for other in columns if other is not column)
    ]
    words = {value for column in overlapping for value in column.values if not is_missing(value)}
    return words if words and len(points_of(words)) == len({word.casefold() for word in words}) else set()


def _as_words(column: Column, scale_words: set[str]) -> Column:
    """Return the column as one of words where all its values are points of the scale of the known words."""
    values = {value for value in column.values if not is_missing(value)}
    if column.holds not in ("labels", "texts") or not values or not scale_words:
        return column
    if not values <= set(points_of(scale_words | values)):
        return column
    cells = tuple("" if is_missing(cell) else cell for cell in column.cells)
    codes = dict(Counter(cell for cell in column.cells if cell and is_missing(cell)))
    return replace(column, holds="words", cells=cells, codes=codes)
