# ruff: noqa: S608 - all identifiers come from `_rows` and `_quoted`, all values travel as parameters
"""The named queries: what pages may ask of a data set, each reduced in SQL to small arrays.

A query is a function from a data set and its parameters to a statement. Values travel as parameters; the
only identifiers are the table's name, from a checked id, and columns that the data set itself lists, quoted.
Rows with a `check` never enter, nor do raters that a view leaves out: `_real` is part of every statement.
Items and raters come as codes, their positions among the sorted distinct ids of the real rows: the same in
every query, and small integers travel instead of text. Sorting those few distinct ids is cheap; sorting all
rows of a large table is not.
"""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from analysis import variance_components
from data.dataset import Dataset
from data.engine import table_of
from data.errors import UnknownName

ALL_RATINGS = "all ratings"
"""The one group of a data set without `rater_group`."""
SCORE = "score"
"""The one measure of a data set without `measure`."""
BINS = 200
"""More distinct scores than this are counted in as many bins."""


@dataclass(frozen=True)
class Statement:
    """One SQL statement with its named values, and whether rows come back."""

    sql: str
    values: Mapping[str, object]
    returns: bool = True


Query = Callable[..., Statement | tuple[Statement, ...]]
QUERIES: dict[str, Query] = {}
LABELS = ("system", "topic", "condition", "split")
"""Columns whose values travel as codes."""
_GROUPS = ("group", "candidate", "reference", "shared_with")
_NUMBERS = ("max_items", "seed")
_OF_EVERY_KIND = ("item_names", "item_numbers", "contributors")


def _named(query: Query) -> Query:
    QUERIES[query.__name__] = query
    return query


def prepared(name: str, dataset: Dataset, given: Mapping[str, object]) -> tuple[Statement, ...]:
    """The statements of a named query for this data set, to be run in this order by one cursor.

    Raises
    ------
    UnknownName
        where there is no such query, parameter or column, or a parameter is missing or of the wrong type.
    """
    if name not in QUERIES:
        raise UnknownName(f"there is no query {name!r}; there are {listed(QUERIES)}")
    if dataset.kind != "ratings" and name not in _OF_EVERY_KIND:
        raise UnknownName(f"the query {name!r} asks for ratings; this data set holds {dataset.kind}")
    declared = dict(list(inspect.signature(QUERIES[name]).parameters.items())[1:])
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
    statements = QUERIES[name](dataset, **given)
    return tuple(
        _leaving_out(statement, dataset)
        for statement in (statements if isinstance(statements, tuple) else (statements,))
    )


def _leaving_out(statement: Statement, dataset: Dataset) -> Statement:
    """The statement with the raters that the view leaves out among its values, where it asks for them."""
    if "$without" not in statement.sql:
        return statement
    return replace(statement, values={**statement.values, "without": list(dataset.without)})


def names_exist(dataset: Dataset, given: Mapping[str, object]) -> Statement | None:
    """One row that says for each parameter naming a measure, group or attribute value whether it occurs.

    Raters that a view leaves out may have been the only ones to use a name, which then still exists.
    """
    dataset = replace(dataset, without=())
    asked = {}
    values: dict[str, object] = {}
    for parameter, value in given.items():
        if value is None:
            continue
        if parameter == "measure":
            asked[parameter] = f"{_measure(dataset)} = $measure"
        elif parameter in _GROUPS:
            asked[parameter] = f"{_group(dataset)} = ${parameter}"
        elif parameter == "value" and given.get("attribute") is not None:
            asked[parameter] = f"{_attribute_column(dataset, given['attribute'])} = $value"
        else:
            continue
        values[parameter] = value
    if not asked:
        return None
    found = ", ".join(
        f"EXISTS (SELECT 1 FROM {_rows(dataset)} WHERE {_real(dataset)} AND {condition}) AS {parameter}"
        for parameter, condition in asked.items()
    )
    return Statement(f"SELECT {found}", values)


