# ruff: noqa: S608 - the only names in statements are ours; values are parameters
"""Views of a data set that people named and kept."""

import secrets
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import duckdb

from analysis.values.estimate import thousands
from data.errors import DataError, NotFound, OverLimit
from data.settings import Settings
from data.store import catalogue

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
