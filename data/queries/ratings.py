# ruff: noqa: S608 - all identifiers come from `rows_of` and `quoted`, all values travel as parameters
"""Queries about ratings, and about the contributors of their pyramid."""

from collections.abc import Sequence

from data.dataset import Dataset
from data.engines.schema import quoted, sums_of
from data.errors import UnknownName, listed
from data.kinds.definitions import KINDS
from data.queries import summed
from data.queries.named import (
    LABELS,
    Statement,
    attribute_column,
    codes_cte,
    distinct_names,
    group_sql,
    is_included,
    is_no_check,
    measure_sql,
    order_sql,
    ratings_of,
    reduce_by_item,
    register,
    rows_of,
    select_names,
)

MAX_DISTINCT_SCORES = 50
"""Upper bound of the distinct scores that are counted to see if there are few."""
BINS = 200
"""Bins in which scores are counted if there are more distinct ones."""


@register("ratings", "choices", "label sets", "rankings", "comprehension", "relevance")
def overview(dataset: Dataset) -> Statement:
    """Return arrays of length 1: rows, items, raters, measures, groups, score_min, score_max (NaN without scores).

    Items are stories of a comprehension test, documents of a relevance study; its raters are the authors.
    """
    kind = KINDS[dataset.kind]
    if kind.item == ("item_id",):
        return summed.overview(dataset)
    return Statement(
        f"""
        SELECT count(*) AS "rows", count(DISTINCT ({", ".join(kind.item)})) AS items,
            count(DISTINCT {kind.rater}) AS raters, 1 AS measures, 1 AS "groups",
            NULL::DOUBLE AS score_min, NULL::DOUBLE AS score_max
        FROM {rows_of(dataset)} WHERE {is_included(dataset)}
        """,
        {},
    )


@register("ratings", "choices", "label sets", "rankings")
def cells(dataset: Dataset) -> Statement:
    """Return per measure and group, in the file's order: measure, group, ratings, items, raters, and
    ratings_per_item_min, ratings_per_item_median, ratings_per_item_max.
    """
    return summed.cells(dataset)


@register("ratings")
def ratings(
    dataset: Dataset,
    measure: str,
    group: str,
    attribute: str | None = None,
    value: str | None = None,
    max_items: int | None = None,
    shared_with: str | None = None,
) -> Statement:
    """Return one group's ratings of a measure, in the file's order: item, rater, score, order, seconds.

    `order` is the rank by the `order` column, else by the time stamp, else by the row. `attribute` and
    `value` select the raters with that value. `max_items` samples as many items; `shared_with` names a group to whose
    items the sample is restricted, so that the samples of two groups have the same items.
    """
    condition, values = _cell_condition(dataset, measure, "group", group)
    condition = f"{condition} AND {_attribute_condition(dataset, attribute, value, values)}"
    items = f"SELECT DISTINCT item_id FROM {ratings_of(dataset)} WHERE {condition}"
    if shared_with is not None:
        other_condition, other_values = _cell_condition(dataset, measure, "shared_with", shared_with)
        items = f"({items} INTERSECT SELECT item_id FROM {ratings_of(dataset)} WHERE {other_condition})"
        values |= other_values
    parameters = ("group",) if shared_with is None else ("group", "shared_with")
    by_sums = dataset.has_sums and attribute is None
    rows = _sample_rows(dataset, condition, items, parameters if by_sums else (), max_items, values)
    if max_items is None and shared_with is not None:
        if by_sums:
            items = " INTERSECT ".join(summed.rated_items(dataset, parameter) for parameter in parameters)
        rows = f"{rows} AND item_id IN ({items})"
    seconds = "seconds::DOUBLE" if dataset.has("seconds") else "NULL::DOUBLE"
    return Statement(
        f"""
        WITH {codes_cte(dataset, "item_id")}, {codes_cte(dataset, "rater_id")}, kept AS (
            SELECT "row", item_id, rater_id, score::DOUBLE AS score, {order_sql(dataset)}::DOUBLE AS "order",
                {seconds} AS seconds
            FROM {rows}
        )
        SELECT item_id_codes.code AS item, rater_id_codes.code AS rater, score, "order", seconds
        FROM kept JOIN item_id_codes USING (item_id) JOIN rater_id_codes USING (rater_id)
        ORDER BY "row"
        """,
        values,
    )


@register("ratings")
def item_pairs(
    dataset: Dataset,
    measure: str,
    candidate: str,
    reference: str | None = None,
    attribute: str | None = None,
    value: str | None = None,
) -> Statement:
    """Return per item that either group rated, by item: item, n_candidate, sum_candidate, squares_candidate, and
    n_reference, sum_reference, squares_reference.

    `squares` is the sum of the squared scores. `attribute` and `value` select the candidate's raters with that
    value; without `reference` its columns are 0.
    """
    sums, _, _, values = _pair_parts(dataset, measure, candidate, reference, attribute, value)
    return Statement(f"WITH sums AS ({sums}) {_SELECT_PAIRS}", values)


