# ruff: noqa: S608 - all identifiers come from `rows_of` and `quoted`, all values travel as parameters
"""The named queries: what pages may ask of a data set, each reduced in SQL to small arrays.

A query is a function from a data set and its parameters to a statement. They stand in a module for each kind of data
set; those about one item or rater, and about what a view may keep only, stand here. Values travel as parameters; the
only identifiers are the table's name, from a checked id, and columns that the data set itself lists, quoted. Items and
raters come as codes, their positions among the sorted distinct ids of all rows that are no check: the same in every
query, also in a view that leaves some out, and small integers travel instead of text. Sorting those few distinct ids is
cheap; sorting all rows of a large table is not.

Rows with a `check` never enter, nor does what a view leaves out: `real` is part of every statement. Codes are
places among the names of `everyone`, so that they mean the same in every query and in every view of a data set.
"""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from data.dataset import Dataset, Filter, compared
from data.engines.schema import quoted, sums_of, table_of
from data.errors import UnknownName, listed
from data.kinds.definitions import columns_to_filter

ALL_RATINGS = "all ratings"
"""The one group of a data set without `rater_group`."""
SCORE = "score"
"""The one measure of a data set without `measure`."""
LABELS = ("system", "topic", "condition", "split")
"""Columns whose values travel as codes."""
_CODED = {"item_id": "items", "rater_id": "raters"}
"""In which table of sums their names and codes stand."""


@dataclass(frozen=True)
class Statement:
    """One SQL statement with its named values, and whether rows come back."""

    sql: str
    values: Mapping[str, object]
    returns: bool = True


Build = Callable[..., Statement | tuple[Statement, ...]]


@dataclass(frozen=True)
class Query:
    """A named query: from a data set of one of `kinds` and its parameters to statements."""

    build: Build
    kinds: tuple[str, ...]


QUERIES: dict[str, Query] = {}


def named(*kinds: str) -> Callable[[Build], Build]:
    """Lists a query under its function's name; without kinds it may be asked of all."""

    def listed_as(build: Build) -> Build:
        QUERIES[build.__name__] = Query(build, kinds)
        return build

    return listed_as


def rows_of(dataset: Dataset) -> str:
    return table_of(dataset.id)


def ratings_of(dataset: Dataset) -> str:
    """Return the relation of the ratings: the table, or what a view makes of it that merges repeats.

    There a rater's repeats of an item and measure are one row, the last one, with the score that stands for them.
    """
    if dataset.merged is None or dataset.kind != "ratings":
        return rows_of(dataset)
    names = [c for c in ("item_id", "rater_id", "measure", "rater_group") if dataset.has(c)]
    cell = f"PARTITION BY {', '.join(quoted(name) for name in names)}"
    time = next((name for name in ("order", "rated_at") if dataset.has(name)), None)
    last = ([f"{quoted(time)} DESC NULLS FIRST"] if time else []) + ['"row" DESC']
    score = "score::DOUBLE"
    if dataset.merged == "mean":  # the mean of equal scores is that score, without rounding
        score = f"""CASE WHEN min(score) OVER ({cell}) = max(score) OVER ({cell}) THEN score::DOUBLE
            ELSE avg(score) OVER ({cell}) END"""
    others, several = "", "TRUE"
    if dataset.summed:  # most items have no repeats, and their rows stay as they are
        items, by_item = sums_of(dataset.id, "items"), sums_of(dataset.id, "by_item")
        several = f"""item_id IN (
            SELECT item_id FROM {items} items JOIN {by_item} ON item = items."row" WHERE repeated)"""
        others = f"""SELECT * REPLACE (score::DOUBLE AS score) FROM {rows_of(dataset)}
            WHERE {real(dataset)} AND NOT {several} UNION ALL"""
    return f"""(
        {others} SELECT * FROM (
            SELECT * REPLACE ({score} AS score) FROM {rows_of(dataset)} WHERE {real(dataset)} AND {several}
            QUALIFY row_number() OVER ({cell} ORDER BY {", ".join(last)}) = 1))"""


def everyone(dataset: Dataset) -> str:
    """The condition of rows that are no check, whoever is left out of the view."""
    return """("check" IS NULL OR "check" = '')""" if dataset.has("check") else "TRUE"


