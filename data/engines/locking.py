"""Locking of an engine, which from then on reaches its folders and nothing else."""

from collections.abc import Sequence

import duckdb


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
