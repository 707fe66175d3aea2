"""What stands in one cell as JSON: lists and objects that are no columns of their own."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from data.formats.parts.table import Table


def value_of(cell: str) -> Any:
    """The list or object in a cell; None where there is none."""
    if cell[:1] not in ("[", "{"):
        return None
    try:
        return json.loads(cell)
    except (ValueError, RecursionError):
        return None


def objects_of(cell: str) -> list[Mapping[str, Any]]:
    """The objects in a cell's list."""
    told = value_of(cell)
    return [each for each in told if isinstance(each, dict)] if isinstance(told, list) else []


def text_of(value: Any) -> str:
    """An answer as text: several labels as one, "cat + dog", and the path to a label with slashes."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        paths = ["/".join(map(str, each)) if isinstance(each, list) else str(each) for each in value]
        return " + ".join(sorted(paths))
    return str(value)


def first_filled(table: Table, name: str) -> Iterator[str]:
    """The filled cells of a column in the first rows."""
    return (row[name] for row in table.first_rows() if row.get(name))
