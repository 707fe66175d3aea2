# ruff: noqa: S608 - tables and files are ours (`table_of`, the spool); values are parameters
"""Data sets on their way out of one database and into another: back up, restore, migrate.

All three move the same two things per data set, its rows as a Parquet file in the spool and its catalogue entry,
because one engine cannot open the other's tables and is locked to the spool folder anyway. Every data set
goes in by one transaction and its content hash is compared before that commits, so whatever is killed is
simply started again: what is there already is passed over.

A back-up folder holds files that never change, named by their own SHA-256, and `catalogue.json`, replaced last,
which says which of them count. So a killed back-up leaves the one before it whole.
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
_OURS = re.compile(r"([0-9a-f]{32})\.([0-9a-f]{64})\.(json|parquet)")
_UNFINISHED = re.compile(r"[0-9a-f]{32}\.part")
_CHUNK = 1 << 20


@dataclass(frozen=True)
class Moved:
    """Outcome of a transfer.

    `saved` data sets were written now, `there` had been before; `left` are ids of data sets whose files are still in a
    back-up folder although the database has them no more.
    """

    saved: int
    there: int
    left: tuple[str, ...] = ()


def silent(sentence: str) -> None:
    """Progress that nobody watches."""


def back_up(store: Store, folder: str | Path, progress: Progress = silent, prune: bool = False) -> Moved:
    """Write all data sets of a store into a folder, but the built-in ones; safe beside imports and deletions.

    Data sets never change, so only new ones are written; the files of earlier ones are read and written anew
    where they are damaged. `prune` removes the files of data sets that the store no longer has.

    Raises
    ------
    DataError
        where the folder cannot be used, or, once all others are written, where a data set cannot be read.
    """
    folder = Path(folder).expanduser().absolute()
    with _explained(folder), _alone(folder):
        for draft in _named(folder, _UNFINISHED):
            draft.unlink()
        ids = _ids(store)
        kept: dict[str, _Kept] = {}
        earlier = set()
        damaged: list[str] = []
        for place, id in enumerate(ids, 1):
            known = _known(folder, id)
            try:
                kept_now = known or _keep(store, folder, id)
            except Damaged:
                damaged.append(id)
                progress(f"{place} of {len(ids)}: {id} is damaged and cannot be read")
                continue
            if kept_now is not None:
                kept[id] = kept_now
            if known is not None:
                earlier.add(id)
            progress(f"{place} of {len(ids)}: {id} {_told(kept_now, known)}")
        listed = _list(store, folder, kept)
        left = _clear(folder, listed, prune)
        if damaged:
            raise DataError(
                f"the back-up in {folder} lacks what cannot be read, {named(damaged)}, and holds all else; the "
                "database is damaged: restore this back-up into a new file, see docs/hosting.md"
            )
        return Moved(len(listed.keys() - earlier), len(listed.keys() & earlier), left)


def restore(folder: str | Path, store: Store, progress: Progress = silent) -> Moved:
    """Put the data sets of a back-up into a store, with their names, workspaces, links and reports.

    The whole back-up is checked before the first data set is written. One that is there already, with the same rows, is
    left as it is.
    """
    folder = Path(folder).expanduser().absolute()
    with _explained(folder):
        listed = _listed(folder)
        entries = [_entry(folder, id, digest) for id, digest in listed.items()]
        for _, parquet in entries:
            if _digest(parquet) != parquet.name.split(".")[1]:
                raise _damaged(parquet)
        saved = 0
        for place, (entry, parquet) in enumerate(entries, 1):
            new = _take_in(store, entry, parquet)
            saved += new
            progress(f"{place} of {len(entries)}: {entry.id} {'is restored' if new else 'was there already'}")
        return Moved(saved, len(entries) - saved)


def migrate(source: Store, target: Store, progress: Progress = silent) -> Moved:
    """Put the data sets of one store into another, as `restore` does; the source is not changed."""
    if source._database is target._database:
        raise DataError("both addresses name the same database; there is nothing to move")
    ids = _ids(source)
    saved = there = 0
    for place, id in enumerate(ids, 1):
        with _rows(source, id) as taken:
            new = taken is not None and _take_in(target, taken[0], taken[1])
        saved += new
        there += taken is not None and not new
        told = "was deleted meanwhile" if taken is None else "is moved" if new else "was there already"
        progress(f"{place} of {len(ids)}: {id} {told}")
    return Moved(saved, there)


# --- out of a store --------------------------------------------------------------------------------------------


def _ids(store: Store) -> list[str]:
    """All data sets but the built-in ones, which every server makes for itself."""
    with store._database.cursor() as cursor:
        rows = cursor.execute(
            "SELECT id FROM datasets WHERE sample_version IS NULL AND id NOT IN "
            "(SELECT dataset FROM links WHERE starts_with(link, 'sample-')) ORDER BY created, id"
        ).fetchall()
    return [str(id) for (id,) in rows]


@contextmanager
def _rows(store: Store, id: str) -> Iterator[tuple[Entry, Path] | None]:
    """A data set's entry and a Parquet file of its rows in the spool; None where it is deleted meanwhile."""
    with store.spool.make_folder() as folder:
        rows = folder / "rows.parquet"
        try:
            yield _written(store, id, rows)
        finally:
            store.spool.discard(rows)


