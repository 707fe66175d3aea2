# ruff: noqa: S608 - tables are ours, files lie in the spool under names of ours, column names are quoted
"""One number that says what a table holds: equal on every engine, whatever order the rows lie in.

Each row becomes one text that can be read in one way only, is digested with MD5 together with its place in the
file (`row`), and the digests are added up: so the table is read once, by all threads, without sorting, and a
data set of any size fits in memory. It finds what disks, networks and programs do to rows; it is no signature.
DuckDB's own `hash` would change with its versions, and its texts of numbers might, so numbers enter by their bits.
"""

import hashlib
import json
from pathlib import Path

import duckdb

from data.engines.schema import table_of
from data.errors import DataError
from data.quoting import literal, quoted

_PIECES = {
    "VARCHAR": ("strlen({0})", "':'", "{0}"),
    "DOUBLE": ("CASE WHEN isnan({0}) THEN 'NaN' ELSE CAST({0}::BIT::BIGINT AS VARCHAR) END", "';'"),
    "BIGINT": ("{0}", "';'"),
    "TIMESTAMP": ("{0}::VARCHAR", "';'"),
}
"""How a cell of each type is written; NULL as nothing, so a text needs its length before it."""


def of_dataset(cursor: duckdb.DuckDBPyConnection, id: str) -> str:
    """The content hash of a saved data set's table, 64 hexadecimal digits."""
    return _of(cursor, table_of(id))


def of_parquet(cursor: duckdb.DuckDBPyConnection, file: Path) -> str:
    """The content hash that a table has into which this file is read; it must lie in the spool."""
    return _of(cursor, parquet(file))


def parquet(file: Path) -> str:
    """The expression that reads a Parquet file.

    >>> parquet(Path("/spool/it's/file.parquet"))
    "read_parquet('/spool/it''s/file.parquet')"
    """
    return f"read_parquet({literal(file)})"


def columns_of(cursor: duckdb.DuckDBPyConnection, source: str) -> list[tuple[str, str]]:
    """Names and types of a table or an expression's columns, in order."""
    rows = cursor.execute(f"DESCRIBE SELECT * FROM {source}").fetchall()
    return [(str(name), str(type)) for name, type, *_ in rows]


def _of(cursor: duckdb.DuckDBPyConnection, source: str) -> str:
    columns = columns_of(cursor, source)
    pieces = ", ".join(piece for name, type in columns for piece in _written(name, type))
    sums = cursor.execute(
        f"""SELECT count(*), sum(md5_number_upper(written)), sum(md5_number_lower(written))
        FROM (SELECT concat({pieces}) AS written FROM {source})"""
    ).fetchall()
    return hashlib.sha256(json.dumps([columns, [str(number) for number in sums[0]]]).encode()).hexdigest()


def _written(name: str, type: str) -> list[str]:
    if type not in _PIECES:
        raise DataError(f"the column {name!r} has the type {type}, which no data set of Raterscope has")
    return [piece.format(quoted(name)) for piece in _PIECES[type]]
