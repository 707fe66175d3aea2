"""Cells of a platform's table: content of a column, lists and objects as JSON, and a column for each option."""

import ast
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from data.formats.parts.format import Cells, Table
from data.tables.sniffed import is_constant_in, is_number


def filled(rows: Iterable[Cells], *names: str) -> list[str]:
    """Return the cells of some columns that are not empty."""
    return [row[name] for row in rows for name in names if row.get(name)]


def constant_within(rows: Iterable[Cells], name: str, keys: Sequence[str]) -> bool:
    """Return True where the filled cells of a column are equal in all rows that agree in the `keys`."""
    rows = [*rows]
    return is_constant_in((tuple(row[key] for key in keys) for row in rows), (row[name] for row in rows))


def item_column(rows: Sequence[Cells], names: Sequence[str]) -> str | None:
    """Return the column that names the item: all others are the same in all rows that agree in it; the one of most
    values that repeat, and the shortest cells."""
    names = [name for name in names if may_name({row[name] for row in rows})]
    values = {name: {row[name] for row in rows} for name in names}
    lengths: Mapping[str, int] = {name: sum(map(len, values[name])) for name in names}
    candidates = (
        name
        for name in names
        if len(values[name]) > 1
        and "" not in values[name]
        and all(constant_within(rows, other, [name]) for other in names if other != name)
    )
    return min(candidates, key=lambda name: (-len(values[name]), lengths[name]), default=None)


_LONGEST_LITERAL = 100_000


def may_name(cells: Iterable[str]) -> bool:
    """Return True where these may be names, and are no measured numbers."""
    return not all(is_number(cell) and not float(cell).is_integer() for cell in cells)


def value_of(cell: Any) -> Any:
    """Return the list or object in a cell, in JSON or as Python writes it; None where there is none. Other values
    stay."""
    if not isinstance(cell, str):
        return cell
    if cell[:1] not in ("[", "{", "("):
        return None
    with suppress(ValueError, RecursionError):
        return json.loads(cell)
    with suppress(ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        value = ast.literal_eval(cell) if len(cell) <= _LONGEST_LITERAL else None
        return list(value) if isinstance(value, tuple) else value if isinstance(value, list | dict) else None
    return None


def are_leaves(values: Iterable[Any]) -> bool:
    """Return True where these are neither lists nor objects."""
    return not any(isinstance(value, dict | list) for value in values)


def object_of(cell: Any) -> Mapping[str, Any]:
    """Return the object itself, or that in a cell; an empty one where there is none."""
    value = value_of(cell)
    return value if isinstance(value, dict) else {}


def objects_of(cell: Any) -> list[Mapping[str, Any]]:
    """Return the objects in a list, or in the list of a cell."""
    value = value_of(cell)
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def text_of(value: Any) -> str:
    """Return an answer as text: of a list its only label, else all of them as JSON, and the path to a label with
    slashes."""
    if value is None or isinstance(value, bool):
        return "" if value is None else str(value).lower()
    if isinstance(value, list):
        labels = sorted({"/".join(map(str, item)) if isinstance(item, list) else str(item) for item in value})
        return labels[0] if len(labels) == 1 else json.dumps(labels, ensure_ascii=False)
    return str(value)


_MANY_LABELS, _LONGEST_LABEL = 100, 60
"""Most different labels of a question, unless they repeat, and most characters of one: else lists are no sets."""


def labels_of(answer: str) -> list[str]:
    """Return the labels of an answer that `text_of` made."""
    value = value_of(answer)
    return [str(label) for label in value] if isinstance(value, list) else [answer] if answer else []


def are_sets(answers: Iterable[str]) -> bool:
    """Return True where answers, as `text_of` makes them, are sets of labels, some of several."""
    label_lists = [labels_of(answer) for answer in answers]
    labels = Counter(label for labels_of_answer in label_lists for label in labels_of_answer)
    return (
        any(len(labels_of_answer) > 1 for labels_of_answer in label_lists)
        and len(labels) <= max(_MANY_LABELS, labels.total() / 2)
        and all(len(label) <= _LONGEST_LABEL for label in labels)
    )


def as_set(answer: str) -> str:
    """Return an answer as a set of labels; "" stays none."""
    return json.dumps(labels_of(answer), ensure_ascii=False) if answer else ""


def as_label(answer: str) -> str:
    """Return an answer as one label, of several such as "cat + dog"; "" for none."""
    return " + ".join(labels_of(answer))


Options = Mapping[str, Mapping[str, str]]
"""The columns of each answer with their labels."""
_MARKS = ("true", "on", "1", "1.0")
_NO_MARKS = ("false", "0", "0.0", "")
_POINT = re.compile(r"(?:scale[ _-]?)?(\d+)")


def options_of(rows: Sequence[Cells], names: Mapping[str, tuple[str, str]]) -> Options:
    """Return the columns that hold nothing but marks, or their point of a scale; `names` are the answer and the label
    that each column's name tells."""
    options_by_answer: dict[str, dict[str, str]] = {}
    for name, (answer, label) in names.items():
        point = _POINT.fullmatch(label)
        option = point[1] if point else label
        marks = {*_MARKS, *_NO_MARKS, *([option] if point else [])}
        if {cell.casefold() for cell in filled(rows, name)} <= marks:
            options_by_answer.setdefault(answer, {})[name] = option
    return {answer: labels for answer, labels in options_by_answer.items() if len(labels) > 1}


def marked(row: Cells, labels: Mapping[str, str]) -> list[str]:
    """Return the labels of the columns that are marked."""
    return [
        label
        for name, label in labels.items()
        if row[name].casefold() in _MARKS or (row[name] == label != "0" and is_number(label))
    ]


def fold(table: Table, options: Options) -> Table:
    """Return the table with one column for each answer, which holds the labels that are marked."""
    option_columns = {name for labels in options.values() for name in labels}
    other_columns = tuple(name for name in table.names if name not in option_columns)

    def of_row(row: Cells) -> Cells:
        answers = {answer: text_of(marked(row, labels)) for answer, labels in options.items()}
        return {name: row[name] for name in other_columns} | answers

    return table.derived((*other_columns, *options), of_row) if options else table
