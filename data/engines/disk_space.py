# ruff: noqa: S608 - the only name in statements is a file of ours
"""Disk space that saving a data set needs, estimated before anything is written."""

from pathlib import Path

import duckdb

from data.quoting import literal

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
