"""The import report as it is kept: what became of every row stays known as long as the data set.

As JSON, because it is only ever read whole, and bounded, because a file of nothing but errors must not fill
the catalogue.
"""

import json
from collections.abc import Mapping, Sequence
from itertools import accumulate, takewhile
from typing import Any

import duckdb

from analysis.values.names import shorten
from data.importing.report import ImportReport

_LONGEST_CELL = 200
_LONGEST_SENTENCE = 2_000
_MOST_SENTENCES = 200
_MOST_IN_REJECTS = 1_000_000
"""Characters of rejected rows that are kept, all together."""


def insert(
    cursor: duckdb.DuckDBPyConnection,
    dataset: str,
    file: str,
    report: ImportReport,
    made_from: Sequence[Mapping[str, object]] = (),
) -> None:
    kept = as_dict(file, report) | ({"made_from": list(made_from)} if made_from else {})
    cursor.execute("INSERT INTO reports VALUES (?, ?)", [dataset, json.dumps(kept)])


def report_of(cursor: duckdb.DuckDBPyConnection, dataset: str) -> dict[str, Any] | None:
    """The report of a data set; None for those that were saved before reports were kept."""
    row = cursor.execute("SELECT report FROM reports WHERE dataset = ?", [dataset]).fetchone()
    return None if row is None else dict(json.loads(row[0]))


def as_dict(file: str, report: ImportReport) -> dict[str, Any]:
    """What is kept of a report: the fields of `ImportReport` and the file's name, long texts cut.

    `rejects` are the first ones, as many as the bound lets in; `rejected` is how many there were.
    """
    return {
        "file": shorten(file.encode("utf-8", "replace").decode(), _LONGEST_CELL),
        "files": [shorten(name, _LONGEST_CELL) for name in report.files],
        "rows_read": report.rows_read,
        "kept": report.kept,
        "set_aside": report.set_aside,
        "check_rows": report.check_rows,
        "unrepeated": report.unrepeated,
        "rejected": report.rejects.total,
        "reasons": [
            {"column": shorten(column, _LONGEST_CELL), "reason": reason, "rows": rows}
            for column, reason, rows in report.reasons
        ],
        "warnings": _sentences(report.warnings),
        "notes": _sentences(report.notes),
        "doubts": _sentences(report.doubtful),
        "rejects": _rejects(report),
    }


def _rejects(report: ImportReport) -> list[dict[str, Any]]:
    files = report.rejects.file.tolist()
    cut = [
        ({"file": shorten(files[at], _LONGEST_CELL)} if files else {})
        | {
            "line": int(line),
            "column": shorten(str(column), _LONGEST_CELL),
            "reason": str(reason),
            "value": shorten(str(value), _LONGEST_CELL),
        }
        for at, (line, column, reason, value) in enumerate(
            zip(
                report.rejects.line,
                report.rejects.column,
                report.rejects.reason,
                report.rejects.value,
                strict=True,
            )
        )
    ]
    sizes = accumulate(len(json.dumps(reject)) for reject in cut)
    return cut[: sum(1 for _ in takewhile(_MOST_IN_REJECTS.__ge__, sizes))]


def _sentences(told: tuple[str, ...]) -> list[str]:
    return [shorten(sentence, _LONGEST_SENTENCE) for sentence in told[:_MOST_SENTENCES]]
