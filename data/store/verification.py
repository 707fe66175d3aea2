# ruff: noqa: S608 - tables are ours, named by ids of the catalogue
"""Verification of everything that is stored, so that damage is found before somebody needs what is damaged.

DuckDB compares a block with its checksum when it reads it. So each table is read once, some rows at a time, with pauses
in which others have the disk and the processors. A lake's Parquet files have no checksums, and reading them from an
object store costs money: of these only the lengths are compared, which finds files that are missing or were cut.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial

import duckdb

from data.engines.database import Database
from data.engines.schema import SUMS, sums_of, table_of
from data.errors import Damaged, NotFound

ROWS_AT_ONCE = 1 << 20
_CATALOGUE = ("datasets", "links", "reports", "kept_views")
_TABLES = "SELECT table_name FROM duckdb_tables() WHERE database_name = 'store'"


def verify(database: Database, pause: Callable[[float], object]) -> None:
    """Read every table once, or look at its files, and note the data sets that cannot be read.

    `pause` hears after each part how many seconds reading it took; where it returns something true, it was the last.
    """
    tables: list[tuple[str, str]] = []
    with suppress(Damaged), noting(database, ""):
        tables = database.read(_tables)
    for table, id in tables:
        with suppress(Damaged, NotFound), noting(database, id):
            for check in _checks(database, table):
                begun = time.monotonic()
                check()
                if pause(time.monotonic() - begun):
                    return


@contextmanager
def noting(database: Database, id: str) -> Iterator[None]:
    """Note a data set that turns out to be damaged, "" for the catalogue; one that is gone is not found."""
    try:
        yield
    except Damaged:
        database.unreadable.add(id)
        raise
    except duckdb.CatalogException as error:
        raise NotFound("there is no such data set any more") from error


def _tables(cursor: duckdb.DuckDBPyConnection) -> list[tuple[str, str]]:
    """Return every stored table with the id of its data set."""
    there = {name for (name,) in cursor.execute(_TABLES).fetchall()}
    ids = [str(id) for (id,) in cursor.execute("SELECT id FROM datasets ORDER BY created, id").fetchall()]
    of_datasets = [
        (table, id) for id in ids for table in (table_of(id), *(sums_of(id, each) for each in SUMS))
    ]
    return [
        (table, id) for table, id in [*((each, "") for each in _CATALOGUE), *of_datasets] if table in there
    ]


def _checks(database: Database, table: str) -> list[Callable[[], None]]:
    """Return the steps that verify a table: one that looks at its files in a lake, else one for each part to read."""
    if database.changes() is None:
        return [partial(database.check_files, table)]
    parts = database.read(partial(_parts, table=table))
    return [partial(database.read, partial(_read, part=part)) for part in parts]


def _read(cursor: duckdb.DuckDBPyConnection, part: str) -> None:
    cursor.execute(part).fetchall()


def _parts(cursor: duckdb.DuckDBPyConnection, table: str) -> list[str]:
    """Return the statements that read a table once, each a part of its rows."""
    (last,) = cursor.execute(f"SELECT coalesce(max(rowid), -1) FROM {table}").fetchone() or (-1,)
    return [
        f"SELECT bit_xor(hash(part)) FROM (SELECT * FROM {table} "
        f"WHERE rowid BETWEEN {begin} AND {begin + ROWS_AT_ONCE - 1}) AS part"
        for begin in range(0, last + 1, ROWS_AT_ONCE)
    ]
