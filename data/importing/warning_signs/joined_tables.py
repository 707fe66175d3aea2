# ruff: noqa: S608 - all identifiers are canonical columns or quoted
"""What to know before joining contributors of a pyramid or metrics to ratings."""

from collections.abc import Iterable

import duckdb

from analysis.values.columns import thousands
from data.importing.warning_signs.wording import Sign, first_row, has, number_of, shortened
from data.mapping.plan import Plan
from data.quoting import quoted


def about_contributors(cursor: duckdb.DuckDBPyConnection, todo: Plan) -> Iterable[Sign]:
    unit = ", ".join(["topic", *(["condition"] if todo.has("condition") else []), "scu_id"])
    row = ", ".join(target.name for target in todo.targets)
    weights, example, topic = first_row(
        cursor,
        f"""SELECT count(*), min(scu_id), arg_min(topic, scu_id) FROM (
            SELECT {unit} FROM import_rows GROUP BY {unit} HAVING min(weight) <> max(weight))""",
    )
    if weights:
        yield (
            f"{number_of(weights, 'content unit has', 'content units have')} more than one weight, for "
            f'instance "{shortened(example)}" of topic "{shortened(topic)}"; a unit should have one.'
        )
    broken, value = first_row(
        cursor,
        "SELECT count(*), min(weight) FROM import_rows WHERE weight <> trunc(weight)",
    )
    if broken:
        yield (
            f"{number_of(broken, 'weight is no whole number', 'weights are no whole numbers')}, for instance "
            f"{value:g}; a weight usually counts model summaries."
        )
    items, lonely, many_topics, shared = first_row(
        cursor,
        """SELECT count(*), count(*) FILTER (n = 1), count(*) FILTER (topics > 1),
            any_value(item_id) FILTER (topics > 1)
        FROM (SELECT item_id, count(*) AS n, count(DISTINCT topic) AS topics FROM import_rows
            GROUP BY item_id ORDER BY item_id)""",
    )
    if lonely:
        yield f"{number_of(lonely, 'item')} of {thousands(items)} {has(lonely)} only one contributor."
    if many_topics:
        yield (
            f"{number_of(many_topics, 'item occurs', 'items occur')} in more than one topic, for instance "
            f'"{shortened(shared)}"; an item should be one summary of one topic.'
        )
    (repeated,) = first_row(
        cursor,
        f"SELECT count(*) - (SELECT count(*) FROM (SELECT DISTINCT {row} FROM import_rows)) FROM import_rows",
    )
    if repeated:
        yield (
            f"{number_of(repeated, 'contributor repeats', 'contributors repeat')} an earlier row word for "
            "word; all are kept."
        )


def about_metrics(cursor: duckdb.DuckDBPyConnection, todo: Plan) -> Iterable[Sign]:
    for name in todo.further_numbers:
        column = quoted(name)
        items, known, different = first_row(
            cursor, f"SELECT count(*), count({column}), count(DISTINCT {column}) FROM import_rows"
        )
        if known and different == 1:
            yield f'"{shortened(name)}" is the same for all items, so no correlation with it is defined.'
        if 0 < known < items:
            yield (
                f"{number_of(items - known, 'item')} of {thousands(items)} {has(items - known)} no "
                f'"{shortened(name)}".'
            )
