# ruff: noqa: S608 - tables and files are ours (`table_of`, the spool); values are parameters
"""Transfer of data sets between databases: back up, restore, migrate.

All three move two things per data set, its rows as a Parquet file in the spool and its catalogue entry, because one
engine cannot open the other's tables and may access only the spool folder. Every data set is inserted in one
transaction, and its content hash is compared before the commit. After a kill, the same command can be run again:
existing data sets are skipped.

A back-up folder contains files that never change, named by their SHA-256, and `catalogue.json`, replaced last, which
lists the valid ones. So a killed back-up leaves the previous one intact.
"""

import hashlib
import json
import os
import re
import secrets
import shutil
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb

from data.engines.schema import literal, table_of
from data.errors import Damaged, DatabaseReadOnly, DataError, DiskFull, OutOfMemory
from data.errors import listed as named
from data.store import catalogue, sums
from data.store.store import Store
from data.transfer import interchange
from data.transfer.interchange import Entry

if sys.platform != "win32":
    import fcntl

Progress = Callable[[str], None]
_CATALOGUE = "catalogue.json"
_FILE_NAME = re.compile(r"([0-9a-f]{32})\.([0-9a-f]{64})\.(json|parquet)")
_UNFINISHED = re.compile(r"[0-9a-f]{32}\.part")
_CHUNK = 1 << 20


@dataclass(frozen=True)
class TransferResult:
    """Outcome of a transfer.

    `saved` data sets were written now, `existing` ones earlier; `unused` are the ids of data sets that are in a back-up
    folder but no longer in the database.
    """

    saved: int
    existing: int
    unused: tuple[str, ...] = ()


def ignore_progress(sentence: str) -> None:
    """Ignore progress."""


def back_up(
    store: Store, folder: str | Path, progress: Progress = ignore_progress, prune: bool = False
) -> TransferResult:
    """Write all data sets of a store except built-in ones into a folder; safe during imports and deletions.

    Data sets never change, so only new ones are written; the files of earlier ones are read and written anew
    where they are damaged. `prune` removes the files of data sets that the store no longer has.

    Raises
    ------
    DataError
        where the folder cannot be used, or, once all others are written, where a data set cannot be read.
    """
    folder = Path(folder).expanduser().absolute()
    with _explain_errors(folder), _lock_folder(folder):
        for unfinished in _list_files(folder, _UNFINISHED):
            unfinished.unlink()
        ids = _list_ids(store)
        stored: dict[str, _StoredRows] = {}
        existing = set()
        damaged: list[str] = []
        for number, id in enumerate(ids, 1):
            existing_rows = _find_stored(folder, id)
            try:
                new_rows = existing_rows or _store_rows(store, folder, id)
            except Damaged:
                damaged.append(id)
                progress(f"{number} of {len(ids)}: {id} is damaged and cannot be read")
                continue
            if new_rows is not None:
                stored[id] = new_rows
            if existing_rows is not None:
                existing.add(id)
            progress(f"{number} of {len(ids)}: {id} {_describe(new_rows, existing_rows)}")
        digests = _write_catalogue(store, folder, stored)
        unused = _remove_outdated(folder, digests, prune)
        if damaged:
            raise DataError(
                f"the back-up in {folder} lacks what cannot be read, {named(damaged)}, and holds all else; the "
                "database is damaged: restore this back-up into a new file, see docs/hosting.md"
            )
        return TransferResult(len(digests.keys() - existing), len(digests.keys() & existing), unused)


def restore(folder: str | Path, store: Store, progress: Progress = ignore_progress) -> TransferResult:
    """Put the data sets of a back-up into a store, with their names, workspaces, links and reports.

    The whole back-up is checked before the first data set is written. One that is there already, with the same rows, is
    left as it is.
    """
    folder = Path(folder).expanduser().absolute()
    with _explain_errors(folder):
        digests = _read_catalogue(folder)
        entries = [_read_entry(folder, id, digest) for id, digest in digests.items()]
        for _, parquet in entries:
            if _digest(parquet) != parquet.name.split(".")[1]:
                raise _damage_error(parquet)
        saved = 0
        for number, (entry, parquet) in enumerate(entries, 1):
            is_new = _import_dataset(store, entry, parquet)
            saved += is_new
            progress(
                f"{number} of {len(entries)}: {entry.id} {'is restored' if is_new else 'was there already'}"
            )
        return TransferResult(saved, len(entries) - saved)


