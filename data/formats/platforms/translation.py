"""Translations rated in the WMT's campaigns: direct assessments, scores of Appraise, and errors of MQM.

Appraise writes no header, one row per score of a segment or document: annotator, system, item number, type (TGT, BAD,
REF or CHK), languages, score, document, whether it is of the whole document, and perhaps error spans, start and end. An
MQM rating is the weighted sum of a rater's errors in a segment; weights as in Freitag et al. (TACL 2021), table 12.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from data.formats.parts.cells import filled, objects_of, value_of
from data.formats.parts.format import Aside, Canonical, Cells, Chosen, Format, Made, Table, has_columns
from data.formats.parts.responses import Response, known_mapping, table_of
from data.tables.sniffed import Switch, is_number
from data.tables.sniffing import inspect_text

_SCORE = Switch(
    "@score",
    "A rating is",
    ("the score", "the weighted sum of error spans: major 5, minor 1"),
    "With error spans, the rating is a penalty as in MQM: less is better, and a segment without errors is 0.",
)
_WEIGHTS = {"major": 5, "minor": 1, "critical": 5}
_TYPES = {"TGT", "BAD", "REF", "CHK"}


def _recognizes_appraise(table: Table) -> bool:
    first = [*table.sample[:50]] if not table.sniffed.header else [list(table.names), *table.sample[:50]]
    return len(table.names) >= 9 and all(
        row[3].split("(")[0] in _TYPES
        and is_number(row[6])
        and row[8].strip().casefold() in ("true", "false")
        for row in first
    )


def _appraise(table: Table, chosen: Chosen) -> Canonical:
    table = Table(table.text, *inspect_text(table.text, header_rows=0))
    rater, system, number, type, source, target, score, document, is_document_column = table.names[:9]
    start_column, end_column = table.names[-2:] if len(table.names) >= 11 else ("", "")
    spans = table.names[9] if len(table.names) in (10, 12) else ""
    by_spans = chosen[_SCORE.name] == _SCORE.allowed[1] or (  # or nothing else tells one from another
        {*filled(table.head, score)} == {"0"} and any(map(_penalty, filled(table.head, spans)))
    )

    def responses(line: int, row: Cells) -> Iterator[Response]:
        doc = row[document].partition("#")[0]
        segment = f"{doc}#{row[number]}"
        is_tutorial = "tutorial" in f"{row[system]} {row[document]}".casefold()
        check = row[type] if row[type].startswith(("BAD", "CHK")) else "tutorial" if is_tutorial else ""
        timed = start_column and is_number(row[start_column]) and is_number(row[end_column])
        seconds = str(float(row[end_column]) - float(row[start_column])) if timed else ""
        unit = "document" if row[is_document_column].casefold() == "true" else "segment"
        yield Response(
            f"{segment}__{row[system]}",
            row[rater],
            {score: _penalty(row.get(spans, "")) if by_spans else row[score]},
            {
                "measure": unit + (" penalty" if by_spans else ""),
                "system": row[system],
                "system_kind": "person" if row[type].startswith("REF") else "",
                "topic": segment,
                "split": f"{row[source]}-{row[target]}",
                "check": check,
                "submitted": row.get(end_column, ""),
            },
            seconds=seconds,
            no_answer_cell=(spans, row.get(spans, "")),
        )

    notes = [
        "Rows of a tutorial, or of the type BAD or CHK, are check rows: "
        "the score of a BAD translation must lie below that of its twin."
    ]
    if by_spans:
        notes.append("A rating is the sum of a row's error spans: a penalty, of which less is better.")
    no_spans = "the row holds no error spans with a severity"
    return table_of(table, responses, [score], no_spans, notes=notes)


def _penalty(cell: str) -> str:
    """Return the weighted sum of the error spans in a cell; empty where there is no list, or an error without a
    severity."""
    value = value_of(cell)
    severities = [str(each.get("severity", "")).casefold() for each in objects_of(cell)]
    weights = [_WEIGHTS[severity] for severity in severities if severity in _WEIGHTS]
    return str(sum(weights)) if isinstance(value, list) and len(weights) == len(value) else ""


_NO_ERROR = ("no-error", "noerror", "no error", "neutral", "none")
_ERRORS = ("minor", "major", "critical")
_MARKS = re.compile(r"</?v>")
_SEGMENT = ("globalsegid", "docsegid", "seg_id", "segid", "segment_id", "segment")
_DOCUMENT = ("doc", "docid", "doc_id", "document")
_WEIGHTING = Switch(
    "@weights",
    "Weights of errors",
    (
        "major 5, minor 1, minor punctuation 0.1, non-translation 25",
        "major 5, minor 1",
        "major 10, minor 1",
        "every error 1",
    ),
    "A rating is the sum of a rater's weighted errors in a segment; a segment without errors is 0.",
)
_COLUMNS = ("item", "rater", "answer", "measure", "system", "topic", "errors", "text")
_MEASURE = "MQM penalty"
"""A name that says that less is better: systems are ranked by it."""


@dataclass
class _Sum:
    line: int
    row: Cells
    penalty: float = 0.0
    errors: int = 0


def _mqm(table: Table, chosen: Chosen) -> Canonical:
    system, rater, category, severity, target = (
        table.first(name) for name in ("system", "rater", "category", "severity", "target")
    )
    segment, document = table.first(*_SEGMENT), table.first(*_DOCUMENT)

    def ratings() -> Iterator[Made]:
        sums: dict[tuple[str, ...], _Sum] = {}
        for row in table.all_rows():
            if isinstance(row, Aside):
                yield row
                continue
            line, cells = row
            weight = _weight(cells[category].casefold(), cells[severity].casefold(), chosen[_WEIGHTING.name])
            if weight is None:
                yield Aside(
                    line, severity, "the severity is neither minor, major nor no error", cells[severity]
                )
                continue
            key = (cells[document] if document else "", cells[segment], cells[system], cells[rater])
            of_rating = sums.setdefault(key, _Sum(line, cells))
            of_rating.penalty += weight
            of_rating.errors += weight > 0
        for (doc, seg, made_by, rated_by), of_rating in sums.items():
            yield (
                of_rating.line,
                {
                    "item": "__".join(part for part in (f"{doc}#{seg}" if doc else seg, made_by) if part),
                    "rater": rated_by,
                    "answer": f"{of_rating.penalty:.10g}",
                    "measure": _MEASURE,
                    "system": made_by,
                    "topic": doc,
                    "errors": str(of_rating.errors),
                    "text": _MARKS.sub("", of_rating.row[target]) if target else "",
                },
            )

    note = (
        f"A rating is the sum of a rater's errors in a segment ({chosen[_WEIGHTING.name]}): a penalty, of which less "
        "is better. A segment that a rater found without errors is 0."
    )
    return Canonical(_COLUMNS, ratings(), known_mapping(_COLUMNS, ["0"]), (note,))


def _weight(category: str, severity: str, weights: str) -> float | None:
    """Return the weight of an error; None for an unknown severity."""
    if severity in _NO_ERROR or category in _NO_ERROR:
        return 0.0
    if severity not in _ERRORS:
        return None
    if weights == "every error 1":
        return 1.0
    if severity == "minor":
        return 0.1 if "0.1" in weights and "punctuation" in category else 1.0
    if "non-translation 25" in weights and category.replace("-", "").startswith("nontranslation"):
        return 25.0
    return 10.0 if "major 10" in weights else 5.0


_DIRECT = {"workerid", "sid", "sys_id", "type", "score"}


def _direct(table: Table, chosen: Chosen) -> Canonical:
    names = ("workerid", "sid", "sys_id", "type", "score", "Input.src", "Input.trg")
    rater, number, system, type, score, source, target = map(table.first, names)

    def responses(line: int, row: Cells) -> Iterator[Response]:
        check = "" if row[type] in ("SYSTEM", "REPEAT") else row[type]
        languages = [row[name] for name in (source, target) if name]
        known_of_row = {
            "system": row[system],
            "topic": row[number],
            "split": "-".join(languages),
            "check": check,
        }
        item = f"{row[number]}__{row[system]}{f'__{check}' if check else ''}"
        yield Response(item, row[rater], {score: row[score]}, known_of_row)

    note = "Rows of a type other than SYSTEM and REPEAT, such as BAD_REF, are check rows. Times are not used."
    return table_of(table, responses, [score], "the row holds no score", notes=[note])


def _recognizes_direct(table: Table) -> bool:
    return table.lower >= _DIRECT and "SYSTEM" in filled(table.head, table.first("type"))


def _type_of_rows(table: Table) -> str:
    """Return the column that tells translations from check rows, as Appraise calls both; "" where there is none."""
    for name in table.names if table.sniffed.header else ():
        types = {*filled(table.head, name)}
        if "TGT" in types and len(types) > 1 and types <= _TYPES:
            return name
    return ""


def _without_checks(table: Table, chosen: Chosen) -> Canonical:
    type = _type_of_rows(table)

    def translations() -> Iterator[Made]:
        for row in table.all_rows():
            if not isinstance(row, Aside) and row[1][type] in ("BAD", "CHK"):
                yield Aside(row[0], type, "the row checks the rater", row[1][type])
            else:
                yield row

    note = f'Rows of the type BAD or CHK ("{type}") check raters and are set aside.'
    return Canonical(table.names, translations(), None, (note,))


FORMATS = (
    Format("Direct assessment (WMT)", _recognizes_direct, _direct),
    Format("MQM TSV", has_columns("system", "rater", "category", "severity", _SEGMENT), _mqm, (_WEIGHTING,)),
    Format("Appraise (WMT)", _recognizes_appraise, _appraise, (_SCORE,)),
    Format("translations and check rows", lambda table: bool(_type_of_rows(table)), _without_checks),
)
