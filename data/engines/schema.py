# ruff: noqa: S608 - the only name in statements is a file of ours
"""Schema of the catalogue and its upgrades, in plain SQL that a lake can run too; protocol of the two engines and
shared helpers.

There are no keys, constraints, indexes, enums or sequences (a lake has none); the catalogue is consistent because only
`data` writes it, in transactions.
"""

import re
import unicodedata
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

import duckdb

_INVISIBLE = "\u200c\u200d"
"""Joiners in words of some scripts and in emoji."""


def quoted(name: str) -> str:
    """Quote the name of a table or a column.

    >>> print(quoted('my "item" here'))
    "my ""item"" here"
    """
    return '"' + name.replace('"', '""') + '"'


def literal(value: str | Path) -> str:
    """Return a text or a path as a SQL literal.

    >>> print(literal("it's here"))
    'it''s here'
    """
    return "'" + str(value).replace("'", "''") + "'"


def escape_for_terminal(text: str) -> str:
    r"""Return a text for a terminal: in one line, with control codes escaped.

    >>> print(escape_for_terminal("crowd\x1b[2J\nlab\u202e"))
    crowd\x1b[2J\nlab\u202e
    """
    return "".join(
        character
        if character.isprintable() or unicodedata.category(character) == "Zs" or character in _INVISIBLE
        else _escape_character(character)
        for character in text
    )


def _escape_character(character: str) -> str:
    return character.encode("unicode_escape", "replace").decode()


VERSION = 7

SUMS = ("items", "raters", "by_item", "by_rater", "scores", "names", "with_others", "some")
"""Tables of sums that are stored with a large data set's rows: `items` and `raters` hold names and codes, `by_item` and
`by_rater` sums per measure and group, `scores` the frequency of each score in each group, `names` those of systems and
topics, `with_others` how each rater correlates with the others; `some` holds the ratings of a sample of items."""
_KEPT_VIEWS = """CREATE TABLE kept_views (id VARCHAR, dataset VARCHAR, name VARCHAR, "view" VARCHAR, note VARCHAR,
       shared BOOLEAN, created TIMESTAMP)"""
NEW_CATALOGUE = (
    "CREATE TABLE schema_version (version INTEGER)",
    """CREATE TABLE datasets (id VARCHAR, kind VARCHAR, name VARCHAR, "columns" VARCHAR, mapping VARCHAR,
       sha256 VARCHAR, rows_kept BIGINT, rows_set_aside BIGINT, created TIMESTAMP, workspace VARCHAR,
       sample_version VARCHAR, replaces VARCHAR, used TIMESTAMP, summed BOOLEAN)""",
    """CREATE TABLE links (link VARCHAR, dataset VARCHAR, created TIMESTAMP, revoked TIMESTAMP, digest VARCHAR,
       name VARCHAR, "view" VARCHAR, expires TIMESTAMP)""",
    "CREATE TABLE reports (dataset VARCHAR, report VARCHAR)",
    _KEPT_VIEWS,
)
"""`links.digest` is the SHA-256 of the key, by which it is looked up; `links.name` is NULL for the link in the owner's
own address bar; `datasets.replaces` is the id of the previous version; `datasets.used` is the day when it was last
opened; `datasets.summed` is true if sums are stored, NULL if not yet decided (`data.store.sums`); `reports.report` is
the import report as JSON; `kept_views.shared` is true if readers see the view."""

_UPGRADES = {
    1: (
        "ALTER TABLE datasets ADD COLUMN replaces VARCHAR",
        "ALTER TABLE datasets ADD COLUMN used TIMESTAMP",
        "ALTER TABLE links ADD COLUMN digest VARCHAR",
        "ALTER TABLE links ADD COLUMN name VARCHAR",
        'ALTER TABLE links ADD COLUMN "view" VARCHAR',
        "ALTER TABLE links ADD COLUMN expires TIMESTAMP",
        "CREATE TABLE reports (dataset VARCHAR, report VARCHAR)",
        "UPDATE datasets SET used = created",
        "UPDATE links SET digest = sha256(link)",
        "UPDATE datasets SET workspace = 'browser:' || sha256(workspace) "
        "WHERE regexp_full_match(workspace, '[0-9a-f]{32}')",
    ),
    2: (_KEPT_VIEWS,),
    3: ("ALTER TABLE datasets ADD COLUMN summed BOOLEAN",),
    4: ("UPDATE datasets SET summed = NULL WHERE summed",),
    5: ("UPDATE datasets SET summed = NULL WHERE summed",),
    6: ("UPDATE datasets SET summed = NULL WHERE summed",),
}
"""Statements that upgrade a catalogue from each version to the next."""


def create_catalogue(connection: duckdb.DuckDBPyConnection) -> None:
    """Create the catalogue's tables in the current database."""
    for statement in NEW_CATALOGUE:
        connection.execute(statement)
    connection.execute("INSERT INTO schema_version VALUES (?)", [VERSION])


def upgrade(connection: duckdb.DuckDBPyConnection, version: int) -> None:
    """Upgrade the attached `store` of an older version, one version at a time, each atomically."""
    connection.execute("USE store")
    try:
        for step in range(version, VERSION):
            _upgrade(connection, step)
    finally:
        connection.execute("USE memory")


def _upgrade(connection: duckdb.DuckDBPyConnection, step: int) -> None:
    """Run a step in a separate transaction, since a table with changed rows cannot get a column in the same one."""
    connection.execute("BEGIN TRANSACTION")
    try:
        for statement in _UPGRADES[step]:
            connection.execute(statement)
        connection.execute("UPDATE schema_version SET version = ?", [step + 1])
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


