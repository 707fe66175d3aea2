"""Annotations as the alternative annotator test takes them: `{annotator: {item: value}}`."""

from collections.abc import Iterator

from data.formats.files.json_records import LEAVES
from data.formats.parts.answers import known_of
from data.formats.parts.format import Aside, Canonical, Chosen, Format, Made
from data.formats.parts.table import Cells, Table
from data.tables.sniffed import Switch

_KEYS = Switch(
    "@keys",
    "The file names",
    ("annotators, then items", "items, then annotators"),
    "Which of the two levels of names in the file are the annotators: the outer ones as in the alternative annotator "
    "test, or the inner ones.",
)
_COLUMNS = ("item", "rater", "answer")


def _knows(table: Table) -> bool:
    return table.names == LEAVES


def _canonical(table: Table, chosen: Chosen) -> Canonical:
    rater, item, answer = LEAVES
    if chosen[_KEYS.name] == _KEYS.allowed[1]:
        rater, item = item, rater

    def of_row(line: int, row: Cells) -> Iterator[Made]:
        if row[answer]:
            yield line, {"item": row[item], "rater": row[rater], "answer": row[answer]}
        else:
            yield Aside(line, answer, "the annotator gave no value", row[item])

    known = known_of(_COLUMNS, (row[answer] for row in table.first_rows()))
    return Canonical(_COLUMNS, table.made(of_row), known)


FORMAT = Format("AltTest", _knows, _canonical, (_KEYS,))
