"""Answers with a column for each option, of which one or several are marked: `tone.good` holds true, `clarity:3` 3."""

import re
from collections.abc import Mapping, Sequence

from data.formats.parts.columns import filled
from data.formats.parts.table import Cells, Table
from data.tables.sniffed import is_number

Options = Mapping[str, Mapping[str, str]]
"""The columns of each answer with their labels."""
_MARKS = ("true", "on", "1", "1.0")
_NO_MARKS = ("false", "0", "0.0", "")
_POINT = re.compile(r"(?:scale[ _-]?)?(\d+)")


def options_of(rows: Sequence[Cells], names: Mapping[str, tuple[str, str]]) -> Options:
    """Return the columns that hold nothing but marks, or their point of a scale; `names` are the answer and the label
    that each column's name tells."""
    found: dict[str, dict[str, str]] = {}
    for name, (answer, label) in names.items():
        point = _POINT.fullmatch(label)
        told = point[1] if point else label
        marks = {*_MARKS, *_NO_MARKS, *([told] if point else [])}
        if {cell.casefold() for cell in filled(rows, name)} <= marks:
            found.setdefault(answer, {})[name] = told
    return {answer: labels for answer, labels in found.items() if len(labels) > 1}


def marked(row: Cells, labels: Mapping[str, str]) -> list[str]:
    """Return the labels of the columns that are marked."""
    return [
        label
        for name, label in labels.items()
        if row[name].casefold() in _MARKS or (row[name] == label != "0" and is_number(label))
    ]


def fold(table: Table, options: Options) -> Table:
    """Return the table with one column for each answer, which holds the labels that are marked."""
    folded = {name for labels in options.values() for name in labels}
    kept = tuple(name for name in table.names if name not in folded)

    def of_row(row: Cells) -> Cells:
        answers = {answer: " + ".join(marked(row, labels)) for answer, labels in options.items()}
        return {name: row[name] for name in kept} | answers

    return table.derived((*kept, *options), of_row) if options else table
