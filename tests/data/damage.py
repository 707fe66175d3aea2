"""Real damage: bytes of a database file that are changed where a table lies."""

from pathlib import Path

import duckdb

HEADERS = 3 * 4096
"""Bytes before the first block of a DuckDB file."""


def damage_table(database: str | Path, table: str) -> None:
    """Change one byte in the middle of every block in which a table lies; the database must be closed."""
    with duckdb.connect(database, read_only=True) as plain:
        (size,) = plain.execute("SELECT block_size FROM pragma_database_size()").fetchone() or (0,)
        blocks = plain.execute(
            f"SELECT DISTINCT block_id FROM pragma_storage_info('{table}') WHERE block_id >= 0"
        ).fetchall()
    assert blocks, f"{table} has no block of its own"
    with Path(database).open("r+b") as file:
        for (block,) in blocks:
            at = HEADERS + block * size + size // 2
            file.seek(at)
            (byte,) = file.read(1)
            file.seek(at)
            file.write(bytes([byte ^ 0xFF]))