@register("ratings")
def comparison(
    dataset: Dataset,
    measure: str,
    candidate: str,
    reference: str,
    attribute: str | None = None,
    value: str | None = None,
) -> tuple[Statement, ...]:
    """Return the columns of `item_pairs` and, from its sums, those of
    `analysis.comparison.variance_components.RaterInfluence`: candidate (1 or 0), rater, n, pull, reach, singles,
    single_pull, pull_candidate, pull_reference; and `taken`, the items that these use.

    They are summed in SQL and not by `summarize_pairs`, which needs all ratings as arrays: with five million
    ratings of ten thousand items that takes more than twice as long.
    """
    sums, candidate_condition, reference_condition, values = _pair_parts(
        dataset, measure, candidate, reference, attribute, value
    )
    sampled = summed.sample_shared_items(dataset)
    both = {name: values[name] for name in ("measure", "reference")}
    return (
        Statement(f"CREATE OR REPLACE TEMP TABLE sums AS {sums}", values, returns=False),
        Statement(_SELECT_PAIRS, {}),
        Statement(f"CREATE OR REPLACE TEMP TABLE taken AS {sampled}", both, returns=False),
        Statement("SELECT item AS taken FROM taken ORDER BY taken", {}),
        Statement(f"WITH {_rater_pulls(dataset, candidate_condition, reference_condition)}", values),
    )


@register("ratings")
def unit_sums(dataset: Dataset, measure: str, group: str | None = None) -> Statement:
    """Return per item with a rating of the measure (by the group), by item: item, count, total, squares, for
    `analysis.agreement.alpha.interval_alpha`. `total` and `squares` are sums of scores minus their mean.
    """
    return summed.unit_sums(dataset, measure, group)


@register("ratings")
def centered_sums(dataset: Dataset, measure: str, group: str) -> Statement:
    """Return per item that the group rated on the measure, by item: item, count, total, squares, of scores minus their
    rater's mean."""
    condition, values = _cell_condition(dataset, measure, "group", group)
    return Statement(
        f"""
        WITH centre AS (
            SELECT rater_id, avg(score) AS mean FROM {ratings_of(dataset)} WHERE {condition} GROUP BY rater_id
        ), summed AS (
            SELECT item_id, count(*) AS n, sum(score - mean) AS total,
                sum((score - mean) * (score - mean)) AS squares
            FROM {ratings_of(dataset)} JOIN centre USING (rater_id) WHERE {condition} GROUP BY item_id
        ), {codes_cte(dataset, "item_id")}
        SELECT code AS item, n AS "count", total, squares
        FROM summed JOIN item_id_codes USING (item_id) ORDER BY item
        """,
        values,
    )


@register("ratings")
def score_counts(dataset: Dataset, measure: str) -> Statement:
    """Return the frequency of each score by group: group (in the file's order), score, count.

    With more distinct scores than `BINS` the range is divided into as many bins, and `score` is a bin's center.
    """
    measure_condition, values = _measure_condition(dataset, measure)
    condition = f"{is_included(dataset)} AND {measure_condition}"
    if dataset.has_sums:
        counts = count_scores(dataset, f"{condition} AND {summed.binned_condition(dataset)}")
        return summed.score_counts(dataset, measure, counts)
    return Statement(
        f"""
        SELECT rater_group AS "group", score, n AS "count" FROM ({count_scores(dataset, condition)})
        ORDER BY min(first) OVER (PARTITION BY rater_group), score
        """,
        values,
    )


@register("ratings")
def weighted_score_counts(dataset: Dataset, measure: str) -> Statement:
    """Return the columns of `score_counts` with the sum of the ratings' weights as `count`."""
    _require_weights(dataset)
    measure_condition, values = _measure_condition(dataset, measure)
    counts = count_scores(dataset, f"{is_included(dataset)} AND {measure_condition}", n="sum(weight)")
    return Statement(
        f"""
        SELECT rater_group AS "group", score, n AS "count" FROM ({counts})
        ORDER BY min(first) OVER (PARTITION BY rater_group), score
        """,
        values,
    )


