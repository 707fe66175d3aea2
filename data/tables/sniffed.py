"""First look at a file: its columns, what they hold, and how they vary with each other."""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from analysis.values.estimate import thousands

MISSING = frozenset(("", "na", "n/a", "nan", "none", "null", "#n/a", ".", "-", "*", "?", "–", "—"))
"""Codes of a missing value, in columns that otherwise hold numbers or the words of one scale."""
LONGEST_NUMBER = 400
"""Maximum characters of a number; the longest finite one without an exponent has about 310."""
_NUMBER = re.compile(r"\s*[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?\s*")
_COMMA_NUMBER = re.compile(r"\s*[+-]?\d*,\d+\s*")
_GROUPED = {
    mark: re.compile(rf"[+-]?[1-9]\d{{0,2}}({re.escape(mark)}\d{{3}})+([{decimal}]\d+)?")
    for mark, decimal in {
        ",": ".",
        ".": ",",
        "'": ".,",
        "’": ".,",
        " ": ".,",
        "\u00a0": ".,",
        "\u202f": ".,",
    }.items()
}
"""Numbers with each mark between their thousands."""
_FEWEST_TENS = 9.0
"""Whole numbers above this are not on the same scale as numbers with three decimals."""
_FILE = re.compile(
    r"\d\.(?:jpe?g|png|gif|webp|tiff?|bmp|svg|dcm|wav|mp[34]|flac|ogg|m4a|opus|webm|mov|avi|mkv|txt|pdf|json|html?)$",
    re.IGNORECASE,
)
"""The end of a file's name after a number, such as 38322.jpg."""
LEADING_NUMBER = r"^\s*([+-]?\d+(?:[.,]\d+)?)(?:(?:\s*[-–—:=.)(/]|\s)\s*[^\s\d]|\s*%\s*$|\s*/\s*\d+\s*$)"


def is_number(cell: str) -> bool:
    return len(cell) <= LONGEST_NUMBER and _NUMBER.fullmatch(cell) is not None


def is_comma_number(cell: str) -> bool:
    """Return True where it is a number with a decimal comma."""
    return len(cell) <= LONGEST_NUMBER and _COMMA_NUMBER.fullmatch(cell) is not None


def is_any_number(cell: str) -> bool:
    """Return True where it is a number with a decimal point or comma."""
    return is_number(cell) or is_comma_number(cell)


def is_grouped(cell: str, mark: str) -> bool:
    """Return True for a number with this mark between its thousands.

    >>> [is_grouped(cell, ",") for cell in ("1,250", "12,345,678.5", "0,250", "1,25", "1250")]
    [True, True, False, False, False]
    """
    return mark in cell and len(cell) <= LONGEST_NUMBER and _GROUPED[mark].fullmatch(cell) is not None


def thousands_mark(cells: Iterable[str]) -> tuple[str, bool]:
    """Return the mark between the thousands of numbers, "" for none, and True where it cannot be decimal.

    Whole numbers beside them show that, where all are larger than the others would then be.

    >>> [thousands_mark(cells) for cells in (["1,250", "312"], ["1,250", "3"], ["1,250.5"], ["1.250.000", "7"])]
    [(',', True), (',', False), (',', True), ('.', True)]
    """
    filled = {cell.strip() for cell in cells if cell.strip().casefold() not in MISSING}
    for mark in _GROUPED:
        grouped = {cell for cell in filled if is_grouped(cell, mark)}
        if not grouped:
            continue
        ungrouped = filled - grouped
        decimals = {cell for cell in ungrouped if not cell.lstrip("+-").isdecimal()}
        if any(mark in cell or not is_any_number(cell) for cell in decimals):
            continue
        is_certain = decimals or any(cell.count(mark) > 1 or not is_any_number(cell) for cell in grouped)
        low = min((abs(float(cell)) for cell in ungrouped - decimals), default=0.0)
        highest = max((float(cell.replace(mark, ".")) for cell in grouped if not is_certain), default=0.0)
        return mark, bool(is_certain) or low > max(_FEWEST_TENS, highest)
    return "", False


def begins_with_number(cell: str) -> bool:
    """Return True where it is a text such as "4 - good", "4/5" or "80%"."""
    return re.match(LEADING_NUMBER, cell[:LONGEST_NUMBER]) is not None and _FILE.search(cell) is None


def is_sound(cell: str) -> bool:
    """Return True where it is text through and through: no zero bytes and nothing that was no UTF-8."""
    return "\0" not in cell and cell.encode("utf-8", "replace").decode() == cell


