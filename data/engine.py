"""Opening, locking down and sharing the database: all that depends on the engine stands in this module.

The database is *attached* to an engine in memory, not opened by it: block size and, later, a lake's catalogue
can only be given so, and an import can be tried out in the engine's own memory without touching the file. A
process opens each file once, however many stores ask for it, because a second handle to it would be refused.
"""

import os
import re
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

import duckdb

from data import schema
from data.errors import (
    DatabaseInUse,
    DatabaseReadOnly,
    DataError,
    DiskFull,
    NewerDatabase,
    NotADatabase,
    OutOfMemory,
)
from data.settings import Settings, shown, variable_of

Changed = TypeVar("Changed")
_PATIENCE = 2.0
"""Seconds to wait for another process to let go of the file: a restart overlaps with its forerunner's end."""

_FULL = re.compile(
    r"No space left on device|File too large|Disk quota exceeded|not enough (disk )?space", re.I
)
_HELD = re.compile(r"Could not set lock on file", re.I)
_PASSING = re.compile(r"Could not set lock on file|already attached", re.I)
_READ_ONLY = re.compile(r"Permission denied|Read-only file system|Operation not permitted", re.I)
_INVALIDATED = re.compile(r"has been invalidated", re.I)
_NEWER = re.compile(r"can only read versions? |newer version of DuckDB", re.I)
_DAMAGED = re.compile(r"not a valid DuckDB database file|Corrupt database file|checksum|deserializ", re.I)


