"""A format of files: how it is recognized, its view of a file, and the canonical table that it makes."""

import csv
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from data.tables.rows import Fault, fits, ragged, rows
from data.tables.sniffed import Known, Sniffed, SniffedColumn, Switch
from data.tables.text import Text

Chosen = Mapping[str, str]
"""The setting of every switch of a format."""

UNNAMED = "annotator"
"""The rater of a file that names none; of several such files, each is then called by its name."""
ONE_RATER = "The file names no rater: all its answers count as one rater's."


@dataclass(frozen=True)
class Aside:
    """A row of the upload that gives no rating: its line, the column that shows it, the reason, and the value there."""

    line: int
    column: str
    reason: str
    value: str


def read_asides(path: Path | None) -> Iterator[Aside]:
    """Yield the rows that were set aside when a table was written."""
    if path:
        with path.open(encoding="utf-8", newline="") as aside:
            yield from (Aside(int(line), *fields) for line, *fields in csv.reader(aside))


Made = tuple[int, Mapping[str, str]] | Aside
"""The cells of one rating by column, with its line in the upload, or a row set aside."""


@dataclass(frozen=True)
class Canonical:
    """The table that a format makes: one rating per row, under plain names.

    `known` is what the columns mean, where that is not for their names and values to tell; a required one that it
    leaves out is asked of the user. `notes` are sentences about what was assumed.
    """

    columns: tuple[str, ...]
    rows: Iterable[Made]
    known: Known | None = None
    notes: tuple[str, ...] = ()


Cells = dict[str, str]
"""The cells of a row by their column, without white space around them."""


@dataclass(frozen=True)
class Table:
    """A table of an upload. `sample` are the first rows, `sniffed` the columns as described by them.

    `made_of` makes the cells of other columns, the `columns`, of those in a row of the file.
    """

    text: Text
    sniffed: Sniffed
    sample: Sequence[Sequence[str]]
    columns: tuple[str, ...] = ()
    made_of: tuple[Callable[[Cells], Cells], ...] = ()

    def derived(self, columns: tuple[str, ...], of_row: Callable[[Cells], Cells]) -> "Table":
        """Return the table with other columns, which are made of those in each row."""
        return Table(self.text, self.sniffed, self.sample, columns, (*self.made_of, of_row))

    @property
    def names(self) -> tuple[str, ...]:
        return self.columns or self.sniffed.names

    @cached_property
    def lower(self) -> frozenset[str]:
        """The names in lower case: platforms change that from version to version."""
        return frozenset(name.casefold() for name in self.names)

    def column(self, name: str) -> SniffedColumn | None:
        return next((column for column in self.sniffed.columns if column.name == name), None)

    def first(self, *candidates: str) -> str:
        """Return the first of these names that the table has as a column, in any case; "" for none."""
        names = {name.casefold(): name for name in reversed(self.names)}
        return next((names[name.casefold()] for name in candidates if name.casefold() in names), "")

    def prefixed(self, prefix: str) -> tuple[str, ...]:
        """The columns whose names begin so, in any case."""
        return tuple(name for name in self.names if name.casefold().startswith(prefix.casefold()))

    @cached_property
    def head(self) -> list[Cells]:
        """The first rows."""
        return [self._cells(row) for row in self.sample]

    def _cells(self, row: Sequence[str]) -> Cells:
        cells = {name: cell.strip() for name, cell in zip(self.sniffed.names, row, strict=False)}
        for of_row in self.made_of:
            cells = of_row(cells)
        return cells

    def all_rows(self) -> Iterator[tuple[int, Cells] | Aside]:
        """Every row with its line; one that cannot be read is set aside."""
        width, optional = self.sniffed.width, self.sniffed.short_by
        aside_path = self.text.aside
        yield from read_asides(aside_path)
        for row in rows(self.text.whole().path, self.sniffed.before, self.sniffed.delimiter):
            if isinstance(row, Fault):
                yield Aside(row.line, "", row.reason, row.value)
            elif aside_path:
                yield int(row.cells[width]), self._cells(row.cells)
            elif not fits(row, width, optional):
                reason = ragged(row, width, self.text, self.sniffed.header)
                yield Aside(row.line, "", reason, self.sniffed.delimiter.join(row.cells)[:200])
            else:
                yield row.line, self._cells([*row.cells, *[""] * optional])

    def convert(self, of_row: Callable[[int, Cells], Iterable[Made]]) -> Iterator[Made]:
        """Yield the results of `of_row` for every readable row, and the unreadable rows as set aside."""
        for row in self.all_rows():
            yield from (row,) if isinstance(row, Aside) else of_row(*row)


def has_columns(*columns: str | Sequence[str]) -> Callable[[Table], bool]:
    """Return a test for tables that have all of these columns, in any case; a sequence lists alternative names."""
    alternatives = [{name} if isinstance(name, str) else {*name} for name in columns]
    return lambda table: not any(map(table.lower.isdisjoint, alternatives))


@dataclass(frozen=True)
class Format:
    """One file format. `knows` looks at names and values, never at a file's name; `canonical` makes the table."""

    name: str
    knows: Callable[[Table], bool]
    canonical: Callable[[Table, Chosen], Canonical]
    switches: tuple[Switch, ...] = ()

    def chosen(self, mapping: Mapping[str, str | Sequence[str]]) -> Chosen:
        """Return the setting of every switch, the default where a mapping has none."""
        return {switch.name: str(mapping.get(switch.name, switch.allowed[0])) for switch in self.switches}
