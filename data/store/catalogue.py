# ruff: noqa: S608 - the only names in statements are ours; values are parameters
"""The catalogue: rows of each data set, and links, the keys by which readers find it, as statements on a cursor.

A reader's key is looked up by its SHA-256, by one statement whatever the key is, so that the time it takes
tells nothing about it: neither how many of its characters are right nor whether it ever led anywhere.

All that belongs to one data set is inserted and removed here, its import report too, so that nothing of it can be
forgotten. What the
database said is known for as long as nobody has changed it: a query needs ten times as long.
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

LONGEST_NAME = 120
"""Characters that the name of a link or a data set may have: it has to fit into a list."""
MOST = 100
"""Live links that a data set may have: a page lists them all."""
_LONGEST_VIEW = 20_000
ALIVE = "revoked IS NULL AND (expires IS NULL OR expires > $now)"
_LINK = 'link, dataset, name, "view", created, expires'


@dataclass(frozen=True)
class Link:
    """One way to a data set.

    `key` is what an address holds. `name` is empty for the one that the owner's own address shows. `view` is
    the page and its controls that it leads to (`/repetitions?shuffles=10`), or empty. Times are in UTC;
    without `expires` it leads there until it is revoked.
    """

    key: str
    dataset: str
    name: str
    view: str
    created: datetime
    expires: datetime | None


def digest(key: str) -> str:
    """The SHA-256 by which a key is looked up, whatever text it is.

    >>> digest("sample-summaries")[:8]
    '69aae1be'
    """
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()


def stamp(moment: datetime) -> datetime:
    """A moment as the catalogue keeps it: in UTC without saying so."""
    return moment.astimezone(UTC).replace(tzinfo=None)


def now() -> datetime:
    return stamp(datetime.now(UTC))


def checked_name(name: str, what: str) -> str:
    """A name as it is stored."""
    name = name.encode("utf-8", "replace").decode().strip()
    if not name:
        raise DataError(f"{what} needs a name; type one")
    if len(name) > LONGEST_NAME:
        raise DataError(
            f"the name has {thousands(len(name))} characters, {what} may have one of {LONGEST_NAME} at most; shorten it"
        )
    return name


def own_key(cursor: duckdb.DuckDBPyConnection, dataset: str) -> str | None:
    """The key of the owner's own address, if there is a live one."""
    row = cursor.execute(
        f"SELECT link FROM links WHERE dataset = $dataset AND name IS NULL AND {ALIVE} "
        "ORDER BY created, link LIMIT 1",
        {"dataset": dataset, "now": now()},
    ).fetchone()
    return None if row is None else str(row[0])


def live(cursor: duckdb.DuckDBPyConnection, dataset: str) -> list[Link]:
    """All links that lead to a data set now: the owner's own first, then the newest first."""
    rows = cursor.execute(
        f"SELECT {_LINK} FROM links WHERE dataset = $dataset AND {ALIVE} "
        "ORDER BY name IS NOT NULL, created DESC, link",
        {"dataset": dataset, "now": now()},
    ).fetchall()
    return [_link(row) for row in rows]


def insert_link(
    cursor: duckdb.DuckDBPyConnection,
    dataset: str,
    key: str = "",
    name: str = "",
    view: str = "",
    expires: datetime | None = None,
) -> Link:
    """A new link, under a new random key unless one is given."""
    link = Link(key or secrets.token_hex(16), dataset, name, view, datetime.now(UTC), expires)
    cursor.execute(
        f"INSERT INTO links ({_LINK}, digest) VALUES (?, ?, ?, ?, ?, ?, ?)",
        [
            link.key,
            dataset,
            name or None,
            view or None,
            stamp(link.created),
            None if expires is None else stamp(expires),
            digest(link.key),
        ],
    )
    return link


def checked_view(view: str) -> str:
    """A view as it is stored."""
    view = view.encode("utf-8", "replace").decode()
    if len(view) > _LONGEST_VIEW:
        raise DataError("the address of this view is too long for a link; choose fewer things and try again")
    if view and (not view.startswith("/") or view.startswith("//")):
        raise DataError("a view is a page and its controls, such as /repetitions?shuffles=10")
    if "d" in parse_qs(urlsplit(view).query, keep_blank_values=True):
        raise DataError("a view holds no key; leave d out of it")
    return view


def checked_expiry(expires: datetime | None) -> datetime | None:
    """A moment until which a link may lead somewhere."""
    if expires is not None and stamp(expires) <= now():
        raise DataError("a link cannot end in the past; choose a later day")
    return None if expires is None else expires.astimezone(UTC)


