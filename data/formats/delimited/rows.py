"""From lines of text to rows of cells, whatever is in them: a row that cannot be read costs itself only."""

import csv
import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from data.formats.delimited.text import MAX_LINE

csv.field_size_limit(MAX_LINE)


@dataclass(frozen=True)
class Fault:
    """A row that cannot be read: its line, why, and the beginning of its text."""

    line: int
    reason: str
    value: str


@dataclass(frozen=True)
class Row:
    """One row of cells, and the first and last line of the file that it stands on."""

    line: int
    last_line: int
    cells: list[str]


def rows(path: Path, skip: int, delimiter: str) -> Iterator[Row | Fault]:
    """The rows of a text from line `skip + 1` on, whatever is in it; blank lines are no rows.

    A quotation mark that is never closed costs its own line only: reading goes on after that line.
    """
    with path.open(encoding="utf-8-sig", errors="surrogateescape", newline="") as file:
        numbered = numbered_lines(file)
        for _ in range(skip):
            next(numbered, None)
        yield from rows_of_lines(numbered, delimiter)


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
    pending: deque[tuple[int, str]] = deque()
    taken: list[tuple[int, str]] = []
    ended = False

    def feed() -> Iterator[str]:
        nonlocal ended
        ended = False
        while True:
            number, line = pending.popleft() if pending else next(numbered, (0, ""))
            if number == 0:
                ended = True
                return
            taken.append((number, line))
            yield line

    reader = csv.reader(feed(), delimiter=delimiter)
    while True:
        taken.clear()
        reason = ""
        cells: list[str] = []
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error:
            reason = f"a cell is longer than {MAX_LINE:,} characters"
            if len(taken) > 1:
                reason = f"a quotation mark opens a cell that does not end within {MAX_LINE:,} characters"
        if not reason and ended and _left_open(taken, delimiter):
            reason = "a quotation mark opens a cell that does not end before the file does"
        if reason:
            pending.extendleft(reversed(taken[1:]))
            reader = csv.reader(feed(), delimiter=delimiter)
        line, text = taken[0]
        if len(text) > MAX_LINE:
            reason = f"the line is longer than {MAX_LINE:,} characters"
        elif any("\0" in part for _, part in taken):
            reason = reason or "the row holds a NUL character, a sign of a damaged file"
        elif any("\udc80" <= c <= "\udcff" for _, part in taken if not part.isascii() for c in part):
            reason = reason or "the row holds bytes that are not valid UTF-8"
        if reason:
            yield Fault(line, reason, _shown(text))
        elif cells:
            yield Row(line, taken[-1][0], cells)


def _left_open(taken: list[tuple[int, str]], delimiter: str) -> bool:
    try:
        for _ in csv.reader((text for _, text in taken), delimiter=delimiter, strict=True):
            pass
    except csv.Error as error:
        return "unexpected end" in str(error)
    return False


def _shown(text: str) -> str:
    return re.sub("[\0\udc80-\udcff]", "\ufffd", text[:200].rstrip("\r\n"))