def names_of(dataset: Dataset, parameter: str, given: Mapping[str, object]) -> Statement:
    """What the parameter may be: all measures, groups or values of the attribute, for a message."""
    dataset = replace(dataset, without=())
    column = _group(dataset)
    if parameter == "measure":
        column = _measure(dataset)
    elif parameter == "value":
        column = _attribute_column(dataset, given["attribute"])
    return Statement(
        f"SELECT DISTINCT {column} AS name FROM {_rows(dataset)} "
        f"WHERE {_real(dataset)} AND {column} IS NOT NULL ORDER BY name",
        {},
    )


def listed(names: "Mapping[str, object] | tuple[str, ...] | list[str]") -> str:
    """Names for a message, at most 20 of them, none longer than 60 characters.

    >>> listed(["lab", "crowd"])
    "'lab', 'crowd'"
    """
    told = [repr(name if len(name) <= 60 else name[:59] + "…") for name in names]
    return ", ".join(told[:20]) + (f" and {len(told) - 20} more" if len(told) > 20 else "")


@_named
def overview(dataset: Dataset) -> Statement:
    """Arrays of length 1: rows, items, raters, measures, groups, score_min, score_max."""
    return Statement(
        f"""
        SELECT count(*) AS "rows", count(DISTINCT item_id) AS items, count(DISTINCT rater_id) AS raters,
            count(DISTINCT {_measure(dataset)}) AS measures, count(DISTINCT {_group(dataset)}) AS "groups",
            min(score) AS score_min, max(score) AS score_max
        FROM {_rows(dataset)} WHERE {_real(dataset)}
        """,
        {},
    )


@_named
def cells(dataset: Dataset) -> Statement:
    """Per measure and group, in the file's order: measure, group, ratings, items, raters, and
    ratings_per_item_min, ratings_per_item_median, ratings_per_item_max.
    """
    cell = f"{_measure(dataset)} AS measure, {_group(dataset)} AS rater_group"
    return Statement(
        f"""
        WITH per_item AS (
            SELECT {cell}, item_id, count(*) AS n, min("row") AS first
            FROM {_rows(dataset)} WHERE {_real(dataset)} GROUP BY ALL
        ), of_items AS (
            SELECT measure, rater_group, sum(n)::BIGINT AS ratings, count(*) AS items, min(n) AS least,
                median(n)::DOUBLE AS middle, max(n) AS most, min(first) AS first
            FROM per_item GROUP BY ALL
        ), per_rater AS (
            SELECT DISTINCT {cell}, rater_id FROM {_rows(dataset)} WHERE {_real(dataset)}
        ), of_raters AS (
            SELECT measure, rater_group, count(*) AS raters FROM per_rater GROUP BY ALL
        )
        SELECT measure, rater_group AS "group", ratings, items, raters, least AS ratings_per_item_min,
            middle AS ratings_per_item_median, most AS ratings_per_item_max
        FROM of_items JOIN of_raters USING (measure, rater_group)
        ORDER BY min(first) OVER (PARTITION BY measure), min(first) OVER (PARTITION BY rater_group)
        """,
        {},
    )


@_named
def ratings(
    dataset: Dataset,
    measure: str,
    group: str,
    attribute: str | None = None,
    value: str | None = None,
    max_items: int | None = None,
    seed: int = 0,
    shared_with: str | None = None,
) -> Statement:
    """One group's ratings of a measure, in the file's order: item, rater, score, order, seconds.

    `order` is the rank by the `order` column, else by the time stamp, else by the row. `attribute` and
    `value` keep the raters with that value. `max_items` draws as many items by `seed`; `shared_with` names a
    group whose items alone are taken, so that two groups' samples hold the same items.
    """
    wanted, values = _cell(dataset, measure, "group", group)
    wanted = f"{wanted} AND {_attribute(dataset, attribute, value, values)}"
    items = f"SELECT DISTINCT item_id FROM {_rows(dataset)} WHERE {wanted}"
    if shared_with is not None:
        other, more = _cell(dataset, measure, "shared_with", shared_with)
        items = f"({items} INTERSECT SELECT item_id FROM {_rows(dataset)} WHERE {other})"
        values |= more
    if max_items is not None:
        items = f"SELECT item_id FROM ({items}) ORDER BY md5($seed || ' ' || item_id) LIMIT $max_items"
        values |= {"seed": str(seed), "max_items": max_items}
    chosen = "TRUE" if shared_with is None and max_items is None else f"item_id IN ({items})"
    seconds = "seconds::DOUBLE" if dataset.has("seconds") else "NULL::DOUBLE"
    return Statement(
        f"""
        WITH {_codes(dataset, "item_id")}, {_codes(dataset, "rater_id")}, kept AS (
            SELECT "row", item_id, rater_id, score::DOUBLE AS score, {_order(dataset)}::DOUBLE AS "order",
                {seconds} AS seconds
            FROM {_rows(dataset)} WHERE {wanted} AND {chosen}
        )
        SELECT item_id_codes.code AS item, rater_id_codes.code AS rater, score, "order", seconds
        FROM kept JOIN item_id_codes USING (item_id) JOIN rater_id_codes USING (rater_id)
        ORDER BY "row"
        """,
        values,
    )


