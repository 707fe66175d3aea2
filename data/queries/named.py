# ruff: noqa: S608 - all identifiers come from `rows_of` and `quoted`, all values travel as parameters
"""Named queries: the questions that pages may ask of a data set, each reduced to small arrays in SQL.

A query is a function from a data set and its parameters to a statement. There is a module for each kind of data set;
queries about one item or rater, and about values to filter by, are here. Values are passed as parameters; the only
identifiers are the table's name, from a checked id, and quoted columns that the data set lists. Items and raters are
returned as codes, their positions among the sorted distinct ids of all rows that are not checks: the same in every
query and view, and small integers instead of text. Sorting those few distinct ids is cheap; sorting all rows of a large
table is not.

Rows with a `check` and rows that a view excludes are never included: `is_included` is part of every statement.
Codes are positions among the names under `is_no_check`, so that they are the same in all views of a data set.
"""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from data.dataset import Dataset, Filter, is_compared
from data.engines.schema import quoted, sums_of, table_of
from data.errors import UnknownName, listed
from data.kinds.definitions import columns_to_filter

ALL_RATINGS = "all ratings"
"""Name of the only group of a data set without `rater_group`."""
SCORE = "score"
"""Name of the only measure of a data set without `measure`."""
LABELS = ("system", "topic", "condition", "split")
"""Columns whose values are returned as codes."""
_CODE_TABLES = {"item_id": "items", "rater_id": "raters"}
"""Tables of sums that hold the names and codes of a column."""


@dataclass(frozen=True)
class Statement:
    """SQL statement with its named values; `returns` is True if it has a result."""

    sql: str
    values: Mapping[str, object]
    returns: bool = True


Build = Callable[..., Statement | tuple[Statement, ...]]


@dataclass(frozen=True)
class Query:
    """Named query: a function that builds statements for data sets of certain kinds, all kinds if empty."""

    build: Build
    kinds: tuple[str, ...]


QUERIES: dict[str, Query] = {}


def register(*kinds: str) -> Callable[[Build], Build]:
    """Register a query under its function's name, for data sets of these kinds, by default of all."""

    def decorate(build: Build) -> Build:
        QUERIES[build.__name__] = Query(build, kinds)
        return build

    return decorate


def rows_of(dataset: Dataset) -> str:
    return table_of(dataset.id)


def ratings_of(dataset: Dataset) -> str:
    """Return the relation of the ratings: the table, or a subquery that merges repeats as the view says.

    A rater's repeats of an item and measure become one row, the last one, with the merged score.
    """
    if dataset.merged is None or dataset.kind != "ratings":
        return rows_of(dataset)
    names = [c for c in ("item_id", "rater_id", "measure", "rater_group") if dataset.has(c)]
    cell = f"PARTITION BY {', '.join(quoted(name) for name in names)}"
    time = next((name for name in ("order", "rated_at") if dataset.has(name)), None)
    order = ([f"{quoted(time)} DESC NULLS FIRST"] if time else []) + ['"row" DESC']
    score = "score::DOUBLE"
    if dataset.merged == "mean":  # the mean of equal scores is that score, without rounding
        score = f"""CASE WHEN min(score) OVER ({cell}) = max(score) OVER ({cell}) THEN score::DOUBLE
            ELSE avg(score) OVER ({cell}) END"""
    single_rows, is_repeated = "", "TRUE"
    if dataset.summed:  # most items have no repeats, and their rows stay as they are
        items, by_item = sums_of(dataset.id, "items"), sums_of(dataset.id, "by_item")
        is_repeated = f"""item_id IN (
            SELECT item_id FROM {items} items JOIN {by_item} ON item = items."row" WHERE repeated)"""
        single_rows = f"""SELECT * REPLACE (score::DOUBLE AS score) FROM {rows_of(dataset)}
            WHERE {is_included(dataset)} AND NOT {is_repeated} UNION ALL"""
    return f"""(
        {single_rows} SELECT * FROM (
            SELECT * REPLACE ({score} AS score) FROM {rows_of(dataset)} WHERE {is_included(dataset)} AND {is_repeated}
            QUALIFY row_number() OVER ({cell} ORDER BY {", ".join(order)}) = 1))"""


