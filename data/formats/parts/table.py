"""A table of text as a format sees it: names, the first rows, and all rows one after the other."""

import csv
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from data.formats.parts.format import Aside, Made
from data.tables.rows import Fault, fits, ragged, rows
from data.tables.sniffed import Sniffed, SniffedColumn
from data.tables.text import Text

Cells = dict[str, str]
"""The cells of a row by their column, without white space around them."""


@dataclass(frozen=True)
class Table:
    """`sample` are the first rows, `sniffed` what is known of the columns by them."""

    text: Text
    sniffed: Sniffed
    sample: Sequence[Sequence[str]]

    @property
    def names(self) -> tuple[str, ...]:
        return self.sniffed.names

    @cached_property
    def lower(self) -> frozenset[str]:
        """The names in lower case: platforms change that from version to version."""
        return frozenset(name.casefold() for name in self.names)

    def column(self, name: str) -> SniffedColumn | None:
        return next((column for column in self.sniffed.columns if column.name == name), None)

    def prefixed(self, prefix: str) -> tuple[str, ...]:
        """The columns whose names begin so, in any case."""
        return tuple(name for name in self.names if name.casefold().startswith(prefix.casefold()))

    def first_rows(self) -> Iterator[Cells]:
        for row in self.sample:
            yield {name: cell.strip() for name, cell in zip(self.names, row, strict=False)}

    def all_rows(self) -> Iterator[tuple[int, Cells] | Aside]:
        """Every row with its line; one that cannot be read is set aside."""
        names, width, optional = self.names, self.sniffed.width, self.sniffed.short_by
        made = self.text.aside
        if made:
            with made.open(encoding="utf-8", newline="") as aside:
                yield from (Aside(int(line), *told) for line, *told in csv.reader(aside))
        for row in rows(self.text.whole().path, self.sniffed.before, self.sniffed.delimiter):
            if isinstance(row, Fault):
                yield Aside(row.line, "", row.reason, row.value)
            elif made:
                cells = dict(zip(names, map(str.strip, row.cells), strict=False))
                yield int(row.cells[width]), cells
            elif not fits(row, width, optional):
                told = ragged(row, width, self.text, self.sniffed.header)
                yield Aside(row.line, "", told, self.sniffed.delimiter.join(row.cells)[:200])
            else:
                padded = [*row.cells, *[""] * optional]
                yield row.line, {name: cell.strip() for name, cell in zip(names, padded, strict=False)}

    def made(self, of_row: Callable[[int, Cells], Iterable[Made]]) -> Iterator[Made]:
        """What `of_row` makes of every row that can be read, with those that cannot."""
        for row in self.all_rows():
            if isinstance(row, Aside):
                yield row
            else:
                yield from of_row(*row)