@register("ratings")
def weighted_items(dataset: Dataset, measure: str, group: str) -> Statement:
    """Return the weighted ratings of each item that the group rated on the measure, by item: item, count, mean and
    effective (Kish's effective number of ratings)."""
    _require_weights(dataset)
    condition, values = _cell_condition(dataset, measure, "group", group)
    return Statement(
        f"""
        WITH {codes_cte(dataset, "item_id")}, summed AS (
            SELECT item_id, count(*) AS n, sum(weight * score) / sum(weight) AS mean,
                sum(weight) * sum(weight) / sum(weight * weight) AS effective
            FROM {rows_of(dataset)} WHERE {condition} GROUP BY item_id
        )
        SELECT code AS item, n AS "count", mean, effective
        FROM summed JOIN item_id_codes USING (item_id) ORDER BY item
        """,
        values,
    )


@register("ratings")
def weights(dataset: Dataset, measure: str, group: str) -> Statement:
    """Return the weight of each of a group's ratings of a measure, in the file's order, as in `assessments`: weight."""
    _require_weights(dataset)
    condition, values = _cell_condition(dataset, measure, "group", group)
    return Statement(
        f"""SELECT weight::DOUBLE AS weight FROM {ratings_of(dataset)} WHERE {condition} ORDER BY "row" """,
        values,
    )


@register("ratings", "choices")
def effective_ratings(dataset: Dataset) -> Statement:
    """Return the number of answers per measure and group, and Kish's effective number: measure, group, ratings,
    effective."""
    _require_weights(dataset)
    return Statement(
        f"""
        SELECT {measure_sql(dataset)} AS measure, {group_sql(dataset)} AS "group", count(*) AS ratings,
            sum(weight) * sum(weight) / sum(weight * weight) AS effective
        FROM {rows_of(dataset)} WHERE {is_included(dataset)} GROUP BY ALL ORDER BY min("row")
        """,
        {},
    )


def count_scores(dataset: Dataset, condition: str, rows: str | None = None, n: str = "count(*)") -> str:
    """Return SQL for the counts of scores, or of `BINS` bins, by measure and group: measure, rater_group, score, n,
    first (row of the first occurrence) and binned. `rows` is another relation of the same rows, `n` the aggregate."""
    return f"""
        WITH given AS (
            SELECT {measure_sql(dataset)} AS measure, {group_sql(dataset)} AS rater_group, score::DOUBLE AS score,
                {n} AS n, min("row") AS first
            FROM {rows or ratings_of(dataset)} WHERE {condition} GROUP BY ALL
        ), span AS (
            SELECT measure, count(DISTINCT score) AS different, min(score) AS low,
                (max(score) - min(score)) / {BINS} AS width
            FROM given GROUP BY measure
        ), binned AS (
            SELECT measure, rater_group, n, first, different > {BINS} AS binned,
                CASE WHEN different <= {BINS} THEN score
                    ELSE low + (least(floor((score - low) / width), {BINS - 1}) + 0.5) * width END AS score
            FROM given JOIN span USING (measure)
        )
        SELECT measure, rater_group, score, sum(n)::{"BIGINT" if n == "count(*)" else "DOUBLE"} AS n,
            min(first) AS first, binned.binned
        FROM binned GROUP BY ALL
        """


@register()
def item_names(dataset: Dataset) -> Statement:
    """Return the ids of items, in the order of their codes: name."""
    return select_names(dataset, "item_id")


@register("ratings", "choices", "label sets", "rankings", "relevance", "comprehension")
def rater_names(dataset: Dataset) -> Statement:
    """Return the ids of raters, or of judges, in the order of their codes: name."""
    return select_names(dataset, *([] if dataset.rater_column is None else [dataset.rater_column]))


@register()
def item_numbers(dataset: Dataset, column: str) -> Statement:
    """Return the values of a numeric column of the items, without missing ones: item, value."""
    numbers = dataset.named("item number")
    if column not in numbers:
        raise UnknownName(
            f"there is no numeric column {column!r} of the items; there are {listed(numbers) or 'none'}"
        )
    if dataset.has_sums:
        return summed.item_values(dataset, quoted(column), "value")
    return reduce_by_item(dataset, f"max({quoted(column)})::DOUBLE", "value")


@register("ratings", "choices")
def systems(dataset: Dataset) -> Statement:
    """Return the system of each item that has one: item, system."""
    if not dataset.has("system"):
        raise UnknownName("this data set has no column `system`; give one at import to compare systems")
    if dataset.has_sums:
        return summed.item_values(dataset, "system", "system")
    return reduce_by_item(dataset, "min(system)", "system")


def _code_columns(dataset: Dataset, columns: Sequence[str]) -> tuple[list[str], str, str, str]:
    """Return the existing columns, and SQL for their codes: common table expressions, joins, and columns of codes from
    0, -1 for none."""
    existing = [column for column in columns if dataset.has(column)]
    ctes = "".join(f", {codes_cte(dataset, column)}" for column in existing)
    joins = " ".join(f"LEFT JOIN {column}_codes USING ({column})" for column in existing)
    codes = [f"coalesce({column}_codes.code, -1)" if column in existing else "-1" for column in columns]
    return (
        existing,
        ctes,
        joins,
        "".join(f", {code} AS {column}" for code, column in zip(codes, columns, strict=True)),
    )


