"""Real damage: bytes of a database file that change where a table lies, and files that cannot grow."""

import resource
from collections.abc import Iterator
from contextlib import contextmanager
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


@contextmanager
def files_no_larger_than(size: int) -> Iterator[None]:
    """Have the system refuse every file of this process that grows beyond a size, as a full disk would."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
