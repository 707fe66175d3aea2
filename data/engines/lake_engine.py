# ruff: noqa: S608 - what stands in statements are numbers, DuckLake's own names and texts quoted by `literal`
"""The database for many servers: a lake, whose catalogue is PostgreSQL and whose rows are Parquet files.

DuckLake checks for conflicts at the commit and refuses the second of two changes. Servers that check a limit or create
a link would often conflict, and a large import would be written twice. So every change of the catalogue first takes a
lock in PostgreSQL, on a separate connection that stays open until the commit; the lock ends with its process. Every
change has a mark, by which a commit whose answer was lost can be looked up.

The folder of Parquet files contains a file that identifies its catalogue. Without it, two lakes on one folder would
sweep each other's files as orphans, and a share that is not mounted would look like an empty folder.
"""

import importlib.util
import os
import random
import re
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import duckdb

from data.engines import schema
from data.engines.file_engine import write_and_remove
from data.engines.schema import literal
from data.errors import (
    BadSetting,
    CannotOpen,
    DatabaseReadOnly,
    DataError,
    DiskFull,
    FileDamaged,
    NewerDatabase,
    NotADatabase,
    StorageUnavailable,
)
from data.settings import Settings, variable_of

_PREFIX = "ducklake:postgres:"
_CATALOGUE = "__ducklake_metadata_store"
"""Name under which DuckLake attaches the PostgreSQL database of the lake `store`."""
_LOCK = 7_283_041
"""Arbitrary key of the advisory lock, which PostgreSQL scopes to a database."""
_MAX_LOCK_SECONDS = 120.0
"""Seconds to wait for another server's change; a large import takes a few."""
_ANSWER = 10.0
"""Seconds to wait for a lost catalogue to tell whether a commit was done."""
_TIMEOUTS = {
    "connect_timeout": "5",
    "keepalives_idle": "10",
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "tcp_user_timeout": "20000",
}
"""Timeouts of PostgreSQL's client, unless the address sets others."""

_REFUSED = re.compile(
    r"authentication failed|no pg_hba\.conf entry|role .* does not exist|no password supplied|"
    r"database .* does not exist|permission denied for|invalid connection option|missing \"=\" after|"
    r"could not translate host name",
    re.I,
)
_LOST = re.compile(
    r"Unable to connect to Postgres|server closed the connection|terminating connection|connection to server|"
    r"no connection to the server|could not (receive|send) data|connection not open|SSL (connection|SYSCALL)|"
    r'the database system is|Failed to execute query "(BEGIN|COMMIT|ROLLBACK)|Failed to query most recent|'
    r"due to administrator command|Connection reset by peer.*postgres|current transaction is aborted",
    re.I,
)
_CONFLICT = re.compile(r"Transaction conflict|write-write conflict|maximum retry count|Conflict on", re.I)
_DISK_FULL = re.compile(
    r"No space left on device|Disk quota exceeded|File too large|could not extend file", re.I
)
_READ_ONLY = re.compile(
    r"Permission denied|Read-only file system|read-only transaction|Operation not permitted|"
    r"HTTP (code )?403|AccessDenied|InvalidAccessKeyId|SignatureDoesNotMatch|Forbidden",
    re.I,
)
_STORAGE = re.compile(r"https?://|s3://|HTTP|NoSuchBucket|Failed to create directory|Cannot open file", re.I)
_MISSING = re.compile(r"Cannot open file .*No such file", re.I)
_CUT = re.compile(r"No magic bytes found|too small to be a Parquet file|Footer length error", re.I)
_NEWER = re.compile(r"DuckLake catalog version|newer version of|Unsupported DuckLake", re.I)
_OTHER_PATH = re.compile(r'does not match existing data path in the catalog "([^"]*)"')
_TRANSIENT_ERRORS = re.compile(r"already exists|duplicate key|concurrently|conflict", re.I)


