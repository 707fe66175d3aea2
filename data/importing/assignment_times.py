"""Seconds that are of a whole assignment, shared out over its ratings."""

import duckdb

from data.importing.cells import drop_tables


def share_seconds(cursor: duckdb.DuckDBPyConnection) -> None:
    """Divides the seconds in `import_rows` by the number of a rater's rows, one after the other, that share them."""
    cursor.execute(
        """CREATE TEMP TABLE import_shared AS
        WITH changes AS (SELECT rowid AS id, rater_id,
            (seconds IS DISTINCT FROM lag(seconds) OVER (PARTITION BY rater_id ORDER BY rowid))::BIGINT AS changes
            FROM import_rows WHERE seconds IS NOT NULL),
        stretches AS (SELECT id, rater_id, sum(changes) OVER (PARTITION BY rater_id ORDER BY id) AS stretch
            FROM changes)
        SELECT id, count(*) OVER (PARTITION BY rater_id, stretch) AS ratings FROM stretches"""
    )
    cursor.execute(
        "UPDATE import_rows SET seconds = seconds / ratings FROM import_shared WHERE import_rows.rowid = id"
    )
    drop_tables(cursor, "shared")
