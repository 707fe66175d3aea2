"""Records of names and values, as JSON has them, become a table: a column for each name, a row for each record.

Where they begin and end in a text is found without reading what is in them: no file has to fit in memory. An object in
a record becomes columns with its name before theirs (`meta.item`); lists stay in one cell, as JSON.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from analysis.values.estimate import thousands
from data.errors import OverLimit, UnreadableFile
from data.formats.parts.cells import are_leaves
from data.formats.parts.format import Aside, Canonical, Made
from data.formats.parts.writing import write
from data.kinds.likely_names import look_like_measures, look_like_people
from data.settings import from_environment, shown
from data.tables.text import CHUNK, MAX_LINE, Text

LARGEST = 16 << 20
"""Characters of one record; as Python objects they take forty times as much at worst."""
_TOKEN = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*(?P<end>"|\\?\Z)|[\[\]{}]', re.DOTALL)
_REST_OF_STRING = re.compile(r'[^"\\]*+(?:\\.[^"\\]*+)*("|\\?\Z)', re.DOTALL)
_SHOWN = 200

Piece = tuple[int, str]
"""The text of a record and the line on which it begins."""


def split(path: Path, outer: int) -> Iterator[Piece | Aside]:
    """Yield the objects and lists nested in `outer` lists: 1 for those of one list, 0 for those one after the other."""
    splitter = _Splitter(outer)
    with path.open(encoding="utf-8-sig", errors="surrogateescape", newline="") as file:
        while chunk := file.read(CHUNK):
            yield from splitter.feed(chunk)
    yield from splitter.end()


def _before_quote(chunk: str, begin: int) -> int:
    """Return the index at which the backslashes before the first quotation mark begin, or those at the end if there is
    no mark.

    A string ends there at the earliest; `str.find` is many times faster than a pattern.

    >>> _before_quote(r'ab\\"', 0), _before_quote(r'a\\b', 0), _before_quote(r'\"', 1)
    (2, 3, 1)
    """
    quote = chunk.find('"', begin)
    text_before = chunk[:quote] if quote >= 0 else chunk
    return max(begin, len(text_before.rstrip("\\")))


class _Splitter:
    def __init__(self, outer: int) -> None:
        self._outer = outer
        self._depth = 0
        self._line = self._begun = 1
        self._in_string = self._escaped = False
        self._parts: list[str] = []
        self._size = 0

    def feed(self, chunk: str) -> Iterator[Piece | Aside]:
        """Yield the records that end in this piece of the text."""
        start = counted_to = kept_from = 0
        if self._in_string:
            end_of_string = _REST_OF_STRING.match(chunk, _before_quote(chunk, int(self._escaped)))
            assert end_of_string is not None
            self._see_string(end_of_string[1])
            start = end_of_string.end()
        outside = start
        for token in _TOKEN.finditer(chunk, start):
            mark = token[0]
            if token["end"] is not None:
                self._see_string(token["end"])
            elif mark in "[{":
                if self._depth == self._outer:
                    self._line += chunk.count("\n", counted_to, token.start())
                    counted_to = kept_from = token.start()
                    yield from self._report_text_between(chunk[outside:kept_from])
                    self._begun = self._line
                self._depth += 1
                if self._depth == self._outer:
                    outside = token.end()
            elif self._depth > self._outer:
                self._depth -= 1
                if self._depth == self._outer:
                    self._keep(chunk[kept_from : token.end()])
                    outside = token.end()
                    yield self._take_record()
            else:
                yield from self._report_text_between(chunk[outside : token.start()])
                self._depth = max(self._depth - 1, 0)
        if self._depth > self._outer:
            self._keep(chunk[kept_from:])
        elif self._depth == self._outer:
            yield from self._report_text_between(chunk[outside:])
        self._line += chunk.count("\n", counted_to)

    def end(self) -> Iterator[Piece | Aside]:
        """Yield an unfinished record or list at the end of the file."""
        if self._depth > self._outer:
            beginning = "".join(self._parts)[:_SHOWN]
            yield Aside(self._begun, "", "the file ends in the middle of this record", beginning)
        elif self._depth > 0:
            yield Aside(self._line, "", "the file ends before its list of records does", "")

    def _see_string(self, end: str) -> None:
        self._in_string = end != '"'
        self._escaped = end == "\\"

    def _report_text_between(self, text: str) -> Iterator[Aside]:
        unexpected = text.strip(" \t\r\n,")
        if unexpected:
            yield Aside(self._line, "", "this is no object of names and values", unexpected[:_SHOWN])

    def _keep(self, text: str) -> None:
        self._size += len(text)
        if self._size <= LARGEST or not self._parts:
            self._parts.append(text if self._size <= LARGEST else text[:_SHOWN])

    def _take_record(self) -> Piece | Aside:
        text, size = "".join(self._parts), self._size
        self._parts, self._size = [], 0
        if size > LARGEST:
            reason = f"the record is longer than {thousands(LARGEST)} characters"
            return Aside(self._begun, "", reason, text[:_SHOWN])
        return self._begun, text


Record = tuple[int, Mapping[str, Any]]
"""A record and the line on which it begins."""
_MOST_FLAT = 200
"""Columns above which objects in records are no columns of their own: their names are then rather values."""


def table_of(
    records: Callable[[], Iterable[Record | Aside]],
    folder: Path,
    encoding: str,
    notes: tuple[str, ...] = (),
    flat: bool = True,
) -> Text:
    """Return the table of the records that `records` yields at each call: once for the names and once for the rows."""
    limits = from_environment()
    names: dict[str, None] = {}
    top_level_names: dict[str, None] = {}
    maps: set[str] = set()
    for record in (record for record in records() if not isinstance(record, Aside)):
        top_level_names.update(dict.fromkeys(record[1]))
        if len(top_level_names) > limits.columns:
            raise OverLimit(
                f"the records of this file have more than {shown('columns', limits.columns)} different names, of which "
                f"each is a column; at most so many can be read. Upload the ratings in long "
                "form, one record per rating"
            )
        flat = flat and len(names) <= _MOST_FLAT
        if flat:
            names.update(dict.fromkeys(_flatten(record[1], maps)))
    flat = flat and len(names) <= _MOST_FLAT
    prefixes = tuple(f"{name}." for name in maps)
    columns = (
        tuple(name for name in names if not name.startswith(prefixes)) if flat else tuple(top_level_names)
    )
    rows = _rows(records(), columns, maps if flat else None)
    canonical = Canonical(tuple(_header(name) for name in columns), rows, notes=notes)
    try:
        return write(canonical, folder, encoding, limits, "records", "record of this file can be read").text
    except UnicodeEncodeError as error:
        raise UnreadableFile(
            "the names in this file hold bytes or characters that are not valid Unicode; save it again as UTF-8"
        ) from error


def cell(value: Any) -> str:
    """Return a value as the text of a cell."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, bool | list | dict | tuple):
        return json.dumps(value, ensure_ascii=False)
    return str(value)


