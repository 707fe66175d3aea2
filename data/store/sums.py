# ruff: noqa: S608 - tables come from `sums_of`, columns from the data set, quoted; no values
"""Sums of large studies, computed once when a study is saved, so that pages need not read all ratings.

Small tables are stored with the rows of a large data set, created in one transaction and dropped with them;
`data.queries.summed` reads them. Items and raters are identified by their codes, as in every query. Rows with a check
are excluded. `datasets.summed` says whether the tables exist: NULL if not yet decided, as for data sets of an earlier
version.
"""

from dataclasses import replace

import duckdb

from data.dataset import Dataset
from data.engines.schema import SUMS, quoted, sums_of
from data.queries.named import LABELS, distinct_names, group_sql, is_no_check, measure_sql, rows_of
from data.queries.ratings import count_scores
from data.queries.summed import SAMPLE_ORDER, SUM_COLUMNS, stores_sums_with_others, sum_with_others

MIN_ROWS = 100_000
"""Ratings from which sums are stored: fewer are read in milliseconds, and every table takes disk space."""
MAX_SHARE = 0.25
"""Largest number of rows of all sums as a share of the ratings; more would save little time."""
MAX_SAMPLED_ITEMS, MAX_SAMPLED_SHARE = 40_000, 0.05
"""Largest number and share of the items whose ratings are stored separately, as a sample for figures based on some
items. For smaller files, without sums of raters with others, reading a sample from all rows is fast enough."""
ROWS_PER_PASS = 20_000_000
"""Ratings whose raters are in memory at the same time to find repeated ratings of an item."""
_RATER_TABLE = "sums_by_name"
"""Temporary table of sums by the raters' names, from which their codes are made."""


def add(
    cursor: duckdb.DuckDBPyConnection,
    dataset: Dataset,
    has_no_repeats: bool = False,
    staged: str | None = None,
    items_are_grouped: bool = False,
) -> bool:
    """Create a data set's sums in the caller's transaction unless they would not save time; return True if they exist.

    has_no_repeats : True if it is known that no rater rated an item twice, so that it need not be found out
    staged : the relation that the rows came from, which is read in half the time of a table made in the same
        transaction. Its length is known: the query planner takes such a table for empty, and would hold all of its rows
        in memory to look up the items in them
    items_are_grouped : True if the rows of an item are consecutive in `staged`; otherwise they are in the table
    """
    has_sums = dataset.kind == "ratings" and dataset.rows_kept >= MIN_ROWS
    drop(cursor, dataset.id)  # those of an earlier version
    if has_sums:
        cursor.execute(f"CREATE OR REPLACE TEMP TABLE {_RATER_TABLE} AS {_rater_query(dataset, staged)}")
        for table, queries in _table_queries(dataset, has_no_repeats, staged, items_are_grouped).items():
            name = sums_of(dataset.id, table)
            for index, query in enumerate(queries):
                cursor.execute(f"INSERT INTO {name} {query}" if index else f"CREATE TABLE {name} AS {query}")
        cursor.execute(f"DROP TABLE temp.{_RATER_TABLE}")
        row_count = " + ".join(f"(SELECT count(*) FROM {sums_of(dataset.id, table)})" for table in SUMS)
        row = cursor.execute(f"SELECT {row_count}").fetchone()
        has_sums = row is not None and row[0] <= MAX_SHARE * dataset.rows_kept
        if not has_sums:
            drop(cursor, dataset.id)
    cursor.execute("UPDATE datasets SET summed = ? WHERE id = ?", [has_sums, dataset.id])
    return has_sums


def list_missing(cursor: duckdb.DuckDBPyConnection) -> list[str]:
    """Return the ids of large data sets for which sums have not been considered yet."""
    rows = cursor.execute(
        "SELECT id FROM datasets WHERE summed IS NULL AND kind = 'ratings' AND rows_kept >= ? ORDER BY created, id",
        [MIN_ROWS],
    )
    return [str(id) for (id,) in rows.fetchall()]


def drop(cursor: duckdb.DuckDBPyConnection, id: str) -> None:
    """Drop a data set's sums, if any."""
    for table in SUMS:
        cursor.execute(f"DROP TABLE IF EXISTS {sums_of(id, table)}")


