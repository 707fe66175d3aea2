# ruff: noqa: S608 - the only names in statements are ours and `engine.table_of`; values are parameters
"""The store: data sets go in whole or not at all, never change, and come out as small arrays.

A data set's table, its catalogue row and its first link are written in one transaction, so a process that is
killed leaves either all of it or nothing. The catalogue is plain tables without keys or constraints, because
the same SQL must run on a lake that has none; what keeps it consistent is that only this module writes it.
"""

import hashlib
import json
import re
import secrets
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import duckdb
import numpy as np
from numpy.typing import NDArray

from data import engine, loading, queries
from data.dataset import Column, Dataset
from data.errors import NotFound, OverLimit, UnknownName
from data.kinds import KINDS
from data.samples import SAMPLES, Sample
from data.settings import Settings, from_environment, shown, variable_of
from data.spool import Spool

_WIDE = 50_000_000
"""Characters from which one long text would make an array of equally wide ones too large: it holds objects then."""
_KEY = re.compile(r"[0-9a-z-]{1,64}")
_DATASET = """id, kind, name, "columns", mapping, sha256, rows_kept, rows_set_aside, created, workspace"""


class Store:
    """All data sets of one database.

    Parameters
    ----------
    url : the database file; by default what `RATERSCOPE_DATABASE` says
    settings : limits and folders; by default what the environment says

    Raises
    ------
    DataError
        where the database is in use by another process, cannot be written, comes from a newer version, or is
        no database.

    Notes
    -----
    May be used from many threads at once. Stores of one process that name the same file share it. Besides
    what it lists, every method raises `DataError` for a full disk or a database that became unreadable.
    """

    def __init__(self, url: str | Path | None = None, settings: Settings | None = None) -> None:
        self.settings = settings or from_environment()
        self._database = engine.opened(Path(url or self.settings.database), self.settings)
        self.spool = Spool(self._database.settings)
        self.spool.sweep()

    def close(self) -> None:
        """Give the database back; the last store of this process that does so closes the file."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def check(self, path: str | Path, kind: str, mapping: Mapping[str, Any]) -> loading.ImportReport:
        """What `add` would do with this file: kept, set aside, rejects, warnings. Nothing is saved.

        Raises
        ------
        DataError
            where the file cannot be read at all, or the mapping does not fit it.
        """
        with self._staged(path, kind, mapping) as (_, waiting, _file):
            return waiting.report

    def rejects_csv(self, path: str | Path, kind: str, mapping: Mapping[str, Any]) -> Iterator[bytes]:
        """All rejected rows of a file as CSV, in pieces; a report holds only the first ones.

        Raises
        ------
        DataError
            as `check`.
        """
        with self.spool.readable(Path(path)) as file, self._database.cursor() as cursor:
            yield from loading.rejects_csv(cursor, file, kind, mapping)

    def add(
        self, path: str | Path, kind: str, mapping: Mapping[str, Any], name: str, workspace: str | None = None
    ) -> Dataset:
        """Import a file and save it as a new data set; when this returns, it is safe on disk.

        `mapping` says for each canonical column which column of the file it is (see `data.mapping`).

        Raises
        ------
        DataError
            where `check` would raise, where a limit is reached (`OverLimit`), or where it cannot be saved;
            nothing is saved then.
        """
        return self._add(Path(path), kind, mapping, name, workspace, link=secrets.token_hex(16))

    def get(self, id: str) -> Dataset:
        """The data set with this id.

        Raises
        ------
        NotFound
            where there is none.
        """
        found = self._datasets("WHERE id = $id", {"id": id})
        if not found:
            raise NotFound("there is no such data set")
        return found[0]

    def datasets(self, workspace: str | None) -> list[Dataset]:
        """A workspace's data sets, the newest first; without a workspace, none."""
        if workspace is None:
            return []
        return self._datasets("WHERE workspace = $workspace", {"workspace": workspace})

    def query(self, dataset: Dataset, name: str, **parameters: Any) -> dict[str, NDArray[Any]]:
        """The arrays of a named query (see `data.queries`): float64, int64 or str; a missing number is NaN.

        Raises
        ------
        UnknownName
            where the query, a parameter, measure, group, column or value does not exist; lists those that do.
        NotFound
            where the data set is gone.
        """
        statements = queries.prepared(name, dataset, parameters)
        with self._database.cursor() as cursor:
            try:
                self._check_names(cursor, dataset, parameters)
                found: dict[str, NDArray[Any]] = {}
                for statement in statements:
                    result = cursor.execute(statement.sql, dict(statement.values))
                    if statement.returns:
                        found |= _arrays(result)
                return found
            except duckdb.CatalogException as error:
                raise NotFound("there is no such data set any more") from error

    def delete(self, id: str) -> None:
        """Remove a data set, its rows and its links.

        Raises
        ------
        NotFound
            where there is none.
        """
        with self._database.writing, self._database.transaction() as cursor:
            if not _catalogued(cursor, id):
                raise NotFound("there is no such data set")
            _remove(cursor, id)

    def link(self, id: str) -> str:
        """The key by which readers find this data set: the one it has, or a new one after `revoke`.

        Raises
        ------
        NotFound
            where there is no such data set.
        """
        with self._database.writing, self._database.transaction() as cursor:
            if not _catalogued(cursor, id):
                raise NotFound("there is no such data set")
            link = cursor.execute(
                "SELECT min(link) FROM links WHERE dataset = ? AND revoked IS NULL", [id]
            ).fetchone()
            if link is None or link[0] is None:
                return _insert_link(cursor, id, secrets.token_hex(16))
            return str(link[0])

    def revoke(self, id: str) -> None:
        """Make every link to this data set lead nowhere from now on; unknown ids are no error."""
        with self._database.writing, self._database.transaction() as cursor:
            cursor.execute("UPDATE links SET revoked = ? WHERE dataset = ? AND revoked IS NULL", [_now(), id])

    def by_key(self, key: str) -> Dataset | None:
        """The data set that a reader's key leads to; None for a revoked, unknown or senseless one alike."""
        if _KEY.fullmatch(key) is None:
            return None
        found = self._datasets(
            "WHERE id IN (SELECT dataset FROM links WHERE link = $link AND revoked IS NULL)", {"link": key}
        )
        return found[0] if found else None

    def ensure_samples(self, samples: tuple[Sample, ...] = SAMPLES) -> dict[str, Dataset]:
        """The built-in studies by their fixed keys; what is missing or of another version is imported now.

        Raises
        ------
        DataError
            where they cannot be saved.
        """
        with self._database.writing:
            return {sample.key: self._sample(sample) for sample in samples}

    def _sample(self, sample: Sample) -> Dataset:
        version = f"{sample.version}, importer {loading.IMPORTER_VERSION}"
        there = self.by_key(sample.key)
        if there is not None and self._sample_version(there.id) == version:
            return there
        written = self.spool.folder / f"{secrets.token_hex(16)}.csv"
        try:
            sample.write(written)
            return self._add(
                written, sample.kind, sample.mapping, sample.name, None, sample.key, version, replaces=there
            )
        finally:
            written.unlink(missing_ok=True)

    def _sample_version(self, id: str) -> str | None:
        with self._database.cursor() as cursor:
            found = cursor.execute("SELECT sample_version FROM datasets WHERE id = ?", [id]).fetchone()
        return None if found is None else found[0]

    def _add(
        self,
        path: Path,
        kind: str,
        mapping: Mapping[str, Any],
        name: str,
        workspace: str | None,
        link: str,
        sample_version: str | None = None,
        replaces: Dataset | None = None,
    ) -> Dataset:
        self._check_room(workspace)
        id = secrets.token_hex(16)
        with self._staged(path, kind, mapping) as (cursor, waiting, file):
            report = waiting.report
            self._check_rows(report.kept + report.set_aside)
            with ExitStack() as held:
                held.enter_context(self._database.transaction(cursor))
                waiting.save(engine.table_of(id))
                dataset = Dataset(
                    id=id,
                    kind=kind,
                    name=name.encode("utf-8", "replace").decode(),
                    columns=_columns(cursor, id, kind),
                    mapping=dict(mapping),
                    sha256=_sha256(file, kind, mapping),
                    rows_kept=report.kept,
                    rows_set_aside=report.set_aside,
                    created=_now(),
                    workspace=workspace,
                )
                with self._database.writing:
                    self._check_room(workspace)
                    if replaces is not None:
                        _remove(cursor, replaces.id)
                    _insert(cursor, dataset, sample_version)
                    _insert_link(cursor, id, link)
                    held.close()  # commits while no one else may count
        return dataset

    @contextmanager
    def _staged(
        self, path: str | Path, kind: str, mapping: Mapping[str, Any]
    ) -> Iterator[tuple[duckdb.DuckDBPyConnection, loading.Staged, Path]]:
        with (
            self.spool.readable(Path(path)) as file,
            self._database.cursor() as cursor,
            loading.staged(cursor, file, kind, mapping) as waiting,
        ):
            yield cursor, waiting, file

    def _check_room(self, workspace: str | None) -> None:
        limit = self.settings.datasets
        if workspace is not None and len(self.datasets(workspace)) >= limit:
            raise OverLimit(
                f"this workspace already holds {limit:,} data sets, the most that "
                f"{variable_of('datasets')} allows; delete one that is no longer needed"
            )

    def _check_rows(self, rows: int) -> None:
        if rows > self.settings.rows:
            raise OverLimit(
                f"the file has {rows:,} rows, more than the {shown('rows', self.settings.rows)} that "
                f"{variable_of('rows')} allows; split it, for instance by measure"
            )

    def _check_names(
        self, cursor: duckdb.DuckDBPyConnection, dataset: Dataset, given: Mapping[str, Any]
    ) -> None:
        statement = queries.names_exist(dataset, given)
        if statement is None:
            return
        for parameter, found in _arrays(cursor.execute(statement.sql, dict(statement.values))).items():
            if not found[0]:
                allowed = queries.names_of(dataset, parameter, given)
                names = _arrays(cursor.execute(allowed.sql, dict(allowed.values)))["name"].tolist()
                raise UnknownName(
                    f"`{parameter}` must be one of {queries.listed(names)}; got {given[parameter]!r}"
                )

    def _datasets(self, where: str, values: dict[str, object]) -> list[Dataset]:
        with self._database.cursor() as cursor:
            rows = cursor.execute(
                f"SELECT {_DATASET} FROM datasets {where} ORDER BY created DESC, id", values
            ).fetchall()
        return [_dataset(row) for row in rows]