@dataclass(frozen=True)
class SniffedColumn:
    """Column of the file, as found in the inspected rows: up to three distinct `examples`; the shares of filled cells
    that are `numbers` or begin with one ("4 - good"); the number of `distinct` values and of `filled` cells; the range
    of the numbers; the columns `within` whose values it is constant; and its `values` with their counts, if they are
    few and short. `together`: for each column with repeated values, the mean length of runs of equal values of this one
    in its consecutive rows, if above chance."""

    name: str
    examples: tuple[str, ...]
    numbers: float
    leading_numbers: float
    distinct: int
    filled: int
    low: float
    high: float
    within: tuple[str, ...] = ()
    values: tuple[tuple[str, int], ...] = ()
    together: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True)
class Switch:
    """Option of converting a format to a table: its key in a mapping (with @), its label on the page, the allowed
    values (the first is the default), and a help text. `asked`: only the user can answer it, for rows of several
    answers. `reshapes`: the columns of the table depend on it."""

    name: str
    label: str
    allowed: tuple[str, ...]
    help: str
    asked: bool = False
    reshapes: bool = False


@dataclass(frozen=True)
class Known:
    """Known meaning of a format's columns; that of `open` columns is guessed from their names and values."""

    kind: str
    mapping: Mapping[str, str | tuple[str, ...]]
    open: tuple[str, ...] = ()


_ANSWERS = {
    "ratings": ("score", "votes"),
    "choices": ("choice",),
    "label sets": ("labels",),
    "rankings": ("rank", "option"),
}


def named_by(source: str | Sequence[str]) -> tuple[str, ...]:
    """Return the columns that a mapping lists."""
    return (source,) if isinstance(source, str) else tuple(source)


SURVEY = "a survey"
"""Layout of a table of questions of several kinds."""
ASKED = 0.59
"""Evidence of a reading that is not taken without a question."""


@dataclass(frozen=True)
class Reading:
    """A way to read a table as ratings, labels or ranks.

    kind : "ratings", "choices", "label sets" or "rankings"
    layout : name of the layout; "" where the notes say why the table cannot be read
    mapping : items, raters, measures and answers, and the layout
    evidence : 0 to 1
    notes : sentences on what was taken for what
    raters, items : number of each, as far as was looked at
    is_rival : True where it is as plausible as one of another kind
    """

    kind: str
    layout: str
    mapping: Mapping[str, str | tuple[str, ...]]
    evidence: float
    notes: tuple[str, ...] = ()
    raters: int = 0
    items: int = 0
    is_rival: bool = False

    @cached_property
    def answers(self) -> frozenset[str]:
        """Columns of the answers."""
        sources = [self.mapping.get(answer, ()) for answer in _ANSWERS[self.kind]]
        return frozenset(name for source in sources for name in named_by(source))

    @cached_property
    def columns(self) -> frozenset[str]:
        """Columns of the table that it uses."""
        sources = [source for name, source in self.mapping.items() if not name.startswith("@")]
        return frozenset(name for source in sources for name in named_by(source))


@dataclass(frozen=True)
class Part:
    """Column with the file or sheet that each row comes from: its name and `values`, for each other column the share of
    values that occur in several files (`shared`), and the columns that are constant within each file (`alone`)."""

    name: str
    values: tuple[str, ...]
    shared: tuple[tuple[str, float], ...]
    alone: tuple[str, ...]


@dataclass(frozen=True)
class Sniffed:
    """First look at a file. `rows` is an estimate if cells contain line breaks. `header_rows` is the number of rows
    that name the columns (0 to 3, without further ones of Qualtrics), `before` the number of lines before the first row
    of data, `looked_at` the number of inspected rows, and `first` the first of them, shortened. `problems` are
    sentences for the user. For a recognized file, all this describes the table that its `format` produces, with the
    `switches` of the format and the `known` meaning of columns. `parts`: the columns that name the file or sheet, if
    several were combined; `files`: the names of the files; `starts`: the lines before each of them. `keys`: the columns
    within which the others were compared. `broken`: a sentence on unreadable rows among the inspected ones. `source`:
    the kind of a file that is no text. `readings`: the ways to read the table, the likeliest first. `short_by`: the
    number of last columns with a name but no cells. `settings`: the settings of the switches for this look."""

    encoding: str
    delimiter: str
    decimal: str
    header_rows: int
    before: int
    columns: tuple[SniffedColumn, ...]
    rows: int
    looked_at: int
    problems: tuple[str, ...]
    regular: bool
    format: str = ""
    switches: tuple[Switch, ...] = field(default=())
    known: Known | None = None
    first: tuple[tuple[str, ...], ...] = ()
    parts: tuple[Part, ...] = ()
    files: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    starts: tuple[int, ...] = ()
    broken: str = ""
    source: str = ""
    readings: tuple[Reading, ...] = ()
    short_by: int = 0
    settings: tuple[tuple[str, str], ...] = ()

    @property
    def header(self) -> bool:
        """True where the file names its columns."""
        return self.header_rows > 0

    @property
    def width(self) -> int:
        """The number of cells in a row."""
        return len(self.columns) - self.short_by

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    def file_and_line(self, line: int) -> tuple[str, int]:
        """Return the file of a line, "" if there is only one, and the line in that file."""
        if not self.starts:
            return "", line
        index = max(bisect_left(self.starts, line) - 1, 0)
        return self.files[index], line - self.starts[index]

    def place(self, line: int) -> str:
        """Return the description of a line for messages."""
        file, line = self.file_and_line(line)
        return f'line {thousands(line)} of "{file}"' if file else f"line {thousands(line)}"