@_named
def item_pairs(
    dataset: Dataset,
    measure: str,
    candidate: str,
    reference: str | None = None,
    attribute: str | None = None,
    value: str | None = None,
) -> Statement:
    """Per item that either group rated, by item: item, n_candidate, sum_candidate, squares_candidate, and
    n_reference, sum_reference, squares_reference.

    `squares` is the sum of the squared scores. `attribute` and `value` keep the candidate's raters with that
    value; without `reference` its columns are 0.
    """
    ours, theirs, values = _two_cells(dataset, measure, candidate, reference, attribute, value)
    return Statement(f"WITH sums AS ({_sums(dataset, ours, theirs)}), {_PAIRS}", values)


@_named
def rater_pulls(
    dataset: Dataset,
    measure: str,
    candidate: str,
    reference: str,
    attribute: str | None = None,
    value: str | None = None,
) -> Statement:
    """The sums per group and rater that `analysis.variance_components.RaterPulls` describes, over shared
    items: candidate (1 or 0), rater, n, pull, reach, singles, single_pull, pull_candidate, pull_reference.
    """
    ours, theirs, values = _two_cells(dataset, measure, candidate, reference, attribute, value)
    return Statement(
        f"WITH sums AS ({_sums(dataset, ours, theirs)}), {_pulls(dataset, ours, theirs)}", values
    )


@_named
def comparison(
    dataset: Dataset,
    measure: str,
    candidate: str,
    reference: str,
    attribute: str | None = None,
    value: str | None = None,
) -> tuple[Statement, ...]:
    """The columns of `item_pairs` and of `rater_pulls` in one go: the second reuses the sums of the first."""
    ours, theirs, values = _two_cells(dataset, measure, candidate, reference, attribute, value)
    sums = f"CREATE OR REPLACE TEMP TABLE sums AS {_sums(dataset, ours, theirs)}"
    return (
        Statement(sums, values, returns=False),
        Statement(f"WITH {_PAIRS}", {}),
        Statement(f"WITH {_pulls(dataset, ours, theirs)}", values),
    )


@_named
def unit_sums(dataset: Dataset, measure: str, group: str | None = None) -> Statement:
    """Per item with a rating of the measure (by the group), by item: item, count, total, squares, for
    `analysis.agreement.interval_alpha`. `total` and `squares` are of the scores less their mean.
    """
    if group is None:
        condition, values = _in_measure(dataset, measure)
        condition = f"{_real(dataset)} AND {condition}"
    else:
        condition, values = _cell(dataset, measure, "group", group)
    return Statement(
        f"""
        WITH centre AS (SELECT avg(score) AS mean FROM {_rows(dataset)} WHERE {condition}),
        summed AS (
            SELECT item_id, count(*) AS n, sum(score - mean) AS total,
                sum((score - mean) * (score - mean)) AS squares
            FROM {_rows(dataset)} CROSS JOIN centre WHERE {condition} GROUP BY item_id
        ), {_codes(dataset, "item_id")}
        SELECT code AS item, n AS "count", total, squares
        FROM summed JOIN item_id_codes USING (item_id) ORDER BY item
        """,
        values,
    )


