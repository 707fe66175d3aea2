# ruff: noqa: S608 - all identifiers are canonical columns or quoted
"""Warning signs in a file, for a researcher who is to trust its figures: sentences, found in few aggregates.

Nothing here changes a row. The rows looked at are those that will enter figures.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping

import duckdb

from analysis.values.names import thousands
from data.engines.schema import quoted
from data.importing.warning_signs.choices import about_choices
from data.importing.warning_signs.judgments import about_comprehension, about_relevance
from data.importing.warning_signs.ratings import about_ratings
from data.importing.warning_signs.wording import FEW, Sign, first_row, has, number_of, shortened
from data.mapping.plan import Plan

_CALLED = (
    r"(?i)(.*/)?((chat)?gpt|llama|mi[sx]tral|qwen|deepseek|llm|candidate|baseline|o[134][ _-](mini|preview|pro))"
    r"([ _.:-]*\d.*|[ _.:/-].*)?"
    r"|(?i)(.*/)?(claude|gemini|gemma|phi|command|grok|falcon|vicuna|alpaca)[ _.:/-]*"
    r"(\d|r\b|v\d|instant|opus|sonnet|haiku|pro|flash|nano|ultra).*"
)


def about_models(cursor: duckdb.DuckDBPyConnection, todo: Plan) -> Iterator[str]:
    if todo.kind.rater != "rater_id" or not todo.has("rater_id"):
        return
    others = cursor.execute(
        "SELECT 1 FROM import_rows WHERE NOT regexp_full_match(rater_id, $called) LIMIT 1",
        {"called": _CALLED},
    ).fetchone()
    if others:
        return
    rows = cursor.execute(
        f"SELECT DISTINCT rater_id FROM import_rows WHERE rater_id IS NOT NULL ORDER BY rater_id LIMIT {FEW}"
    ).fetchall()
    if rows:
        names = ", ".join(f'"{shortened(name)}"' for (name,) in rows)
        yield (
            f"Who rated is called like language models ({names}). If these are candidates that are to replace "
            f"people, save the people's {todo.kind.rows} first and add this file to them, as a separate group."
        )


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
        cursor, "SELECT count(*), min(weight) FROM import_rows WHERE weight <> trunc(weight)"
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


def warnings_about(cursor: duckdb.DuckDBPyConnection, todo: Plan) -> tuple[Sign, ...]:
    """The warnings about the rows staged in `import_rows`; kinds of tables without entry have none."""
    if todo.kind.name not in _BY_KIND:
        return ()
    return (*about_models(cursor, todo), *_BY_KIND[todo.kind.name](cursor, todo))


_BY_KIND: Mapping[str, Callable[[duckdb.DuckDBPyConnection, Plan], Iterable[Sign]]] = {
    "ratings": about_ratings,
    "contributors": about_contributors,
    "metrics": about_metrics,
    "choices": about_choices,
    "comprehension": about_comprehension,
    "relevance": about_relevance,
}