def check_room(cursor: duckdb.DuckDBPyConnection, dataset: str) -> None:
    """Raises `OverLimit` where a data set has as many live links as it may."""
    if len(live(cursor, dataset)) >= MOST:
        raise OverLimit(
            f"this data set already has {MOST} links, the most that one may have; "
            "revoke one that is no longer needed"
        )


def renew(cursor: duckdb.DuckDBPyConnection, dataset: str, key: str) -> Link:
    """The same link under a new key; the old one leads nowhere from now on."""
    for link in live(cursor, dataset):
        if link.key == key:
            revoke(cursor, dataset, key)
            return insert_link(cursor, dataset, name=link.name, view=link.view, expires=link.expires)
    raise NotFound("there is no such link")


def revoke(cursor: duckdb.DuckDBPyConnection, dataset: str, key: str | None = None) -> None:
    """Makes one link of a data set, or without a key all of them, lead nowhere from now on."""
    one = "" if key is None else "AND digest = $digest"
    values: dict[str, object] = {"now": now(), "dataset": dataset}
    if key is not None:
        values["digest"] = digest(key)
    cursor.execute(
        f"UPDATE links SET revoked = $now WHERE dataset = $dataset AND revoked IS NULL {one}", values
    )


def _link(row: tuple[Any, ...]) -> Link:
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
_OF_DATASETS = ", ".join(f"datasets.{column}" for column in _COLUMNS)
_ID = re.compile(r"[0-9a-f]{32}")


def dataset_of(cursor: duckdb.DuckDBPyConnection, id: str) -> Dataset:
    """The data set with this id."""
    rows = _ID.fullmatch(id) and _selected(cursor, "WHERE id = $id", {"id": id})
    if not rows:
        raise NotFound("there is no such data set")
    return rows[0]


def of_workspace(cursor: duckdb.DuckDBPyConnection, workspace: str) -> list[Dataset]:
    """A workspace's data sets, the newest first."""
    return _selected(cursor, "WHERE workspace = $workspace", {"workspace": workspace})


def by_key(cursor: duckdb.DuckDBPyConnection, key: str) -> Dataset | None:
    """The data set that a key leads to now."""
    found = led_to(cursor, key)
    return found[0] if found else None


def led_to(cursor: duckdb.DuckDBPyConnection, key: str) -> tuple[Dataset, datetime | None] | None:
    """The data set that a key leads to now, and when that ends: one and the same statement whatever the key."""
    row = cursor.execute(
        f"SELECT {_OF_DATASETS}, links.expires FROM datasets JOIN links ON links.dataset = datasets.id "
        f"WHERE links.digest = $digest AND {ALIVE} ORDER BY datasets.created DESC, datasets.id LIMIT 1",
        {"digest": digest(key), "now": now()},
    ).fetchone()
    return (_dataset(row[:-1]), row[-1]) if row else None


def insert(cursor: duckdb.DuckDBPyConnection, dataset: Dataset, sample_version: str | None) -> None:
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
            stamp(dataset.created),
            dataset.workspace,
            dataset.replaces,
            stamp(dataset.used),
            dataset.summed or None,
            sample_version,
        ],
    )


def sample_version(cursor: duckdb.DuckDBPyConnection, id: str) -> str | None:
    """Return which version of a built-in study this data set is; None for all others."""
    row = cursor.execute("SELECT sample_version FROM datasets WHERE id = ?", [id]).fetchone()
    return None if row is None else row[0]


def rename(cursor: duckdb.DuckDBPyConnection, id: str, name: str) -> None:
    cursor.execute("UPDATE datasets SET name = ? WHERE id = ?", [name, id])


def move(cursor: duckdb.DuckDBPyConnection, workspace: str, to: str) -> int:
    """All of one workspace's data sets become another's; returns how many."""
    moved = len(of_workspace(cursor, workspace))
    cursor.execute("UPDATE datasets SET workspace = ? WHERE workspace = ?", [to, workspace])
    return moved


def remove(cursor: duckdb.DuckDBPyConnection, id: str) -> None:
    """Removes a data set and all that belongs to it; of a chain of versions the others stay linked."""
    gone = dataset_of(cursor, id)
    cursor.execute("UPDATE datasets SET replaces = ? WHERE replaces = ?", [gone.replaces, id])
    cursor.execute(f"DROP TABLE {table_of(id)}")
    if gone.summed:
        sums.drop(cursor, id)
    cursor.execute("DELETE FROM datasets WHERE id = ?", [id])
    cursor.execute("DELETE FROM links WHERE dataset = ?", [id])
    cursor.execute("DELETE FROM reports WHERE dataset = ?", [id])
    cursor.execute("DELETE FROM kept_views WHERE dataset = ?", [id])