@register("ratings", "label sets")
def belonging(dataset: Dataset) -> Statement:
    """Return the system and topic of each item as codes from 0, -1 for none: item, system, topic."""
    existing, ctes, joins, code_columns = _code_columns(dataset, ("system", "topic"))
    item_columns = "".join(f", min({column}) AS {column}" for column in existing)
    items = (
        f"SELECT item_id{item_columns} FROM {rows_of(dataset)} WHERE {is_no_check(dataset)} GROUP BY item_id"
    )
    if dataset.summed:
        items = f"FROM {sums_of(dataset.id, 'items')}"
    return Statement(
        f"""
        WITH {codes_cte(dataset, "item_id")}{ctes}, kept AS ({items})
        SELECT item_id_codes.code AS item{code_columns} FROM kept JOIN item_id_codes USING (item_id) {joins}
        ORDER BY item
        """,
        {},
    )


@register("ratings")
def assessments(dataset: Dataset, measure: str, group: str) -> Statement:
    """Return one group's ratings of a measure with their attributes, in the file's order: item, rater, score,
    order, seconds, and as codes from 0, -1 for none, system, topic, condition, split and text.

    Codes of system, topic, condition and split are positions in `labels`; equal codes of `text` are identical
    texts (equal `text_id`, else equal `text`) within one topic and condition.
    """
    condition, values = _cell_condition(dataset, measure, "group", group)
    existing, ctes, joins, labels = _code_columns(dataset, LABELS)
    texts = [column for column in ("text_id", "text") if dataset.has(column)]
    within = ", ".join([*(c for c in ("topic", "condition") if dataset.has(c)), "text_key"])
    text = f"CASE WHEN text_key IS NULL THEN -1 ELSE dense_rank() OVER (ORDER BY {within}) - 1 END"
    seconds = "seconds::DOUBLE" if dataset.has("seconds") else "NULL::DOUBLE"
    columns = ", ".join(["item_id", "rater_id", *existing])
    return Statement(
        f"""
        WITH {codes_cte(dataset, "item_id")}, {codes_cte(dataset, "rater_id")}{ctes}, kept AS (
            SELECT "row", {columns}, score::DOUBLE AS score, {order_sql(dataset)}::DOUBLE AS "order",
                {seconds} AS seconds, {f"coalesce({', '.join(texts)})" if texts else "NULL"} AS text_key
            FROM {ratings_of(dataset)} WHERE {condition}
        )
        SELECT item_id_codes.code AS item, rater_id_codes.code AS rater, score, "order", seconds{labels},
            {text if texts else "-1"} AS text
        FROM kept JOIN item_id_codes USING (item_id) JOIN rater_id_codes USING (rater_id) {joins}
        ORDER BY "row"
        """,
        values,
    )


MAX_LISTED_LABELS = 200
"""Upper bound of the names in a column that are looked up in a list."""


@register("ratings")
def cell_ratings(
    dataset: Dataset, measure: str, group: str, labels: int | None = None
) -> Statement | tuple[Statement, ...]:
    """Return one group's ratings of a measure, in any order, with the attributes for a ranking of systems: score, and
    `place`, (((system + 1) (topics + 1) + topic + 1) (conditions + 1) + condition + 1) raters + rater of codes from 0,
    -1 for none, positions in the query `labels`. The parameter `labels` is the most names of a column of a data set
    with sums: up to 200 are looked up in lists, which takes a third less time than joins; thousands would take
    longer."""
    condition, values = _cell_condition(dataset, measure, "group", group)
    existing, ctes, joins, _ = _code_columns(dataset, ("system", "topic", "condition"))
    raters, cell = "(SELECT count(*) FROM rater_id_codes)", "0"
    if labels is not None and labels <= MAX_LISTED_LABELS:
        for column in existing:
            size = f"(coalesce(len(getvariable('{column}_names')), 0) + 1)"
            cell = f"({cell}) * {size} + coalesce(list_position(getvariable('{column}_names'), {column}), 0)"
        lists = (
            f"SET VARIABLE {column}_names = (WITH {codes_cte(dataset, column)} "
            f"SELECT list({column} ORDER BY code) FROM {column}_codes)"
            for column in existing
        )
        # DuckDB looks each text of a compressed block up once, while the rows are read, and before they are joined.
        ratings = f"""
        WITH {codes_cte(dataset, "rater_id")}, kept AS (
            SELECT rater_id, ({cell})::BIGINT AS of_cell, score::DOUBLE AS score
            FROM {ratings_of(dataset)} WHERE {condition}
        )
        SELECT of_cell * {raters} + rater_id_codes.code AS place, score
        FROM kept JOIN rater_id_codes USING (rater_id)
        """
        return *(Statement(sql, {}, returns=False) for sql in lists), Statement(ratings, values)
    for column in existing:
        size = f"(SELECT count(*) + 1 FROM {column}_codes)"
        cell = f"({cell}) * {size} + coalesce({column}_codes.code + 1, 0)"
    return Statement(
        f"""
        WITH {codes_cte(dataset, "rater_id")}{ctes}, kept AS (
            SELECT {", ".join(["rater_id", *existing])}, score::DOUBLE AS score
            FROM {ratings_of(dataset)} WHERE {condition}
        )
        SELECT ({cell})::BIGINT * {raters} + rater_id_codes.code AS place, score
        FROM kept JOIN rater_id_codes USING (rater_id) {joins}
        """,
        values,
    )


