"""Protocol of the kinds of databases; `file_engine` and `lake_engine` are the two there are."""

from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

import duckdb


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
        """Where the engine may read and write, besides the spool."""

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
        """Raise `FileDamaged` where a table has files of its own and one is missing or not as long as it was."""

    def probe(self, cursor: duckdb.DuckDBPyConnection) -> None:
        """Writes a little and takes it back; raises `DataError` where that fails."""