def is_no_check(dataset: Dataset) -> str:
    """Return the condition of rows that are not checks, including excluded raters."""
    return """("check" IS NULL OR "check" = '')""" if dataset.has("check") else "TRUE"


def is_included(dataset: Dataset) -> str:
    """Return the condition of rows that are included in figures."""
    conditions = [is_no_check(dataset)]
    if dataset.without and dataset.rater_column is not None:
        column = dataset.rater_column
        null_condition = f"{column} IS NULL OR " if dataset.kind == "comprehension" else ""
        conditions.append(f"({null_condition}{column} NOT IN (SELECT unnest($without)))")
    conditions += [
        _filter_condition(dataset, row_filter, number) for number, row_filter in enumerate(dataset.only)
    ]
    return " AND ".join(conditions)


def view_parameters(dataset: Dataset) -> dict[str, object]:
    """Return the values of the parameters in `is_included`."""
    values: dict[str, object] = {"without": list(dataset.without)}
    for number, row_filter in enumerate(dataset.only):
        parts = {
            "values": list(row_filter.values),
            "text": row_filter.text,
            "since": row_filter.since,
            "until": row_filter.until,
        }
        values |= {f"only_{number}_{name}": value for name, value in parts.items()}
    return values


def _filter_condition(dataset: Dataset, row_filter: Filter, number: int) -> str:
    in_values = f"IN (SELECT unnest($only_{number}_values))"
    if is_compared(dataset, row_filter.column):
        operator = "OR" if len(row_filter.values) == 1 else "AND"
        return f"(option_a {in_values} {operator} option_b {in_values})"
    if not dataset.has(row_filter.column):
        raise UnknownName(f"there is no column {row_filter.column!r} to filter by")
    column, conditions = quoted(row_filter.column), []
    if row_filter.excludes:
        return f"({column} IS NULL OR {column} NOT {in_values})"
    if row_filter.values:
        conditions.append(f"{column} {in_values}")
    if row_filter.text:
        conditions.append(f"contains(lower({column}), lower($only_{number}_text))")
    if row_filter.since is not None:
        conditions.append(f"{column} >= $only_{number}_since")
    if row_filter.until is not None:
        conditions.append(f"{column} <= $only_{number}_until")
    return " AND ".join(conditions) or "TRUE"


def measure_sql(dataset: Dataset) -> str:
    return '"measure"' if dataset.has("measure") else f"'{SCORE}'"


def group_sql(dataset: Dataset) -> str:
    return '"rater_group"' if dataset.has("rater_group") else f"'{ALL_RATINGS}'"


def order_sql(dataset: Dataset) -> str:
    if dataset.has("order"):
        return 'row_number() OVER (ORDER BY "order" NULLS LAST, "row")'
    if dataset.has("rated_at"):
        return 'row_number() OVER (ORDER BY rated_at NULLS LAST, "row")'
    return '"row"'


def codes_cte(dataset: Dataset, column: str) -> str:
    if dataset.summed and column in _CODE_TABLES:
        table = sums_of(dataset.id, _CODE_TABLES[column])
        return f'{column}_codes AS (SELECT {column}, "row" AS code FROM {table})'
    if dataset.summed and column in LABELS:
        table = sums_of(dataset.id, "names")
        return (
            f"{column}_codes AS (SELECT name AS {column}, row_number() OVER (ORDER BY name) - 1 AS code "
            f"FROM {table} WHERE label = '{column}')"
        )
    return (
        f"{column}_codes AS (SELECT {column}, row_number() OVER (ORDER BY {column}) - 1 AS code "
        f"FROM (SELECT DISTINCT {column} FROM {rows_of(dataset)} "
        f"WHERE {is_no_check(dataset)} AND {column} IS NOT NULL))"
    )


def select_names(dataset: Dataset, *columns: str) -> Statement:
    return Statement(distinct_names(dataset, *columns), {})