def _now() -> datetime:
    return datetime.now(UTC)


def _sha256(file: Path, kind: str, mapping: Mapping[str, Any]) -> str:
    with file.open("rb") as content:
        digest = hashlib.file_digest(content, "sha256")
    digest.update(json.dumps([kind, dict(mapping), loading.IMPORTER_VERSION]).encode())
    return digest.hexdigest()


def _columns(cursor: duckdb.DuckDBPyConnection, id: str, kind: str) -> tuple[Column, ...]:
    names = [str(row[0]) for row in cursor.execute(f"DESCRIBE {engine.table_of(id)}").fetchall()]
    return tuple(Column(name, KINDS[kind].role(name)) for name in names if name != "row")


def _catalogued(cursor: duckdb.DuckDBPyConnection, id: str) -> bool:
    return cursor.execute("SELECT 1 FROM datasets WHERE id = ?", [id]).fetchone() is not None


def _insert(cursor: duckdb.DuckDBPyConnection, dataset: Dataset, sample_version: str | None) -> None:
    columns = json.dumps([[column.name, column.role] for column in dataset.columns])
    cursor.execute(
        f"INSERT INTO datasets ({_DATASET}, sample_version) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            dataset.id,
            dataset.kind,
            dataset.name,
            columns,
            json.dumps(dict(dataset.mapping)),
            dataset.sha256,
            dataset.rows_kept,
            dataset.rows_set_aside,
            dataset.created.replace(tzinfo=None),
            dataset.workspace,
            sample_version,
        ],
    )