def migrate(source: Store, target: Store, progress: Progress = ignore_progress) -> TransferResult:
    """Put the data sets of one store into another, as `restore` does; the source is not changed."""
    if source._database is target._database:
        raise DataError("both addresses name the same database; there is nothing to move")
    ids = _list_ids(source)
    saved = existing = 0
    for number, id in enumerate(ids, 1):
        with _export_dataset(source, id) as exported:
            is_new = exported is not None and _import_dataset(target, exported[0], exported[1])
        saved += is_new
        existing += exported is not None and not is_new
        status = (
            "was deleted meanwhile" if exported is None else "is moved" if is_new else "was there already"
        )
        progress(f"{number} of {len(ids)}: {id} {status}")
    return TransferResult(saved, existing)


# --- out of a store --------------------------------------------------------------------------------------------


def _list_ids(store: Store) -> list[str]:
    """Return the ids of all data sets except built-in ones, which every server creates."""
    with store._database.cursor() as cursor:
        rows = cursor.execute(
            "SELECT id FROM datasets WHERE sample_version IS NULL AND id NOT IN "
            "(SELECT dataset FROM links WHERE starts_with(link, 'sample-')) ORDER BY created, id"
        ).fetchall()
    return [str(id) for (id,) in rows]


@contextmanager
def _export_dataset(store: Store, id: str) -> Iterator[tuple[Entry, Path] | None]:
    """Yield a data set's entry and a Parquet file of its rows in the spool; None if it was deleted meanwhile."""
    with store.spool.make_folder() as folder:
        rows = folder / "rows.parquet"
        try:
            yield _write_parquet(store, id, rows)
        finally:
            store.spool.discard(rows)


def _write_parquet(store: Store, id: str, file: Path) -> tuple[Entry, Path] | None:
    table = table_of(id)
    try:
        with store._database.cursor(kind="long") as cursor:
            cursor.execute(
                f'COPY (SELECT * FROM {table} ORDER BY "row") TO {literal(file)} '
                "(FORMAT parquet, COMPRESSION zstd)"
            )
            content = interchange.hash_dataset(cursor, id)
            if interchange.hash_parquet(cursor, file) != content:
                raise DataError(
                    f"the data set {id} did not come out of the database as it is there; try again"
                )
            entry = interchange.read_entry(cursor, id, content)
    except (duckdb.Error, DataError):
        if _exists(store, id):
            raise
        return None
    return None if entry is None else (entry, file)


def _exists(store: Store, id: str) -> bool:
    with store._database.cursor() as cursor:
        return _has_dataset(cursor, id)


def _has_dataset(cursor: duckdb.DuckDBPyConnection, id: str) -> bool:
    return cursor.execute("SELECT 1 FROM datasets WHERE id = ?", [id]).fetchone() is not None


# --- into a store ----------------------------------------------------------------------------------------------


def _import_dataset(store: Store, entry: Entry, parquet: Path) -> bool:
    """Import a data set; return False if it already exists with the same rows."""
    if _exists(store, entry.id):
        with store._database.cursor(kind="long") as cursor:
            content = interchange.hash_dataset(cursor, entry.id)
        if content != entry.content:
            raise DataError(
                f"the data set {entry.id} is in the database already, with other rows than the one to be saved "
                "there; neither was changed: delete one of the two"
            )
        return False
    with store.spool.expose(parquet) as file, store._database.cursor(kind="long") as long_cursor:
        _check_rows(store, entry, parquet, file)

        def work(cursor: duckdb.DuckDBPyConnection) -> bool:
            if _has_dataset(cursor, entry.id):  # another process was faster
                return False
            store._database.check_save(cursor, file)
            cursor.execute(
                f"CREATE TABLE {table_of(entry.id)} AS "
                f'SELECT * FROM {interchange.read_parquet_sql(file)} ORDER BY "row"'
            )
            if interchange.hash_dataset(cursor, entry.id) != entry.content:
                raise DataError(
                    f"the database did not take the rows of the data set {entry.id} as they are in {parquet}; "
                    "nothing of it was saved"
                )
            interchange.insert_entry(cursor, entry)
            sums.add(cursor, catalogue.dataset_of(cursor, entry.id))
            return True

        return store._database.change(work, long_cursor)