@_named
def score_counts(dataset: Dataset, measure: str) -> Statement:
    """How often each group gave each score: group (in the file's order), score, count.

    With more distinct scores than `BINS` the range is cut into as many bins, and `score` is a bin's centre.
    """
    in_measure, values = _in_measure(dataset, measure)
    return Statement(
        f"""
        WITH given AS (
            SELECT {_group(dataset)} AS rater_group, score::DOUBLE AS score, count(*) AS n,
                min("row") AS first
            FROM {_rows(dataset)} WHERE {_real(dataset)} AND {in_measure} GROUP BY ALL
        ), span AS (
            SELECT count(DISTINCT score) AS different, min(score) AS low,
                (max(score) - min(score)) / {BINS} AS width
            FROM given
        ), binned AS (
            SELECT rater_group, n, first, CASE WHEN different <= {BINS} THEN score
                ELSE low + (least(floor((score - low) / width), {BINS - 1}) + 0.5) * width END AS score
            FROM given CROSS JOIN span
        ), counted AS (
            SELECT rater_group, score, sum(n)::BIGINT AS n, min(first) AS first FROM binned GROUP BY ALL
        )
        SELECT rater_group AS "group", score, n AS "count" FROM counted
        ORDER BY min(first) OVER (PARTITION BY rater_group), score
        """,
        values,
    )


@_named
def item_names(dataset: Dataset) -> Statement:
    """The items' ids, each at the position that is its code: name."""
    return _ids(dataset, "item_id")


@_named
def rater_names(dataset: Dataset) -> Statement:
    """The raters' ids, each at the position that is its code: name."""
    return _ids(dataset, "rater_id")


@_named
def item_numbers(dataset: Dataset, column: str) -> Statement:
    """A further numeric column of the items, where it has a value: item, value."""
    numbers = dataset.named("item number")
    if column not in numbers:
        raise UnknownName(
            f"there is no numeric column {column!r} of the items; there are {listed(numbers) or 'none'}"
        )
    return _per_item(dataset, f"max({_quoted(column)})::DOUBLE", "value")


@_named
def systems(dataset: Dataset) -> Statement:
    """The system that made each item, where one is named: item, system."""
    if not dataset.has("system"):
        raise UnknownName("this data set has no column `system`; give one at import to compare systems")
    return _per_item(dataset, "min(system)", "system")


@_named
def assessments(dataset: Dataset, measure: str, group: str) -> Statement:
    """One group's ratings of a measure with all that assessors are judged by, in the file's order: item,
    rater, score, order, seconds, and as codes from 0, -1 for none, system, topic, condition, split and text.

    Codes of system, topic, condition and split are places in `labels`; equal codes of `text` are identical
    texts (equal `text_id`, else equal `text`) within one topic and condition.
    """
    wanted, values = _cell(dataset, measure, "group", group)
    labelled = [column for column in LABELS if dataset.has(column)]
    codes = "".join(f", {_codes(dataset, column)}" for column in labelled)
    joins = " ".join(f"LEFT JOIN {column}_codes USING ({column})" for column in labelled)
    labels = ", ".join(
        f"coalesce({column}_codes.code, -1) AS {column}" if column in labelled else f"-1 AS {column}"
        for column in LABELS
    )
    texts = [column for column in ("text_id", "text") if dataset.has(column)]
    within = ", ".join([*(c for c in ("topic", "condition") if dataset.has(c)), "text_key"])
    text = f"CASE WHEN text_key IS NULL THEN -1 ELSE dense_rank() OVER (ORDER BY {within}) - 1 END"
    seconds = "seconds::DOUBLE" if dataset.has("seconds") else "NULL::DOUBLE"
    kept = ", ".join(["item_id", "rater_id", *labelled])
    return Statement(
        f"""
        WITH {_codes(dataset, "item_id")}, {_codes(dataset, "rater_id")}{codes}, kept AS (
            SELECT "row", {kept}, score::DOUBLE AS score, {_order(dataset)}::DOUBLE AS "order",
                {seconds} AS seconds, {f"coalesce({', '.join(texts)})" if texts else "NULL"} AS text_key
            FROM {_rows(dataset)} WHERE {wanted}
        )
        SELECT item_id_codes.code AS item, rater_id_codes.code AS rater, score, "order", seconds, {labels},
            {text if texts else "-1"} AS text
        FROM kept JOIN item_id_codes USING (item_id) JOIN rater_id_codes USING (rater_id) {joins}
        ORDER BY "row"
        """,
        values,
    )


