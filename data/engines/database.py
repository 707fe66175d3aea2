"""Open, restrict and share the database, a file or a lake.

The database is *attached* to an engine in memory, not opened by it: only then can the block size and a lake's catalogue
be set, and an import be tried in memory without changing stored data. A process attaches each database once for all of
its stores, because a second handle to a file would be refused. The differences between the kinds of databases are in
`file_engine` and `lake_engine`.
"""

import itertools
import logging
import random
import re
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Literal, TypeVar

import duckdb

from data.engines import schema
from data.engines.file_engine import FileEngine, write_and_remove
from data.engines.lake_engine import Lake
from data.engines.schema import Engine, quoted, restrict_engine
from data.errors import (
    CannotOpen,
    Damaged,
    DataError,
    DiskFull,
    FileDamaged,
    NewerDatabase,
    NotADatabase,
    OutOfMemory,
    spool_error,
)
from data.settings import Settings, shown, variable_of

Changed = TypeVar("Changed")
Kind = Literal["short", "long"]
"""Purpose of a connection: a query, or work on a whole data set."""
_ATTACH_SECONDS = 2.0
"""Seconds to wait until another process has released or created the database."""
_CHANGE_SECONDS = 10.0
"""Seconds for which a change is retried after a conflict or a lost connection to the catalogue."""
_WAITING = 3.0
"""Seconds for which a reader waits for a lost catalogue."""
_MAX_CONNECTIONS: dict[Kind, int] = {"long": 2, "short": 4}
"""Maximum number of connections to a lake for imports and whole data sets, and for everything else.

All of one kind share half of the memory, so that no number of imports takes a reader's connection or memory.
"""
_MAX_WAIT = 60.0
"""Seconds to wait for a connection while all are in use."""
_SWEEPING = 900.0
"""Seconds between two sweeps, and for which deleted data is kept for those who are still reading it."""
_ORPHAN = 86_400.0
"""Age in seconds from which a file that belongs to no transaction is taken for one of a killed process."""
_log = logging.getLogger("raterscope.store")
_INVALIDATED = re.compile(r"has been invalidated", re.I)


