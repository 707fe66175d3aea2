"""The database as one DuckDB file, which one process at a time has open."""

import os
import re
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import duckdb

from data.engines import schema
from data.engines.schema import literal
from data.errors import (
    Damaged,
    DatabaseInUse,
    DatabaseReadOnly,
    DataError,
    DiskFull,
    NewerDatabase,
    NotADatabase,
)
from data.settings import Settings, variable_of

_IN_USE = re.compile(r"Could not set lock on file", re.I)
_TRANSIENT_ERRORS = re.compile(r"Could not set lock on file|already attached", re.I)
_READ_ONLY = re.compile(
    r"Permission denied|Read-only file system|Operation not permitted|read-only mode", re.I
)
_DISK_FULL = re.compile(
    r"No space left on device|File too large|Disk quota exceeded|not enough (disk )?space", re.I
)
_GROUP_ROWS = 122_880
"""Rows that DuckDB writes to blocks together; fewer go through its log."""
_GROUP = 8 * _GROUP_ROWS
"""Bytes of so many numbers that cannot be compressed."""
_MAX_GROUPS = 300
_WORTH_RECLAIMING = 1 << 20
_RESERVE = 1 << 16
_NEWER = re.compile(r"can only read versions? |newer version of DuckDB", re.I)
_NO_DATABASE = re.compile(r"not a valid DuckDB database file", re.I)
_DAMAGED = re.compile(r"Corrupt database file: computed checksum|Could not read (from|enough bytes)", re.I)


