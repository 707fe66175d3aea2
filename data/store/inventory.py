# ruff: noqa: S608 - tables are ours, named by ids of the catalogue
"""Inventory of a store: damaged and unused data sets, and the disk space of each.

The last use is recorded by day only: pages are redrawn many times a minute, and each record is a write for which
everybody waits. Unused data sets of a browser's workspace may be deleted; those of a person and built-in ones never
are.
"""

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, Literal

import duckdb

from data.engines.database import Database
from data.engines.schema import SUMS, sums_of, table_of
from data.errors import Damaged, NotFound
from data.store import catalogue

ROWS_PER_PART = 1 << 20
_CATALOGUE = ("datasets", "links", "reports", "kept_views")
_TABLES = "SELECT table_name FROM duckdb_tables() WHERE database_name = 'store'"


def verify(database: Database, pause: Callable[[float], object]) -> None:
    """Read every table once, or check its files, and record the data sets that cannot be read.

    `pause` is called after each part with the seconds that it took; a true result stops the verification.
    """
    tables: list[tuple[str, str]] = []
    with suppress(Damaged), catalogue.record_damage(database, ""):
        tables = database.read(_list_tables)
    for table, id in tables:
        with suppress(Damaged, NotFound), catalogue.record_damage(database, id):
            for check in _verification_steps(database, table):
                start = time.monotonic()
                check()
                if pause(time.monotonic() - start):
                    return


def _list_tables(cursor: duckdb.DuckDBPyConnection) -> list[tuple[str, str]]:
    """Return all stored tables with the ids of their data sets."""
    existing = {name for (name,) in cursor.execute(_TABLES).fetchall()}
    ids = [str(id) for (id,) in cursor.execute("SELECT id FROM datasets ORDER BY created, id").fetchall()]
    dataset_tables = [
        (table, id) for id in ids for table in (table_of(id), *(sums_of(id, name) for name in SUMS))
    ]
    return [
        (table, id)
        for table, id in [*((name, "") for name in _CATALOGUE), *dataset_tables]
        if table in existing
    ]


def _verification_steps(database: Database, table: str) -> list[Callable[[], None]]:
    """Return the steps that verify a table: a check of its files in a lake, otherwise a step for each part."""
    if database.transaction_count is None:
        return [partial(database.check_files, table)]
    parts = database.read(partial(_verification_statements, table=table))
    return [partial(database.read, partial(_run_statement, part=part)) for part in parts]


def _run_statement(cursor: duckdb.DuckDBPyConnection, part: str) -> None:
    cursor.execute(part).fetchall()


def _verification_statements(cursor: duckdb.DuckDBPyConnection, table: str) -> list[str]:
    """Return statements that each read a part of a table's rows."""
    (last,) = cursor.execute(f"SELECT coalesce(max(rowid), -1) FROM {table}").fetchone() or (-1,)
    return [
        f"SELECT bit_xor(hash(part)) FROM (SELECT * FROM {table} "
        f"WHERE rowid BETWEEN {start} AND {start + ROWS_PER_PART - 1}) AS part"
        for start in range(0, last + 1, ROWS_PER_PART)
    ]


Owner = Literal["browser", "person", "none"]


@dataclass(frozen=True)
class StoredDataset:
    """Data set as listed for the operator.

    rows : number of rows kept
    bytes : compressed size of the rows, 0 if it is not `readable`. In a lake, the size of their files (a few rows are
        stored in the catalogue and count as 0); in a database file, their blocks, and a block shared by small tables
        counts for each
    workspace : kind of the owner, "none" for built-in data sets
    links : number of live links
    """

    id: str
    kind: str
    name: str
    rows: int
    bytes: int
    created: datetime
    used: datetime
    workspace: Owner
    links: int
    readable: bool = True


def list_datasets(database: Database) -> list[StoredDataset]:
    """Return all data sets, the newest first."""
    with catalogue.record_damage(database, ""):
        rows = database.read(_select_datasets)
    bytes = _table_sizes(database, [row[0] for row in rows])
    datasets = []
    for id, kind, name, row_count, *timestamps, workspace, link_count in rows:
        created, used = (timestamp.replace(tzinfo=UTC) for timestamp in timestamps)
        readable = id not in database.unreadable
        datasets.append(
            StoredDataset(
                id, kind, name, row_count, bytes[id], created, used, workspace, link_count, readable
            )
        )
    return datasets


def _select_datasets(cursor: duckdb.DuckDBPyConnection) -> list[tuple[Any, ...]]:
    return cursor.execute(
        f"""SELECT id, kind, name, rows_kept, created, used,
            CASE split_part(workspace, ':', 1) WHEN 'browser' THEN 'browser' WHEN 'person' THEN 'person'
                ELSE 'none' END,
            coalesce(alive, 0)
        FROM datasets LEFT JOIN
            (SELECT dataset, count(*) AS alive FROM links WHERE {catalogue.IS_LIVE} GROUP BY dataset) AS counted
            ON dataset = id
        ORDER BY created DESC, id""",
        {"now": catalogue.now()},
    ).fetchall()


def _table_sizes(database: Database, ids: list[str]) -> dict[str, int]:
    """Return the size of each data set's table: of its files in a lake, of its blocks in a database file."""
    if database.transaction_count is None:
        sizes = database.read(_read_lake_sizes)
        return {id: sizes.get(table_of(id), 0) for id in ids}
    return {id: _block_bytes(database, id) for id in ids}


def _read_lake_sizes(cursor: duckdb.DuckDBPyConnection) -> dict[str, int]:
    tables = cursor.execute("SELECT table_name, file_size_bytes FROM ducklake_table_info('store')")
    return {str(table): int(size) for table, size in tables.fetchall()}


def _block_bytes(database: Database, id: str) -> int:
    """Return the bytes of a data set's blocks, some of which have to be read for it; 0 if that fails."""
    try:
        with catalogue.record_damage(database, id):
            return database.read(lambda cursor: _count_block_bytes(cursor, table_of(id)))
    except (Damaged, NotFound):
        return 0


def _count_block_bytes(cursor: duckdb.DuckDBPyConnection, table: str) -> int:
    rows = cursor.execute(
        f"""SELECT count(DISTINCT block_id) * (SELECT block_size FROM pragma_database_size()
            WHERE database_name = 'store')
        FROM pragma_storage_info('{table}') WHERE persistent"""
    ).fetchall()
    return int(rows[0][0])


def unused_since(now: datetime, days: float) -> datetime:
    """Return the time before which a last use, known by day only, is certainly more than `days` ago.

    >>> unused_since(datetime(2026, 3, 31, 12), 30)
    datetime.datetime(2026, 2, 28, 12, 0)
    """
    return now - timedelta(days=days + 1)


def list_unused(cursor: duckdb.DuckDBPyConnection, before: datetime) -> list[str]:
    """Return the ids of browsers' data sets that were last opened before a time."""
    rows = cursor.execute(
        "SELECT id FROM datasets WHERE starts_with(workspace, 'browser:') AND used < ? ORDER BY id", [before]
    )
    return [str(id) for (id,) in rows.fetchall()]


def remove_unused(cursor: duckdb.DuckDBPyConnection, dataset: str, before: datetime) -> bool:
    """Remove a data set unless it was opened or deleted in the meantime; return True if it was removed."""
    if dataset not in list_unused(cursor, before):
        return False
    catalogue.remove_dataset(cursor, dataset)
    return True
