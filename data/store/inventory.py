# ruff: noqa: S608 - the only names in statements are ours and `table_of`
"""What is stored, for the operator: how much of it, since when, and whether anybody opens it; never its rows."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

import duckdb

from data.engines.database import Database
from data.engines.schema import table_of
from data.errors import Damaged, NotFound
from data.store import links
from data.store.verification import noting

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
    with noting(database, ""):
        rows = database.read(_rows)
    bytes = _bytes(database, [row[0] for row in rows])
    return [
        Stocked(
            id=id,
            kind=kind,
            name=name,
            rows=kept,
            bytes=bytes[id],
            created=created.replace(tzinfo=UTC),
            used=used.replace(tzinfo=UTC),
            workspace=workspace,
            links=alive,
            readable=id not in database.unreadable,
        )
        for id, kind, name, kept, created, used, workspace, alive in rows
    ]


def _rows(cursor: duckdb.DuckDBPyConnection) -> list[tuple[Any, ...]]:
    return cursor.execute(
        f"""SELECT id, kind, name, rows_kept, created, used,
            CASE split_part(workspace, ':', 1) WHEN 'browser' THEN 'browser' WHEN 'person' THEN 'person'
                ELSE 'none' END,
            coalesce(alive, 0)
        FROM datasets LEFT JOIN
            (SELECT dataset, count(*) AS alive FROM links WHERE {links.ALIVE} GROUP BY dataset) AS counted
            ON dataset = id
        ORDER BY created DESC, id""",
        {"now": links.now()},
    ).fetchall()


def _bytes(database: Database, ids: list[str]) -> dict[str, int]:
    """What each data set's table takes: a lake knows its files, of a file the blocks are counted."""
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
        with noting(database, id):
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
