# ruff: noqa: S608 - the only name in statements is a file of ours
"""Protocol of the kinds of databases (`file_engine` and `lake_engine` are the two there are), and what both need."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

import duckdb

from data.engines.schema import literal


def lock_down(
    connection: duckdb.DuckDBPyConnection, folders: Sequence[str], temporary: str, memory: int, threads: int
) -> None:
    """From here on the engine reads and writes these folders and its own files only, and stays so."""
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


LEAST = 1 << 19
"""Bytes that even the smallest data set takes while it is saved: a block for each table, and the log."""
_LOGGED_ROWS = 122_880
"""Rows that go through the log uncompressed, at most, before they are written to blocks."""
_SAMPLED_ROWS = 10_000
_ROW = 8
"""Bytes of a row in the sums and in blocks, where the staged file's compression is better than theirs."""


def estimate(cursor: duckdb.DuckDBPyConnection, rows: Path) -> int:
    """Return the bytes that saving a staged Parquet file of rows needs, rather too many than too few."""
    file = f"read_parquet({literal(rows)})"
    count, width = cursor.execute(
        f"""SELECT (SELECT count(*) FROM {file}),
            (SELECT coalesce(avg(strlen(sample::VARCHAR)), 0)
             FROM (SELECT * FROM {file} LIMIT {_SAMPLED_ROWS}) AS sample)"""
    ).fetchone() or (0, 0)
    logged = round(width) * min(count, _LOGGED_ROWS)
    return int(LEAST + 2 * rows.stat().st_size + _ROW * count + logged)


class Engine(Protocol):
    """All that differs between a file and a lake."""

    label: str
    """Its name in messages, without a password."""
    made: str
    shared: bool
    """True where the threads of a process may share one attached database."""

    def prepare(self, connection: duckdb.DuckDBPyConnection) -> None:
        """The database stands under the name `store`, made where there was none."""

    def folders(self) -> list[str]:
        """Return where the engine may read and write, besides the spool."""

    def temporary(self) -> str:
        """The folder where it works when memory runs out."""

    def turn(self, connection: duckdb.DuckDBPyConnection) -> AbstractContextManager[None]:
        """While it is held, no other process changes the catalogue."""

    def mark(self, cursor: duckdb.DuckDBPyConnection, mark: str) -> None:
        """Lets `committed` find the transaction that runs now."""

    def committed(self, cursor: duckdb.DuckDBPyConnection, mark: str) -> bool:
        """Return whether a transaction whose commit failed was saved nevertheless. Raises `DataError` if unknown."""

    def passing(self, error: Exception) -> bool:
        """Return whether opening may succeed a moment later."""

    def repeatable(self, error: Exception) -> bool:
        """Return whether the same work may succeed when it is done again from its beginning."""

    def explained(self, error: Exception) -> Exception:
        """The error in words where the user or operator can mend it, else the error itself."""

    def without_secrets(self, error: Exception) -> Exception:
        """The error as the log may hold it."""

    def must_reopen(self, error: BaseException) -> bool:
        """Return whether the disk space of a failed transaction comes back only when the database is opened anew."""

    def sweep(self, connection: duckdb.DuckDBPyConnection, seconds: float, orphan_seconds: float) -> None:
        """Removes for good what was deleted so long ago, and what killed writers left."""

    def state(self, cursor: duckdb.DuckDBPyConnection) -> int:
        """A number that every change which other processes make to the catalogue changes."""

    def size(self, cursor: duckdb.DuckDBPyConnection) -> int:
        """Bytes in the storage."""

    def free_space(self, cursor: duckdb.DuckDBPyConnection) -> tuple[int, Path] | None:
        """Return how many bytes can still be written, and where; None where nobody can tell."""

    def check_files(self, cursor: duckdb.DuckDBPyConnection, table: str) -> None:
        """Raise `FileDamaged` where a table has its own files and one is missing or not as long as it was."""

    def probe(self, cursor: duckdb.DuckDBPyConnection) -> None:
        """Writes a little and takes it back; raises `DataError` where that fails."""