_MOST_KEYS = 8
_MOST_CELLS = 200_000
"""Maximum number of cells that are inspected per key; with many columns, fewer rows are."""
_FEWEST_TIMES, _SHARED = 10, 1.5
"""Distinct values above which runs of equal values are measured, and mean length of a run above which it is no chance;
scales have fewer values."""
_FEWEST_GROUPS = 5
"""Minimum number of repeated values of a key for which constant columns are evidence."""


def related(
    names: Sequence[str], rows: Sequence[Sequence[str]]
) -> tuple[tuple[str, ...], Mapping[str, list[str]], Mapping[str, list[tuple[str, float]]]]:
    """Return the keys (columns with repeated values, found in fewer rows if there are many columns); for each column,
    the keys within whose values it is constant; and for each column of many values, the keys in whose consecutive rows
    its values repeat, with the mean length of these runs."""
    rows = rows[: max(_MOST_CELLS // max(len(names), 1), 1)]
    columns = list(zip(*rows, strict=False))[: len(names)] or [()] * len(names)
    counts = [Counter(column) for column in columns]
    keys = [
        index
        for index, times in enumerate(counts)
        if "" not in times and sum(count > 1 for count in times.values()) >= _FEWEST_GROUPS
    ]
    keys = sorted(keys, key=lambda index: -len(counts[index]))[:_MOST_KEYS]
    within: dict[str, list[str]] = {name: [] for name in names}
    shared: dict[str, list[tuple[str, float]]] = {name: [] for name in names}
    for key in keys:
        for index, name in enumerate(names):
            if index == key:
                continue
            if len(counts[index]) > 1 and is_constant_in(columns[key], columns[index]):
                within[name].append(names[key])
            if len(counts[index]) > _FEWEST_TIMES:
                times = _mean_run_length(columns[key], columns[index])
                if times >= _SHARED:
                    shared[name].append((names[key], times))
    return tuple(names[index] for index in keys), within, shared


def part_of(index: int, names: Sequence[str], rows: Sequence[Sequence[str]]) -> Part:
    """Return what the column at that place, which says where a row comes from, has to do with the others."""
    shared, alone = [], []
    for other, name in enumerate(names):
        if other == index:
            continue
        parts: dict[str, set[str]] = {}
        for row in rows:
            if row[other]:
                parts.setdefault(row[other], set()).add(row[index])
        if parts:
            shared.append((name, sum(len(sources) > 1 for sources in parts.values()) / len(parts)))
        if is_constant_in([row[index] for row in rows], [row[other] for row in rows]):
            alone.append(name)
    return Part(names[index], tuple(dict.fromkeys(row[index] for row in rows)), tuple(shared), tuple(alone))


def is_constant_in(key: Iterable[Hashable], cells: Iterable[str]) -> bool:
    """Return True where filled cells are the same in all rows that agree in the key."""
    first: dict[Hashable, str] = {}
    return all(
        not cell or first.setdefault(group, cell) == cell for group, cell in zip(key, cells, strict=True)
    )


def _mean_run_length(key: Sequence[str], cells: Sequence[str]) -> float:
    """Return the mean length of runs of equal values in consecutive rows of a key."""
    last: dict[str, str] = {}
    filled = runs = 0
    for group, cell in zip(key, cells, strict=True):
        if cell:
            filled += 1
            runs += last.get(group) != cell
            last[group] = cell
    return filled / runs if runs else 0.0
