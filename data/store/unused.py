"""When data sets were last opened, and which of them nobody opens any more.

To the day only: a page is redrawn many times a minute, and each note would be a write for everybody to wait
for. What belongs to nobody in particular, a browser's workspace, may be swept; a person's data sets and the
built-in ones never are.
"""

from datetime import datetime, timedelta

import duckdb

from data.store import catalogue


def last_used(cursor: duckdb.DuckDBPyConnection, dataset: str) -> datetime | None:
    """When a data set was last opened; None where it is gone."""
    row = cursor.execute("SELECT used FROM datasets WHERE id = ?", [dataset]).fetchone()
    return None if row is None else row[0]


def mark(cursor: duckdb.DuckDBPyConnection, dataset: str, day: datetime) -> None:
    cursor.execute("UPDATE datasets SET used = ? WHERE id = ?", [day, dataset])


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