def reduce_by_item(dataset: Dataset, expression: str, name: str) -> Statement:
    return Statement(
        f"""
        WITH reduced AS (
            SELECT item_id, {expression} AS {name} FROM {rows_of(dataset)} WHERE {is_included(dataset)} GROUP BY item_id
        ), {codes_cte(dataset, "item_id")}
        SELECT code AS item, {name} FROM reduced JOIN item_id_codes USING (item_id)
        WHERE {name} IS NOT NULL ORDER BY item
        """,
        {},
    )


def distinct_names(dataset: Dataset, *columns: str) -> str:
    """Return SQL for the sorted distinct values of some columns together; the position of each is its code."""
    if not columns:
        return "SELECT '' AS name WHERE FALSE"
    if dataset.summed and len(columns) == 1:
        [column] = columns
        if column in _CODE_TABLES:
            return f'SELECT {column} AS name FROM {sums_of(dataset.id, _CODE_TABLES[column])} ORDER BY "row"'
        if column in LABELS:
            return f"SELECT name FROM {sums_of(dataset.id, 'names')} WHERE label = '{column}' ORDER BY name"
    selects = " UNION ALL ".join(
        f"SELECT {column} AS name FROM {rows_of(dataset)} WHERE {is_no_check(dataset)} AND {column} IS NOT NULL"
        for column in columns
    )
    return f"SELECT DISTINCT name FROM ({selects}) ORDER BY name"


def number_names(names: str) -> str:
    return f"SELECT name, row_number() OVER (ORDER BY name) - 1 AS code FROM ({names})"


def attribute_column(dataset: Dataset, attribute: object) -> str:
    attributes = dataset.named("rater attribute")
    if attribute not in attributes:
        raise UnknownName(
            f"there is no rater attribute {attribute!r}; there are {listed(attributes) or 'none'}"
        )
    return f"CAST({quoted(str(attribute))} AS VARCHAR)"


_GROUP_PARAMETERS = ("group", "candidate", "reference", "shared_with")
_NUMBER_PARAMETERS = ("max_items", "labels")


def prepare_query(name: str, dataset: Dataset, parameters: Mapping[str, object]) -> tuple[Statement, ...]:
    """Return the statements of a named query for this data set, to be run in this order by one cursor."""
    if name not in QUERIES:
        available = [
            query_name
            for query_name, query in QUERIES.items()
            if not query.kinds or dataset.kind in query.kinds
        ]
        raise UnknownName(f"there is no query {name!r}; there are {listed(available)}")
    kinds = QUERIES[name].kinds
    if kinds and dataset.kind not in kinds:
        raise UnknownName(
            f"the query {name!r} asks for {' or '.join(kinds)}; this data set holds {dataset.kind}"
        )
    declared = dict(list(inspect.signature(QUERIES[name].build).parameters.items())[1:])
    for parameter in parameters:
        if parameter not in declared:
            raise UnknownName(
                f"the query {name!r} has no parameter {parameter!r}; it has {listed(declared) or 'none'}"
            )
    for parameter, declaration in declared.items():
        value = parameters.get(parameter, declaration.default)
        if value is inspect.Parameter.empty:
            raise UnknownName(f"the query {name!r} needs the parameter {parameter!r}")
        expected = int if parameter in _NUMBER_PARAMETERS else str
        if not isinstance(value, expected) and value is not declaration.default:
            raise UnknownName(
                f"the parameter {parameter!r} of the query {name!r} must be of type {expected.__name__}, "
                f"got {value!r}"
            )
        if isinstance(value, str) and not _is_unicode(value):
            raise UnknownName(f"`{parameter}` holds half a character, which no file can: {value!r}")
    statements = QUERIES[name].build(dataset, **parameters)
    return tuple(
        _bind_view_parameters(statement, dataset)
        for statement in (statements if isinstance(statements, tuple) else (statements,))
    )