def real(dataset: Dataset) -> str:
    """The condition of rows that enter figures."""
    conditions = [everyone(dataset)]
    if dataset.without and dataset.rater_column is not None:
        column = dataset.rater_column
        nobody = f"{column} IS NULL OR " if dataset.kind == "comprehension" else ""
        conditions.append(f"({nobody}{column} NOT IN (SELECT unnest($without)))")
    conditions += [_passes(dataset, one, place) for place, one in enumerate(dataset.only)]
    return " AND ".join(conditions)


def values_of_view(dataset: Dataset) -> dict[str, object]:
    """Return what the parameters of `real` stand for."""
    values: dict[str, object] = {"without": list(dataset.without)}
    for place, one in enumerate(dataset.only):
        asked = {"values": list(one.values), "text": one.text, "since": one.since, "until": one.until}
        values |= {f"only_{place}_{name}": value for name, value in asked.items()}
    return values


def _passes(dataset: Dataset, one: Filter, place: int) -> str:
    chosen = f"IN (SELECT unnest($only_{place}_values))"
    if compared(dataset, one.column):
        sides = "OR" if len(one.values) == 1 else "AND"
        return f"(option_a {chosen} {sides} option_b {chosen})"
    if not dataset.has(one.column):
        raise UnknownName(f"there is no column {one.column!r} to filter by")
    column, conditions = quoted(one.column), []
    if one.values:
        conditions.append(f"{column} {chosen}")
    if one.text:
        conditions.append(f"contains(lower({column}), lower($only_{place}_text))")
    if one.since is not None:
        conditions.append(f"{column} >= $only_{place}_since")
    if one.until is not None:
        conditions.append(f"{column} <= $only_{place}_until")
    return " AND ".join(conditions) or "TRUE"


def measure_of(dataset: Dataset) -> str:
    return '"measure"' if dataset.has("measure") else f"'{SCORE}'"


def group_of(dataset: Dataset) -> str:
    return '"rater_group"' if dataset.has("rater_group") else f"'{ALL_RATINGS}'"


def order_of(dataset: Dataset) -> str:
    if dataset.has("order"):
        return 'row_number() OVER (ORDER BY "order" NULLS LAST, "row")'
    if dataset.has("rated_at"):
        return 'row_number() OVER (ORDER BY rated_at NULLS LAST, "row")'
    return '"row"'


def codes(dataset: Dataset, column: str) -> str:
    if dataset.summed and column in _CODED:
        table = sums_of(dataset.id, _CODED[column])
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
        f"WHERE {everyone(dataset)} AND {column} IS NOT NULL))"
    )


def ids(dataset: Dataset, *columns: str) -> Statement:
    return Statement(distinct(dataset, *columns), {})


def per_item(dataset: Dataset, reduced: str, name: str) -> Statement:
    return Statement(
        f"""
        WITH reduced AS (
            SELECT item_id, {reduced} AS {name} FROM {rows_of(dataset)} WHERE {real(dataset)} GROUP BY item_id
        ), {codes(dataset, "item_id")}
        SELECT code AS item, {name} FROM reduced JOIN item_id_codes USING (item_id)
        WHERE {name} IS NOT NULL ORDER BY item
        """,
        {},
    )


def distinct(dataset: Dataset, *columns: str) -> str:
    """The distinct values of some columns together, sorted: each at the position that is its code."""
    if not columns:
        return "SELECT '' AS name WHERE FALSE"
    if dataset.summed and len(columns) == 1:
        [column] = columns
        if column in _CODED:
            return f'SELECT {column} AS name FROM {sums_of(dataset.id, _CODED[column])} ORDER BY "row"'
        if column in LABELS:
            return f"SELECT name FROM {sums_of(dataset.id, 'names')} WHERE label = '{column}' ORDER BY name"
    each = " UNION ALL ".join(
        f"SELECT {column} AS name FROM {rows_of(dataset)} WHERE {everyone(dataset)} AND {column} IS NOT NULL"
        for column in columns
    )
    return f"SELECT DISTINCT name FROM ({each}) ORDER BY name"


def numbered(names: str) -> str:
    return f"SELECT name, row_number() OVER (ORDER BY name) - 1 AS code FROM ({names})"


def attribute_column(dataset: Dataset, attribute: object) -> str:
    attributes = dataset.named("rater attribute")
    if attribute not in attributes:
        raise UnknownName(
            f"there is no rater attribute {attribute!r}; there are {listed(attributes) or 'none'}"
        )
    return f"CAST({quoted(str(attribute))} AS VARCHAR)"


