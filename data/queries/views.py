# ruff: noqa: S608 - all identifiers come from `rows_of` and `quoted`, all values travel as parameters
"""The queries about one item or rater, and about what a view may keep only."""

from data.dataset import Dataset, compared
from data.errors import UnknownName, listed
from data.kinds.definitions import columns_to_filter
from data.queries.named import (
    Statement,
    attribute_column,
    codes,
    distinct,
    everyone,
    group_of,
    measure_of,
    named,
    real,
    rows_of,
)

MOST_ROWS = 10_000
"""Ratings of one item or rater that are fetched; a page shows fewer."""


@named("ratings")
def ratings_of_item(dataset: Dataset, item: str) -> Statement:
    """An item's ratings in the file's order, at most `MOST_ROWS`: measure, group, rater, score, weight (1 where there
    are none), moment ("" where it is not known)."""
    return Statement(
        f"""
        SELECT {measure_of(dataset)} AS measure, {group_of(dataset)} AS "group", rater_id AS rater,
            score::DOUBLE AS score, {"weight::DOUBLE" if dataset.is_weighted else "1.0::DOUBLE"} AS weight,
            {_at(dataset)} AS moment
        FROM {rows_of(dataset)} WHERE {real(dataset)} AND item_id = $item ORDER BY "row" LIMIT {MOST_ROWS}
        """,
        {"item": item},
    )


@named("ratings")
def ratings_of_rater(dataset: Dataset, rater: str) -> Statement:
    """A rater's ratings in the file's order, at most `MOST_ROWS`: measure, group, item, score, others (the mean of what
    the group's other raters gave, NaN where nobody did), moment ("" where no time is known)."""
    cell = f"item_id, {measure_of(dataset)} AS measure, {group_of(dataset)} AS rater_group"
    return Statement(
        f"""
        WITH own AS (
            SELECT "row", {cell}, score::DOUBLE AS score, {_at(dataset)} AS moment
            FROM {rows_of(dataset)} WHERE {real(dataset)} AND rater_id = $rater ORDER BY "row" LIMIT {MOST_ROWS}
        ), rest AS (
            SELECT {cell}, avg(score)::DOUBLE AS others
            FROM {rows_of(dataset)} WHERE {real(dataset)} AND rater_id <> $rater
                AND item_id IN (SELECT item_id FROM own)
            GROUP BY ALL
        )
        SELECT measure, rater_group AS "group", item_id AS item, score, others, moment
        FROM own LEFT JOIN rest USING (item_id, measure, rater_group) ORDER BY "row"
        """,
        {"rater": rater},
    )


@named("ratings", "choices", "rankings")
def attributes_of_raters(dataset: Dataset) -> Statement:
    """Attributes of each rater in each group: attribute, rater (code), group, value ("" where it is not known) and
    ratings; a rater's most frequent value first."""
    attributes = dataset.named("rater attribute")
    nothing = "SELECT 0 AS place, '' AS rater_id, '' AS \"group\", '' AS value, 0 AS ratings WHERE FALSE"
    each = [
        f'SELECT {place} AS place, rater_id, {group_of(dataset)} AS "group", '
        f"coalesce({attribute_column(dataset, name)}, '') AS value, count(*) AS ratings "
        f"FROM {rows_of(dataset)} WHERE {real(dataset)} GROUP BY ALL"
        for place, name in enumerate(attributes)
    ]
    return Statement(
        f"""
        WITH {codes(dataset, "rater_id")}, known AS ({" UNION ALL ".join([nothing, *each])})
        SELECT place AS attribute, code AS rater, "group", value, ratings
        FROM known JOIN rater_id_codes USING (rater_id)
        ORDER BY place, "group", rater, value = '', ratings DESC, value
        """,
        {},
    )


@named("ratings")
def about_item(dataset: Dataset, item: str) -> Statement:
    """Attributes of an item besides its ratings, "" for nothing, no row where it was never rated: system, topic,
    condition, split, text, reference_text."""
    told = ", ".join(
        f"coalesce(min({column}), '') AS {column}" if dataset.has(column) else f"'' AS {column}"
        for column in ("system", "topic", "condition", "split", "text", "reference_text")
    )
    return Statement(
        f"SELECT {told} FROM {rows_of(dataset)} WHERE {everyone(dataset)} AND item_id = $item GROUP BY item_id",
        {"item": item},
    )


def _at(dataset: Dataset) -> str:
    return "coalesce(strftime(rated_at, '%Y-%m-%d %H:%M'), '')" if dataset.has("rated_at") else "''"


MOST_NAMES = 100
"""Names offered of a column that filters; of more, a text is looked for."""


@named()
def names_to_filter(dataset: Dataset, column: str) -> Statement:
    """The names in a column of the kind's `filters`, sorted, at most one more than `MOST_NAMES`: name."""
    filters = columns_to_filter(dataset)
    if column not in filters:
        raise UnknownName(f"`column` must be one of {listed(filters) or 'none'}; got {column!r}")
    columns = ("option_a", "option_b") if compared(dataset, column) else (column,)
    if column in dataset.named("rater attribute"):
        columns = (attribute_column(dataset, column),)
    return Statement(f"{distinct(dataset, *columns)} LIMIT {MOST_NAMES + 1}", {})


@named()
def time_span(dataset: Dataset) -> Statement:
    """Times of the first and the last row, in seconds since 1970, NaN where no row says it: first, last.

    Times that no calendar of a page has, such as the year 20000, are no ends.
    """
    if not dataset.has("rated_at"):
        return Statement("SELECT NULL::DOUBLE AS first, NULL::DOUBLE AS last", {})
    return Statement(
        f"SELECT epoch(min(rated_at))::DOUBLE AS first, epoch(max(rated_at))::DOUBLE AS last "
        f"FROM {rows_of(dataset)} WHERE {everyone(dataset)} "
        "AND rated_at BETWEEN TIMESTAMP '1000-01-01' AND TIMESTAMP '9999-12-30'",
        {},
    )