def _header(name: str) -> str:
    return " ".join(name.replace("\0", "").split())


def _flatten(record: Mapping[str, Any], maps: set[str], prefix: str = "") -> dict[str, Any]:
    """Return the values of a record and of objects in it, except of objects whose names are values, which are added to
    `maps`."""
    values: dict[str, Any] = {}
    are_levels = _share_list_names(record)
    for name, value in record.items():
        is_level = isinstance(value, dict) and (are_levels or not _is_map(value))
        if is_level and prefix + name not in maps:
            values |= _flatten(value, maps, f"{prefix}{name}.")
        else:
            values[prefix + name] = value
            maps |= {prefix + name} if isinstance(value, dict) else set()
    return values


def _share_list_names(record: Mapping[str, Any]) -> bool:
    """Return True if all values of a record are objects of lists with the same names, none of them of people."""
    if len(record) < 2 or not all(isinstance(columns, dict) for columns in record.values()):
        return False
    names = {tuple(sorted(columns)) for columns in record.values()}
    lists = all(
        isinstance(values, list) and are_leaves(values)
        for columns in record.values()
        for values in columns.values()
    )
    return lists and len(names) == 1 and max(map(look_like_people, (*names, [*record]))) < 0.5


def _is_map(value: Mapping[str, Any]) -> bool:
    """Return True where the names are rather values: of lists, or of people with an answer each."""
    if all(isinstance(item, list) for item in value.values()):
        lists_of_answers = all(map(are_leaves, value.values())) and look_like_measures([*value]) >= 0.6
        return bool(value) and not lists_of_answers
    return are_leaves(value.values()) and look_like_people([*value]) >= 0.9


def _rows(
    records: Iterable[Record | Aside], columns: tuple[str, ...], maps: set[str] | None
) -> Iterator[Made]:
    headers = [(_header(name), name) for name in columns]
    for record in records:
        if isinstance(record, Aside):
            yield _printable(record)
            continue
        line, values = record
        rows = values if maps is None else _flatten(values, maps)
        cells = {header: cell(rows.get(name)) for header, name in headers}
        reason = _reason_against_row(cells)
        yield _printable(Aside(line, "", reason, beginning(values))) if reason else (line, cells)


def beginning(values: Mapping[str, Any]) -> str:
    """Return the first characters of a record as Python writes it, without writing out long texts."""
    short = {name: value[:200] if isinstance(value, str) else value for name, value in values.items()}
    return str(short)[:200]


def _reason_against_row(cells: Mapping[str, str]) -> str:
    """Return the reason why these cells cannot be a row; "" where they can."""
    text = "".join(cells.values())
    if len(text) > MAX_LINE or len(text) + text.count('"') + 3 * len(cells) + 20 > MAX_LINE:
        return f"the record is longer than {thousands(MAX_LINE)} characters"
    if "\0" in text:
        return "the record holds a NUL character, a sign of a damaged file"
    try:
        text.encode()
    except UnicodeEncodeError:
        return "the record holds bytes or characters that are not valid Unicode"
    return ""


def _printable(aside: Aside) -> Aside:
    """Return a row set aside without NUL and invalid characters."""
    value = aside.value.encode("utf-8", "replace").decode().replace("\0", "\ufffd")
    return Aside(aside.line, aside.column, aside.reason, value)
