"""Records of names and values, as JSON has them, become a table: a column for each name, a row for each record.

An object in a record becomes columns with its name before theirs (`meta.item`); lists stay in one cell, as JSON.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from analysis.values.columns import thousands
from data.errors import OverLimit, UnreadableFile
from data.formats.parts.format import Aside, Canonical, Made
from data.formats.parts.writing import write
from data.settings import from_environment, shown
from data.tables.text import MAX_LINE, Text

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
    """The table of what `records` gives each time it is called: once for the names and once for the rows."""
    limits = from_environment()
    names: dict[str, None] = {}
    plain: dict[str, None] = {}
    for record in records():
        if isinstance(record, Aside):
            continue
        plain.update(dict.fromkeys(record[1]))
        if len(plain) > limits.columns:
            raise OverLimit(
                f"the records of this file have more than {shown('columns', limits.columns)} different names, of which "
                f"each is a column; at most so many can be read. Upload the ratings in long "
                "form, one record per rating"
            )
        flat = flat and len(names) <= _MOST_FLAT
        if flat:
            names.update(dict.fromkeys(_flattened(record[1])))
    flat = flat and len(names) <= _MOST_FLAT
    columns = tuple(names if flat else plain)
    rows = _rows(records(), columns, flat)
    canonical = Canonical(tuple(_header(name) for name in columns), rows, notes=notes)
    try:
        return write(canonical, folder, encoding, limits, "records", "record of this file can be read").text
    except UnicodeEncodeError as error:
        raise UnreadableFile(
            "the names in this file hold bytes or characters that are not valid Unicode; save it again as UTF-8"
        ) from error


def cell(value: Any) -> str:
    """A value as it stands in a table."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, bool | list | dict | tuple):
        return json.dumps(value, ensure_ascii=False)
    return str(value)


def _header(name: str) -> str:
    return " ".join(name.replace("\0", "").split())


def _flattened(record: Mapping[str, Any], before: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in record.items():
        if isinstance(value, dict) and not _is_map(value):
            flat |= _flattened(value, f"{before}{name}.")
        else:
            flat[before + name] = value
    return flat


def _is_map(value: Mapping[str, Any]) -> bool:
    """Return whether the names of an object are rather values: all lead to lists."""
    return bool(value) and all(isinstance(each, list) for each in value.values())


def _rows(records: Iterable[Record | Aside], columns: tuple[str, ...], flat: bool) -> Iterator[Made]:
    headers = [(_header(name), name) for name in columns]
    for record in records:
        if isinstance(record, Aside):
            yield _shown(record)
            continue
        line, values = record
        told = _flattened(values) if flat else values
        cells = {header: cell(told.get(name)) for header, name in headers}
        reason = _unfit(cells)
        yield _shown(Aside(line, "", reason, beginning(values))) if reason else (line, cells)


def beginning(values: Mapping[str, Any]) -> str:
    """Return the first characters of a record as Python writes it, without writing out long texts."""
    short = {name: value[:200] if isinstance(value, str) else value for name, value in values.items()}
    return str(short)[:200]


def _unfit(cells: Mapping[str, str]) -> str:
    """Why these cells cannot be a row."""
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


def _shown(aside: Aside) -> Aside:
    """Return what is set aside, without what no text may hold."""
    value = aside.value.encode("utf-8", "replace").decode().replace("\0", "\ufffd")
    return Aside(aside.line, aside.column, aside.reason, value)