@register("ratings")
def crossed_ratings(dataset: Dataset, measure: str, group: str, max_items: int | None = None) -> Statement:
    """Return one group's ratings of a measure, in any order, with their facets: item, rater, score, the row as `order`,
    and, if there are such columns, system and topic as codes from 0, -1 for none. `max_items` samples as many
    items."""
    condition, values = _cell_condition(dataset, measure, "group", group)
    items = f"SELECT DISTINCT item_id FROM {ratings_of(dataset)} WHERE {condition}"
    parameters = ("group",) if dataset.has_sums else ()
    rows = _sample_rows(dataset, condition, items, parameters, max_items, values)
    existing, ctes, joins, _ = _code_columns(dataset, ("system", "topic"))
    code_columns = "".join(f", coalesce({column}_codes.code, -1) AS {column}" for column in existing)
    return Statement(
        f"""
        WITH {codes_cte(dataset, "item_id")}, {codes_cte(dataset, "rater_id")}{ctes}, kept AS (
            SELECT {", ".join(['"row"', "item_id", "rater_id", *existing])}, score::DOUBLE AS score
            FROM {rows}
        )
        SELECT item_id_codes.code AS item, rater_id_codes.code AS rater, score, "row" AS "order"{code_columns}
        FROM kept JOIN item_id_codes USING (item_id) JOIN rater_id_codes USING (rater_id) {joins}
        """,
        values,
    )


@register("ratings")
def score_ranges(dataset: Dataset, measure: str) -> Statement:
    """Return the lowest and the highest score of each group on a measure: group, low, high."""
    return summed.score_ranges(dataset, measure)


@register("ratings")
def rater_sums(dataset: Dataset, measure: str, group: str) -> Statement:
    """Return the sums of each rater of a group for `analysis.assessors.system_model`, by rater; needs no
    exclusions: rater, ratings, items, own, others, products, and count, total, squares, within.
    """
    if dataset.without:
        raise UnknownName("this is known of all raters together, with nobody left out")
    return summed.rater_sums(dataset, measure, group)


@register("ratings")
def rater_shares(dataset: Dataset, measure: str, group: str, shared_with: str | None = None) -> Statement:
    """Return the sums of a group's raters for `analysis.comparison.true_scores.SideSums`, by rater: rater, pull, reach;
    over the items that the group `shared_with` rated too, if given. Needs that nobody rated an item twice."""
    condition, values = _cell_condition(dataset, measure, "group", group)
    values |= {} if shared_with is None else {"shared_with": shared_with}
    return summed.rater_shares(dataset, condition, values, shared_with is not None)


@register("ratings")
def held_against(dataset: Dataset, measure: str, reference: str, candidate: str) -> Statement:
    """Return the counts of the reference's raters for `analysis.replacement.alternative_annotator.HeldSums`, with the
    means of a group as the candidate, by rater: rater, number, wins, loses. Needs that nobody rated an item twice."""
    condition, values = _cell_condition(dataset, measure, "reference", reference)
    return summed.held_against(dataset, condition, values | {"candidate": candidate})


@register("ratings")
def with_reference(dataset: Dataset, measure: str, group: str, reference: str) -> Statement:
    """Return the sums of a group's raters for
    `analysis.workers.worker_agreement.agreement_with_reference_of_sums`, with another group's means as the reference,
    by rater: items, own, others, products."""
    condition, values = _cell_condition(dataset, measure, "group", group)
    return summed.with_reference(dataset, condition, values | {"reference": reference})


@register("ratings")
def cell_raters(dataset: Dataset, measure: str, group: str) -> Statement:
    """Return the raters of a group on a measure, by code: rater, ratings."""
    return summed.cell_raters(dataset, measure, group)