def _written(store: Store, id: str, file: Path) -> tuple[Entry, Path] | None:
    table = table_of(id)
    try:
        with store._database.cursor(kind="long") as cursor:
            cursor.execute(
                f'COPY (SELECT * FROM {table} ORDER BY "row") TO {literal(file)} '
                "(FORMAT parquet, COMPRESSION zstd)"
            )
            content = interchange.of_dataset(cursor, id)
            if interchange.of_parquet(cursor, file) != content:
                raise DataError(
                    f"the data set {id} did not come out of the database as it is there; try again"
                )
            entry = interchange.read(cursor, id, content)
    except (duckdb.Error, DataError):
        if _is_there(store, id):
            raise
        return None
    return None if entry is None else (entry, file)


def _is_there(store: Store, id: str) -> bool:
    with store._database.cursor() as cursor:
        return _catalogued(cursor, id)


def _catalogued(cursor: duckdb.DuckDBPyConnection, id: str) -> bool:
    return cursor.execute("SELECT 1 FROM datasets WHERE id = ?", [id]).fetchone() is not None


# --- into a store ----------------------------------------------------------------------------------------------


def _take_in(store: Store, entry: Entry, parquet: Path) -> bool:
    """Return True where it was written now; False where it is there with the same rows."""
    if _is_there(store, entry.id):
        with store._database.cursor(kind="long") as cursor:
            there = interchange.of_dataset(cursor, entry.id)
        if there != entry.content:
            raise DataError(
                f"the data set {entry.id} is in the database already, with other rows than the one to be saved "
                "there; neither was changed: delete one of the two"
            )
        return False
    with store.spool.expose(parquet) as file, store._database.cursor(kind="long") as lent:
        _check_rows(store, entry, parquet, file)

        def work(cursor: duckdb.DuckDBPyConnection) -> bool:
            if _catalogued(cursor, entry.id):  # another process was faster
                return False
            store._database.check_save(cursor, file)
            cursor.execute(
                f"CREATE TABLE {table_of(entry.id)} AS "
                f'SELECT * FROM {interchange.parquet(file)} ORDER BY "row"'
            )
            if interchange.of_dataset(cursor, entry.id) != entry.content:
                raise DataError(
                    f"the database did not take the rows of the data set {entry.id} as they are in {parquet}; "
                    "nothing of it was saved"
                )
            interchange.insert(cursor, entry)
            sums.add(cursor, catalogue.dataset_of(cursor, entry.id))
            return True

        return store._database.change(work, lent)


def _check_rows(store: Store, entry: Entry, parquet: Path, file: Path) -> None:
    """Refuses a file that cannot be read as the entry's rows before a table is made of it."""
    try:
        with store._database.cursor() as cursor:
            columns = interchange.columns_of(cursor, interchange.parquet(file))
            content = interchange.of_parquet(cursor, file)
    except (DiskFull, DatabaseReadOnly, OutOfMemory):
        raise
    except (duckdb.Error, DataError) as error:
        raise _damaged(parquet) from error
    fits = [name for name, _ in columns] == entry.columns and ("row", "BIGINT") in columns
    if not fits or content != entry.content:
        raise _damaged(parquet)


# --- the folder ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Kept:
    """Rows that a back-up has of a data set: their content hash and the SHA-256 of the Parquet file."""

    content: str
    parquet: str


def _keep(store: Store, folder: Path, id: str) -> _Kept | None:
    with _rows(store, id) as taken:
        if taken is None:
            return None
        entry, parquet = taken
        kept = _Kept(entry.content, _digest(parquet))
        draft = folder / f"{secrets.token_hex(16)}.part"
        with parquet.open("rb") as rows, _private(draft) as file:
            shutil.copyfileobj(rows, file, _CHUNK)
        draft.replace(folder / f"{id}.{kept.parquet}.parquet")
        _write_entry(folder, entry, kept)
        return kept


def _known(folder: Path, id: str) -> _Kept | None:
    """Return what an earlier back-up, whole or killed, has of a data set that is still sound."""
    for file in folder.glob(f"{id}.*.json"):
        with suppress(DataError):
            entry, parquet = _entry(folder, id, file.name.split(".")[1])
            digest = parquet.name.split(".")[1]
            if _digest(parquet) == digest:
                return _Kept(entry.content, digest)
    return None


def _told(kept: _Kept | None, known: _Kept | None) -> str:
    if known is not None:
        return "was there already"
    return "is saved" if kept is not None else "was deleted meanwhile"


def _list(store: Store, folder: Path, kept: dict[str, _Kept]) -> dict[str, str]:
    """Writes the entries as they are at one moment, then the catalogue of this back-up."""
    listed: dict[str, str] = {}
    with store._database.transaction() as cursor:
        for id, rows in kept.items():
            entry = interchange.read(cursor, id, rows.content)
            if entry is not None:
                listed[id] = _write_entry(folder, entry, rows)
    _sync(folder)
    written = datetime.now(UTC).isoformat(timespec="seconds")
    content = {"format": interchange.FORMAT, "written": written, "datasets": listed}
    _write(folder / _CATALOGUE, _json({**content, "sha256": _digest_of(_json(content))}))
    _sync(folder)
    return listed