def _insert_link(cursor: duckdb.DuckDBPyConnection, id: str, link: str) -> str:
    cursor.execute(
        "INSERT INTO links (link, dataset, created) VALUES (?, ?, ?)", [link, id, _now().replace(tzinfo=None)]
    )
    return link


def _remove(cursor: duckdb.DuckDBPyConnection, id: str) -> None:
    cursor.execute(f"DROP TABLE {engine.table_of(id)}")
    cursor.execute("DELETE FROM datasets WHERE id = ?", [id])
    cursor.execute("DELETE FROM links WHERE dataset = ?", [id])


def _dataset(row: tuple[Any, ...]) -> Dataset:
    id, kind, name, columns, mapping, sha256, kept, set_aside, created, workspace = row
    return Dataset(
        id=id,
        kind=kind,
        name=name,
        columns=tuple(Column(*column) for column in json.loads(columns)),
        mapping={
            canonical: tuple(source) if isinstance(source, list) else source
            for canonical, source in json.loads(mapping).items()
        },
        sha256=sha256,
        rows_kept=kept,
        rows_set_aside=set_aside,
        created=created.replace(tzinfo=UTC),
        workspace=workspace,
    )


def _arrays(result: duckdb.DuckDBPyConnection) -> dict[str, NDArray[Any]]:
    return {name: _array(column) for name, column in result.fetchnumpy().items()}


def _array(column: Any) -> NDArray[Any]:
    """Plain float64, int64 or str: pandas' and masked types turn silently into NaN further on."""
    missing = np.ma.getmaskarray(column) if isinstance(column, np.ma.MaskedArray) else None
    plain = np.asarray(column)
    if plain.dtype.kind == "O":
        texts = ["" if value is None else str(value) for value in plain]
        width = max(map(len, texts), default=0)
        return np.array(texts, dtype=np.str_ if width * len(texts) < _WIDE else np.object_)
    if plain.dtype.kind == "f" or (missing is not None and missing.any()):
        numbers = plain.astype(np.float64)
        if missing is not None:
            numbers[missing] = np.nan
        return numbers
    return plain.astype(np.int64)
