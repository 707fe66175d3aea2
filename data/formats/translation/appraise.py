"""Scores of Appraise, as the WMT exports them: no header, one row per score of a segment or document.

Annotator, system, item number, type (TGT, BAD, REF or CHK), source and target language, score, document, whether the
score is of the whole document, and, where there are more, error spans and the seconds since 1970 of start and end.
"""

from collections.abc import Iterator

from data.formats.parts.answers import known_of
from data.formats.parts.format import Canonical, Chosen, Format, Made
from data.formats.parts.table import Cells, Table
from data.tables.sniffed import is_number
from data.tables.sniffing import looked_at

_TYPES = {"TGT", "BAD", "REF", "CHK"}
_COLUMNS = (
    "item", "rater", "answer", "measure", "system", "system_kind", "topic", "split", "check", "expected", "seconds",
    "submitted",
)  # fmt: skip


def _knows(table: Table) -> bool:
    first = [*table.sample[:50]] if not table.sniffed.header else [list(table.names), *table.sample[:50]]
    return len(table.names) >= 9 and all(
        row[3].split("(")[0] in _TYPES
        and is_number(row[6])
        and row[8].strip().casefold() in ("true", "false")
        for row in first
    )


def _canonical(table: Table, chosen: Chosen) -> Canonical:
    table = Table(table.text, *looked_at(table.text, header=False))
    rater, system, number, type, source, target, score, document, whole = table.names[:9]
    started, ended = table.names[-2:] if len(table.names) >= 11 else ("", "")

    def of_row(line: int, row: Cells) -> Iterator[Made]:
        doc = row[document].partition("#")[0]
        is_check = row[type].startswith(("BAD", "CHK"))
        seconds = ""
        if started and is_number(row[started]) and is_number(row[ended]):
            seconds = f"{float(row[ended]) - float(row[started]):.6g}"
        yield (
            line,
            {
                "item": f"{doc}#{row[number]}__{row[system]}",
                "rater": row[rater],
                "answer": row[score],
                "measure": "document" if row[whole].casefold() == "true" else "segment",
                "system": row[system],
                "system_kind": "person" if row[type].startswith("REF") else "",
                "topic": f"{doc}#{row[number]}",
                "split": f"{row[source]}-{row[target]}",
                "check": row[type] if is_check else "",
                "seconds": seconds,
                "submitted": row[ended] if ended else "",
            },
        )

    notes = (
        "Rows of the type BAD or CHK are check rows: the score of a BAD translation must lie below that of its twin.",
    )
    answers = (row[score] for row in table.first_rows())
    return Canonical(_COLUMNS, table.made(of_row), known_of(_COLUMNS, answers), notes)


FORMAT = Format("Appraise (WMT)", _knows, _canonical)