@_named
def group_raters(dataset: Dataset, group: str) -> Statement:
    """The raters of a group, by code: rater, ratings (of all measures together)."""
    return Statement(
        f"""
        WITH {_codes(dataset, "rater_id")}
        SELECT code AS rater, count(*) AS ratings
        FROM {_rows(dataset)} JOIN rater_id_codes USING (rater_id)
        WHERE {_real(dataset)} AND {_group(dataset)} = $group GROUP BY code ORDER BY code
        """,
        {"group": group},
    )


@_named
def labels(dataset: Dataset, column: str) -> Statement:
    """The names that codes of system, topic, condition or split stand for, each at its place: name."""
    if column not in LABELS or not dataset.has(column):
        raise UnknownName(
            f"there are no labels of {column!r}; there are {listed([c for c in LABELS if dataset.has(c)]) or 'none'}"
        )
    return Statement(
        f"SELECT DISTINCT {column} AS name FROM {_rows(dataset)} "
        f"WHERE {_real(dataset)} AND {column} IS NOT NULL ORDER BY name",
        {},
    )


@_named
def system_kinds(dataset: Dataset) -> Statement:
    """Whether machines or persons are behind each system, by system: system (its name), kind ("" for none)."""
    if not dataset.has("system"):
        raise UnknownName("this data set has no column `system`")
    kind = "coalesce(min(system_kind), '')" if dataset.has("system_kind") else "''"
    return Statement(
        f"SELECT system, {kind} AS kind FROM {_rows(dataset)} "
        f"WHERE {_real(dataset)} AND system IS NOT NULL GROUP BY system ORDER BY system",
        {},
    )


@_named
def item_texts(dataset: Dataset) -> Statement:
    """The items' texts, each at the position that is its item's code: text, reference_text ("" for none)."""
    text, reference = (
        f"coalesce(min({column}), '')" if dataset.has(column) else "''"
        for column in ("text", "reference_text")
    )
    return Statement(
        f"SELECT {text} AS text, {reference} AS reference_text FROM {_rows(dataset)} "
        f"WHERE {_real(dataset)} GROUP BY item_id ORDER BY item_id",
        {},
    )


@_named
def checks(dataset: Dataset, group: str) -> Statement:
    """A group's answers to trap and gold questions: rater, score, expected (NaN where not known)."""
    if not dataset.has("check"):
        raise UnknownName("this data set has no column `check`")
    expected = "try_cast(expected AS DOUBLE)" if dataset.has("expected") else "NULL::DOUBLE"
    return Statement(
        f"""
        WITH {_codes(dataset, "rater_id")}
        SELECT code AS rater, score::DOUBLE AS score, {expected} AS expected
        FROM {_rows(dataset)} JOIN rater_id_codes USING (rater_id)
        WHERE "check" <> '' AND {_group(dataset)} = $group ORDER BY "row"
        """,
        {"group": group},
    )


@_named
def contributors(dataset: Dataset) -> Statement:
    """A pyramid's contributors, in the file's order: topic, item, scu, text, weight, condition, rater, is_model
    ("" where there is none)."""
    if dataset.kind != "contributors":
        raise UnknownName(
            f"only a data set of contributors has a pyramid; this one holds {dataset.kind}. Import one with a "
            "row per contributor: topic, item, content unit, text and weight"
        )
    condition, rater, is_model = (
        f"coalesce({column}, '')" if dataset.has(column) else "''"
        for column in ("condition", "rater_id", "is_model")
    )
    return Statement(
        f"""
        SELECT topic, item_id AS item, scu_id AS scu, contributor_text AS text, weight::DOUBLE AS weight,
            {condition} AS condition, {rater} AS rater, {is_model} AS is_model
        FROM {_rows(dataset)} ORDER BY "row"
        """,
        {},
    )