_GROUPS = ("group", "candidate", "reference", "shared_with")
_NUMBERS = ("max_items", "seed", "labels")


def prepared(name: str, dataset: Dataset, given: Mapping[str, object]) -> tuple[Statement, ...]:
    """The statements of a named query for this data set, to be run in this order by one cursor."""
    if name not in QUERIES:
        fitting = [each for each, query in QUERIES.items() if not query.kinds or dataset.kind in query.kinds]
        raise UnknownName(f"there is no query {name!r}; there are {listed(fitting)}")
    kinds = QUERIES[name].kinds
    if kinds and dataset.kind not in kinds:
        raise UnknownName(
            f"the query {name!r} asks for {' or '.join(kinds)}; this data set holds {dataset.kind}"
        )
    declared = dict(list(inspect.signature(QUERIES[name].build).parameters.items())[1:])
    for parameter in given:
        if parameter not in declared:
            raise UnknownName(
                f"the query {name!r} has no parameter {parameter!r}; it has {listed(declared) or 'none'}"
            )
    for parameter, told in declared.items():
        value = given.get(parameter, told.default)
        if value is inspect.Parameter.empty:
            raise UnknownName(f"the query {name!r} needs the parameter {parameter!r}")
        wanted = int if parameter in _NUMBERS else str
        if not isinstance(value, wanted) and value is not told.default:
            raise UnknownName(
                f"the parameter {parameter!r} of the query {name!r} must be of type {wanted.__name__}, "
                f"got {value!r}"
            )
        if isinstance(value, str) and not _is_unicode(value):
            raise UnknownName(f"`{parameter}` holds half a character, which no file can: {value!r}")
    statements = QUERIES[name].build(dataset, **given)
    return tuple(
        _of_view(statement, dataset)
        for statement in (statements if isinstance(statements, tuple) else (statements,))
    )


def _of_view(statement: Statement, dataset: Dataset) -> Statement:
    """The statement with what the view leaves out and keeps among its values, as far as it asks for them."""
    asked = {name: value for name, value in values_of_view(dataset).items() if f"${name}" in statement.sql}
    return replace(statement, values={**statement.values, **asked}) if asked else statement


def names_exist(dataset: Dataset, given: Mapping[str, object]) -> Statement | None:
    """One row that says for each parameter naming a measure, group or attribute value whether it occurs.

    What a view leaves out may have been all that used a name, which then still exists.
    """
    dataset = dataset.as_saved
    asked = {}
    values: dict[str, object] = {}
    for parameter, value in given.items():
        if value is None:
            continue
        if parameter == "measure":
            asked[parameter] = f"{measure_of(dataset)} = $measure"
        elif parameter in _GROUPS:
            asked[parameter] = f"{group_of(dataset)} = ${parameter}"
        elif parameter == "value" and given.get("attribute") is not None:
            asked[parameter] = f"{attribute_column(dataset, given['attribute'])} = $value"
        else:
            continue
        values[parameter] = value
    if not asked:
        return None
    if dataset.summed and "value" not in asked:
        rows, asked = sums_of(dataset.id, "by_rater"), {name: _of_sums(name) for name in asked}
    else:
        rows = f"(SELECT * FROM {rows_of(dataset)} WHERE {real(dataset)})"
    each = ", ".join(
        f"EXISTS (SELECT 1 FROM {rows} WHERE {condition}) AS {parameter}"
        for parameter, condition in asked.items()
    )
    return Statement(f"SELECT {each}", values)


def _of_sums(parameter: str) -> str:
    """The condition that a parameter names, where sums stand in the place of rows."""
    return f"{'measure' if parameter == 'measure' else 'rater_group'} = ${parameter}"


def names_of(dataset: Dataset, parameter: str, given: Mapping[str, object]) -> Statement:
    """Return what the parameter may be: all measures, groups or values of the attribute, for a message."""
    dataset = dataset.as_saved
    column = group_of(dataset)
    if parameter == "measure":
        column = measure_of(dataset)
    elif parameter == "value":
        column = attribute_column(dataset, given["attribute"])
    return Statement(
        f"SELECT DISTINCT {column} AS name FROM {rows_of(dataset)} "
        f"WHERE {real(dataset)} AND {column} IS NOT NULL ORDER BY name",
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
