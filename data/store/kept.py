# ruff: noqa: S608 - the only names in statements are ours; values are parameters
"""Data kept with a data set: its import report, and views of it that people named."""

import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import accumulate, takewhile
from typing import Any

import duckdb

from analysis.values.estimate import shorten, thousands
from data.errors import DataError, NotFound, OverLimit
from data.importing.report import ImportReport
from data.settings import Settings
from data.store import catalogue

_LONGEST_CELL = 200
_LONGEST_SENTENCE = 2_000
_MOST_SENTENCES = 200
_MOST_IN_REJECTS = 1_000_000
"""Characters of rejected rows that are kept, all together."""


def insert_report(
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
    """Return what is kept of a report: the fields of `ImportReport` and the file's name, long texts cut.

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


_VIEW = 'id, dataset, name, "view", note, shared, created'


@dataclass(frozen=True)
class KeptView:
    """One kept view.

    `view` is the page and its controls (`/repetitions?shuffles=10`), without a data set's key. `shared` says whether
    whoever has a link to the data set sees it and its note, too. `created` is in UTC.
    """

    id: str
    dataset: str
    name: str
    view: str
    note: str
    shared: bool
    created: datetime


def of_dataset(cursor: duckdb.DuckDBPyConnection, dataset: str, shared_only: bool = False) -> list[KeptView]:
    """A data set's kept views in the order of their names; to a reader, those that are shared."""
    rows = cursor.execute(
        f"SELECT {_VIEW} FROM kept_views WHERE dataset = $dataset AND (shared OR NOT $shared_only) "
        "ORDER BY lower(name), created, id",
        {"dataset": dataset, "shared_only": shared_only},
    ).fetchall()
    return [_kept(row) for row in rows]


def checked_note(note: str, settings: Settings) -> str:
    """A note as it is stored."""
    note = note.encode("utf-8", "replace").decode().strip()
    if len(note) > settings.note:
        raise DataError(
            f"the note has {thousands(len(note))} characters, one may have {thousands(settings.note)} at most; "
            "shorten it"
        )
    return note


def check_room(cursor: duckdb.DuckDBPyConnection, dataset: str, settings: Settings) -> None:
    """Raises `OverLimit` where a data set has as many kept views as it may."""
    if len(of_dataset(cursor, dataset)) >= settings.views:
        raise OverLimit(
            f"this data set already has {thousands(settings.views)} kept views, the most that "
            "it may have; remove one that is no longer needed"
        )


def insert_view(
    cursor: duckdb.DuckDBPyConnection, dataset: str, name: str, view: str, note: str, shared: bool
) -> KeptView:
    """A new kept view."""
    kept = KeptView(secrets.token_hex(16), dataset, name, view, note, shared, datetime.now(UTC))
    cursor.execute(
        f"INSERT INTO kept_views ({_VIEW}) VALUES (?, ?, ?, ?, ?, ?, ?)",
        [kept.id, dataset, name, view, note, shared, catalogue.stamp(kept.created)],
    )
    return kept


def change(
    cursor: duckdb.DuckDBPyConnection, dataset: str, id: str, name: str, note: str, shared: bool
) -> KeptView:
    """Another name and note for a kept view, and who sees them; its address stays."""
    cursor.execute(
        "UPDATE kept_views SET name = ?, note = ?, shared = ? WHERE dataset = ? AND id = ?",
        [name, note, shared, dataset, id],
    )
    for kept in of_dataset(cursor, dataset):
        if kept.id == id:
            return kept
    raise NotFound("there is no such view any more")


def remove(cursor: duckdb.DuckDBPyConnection, dataset: str, id: str) -> None:
    cursor.execute("DELETE FROM kept_views WHERE dataset = ? AND id = ?", [dataset, id])


def _kept(row: tuple[Any, ...]) -> KeptView:
    id, dataset, name, view, note, shared, created = row
    return KeptView(id, dataset, name, view, note, shared, created.replace(tzinfo=UTC))