@_named
def rater_attributes(dataset: Dataset) -> Statement:
    """What is known about the raters: attribute, value, ratings, raters; the most frequent value first."""
    attributes = dataset.named("rater attribute")
    nothing = "SELECT '' AS attribute, '' AS value, 0 AS ratings, 0 AS raters, 0 AS place WHERE FALSE"
    each = [
        f"SELECT $name{place} AS attribute, {_attribute_column(dataset, name)} AS value, "
        f"count(*) AS ratings, count(DISTINCT rater_id) AS raters, {place} AS place "
        f"FROM {_rows(dataset)} WHERE {_real(dataset)} AND {_quoted(name)} IS NOT NULL GROUP BY 2"
        for place, name in enumerate(attributes)
    ]
    return Statement(
        f"SELECT attribute, value, ratings, raters FROM ({' UNION ALL '.join([nothing, *each])}) "
        "ORDER BY place, ratings DESC, value",
        {f"name{place}": name for place, name in enumerate(attributes)},
    )


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _rows(dataset: Dataset) -> str:
    return table_of(dataset.id)


def _real(dataset: Dataset) -> str:
    real = """("check" IS NULL OR "check" = '')""" if dataset.has("check") else "TRUE"
    if dataset.without:
        real += " AND rater_id NOT IN (SELECT unnest($without))"
    return real


def _measure(dataset: Dataset) -> str:
    return '"measure"' if dataset.has("measure") else f"'{SCORE}'"


def _group(dataset: Dataset) -> str:
    return '"rater_group"' if dataset.has("rater_group") else f"'{ALL_RATINGS}'"


def _in_measure(dataset: Dataset, measure: str) -> tuple[str, dict[str, object]]:
    return f"{_measure(dataset)} = $measure", {"measure": measure}


def _cell(dataset: Dataset, measure: str, parameter: str, group: str) -> tuple[str, dict[str, object]]:
    in_measure, values = _in_measure(dataset, measure)
    condition = f"{_real(dataset)} AND {in_measure} AND {_group(dataset)} = ${parameter}"
    return condition, values | {parameter: group}


def _two_cells(
    dataset: Dataset,
    measure: str,
    candidate: str,
    reference: str | None,
    attribute: str | None,
    value: str | None,
) -> tuple[str, str, dict[str, object]]:
    if candidate == reference:
        raise UnknownName(f"`reference` must be another group than `candidate`; both are {candidate!r}")
    in_measure, values = _in_measure(dataset, measure)
    values["candidate"] = candidate
    chosen = _attribute(dataset, attribute, value, values)
    ours = f"({in_measure} AND {_group(dataset)} = $candidate AND {chosen})"
    if reference is None:
        return ours, "FALSE", values
    return ours, f"({in_measure} AND {_group(dataset)} = $reference)", values | {"reference": reference}


def _sums(dataset: Dataset, ours: str, theirs: str) -> str:
    """Per item of the data set: count, sum and sum of squares of both groups."""
    sums = ", ".join(
        f"count(*) FILTER ({which}) AS n_{side}, coalesce(sum(score) FILTER ({which}), 0) AS sum_{side}, "
        f"coalesce(sum(score * score) FILTER ({which}), 0) AS squares_{side}"
        for side, which in (("candidate", "ours"), ("reference", "theirs"))
    )
    return f"""
        SELECT item_id, {sums} FROM (
            SELECT item_id, score, {ours} AS ours, {theirs} AS theirs
            FROM {_rows(dataset)} WHERE {_real(dataset)}
        ) GROUP BY item_id
        """


_PAIRS = """
    coded AS (
        SELECT row_number() OVER (ORDER BY item_id) - 1 AS item, * EXCLUDE (item_id) FROM sums
    )
    SELECT * FROM coded WHERE n_candidate + n_reference > 0 ORDER BY item
    """


