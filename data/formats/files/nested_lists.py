"""Lists of records within the records of a JSON file, one of which may be chosen as the rows of the table."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from data.errors import BadMapping, listed
from data.formats.files.records import Record, beginning, cell
from data.formats.parts.format import Aside
from data.tables.bounded import check_growth
from data.tables.sniffed import Switch

ROWS = "@rows"
EACH_RECORD = "each record of the file"
"""The setting that takes the records themselves as rows."""
_DEPTH, _MOST, _LOOK = 3, 20, 100
"""Lists within each other, lists that are offered, and records in which they are looked for."""
_LONGEST = 60
"""Characters of the name of a list."""
Path = tuple[str, ...]
"""The names that lead to a list: of a field, of a field of its records, and so on."""


def find_lists(records: Iterable[Mapping[str, Any]]) -> dict[str, Path]:
    """Return the lists of records in the fields of the first records, by the names under which they are chosen."""
    found: dict[str, Path] = {}
    for record in islice(records, _LOOK):
        for path in _paths(record):
            if len(found) < _MOST:
                found.setdefault(".".join(path), path)
    return found


def switch_of(names: Sequence[str]) -> tuple[Switch, ...]:
    """Return the choice between these lists, the first by default; none where there is one list."""
    if len(names) < 2:
        return ()
    told = "The records of this list become the rows, each with the fields of the record that holds it."
    return (Switch(ROWS, "Rows are in", tuple(names), told, reshapes=True),)


def chosen_of(switches: Sequence[Switch], mapping: Mapping[str, str | Sequence[str]]) -> str:
    """Return the list that a mapping asks for; "" for the first, or where there is no choice.

    Raises
    ------
    BadMapping
        where the file has no such list.
    """
    if not switches or ROWS not in mapping:
        return ""
    allowed = switches[0].allowed
    wanted = str(mapping[ROWS])
    if wanted not in allowed:
        raise BadMapping(f"{ROWS} must be one of {listed(allowed)}; got {wanted!r}")
    return "" if wanted == allowed[0] else wanted


def notes_on(chosen: str) -> tuple[str, ...]:
    """Return a sentence on what is left out where a list was chosen."""
    return (
        (f"The rows are the records in {chosen!r}; other lists of records are left out.",) if chosen else ()
    )


def rows_in(records: Iterable[Record | Aside], path: Path, size: int) -> Iterator[Record | Aside]:
    """Yield the records of a list in the records of a file of `size` bytes, with the fields of those around them."""
    written = 0
    for record in records:
        if isinstance(record, Aside):
            yield record
            continue
        line, told = record
        if not path:
            yield record
            continue
        for row in _rows(told, path):
            if isinstance(row, str):
                yield Aside(line, "", row, beginning(told))
                continue
            written += sum(len(cell(value)) for value in row.values())
            check_growth(written, size)
            yield line, row


def _paths(record: Mapping[str, Any], before: Path = ()) -> Iterator[Path]:
    for name, value in islice(record.items(), _LOOK):
        if _is_list(value) and name.isprintable() and 0 < len(name) <= _LONGEST:
            path = (*before, name)
            yield path
            if len(path) < _DEPTH:
                for each in value[:_LOOK]:
                    yield from _paths(each, path)


def _is_list(value: Any) -> bool:
    """Return True for a list of records."""
    return isinstance(value, list) and bool(value) and all(isinstance(each, dict) and each for each in value)


def _rows(record: Mapping[str, Any], path: Path) -> Iterator[Mapping[str, Any] | str]:
    """Yield the records at a path with the fields around them, or why there are none."""
    if not path:
        yield record
        return
    name, own = path[0], _own(record)
    own.pop(name, None)
    entries = record.get(name)
    if not isinstance(entries, list) or not entries:
        yield f"the record holds nothing in the list {name!r}"
        return
    for entry in entries:
        if not isinstance(entry, dict) or not entry:
            yield f"an entry of the list {name!r} is no object of names and values"
            continue
        for row in _rows(entry, path[1:]):
            if isinstance(row, str):
                yield row
            else:
                yield own | {f"{name}.{key}" if key in own else key: value for key, value in row.items()}


def _own(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a record but for its lists of records."""
    return {name: value for name, value in record.items() if not _is_list(value)}