def _check_rows(store: Store, entry: Entry, parquet: Path, file: Path) -> None:
    """Refuse a file that does not contain the entry's rows before a table is created."""
    try:
        with store._database.cursor() as cursor:
            columns = interchange.columns_of(cursor, interchange.read_parquet_sql(file))
            content = interchange.hash_parquet(cursor, file)
    except (DiskFull, DatabaseReadOnly, OutOfMemory):
        raise
    except (duckdb.Error, DataError) as error:
        raise _damage_error(parquet) from error
    has_columns = [name for name, _ in columns] == entry.columns and ("row", "BIGINT") in columns
    if not has_columns or content != entry.content:
        raise _damage_error(parquet)


# --- the folder ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _StoredRows:
    """Rows of a data set in a back-up: their content hash and the SHA-256 of the Parquet file."""

    content: str
    parquet: str


def _store_rows(store: Store, folder: Path, id: str) -> _StoredRows | None:
    with _export_dataset(store, id) as exported:
        if exported is None:
            return None
        entry, parquet = exported
        stored = _StoredRows(entry.content, _digest(parquet))
        temporary = folder / f"{secrets.token_hex(16)}.part"
        with parquet.open("rb") as rows, _create_private(temporary) as file:
            shutil.copyfileobj(rows, file, _CHUNK)
        temporary.replace(folder / f"{id}.{stored.parquet}.parquet")
        _write_entry(folder, entry, stored)
        return stored


def _find_stored(folder: Path, id: str) -> _StoredRows | None:
    """Return the undamaged rows of a data set in an earlier back-up, even an incomplete one."""
    for file in folder.glob(f"{id}.*.json"):
        with suppress(DataError):
            entry, parquet = _read_entry(folder, id, file.name.split(".")[1])
            digest = parquet.name.split(".")[1]
            if _digest(parquet) == digest:
                return _StoredRows(entry.content, digest)
    return None


def _describe(stored: _StoredRows | None, existing: _StoredRows | None) -> str:
    if existing is not None:
        return "was there already"
    return "is saved" if stored is not None else "was deleted meanwhile"


def _write_catalogue(store: Store, folder: Path, stored: dict[str, _StoredRows]) -> dict[str, str]:
    """Write the entries at one point in time, then the catalogue of this back-up."""
    digests: dict[str, str] = {}
    with store._database.transaction() as cursor:
        for id, rows in stored.items():
            entry = interchange.read_entry(cursor, id, rows.content)
            if entry is not None:
                digests[id] = _write_entry(folder, entry, rows)
    _sync(folder)
    timestamp = datetime.now(UTC).isoformat(timespec="seconds")
    content = {"format": interchange.FORMAT, "written": timestamp, "datasets": digests}
    _write(folder / _CATALOGUE, _to_json({**content, "sha256": _digest_of(_to_json(content))}))
    _sync(folder)
    return digests


def _write_entry(folder: Path, entry: Entry, stored: _StoredRows) -> str:
    content = _to_json({"format": interchange.FORMAT, "parquet": stored.parquet, "entry": entry.as_dict()})
    digest = _digest_of(content)
    _write(folder / f"{entry.id}.{digest}.json", content)
    return digest


def _remove_outdated(folder: Path, digests: dict[str, str], prune: bool) -> tuple[str, ...]:
    """Remove outdated files of these data sets; return the ids of other data sets in the folder."""
    current = {f"{id}.{digest}.json" for id, digest in digests.items()}
    current |= {_read_entry(folder, id, digest)[1].name for id, digest in digests.items()}
    unused = set()
    for file in _list_files(folder, _FILE_NAME):
        id = file.name[:32]
        if file.name in current:
            continue
        if prune or id in digests:
            file.unlink()
        else:
            unused.add(id)
    return tuple(sorted(unused))


