# ruff: noqa: S608 - tables come from `sums_of`, columns from the data set, quoted; no values
"""Sums that pages ask of every large study, added up once when it is saved, so that no page reads all ratings for it.

Beside the rows of a data set of many ratings stand small tables, made from them in one transaction and dropped with
them; `data.queries.summed` reads them. Items and raters are named by their codes, as in every query. Rows with a check
are in none of them. `datasets.summed` says whether they are there: NULL where nobody has looked yet, as for what an
earlier version saved.
"""

import duckdb

from data.dataset import Dataset
from data.engines.schema import SUMS, quoted, sums_of
from data.queries.named import LABELS, distinct, everyone, group_of, measure_of, rows_of
from data.queries.ratings import counted_scores
from data.queries.summed import DRAW, keeps_with_others, with_others

SUMMED_FROM = 100_000
"""Ratings from which sums are kept: fewer are read in milliseconds, and every table takes room."""
MOST = 0.25
"""Sums of more rows than this share of the ratings would save little."""
MOST_KEPT, SHARE_KEPT = 40_000, 0.05
"""Items whose ratings are kept apart at most, and the largest share of all items: those of a seed's draw, for what
rests on some items. Of a file with so few ratings that raters beside the others are not kept they are soon found."""
AT_ONCE = 20_000_000
"""Ratings whose raters are held in memory together, to see who rated an item more than once."""
_BY_NAME = "sums_by_name"
"""What each rater's ratings come to while there are no codes yet: a temporary table, from which the codes come too."""
_SUMMED = "count(*) AS n, sum(score) AS total, var_pop(score) * count(*) AS spread"


def add(
    cursor: duckdb.DuckDBPyConnection,
    dataset: Dataset,
    unrepeated: bool = False,
    staged: str | None = None,
    in_turn: bool = False,
) -> bool:
    """Makes a data set's sums in the caller's transaction, unless that would not pay; whether they are there now.

    `unrepeated`: it is known that nobody rated an item twice, and need not be found out again. `staged`: the
    relation that the rows came from, which is read in half the time of a table made in the same transaction, and whose
    length is known: such a table counts as empty to who plans a join, and all its rows would be held in memory to look
    up the items' in them. `in_turn`: whether an item's rows follow each other there; if not, they do in the table.
    """
    pays = dataset.kind == "ratings" and dataset.rows_kept >= SUMMED_FROM
    drop(cursor, dataset.id)  # those of an earlier version
    if pays:
        cursor.execute(f"CREATE OR REPLACE TEMP TABLE {_BY_NAME} AS {_by_name(dataset, staged)}")
        for table, made in _tables(dataset, unrepeated, staged, in_turn).items():
            name = sums_of(dataset.id, table)
            for at, part in enumerate(made):
                cursor.execute(f"INSERT INTO {name} {part}" if at else f"CREATE TABLE {name} AS {part}")
        cursor.execute(f"DROP TABLE temp.{_BY_NAME}")
        counted = " + ".join(f"(SELECT count(*) FROM {sums_of(dataset.id, table)})" for table in SUMS)
        row = cursor.execute(f"SELECT {counted}").fetchone()
        pays = row is not None and row[0] <= MOST * dataset.rows_kept
        if not pays:
            drop(cursor, dataset.id)
    cursor.execute("UPDATE datasets SET summed = ? WHERE id = ?", [pays, dataset.id])
    return pays


def missing(cursor: duckdb.DuckDBPyConnection) -> list[str]:
    """The ids of large data sets of which nobody has looked yet whether sums pay."""
    rows = cursor.execute(
        "SELECT id FROM datasets WHERE summed IS NULL AND kind = 'ratings' AND rows_kept >= ? ORDER BY created, id",
        [SUMMED_FROM],
    )
    return [str(id) for (id,) in rows.fetchall()]


def drop(cursor: duckdb.DuckDBPyConnection, id: str) -> None:
    """Drops a data set's sums, where there are any."""
    for table in SUMS:
        cursor.execute(f"DROP TABLE IF EXISTS {sums_of(id, table)}")


