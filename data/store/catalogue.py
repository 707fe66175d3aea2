# ruff: noqa: S608 - the only names in statements are ours; values are parameters
"""Statements on the catalogue: a row per data set, links with readers' keys, and reports.

A reader's key is looked up by its SHA-256, by one statement whatever the key is, so that the time it takes
tells nothing about it: neither how many of its characters are right nor whether it ever led anywhere.

All parts of a data set are inserted and removed here, its import report too, so that none can be forgotten. Results are
cached until the database changes: a query takes ten times as long.
"""

import hashlib
import json
import re
import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import accumulate, takewhile
from typing import Any
from urllib.parse import parse_qs, urlsplit

import duckdb
import pyarrow

from analysis.values.estimate import shorten, thousands
from data.dataset import Column, Dataset
from data.engines.database import Database
from data.engines.schema import table_of
from data.errors import Damaged, DataError, NotFound, OverLimit
from data.importing.report import ImportReport
from data.queries import summed
from data.store import sums

MAX_NAME_LENGTH = 120
"""Characters that the name of a link or a data set may have, so that it fits into a list."""
MAX_LINKS = 100
"""Live links that a data set may have: a page lists them all."""
_MAX_VIEW_LENGTH = 20_000
IS_LIVE = "revoked IS NULL AND (expires IS NULL OR expires > $now)"
_LINK = 'link, dataset, name, "view", created, expires'


@dataclass(frozen=True)
class Link:
    """Link to a data set.

    key : the key in an address
    name : empty for the link in the owner's own address
    view : the page that it opens, with its controls (`/repetitions?shuffles=10`), or empty
    created, expires : times in UTC; without `expires` it is valid until it is revoked
    """

    key: str
    dataset: str
    name: str
    view: str
    created: datetime
    expires: datetime | None


def digest(key: str) -> str:
    """Return the SHA-256 by which a key is looked up; any text is allowed.

    >>> digest("sample-summaries")[:8]
    '69aae1be'
    """
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()


def to_utc(moment: datetime) -> datetime:
    """Return a time as the catalogue stores it: in UTC without a time zone."""
    return moment.astimezone(UTC).replace(tzinfo=None)


def now() -> datetime:
    return to_utc(datetime.now(UTC))


def validate_name(name: str, subject: str) -> str:
    """Return a name as it is stored; raise `DataError` if it is empty or too long."""
    name = name.encode("utf-8", "replace").decode().strip()
    if not name:
        raise DataError(f"{subject} needs a name; type one")
    if len(name) > MAX_NAME_LENGTH:
        raise DataError(
            f"the name has {thousands(len(name))} characters, {subject} may have one of {MAX_NAME_LENGTH} at most; "
            "shorten it"
        )
    return name


def own_key(cursor: duckdb.DuckDBPyConnection, dataset: str) -> str | None:
    """Return the key of the owner's own address, None if there is no live one."""
    row = cursor.execute(
        f"SELECT link FROM links WHERE dataset = $dataset AND name IS NULL AND {IS_LIVE} "
        "ORDER BY created, link LIMIT 1",
        {"dataset": dataset, "now": now()},
    ).fetchone()
    return None if row is None else str(row[0])


def live_links(cursor: duckdb.DuckDBPyConnection, dataset: str) -> list[Link]:
    """Return the live links of a data set: the owner's own first, then the newest first."""
    rows = cursor.execute(
        f"SELECT {_LINK} FROM links WHERE dataset = $dataset AND {IS_LIVE} "
        "ORDER BY name IS NOT NULL, created DESC, link",
        {"dataset": dataset, "now": now()},
    ).fetchall()
    return [_link_of_row(row) for row in rows]