def _write_entry(folder: Path, entry: Entry, kept: _Kept) -> str:
    content = _json({"format": interchange.FORMAT, "parquet": kept.parquet, "entry": entry.as_dict()})
    digest = _digest_of(content)
    _write(folder / f"{entry.id}.{digest}.json", content)
    return digest


def _clear(folder: Path, listed: dict[str, str], prune: bool) -> tuple[str, ...]:
    """Removes what no longer counts of these data sets; returns the ids of all others that are still there."""
    counts = {f"{id}.{digest}.json" for id, digest in listed.items()}
    counts |= {_entry(folder, id, digest)[1].name for id, digest in listed.items()}
    left = set()
    for file in _named(folder, _OURS):
        id = file.name[:32]
        if file.name in counts:
            continue
        if prune or id in listed:
            file.unlink()
        else:
            left.add(id)
    return tuple(sorted(left))


def _listed(folder: Path) -> dict[str, str]:
    """The ids of the data sets that count, and the digests of their entries."""
    path = folder / _CATALOGUE
    if not path.exists():
        raise DataError(f"{folder} holds no whole back-up: there is no file {path}")
    catalogue = _read(path)
    told = catalogue.pop("sha256", None)
    listed = catalogue.get("datasets")
    if told != _digest_of(_json(catalogue)) or not isinstance(listed, dict):
        raise _damaged(path)
    for id, digest in listed.items():
        if interchange.ID.fullmatch(id) is None or not (
            isinstance(digest, str) and interchange.DIGEST.fullmatch(digest)
        ):
            raise DataError(f"{path} lists something that is no data set of Raterscope; nothing was restored")
    return listed


def _entry(folder: Path, id: str, digest: str) -> tuple[Entry, Path]:
    """The entry of a data set in this folder, and where its rows must lie."""
    path = folder / f"{id}.{digest}.json"
    written = _read(path, digest)
    try:
        entry = interchange.of_dict(written.get("entry"))
    except DataError as error:
        raise DataError(f"{path} cannot be used: {error}; take another back-up") from error
    parquet = written.get("parquet")
    if entry.id != id or not (isinstance(parquet, str) and interchange.DIGEST.fullmatch(parquet)):
        raise DataError(f"{path} is not of the data set it is named after; take another back-up")
    return entry, folder / f"{id}.{parquet}.parquet"


def _read(path: Path, digest: str | None = None) -> dict[str, Any]:
    """A JSON file of ours; `digest` is what it must have."""
    with _plain(path) as file:
        content = file.read()
    if digest is not None and _digest_of(content) != digest:
        raise _damaged(path)
    try:
        told = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise _damaged(path) from error
    if not isinstance(told, dict) or type(told.get("format")) is not int:
        raise _damaged(path)
    if told["format"] > interchange.FORMAT:
        raise DataError(
            f"{path} comes from a newer version of Raterscope: its format is {told['format']}, this version "
            f"reads up to {interchange.FORMAT}; install the newer Raterscope"
        )
    return told


@contextmanager
def _plain(path: Path) -> Iterator[Any]:
    """An ordinary file: a pipe would never end, and a link may lead anywhere."""
    try:
        ordinary = stat.S_ISREG(path.lstat().st_mode)
    except FileNotFoundError as error:
        raise DataError(f"the file {path} of this back-up is missing; take another back-up") from error
    if not ordinary:
        raise DataError(f"{path} is not an ordinary file; take another back-up")
    with path.open("rb") as file:
        yield file


def _damaged(path: Path) -> DataError:
    return DataError(f"{path} is damaged: it is not as it was written; take another back-up")


def _json(content: dict[str, Any]) -> bytes:
    return json.dumps(content, sort_keys=True, indent=1).encode()


def _digest_of(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _digest(path: Path) -> str:
    with _plain(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _write(path: Path, content: bytes) -> None:
    draft = path.with_name(f"{secrets.token_hex(16)}.part")
    with _private(draft) as file:
        file.write(content)
    draft.replace(path)


@contextmanager
def _private(path: Path) -> Iterator[Any]:
    """A new file that nobody else may read, and that is on the disk at the end."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())


def _sync(folder: Path) -> None:
    """The names of new files too survive a power cut from here on, where the system can promise it."""
    with suppress(OSError):
        opened = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)


def _named(folder: Path, pattern: re.Pattern[str]) -> list[Path]:
    return [file for file in folder.iterdir() if pattern.fullmatch(file.name)]


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Nobody else backs up into this folder meanwhile: they would clear away each other's files."""
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
def _explained(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise DataError(
            f"the back-up folder {folder} cannot be used ({error.strerror or error}); give this user the right "
            "to it, make room, or choose another folder"
        ) from error