@register("ratings")
def cell_means(dataset: Dataset, measure: str, group: str) -> Statement:
    """Return a group's ratings of each item on a measure, by item: item, count, mean, squares (squared deviations from
    the mean)."""
    return summed.cell_means(dataset, measure, group)


@register("ratings")
def cell_sums(dataset: Dataset, measure: str, group: str) -> Statement:
    """Return a group's ratings of a measure per system and topic, as codes from 0, -1 for none: system, topic, count,
    total, and mixed, the number of items with ratings of several systems or topics. Needs stored sums."""
    if not dataset.has_sums:
        raise UnknownName("this needs the sums of a large data set, with nothing filtered")
    return summed.cell_sums(dataset, measure, group)


@register("ratings")
def fourth_powers(dataset: Dataset, measure: str, group: str) -> Statement:
    """Return the sum of the fourth powers of deviations from the items' means, over the items that a group rated
    several times on a measure: fourth."""
    condition, values = _cell_condition(dataset, measure, "group", group)
    return summed.fourth_powers(dataset, condition, values)


@register("ratings")
def scores(dataset: Dataset, measure: str, group: str) -> Statement:
    """Return one group's ratings of a measure in any order: item, rater, score; for millions twice as fast as
    `ratings`."""
    condition, values = _cell_condition(dataset, measure, "group", group)
    return Statement(
        f"""
        WITH {codes_cte(dataset, "item_id")}, {codes_cte(dataset, "rater_id")}
        SELECT item_id_codes.code AS item, rater_id_codes.code AS rater, score::DOUBLE AS score
        FROM {ratings_of(dataset)} JOIN item_id_codes USING (item_id) JOIN rater_id_codes USING (rater_id)
        WHERE {condition}
        """,
        values,
    )


@register("ratings")
def busiest(dataset: Dataset, measure: str, group: str) -> Statement:
    """Return a group's ratings of a measure by the raters with most ratings, in any order: item, rater, score. Their
    number is the most that `analysis.agreement.kappas` compares."""
    condition, values = _cell_condition(dataset, measure, "group", group)
    return Statement(
        f"""
        WITH chosen AS ({summed.busiest(dataset)}), {codes_cte(dataset, "item_id")}
        SELECT item_id_codes.code AS item, chosen.rater, score::DOUBLE AS score
        FROM {rows_of(dataset)} JOIN chosen USING (rater_id) JOIN item_id_codes USING (item_id) WHERE {condition}
        """,
        values,
    )


@register("ratings")
def repeats(dataset: Dataset, measure: str, group: str) -> Statement:
    """Return the number of items that some rater of a group rated repeatedly on a measure, regardless of exclusions:
    items."""
    return summed.repeats(dataset, measure, group)


@register("ratings", "choices")
def has_repeats(dataset: Dataset) -> Statement:
    """Return True if a rater rated an item repeatedly on a measure in a group, chose repeatedly between the same
    systems under one design, or labeled an item repeatedly, regardless of exclusions: found (length 1)."""
    if dataset.summed:
        return summed.has_repeats(dataset)
    pairs = dataset.has("option_a", "option_b")
    key_columns = ("measure", "rater_group") if dataset.kind == "ratings" else ("design",) if pairs else ()
    key = ["item_id", "rater_id", *(quoted(name) for name in key_columns if dataset.has(name))]
    key += ["least(option_a, option_b)", "greatest(option_a, option_b)"] if pairs else []
    return Statement(
        f"SELECT count(DISTINCT hash({', '.join(key)})) < count(*) AS found "
        f"FROM {rows_of(dataset)} WHERE {is_no_check(dataset)}",
        {},
    )


@register("ratings")
def few_scores(dataset: Dataset, measure: str, group: str) -> Statement:
    """Return the number of distinct scores of a group on a measure, at most `MAX_DISTINCT_SCORES`: different (length
    1)."""
    condition, values = _cell_condition(dataset, measure, "group", group)
    scores = f"SELECT DISTINCT score FROM {ratings_of(dataset)} WHERE {condition}"
    if dataset.has_sums:
        scores = summed.distinct_scores(dataset, condition)
    return Statement(
        f"SELECT count(*) AS different FROM (SELECT score FROM ({scores}) LIMIT {MAX_DISTINCT_SCORES})",
        values,
    )


def _require_weights(dataset: Dataset) -> None:
    if not dataset.is_weighted:
        raise UnknownName("this data set has no column `weight`; give one at import to weigh ratings")


@register("ratings", "choices", "label sets", "rankings")
def group_raters(dataset: Dataset, group: str) -> Statement:
    """Return the raters of a group, by code: rater, ratings (of all measures together)."""
    return summed.group_raters(dataset, group)