def _pulls(dataset: Dataset, ours: str, theirs: str) -> str:
    """From `sums`, over as many items as `analysis.variance_components.stride` takes."""
    return f"""
        numbered AS (
            SELECT *, row_number() OVER (ORDER BY item_id) - 1 AS place, count(*) OVER () AS items
            FROM sums WHERE n_candidate > 0 AND n_reference > 0
        ), taken AS (
            SELECT item_id, sum_candidate / n_candidate AS our_mean, sum_reference / n_reference AS their_mean,
                1 / n_candidate AS our_share, 1 / n_reference AS their_share,
                CASE WHEN n_candidate > 1 THEN 1 / (n_candidate - 1) END AS our_weight,
                CASE WHEN n_reference > 1 THEN 1 / (n_reference - 1) END AS their_weight
            FROM numbered WHERE place % greatest(items // {variance_components.ITEMS_TAKEN}, 1) = 0
        ), vote AS (
            SELECT item_id, rater_id, score, {ours} AS ours
            FROM {_rows(dataset)} WHERE {_real(dataset)} AND ({ours} OR {theirs})
        ), weighed AS (
            SELECT rater_id, score, ours, our_mean, their_mean,
                CASE WHEN ours THEN our_mean ELSE their_mean END AS mean,
                CASE WHEN ours THEN their_mean ELSE our_mean END AS mean_of_others,
                CASE WHEN ours THEN our_share ELSE their_share END AS share,
                CASE WHEN ours THEN our_weight ELSE their_weight END AS weight
            FROM vote JOIN taken USING (item_id)
        ), summed AS (
            SELECT rater_id, ours, count(*) AS n, coalesce(sum((score - mean) * weight), 0) AS pull,
                sum(share) AS reach, count(*) - count(weight) AS singles,
                coalesce(sum(CASE WHEN weight IS NULL THEN score - mean_of_others END), 0) AS single_pull,
                coalesce(sum((score - mean) * weight * our_mean), 0) AS pull_candidate,
                coalesce(sum((score - mean) * weight * their_mean), 0) AS pull_reference
            FROM weighed GROUP BY rater_id, ours
        ), {_codes(dataset, "rater_id")}
        SELECT ours::BIGINT AS candidate, code AS rater, n, pull, reach, singles, single_pull, pull_candidate,
            pull_reference
        FROM summed JOIN rater_id_codes USING (rater_id) ORDER BY ours DESC, rater
        """


def _attribute(dataset: Dataset, attribute: str | None, value: str | None, values: dict[str, object]) -> str:
    if (attribute is None) != (value is None):
        raise UnknownName("`attribute` and `value` belong together: give both or neither")
    if attribute is None:
        return "TRUE"
    values["value"] = value
    return f"{_attribute_column(dataset, attribute)} = $value"


def _attribute_column(dataset: Dataset, attribute: object) -> str:
    attributes = dataset.named("rater attribute")
    if attribute not in attributes:
        raise UnknownName(
            f"there is no rater attribute {attribute!r}; there are {listed(attributes) or 'none'}"
        )
    return f"CAST({_quoted(str(attribute))} AS VARCHAR)"


def _order(dataset: Dataset) -> str:
    if dataset.has("order"):
        return 'row_number() OVER (ORDER BY "order" NULLS LAST, "row")'
    if dataset.has("rated_at"):
        return 'row_number() OVER (ORDER BY rated_at NULLS LAST, "row")'
    return '"row"'


def _codes(dataset: Dataset, column: str) -> str:
    return (
        f"{column}_codes AS (SELECT {column}, row_number() OVER (ORDER BY {column}) - 1 AS code "
        f"FROM (SELECT DISTINCT {column} FROM {_rows(dataset)} "
        f"WHERE {_real(dataset)} AND {column} IS NOT NULL))"
    )


def _ids(dataset: Dataset, column: str) -> Statement:
    return Statement(
        f"SELECT DISTINCT {column} AS name FROM {_rows(dataset)} WHERE {_real(dataset)} ORDER BY name", {}
    )


def _per_item(dataset: Dataset, reduced: str, name: str) -> Statement:
    return Statement(
        f"""
        WITH reduced AS (
            SELECT item_id, {reduced} AS {name} FROM {_rows(dataset)} WHERE {_real(dataset)} GROUP BY item_id
        ), coded AS (
            SELECT row_number() OVER (ORDER BY item_id) - 1 AS item, {name} FROM reduced
        )
        SELECT item, {name} FROM coded WHERE {name} IS NOT NULL ORDER BY item
        """,
        {},
    )


def _quoted(column: str) -> str:
    return '"' + column.replace('"', '""') + '"'