def insert_link(
    cursor: duckdb.DuckDBPyConnection,
    dataset: str,
    key: str = "",
    name: str = "",
    view: str = "",
    expires: datetime | None = None,
) -> Link:
    """Insert a link, with a new random key unless one is given."""
    link = Link(key or secrets.token_hex(16), dataset, name, view, datetime.now(UTC), expires)
    cursor.execute(
        f"INSERT INTO links ({_LINK}, digest) VALUES (?, ?, ?, ?, ?, ?, ?)",
        [
            link.key,
            dataset,
            name or None,
            view or None,
            to_utc(link.created),
            None if expires is None else to_utc(expires),
            digest(link.key),
        ],
    )
    return link


def validate_view(view: str) -> str:
    """Return a view as it is stored; raise `DataError` if it is no address of a page or holds a key."""
    view = view.encode("utf-8", "replace").decode()
    if len(view) > _MAX_VIEW_LENGTH:
        raise DataError("the address of this view is too long for a link; choose fewer things and try again")
    if view and (not view.startswith("/") or view.startswith("//")):
        raise DataError("a view is a page and its controls, such as /repetitions?shuffles=10")
    if "d" in parse_qs(urlsplit(view).query, keep_blank_values=True):
        raise DataError("a view holds no key; leave d out of it")
    return view


def validate_expiry(expires: datetime | None) -> datetime | None:
    """Return the expiry of a link in UTC; raise `DataError` if it is in the past."""
    if expires is not None and to_utc(expires) <= now():
        raise DataError("a link cannot end in the past; choose a later day")
    return None if expires is None else expires.astimezone(UTC)


def check_link_limit(cursor: duckdb.DuckDBPyConnection, dataset: str) -> None:
    """Raise `OverLimit` if a data set has the maximum number of live links."""
    if len(live_links(cursor, dataset)) >= MAX_LINKS:
        raise OverLimit(
            f"this data set already has {MAX_LINKS} links, the most that one may have; "
            "revoke one that is no longer needed"
        )


def renew_link(cursor: duckdb.DuckDBPyConnection, dataset: str, key: str) -> Link:
    """Replace a link by one with a new key, and revoke the old key."""
    for link in live_links(cursor, dataset):
        if link.key == key:
            revoke_links(cursor, dataset, key)
            return insert_link(cursor, dataset, name=link.name, view=link.view, expires=link.expires)
    raise NotFound("there is no such link")


def revoke_links(cursor: duckdb.DuckDBPyConnection, dataset: str, key: str | None = None) -> None:
    """Revoke one link of a data set, or all of them without a key."""
    key_condition = "" if key is None else "AND digest = $digest"
    values: dict[str, object] = {"now": now(), "dataset": dataset}
    if key is not None:
        values["digest"] = digest(key)
    cursor.execute(
        f"UPDATE links SET revoked = $now WHERE dataset = $dataset AND revoked IS NULL {key_condition}",
        values,
    )


def _link_of_row(row: tuple[Any, ...]) -> Link:
    key, dataset, name, view, created, expires = row
    return Link(
        key,
        dataset,
        name or "",
        view or "",
        created.replace(tzinfo=UTC),
        None if expires is None else expires.replace(tzinfo=UTC),
    )


_COLUMNS = (
    *("id", "kind", "name", '"columns"', "mapping", "sha256", "rows_kept", "rows_set_aside", "created"),
    *("workspace", "replaces", "used", "summed"),
)
_DATASET_COLUMNS = ", ".join(f"datasets.{column}" for column in _COLUMNS)
_ID = re.compile(r"[0-9a-f]{32}")


def dataset_of(cursor: duckdb.DuckDBPyConnection, id: str) -> Dataset:
    """Return the data set with this id; raise `NotFound` if there is none."""
    rows = _ID.fullmatch(id) and _select_datasets(cursor, "WHERE id = $id", {"id": id})
    if not rows:
        raise NotFound("there is no such data set")
    return rows[0]


def list_workspace(cursor: duckdb.DuckDBPyConnection, workspace: str) -> list[Dataset]:
    """Return a workspace's data sets, the newest first."""
    return _select_datasets(cursor, "WHERE workspace = $workspace", {"workspace": workspace})