def _bind_view_parameters(statement: Statement, dataset: Dataset) -> Statement:
    """Return the statement with those parameters of the view that its SQL uses."""
    used = {name: value for name, value in view_parameters(dataset).items() if f"${name}" in statement.sql}
    return replace(statement, values={**statement.values, **used}) if used else statement


def names_exist(dataset: Dataset, parameters: Mapping[str, object]) -> Statement | None:
    """Return a statement whose row says for each measure, group or attribute value in `parameters` whether it exists.

    Names exist in all views, even if a view excludes every row that uses one.
    """
    dataset = dataset.as_saved
    conditions = {}
    values: dict[str, object] = {}
    for parameter, value in parameters.items():
        if value is None:
            continue
        if parameter == "measure":
            conditions[parameter] = f"{measure_sql(dataset)} = $measure"
        elif parameter in _GROUP_PARAMETERS:
            conditions[parameter] = f"{group_sql(dataset)} = ${parameter}"
        elif parameter == "value" and parameters.get("attribute") is not None:
            conditions[parameter] = f"{attribute_column(dataset, parameters['attribute'])} = $value"
        else:
            continue
        values[parameter] = value
    if not conditions:
        return None
    if dataset.summed and "value" not in conditions:
        rows, conditions = (
            sums_of(dataset.id, "by_rater"),
            {name: _sums_condition(name) for name in conditions},
        )
    else:
        rows = f"(SELECT * FROM {rows_of(dataset)} WHERE {is_included(dataset)})"
    checks = ", ".join(
        f"EXISTS (SELECT 1 FROM {rows} WHERE {condition}) AS {parameter}"
        for parameter, condition in conditions.items()
    )
    return Statement(f"SELECT {checks}", values)


def _sums_condition(parameter: str) -> str:
    """Return the condition for a parameter on a table of sums."""
    return f"{'measure' if parameter == 'measure' else 'rater_group'} = ${parameter}"


def available_names(dataset: Dataset, parameter: str, parameters: Mapping[str, object]) -> Statement:
    """Return a statement for the allowed values of a parameter: all measures, groups or values of the attribute."""
    dataset = dataset.as_saved
    column = group_sql(dataset)
    if parameter == "measure":
        column = measure_sql(dataset)
    elif parameter == "value":
        column = attribute_column(dataset, parameters["attribute"])
    return Statement(
        f"SELECT DISTINCT {column} AS name FROM {rows_of(dataset)} "
        f"WHERE {is_included(dataset)} AND {column} IS NOT NULL ORDER BY name",
        {},
    )


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


MOST_ROWS = 10_000
"""Ratings of one item or rater that are fetched; a page shows fewer."""


@register("ratings")
def ratings_of_item(dataset: Dataset, item: str) -> Statement:
    """Return an item's ratings in the file's order, at most `MOST_ROWS`: measure, group, rater, score, weight (1 by
    default), moment ("" if unknown)."""
    return Statement(
        f"""
        SELECT {measure_sql(dataset)} AS measure, {group_sql(dataset)} AS "group", rater_id AS rater,
            score::DOUBLE AS score, {"weight::DOUBLE" if dataset.is_weighted else "1.0::DOUBLE"} AS weight,
            {_moment_sql(dataset)} AS moment
        FROM {rows_of(dataset)} WHERE {is_included(dataset)} AND item_id = $item ORDER BY "row" LIMIT {MOST_ROWS}
        """,
        {"item": item},
    )


@register("ratings")
def ratings_of_rater(dataset: Dataset, rater: str) -> Statement:
    """Return a rater's ratings in the file's order, at most `MOST_ROWS`: measure, group, item, score, others (mean
    score of the group's other raters, NaN if there are none), moment ("" if unknown)."""
    cell = f"item_id, {measure_sql(dataset)} AS measure, {group_sql(dataset)} AS rater_group"
    return Statement(
        f"""
        WITH own AS (
            SELECT "row", {cell}, score::DOUBLE AS score, {_moment_sql(dataset)} AS moment
            FROM {rows_of(dataset)} WHERE {is_included(dataset)} AND rater_id = $rater ORDER BY "row" LIMIT {MOST_ROWS}
        ), rest AS (
            SELECT {cell}, avg(score)::DOUBLE AS others
            FROM {rows_of(dataset)} WHERE {is_included(dataset)} AND rater_id <> $rater
                AND item_id IN (SELECT item_id FROM own)
            GROUP BY ALL
        )
        SELECT measure, rater_group AS "group", item_id AS item, score, others, moment
        FROM own LEFT JOIN rest USING (item_id, measure, rater_group) ORDER BY "row"
        """,
        {"rater": rater},
    )