@register("ratings")
def labels(dataset: Dataset, column: str) -> Statement:
    """Return the names of system, topic, condition or split, in the order of their codes: name."""
    if column not in LABELS or not dataset.has(column):
        raise UnknownName(
            f"there are no labels of {column!r}; there are {listed([c for c in LABELS if dataset.has(c)]) or 'none'}"
        )
    return Statement(distinct_names(dataset, column), {})


@register("ratings")
def system_kinds(dataset: Dataset) -> Statement:
    """Return the kind of each system, machine or human, by system: system (its name), kind ("" if unknown)."""
    if not dataset.has("system"):
        raise UnknownName("this data set has no column `system`")
    kind = "coalesce(min(system_kind), '')" if dataset.has("system_kind") else "''"
    return Statement(
        f"SELECT system, {kind} AS kind FROM {rows_of(dataset)} "
        f"WHERE {is_no_check(dataset)} AND system IS NOT NULL GROUP BY system ORDER BY system",
        {},
    )


@register("ratings")
def item_texts(dataset: Dataset) -> Statement:
    """Return the items' texts, in the order of the items' codes: text, reference_text ("" for none)."""
    text, reference = (
        f"coalesce(min({column}), '')" if dataset.has(column) else "''"
        for column in ("text", "reference_text")
    )
    return Statement(
        f"SELECT {text} AS text, {reference} AS reference_text FROM {rows_of(dataset)} "
        f"WHERE {is_no_check(dataset)} GROUP BY item_id ORDER BY item_id",
        {},
    )


@register("ratings")
def checks(dataset: Dataset, group: str) -> Statement:
    """Return a group's answers to check questions, the same in all views: rater, score, expected (NaN if unknown)."""
    if not dataset.has("check"):
        raise UnknownName("this data set has no column `check`")
    expected = "try_cast(expected AS DOUBLE)" if dataset.has("expected") else "NULL::DOUBLE"
    return Statement(
        f"""
        WITH {codes_cte(dataset, "rater_id")}
        SELECT code AS rater, score::DOUBLE AS score, {expected} AS expected
        FROM {rows_of(dataset)} JOIN rater_id_codes USING (rater_id)
        WHERE "check" <> '' AND {group_sql(dataset)} = $group ORDER BY "row"
        """,
        {"group": group},
    )


@register("contributors")
def contributors(dataset: Dataset) -> Statement:
    """Return a pyramid's contributors, in the file's order: topic, item, scu, text, weight, condition, rater, is_model
    ("" if unknown)."""
    condition, rater, is_model = (
        f"coalesce({column}, '')" if dataset.has(column) else "''"
        for column in ("condition", "rater_id", "is_model")
    )
    return Statement(
        f"""
        SELECT topic, item_id AS item, scu_id AS scu, contributor_text AS text, weight::DOUBLE AS weight,
            {condition} AS condition, {rater} AS rater, {is_model} AS is_model
        FROM {rows_of(dataset)} ORDER BY "row"
        """,
        {},
    )


@register("ratings")
def rater_attributes(dataset: Dataset) -> Statement:
    """Return the attributes of raters, the most frequent value first: attribute, value, ratings, raters."""
    attributes = dataset.named("rater attribute")
    empty = "SELECT '' AS attribute, '' AS value, 0 AS ratings, 0 AS raters, 0 AS place WHERE FALSE"
    selects = [
        f"SELECT $name{number} AS attribute, {attribute_column(dataset, name)} AS value, "
        f"count(*) AS ratings, count(DISTINCT rater_id) AS raters, {number} AS place "
        f"FROM {rows_of(dataset)} WHERE {is_included(dataset)} AND {quoted(name)} IS NOT NULL GROUP BY 2"
        for number, name in enumerate(attributes)
    ]
    return Statement(
        f"SELECT attribute, value, ratings, raters FROM ({' UNION ALL '.join([empty, *selects])}) "
        "ORDER BY place, ratings DESC, value",
        {f"name{number}": name for number, name in enumerate(attributes)},
    )


def _measure_condition(dataset: Dataset, measure: str) -> tuple[str, dict[str, object]]:
    return f"{measure_sql(dataset)} = $measure", {"measure": measure}


def _cell_condition(
    dataset: Dataset, measure: str, parameter: str, group: str
) -> tuple[str, dict[str, object]]:
    measure_condition, values = _measure_condition(dataset, measure)
    condition = f"{is_included(dataset)} AND {measure_condition} AND {group_sql(dataset)} = ${parameter}"
    return condition, values | {parameter: group}