def _tables(dataset: Dataset, unrepeated: bool, staged: str | None, in_turn: bool) -> dict[str, list[str]]:
    """Return what each table is made from, piece by piece, in an order in which each needs only those before it."""
    cell = _cell(dataset)
    rows = staged or rows_of(dataset)
    of_items = f"FROM {rows if in_turn else rows_of(dataset)} WHERE {everyone(dataset)}"
    of = [name for name in ("system", "topic") if dataset.has(name)]
    named = f"hash({', '.join(of)})" if of else "0"
    known = [f"min({name}) AS {name}" for name in of]
    known += [f"max({quoted(name)})::DOUBLE AS {quoted(name)}" for name in dataset.named("item number")]
    labels = " UNION ALL ".join(
        f"SELECT '{column}' AS label, name FROM ({distinct(dataset, column)})"
        for column in LABELS
        if dataset.has(column)
    )
    parts = 1 if unrepeated else -(-dataset.rows_kept // AT_ONCE)
    repeated = (
        f"{'FALSE' if unrepeated else 'len(list_distinct(list(hash(rater_id)))) < count(*)'} AS repeated"
    )
    drawn = (
        f'SELECT item_id, "row", {named} AS named, row_number() OVER (ORDER BY {DRAW}) - 1 AS drawn '
        f"FROM {sums_of(dataset.id, 'items')}"
    )
    made = {
        "items": f'SELECT row_number() OVER (ORDER BY item_id) - 1 AS "row", * FROM ('
        f"SELECT {', '.join(['item_id', *known])} {of_items} GROUP BY item_id)",
        "raters": f'SELECT row_number() OVER (ORDER BY rater_id) - 1 AS "row", rater_id FROM ('
        f"SELECT DISTINCT rater_id FROM temp.{_BY_NAME})",
        "by_rater": 'SELECT measure, rater_group, "row" AS rater, n, total, spread, least, most, first '
        f"FROM temp.{_BY_NAME} "
        f"JOIN {sums_of(dataset.id, 'raters')} USING (rater_id) ORDER BY measure, rater_group, rater",
        "scores": f"{counted_scores(dataset, everyone(dataset), rows)} ORDER BY measure, first",
        "with_others": with_others(dataset, rows)
        if keeps_with_others(dataset)
        else "SELECT 0 AS measure LIMIT 0",
        "names": labels or "SELECT '' AS label, '' AS name WHERE FALSE",
        "some": f"SELECT kept.*, drawn FROM {rows} kept "
        f"JOIN (SELECT item_id, drawn FROM ({drawn})) USING (item_id) "
        f"WHERE {everyone(dataset)} AND drawn < least({MOST_KEPT if keeps_with_others(dataset) else 0}, "
        f"(SELECT count(*) FROM {sums_of(dataset.id, 'items')}) * {SHARE_KEPT}) "
        f"ORDER BY {', '.join(name for name in ('measure', 'rater_group') if dataset.has(name)) or 'drawn'}, "
        'drawn, "row"',
    }
    by_item = [
        f'SELECT measure, rater_group, "row" AS item, n, total, spread, drawn, repeated, '
        "least <> named OR most <> named AS mixed FROM ("
        f"SELECT {cell}, item_id, {_SUMMED}, {repeated}, min({named}) AS least, max({named}) AS most "
        f"{of_items} AND hash(item_id) % {parts} = {part} GROUP BY ALL) "
        f"JOIN ({drawn}) USING (item_id) ORDER BY hash(measure, rater_group), item"
        for part in range(parts)
    ]
    return {table: by_item if table == "by_item" else [made[table]] for table in SUMS}


def _by_name(dataset: Dataset, staged: str | None) -> str:
    return (
        f"SELECT {_cell(dataset)}, rater_id, {_SUMMED}, min(score) AS least, max(score) AS most, "
        f'min("row") AS first FROM {staged or rows_of(dataset)} WHERE {everyone(dataset)} GROUP BY ALL'
    )


def _cell(dataset: Dataset) -> str:
    return f"{measure_of(dataset)} AS measure, {group_of(dataset)} AS rater_group"