def table_of(dataset: str) -> str:
    """Return the table of a data set's rows; `dataset` must be an id.

    >>> table_of("0" * 32)
    'rows_00000000000000000000000000000000'
    """
    if re.fullmatch(r"[0-9a-f]{32}", dataset) is None:
        raise ValueError(f"a data set's id has 32 hexadecimal digits, got {dataset!r}")
    return f"rows_{dataset}"


def sums_of(dataset: str, table: str) -> str:
    """Return a table of a data set's sums; `table` is one of `SUMS`.

    >>> sums_of("0" * 32, "items")
    'sums_00000000000000000000000000000000_items'
    """
    if table not in SUMS:
        raise ValueError(f"`table` must be one of {', '.join(SUMS)}; got {table!r}")
    return f"sums_{table_of(dataset).removeprefix('rows_')}_{table}"


def restrict_engine(
    connection: duckdb.DuckDBPyConnection, folders: Sequence[str], temporary: str, memory: int, threads: int
) -> None:
    """Permanently restrict the engine to reading and writing these folders and its own files."""
    connection.execute("SET temp_directory = ?", [temporary])
    connection.execute("SET memory_limit = ?", [f"{memory}B"])
    connection.execute("SET threads = ?", [threads])
    connection.execute("SET enable_progress_bar = false")  # it would write to a server's output
    connection.execute("SET allowed_directories = ?", [list(folders)])
    for setting in (
        "enable_external_access",
        "autoinstall_known_extensions",
        "autoload_known_extensions",
        "allow_community_extensions",
    ):
        connection.execute(f"SET {setting} = false")
    connection.execute("SET lock_configuration = true")


MIN_SIZE = 1 << 19
"""Bytes that even the smallest data set takes while it is saved: a block for each table, and the log."""
_LOGGED_ROWS = 122_880
"""Rows that go through the log uncompressed, at most, before they are written to blocks."""
_SAMPLED_ROWS = 10_000
_ROW = 8
"""Bytes of a row in the sums and in blocks, where the staged file's compression is better than theirs."""


def estimate_size(cursor: duckdb.DuckDBPyConnection, rows: Path) -> int:
    """Return an upper estimate of the bytes needed to save a staged Parquet file."""
    file = f"read_parquet({literal(rows)})"
    count, width = cursor.execute(
        f"""SELECT (SELECT count(*) FROM {file}),
            (SELECT coalesce(avg(strlen(sample::VARCHAR)), 0)
             FROM (SELECT * FROM {file} LIMIT {_SAMPLED_ROWS}) AS sample)"""
    ).fetchone() or (0, 0)
    logged = round(width) * min(count, _LOGGED_ROWS)
    return int(MIN_SIZE + 2 * rows.stat().st_size + _ROW * count + logged)


class Engine(Protocol):
    """Interface of the two engines, a file and a lake."""

    label: str
    """Its name in messages, without a password."""
    description: str
    shared: bool
    """True where the threads of a process may share one attached database."""

    def prepare(self, connection: duckdb.DuckDBPyConnection) -> None:
        """Attach the database as `store`, creating it if there is none."""

    def folders(self) -> list[str]:
        """Return the folders where the engine may read and write, besides the spool."""

    def temporary_folder(self) -> str:
        """Return the folder for spilling when memory runs out."""

    def catalogue_lock(self, connection: duckdb.DuckDBPyConnection) -> AbstractContextManager[None]:
        """Hold a lock that keeps other processes from changing the catalogue."""

    def mark_transaction(self, cursor: duckdb.DuckDBPyConnection, mark: str) -> None:
        """Mark the current transaction, so that `is_committed` can find it."""

    def is_committed(self, cursor: duckdb.DuckDBPyConnection, mark: str) -> bool:
        """Return True if a transaction was saved although its commit failed; raise `DataError` if unknown."""

    def is_transient(self, error: Exception) -> bool:
        """Return True if opening may succeed a moment later."""

    def is_repeatable(self, error: Exception) -> bool:
        """Return True if the same work may succeed when it is repeated."""

    def explain(self, error: Exception) -> Exception:
        """Return a `DataError` that the user or operator can fix, else the error itself."""

    def redact(self, error: Exception) -> Exception:
        """Return the error without passwords for the log."""

    def needs_reopening(self, error: BaseException) -> bool:
        """Return True if the database must be reopened to reclaim the disk space of a failed transaction."""

    def sweep(self, connection: duckdb.DuckDBPyConnection, seconds: float, orphan_seconds: float) -> None:
        """Permanently remove data deleted so long ago, and files of killed writers."""

    def state(self, cursor: duckdb.DuckDBPyConnection) -> int:
        """Return a number that changes with every change by other processes to the catalogue."""

    def size(self, cursor: duckdb.DuckDBPyConnection) -> int:
        """Return the bytes in the storage."""

    def free_space(self, cursor: duckdb.DuckDBPyConnection) -> tuple[int, Path] | None:
        """Return the free bytes and their place; None if unknown."""

    def check_files(self, cursor: duckdb.DuckDBPyConnection, table: str) -> None:
        """Raise `FileDamaged` where a table has its own files and one is missing or not as long as it was."""

    def probe(self, cursor: duckdb.DuckDBPyConnection) -> None:
        """Write a little and undo it; raise `DataError` if that fails."""