def _pair_parts(
    dataset: Dataset,
    measure: str,
    candidate: str,
    reference: str | None,
    attribute: str | None,
    value: str | None,
) -> tuple[str, str, str, dict[str, object]]:
    """Return SQL for the sums per item of both groups, the conditions of their ratings, and the parameters."""
    if candidate == reference:
        raise UnknownName(f"`reference` must be another group than `candidate`; both are {candidate!r}")
    measure_condition, values = _measure_condition(dataset, measure)
    values["candidate"] = candidate
    rater_condition = _attribute_condition(dataset, attribute, value, values)
    candidate_condition, reference_condition = (
        f"({measure_condition} AND {group_sql(dataset)} = $candidate AND {rater_condition})",
        "FALSE",
    )
    if reference is not None:
        reference_condition = f"({measure_condition} AND {group_sql(dataset)} = $reference)"
        values["reference"] = reference
    return (
        summed.item_sums(dataset, rater_condition, reference is not None),
        candidate_condition,
        reference_condition,
        values,
    )


def _rater_pulls(dataset: Dataset, candidate_condition: str, reference_condition: str) -> str:
    """Return common table expressions and a query for the sums per rater, from `sums`, over the items in `taken`."""
    condition = f"{is_included(dataset)} AND ({candidate_condition} OR {reference_condition})"
    rows = f"{ratings_of(dataset)} WHERE {condition}"
    if dataset.has_sums:
        rows = summed.rows_of_sample(dataset, condition, "SELECT * FROM taken")
    return f"""
        {codes_cte(dataset, "item_id")}, known AS (
            SELECT item_id, sum_candidate / n_candidate AS our_mean, sum_reference / n_reference AS their_mean,
                1 / n_candidate AS our_share, 1 / n_reference AS their_share,
                CASE WHEN n_candidate > 1 THEN 1 / (n_candidate - 1) END AS our_weight,
                CASE WHEN n_reference > 1 THEN 1 / (n_reference - 1) END AS their_weight
            FROM sums JOIN (SELECT item FROM taken) USING (item) JOIN item_id_codes ON code = item
        ), vote AS (
            SELECT item_id, rater_id, score, {candidate_condition} AS ours FROM {rows}
        ), weighed AS (
            SELECT rater_id, score, ours, our_mean, their_mean,
                CASE WHEN ours THEN our_mean ELSE their_mean END AS mean,
                CASE WHEN ours THEN their_mean ELSE our_mean END AS mean_of_others,
                CASE WHEN ours THEN our_share ELSE their_share END AS share,
                CASE WHEN ours THEN our_weight ELSE their_weight END AS weight
            FROM vote JOIN known USING (item_id)
        ), summed AS (
            SELECT rater_id, ours, count(*) AS n, coalesce(sum((score - mean) * weight), 0) AS pull,
                sum(share) AS reach, count(*) - count(weight) AS singles,
                coalesce(sum(CASE WHEN weight IS NULL THEN score - mean_of_others END), 0) AS single_pull,
                coalesce(sum((score - mean) * weight * our_mean), 0) AS pull_candidate,
                coalesce(sum((score - mean) * weight * their_mean), 0) AS pull_reference
            FROM weighed GROUP BY rater_id, ours
        ), {codes_cte(dataset, "rater_id")}
        SELECT ours::BIGINT AS candidate, code AS rater, n, pull, reach, singles, single_pull, pull_candidate,
            pull_reference
        FROM summed JOIN rater_id_codes USING (rater_id) ORDER BY ours DESC, rater
        """


def _sample_rows(
    dataset: Dataset,
    condition: str,
    items: str,
    parameters: Sequence[str],
    max_items: int | None,
    values: dict[str, object],
) -> str:
    """Return the relation of rows that meet a condition, of all items or of a sample of `max_items` from `items`. The
    sample is read from stored rows if sums have the items of the groups in `parameters`."""
    if max_items is None:
        return f"{ratings_of(dataset)} WHERE {condition}"
    values |= {"max_items": max_items}
    if parameters:
        return summed.rows_of_sample(dataset, condition, summed.sample_items(dataset, parameters))
    sample = f"SELECT item_id FROM ({items}) ORDER BY {summed.SAMPLE_ORDER} LIMIT $max_items"
    return f"{ratings_of(dataset)} WHERE {condition} AND item_id IN ({sample})"


def _attribute_condition(
    dataset: Dataset, attribute: str | None, value: str | None, values: dict[str, object]
) -> str:
    if (attribute is None) != (value is None):
        raise UnknownName("`attribute` and `value` belong together: give both or neither")
    if attribute is None:
        return "TRUE"
    values["value"] = value
    return f"{attribute_column(dataset, attribute)} = $value"


_SELECT_PAIRS = "SELECT * FROM sums WHERE n_candidate + n_reference > 0 ORDER BY item"
