"""Doccano's JSON lines: one example per line with the list of its labels, one file per annotator."""

from collections.abc import Iterator

from data.formats.parts.columns import filled
from data.formats.parts.format import Canonical, Chosen, Format
from data.formats.parts.nested import first_filled, text_of, value_of
from data.formats.parts.responses import Response, table_of
from data.formats.parts.table import Cells, Table

_TEXTS = ("text", "data", "filename")
_LABELS = ("label", "labels", "cats")
_RATERS = ("annotator", "username", "user")


def _knows(table: Table) -> bool:
    """Return True where labels are texts; where they are spans of the text, nobody rated anything. A file of examples
    without labels is one, too."""
    label = table.first(*_LABELS)
    cells = [value_of(cell) for cell in first_filled(table, label)] if label else []
    return (
        "id" in table.names
        and any(name in table.names for name in _TEXTS)
        and bool(cells)
        and all(isinstance(told, list) and all(isinstance(each, str) for each in told) for told in cells)
    )


def _canonical(table: Table, chosen: Chosen) -> Canonical:
    label = table.first(*_LABELS)
    rows = list(table.first_rows())
    rater = next((name for name in _RATERS if name in table.names and filled(rows, name)), "")
    text = table.first(*_TEXTS)

    def responses(line: int, row: Cells) -> Iterator[Response]:
        answers = {label: text_of(value_of(row[label]))}
        yield Response(row["id"], row.get(rater), answers, {"text": row[text]}, told_by=(label, ""))

    return table_of(table, responses, [label], "the example has no label")


FORMAT = Format("Doccano", _knows, _canonical)