class Lake:
    """A lake whose catalogue is the PostgreSQL database that `url` leads to."""

    description = "a lake"
    shared = False

    def __init__(self, url: str, settings: Settings) -> None:
        if not url.startswith(_PREFIX):
            raise BadSetting(f"{variable_of('database')} must be a file or `{_PREFIX}host=… dbname=…`")
        self._address = url.removeprefix(_PREFIX)
        self._secrets = _find_passwords(self._address)
        self._settings = settings
        self._remote = "://" in settings.data_path
        path = settings.data_path if self._remote else os.path.abspath(os.path.expanduser(settings.data_path))
        self.data_path = path.rstrip("/") + "/"
        self._marks = f"{self.data_path}raterscope-*.txt"
        self.label = f"the lake of {_redact_address(self._address)}"

    def prepare(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Attach the lake as `store`, creating it if there is none."""
        for name in ("ducklake", "postgres_scanner", *(["httpfs"] if self._remote else [])):
            load(connection, name)
        if self._remote:
            self._reach_s3(connection)
        else:
            Path(self.data_path, "main").mkdir(parents=True, exist_ok=True)  # deeper ones DuckLake makes
        connection.execute(
            f"ATTACH {literal('ducklake:postgres:' + with_timeouts(self._address))} AS store "
            f"(DATA_PATH {literal(self.data_path)})"
        )
        if not _count_tables(connection):
            with self.catalogue_lock(connection):
                if not _count_tables(connection):
                    self._create(connection)
        self._check_data_path(connection)

    def folders(self) -> list[str]:
        return [self.data_path]

    def temporary_folder(self) -> str:
        return str(self._settings.spool / f"engine-{os.getpid()}.tmp")

    @contextmanager
    def catalogue_lock(self, connection: duckdb.DuckDBPyConnection) -> Iterator[None]:
        """Hold a lock that keeps other servers from changing the catalogue."""
        cursor = connection.cursor()
        try:
            cursor.execute("BEGIN TRANSACTION")
            deadline = time.monotonic() + _MAX_LOCK_SECONDS
            while not _fetch_one(cursor, _postgres_sql(f"SELECT pg_try_advisory_xact_lock({_LOCK})")):
                if time.monotonic() > deadline:
                    raise DataError(
                        "another server has been saving something large for minutes; nothing was saved here: "
                        "try again later"
                    )
                time.sleep(random.uniform(0.005, 0.03))
            yield
        finally:
            with suppress(duckdb.Error):
                cursor.execute("ROLLBACK")
            with suppress(duckdb.Error):
                cursor.close()

    def mark_transaction(self, cursor: duckdb.DuckDBPyConnection, mark: str) -> None:
        """Mark the current transaction, so that `is_committed` can find it."""
        cursor.execute("CALL ducklake_set_commit_message('store', 'raterscope', '', extra_info => ?)", [mark])

    def is_committed(self, cursor: duckdb.DuckDBPyConnection, mark: str) -> bool:
        """Return True if a transaction was saved although its commit failed."""
        deadline = time.monotonic() + _ANSWER
        attempts = 0
        while True:
            try:
                saved = _fetch_one(
                    cursor,
                    f"SELECT count(*) FROM ducklake_snapshots('store') WHERE commit_extra_info = {literal(mark)}",
                )
            except duckdb.Error as error:
                if time.monotonic() > deadline:
                    raise StorageUnavailable(
                        "the connection to the catalogue was lost at the last step, and it could not be told "
                        "whether this was saved: look at your list before you try again"
                    ) from self.redact(error).with_traceback(None)
            else:
                attempts += 1
                if saved or attempts == 2:
                    return bool(saved)
            time.sleep(0.3)  # the second answer comes when a commit under way is over

    def is_transient(self, error: Exception) -> bool:
        """Return True if opening may succeed a moment later, as when two servers create the lake at the same time."""
        message = str(error)
        return _TRANSIENT_ERRORS.search(message) is not None or self._connection_lost(message)

    def is_repeatable(self, error: Exception) -> bool:
        """Return True if the same work may succeed when it is repeated."""
        message = str(error)
        return _CONFLICT.search(message) is not None or self._connection_lost(message)

    def redact(self, error: Exception) -> Exception:
        """Return the error without passwords for the log: DuckDB's messages quote the whole address."""
        message = str(error)
        for secret in self._secrets:
            message = message.replace(secret, "…")
        return error if message == str(error) else type(error)(message)

    def needs_reopening(self, error: BaseException) -> bool:
        """Return False: half-written files are swept later."""
        return False

    def sweep(self, connection: duckdb.DuckDBPyConnection, seconds: float, orphan_seconds: float) -> None:
        """Permanently remove data deleted so long ago, and files of killed writers."""
        expired = f"older_than => now() - to_milliseconds({round(1000 * seconds)})"
        orphaned = f"older_than => now() - to_milliseconds({round(1000 * orphan_seconds)})"
        cursor = connection.cursor()
        try:
            _fetch_one(cursor, f"SELECT count(*) FROM ducklake_expire_snapshots('store', {expired})")
            _fetch_one(cursor, f"SELECT count(*) FROM ducklake_cleanup_old_files('store', {expired})")
            _fetch_one(cursor, f"SELECT count(*) FROM ducklake_delete_orphaned_files('store', {orphaned})")
            self._delete_expired_rows(cursor)
        finally:
            cursor.close()

    def state(self, cursor: duckdb.DuckDBPyConnection) -> int:
        """Return the number of the last snapshot."""
        return _fetch_one(cursor, "SELECT id FROM ducklake_current_snapshot('store')")

    def size(self, cursor: duckdb.DuckDBPyConnection) -> int:
        """Return the bytes of all Parquet files that belong to a table."""
        return _fetch_one(
            cursor, "SELECT coalesce(sum(file_size_bytes), 0) FROM ducklake_table_info('store')"
        )

    def free_space(self, cursor: duckdb.DuckDBPyConnection) -> tuple[int, Path] | None:
        """Return the bytes that are free on the disk of the data path; None for an S3 store."""
        path = Path(self.data_path)
        return None if self._remote or not path.is_dir() else (shutil.disk_usage(path).free, path)

    def check_files(self, cursor: duckdb.DuckDBPyConnection, table: str) -> None:
        """Compare the lengths of a table's files with those that the catalogue holds; nothing in them is read.

        Raises `FileDamaged`, or `StorageUnavailable` where the whole folder or bucket is away.
        """
        files = cursor.execute(
            "SELECT data_file, data_file_size_bytes FROM ducklake_list_files('store', ?)", [table]
        )
        expected = {str(name): int(size) for name, size in files.fetchall()}
        existing = {
            str(name)
            for folder in {name.rpartition("/")[0] for name in expected}
            for (name,) in cursor.execute("SELECT file FROM glob(?)", [f"{folder}/*.parquet"]).fetchall()
        }
        present = sorted(expected.keys() & existing)
        sizes: dict[str, int] = {}
        if present:
            sizes = dict(cursor.execute("SELECT filename, size FROM read_blob(?)", [present]).fetchall())
        elif expected and not cursor.execute("SELECT file FROM glob(?)", [self._marks]).fetchall():
            raise self._storage_error()
        if damaged := [name for name, size in expected.items() if sizes.get(name) != size]:
            raise self._damaged(", ".join(damaged))

    def probe(self, cursor: duckdb.DuckDBPyConnection) -> None:
        """Write a little to the catalogue and to the data path and undo it."""
        cursor.execute("BEGIN TRANSACTION")
        try:
            cursor.execute(
                f"CALL postgres_execute('{_CATALOGUE}', "
                "'UPDATE ducklake_metadata SET value = value WHERE key = ''version''')"
            ).fetchall()
        finally:
            cursor.execute("ROLLBACK")
        if self._remote:
            cursor.execute(f"COPY (SELECT 1 AS probe) TO {literal(self.data_path + 'raterscope.probe')}")
            return
        try:
            write_and_remove(Path(self.data_path))
        except OSError as error:
            raise self.explain(error) from error

    def explain(self, error: Exception) -> Exception:
        """Return a `DataError` that the user or operator can fix, else the error itself."""
        message = str(error)
        database, path = variable_of("database"), variable_of("data_path")
        data_path_match = _OTHER_PATH.search(message)
        if data_path_match:
            return BadSetting(
                f"{self.label} keeps its files at {data_path_match[1]}, not at {self.data_path}; set {path} to that"
            )
        if _REFUSED.search(message):
            reason = str(self.redact(error)).strip().splitlines()
            refusal = next((line for line in reason if _REFUSED.search(line)), reason[0])
            return CannotOpen(
                f"{self.label} refuses this server ({refusal[-200:].strip()}); correct {database}, or the rights and "
                "the database in PostgreSQL"
            )
        if _DISK_FULL.search(message):
            return DiskFull(
                f"no room left for {self.label} or its files at {self.data_path}; nothing was saved and what "
                "was there before is unharmed: make room and try again"
            )
        if self._connection_lost(message):
            return StorageUnavailable(
                f"the lake's catalogue ({database}) does not answer; nothing was saved, and what was saved before "
                "is unharmed: try again in a moment"
            )
        if _CONFLICT.search(message):
            return DataError(
                f"other servers changed {self.label} at the same time, again and again; nothing was saved: "
                "try again in a moment"
            )
        if _READ_ONLY.search(message):
            return DatabaseReadOnly(
                f"{self.label} or its files at {self.data_path} cannot be written: give this server the right "
                f"({database}, {path}, {variable_of('s3_key')})"
            )
        if _NEWER.search(message):
            return NewerDatabase(
                f"{self.label} comes from another DuckLake than the installed one of DuckDB "
                f"{duckdb.__version__}; install a newer Raterscope"
            )
        if self._is_damage(error):
            match = re.search(rf"{re.escape(self.data_path)}[^\"']+", message)
            return self._damaged(match[0] if match else message)
        if self._is_storage_error(error):
            return self._storage_error()
        return error

    def _storage_error(self) -> StorageUnavailable:
        return StorageUnavailable(
            f"the lake's files ({variable_of('data_path')}) cannot be reached; nothing was saved, and what was saved "
            "before is unharmed: try again in a moment"
        )

    def _damaged(self, detail: str) -> FileDamaged:
        return FileDamaged(
            f"files of {self.label} are missing or damaged: {detail}. Put them back from a copy of "
            f"{self.data_path}, or restore the last back-up into a new lake (python -m data restore FOLDER, see "
            "docs/hosting.md)"
        )

    def _is_damage(self, error: Exception) -> bool:
        """Return True if a file is truncated or missing, False if its folder is not mounted or a bucket cannot tell."""
        message = str(error)
        if not isinstance(error, duckdb.Error) or self.data_path not in message:
            return False
        if _CUT.search(message):
            return True
        is_missing = not self._remote and _MISSING.search(message) is not None
        return is_missing and any(Path(self.data_path).glob("raterscope-*.txt"))

    def _connection_lost(self, message: str) -> bool:
        return _LOST.search(message) is not None and _REFUSED.search(message) is None

    def _is_storage_error(self, error: Exception) -> bool:
        if not isinstance(error, duckdb.IOException | duckdb.HTTPException | OSError):
            return False
        return self.data_path in str(error) or (self._remote and _STORAGE.search(str(error)) is not None)

    def _reach_s3(self, connection: duckdb.DuckDBPyConnection) -> None:
        settings = self._settings
        options = [f"TYPE s3, REGION {literal(settings.s3_region)}"]
        if settings.s3_key:
            options.append(f"KEY_ID {literal(settings.s3_key)}, SECRET {literal(settings.s3_secret)}")
        if settings.s3_endpoint:
            scheme, _, endpoint = settings.s3_endpoint.rpartition("://")
            secure = "false" if scheme == "http" else "true"
            options.append(f"ENDPOINT {literal(endpoint.rstrip('/'))}, USE_SSL {secure}, URL_STYLE 'path'")
        connection.execute(f"CREATE SECRET ({', '.join(options)})")
        connection.execute("SET http_timeout = 15")
        connection.execute("SET http_retries = 3")

    def _create(self, connection: duckdb.DuckDBPyConnection) -> None:
        connection.execute("USE store")
        connection.execute("BEGIN TRANSACTION")
        schema.create_catalogue(connection)
        connection.execute("COMMIT")
        connection.execute("USE memory")

    def _check_data_path(self, connection: duckdb.DuckDBPyConnection) -> None:
        uuid = connection.execute(
            "SELECT table_uuid FROM ducklake_table_info('store') WHERE table_name = 'schema_version'"
        ).fetchone()
        if uuid is None:
            raise NotADatabase(
                f"{self.label} is a lake, but not one of Raterscope; set {variable_of('database')} to another "
                "PostgreSQL database"
            )
        own_mark = f"{self.data_path}raterscope-{uuid[0]}.txt"
        marks = [
            str(name) for (name,) in connection.execute("SELECT file FROM glob(?)", [self._marks]).fetchall()
        ]
        if any(name != own_mark for name in marks):
            raise BadSetting(
                f"{self.data_path} holds the files of another lake than {self.label}; set "
                f"{variable_of('data_path')} to a separate place"
            )
        if not marks:
            if _fetch_one(connection, "SELECT count(*) FROM store.datasets"):
                raise StorageUnavailable(
                    f"{self.data_path} does not hold the files of {self.label}: is the folder mounted, or the "
                    f"bucket the right one? Nothing was changed; see {variable_of('data_path')}"
                )
            connection.execute(
                f"COPY (SELECT {literal(self.label)}) TO {literal(own_mark)} (FORMAT csv, HEADER false)"
            )

    def _delete_expired_rows(self, cursor: duckdb.DuckDBPyConnection) -> None:
        """Delete rows of small tables in PostgreSQL that no snapshot contains any more; DuckLake never does."""
        names = cursor.execute(
            _postgres_sql("SELECT table_name FROM ducklake_inlined_data_tables")
        ).fetchall()
        for (name,) in names:
            if re.fullmatch(r"ducklake_inlined_data_\d+_\d+", str(name)):
                cursor.execute(
                    f"CALL postgres_execute('{_CATALOGUE}', 'DELETE FROM {name} WHERE end_snapshot <= "
                    "(SELECT min(snapshot_id) FROM ducklake_snapshot)')"
                ).fetchall()


def load(connection: duckdb.DuckDBPyConnection, name: str) -> None:
    """Load an extension of DuckDB from its Python package, without downloading at run time."""
    package = importlib.util.find_spec(f"duckdb_extension_{name}")
    for folder in (package.submodule_search_locations or []) if package else []:
        path = Path(folder, "extensions", f"v{duckdb.__version__}", f"{name}.duckdb_extension")
        if path.exists():
            connection.execute(f"LOAD {literal(path)}")
            return
    raise DataError(
        f"the database needs the extension {name} for DuckDB {duckdb.__version__}, which is not installed: "
        "install requirements-hosting.txt"
    )


def with_timeouts(address: str) -> str:
    """Add timeouts to a PostgreSQL address.

    >>> with_timeouts("host=db dbname=r connect_timeout=3")[:49]
    'host=db dbname=r connect_timeout=3 keepalives_idl'
    >>> with_timeouts("postgresql://db/r")[:36]
    'postgresql://db/r?connect_timeout=5&'
    """
    missing = [f"{name}={value}" for name, value in _TIMEOUTS.items() if f"{name}=" not in address]
    if "://" not in address:
        return " ".join([address, *missing])
    return address + ("&" if "?" in address else "?") + "&".join(missing)


def _find_passwords(address: str) -> list[str]:
    """Return the parts of an address that no message may hold.

    >>> _find_passwords("host=db password='a b' dbname=r"), _find_passwords("postgresql://me:pw@db/r?sslmode=require")
    (["'a b'", 'a b'], ['pw'])
    """
    secrets = re.findall(r"password\s*=\s*('(?:\\.|[^'\\])*'|[^\s&]+)", address)
    secrets += re.findall(r"://[^/@:]*:([^@]*)@", address)
    return [part for secret in secrets for part in dict.fromkeys((secret, secret.strip("'"))) if part]


def _redact_address(address: str) -> str:
    """Return only the host and the database of an address.

    >>> _redact_address("host=db user=me password=pw dbname=r"), _redact_address("postgresql://me:pw@db:5433/r?a=b")
    ('host=db dbname=r', 'db:5433/r')
    """
    if "://" in address:
        return address.split("://", 1)[1].rpartition("@")[2].split("?")[0]
    return " ".join(re.findall(r"\b(?:host|port|dbname)\s*=\s*[^\s']+", address)) or "PostgreSQL"


def _count_tables(connection: duckdb.DuckDBPyConnection) -> int:
    return _fetch_one(connection, "SELECT count(*) FROM duckdb_tables() WHERE database_name = 'store'")


def _postgres_sql(statement: str) -> str:
    return f"SELECT * FROM postgres_query('{_CATALOGUE}', {literal(statement)})"


def _fetch_one(cursor: duckdb.DuckDBPyConnection, statement: str) -> int:
    rows = cursor.execute(statement).fetchall()  # a result that is not read to its end is rolled back
    return int(rows[0][0]) if rows else 0
