# ruff: noqa: S608 - tables are ours, named by ids of the catalogue
"""Content of a store: which of it is damaged, and which data sets nobody opens any more.

Last uses are known to the day only: a page is redrawn many times a minute, and each note would be a write for everybody
to wait for. What belongs to nobody in particular, a browser's workspace, may be swept; a person's data sets and the
built-in ones never are.
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

ROWS_AT_ONCE = 1 << 20
_CATALOGUE = ("datasets", "links", "reports", "kept_views")
_TABLES = "SELECT table_name FROM duckdb_tables() WHERE database_name = 'store'"


def verify(database: Database, pause: Callable[[float], object]) -> None:
    """Read every table once, or look at its files, and note the data sets that cannot be read.

    `pause` hears after each part how many seconds reading it took; where it returns something true, it was the last.
    """
    tables: list[tuple[str, str]] = []
    with suppress(Damaged), catalogue.noting(database, ""):
        tables = database.read(_tables)
    for table, id in tables:
        with suppress(Damaged, NotFound), catalogue.noting(database, id):
            for check in _checks(database, table):
                begun = time.monotonic()
                check()
                if pause(time.monotonic() - begun):
                    return


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


Keeper = Literal["browser", "person", "none"]


@dataclass(frozen=True)
class Stocked:
    """One data set as the operator sees it.

    `rows` are those kept. `bytes` is what they take, compressed: of a lake the size of their files (a handful
    of rows lies in its catalogue and counts nothing), of a database file the blocks that hold them; a block
    that small tables share counts for each. `workspace` is whose it is: a browser's, a person's, or nobody's,
    as the built-in ones. `links` lead to it now. Of what is not `readable` nothing is known of `bytes`.
    """

    id: str
    kind: str
    name: str
    rows: int
    bytes: int
    created: datetime
    used: datetime
    workspace: Keeper
    links: int
    readable: bool = True


def taken(database: Database) -> list[Stocked]:
    """All data sets, the newest first."""
    with catalogue.noting(database, ""):
        rows = database.read(_rows)
    bytes = _bytes(database, [row[0] for row in rows])
    found = []
    for id, kind, name, kept, *days, workspace, alive in rows:
        created, used = (day.replace(tzinfo=UTC) for day in days)
        readable = id not in database.unreadable
        found.append(Stocked(id, kind, name, kept, bytes[id], created, used, workspace, alive, readable))
    return found


def _rows(cursor: duckdb.DuckDBPyConnection) -> list[tuple[Any, ...]]:
    return cursor.execute(
        f"""SELECT id, kind, name, rows_kept, created, used,
            CASE split_part(workspace, ':', 1) WHEN 'browser' THEN 'browser' WHEN 'person' THEN 'person'
                ELSE 'none' END,
            coalesce(alive, 0)
        FROM datasets LEFT JOIN
            (SELECT dataset, count(*) AS alive FROM links WHERE {catalogue.ALIVE} GROUP BY dataset) AS counted
            ON dataset = id
        ORDER BY created DESC, id""",
        {"now": catalogue.now()},
    ).fetchall()


def _bytes(database: Database, ids: list[str]) -> dict[str, int]:
    """Return what each data set's table takes: a lake knows its files, of a file the blocks are counted."""
    if database.changes() is None:
        sizes = database.read(_of_lake)
        return {id: sizes.get(table_of(id), 0) for id in ids}
    return {id: _of_blocks(database, id) for id in ids}


def _of_lake(cursor: duckdb.DuckDBPyConnection) -> dict[str, int]:
    known = cursor.execute("SELECT table_name, file_size_bytes FROM ducklake_table_info('store')")
    return {str(table): int(size) for table, size in known.fetchall()}


def _of_blocks(database: Database, id: str) -> int:
    """Bytes of a data set's blocks, some of which have to be read for it; 0 where that fails."""
    try:
        with catalogue.noting(database, id):
            return database.read(lambda cursor: _blocks(cursor, table_of(id)))
    except (Damaged, NotFound):
        return 0


def _blocks(cursor: duckdb.DuckDBPyConnection, table: str) -> int:
    rows = cursor.execute(
        f"""SELECT count(DISTINCT block_id) * (SELECT block_size FROM pragma_database_size()
            WHERE database_name = 'store')
        FROM pragma_storage_info('{table}') WHERE persistent"""
    ).fetchall()
    return int(rows[0][0])


def limit(now: datetime, days: float) -> datetime:
    """Data sets used before this are unused for longer than `days`, whenever on its day the last use was.

    >>> limit(datetime(2026, 3, 31, 12), 30)
    datetime.datetime(2026, 2, 28, 12, 0)
    """
    return now - timedelta(days=days + 1)


def unused(cursor: duckdb.DuckDBPyConnection, before: datetime) -> list[str]:
    """The ids of browsers' data sets that nobody opened since."""
    rows = cursor.execute(
        "SELECT id FROM datasets WHERE starts_with(workspace, 'browser:') AND used < ? ORDER BY id", [before]
    )
    return [str(id) for (id,) in rows.fetchall()]


def remove(cursor: duckdb.DuckDBPyConnection, dataset: str, before: datetime) -> bool:
    """Removes a data set, unless somebody has opened or deleted it in the meantime; returns whether."""
    if dataset not in unused(cursor, before):
        return False
    catalogue.remove(cursor, dataset)
    return True