def by_key(cursor: duckdb.DuckDBPyConnection, key: str) -> Dataset | None:
    """Return the data set of a live key, None if there is none."""
    match = find_by_key(cursor, key)
    return match[0] if match else None


def find_by_key(cursor: duckdb.DuckDBPyConnection, key: str) -> tuple[Dataset, datetime | None] | None:
    """Return the data set of a live key and the key's expiry, by the same statement for every key."""
    row = cursor.execute(
        f"SELECT {_DATASET_COLUMNS}, links.expires FROM datasets JOIN links ON links.dataset = datasets.id "
        f"WHERE links.digest = $digest AND {IS_LIVE} ORDER BY datasets.created DESC, datasets.id LIMIT 1",
        {"digest": digest(key), "now": now()},
    ).fetchone()
    return (_dataset_of_row(row[:-1]), row[-1]) if row else None


def insert_dataset(cursor: duckdb.DuckDBPyConnection, dataset: Dataset, sample_version: str | None) -> None:
    columns = json.dumps([[column.name, column.role] for column in dataset.columns])
    cursor.execute(
        f"INSERT INTO datasets ({', '.join(_COLUMNS)}, sample_version) "
        f"VALUES ({', '.join('?' * (len(_COLUMNS) + 1))})",
        [
            dataset.id,
            dataset.kind,
            dataset.name,
            columns,
            json.dumps(dict(dataset.mapping)),
            dataset.sha256,
            dataset.rows_kept,
            dataset.rows_set_aside,
            to_utc(dataset.created),
            dataset.workspace,
            dataset.replaces,
            to_utc(dataset.used),
            dataset.summed or None,
            sample_version,
        ],
    )


def sample_version(cursor: duckdb.DuckDBPyConnection, id: str) -> str | None:
    """Return the version of a built-in study, None for other data sets."""
    row = cursor.execute("SELECT sample_version FROM datasets WHERE id = ?", [id]).fetchone()
    return None if row is None else row[0]


def rename_dataset(cursor: duckdb.DuckDBPyConnection, id: str, name: str) -> None:
    cursor.execute("UPDATE datasets SET name = ? WHERE id = ?", [name, id])


def move_workspace(cursor: duckdb.DuckDBPyConnection, workspace: str, new_workspace: str) -> int:
    """Move all data sets of a workspace to another one, and return their number."""
    count = len(list_workspace(cursor, workspace))
    cursor.execute("UPDATE datasets SET workspace = ? WHERE workspace = ?", [new_workspace, workspace])
    return count


def remove_dataset(cursor: duckdb.DuckDBPyConnection, id: str) -> None:
    """Remove a data set with all its parts; the versions before and after it are linked with each other."""
    removed = dataset_of(cursor, id)
    cursor.execute("UPDATE datasets SET replaces = ? WHERE replaces = ?", [removed.replaces, id])
    cursor.execute(f"DROP TABLE {table_of(id)}")
    if removed.summed:
        sums.drop(cursor, id)
    cursor.execute("DELETE FROM datasets WHERE id = ?", [id])
    cursor.execute("DELETE FROM links WHERE dataset = ?", [id])
    cursor.execute("DELETE FROM reports WHERE dataset = ?", [id])
    cursor.execute("DELETE FROM kept_views WHERE dataset = ?", [id])


def _select_datasets(
    cursor: duckdb.DuckDBPyConnection, where: str, values: dict[str, object]
) -> list[Dataset]:
    rows = cursor.execute(
        f"SELECT {_DATASET_COLUMNS} FROM datasets {where} ORDER BY datasets.created DESC, datasets.id", values
    ).fetchall()
    return [_dataset_of_row(row) for row in rows]