def _selected(cursor: duckdb.DuckDBPyConnection, where: str, values: dict[str, object]) -> list[Dataset]:
    rows = cursor.execute(
        f"SELECT {_OF_DATASETS} FROM datasets {where} ORDER BY datasets.created DESC, datasets.id", values
    ).fetchall()
    return [_dataset(row) for row in rows]


def _dataset(row: tuple[Any, ...]) -> Dataset:
    told = dict(zip((name.strip('"') for name in _COLUMNS), row, strict=True))
    told["columns"] = tuple(Column(*column) for column in json.loads(told["columns"]))
    sources = json.loads(told["mapping"]).items()
    told["mapping"] = {name: tuple(of) if isinstance(of, list) else of for name, of in sources}
    told |= {name: told[name].replace(tzinfo=UTC) for name in ("created", "used")}
    return Dataset(**told | {"summed": bool(told["summed"])})


@contextmanager
def noting(database: Database, id: str) -> Iterator[None]:
    """Note a data set that turns out to be damaged, "" for the catalogue; one that is gone is not found."""
    try:
        yield
    except Damaged:
        database.unreadable.add(id)
        raise
    except duckdb.CatalogException as error:
        raise NotFound("there is no such data set any more") from error


def last_used(cursor: duckdb.DuckDBPyConnection, dataset: str) -> datetime | None:
    """Return when a data set was last opened; None where it is gone."""
    row = cursor.execute("SELECT used FROM datasets WHERE id = ?", [dataset]).fetchone()
    return None if row is None else row[0]


def mark(cursor: duckdb.DuckDBPyConnection, dataset: str, day: datetime) -> None:
    cursor.execute("UPDATE datasets SET used = ? WHERE id = ?", [day, dataset])


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


MOST_KEYS = 1000


class KnownKeys:
    """Keys that led somewhere, each with the state of the database in which it did; the longest unused go first.

    What leads nowhere is looked up each time, in the same way.
    """

    def __init__(self) -> None:
        self._found: OrderedDict[str, tuple[int, Dataset, datetime | None]] = OrderedDict()
        self._lock = threading.Lock()

    def look_up(
        self, state: int, key: str, led_to: Callable[[], tuple[Dataset, datetime | None] | None]
    ) -> Dataset | None:
        """The data set that a key leads to in this `state` of the database; `led_to` asks its tables."""
        hashed = digest(key)
        with self._lock:
            before, dataset, expires = self._found.get(hashed, (None, None, None))
        if before == state and (expires is None or expires > now()):
            return dataset
        found = led_to()
        if found is None:
            return None
        with self._lock:
            self._found[hashed] = state, *found
            self._found.move_to_end(hashed)
            while len(self._found) > MOST_KEYS:
                self._found.popitem(last=False)
        return found[0]


MOST_WORKSPACES = 100


class KnownWorkspaces:
    """The data sets of workspaces, each with the state of the database in which it held them; the longest unlisted
    go first."""

    def __init__(self) -> None:
        self._held: OrderedDict[str, tuple[int, tuple[Dataset, ...]]] = OrderedDict()
        self._lock = threading.Lock()

    def list_of(self, state: int, workspace: str, held: Callable[[], list[Dataset]]) -> list[Dataset]:
        """Return what a workspace holds in this `state` of the database; `held` asks its tables."""
        with self._lock:
            before, datasets = self._held.get(workspace, (None, ()))
        if before != state:
            datasets = tuple(held())
        with self._lock:
            self._held[workspace] = state, datasets
            self._held.move_to_end(workspace)
            while len(self._held) > MOST_WORKSPACES:
                self._held.popitem(last=False)
        return list(datasets)


MOST_KEPT = 1_000_000
"""Rows kept of all views together, but for the last one asked for."""


class RatersGone:
    """The sums of those left out, by view; a data set never changes once saved, so they stay right."""

    def __init__(self) -> None:
        self._of_view: OrderedDict[tuple[str, tuple[str, ...]], pyarrow.Table] = OrderedDict()
        self._lock = threading.Lock()

    def show(self, cursor: duckdb.DuckDBPyConnection, dataset: Dataset) -> None:
        """Has this cursor's queries find those of the view under `summed.EXCLUDED`."""
        key = dataset.id, dataset.without
        with self._lock:
            found = self._of_view.get(key)
        if found is None:
            asked = summed.excluded_sums(dataset)
            found = cursor.execute(asked.sql, {"without": list(dataset.without)}).to_arrow_table()
        with self._lock:
            self._of_view[key] = found
            self._of_view.move_to_end(key)
            while len(self._of_view) > 1 and sum(map(len, self._of_view.values())) > MOST_KEPT:
                self._of_view.popitem(last=False)
        cursor.register(summed.EXCLUDED, found)