def _table_queries(
    dataset: Dataset, has_no_repeats: bool, staged: str | None, items_are_grouped: bool
) -> dict[str, list[str]]:
    """Return the queries that fill each table, in an order in which each table needs only earlier ones."""
    cell = _cell_sql(dataset)
    rows = staged or rows_of(dataset)
    item_rows = f"FROM {rows if items_are_grouped else rows_of(dataset)} WHERE {is_no_check(dataset)}"
    name_columns = [name for name in ("system", "topic") if dataset.has(name)]
    name_hash = f"hash({', '.join(name_columns)})" if name_columns else "0"
    item_columns = [f"min({name}) AS {name}" for name in name_columns]
    item_columns += [
        f"max({quoted(name)})::DOUBLE AS {quoted(name)}" for name in dataset.named("item number")
    ]
    labels = " UNION ALL ".join(
        f"SELECT '{column}' AS label, name FROM ({distinct_names(dataset, column)})"
        for column in LABELS
        if dataset.has(column)
    )
    parts = 1 if has_no_repeats else -(-dataset.rows_kept // ROWS_PER_PASS)
    repeated = (
        f"{'FALSE' if has_no_repeats else 'len(list_distinct(list(hash(rater_id)))) < count(*)'} AS repeated"
    )
    sample = (
        f'SELECT item_id, "row", {name_hash} AS named, row_number() OVER (ORDER BY {SAMPLE_ORDER}) - 1 AS drawn '
        f"FROM {sums_of(dataset.id, 'items')}"
    )
    max_sampled = MAX_SAMPLED_ITEMS if stores_sums_with_others(dataset) else 0
    queries = {
        "items": f'SELECT row_number() OVER (ORDER BY item_id) - 1 AS "row", * FROM ('
        f"SELECT {', '.join(['item_id', *item_columns])} {item_rows} GROUP BY item_id)",
        "raters": f'SELECT row_number() OVER (ORDER BY rater_id) - 1 AS "row", rater_id FROM ('
        f"SELECT DISTINCT rater_id FROM temp.{_RATER_TABLE})",
        "by_rater": 'SELECT measure, rater_group, "row" AS rater, n, total, spread, least, most, first '
        f"FROM temp.{_RATER_TABLE} "
        f"JOIN {sums_of(dataset.id, 'raters')} USING (rater_id) ORDER BY measure, rater_group, rater",
        "scores": f"{count_scores(dataset, is_no_check(dataset), rows)} ORDER BY measure, first",
        "with_others": sum_with_others(replace(dataset, summed=True), rows)
        if stores_sums_with_others(dataset)
        else "SELECT 0 AS measure LIMIT 0",
        "names": labels or "SELECT '' AS label, '' AS name WHERE FALSE",
        "some": f"SELECT kept.*, drawn FROM {rows} kept "
        f"JOIN (SELECT item_id, drawn FROM ({sample})) USING (item_id) "
        f"WHERE {is_no_check(dataset)} AND drawn < least({max_sampled}, "
        f"(SELECT count(*) FROM {sums_of(dataset.id, 'items')}) * {MAX_SAMPLED_SHARE}) "
        f"ORDER BY {', '.join(name for name in ('measure', 'rater_group') if dataset.has(name)) or 'drawn'}, "
        'drawn, "row"',
    }
    by_item = [
        f'SELECT measure, rater_group, "row" AS item, n, total, spread, drawn, repeated, '
        "least <> named OR most <> named AS mixed FROM ("
        f"SELECT {cell}, item_id, {SUM_COLUMNS}, {repeated}, min({name_hash}) AS least, max({name_hash}) AS most "
        f"{item_rows} AND hash(item_id) % {parts} = {part} GROUP BY ALL) "
        f"JOIN ({sample}) USING (item_id) ORDER BY hash(measure, rater_group), item"
        for part in range(parts)
    ]
    return {table: by_item if table == "by_item" else [queries[table]] for table in SUMS}


def _rater_query(dataset: Dataset, staged: str | None) -> str:
    return (
        f"SELECT {_cell_sql(dataset)}, rater_id, {SUM_COLUMNS}, min(score) AS least, max(score) AS most, "
        f'min("row") AS first FROM {staged or rows_of(dataset)} WHERE {is_no_check(dataset)} GROUP BY ALL'
    )


def _cell_sql(dataset: Dataset) -> str:
    return f"{measure_sql(dataset)} AS measure, {group_sql(dataset)} AS rater_group"
