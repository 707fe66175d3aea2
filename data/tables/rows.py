"""From lines of text to rows of cells, whatever is in them: a row that cannot be read costs itself only."""

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
    """A row that cannot be read: its line, why, the beginning of its text, and whether no row can be read after it."""

    line: int
    reason: str
    value: str
    endless: bool = False


@dataclass(frozen=True)
class Row:
    """One row of cells, and the first and last line of the file that it stands on."""

    line: int
    last_line: int
    cells: list[str]


def rows(path: Path, skip: int, delimiter: str) -> Iterator[Row | Fault]:
    """The rows of a text from line `skip + 1` on, whatever is in it; blank lines are no rows.

    A quotation mark that the end of the file leaves open costs its own line only: reading goes on after that line. One
    that opens a row of more than `MAX_LINE` characters ends the reading.
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
    has = f"has {cells} where the {'header' if header else 'first row'} has {thousands(width)}"
    if len(row.cells) < width and row.last_line == text.lines and not text.ended:
        return f"{CUT}, which {has}"
    return f"the row {has}"


def numbered_lines(file: TextIO) -> Iterator[tuple[int, str]]:
    """Lines with their numbers; of an over-long one only the beginning, which is longer than `MAX_LINE`."""
    number = 0
    while line := file.readline(MAX_LINE + 1):
        number += 1
        yield number, line
        while len(line) > MAX_LINE and line[-1] not in "\r\n":
            line = file.readline(MAX_LINE + 1)
            if len(line) <= MAX_LINE:
                break


def rows_of_lines(numbered: Iterator[tuple[int, str]], delimiter: str) -> Iterator[Row | Fault]:
    """Looks at each line at most three times: at its beginning, inside a cell, and for its cells."""
    ahead = _Ahead(numbered, delimiter)
    feed: deque[str] = deque()
    reader = csv.reader(iter(feed.popleft, None), delimiter=delimiter)
    while ahead.has_lines():
        number, lines, reason = ahead.number, 1, ""
        text = ahead.lines[0]
        if len(text) > MAX_LINE:
            reason = f"the line is longer than {thousands(MAX_LINE)} characters"
        elif not _ends(text, delimiter, inside=False):
            lines, reason = ahead.find_end()
        taken = ahead.take(lines)
        if any("\0" in part for part in taken):
            reason = reason or "the row holds a NUL character, a sign of a damaged file"
        elif any(_DAMAGE.search(part) for part in taken if not part.isascii()):
            reason = reason or "the row holds bytes that are not valid UTF-8"
        if reason:
            yield Fault(number, reason, _shown(text), reason == ENDLESS)
            continue
        feed.extend(taken)
        cells = next(reader)
        if cells:
            yield Row(number, number + len(taken) - 1, cells)


class _Ahead:
    """The lines from the first that is not read yet on, as far as somebody had to look.

    Where a cell goes on over a line's end, its end is the same whichever line opened it. So the lines in which it was
    not found are never searched again.
    """

    def __init__(self, numbered: Iterator[tuple[int, str]], delimiter: str) -> None:
        self.lines: deque[str] = deque()
        self.number = 0
        self._numbered = numbered
        self._delimiter = delimiter
        self._row, self._characters = 1, 0
        """How many lines an open row takes as far as is known, and their length; 0 while nobody looked."""

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
            if self._row == len(self.lines):
                _, line = next(self._numbered, (0, ""))
                if not line:
                    return 1, NEVER_CLOSED
                self.lines.append(line)
            line = self.lines[self._row]
            if self._characters + len(line) > MAX_LINE:
                return 1, ENDLESS
            self._row += 1
            self._characters += len(line)
            if _ends(line, self._delimiter, inside=True):
                return self._row, ""

    def take(self, many: int) -> list[str]:
        """The first lines, which are then read."""
        taken = [self.lines.popleft() for _ in range(many)]
        self.number += len(taken)
        self._row = max(self._row - len(taken), 1)
        self._characters = max(self._characters - sum(map(len, taken)), 0)
        return taken


@cache
def _closed(delimiter: str, inside: bool) -> re.Pattern[str]:
    """Return what a line is at whose end no cell is open, as the csv module reads it.

    Groups may give back what they took: Python 3.11.2 finds too much with those that may not. None can take a line
    in two ways.
    """
    other = f"[^{re.escape(delimiter)}]*+"
    goes_on = f'(?:[^"]++|"")*"(?!"){other}'
    cell = f'(?:"{goes_on}|(?!"){other})'
    return re.compile(f"{goes_on if inside else cell}(?:{re.escape(delimiter)}{cell})*")


def _ends(line: str, delimiter: str, inside: bool) -> bool:
    """Return True where a row ends with a line at whose beginning it is `inside` a quoted cell, or begins."""
    if '"' not in line:
        return not inside
    return _closed(delimiter, inside).fullmatch(line) is not None


def _shown(text: str) -> str:
    return re.sub("[\0\udc80-\udcff]", "\ufffd", text[:200].rstrip("\r\n"))
