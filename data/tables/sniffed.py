"""What a look at a file tells: its columns and what they hold, whatever its format."""

import re
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, field

from analysis.values.columns import thousands

LONGEST_NUMBER = 400
"""Characters; the longest finite number without an exponent has some 310."""
_NUMBER = re.compile(r"\s*[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?\s*")
_COMMA_NUMBER = re.compile(r"\s*[+-]?\d*,\d+\s*")
LEADING_NUMBER = r"^\s*([+-]?\d+(?:[.,]\d+)?)(?:\s*[-–—:=.)(/]|\s)\s*[^\s\d]"


def is_number(cell: str) -> bool:
    return len(cell) <= LONGEST_NUMBER and _NUMBER.fullmatch(cell) is not None


def is_comma_number(cell: str) -> bool:
    """Whether it is a number with a decimal comma."""
    return len(cell) <= LONGEST_NUMBER and _COMMA_NUMBER.fullmatch(cell) is not None


def begins_with_number(cell: str) -> bool:
    """Whether it is a text such as "4 - good"."""
    return re.match(LEADING_NUMBER, cell[:LONGEST_NUMBER]) is not None


def is_sound(cell: str) -> bool:
    """Whether it is text through and through: no zero bytes and nothing that was no UTF-8."""
    return "\0" not in cell and cell.encode("utf-8", "replace").decode() == cell


@dataclass(frozen=True)
class SniffedColumn:
    """One column of the file and what the rows looked at hold: up to three different `examples`; of its
    filled cells, the share that are numbers and the share that begin with one ("4 - good"); the `distinct`
    values and `filled` cells among the rows looked at; the range of the numbers; `within` which other columns it is
    constant: the same in all rows that agree in one of them; and, where they are few and short, its `values` with how
    many cells hold each. `together`: for each column whose values return, how many rows that follow each other in it
    share a value of this one, where that is more than chance."""

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
    """A choice in how a format becomes a table: its key in a mapping (with @), what the page calls it, what it may
    be (the first is the default), and what that changes. Where it is `asked`, it is a question that only the user can
    answer, for rows of several answers. Where it `reshapes` the table, the columns depend on it."""

    name: str
    label: str
    allowed: tuple[str, ...]
    help: str
    asked: bool = False
    reshapes: bool = False


@dataclass(frozen=True)
class Known:
    """What the columns of a format's own table mean, which needs no guessing; those that are `open` are for their
    names and values to tell."""

    kind: str
    mapping: Mapping[str, str | tuple[str, ...]]
    open: tuple[str, ...] = ()


@dataclass(frozen=True)
class Reading:
    """A way to read a table as ratings or labels.

    kind : "ratings" or "choices"
    layout : name of the layout
    mapping : items, raters, measures and answers, and the layout
    evidence : 0 to 1
    notes : sentences on what was taken for what
    raters, items : number of each, as far as was looked at
    """

    kind: str
    layout: str
    mapping: Mapping[str, str | tuple[str, ...]]
    evidence: float
    notes: tuple[str, ...] = ()
    raters: int = 0
    items: int = 0

    @property
    def answers(self) -> frozenset[str]:
        """Columns of the answers."""
        told = self.mapping["score" if self.kind == "ratings" else "choice"]
        return frozenset([told] if isinstance(told, str) else told)

    @property
    def columns(self) -> frozenset[str]:
        """Columns of the table that it uses."""
        told = [source for name, source in self.mapping.items() if not name.startswith("@")]
        return frozenset(
            name for source in told for name in ([source] if isinstance(source, str) else source)
        )


@dataclass(frozen=True)
class Part:
    """A column that says from which of several files or sheets a row comes: its name, the `values` it holds, the share
    of the values of each other column that occur in more than one of them, and the columns that hold one value in
    each."""

    name: str
    values: tuple[str, ...]
    shared: tuple[tuple[str, float], ...]
    alone: tuple[str, ...]


@dataclass(frozen=True)
class Sniffed:
    """What a file looks like. `rows` is an estimate where cells hold line breaks. `header_rows` is the number of rows
    that name the columns (0 to 3; further ones of Qualtrics do not count), `before` the number of
    lines that come before the first row of data; `looked_at` the number of rows that the columns' facts rest
    on, the `first` few of them shortened. `problems` are sentences for the user. Where the file was recognised, all
    this is of the table that its `format` makes, with its `switches`, and what is `known` of its columns.
    `parts`: where several files or sheets were put together, the columns that say so; `files`: the files' names, and
    `starts`: the lines that come before each of them. `keys`: the columns within which the others were looked at.
    `broken`: a sentence on the rows that cannot be read, among those looked at. `source`: what kind of file it is where
    that is no text. `readings`: the ways to read the table, the likeliest first. `short_by`: how many of the last
    columns have a name but no cell in any row. `settings`: those of its switches with which the file was looked at."""

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

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    def file_and_line(self, line: int) -> tuple[str, int]:
        """A line of the file, or of which of several files."""
        if not self.starts:
            return "", line
        at = max(bisect_left(self.starts, line) - 1, 0)
        return self.files[at], line - self.starts[at]

    def place(self, line: int) -> str:
        """A line in words."""
        file, line = self.file_and_line(line)
        return f'line {thousands(line)} of "{file}"' if file else f"line {thousands(line)}"