class Database:
    """Open database, created by `open_database` and released by `close`."""

    def __init__(self, engine: Engine, key: str, settings: Settings) -> None:
        self.users = 0
        self.settings = settings
        self._engine = engine
        self._key = key
        self._connection: duckdb.DuckDBPyConnection | None = None
        self._connection_lock = threading.Lock()
        self._semaphores = {kind: threading.Semaphore(limit) for kind, limit in _MAX_CONNECTIONS.items()}
        self._idle: dict[Kind, list[duckdb.DuckDBPyConnection]] = {kind: [] for kind in _MAX_CONNECTIONS}
        self._connection_by_thread: dict[int, duckdb.DuckDBPyConnection] = {}
        self._broken: set[duckdb.DuckDBPyConnection] = set()
        self._closed = False
        self.damage: str | None = None
        """Reason why nothing can be saved, after a part of the database could not be read; None if there is none."""
        self._logged: set[str] = set()
        self.unreadable: set[str] = set()
        """Ids of the data sets that could not be read."""
        self._in_use = 0
        self._must_reopen = False
        self._prepared = False
        self._last_sweep = time.monotonic()
        self._nested_changes = 0
        self.transaction_count = 0 if engine.shared else None
        """Number of ended transactions; None for a lake, which other servers can change."""
        self._count_lock = threading.Lock()
        self.writing = threading.RLock()
        """Held while the catalogue changes, so that limits are counted and links are made once."""
        with self._connection_for_thread():
            pass

    @contextmanager
    def cursor(
        self, retry_seconds: float = _WAITING, kind: Kind = "short"
    ) -> Iterator[duckdb.DuckDBPyConnection]:
        """Yield a separate cursor for one query: a connection shared by threads fails under load.

        A lake's catalogue that does not answer is waited for, `retry_seconds` seconds. What works on a whole data
        set, for seconds, is `long`.
        """
        with self._connection_for_thread(kind) as connection:
            cursor = connection.cursor()
            try:
                self._retry(lambda: cursor.execute("USE store"), retry_seconds)
                yield cursor
            except duckdb.Error as error:
                if self._is_broken_by(error):
                    self._disconnect(connection)  # the next cursor reopens it in its last committed state
                explained = self._explain(error)
                if isinstance(explained, Damaged):
                    self._note_damage(explained)
                cause = self._engine.redact(error)
                if explained is error and cause is error:
                    raise
                raise (cause if explained is error else explained) from (cause if cause is error else None)
            finally:
                with suppress(duckdb.Error):
                    cursor.close()

    def read(self, work: Callable[[duckdb.DuckDBPyConnection], Changed]) -> Changed:
        """Return the result of `work` with a cursor; repeat it if the catalogue or the connection was lost."""
        try:
            with self.cursor() as cursor:
                return self._retry(lambda: work(cursor), _WAITING)
        except CannotOpen as error:
            if not self._is_broken_by(error.__cause__):
                raise
        with self.cursor() as cursor:
            return self._retry(lambda: work(cursor), _WAITING)

    @contextmanager
    def transaction(
        self, cursor: duckdb.DuckDBPyConnection | None = None
    ) -> Iterator[duckdb.DuckDBPyConnection]:
        """Run a transaction of this cursor or a new one: committed at the end, rolled back after any error."""
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
            self._must_reopen = self._must_reopen or self._engine.needs_reopening(error)
            raise
        finally:
            if self.transaction_count is not None:
                with self._count_lock:
                    self.transaction_count += 1

    def change(
        self,
        work: Callable[[duckdb.DuckDBPyConnection], Changed],
        cursor: duckdb.DuckDBPyConnection | None = None,
    ) -> Changed:
        """Run `work` on the catalogue in one transaction, of this cursor or a new one, under the catalogue's lock.

        A lake may refuse a transaction or lose its catalogue: `work` is then done again from its beginning, but
        only where it is certain that nothing of it was saved.
        """
        if cursor is None:
            with self.writing, self.cursor() as cursor:  # a waiting visit has no connection
                return self.change(work, cursor)
        with self.writing:
            result = self._retry(lambda: self._run_change(work, cursor), _CHANGE_SECONDS)
            if not self._nested_changes and time.monotonic() - self._last_sweep > _SWEEPING:
                self.sweep()
            return result

    def sweep(self, seconds: float = _SWEEPING, orphan_seconds: float = _ORPHAN) -> None:
        """Permanently remove data deleted so many seconds ago, and files of killed writers."""
        self._last_sweep = time.monotonic()
        with (
            self.writing,
            suppress(duckdb.Error, DataError),
            self._lock_catalogue(),
            self._connection_for_thread() as connection,
        ):
            self._engine.sweep(connection, seconds, orphan_seconds)

    def state(self, cursor: duckdb.DuckDBPyConnection) -> int:
        """Return a number that changes with every change to the catalogue by any process."""
        return self._engine.state(cursor)

    def size(self) -> int:
        """Return the bytes in the storage."""
        with self.cursor() as cursor:
            return self._engine.size(cursor)

    def check_save(self, cursor: duckdb.DuckDBPyConnection, rows: Path | None = None) -> None:
        """Refuse a save into a damaged database, or one for which the disk has too little space.

        `rows` is the Parquet file to be saved; without it, the smallest possible data set is assumed.
        """
        if self.damage is not None:
            raise Damaged(self.damage)
        free = self._engine.free_space(cursor)
        needed = schema.MIN_SIZE if rows is None else schema.estimate_size(cursor, rows)
        if free is not None and free[0] < needed:
            raise DiskFull.before_saving(
                shown("upload_size", needed),
                shown("upload_size", free[0]),
                str(free[1]),
                variable_of("database"),
            )

    def check_files(self, table: str) -> None:
        """Raise `FileDamaged` where a file of a lake's table is missing or not as long as it was written."""
        try:
            self.read(lambda cursor: self._engine.check_files(cursor, table))
        except FileDamaged as error:
            self._note_damage(error)
            raise

    def _note_damage(self, damage: Damaged) -> None:
        """Log damage once; unless it concerns a single data set, keep everybody from saving."""
        reason = str(damage)
        if reason not in self._logged:
            self._logged.add(reason)
            _log.error("a part of the database cannot be read", extra={"fields": {"reason": reason}})
        if self.damage is None and not isinstance(damage, FileDamaged):
            self.damage = reason

    def probe(self) -> None:
        """Write a little to the storage and to the spool and undo it."""
        with self.cursor(retry_seconds=0) as cursor:
            self.check_save(cursor)
            self._engine.probe(cursor)
        self._make_spool()
        try:
            write_and_remove(self.settings.spool)
        except OSError as error:
            raise spool_error(self.settings.spool, variable_of("spool"), error) from error

    def _make_spool(self) -> None:
        try:
            self.settings.spool.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise spool_error(self.settings.spool, variable_of("spool"), error) from error

    def close(self) -> None:
        """Release the database; the last user's `close` closes it."""
        with _registry:
            self.users -= 1
            if self.users == 0:
                _open.pop(self._key, None)
                self._closed = True
                self._disconnect(
                    *([self._connection] if self._connection else []), *itertools.chain(*self._idle.values())
                )

    def _retry(self, work: Callable[[], Changed], seconds: float) -> Changed:
        """Repeat work that fails with a transient error, for at most `seconds`."""
        deadline = time.monotonic() + seconds
        for attempt in itertools.count(1):
            try:
                return work()
            except duckdb.Error as error:
                if time.monotonic() > deadline or not self._engine.is_repeatable(error):
                    raise
            time.sleep(random.uniform(0.02, 0.1) * min(attempt, 5))
        raise AssertionError("counting never ends")

    def _run_change(
        self, work: Callable[[duckdb.DuckDBPyConnection], Changed], cursor: duckdb.DuckDBPyConnection
    ) -> Changed:
        mark = secrets.token_hex(16)
        results: list[Changed] = []
        try:
            with self._lock_catalogue(), self.transaction(cursor):
                self._engine.mark_transaction(cursor, mark)
                results.append(work(cursor))
        except duckdb.Error:
            if not results or not self._engine.is_committed(cursor, mark):
                raise
        return results[0]

    @contextmanager
    def _lock_catalogue(self) -> Iterator[None]:
        """Lock the catalogue; a nested change shares the lock."""
        if self._nested_changes:
            yield
            return
        with self._connection_for_thread() as connection, self._engine.catalogue_lock(connection):
            self._nested_changes += 1
            try:
                yield
            finally:
                self._nested_changes -= 1

    @contextmanager
    def _connection_for_thread(self, kind: Kind = "short") -> Iterator[duckdb.DuckDBPyConnection]:
        """Yield the only connection to a file, or a connection to a lake that no other thread uses meanwhile.

        DuckLake and the PostgreSQL extension crash the process when one thread commits while others read
        through the same attached lake. A thread that already has a connection keeps it.
        """
        if self._engine.shared:
            with self._connection_lock:
                if self._connection is None:
                    self._connection = self._attach_with_retries(self.settings.memory)
                connection = self._connection
                self._in_use += 1
            try:
                yield connection
            finally:
                with self._connection_lock:
                    self._in_use -= 1
                    if self._must_reopen and not self._in_use:
                        self._reopen(connection)
            return
        thread = threading.get_ident()
        lent = self._connection_by_thread.get(thread)
        if lent is not None:
            yield lent
            return
        with self._lend(thread, kind) as connection:
            yield connection

    def _reopen(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Reopen the database to reclaim the disk space of failed transactions."""
        self._must_reopen = False
        self._connection = None
        with suppress(duckdb.Error, DataError):  # the next caller tries again and gets the error
            connection.close()
            self._connection = self._attach_with_retries(self.settings.memory)

    @contextmanager
    def _lend(self, thread: int, kind: Kind) -> Iterator[duckdb.DuckDBPyConnection]:
        if not self._semaphores[kind].acquire(timeout=_MAX_WAIT):
            raise DataError("too many are at work here at the same time; try again in a moment")
        try:
            idle = self._idle[kind]
            with self._connection_lock:
                idle_connection = idle.pop() if idle else None
            connection = idle_connection or self._attach_with_retries(
                _memory_share(kind, self.settings.memory)
            )
            self._connection_by_thread[thread] = connection
            try:
                yield connection
            finally:
                del self._connection_by_thread[thread]
                if self._closed or connection in self._broken:
                    self._broken.discard(connection)
                    with suppress(duckdb.Error):
                        connection.close()
                else:
                    idle.append(connection)
        finally:
            self._semaphores[kind].release()

    def _disconnect(self, *connections: duckdb.DuckDBPyConnection) -> None:
        with self._connection_lock:
            self._connection = None
            for connection in connections:
                self._broken.add(connection)
                with suppress(duckdb.Error):
                    connection.close()

    def _attach_with_retries(self, memory: int) -> duckdb.DuckDBPyConnection:
        deadline = 0.0
        while True:
            connection = duckdb.connect(":memory:")
            try:
                self._make_spool()
                self._engine.prepare(connection)
                self._upgrade(connection)
                folders = [str(self.settings.spool), *self._engine.folders()]
                restrict_engine(
                    connection, folders, self._engine.temporary_folder(), memory, self.settings.threads
                )
                if self._prepared:
                    return connection
                self._prepared = True
                with suppress(duckdb.Error, DataError), self._engine.catalogue_lock(connection):
                    _drop_orphans(connection)
                    self._engine.sweep(connection, _SWEEPING, _ORPHAN)
                return connection
            except DataError:
                connection.close()
                raise
            except (duckdb.Error, OSError) as error:
                connection.close()
                deadline = deadline or time.monotonic() + self._retry_seconds()
                if not self._engine.is_transient(error) or time.monotonic() > deadline:
                    cause = self._engine.redact(error)
                    explained = self._explain(error)
                    if not isinstance(explained, DataError):
                        explained = CannotOpen(
                            f"{self._engine.label} cannot be opened: {str(cause).splitlines()[0]}"
                        )
                    raise explained from (cause if cause is error else None)
                time.sleep(0.05)

    def _retry_seconds(self) -> float:
        """Return the seconds for retrying: a lake's PostgreSQL often starts together with its servers."""
        return _ATTACH_SECONDS if self._engine.shared else 5 * _ATTACH_SECONDS

    def _upgrade(self, connection: duckdb.DuckDBPyConnection) -> None:
        if self._version(connection) < schema.VERSION:
            with self._engine.catalogue_lock(connection):
                version = self._version(connection)
                if version < schema.VERSION:
                    schema.upgrade(connection, version)

    def _version(self, connection: duckdb.DuckDBPyConnection) -> int:
        label, variable = self._engine.label, variable_of("database")
        try:
            rows = connection.execute("SELECT version FROM store.schema_version").fetchall()
        except duckdb.CatalogException:
            rows = []
        if len(rows) != 1:
            raise NotADatabase(
                f"{label} is {self._engine.description}, but not one of Raterscope; set {variable} to another one"
            )
        if rows[0][0] > schema.VERSION:
            raise NewerDatabase(
                f"{label} comes from a newer version of Raterscope: its format is {rows[0][0]}, this "
                f"version reads up to {schema.VERSION}; install the newer Raterscope, or set "
                f"{variable} to another one"
            )
        return int(rows[0][0])

    def _is_broken_by(self, error: BaseException | None) -> bool:
        """Return True if the connection is unusable, as DuckLake's after PostgreSQL was interrupted."""
        return (
            isinstance(error, duckdb.FatalException)
            or (isinstance(error, duckdb.InternalException) and not self._engine.shared)
            or _INVALIDATED.search(str(error)) is not None
        )

    def _explain(self, error: Exception) -> Exception:
        """Return a `DataError` that the user or operator can fix, else the error itself."""
        explained = self._engine.explain(error)
        if explained is not error:
            return explained
        if self._is_broken_by(error):
            return CannotOpen(f"{self._engine.label} had to be opened anew after an earlier error; try again")
        if isinstance(error, duckdb.OutOfMemoryException):
            return OutOfMemory(
                f"this needs more memory than the {shown('memory', self.settings.memory)} that "
                f"{variable_of('memory')} allows; raise it, or use a smaller file"
            )
        return error


_registry = threading.RLock()
_open: dict[str, Database] = {}


def open_database(url: str | Path, settings: Settings) -> Database:
    """Return the database at `url`, created if there is none; every call needs its `close`.

    A path, or `ducklake:postgres:` with what leads to a PostgreSQL database.
    """
    with _registry:
        engine = _create_engine(str(url), settings)
        key = str(engine.path) if isinstance(engine, FileEngine) else str(url)
        database = _open.get(key)
        if database is None:
            database = _open[key] = Database(engine, key, settings)
        database.users += 1
        return database


def _memory_share(kind: Kind, memory: int) -> int:
    """Return the bytes for one connection, so that all of them together take no more than `memory`.

    >>> sum(most * _memory_share(kind, 1_600) for kind, most in _MAX_CONNECTIONS.items())
    1600
    """
    return memory // (len(_MAX_CONNECTIONS) * _MAX_CONNECTIONS[kind])


def _create_engine(url: str, settings: Settings) -> Engine:
    if url.startswith("ducklake:"):
        return Lake(url, settings)
    return FileEngine(Path(url).expanduser().absolute(), settings)


def _drop_orphans(connection: duckdb.DuckDBPyConnection) -> None:
    """Drop tables without a catalogue row, which can exist in a repaired database."""
    connection.execute("BEGIN TRANSACTION")
    try:
        orphans = connection.execute(
            "SELECT table_name FROM duckdb_tables() WHERE database_name = 'store' "
            "AND regexp_matches(table_name, '^(rows|sums)_') "
            "AND substr(table_name, 6, 32) NOT IN (SELECT id FROM store.datasets)"
        ).fetchall()
        for (table,) in orphans:
            connection.execute(f"DROP TABLE store.{quoted(table)}")
        connection.execute("COMMIT")
    except duckdb.Error:
        connection.execute("ROLLBACK")
        raise