@register("ratings", "choices", "rankings")
def attributes_of_raters(dataset: Dataset) -> Statement:
    """Return the attributes of each rater in each group: attribute, rater (code), group, value ("" if unknown) and
    ratings; a rater's most frequent value first."""
    attributes = dataset.named("rater attribute")
    empty = "SELECT 0 AS place, '' AS rater_id, '' AS \"group\", '' AS value, 0 AS ratings WHERE FALSE"
    selects = [
        f'SELECT {number} AS place, rater_id, {group_sql(dataset)} AS "group", '
        f"coalesce({attribute_column(dataset, name)}, '') AS value, count(*) AS ratings "
        f"FROM {rows_of(dataset)} WHERE {is_included(dataset)} GROUP BY ALL"
        for number, name in enumerate(attributes)
    ]
    return Statement(
        f"""
        WITH {codes_cte(dataset, "rater_id")}, known AS ({" UNION ALL ".join([empty, *selects])})
        SELECT place AS attribute, code AS rater, "group", value, ratings
        FROM known JOIN rater_id_codes USING (rater_id)
        ORDER BY place, "group", rater, value = '', ratings DESC, value
        """,
        {},
    )


@register("ratings")
def about_item(dataset: Dataset, item: str) -> Statement:
    """Return the attributes of an item, "" if unknown, no row if it was never rated: system, topic, condition, split,
    text, reference_text."""
    details = ", ".join(
        f"coalesce(min({column}), '') AS {column}" if dataset.has(column) else f"'' AS {column}"
        for column in ("system", "topic", "condition", "split", "text", "reference_text")
    )
    return Statement(
        f"SELECT {details} FROM {rows_of(dataset)} WHERE {is_no_check(dataset)} AND item_id = $item GROUP BY item_id",
        {"item": item},
    )


def _moment_sql(dataset: Dataset) -> str:
    return "coalesce(strftime(rated_at, '%Y-%m-%d %H:%M'), '')" if dataset.has("rated_at") else "''"


MOST_NAMES = 100
"""Names up to which a filter offers a list; a column with more is filtered by a text."""


@register()
def names_to_filter(dataset: Dataset, column: str) -> Statement:
    """Return the sorted names in a column to filter by, at most one more than `MOST_NAMES`: name."""
    filters = columns_to_filter(dataset)
    if column not in filters:
        raise UnknownName(f"`column` must be one of {listed(filters) or 'none'}; got {column!r}")
    columns = ("option_a", "option_b") if is_compared(dataset, column) else (column,)
    if column in dataset.named("rater attribute"):
        columns = (attribute_column(dataset, column),)
    return Statement(f"{distinct_names(dataset, *columns)} LIMIT {MOST_NAMES + 1}", {})


@register()
def time_span(dataset: Dataset) -> Statement:
    """Return the times of the first and the last row in seconds since 1970, NaN if unknown: first, last.

    Times outside the calendar of a page, such as the year 20000, are ignored.
    """
    if not dataset.has("rated_at"):
        return Statement("SELECT NULL::DOUBLE AS first, NULL::DOUBLE AS last", {})
    return Statement(
        f"SELECT epoch(min(rated_at))::DOUBLE AS first, epoch(max(rated_at))::DOUBLE AS last "
        f"FROM {rows_of(dataset)} WHERE {is_no_check(dataset)} "
        "AND rated_at BETWEEN TIMESTAMP '1000-01-01' AND TIMESTAMP '9999-12-30'",
        {},
    )