def _read_catalogue(folder: Path) -> dict[str, str]:
    """Return the ids of the data sets in the catalogue, and the digests of their entries."""
    path = folder / _CATALOGUE
    if not path.exists():
        raise DataError(f"{folder} holds no whole back-up: there is no file {path}")
    content = _read(path)
    checksum = content.pop("sha256", None)
    digests = content.get("datasets")
    if checksum != _digest_of(_to_json(content)) or not isinstance(digests, dict):
        raise _damage_error(path)
    for id, digest in digests.items():
        if interchange.ID.fullmatch(id) is None or not (
            isinstance(digest, str) and interchange.DIGEST.fullmatch(digest)
        ):
            raise DataError(f"{path} lists something that is no data set of Raterscope; nothing was restored")
    return digests


def _read_entry(folder: Path, id: str, digest: str) -> tuple[Entry, Path]:
    """Return the entry of a data set in this folder, and the path of its rows."""
    path = folder / f"{id}.{digest}.json"
    record = _read(path, digest)
    try:
        entry = interchange.entry_from_dict(record.get("entry"))
    except DataError as error:
        raise DataError(f"{path} cannot be used: {error}; take another back-up") from error
    parquet = record.get("parquet")
    if entry.id != id or not (isinstance(parquet, str) and interchange.DIGEST.fullmatch(parquet)):
        raise DataError(f"{path} is not of the data set it is named after; take another back-up")
    return entry, folder / f"{id}.{parquet}.parquet"


def _read(path: Path, digest: str | None = None) -> dict[str, Any]:
    """Read a JSON file of ours and check its digest."""
    with _open_regular(path) as file:
        content = file.read()
    if digest is not None and _digest_of(content) != digest:
        raise _damage_error(path)
    try:
        record = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise _damage_error(path) from error
    if not isinstance(record, dict) or type(record.get("format")) is not int:
        raise _damage_error(path)
    if record["format"] > interchange.FORMAT:
        raise DataError(
            f"{path} comes from a newer version of Raterscope: its format is {record['format']}, this version "
            f"reads up to {interchange.FORMAT}; install the newer Raterscope"
        )
    return record


@contextmanager
def _open_regular(path: Path) -> Iterator[Any]:
    """Open a regular file: a pipe would never end, and a link may lead anywhere."""
    try:
        is_regular = stat.S_ISREG(path.lstat().st_mode)
    except FileNotFoundError as error:
        raise DataError(f"the file {path} of this back-up is missing; take another back-up") from error
    if not is_regular:
        raise DataError(f"{path} is not an ordinary file; take another back-up")
    with path.open("rb") as file:
        yield file


def _damage_error(path: Path) -> DataError:
    return DataError(f"{path} is damaged: it is not as it was written; take another back-up")


def _to_json(content: dict[str, Any]) -> bytes:
    return json.dumps(content, sort_keys=True, indent=1).encode()


def _digest_of(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _digest(path: Path) -> str:
    with _open_regular(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _write(path: Path, content: bytes) -> None:
    temporary = path.with_name(f"{secrets.token_hex(16)}.part")
    with _create_private(temporary) as file:
        file.write(content)
    temporary.replace(path)


@contextmanager
def _create_private(path: Path) -> Iterator[Any]:
    """Create a file that nobody else may read, and flush it to disk at the end."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())


def _sync(folder: Path) -> None:
    """Flush the names of new files to disk, if the system supports it."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _list_files(folder: Path, pattern: re.Pattern[str]) -> list[Path]:
    return [file for file in folder.iterdir() if pattern.fullmatch(file.name)]


@contextmanager
def _lock_folder(folder: Path) -> Iterator[None]:
    """Lock the folder, since concurrent back-ups would remove each other's files."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with os.fdopen(os.open(folder / ".lock", os.O_WRONLY | os.O_CREAT, 0o600), "wb") as lock:
        if sys.platform != "win32":
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                raise DataError(
                    f"another back-up is being written into {folder}; wait until it is done"
                ) from error
        yield


@contextmanager
def _explain_errors(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise DataError(
            f"the back-up folder {folder} cannot be used ({error.strerror or error}); give this user the right "
            "to it, make room, or choose another folder"
        ) from error
