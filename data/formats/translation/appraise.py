"""Scores of Appraise, as the WMT exports them: no header, one row per score of a segment or document.

Annotator, system, item number, type (TGT, BAD, REF or CHK), source and target language, score, document, whether the
score is of the whole document, and, where there are more, error spans and the seconds since 1970 of start and end.
"""

from collections.abc import Iterator

from data.formats.parts.format import Canonical, Chosen, Format
from data.formats.parts.nested import objects_of, value_of
from data.formats.parts.responses import Response, table_of
from data.formats.parts.table import Cells, Table
from data.tables.sniffed import Switch, is_number
from data.tables.sniffing import looked_at

_SCORE = Switch(
    "@score",
    "A rating is",
    ("the score", "the weighted sum of error spans: major 5, minor 1"),
    "With error spans, the rating is a penalty as in MQM: less is better, and a segment without errors is 0.",
)
_WEIGHTS = {"major": 5, "minor": 1, "critical": 5}
_TYPES = {"TGT", "BAD", "REF", "CHK"}


def _knows(table: Table) -> bool:
    first = [*table.sample[:50]] if not table.sniffed.header else [list(table.names), *table.sample[:50]]
    return len(table.names) >= 9 and all(
        row[3].split("(")[0] in _TYPES
        and is_number(row[6])
        and row[8].strip().casefold() in ("true", "false")
        for row in first
    )


def _canonical(table: Table, chosen: Chosen) -> Canonical:
    table = Table(table.text, *looked_at(table.text, header_rows=0))
    rater, system, number, type, source, target, score, document, whole = table.names[:9]
    started, ended = table.names[-2:] if len(table.names) >= 11 else ("", "")
    spans = table.names[9] if len(table.names) in (10, 12) else ""
    by_spans = chosen[_SCORE.name] == _SCORE.allowed[1]

    def responses(line: int, row: Cells) -> Iterator[Response]:
        doc = row[document].partition("#")[0]
        segment = f"{doc}#{row[number]}"
        is_tutorial = "tutorial" in f"{row[system]} {row[document]}".casefold()
        check = row[type] if row[type].startswith(("BAD", "CHK")) else "tutorial" if is_tutorial else ""
        seconds = ""
        if started and is_number(row[started]) and is_number(row[ended]):
            seconds = f"{float(row[ended]) - float(row[started])}"
        judged = "document" if row[whole].casefold() == "true" else "segment"
        yield Response(
            f"{segment}__{row[system]}",
            row[rater],
            {score: _penalty(row.get(spans, "")) if by_spans else row[score]},
            {
                "measure": judged + (" penalty" if by_spans else ""),
                "system": row[system],
                "system_kind": "person" if row[type].startswith("REF") else "",
                "topic": segment,
                "split": f"{row[source]}-{row[target]}",
                "check": check,
                "submitted": row.get(ended, ""),
            },
            seconds=seconds,
            told_by=(spans, row.get(spans, "")),
        )

    notes = [
        "Rows of a tutorial, or of the type BAD or CHK, are check rows: "
        "the score of a BAD translation must lie below that of its twin."
    ]
    if by_spans:
        notes.append("A rating is the sum of a row's error spans: a penalty, of which less is better.")
    nothing = "the row holds no error spans with a severity"
    return table_of(table, responses, [score], nothing, notes=notes)


def _penalty(cell: str) -> str:
    """The weighted sum of the error spans in a cell; empty where there is no list, or an error without a severity."""
    told = value_of(cell)
    if not isinstance(told, list):
        return ""
    weights = [_WEIGHTS.get(str(each.get("severity", "")).casefold()) for each in objects_of(cell)]
    known = [weight for weight in weights if weight is not None]
    return str(sum(known)) if len(known) == len(told) else ""


FORMAT = Format("Appraise (WMT)", _knows, _canonical, (_SCORE,))