def _dataset_of_row(row: tuple[Any, ...]) -> Dataset:
    values = dict(zip((name.strip('"') for name in _COLUMNS), row, strict=True))
    values["columns"] = tuple(Column(*column) for column in json.loads(values["columns"]))
    sources = json.loads(values["mapping"]).items()
    values["mapping"] = {
        name: tuple(source) if isinstance(source, list) else source for name, source in sources
    }
    values |= {name: values[name].replace(tzinfo=UTC) for name in ("created", "used")}
    return Dataset(**values | {"summed": bool(values["summed"])})


@contextmanager
def record_damage(database: Database, id: str) -> Iterator[None]:
    """Record that a data set, or the catalogue (""), is damaged; raise `NotFound` if it was deleted meanwhile."""
    try:
        yield
    except Damaged:
        database.unreadable.add(id)
        raise
    except duckdb.CatalogException as error:
        raise NotFound("there is no such data set any more") from error


def last_used(cursor: duckdb.DuckDBPyConnection, dataset: str) -> datetime | None:
    """Return the time when a data set was last opened, None if it was deleted."""
    row = cursor.execute("SELECT used FROM datasets WHERE id = ?", [dataset]).fetchone()
    return None if row is None else row[0]


def set_last_used(cursor: duckdb.DuckDBPyConnection, dataset: str, day: datetime) -> None:
    cursor.execute("UPDATE datasets SET used = ? WHERE id = ?", [day, dataset])


_MAX_CELL_LENGTH = 200
_MAX_SENTENCE_LENGTH = 2_000
_MAX_SENTENCES = 200
_MAX_REJECTS_LENGTH = 1_000_000
"""Total characters of rejected rows that are stored."""


def insert_report(
    cursor: duckdb.DuckDBPyConnection,
    dataset: str,
    file: str,
    report: ImportReport,
    made_from: Sequence[Mapping[str, object]] = (),
) -> None:
    stored = report_as_dict(file, report) | ({"made_from": list(made_from)} if made_from else {})
    cursor.execute("INSERT INTO reports VALUES (?, ?)", [dataset, json.dumps(stored)])


def load_report(cursor: duckdb.DuckDBPyConnection, dataset: str) -> dict[str, Any] | None:
    """Return the report of a data set, None for those that were saved before reports were stored."""
    row = cursor.execute("SELECT report FROM reports WHERE dataset = ?", [dataset]).fetchone()
    return None if row is None else dict(json.loads(row[0]))


def report_as_dict(file: str, report: ImportReport) -> dict[str, Any]:
    """Return a report as it is stored: the fields of `ImportReport` and the file's name, with long texts shortened.

    `rejects` are the first ones within the limit; `rejected` is their total number.
    """
    return {
        "file": shorten(file.encode("utf-8", "replace").decode(), _MAX_CELL_LENGTH),
        "files": [shorten(name, _MAX_CELL_LENGTH) for name in report.files],
        "rows_read": report.rows_read,
        "kept": report.kept,
        "set_aside": report.set_aside,
        "check_rows": report.check_rows,
        "unrepeated": report.unrepeated,
        "rejected": report.rejects.total,
        "reasons": [
            {"column": shorten(column, _MAX_CELL_LENGTH), "reason": reason, "rows": rows}
            for column, reason, rows in report.reasons
        ],
        "warnings": _shorten_sentences(report.warnings),
        "notes": _shorten_sentences(report.notes),
        "doubts": _shorten_sentences(report.doubtful),
        "rejects": _shorten_rejects(report),
    }