class Database:
    """One open database file; made by `opened`, given back by `close`."""

    def __init__(self, path: Path, settings: Settings) -> None:
        self.path = path
        self.users = 0
        self.settings = settings
        self._connection: duckdb.DuckDBPyConnection | None = None
        self._opening = threading.Lock()
        self.writing = threading.RLock()
        """Held while the catalogue changes, so that limits are counted and links are made once."""
        self._connected()

    @contextmanager
    def cursor(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """A cursor of its own for one query: a connection shared by threads fails under load.

        Raises
        ------
        DataError
            for the engine's errors that a user can mend; all others pass as they are.
        """
        cursor = self._connected().cursor()
        try:
            cursor.execute("USE store")
            yield cursor
        except duckdb.Error as error:
            if isinstance(error, duckdb.FatalException) or _INVALIDATED.search(str(error)):
                self._disconnect()  # the next cursor opens the file anew, from what was last safe
            raise self._explained(error) from error
        finally:
            with suppress(duckdb.Error):
                cursor.close()

    @contextmanager
    def transaction(
        self, cursor: duckdb.DuckDBPyConnection | None = None
    ) -> Iterator[duckdb.DuckDBPyConnection]:
        """A transaction of this cursor or a new one: committed at the end or, after any error, never begun.

        Raises
        ------
        DataError
            as `cursor` does.
        """
        if cursor is None:
            with self.cursor() as cursor, self.transaction(cursor):
                yield cursor
            return
        cursor.execute("BEGIN TRANSACTION")
        try:
            yield cursor
            cursor.execute("COMMIT")
        except BaseException as error:
            with suppress(duckdb.Error):
                cursor.execute("ROLLBACK")
            if _FULL.search(str(error)):
                with suppress(duckdb.Error):
                    cursor.execute("CHECKPOINT store")  # gives back the room that the failed rows took
            raise

    def change(
        self,
        work: Callable[[duckdb.DuckDBPyConnection], Changed],
        cursor: duckdb.DuckDBPyConnection | None = None,
    ) -> Changed:
        """Runs `work` on the catalogue in one transaction, of this cursor or a new one, while nobody else changes it.

        Raises
        ------
        DataError
            as `cursor` does.
        """
        with self.writing, self.transaction(cursor) as used:
            return work(used)

    def close(self) -> None:
        """Give the database back; the last user's `close` closes the file."""
        with _registry:
            self.users -= 1
            if self.users == 0:
                _open.pop(self.path, None)
                self._disconnect()

    def _connected(self) -> duckdb.DuckDBPyConnection:
        with self._opening:
            if self._connection is None:
                self._connection = self._attach_patiently()
            return self._connection

    def _disconnect(self) -> None:
        with self._opening:
            if self._connection is not None:
                with suppress(duckdb.Error):
                    self._connection.close()
            self._connection = None

    def _attach_patiently(self) -> duckdb.DuckDBPyConnection:
        give_up = time.monotonic() + _PATIENCE
        while True:
            connection = duckdb.connect(":memory:")
            try:
                self._make_folders()
                if not self.path.exists():
                    self._create(connection)
                connection.execute(_attach(self.path, "store"))
                version = self._check_version(connection)
                if version < schema.VERSION:
                    schema.upgrade(connection, version)
                self._lock_down(connection)
                _sweep_orphans(connection)
                return connection
            except DataError:
                connection.close()
                raise
            except (duckdb.Error, OSError) as error:
                connection.close()
                if not _PASSING.search(str(error)) or time.monotonic() > give_up:
                    told = self._explained(error)
                    if not isinstance(told, DataError):
                        told = DataError(f"{self.path} cannot be opened: {str(error).splitlines()[0]}")
                    raise told from error
                time.sleep(0.05)

    def _make_folders(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.settings.spool.mkdir(parents=True, exist_ok=True)

    def _create(self, connection: duckdb.DuckDBPyConnection) -> None:
        """A new file gets its schema under another name first: a kill must not leave half a database."""
        draft = self.path.with_name(f"{self.path.name}.{secrets.token_hex(8)}.new")
        try:
            connection.execute(f"{_attach(draft, 'draft')} (BLOCK_SIZE 16384)")  # many small tables
            connection.execute("USE draft")
            for statement in schema.NEW:
                connection.execute(statement)
            connection.execute("INSERT INTO schema_version VALUES (?)", [schema.VERSION])
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

    def _check_version(self, connection: duckdb.DuckDBPyConnection) -> int:
        try:
            rows = connection.execute("SELECT version FROM store.schema_version").fetchall()
        except duckdb.CatalogException:
            rows = []
        if len(rows) != 1:
            raise NotADatabase(
                f"{self.path} is a DuckDB file, but not one of Raterscope; "
                f"set {variable_of('database')} to another file"
            )
        if rows[0][0] > schema.VERSION:
            raise NewerDatabase(
                f"{self.path} comes from a newer version of Raterscope: its format is {rows[0][0]}, this "
                f"version reads up to {schema.VERSION}; install the newer Raterscope, or set "
                f"{variable_of('database')} to another file"
            )
        return int(rows[0][0])

    def _lock_down(self, connection: duckdb.DuckDBPyConnection) -> None:
        """From here on the engine reads and writes the spool folder and its own files only, and stays so."""
        connection.execute("SET temp_directory = ?", [f"{self.path}.tmp"])
        connection.execute("SET memory_limit = ?", [f"{self.settings.memory}B"])
        connection.execute("SET threads = ?", [self.settings.threads])
        connection.execute("SET allowed_directories = ?", [[str(self.settings.spool)]])
        for setting in (
            "enable_external_access",
            "autoinstall_known_extensions",
            "autoload_known_extensions",
            "allow_community_extensions",
        ):
            connection.execute(f"SET {setting} = false")
        connection.execute("SET lock_configuration = true")

    def _explained(self, error: Exception) -> Exception:
        """The error in words where the user or operator can mend it, else the error itself."""
        said = str(error)
        variable = variable_of("database")
        if _HELD.search(said):
            return DatabaseInUse(
                f"{self.path} is open in another process{_holder(said)}; a database file serves one process "
                f"at a time: end the other one, or set {variable} to another file"
            )
        if _FULL.search(said):
            return DiskFull(
                f"no room left on the disk of {self.path}; nothing was saved and what was there before is "
                "unharmed: make room and try again"
            )
        if _READ_ONLY.search(said):
            return DatabaseReadOnly(
                f"{self.path} cannot be written: give this user the right to write the file, its folder and "
                f"the spool folder {self.settings.spool}, or set {variable} and {variable_of('spool')}"
            )
        if _NEWER.search(said):
            return NewerDatabase(
                f"{self.path} comes from a newer DuckDB than the installed {duckdb.__version__}; "
                f"install a newer Raterscope, or set {variable} to another file"
            )
        if _DAMAGED.search(said):
            return NotADatabase(
                f"{self.path} is no DuckDB database or is damaged; put back a copy of it, or move it away "
                f"(a new one is made at the next start), or set {variable} to another file"
            )
        if _INVALIDATED.search(said):
            return DataError(f"{self.path} had to be opened anew after an earlier error; try again")
        if isinstance(error, duckdb.OutOfMemoryException):
            return OutOfMemory(
                f"this needs more memory than the {shown('memory', self.settings.memory)} that "
                f"{variable_of('memory')} allows; raise it, or use a smaller file"
            )
        return error


_registry = threading.RLock()
_open: dict[Path, Database] = {}


def opened(path: Path, settings: Settings) -> Database:
    """The database at `path`, created where there is none; every call needs its `close`.

    Raises
    ------
    DataError
        where it is in use by another process, cannot be written, is from a newer version, or is no database.
    """
    path = path.expanduser().absolute()
    with _registry:
        database = _open.get(path)
        if database is None:
            database = _open[path] = Database(path, settings)
        database.users += 1
        return database


def table_of(dataset: str) -> str:
    """The table that holds a data set's rows; `dataset` must be an id.

    >>> table_of("0" * 32)
    'rows_00000000000000000000000000000000'

    Raises
    ------
    ValueError
        where it is not 32 hexadecimal digits: it would become part of a statement.
    """
    if re.fullmatch(r"[0-9a-f]{32}", dataset) is None:
        raise ValueError(f"a data set's id has 32 hexadecimal digits, got {dataset!r}")
    return f"rows_{dataset}"


def _attach(path: Path, alias: str) -> str:
    quoted = str(path).replace("'", "''")
    return f"ATTACH '{quoted}' AS {alias}"


def _sweep_orphans(connection: duckdb.DuckDBPyConnection) -> None:
    """Tables without a catalogue row, which no transaction of ours leaves, but a repaired file might."""
    orphans = connection.execute(
        "SELECT table_name FROM information_schema.tables WHERE table_catalog = 'store' "
        "AND table_name LIKE 'rows\\_%' ESCAPE '\\' "
        "AND table_name NOT IN (SELECT 'rows_' || id FROM store.datasets)"
    ).fetchall()
    for (table,) in orphans:
        quoted = str(table).replace('"', '""')
        connection.execute(f'DROP TABLE store."{quoted}"')


def _holder(said: str) -> str:
    found = re.search(r"\(PID (\d+)\)", said)
    return f" (process {found[1]})" if found else ""
