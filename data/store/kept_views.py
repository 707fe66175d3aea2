# ruff: noqa: S608 - the only names in statements are ours; values are parameters
"""Kept views: pages of a data set saved under a name, with all their controls."""

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
    """Kept view.

    `view` is the page with its controls (`/repetitions?shuffles=10`), without a data set's key. With `shared`,
    everybody with a link to the data set sees the view and its note. `created` is in UTC.
    """

    id: str
    dataset: str
    name: str
    view: str
    note: str
    shared: bool
    created: datetime


def list_views(cursor: duckdb.DuckDBPyConnection, dataset: str, shared_only: bool = False) -> list[KeptView]:
    """Return a data set's kept views in the order of their names, optionally only the shared ones."""
    rows = cursor.execute(
        f"SELECT {_VIEW} FROM kept_views WHERE dataset = $dataset AND (shared OR NOT $shared_only) "
        "ORDER BY lower(name), created, id",
        {"dataset": dataset, "shared_only": shared_only},
    ).fetchall()
    return [_view_of_row(row) for row in rows]


def validate_note(note: str, settings: Settings) -> str:
    """Return a note as it is stored; raise `DataError` if it is too long."""
    note = note.encode("utf-8", "replace").decode().strip()
    if len(note) > settings.note:
        raise DataError(
            f"the note has {thousands(len(note))} characters, one may have {thousands(settings.note)} at most; "
            "shorten it"
        )
    return note


def check_view_limit(cursor: duckdb.DuckDBPyConnection, dataset: str, settings: Settings) -> None:
    """Raise `OverLimit` if a data set has the maximum number of kept views."""
    if len(list_views(cursor, dataset)) >= settings.views:
        raise OverLimit(
            f"this data set already has {thousands(settings.views)} kept views, the most that "
            "it may have; remove one that is no longer needed"
        )


def insert_view(
    cursor: duckdb.DuckDBPyConnection, dataset: str, name: str, view: str, note: str, shared: bool
) -> KeptView:
    """Insert a kept view and return it."""
    kept_view = KeptView(secrets.token_hex(16), dataset, name, view, note, shared, datetime.now(UTC))
    cursor.execute(
        f"INSERT INTO kept_views ({_VIEW}) VALUES (?, ?, ?, ?, ?, ?, ?)",
        [kept_view.id, dataset, name, view, note, shared, catalogue.to_utc(kept_view.created)],
    )
    return kept_view


def update_view(
    cursor: duckdb.DuckDBPyConnection, dataset: str, id: str, name: str, note: str, shared: bool
) -> KeptView:
    """Change the name, note and sharing of a kept view; its address stays."""
    cursor.execute(
        "UPDATE kept_views SET name = ?, note = ?, shared = ? WHERE dataset = ? AND id = ?",
        [name, note, shared, dataset, id],
    )
    for kept_view in list_views(cursor, dataset):
        if kept_view.id == id:
            return kept_view
    raise NotFound("there is no such view any more")


def remove_view(cursor: duckdb.DuckDBPyConnection, dataset: str, id: str) -> None:
    cursor.execute("DELETE FROM kept_views WHERE dataset = ? AND id = ?", [dataset, id])


def _view_of_row(row: tuple[Any, ...]) -> KeptView:
    id, dataset, name, view, note, shared, created = row
    return KeptView(id, dataset, name, view, note, shared, created.replace(tzinfo=UTC))