def _shorten_rejects(report: ImportReport) -> list[dict[str, Any]]:
    files = report.rejects.file.tolist()
    rejects = [
        ({"file": shorten(files[index], _MAX_CELL_LENGTH)} if files else {})
        | {
            "line": int(line),
            "column": shorten(str(column), _MAX_CELL_LENGTH),
            "reason": str(reason),
            "value": shorten(str(value), _MAX_CELL_LENGTH),
        }
        for index, (line, column, reason, value) in enumerate(
            zip(
                report.rejects.line,
                report.rejects.column,
                report.rejects.reason,
                report.rejects.value,
                strict=True,
            )
        )
    ]
    sizes = accumulate(len(json.dumps(reject)) for reject in rejects)
    return rejects[: sum(1 for _ in takewhile(_MAX_REJECTS_LENGTH.__ge__, sizes))]


def _shorten_sentences(values: tuple[str, ...]) -> list[str]:
    return [shorten(sentence, _MAX_SENTENCE_LENGTH) for sentence in values[:_MAX_SENTENCES]]


MAX_KEYS = 1000


class KeyCache:
    """Least recently used cache of valid keys, each with the state of the database in which it was valid.

    Invalid keys are looked up each time, in the same way.
    """

    def __init__(self) -> None:
        self._datasets_by_key: OrderedDict[str, tuple[int, Dataset, datetime | None]] = OrderedDict()
        self._lock = threading.Lock()

    def look_up(
        self, state: int, key: str, find_by_key: Callable[[], tuple[Dataset, datetime | None] | None]
    ) -> Dataset | None:
        """Return the data set of a key in this `state` of the database; `find_by_key` queries it."""
        key_digest = digest(key)
        with self._lock:
            cached_state, dataset, expires = self._datasets_by_key.get(key_digest, (None, None, None))
        if cached_state == state and (expires is None or expires > now()):
            return dataset
        entry = find_by_key()
        if entry is None:
            return None
        with self._lock:
            self._datasets_by_key[key_digest] = state, *entry
            self._datasets_by_key.move_to_end(key_digest)
            while len(self._datasets_by_key) > MAX_KEYS:
                self._datasets_by_key.popitem(last=False)
        return entry[0]


MAX_WORKSPACES = 100


class WorkspaceCache:
    """Least recently used cache of the data sets of workspaces, each with the state of the database."""

    def __init__(self) -> None:
        self._datasets: OrderedDict[str, tuple[int, tuple[Dataset, ...]]] = OrderedDict()
        self._lock = threading.Lock()

    def look_up(self, state: int, workspace: str, fetch: Callable[[], list[Dataset]]) -> list[Dataset]:
        """Return the data sets of a workspace in this `state` of the database; `fetch` queries it."""
        with self._lock:
            cached_state, datasets = self._datasets.get(workspace, (None, ()))
        if cached_state != state:
            datasets = tuple(fetch())
        with self._lock:
            self._datasets[workspace] = state, datasets
            self._datasets.move_to_end(workspace)
            while len(self._datasets) > MAX_WORKSPACES:
                self._datasets.popitem(last=False)
        return list(datasets)


MAX_CACHED_ROWS = 1_000_000
"""Rows cached of all views together; the most recent view is always cached."""


class ExcludedRatersCache:
    """Cache of the sums of excluded raters by view; they stay valid because a saved data set never changes."""

    def __init__(self) -> None:
        self._by_view: OrderedDict[tuple[str, tuple[str, ...]], pyarrow.Table] = OrderedDict()
        self._lock = threading.Lock()

    def register_sums(self, cursor: duckdb.DuckDBPyConnection, dataset: Dataset) -> None:
        """Register the sums of a view with a cursor as `summed.EXCLUDED`."""
        key = dataset.id, dataset.without
        with self._lock:
            table = self._by_view.get(key)
        if table is None:
            statement = summed.excluded_sums(dataset)
            table = cursor.execute(statement.sql, {"without": list(dataset.without)}).to_arrow_table()
        with self._lock:
            self._by_view[key] = table
            self._by_view.move_to_end(key)
            while len(self._by_view) > 1 and sum(map(len, self._by_view.values())) > MAX_CACHED_ROWS:
                self._by_view.popitem(last=False)
        cursor.register(summed.EXCLUDED, table)
