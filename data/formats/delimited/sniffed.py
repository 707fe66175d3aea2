"""What a look at a file tells: its columns and what they hold, whatever its format."""

import re
from dataclasses import dataclass

NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*")
LEADING_NUMBER = r"^\s*([+-]?\d+(?:[.,]\d+)?)(?:\s*[-–—:=.)(/]|\s)\s*[^\s\d]"


@dataclass(frozen=True)
class SniffedColumn:
    """One column of the file and what the rows looked at hold: up to three different `examples`; of its
    filled cells, the share that are numbers and the share that begin with one ("4 - good"); the `distinct`
    values and `filled` cells among the rows looked at; and the range of the numbers."""

    name: str
    examples: tuple[str, ...]
    numbers: float
    leading_numbers: float
    distinct: int
    filled: int
    low: float
    high: float


@dataclass(frozen=True)
class Sniffed:
    """What a file looks like. `rows` is an estimate where cells hold line breaks. `before` is the number of
    lines that come before the first row of data; `looked_at` the number of rows that the columns' facts rest
    on. `problems` are sentences for the user."""

    encoding: str
    delimiter: str
    decimal: str
    header: bool
    before: int
    columns: tuple[SniffedColumn, ...]
    rows: int
    looked_at: int
    problems: tuple[str, ...]
    regular: bool

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)