class FileEngine:
    """A database file at `path`."""

    description = "a DuckDB file"
    shared = True

    def __init__(self, path: Path, settings: Settings) -> None:
        self.path = path
        self.label = str(path)
        self._settings = settings

    def prepare(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Attach the file as `store`, creating it if there is none."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        if not self.path.exists():
            self._create(connection)
        connection.execute(_attach_sql(self.path, "store"))
        self._reclaim_space(connection)

    def folders(self) -> list[str]:
        return []

    def temporary_folder(self) -> str:
        return f"{self.path}.tmp"

    @contextmanager
    def catalogue_lock(self, connection: duckdb.DuckDBPyConnection) -> Iterator[None]:
        """Do nothing: no other process can have the file open."""
        yield

    def mark_transaction(self, cursor: duckdb.DuckDBPyConnection, mark: str) -> None:
        """Do nothing: the connection to a file cannot be lost."""

    def is_committed(self, cursor: duckdb.DuckDBPyConnection, mark: str) -> bool:
        return False

    def is_transient(self, error: Exception) -> bool:
        """Return True if opening may succeed a moment later, as when the previous server is still ending."""
        return _TRANSIENT_ERRORS.search(str(error)) is not None

    def is_repeatable(self, error: Exception) -> bool:
        """Return True if the same work may succeed when it is repeated."""
        return False

    def redact(self, error: Exception) -> Exception:
        return error

    def needs_reopening(self, error: BaseException) -> bool:
        """Return True if the file must be reopened to reclaim the disk space of a failed transaction."""
        return _DISK_FULL.search(str(error)) is not None

    def sweep(self, connection: duckdb.DuckDBPyConnection, seconds: float, orphan_seconds: float) -> None:
        """Do nothing: the space of a dropped table is free at once."""

    def state(self, cursor: duckdb.DuckDBPyConnection) -> int:
        """Return 0: no other process can change a file, and `Database.transaction_count` counts its own changes."""
        return 0

    def size(self, cursor: duckdb.DuckDBPyConnection) -> int:
        """Return the bytes on the disk."""
        files = (self.path, self.path.with_name(self.path.name + ".wal"))
        return sum(file.stat().st_size for file in files if file.exists())

    def free_space(self, cursor: duckdb.DuckDBPyConnection) -> tuple[int, Path]:
        """Return the bytes that are free on the disk and in the file's own free blocks."""
        free, _ = self._free_blocks(cursor)
        return free + shutil.disk_usage(self.path.parent).free, self.path

    def check_files(self, cursor: duckdb.DuckDBPyConnection, table: str) -> None:
        """Do nothing: all tables are in one file, whose damage is found when it is read."""

    def probe(self, cursor: duckdb.DuckDBPyConnection) -> None:
        """Write a little into the file's folder."""
        attached = cursor.execute(
            "SELECT readonly FROM duckdb_databases() WHERE database_name = 'store'"
        ).fetchone()
        if attached != (False,) or not os.access(self.path, os.W_OK):
            raise self._read_only()
        try:
            write_and_remove(self.path.parent)
        except OSError as error:
            raise self.explain(error) from error

    def explain(self, error: Exception) -> Exception:
        """Return a `DataError` that the user or operator can fix, else the error itself."""
        message = str(error)
        variable = variable_of("database")
        if _IN_USE.search(message):
            return DatabaseInUse(
                f"{self.path} is open in another process{_describe_locking_process(message)}; a database file serves "
                f"one process at a time: end the other one, or set {variable} to another file"
            )
        if _DISK_FULL.search(message):
            spool = self._settings.spool
            full_path = spool if str(spool) in message else self.path
            return DiskFull(
                f"no room left on the disk of {full_path}; nothing was saved and what was there before is "
                "unharmed: make room and try again"
            )
        if _READ_ONLY.search(message):
            return self._read_only()
        if _NEWER.search(message):
            return NewerDatabase(
                f"{self.path} comes from a newer DuckDB than the installed {duckdb.__version__}; "
                f"install a newer Raterscope, or set {variable} to another file"
            )
        if _NO_DATABASE.search(message):
            return NotADatabase(
                f"{self.path} is no DuckDB database; put back a copy of it, or move it away "
                f"(a new one is made at the next start), or set {variable} to another file"
            )
        if self._is_damage(error):
            return Damaged(
                f"{self.path} is damaged: a part of it cannot be read, and nothing is saved into it. Stop the server, "
                "move the file away, and restore the last back-up into a new one (python -m data restore FOLDER, see "
                "docs/hosting.md)"
            )
        return error

    def _reclaim_space(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Shrink the file after a transaction that failed on a full disk or was killed.

        DuckDB cuts free blocks off the end of the file at a checkpoint, but only if something was written, and blocks
        that its header does not list only if a block behind them was freed. So a table is written into blocks that
        the file already has, and dropped. Its name is one that `_drop_orphans` removes after a kill.
        """
        if max(self._free_blocks(connection)) >= _WORTH_RECLAIMING:
            table = f"store.{schema.table_of('0' * 32)}"
            with suppress(OSError):
                self._reserve().unlink(missing_ok=True)
            try:
                connection.execute(f"DROP TABLE IF EXISTS {table}")
                connection.execute(
                    "CHECKPOINT store"
                )  # else what the log holds would end up behind the table
                free, unlisted = self._free_blocks(connection)
                groups = min(free // _GROUP + 1, _MAX_GROUPS) if unlisted >= _WORTH_RECLAIMING else 1
                connection.execute(
                    f"CREATE TABLE {table} AS SELECT hash(range) AS number FROM range({groups * _GROUP_ROWS})"  # noqa: S608
                )
                connection.execute("CHECKPOINT store")
                connection.execute(f"DROP TABLE {table}")
                connection.execute("CHECKPOINT store")
            except duckdb.Error:  # no room even for that: the next start tries again
                connection.execute("DETACH store")
                connection.execute(_attach_sql(self.path, "store"))
        self._fill_reserve()

    def _free_blocks(self, connection: duckdb.DuckDBPyConnection) -> tuple[int, int]:
        """Return the bytes of the blocks that are free, and those at the end of the file that are not listed at all."""
        total, free, size = connection.execute(
            "SELECT total_blocks, free_blocks, block_size FROM pragma_database_size() WHERE database_name = 'store'"
        ).fetchone() or (0, 0, 1)
        return free * size, self.path.stat().st_size - total * size

    def _reserve(self) -> Path:
        return self.path.with_name(f"{self.path.name}.reserve")

    def _fill_reserve(self) -> None:
        """Keep a little disk space from which shrinking the file can be logged when there is no other left."""
        reserve = self._reserve()
        with suppress(OSError):
            if not reserve.exists():
                reserve.write_bytes(bytes(_RESERVE))

    def _is_damage(self, error: Exception) -> bool:
        """Return True if the database file itself cannot be read, not an uploaded file."""
        if isinstance(error, duckdb.SerializationException):
            return True
        message = str(error)
        is_file_error = isinstance(
            error, duckdb.IOException | duckdb.FatalException | duckdb.InternalException
        )
        return (
            is_file_error
            and _DAMAGED.search(message) is not None
            and ("Corrupt" in message or str(self.path) in message)
        )

    def _read_only(self) -> DataError:
        return DatabaseReadOnly(
            f"{self.path} cannot be written: give this user the right to write the file, its folder and "
            f"the spool folder {self._settings.spool}, or set {variable_of('database')} and "
            f"{variable_of('spool')}"
        )

    def _create(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Create a new file under another name first, so that a kill does not leave half a database."""
        draft = self.path.with_name(f"{self.path.name}.{secrets.token_hex(8)}.new")
        try:
            connection.execute(f"{_attach_sql(draft, 'draft')} ({_FILE_OPTIONS})")
            connection.execute("USE draft")
            schema.create_catalogue(connection)
            connection.execute("USE memory")
            connection.execute("DETACH draft")
            try:
                os.link(draft, self.path)
            except FileExistsError:
                pass  # another process was faster: its file counts
            except OSError:  # a file system without links
                draft.rename(self.path)
        finally:
            draft.unlink(missing_ok=True)


_FILE_OPTIONS = "BLOCK_SIZE 65536, STORAGE_VERSION 'v1.5.0'"
"""A small data set takes 68 KB (with DuckDB's usual blocks 265), 5,000,000 ratings 39 MB (with blocks of 16 KB 150, in
which whole numbers are not packed)."""


def write_and_remove(folder: Path) -> None:
    """Write a small file into a folder and remove it."""
    probe = folder / f"{secrets.token_hex(8)}.probe"
    try:
        probe.write_bytes(b"x" * 4096)
    finally:
        probe.unlink(missing_ok=True)


def _attach_sql(path: Path, alias: str) -> str:
    return f"ATTACH {literal(path)} AS {alias}"


def _describe_locking_process(message: str) -> str:
    process = re.search(r"\(PID (\d+)\)", message)
    return f" (process {process[1]})" if process else ""
