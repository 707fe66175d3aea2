"""Doccano's JSON lines: one example per line with the list of its labels, one file per annotator."""

from collections.abc import Iterator

from data.formats.parts.answers import known_of
from data.formats.parts.columns import filled
from data.formats.parts.format import ONE_RATER, UNNAMED, Aside, Canonical, Chosen, Format, Made
from data.formats.parts.nested import first_filled, text_of, value_of
from data.formats.parts.table import Cells, Table

_TEXTS = ("text", "data", "filename")
_LABELS = ("label", "labels", "cats")
_RATERS = ("annotator", "username", "user")
_COLUMNS = ("item", "rater", "answer", "text")


def _label_of(table: Table) -> str:
    return next((name for name in _LABELS if name in table.names), "")


def _knows(table: Table) -> bool:
    """Return True where labels are texts; where they are spans of the text, nobody rated anything. A file of examples
    without labels is one, too."""
    label = _label_of(table)
    cells = [value_of(cell) for cell in first_filled(table, label)] if label else []
    return (
        "id" in table.names
        and any(name in table.names for name in _TEXTS)
        and bool(cells)
        and all(isinstance(told, list) and all(isinstance(each, str) for each in told) for told in cells)
    )


def _canonical(table: Table, chosen: Chosen) -> Canonical:
    label = _label_of(table)
    rows = list(table.first_rows())
    rater = next((name for name in _RATERS if name in table.names and filled(rows, name)), "")
    text = next(name for name in _TEXTS if name in table.names)
    notes = () if rater else (ONE_RATER,)

    def of_row(line: int, row: Cells) -> Iterator[Made]:
        answer = text_of(value_of(row[label]))
        if not answer:
            yield Aside(line, label, "the example has no label", "")
            return
        yield (
            line,
            {
                "item": row["id"],
                "rater": row[rater] if rater else UNNAMED,
                "answer": answer,
                "text": row[text],
            },
        )

    given = (text_of(value_of(row[label])) for row in rows)
    return Canonical(_COLUMNS, table.made(of_row), known_of(_COLUMNS, given), notes)


FORMAT = Format("Doccano", _knows, _canonical)
