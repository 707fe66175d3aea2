"""Parse lines of text into rows of cells; an unreadable row does not affect the others."""

import csv
import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TextIO

from analysis.values.estimate import thousands
from data.errors import UnreadableFile
from data.tables.text import MAX_LINE, Text

csv.field_size_limit(MAX_LINE + 1)
_DAMAGE = re.compile("[\udc80-\udcff]")


@dataclass(frozen=True)
class Fault:
    """Unreadable row: its line, the reason, the beginning of its text, and whether reading ends there (`endless`)."""

    line: int
    reason: str
    value: str
    endless: bool = False


@dataclass(frozen=True)
class Row:
    """Row of cells with its first and last line in the file."""

    line: int
    last_line: int
    cells: list[str]


def rows(path: Path, skip: int, delimiter: str) -> Iterator[Row | Fault]:
    """Yield the rows of a text from line `skip + 1` on; blank lines are skipped.

    A quotation mark that is never closed makes only its own line unreadable. One that opens a row of more than
    `MAX_LINE` characters ends the reading.
    """
    with path.open(encoding="utf-8-sig", errors="surrogateescape", newline="") as file:
        numbered = numbered_lines(file)
        for _ in range(skip):
            next(numbered, None)
        for row in rows_of_lines(numbered, delimiter):
            if isinstance(row, Fault) and row.endless:
                raise UnreadableFile(
                    f"in line {thousands(row.line)} {row.reason}. Close it there, write it twice where it belongs to "
                    "the text, or remove it"
                )
            yield row


NEVER_CLOSED = "a quotation mark opens a cell that does not end before the file does"
ENDLESS = f"a quotation mark opens a cell that does not end within {thousands(MAX_LINE)} characters"
CUT = "the file ends in the middle of this row"


def fits(row: Row, width: int, optional: int = 0) -> bool:
    """Return True where a row has a cell for each column; empty ones may follow, and cells for `optional` last ones."""
    cells = len(row.cells)
    return cells in (width, width + optional) or (cells > width and not any(row.cells[width:]))


def ragged(row: Row, width: int, text: Text, header: bool = True) -> str:
    """Return why a row of more or fewer cells than the first is no row; a short one that ends the file without a line
    end was cut off."""
    cells = "1 cell" if len(row.cells) == 1 else f"{thousands(len(row.cells))} cells"
    description = f"has {cells} where the {'header' if header else 'first row'} has {thousands(width)}"
    if len(row.cells) < width and row.last_line == text.lines and not text.ended:
        return f"{CUT}, which {description}"
    return f"the row {description}"


def numbered_lines(file: TextIO) -> Iterator[tuple[int, str]]:
    """Yield lines with their numbers, over-long ones truncated to a little more than `MAX_LINE` characters."""
    number = 0
    while line := file.readline(MAX_LINE + 1):
        number += 1
        yield number, line
        while len(line) > MAX_LINE and line[-1] not in "\r\n":
            line = file.readline(MAX_LINE + 1)
            if len(line) <= MAX_LINE:
                break


def rows_of_lines(numbered: Iterator[tuple[int, str]], delimiter: str) -> Iterator[Row | Fault]:
    """Yield rows and faults, with at most three passes over each line."""
    buffer = _LineBuffer(numbered, delimiter)
    csv_lines: deque[str] = deque()
    reader = csv.reader(iter(csv_lines.popleft, None), delimiter=delimiter)
    while buffer.has_lines():
        number, line_count, reason = buffer.number, 1, ""
        text = buffer.lines[0]
        if len(text) > MAX_LINE:
            reason = f"the line is longer than {thousands(MAX_LINE)} characters"
        elif not _row_ends(text, delimiter, inside=False):
            line_count, reason = buffer.find_end()
        row_lines = buffer.take(line_count)
        if any("\0" in part for part in row_lines):
            reason = reason or "the row holds a NUL character, a sign of a damaged file"
        elif any(_DAMAGE.search(part) for part in row_lines if not part.isascii()):
            reason = reason or "the row holds bytes that are not valid UTF-8"
        if reason:
            yield Fault(number, reason, _printable(text), reason == ENDLESS)
            continue
        csv_lines.extend(row_lines)
        cells = next(reader)
        if cells:
            yield Row(number, number + len(row_lines) - 1, cells)


class _LineBuffer:
    """Buffer of the unread lines that had to be inspected.

    The end of a cell that spans lines does not depend on the line that opened it, so lines without it are not searched
    again.
    """

    def __init__(self, numbered: Iterator[tuple[int, str]], delimiter: str) -> None:
        self.lines: deque[str] = deque()
        self.number = 0
        self._numbered = numbered
        self._delimiter = delimiter
        self._row_lines, self._characters = 1, 0
        """Lines of an open row as far as known, and their length, 0 if not yet known."""

    def has_lines(self) -> bool:
        if self.lines:
            return True
        self.number, line = next(self._numbered, (0, ""))
        if line:
            self.lines.append(line)
        return bool(line)

    def find_end(self) -> tuple[int, str]:
        """Return how many lines the row takes that the first leaves open, or 1 and the reason why it has no end."""
        self._characters = self._characters or len(self.lines[0])
        while True:
            if self._row_lines == len(self.lines):
                _, line = next(self._numbered, (0, ""))
                if not line:
                    return 1, NEVER_CLOSED
                self.lines.append(line)
            line = self.lines[self._row_lines]
            if self._characters + len(line) > MAX_LINE:
                return 1, ENDLESS
            self._row_lines += 1
            self._characters += len(line)
            if _row_ends(line, self._delimiter, inside=True):
                return self._row_lines, ""

    def take(self, count: int) -> list[str]:
        """Remove and return the first lines."""
        lines = [self.lines.popleft() for _ in range(count)]
        self.number += len(lines)
        self._row_lines = max(self._row_lines - len(lines), 1)
        self._characters = max(self._characters - sum(map(len, lines)), 0)
        return lines


@cache
def _closed_pattern(delimiter: str, inside: bool) -> re.Pattern[str]:
    """Return what a line is at whose end no cell is open, as the csv module reads it.

    Groups may give back what they took: Python 3.11.2 finds too much with those that may not. None can take a line
    in two ways.
    """
    unquoted = f"[^{re.escape(delimiter)}]*+"
    rest_of_quoted = f'(?:[^"]++|"")*"(?!"){unquoted}'
    cell = f'(?:"{rest_of_quoted}|(?!"){unquoted})'
    return re.compile(f"{rest_of_quoted if inside else cell}(?:{re.escape(delimiter)}{cell})*")


def _row_ends(line: str, delimiter: str, inside: bool) -> bool:
    """Return True where a row ends with a line at whose beginning it is `inside` a quoted cell, or begins."""
    if '"' not in line:
        return not inside
    return _closed_pattern(delimiter, inside).fullmatch(line) is not None


def _printable(text: str) -> str:
    return re.sub("[\0\udc80-\udcff]", "\ufffd", text[:200].rstrip("\r\n"))
