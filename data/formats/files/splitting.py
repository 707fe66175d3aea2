"""Where the records of a JSON text begin and end, found without reading what is in them: no file has to fit in memory,
and a broken record costs itself only."""

import re
from collections.abc import Iterator
from pathlib import Path

from analysis.values.columns import thousands
from data.formats.parts.format import Aside
from data.tables.bounded import CHUNK

LARGEST = 16 << 20
"""Characters of one record; as Python objects they take forty times as much at worst."""
_TOKEN = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*(?P<end>"|\\?\Z)|[\[\]{}]', re.DOTALL)
_REST_OF_STRING = re.compile(r'[^"\\]*+(?:\\.[^"\\]*+)*("|\\?\Z)', re.DOTALL)
_SHOWN = 200

Piece = tuple[int, str]
"""The text of a record and the line on which it begins."""


def split(path: Path, outer: int) -> Iterator[Piece | Aside]:
    """The objects and lists that stand in `outer` lists: 1 for those of one list, 0 for those one after the other."""
    splitter = _Splitter(outer)
    with path.open(encoding="utf-8-sig", errors="surrogateescape", newline="") as file:
        while chunk := file.read(CHUNK):
            yield from splitter.feed(chunk)
    yield from splitter.end()


def _before_quote(chunk: str, begin: int) -> int:
    """Return where the backslashes before the first quotation mark begin, or those at the end if there is no mark.

    A string ends there at the earliest; `str.find` is many times faster than a pattern.

    >>> _before_quote(r'ab\\"', 0), _before_quote(r'a\\b', 0), _before_quote(r'\"', 1)
    (2, 3, 1)
    """
    quote = chunk.find('"', begin)
    before = chunk[:quote] if quote >= 0 else chunk
    return max(begin, len(before.rstrip("\\")))


class _Splitter:
    def __init__(self, outer: int) -> None:
        self._outer = outer
        self._depth = 0
        self._line = self._begun = 1
        self._in_string = self._escaped = False
        self._parts: list[str] = []
        self._size = 0

    def feed(self, chunk: str) -> Iterator[Piece | Aside]:
        """The records that end in this piece of the text."""
        at = counted = kept = 0
        if self._in_string:
            rest = _REST_OF_STRING.match(chunk, _before_quote(chunk, int(self._escaped)))
            assert rest is not None
            self._see_string(rest[1])
            at = rest.end()
        outside = at
        for token in _TOKEN.finditer(chunk, at):
            mark = token[0]
            if token["end"] is not None:
                self._see_string(token["end"])
            elif mark in "[{":
                if self._depth == self._outer:
                    self._line += chunk.count("\n", counted, token.start())
                    counted = kept = token.start()
                    yield from self._between(chunk[outside:kept])
                    self._begun = self._line
                self._depth += 1
                if self._depth == self._outer:
                    outside = token.end()
            elif self._depth > self._outer:
                self._depth -= 1
                if self._depth == self._outer:
                    self._keep(chunk[kept : token.end()])
                    outside = token.end()
                    yield self._taken()
            else:
                yield from self._between(chunk[outside : token.start()])
                self._depth = max(self._depth - 1, 0)
        if self._depth > self._outer:
            self._keep(chunk[kept:])
        elif self._depth == self._outer:
            yield from self._between(chunk[outside:])
        self._line += chunk.count("\n", counted)

    def end(self) -> Iterator[Piece | Aside]:
        """Yield what the end of the file leaves open."""
        if self._depth > self._outer:
            told = "".join(self._parts)[:_SHOWN]
            yield Aside(self._begun, "", "the file ends in the middle of this record", told)
        elif self._depth > 0:
            yield Aside(self._line, "", "the file ends before its list of records does", "")

    def _see_string(self, end: str) -> None:
        self._in_string = end != '"'
        self._escaped = end == "\\"

    def _between(self, text: str) -> Iterator[Aside]:
        told = text.strip(" \t\r\n,")
        if told:
            yield Aside(self._line, "", "this is no object of names and values", told[:_SHOWN])

    def _keep(self, text: str) -> None:
        self._size += len(text)
        if self._size <= LARGEST or not self._parts:
            self._parts.append(text if self._size <= LARGEST else text[:_SHOWN])

    def _taken(self) -> Piece | Aside:
        text, size = "".join(self._parts), self._size
        self._parts, self._size = [], 0
        if size > LARGEST:
            return Aside(
                self._begun, "", f"the record is longer than {thousands(LARGEST)} characters", text[:_SHOWN]
            )
        return self._begun, text
