# ruff: noqa: S608 - tables come from `sums_of`, columns from the data set, quoted; values travel as parameters
"""Queries answered from sums per item and per rater.

The sums of a large data set are stored with it (`data.store.sums`). They are valid for the saved data set, and for
views that exclude raters, for which they are corrected by the excluded ratings; names and codes for all views. Of other
views, and of smaller data sets, the same sums are computed from the rows.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Literal

from analysis.agreement.kappas import MOST_RATERS
from analysis.comparison import variance_components
from analysis.replacement.alternative_annotator import TIE_TOLERANCE
from data.dataset import Dataset
from data.engines.schema import sums_of
from data.queries.named import (
    Statement,
    codes_cte,
    group_sql,
    is_included,
    is_no_check,
    measure_sql,
    ratings_of,
    rows_of,
)

EXCLUDED = "raters_gone"
"""Table with the result of `excluded_sums` for the view of a statement, if it excludes raters."""
MIN_ROWS_FOR_OTHERS = 2_000_000
"""Ratings from which sums of each rater with the other raters are stored: for fewer they are computed in tenths of a
second, and ten sums of each rater would take a ninth of the disk space."""


SAMPLE_ORDER = "md5('0 ' || item_id)"
"""SQL for the order in which items are sampled; those that come first have their ratings stored separately."""


def excluded_sums(dataset: Dataset) -> Statement:
    """Return sums of the excluded raters' ratings per measure, group and item, and the count of each listed score (with
    `item` NULL): measure, rater_group, item, score, n, total, spread.

    A single rater is selected by `=`, which takes a quarter less time than a list.
    """
    rater_condition = "= $without[1]" if len(dataset.without) == 1 else "IN (SELECT unnest($without))"
    return Statement(
        f"""
        SELECT measure, rater_group, item, known.score, count(*) AS n, sum(given.score) AS total,
            var_pop(given.score) * count(*) AS spread
        FROM (
            SELECT {measure_sql(dataset)} AS measure, {group_sql(dataset)} AS rater_group, items."row" AS item, score
            FROM {rows_of(dataset)} JOIN {sums_of(dataset.id, "items")} items USING (item_id)
            WHERE {is_no_check(dataset)} AND rater_id {rater_condition}
        ) given LEFT JOIN {sums_of(dataset.id, "scores")} known USING (measure, rater_group, score)
        GROUP BY GROUPING SETS ((measure, rater_group, item), (measure, rater_group, known.score))
        """,
        {},
    )


def overview(dataset: Dataset) -> Statement:
    return Statement(
        f"""
        SELECT coalesce(sum(n), 0)::BIGINT AS "rows",
            (SELECT count(DISTINCT item) FROM {_items_table(dataset)}) AS items,
            count(DISTINCT rater) AS raters, count(DISTINCT measure) AS measures,
            count(DISTINCT rater_group) AS "groups", min(least) AS score_min, max(most) AS score_max
        FROM {_raters_table(dataset)}
        """,
        {},
    )


def cells(dataset: Dataset) -> Statement:
    return Statement(
        f"""
        WITH of_items AS (
            SELECT measure, rater_group, sum(n)::BIGINT AS ratings, count(*) AS items, min(n) AS least,
                median(n)::DOUBLE AS middle, max(n) AS most
            FROM {_items_table(dataset)} GROUP BY ALL
        ), of_raters AS (
            SELECT measure, rater_group, count(*) AS raters, min(first) AS first
            FROM {_raters_table(dataset)} GROUP BY ALL
        )
        SELECT measure, rater_group AS "group", ratings, items, raters, least AS ratings_per_item_min,
            middle AS ratings_per_item_median, most AS ratings_per_item_max
        FROM of_items JOIN of_raters USING (measure, rater_group)
        ORDER BY min(first) OVER (PARTITION BY measure), min(first) OVER (PARTITION BY rater_group)
        """,
        {},
    )


def item_sums(dataset: Dataset, condition: str, reference: bool) -> str:
    """Return SQL for the number, sum and sum of squares of both groups' scores per item that either group rated.

    `condition` is a condition on the candidate's ratings, "TRUE" for all. The sums have one row per item and group, so
    that they are joined and not summed again.
    """
    group_query = """
        SELECT item, n::BIGINT AS n, total, spread + total * total / n AS squares FROM {}
        WHERE measure = $measure AND rater_group = ${}"""
    candidate_items = _items_table(dataset) if condition == "TRUE" else _sum_by_item(dataset, condition)
    empty = "SELECT NULL::BIGINT AS item, 0 AS n, 0.0 AS total, 0.0 AS squares WHERE FALSE"
    others = group_query.format(_items_table(dataset), "reference") if reference else empty
    sums = ", ".join(
        f"coalesce({side}.{name}, 0) AS {prefix}_{side}"
        for side in ("candidate", "reference")
        for name, prefix in (("n", "n"), ("total", "sum"), ("squares", "squares"))
    )
    return f"""
        SELECT item, {sums} FROM ({group_query.format(candidate_items, "candidate")}) candidate
        FULL JOIN ({others}) reference USING (item)
        """


def unit_sums(dataset: Dataset, measure: str, group: str | None) -> Statement:
    condition = "measure = $measure" + ("" if group is None else " AND rater_group = $group")
    return Statement(
        f"""
        WITH asked AS (SELECT item, n, total, spread FROM {_items_table(dataset)} WHERE {condition}),
        centre AS (SELECT sum(total) / sum(n) AS mean FROM asked)
        SELECT item, sum(n)::BIGINT AS "count", sum(total - n * mean) AS total,
            sum(spread + n * (total / n - mean) * (total / n - mean)) AS squares
        FROM asked CROSS JOIN centre GROUP BY item ORDER BY item
        """,
        {"measure": measure} | ({} if group is None else {"group": group}),
    )


def binned_condition(dataset: Dataset) -> str:
    """Return the condition of rows whose measure has binned scores."""
    return f"{measure_sql(dataset)} IN (SELECT measure FROM {sums_of(dataset.id, 'scores')} WHERE binned)"


def score_counts(dataset: Dataset, measure: str, binned_counts: str) -> Statement:
    """Return the score counts from the listed scores minus those of excluded raters; binned ones from
    `binned_counts`."""
    counts = f"SELECT rater_group, score, n FROM {sums_of(dataset.id, 'scores')} WHERE measure = $measure"
    if dataset.without:
        counts = (
            f"{_listed_score_counts(dataset)} UNION ALL SELECT rater_group, score, n FROM ({binned_counts})"
        )
    return Statement(
        f"""
        SELECT rater_group AS "group", score, n AS "count" FROM ({counts}) JOIN (
            SELECT rater_group, min(first) AS first FROM {_raters_table(dataset)} WHERE measure = $measure GROUP BY ALL
        ) USING (rater_group) ORDER BY first, score
        """,
        {"measure": measure},
    )


def distinct_scores(dataset: Dataset, condition: str) -> str:
    """Return SQL for the distinct scores of a group; for a measure with binned scores, from the rows."""
    return f"""
        SELECT score FROM ({_listed_score_counts(dataset)}) WHERE rater_group = $group
        UNION ALL SELECT DISTINCT score FROM {rows_of(dataset)} WHERE {condition} AND {binned_condition(dataset)}
        """


def _listed_score_counts(dataset: Dataset) -> str:
    """Return SQL for the counts of each score by group, for a measure without bins."""
    scores = sums_of(dataset.id, "scores")
    if not dataset.without:
        return f"SELECT rater_group, score, n FROM {scores} WHERE measure = $measure AND NOT binned"
    return f"""
        SELECT rater_group, score, n - coalesce(lost, 0) AS n FROM {scores} LEFT JOIN (
            SELECT measure, rater_group, score, n AS lost FROM {EXCLUDED} WHERE item IS NULL
        ) USING (measure, rater_group, score) WHERE measure = $measure AND NOT binned AND n > coalesce(lost, 0)
        """


def score_ranges(dataset: Dataset, measure: str) -> Statement:
    return Statement(
        'SELECT rater_group AS "group", min(least)::DOUBLE AS low, max(most)::DOUBLE AS high '
        f"FROM {_raters_table(dataset)} WHERE measure = $measure GROUP BY rater_group ORDER BY rater_group",
        {"measure": measure},
    )


def group_raters(dataset: Dataset, group: str) -> Statement:
    return Statement(
        f"SELECT rater, sum(n)::BIGINT AS ratings FROM {_raters_table(dataset)} "
        "WHERE rater_group = $group GROUP BY rater ORDER BY rater",
        {"group": group},
    )


def rated_items(dataset: Dataset, parameter: str) -> str:
    """Return SQL for the items that the group of a parameter rated on the measure."""
    return (
        f'SELECT item_id FROM {_items_table(dataset)} JOIN {sums_of(dataset.id, "items")} items ON item = items."row" '
        f"WHERE measure = $measure AND rater_group = ${parameter}"
    )


def sample_items(dataset: Dataset, parameters: Sequence[str]) -> str:
    """Return SQL for a sample of the items that the groups of all these parameters rated on the measure: item_id, item,
    drawn."""
    first, *others = (
        f"SELECT item, drawn FROM {_items_table(dataset)} WHERE measure = $measure AND rater_group = ${parameter}"
        for parameter in parameters
    )
    shared = "".join(f" AND item IN (SELECT item FROM ({other}))" for other in others)
    return f"""
        SELECT item_id, item, drawn FROM (SELECT * FROM ({first}) WHERE TRUE{shared} ORDER BY drawn LIMIT $max_items)
        JOIN {sums_of(dataset.id, "items")} items ON item = items."row"
        """


def sample_shared_items(dataset: Dataset) -> str:
    """Return SQL for a sample of the items that both groups of `sums` rated, for the raters' contributions; all of them
    if there are few: item_id, item, drawn."""
    maximum = variance_components.MOST_SAMPLED_ITEMS
    shared = "FROM sums WHERE n_candidate > 0 AND n_reference > 0"
    return f"""
        SELECT item_id, item, drawn FROM {_items_table(dataset)}
        JOIN {_codes_table(dataset, "item_id")} items ON item = items."row"
        WHERE measure = $measure AND rater_group = $reference AND item IN (SELECT item {shared})
        ORDER BY drawn
        LIMIT (SELECT CASE WHEN count(*) < {2 * maximum} THEN count(*) ELSE {maximum} END {shared})
        """


def rows_of_sample(dataset: Dataset, condition: str, items: str) -> str:
    """Return SQL for the rows of sampled items that meet a condition: from the rows stored for samples if they contain
    all sampled items, else from all rows. `items` is a query for the items with their positions in the sample."""
    sample, rows = sums_of(dataset.id, "some"), rows_of(dataset)
    return f"""(
        WITH drawn_items AS MATERIALIZED ({items}),
        all_kept AS MATERIALIZED (
            SELECT (SELECT max(drawn) FROM drawn_items) <= (SELECT max(drawn) FROM {sample}) AS are
        )
        SELECT * EXCLUDE (drawn) FROM {sample} WHERE {condition} AND item_id IN (
            SELECT item_id FROM drawn_items WHERE (SELECT are FROM all_kept))
        UNION ALL
        SELECT * FROM {rows} WHERE {condition} AND item_id IN (
            SELECT item_id FROM drawn_items WHERE (SELECT are FROM all_kept) IS NOT TRUE)
        )"""


def item_values(dataset: Dataset, column: str, name: str) -> Statement:
    """Return the values of a column of the items, without missing ones, under `name`."""
    rated_condition = f'AND "row" IN (SELECT item FROM {_items_table(dataset)})' if dataset.without else ""
    return Statement(
        f'SELECT "row" AS item, {column} AS {name} FROM {sums_of(dataset.id, "items")} '
        f"WHERE {column} IS NOT NULL {rated_condition} ORDER BY item",
        {},
    )


def rater_sums(dataset: Dataset, measure: str, group: str) -> Statement:
    sums = (
        sums_of(dataset.id, "with_others")
        if dataset.has_sums and stores_sums_with_others(dataset)
        else f"({sum_with_others(dataset)})"
    )
    return Statement(
        f"""
        SELECT rater, ratings, items, own, others, products, "count", total, squares, within
        FROM {sums} WHERE measure = $measure AND rater_group = $group ORDER BY rater
        """,
        {"measure": measure, "group": group},
    )


def rater_shares(dataset: Dataset, condition: str, values: dict[str, object], shared: bool) -> Statement:
    """Return the shares from stored sums if all items count, corrected for excluded raters, for whose items alone the
    ratings are read; else from the rows."""
    if dataset.has_sums and stores_sums_with_others(dataset) and not shared:
        return Statement(_stored_shares(dataset, condition), values)
    other_items = (
        f"SELECT item FROM {_items_table(dataset)} WHERE measure = $measure AND rater_group = $shared_with"
    )
    shared_condition = f"AND item IN ({other_items})"
    return Statement(
        f"""
        WITH cell AS (
            SELECT item, n, total FROM {_items_table(dataset)}
            WHERE measure = $measure AND rater_group = $group {shared_condition if shared else ""}
        ), centre AS (
            SELECT sum(total) / sum(n) AS centre FROM cell
        ), item AS (
            SELECT item_id, centre, CASE WHEN n > 1 THEN 1 / n ELSE 0 END AS share
            FROM cell JOIN {_codes_table(dataset, "item_id")} items ON item = items."row" CROSS JOIN centre
        ), summed AS (
            SELECT rater_id, sum((score - centre) * share) AS pull, sum(share) AS reach
            FROM {ratings_of(dataset)} JOIN item USING (item_id) WHERE {condition} GROUP BY rater_id
        )
        SELECT "row" AS rater, pull, reach FROM summed
        JOIN {_codes_table(dataset, "rater_id")} raters USING (rater_id) ORDER BY rater
        """,
        values,
    )


def _stored_shares(dataset: Dataset, condition: str) -> str:
    """Return SQL for the stored shares of a group's raters, corrected for the excluded raters of a view."""
    shares = f"""SELECT rater, pull, reach FROM {sums_of(dataset.id, "with_others")}
        WHERE measure = $measure AND rater_group = $group"""
    if not dataset.without:
        return f"{shares} ORDER BY rater"
    cell = f"FROM {sums_of(dataset.id, 'by_item')} WHERE measure = $measure AND rater_group = $group"
    view = f"FROM {_raters_table(dataset)} WHERE measure = $measure AND rater_group = $group"
    share = "CASE WHEN {0} > 1 THEN 1 / {0} ELSE 0 END"
    return f"""
        WITH centre AS (
            SELECT (SELECT sum(total) / sum(n) {cell}) AS centre, (SELECT sum(total) / sum(n) {view}) AS moved
        ), touched AS (
            SELECT item_id, centre, {share.format("(of_item.n - lost.n)")} - {share.format("of_item.n")} AS change
            FROM (SELECT item, n {cell}) of_item
                JOIN (SELECT item, n FROM {EXCLUDED}
                    WHERE item IS NOT NULL AND measure = $measure AND rater_group = $group) lost USING (item)
                JOIN {sums_of(dataset.id, "items")} items ON item = items."row" CROSS JOIN centre
        ), changed AS (
            SELECT rater_id, sum((score - centre) * change) AS pull, sum(change) AS reach
            FROM {rows_of(dataset)} JOIN touched USING (item_id) WHERE {condition} GROUP BY rater_id
        ), summed AS (
            SELECT rater, kept.pull + coalesce(changed.pull, 0) AS pull,
                kept.reach + coalesce(changed.reach, 0) AS reach
            FROM ({shares}) kept JOIN (SELECT rater {view}) USING (rater)
                JOIN {sums_of(dataset.id, "raters")} raters ON rater = raters."row" LEFT JOIN changed USING (rater_id)
        )
        SELECT rater, pull - (moved - centre) * reach AS pull, reach FROM summed CROSS JOIN centre ORDER BY rater
        """


def stores_sums_with_others(dataset: Dataset) -> bool:
    """Return True if sums of each rater with the other raters are stored with the data set."""
    return dataset.rows_kept >= MIN_ROWS_FOR_OTHERS


def sum_with_others(dataset: Dataset, rows: str | None = None) -> str:
    """Return SQL for sums per rater of products of its ratings with those of the items' other raters, from the items'
    sums minus the rater's own. Only repeated ratings of an item are grouped. `rows` is another relation of the same
    rows.
    """
    cell = ("measure", "rater_group")
    item_terms = {
        f"item_{name}": f"CASE WHEN n_all > 1 THEN {term.format(at='all')} ELSE 0 END"
        for name, term in _TERMS_OF_REPEATED_ITEMS.items()
    }
    changes = ", ".join(
        f"sum(CASE WHEN n_left > 1 THEN {term.format(at='left')} ELSE 0 END - item_{name}) AS {name}"
        for name, term in _TERMS_OF_REPEATED_ITEMS.items()
    )
    return f"""
        WITH {_rater_item_ctes(dataset, is_included(dataset), cell, rows, of_item=item_terms)}, left_over AS (
            SELECT *, n_all - n AS n_left, total_all - total AS total_left, squares_all - squares AS squares_left
            FROM given
        ), beside AS (
            SELECT *, CASE WHEN n_left > 0 THEN total / n END AS mine,
                CASE WHEN n_left > 0 THEN total_left / n_left END AS theirs
            FROM left_over
        ), summed AS (
            SELECT {", ".join(cell)}, rater_id, sum(n)::BIGINT AS ratings, count(mine) AS items,
                coalesce(var_pop(mine), 0) * count(mine) AS own, coalesce(var_pop(theirs), 0) * count(mine) AS others,
                coalesce(covar_pop(mine, theirs), 0) * count(mine) AS products, {changes},
                sum(CASE WHEN n_left > 0 THEN total / n_all ELSE 0 END) AS pull,
                sum(CASE WHEN n_left > 0 THEN n / n_all ELSE 0 END) AS reach
            FROM beside GROUP BY ALL
        )
        SELECT measure, rater_group, "row" AS rater, ratings, items, own, others, products,
            "count"::DOUBLE AS "count", total, squares, within, pull, reach
        FROM summed JOIN {_codes_table(dataset, "rater_id")} USING (rater_id) ORDER BY measure, rater_group, rater
        """


_TERMS_OF_REPEATED_ITEMS = {
    "count": "n_{at}",
    "total": "total_{at}",
    "squares": "squares_{at}",
    "within": "n_{at} / (n_{at} - 1) * greatest(squares_{at} - total_{at} * total_{at} / n_{at}, 0)",
}
"""Terms that an item with two ratings or more adds to the sums of alpha, with all of its ratings and without a
rater's."""


def with_reference(dataset: Dataset, condition: str, values: dict[str, object]) -> Statement:
    """Return sums per rater of products of its ratings with the reference's means; repeats count as their mean."""
    rated = f"{ratings_of(dataset)} JOIN told USING (item_id) CROSS JOIN centre WHERE {condition}"
    return Statement(
        f"""
        WITH centre AS (
            SELECT sum(total) / sum(n) AS centre FROM {_raters_table(dataset)}
            WHERE measure = $measure AND rater_group = $group
        ), mean AS (
            SELECT item, total / n AS mean FROM {_items_table(dataset)}
            WHERE measure = $measure AND rater_group = $reference
        ), told AS (
            SELECT item_id, mean - centre AS theirs, repeated
            FROM {_items_table(dataset)} JOIN mean USING (item)
                JOIN {_codes_table(dataset, "item_id")} items ON item = items."row" CROSS JOIN centre
            WHERE measure = $measure AND rater_group = $group
        ), given AS (
            SELECT rater_id, score - centre AS mine, theirs FROM {rated} AND NOT repeated
            UNION ALL
            SELECT rater_id, avg(score - centre), theirs FROM {rated} AND repeated GROUP BY rater_id, item_id, theirs
        ), summed AS (
            SELECT rater_id, count(*) AS items, var_pop(mine) * count(*) AS own, var_pop(theirs) * count(*) AS others,
                covar_pop(mine, theirs) * count(*) AS products
            FROM given GROUP BY rater_id
        )
        SELECT coalesce(items, 0) AS items, coalesce(own, 0) AS own, coalesce(others, 0) AS others,
            coalesce(products, 0) AS products
        FROM {_raters_table(dataset)} JOIN {_codes_table(dataset, "rater_id")} raters ON rater = raters."row"
            LEFT JOIN summed USING (rater_id)
        WHERE measure = $measure AND rater_group = $group ORDER BY rater
        """,
        values,
    )


def held_against(dataset: Dataset, condition: str, values: dict[str, object]) -> Statement:
    """Compare each rating of the reference and the candidate's mean of the item with the item's other ratings.

    The difference of the summed squared distances decides unless it is close to a tie; its terms that depend only on
    the item are computed once per item.
    """
    squared_distance = "({0} * {0} * (others + 1) - 2 * {0} * total + squares - {1})"
    mean_square = "sqrt(round(greatest({0}, 0) / others / scale, 12) * scale)"
    candidate_distance, rater_distance = (
        mean_square.format(squared_distance.format(*arguments))
        for arguments in (("mean", "pow(score - mean, 2)"), ("score", "0"))
    )
    tolerance = f"{TIE_TOLERANCE} * sqrt(scale)"
    return Statement(
        f"""
        WITH cell AS (SELECT * FROM {_items_table(dataset)} WHERE measure = $measure AND rater_group = $reference),
        told AS (
            SELECT item, total / n AS mean FROM {_items_table(dataset)}
            WHERE measure = $measure AND rater_group = $candidate
        ), ends AS (
            SELECT sum(total) / sum(n) AS centre, min(least) AS low, max(most) AS high
            FROM {_raters_table(dataset)} WHERE measure = $measure AND rater_group = $reference
        ), centre AS (
            SELECT centre, coalesce(nullif(pow(greatest(high, highest) - least(low, lowest), 2), 0), 1) AS scale
            FROM ends CROSS JOIN (SELECT min(mean) AS lowest, max(mean) AS highest FROM told)
        ), held AS (
            SELECT item_id, n - 1 AS others, mean - centre AS mean, total - n * centre AS total,
                spread + n * pow(total / n - centre, 2) AS squares
            FROM cell JOIN told USING (item) JOIN {_codes_table(dataset, "item_id")} items ON item = items."row"
                CROSS JOIN centre
            WHERE n > 1
        ), known AS (
            SELECT held.*, (others + 2)::DOUBLE AS twice, 2 * (total + mean) AS once,
                2 * mean * total - others * mean * mean AS without,
                others * 1e-6 * scale AS close
            FROM held CROSS JOIN centre
        ), given AS (
            SELECT rater_id, score - centre AS score, known.* EXCLUDE (item_id), scale
            FROM {ratings_of(dataset)} JOIN known USING (item_id) CROSS JOIN centre WHERE {condition}
        ), apart AS (
            SELECT *, (score * twice - once) * score + without AS nearer_by FROM given
        ), judged AS (
            SELECT rater_id, (CASE WHEN nearer_by > close THEN 1 WHEN nearer_by < -close THEN -1
                WHEN {candidate_distance} > {rater_distance} + {tolerance} THEN -1
                WHEN {rater_distance} > {candidate_distance} + {tolerance} THEN 1
                ELSE 0 END)::TINYINT AS nearer
            FROM apart
        ), counted AS (
            SELECT rater_id, count(*) AS number, count(*) FILTER (nearer >= 0) AS wins,
                count(*) FILTER (nearer <= 0) AS loses
            FROM judged GROUP BY rater_id
        )
        SELECT rater, coalesce(number, 0) AS number, coalesce(wins, 0) AS wins, coalesce(loses, 0) AS loses
        FROM {_raters_table(dataset)} JOIN {_codes_table(dataset, "rater_id")} raters ON rater = raters."row"
            LEFT JOIN counted USING (rater_id)
        WHERE measure = $measure AND rater_group = $reference ORDER BY rater
        """,
        values,
    )


def cell_raters(dataset: Dataset, measure: str, group: str) -> Statement:
    return Statement(
        f"SELECT rater, n AS ratings FROM {_raters_table(dataset)} "
        "WHERE measure = $measure AND rater_group = $group ORDER BY rater",
        {"measure": measure, "group": group},
    )


def busiest(dataset: Dataset) -> str:
    """Return SQL for the raters of a group with most ratings on a measure: rater, rater_id."""
    return f"""
        SELECT rater, rater_id FROM {_raters_table(dataset)} JOIN {_codes_table(dataset, "rater_id")} raters
            ON rater = raters."row"
        WHERE measure = $measure AND rater_group = $group ORDER BY n DESC, rater LIMIT {MOST_RATERS}
        """


def cell_means(dataset: Dataset, measure: str, group: str) -> Statement:
    return Statement(
        f'SELECT item, n AS "count", total / n AS mean, spread AS squares FROM {_items_table(dataset)} '
        "WHERE measure = $measure AND rater_group = $group ORDER BY item",
        {"measure": measure, "group": group},
    )


def cell_sums(dataset: Dataset, measure: str, group: str) -> Statement:
    existing = [column for column in ("system", "topic") if dataset.has(column)]
    ctes = "".join(f"{codes_cte(dataset, column)}, " for column in existing)
    joins = " ".join(f"LEFT JOIN {column}_codes USING ({column})" for column in existing)
    code_columns = ", ".join(
        f"coalesce({column}_codes.code, -1) AS {column}" if column in existing else f"-1 AS {column}"
        for column in ("system", "topic")
    )
    group_columns = "".join(f"{column}, " for column in existing)
    return Statement(
        f"""
        WITH {ctes}summed AS (
            SELECT {group_columns}sum(n)::BIGINT AS n, sum(total) AS total, count(*) FILTER (mixed) AS mixed
            FROM {_items_table(dataset)} JOIN {sums_of(dataset.id, "items")} items ON item = items."row"
            WHERE measure = $measure AND rater_group = $group GROUP BY ALL
        )
        SELECT {code_columns}, n AS "count", total, mixed FROM summed {joins} ORDER BY system, topic
        """,
        {"measure": measure, "group": group},
    )


def fourth_powers(dataset: Dataset, condition: str, values: dict[str, object]) -> Statement:
    """Compute the fourth powers from power sums of scores minus the overall mean, per item."""
    return Statement(
        f"""
        WITH centre AS (
            SELECT sum(total) / sum(n) AS centre FROM {_raters_table(dataset)}
            WHERE measure = $measure AND rater_group = $group
        ), given AS (
            SELECT item_id, score - centre AS x FROM {ratings_of(dataset)} CROSS JOIN centre WHERE {condition}
        ), powers AS (
            SELECT count(*) AS n, avg(x) AS mean, sum(x * x) AS two, sum(x * x * x) AS three, sum(x * x * x * x) AS four
            FROM given GROUP BY item_id
        )
        SELECT coalesce(sum(four - 4 * mean * three + 6 * mean * mean * two - 3 * n * pow(mean, 4)), 0) AS fourth
        FROM powers WHERE n > 1
        """,
        values,
    )


def repeats(dataset: Dataset, measure: str, group: str) -> Statement:
    return Statement(
        f"SELECT count(*) FILTER (repeated) AS items FROM {_items_table(dataset)} "
        "WHERE measure = $measure AND rater_group = $group",
        {"measure": measure, "group": group},
    )


def has_repeats(dataset: Dataset) -> Statement:
    return Statement(
        f"SELECT coalesce(bool_or(repeated), FALSE) AS found FROM {sums_of(dataset.id, 'by_item')}", {}
    )


def _rater_item_ctes(
    dataset: Dataset,
    condition: str,
    cell: tuple[str, ...] = (),
    rows: str | None = None,
    of_item: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """Return common table expressions with sums per rater and item, of the rater's and of all ratings, of scores minus
    the overall mean; `of_item` adds expressions of the item's sums. For one measure and group, or for all combinations
    of the columns in `cell`."""
    cell_condition = "TRUE" if cell else "measure = $measure AND rater_group = $group"
    keys = "".join(f"{name}, " for name in cell)
    rated = f"""
        (SELECT item_id, rater_id, score, {measure_sql(dataset)} AS measure, {group_sql(dataset)} AS rater_group
        FROM {rows or ratings_of(dataset)} WHERE {condition}) rated JOIN item USING ({keys}item_id)"""
    all_of_item = ", ".join(["n_all", "total_all", "squares_all", *of_item])
    further = "".join(f", {term} AS {name}" for name, term in of_item.items())
    return f"""
        centre AS (
            SELECT {keys}sum(total) / sum(n) AS mean FROM {_items_table(dataset)} WHERE {cell_condition} GROUP BY ALL
        ), item AS (
            SELECT {keys}item_id, n::DOUBLE AS n_all, total - n * mean AS total_all,
                spread + n * (total / n - mean) * (total / n - mean) AS squares_all, repeated, mean{further}
            FROM {_items_table(dataset)} JOIN {_codes_table(dataset, "item_id")} items ON item = items."row"
                {f"JOIN centre USING ({', '.join(cell)})" if cell else "CROSS JOIN centre"}
            WHERE {cell_condition}
        ), given AS (
            SELECT {keys}rater_id, 1::DOUBLE AS n, score - mean AS total, (score - mean) * (score - mean) AS squares,
                {all_of_item}
            FROM {rated} WHERE NOT repeated
            UNION ALL
            SELECT {keys}rater_id, count(*)::DOUBLE, sum(score - mean), sum((score - mean) * (score - mean)),
                {all_of_item}
            FROM {rated} WHERE repeated GROUP BY {keys}rater_id, item_id, {all_of_item}
        )"""


def _codes_table(dataset: Dataset, column: Literal["item_id", "rater_id"]) -> str:
    """Return the relation of the items or raters with their codes as `row`."""
    return f'(WITH {codes_cte(dataset, column)} SELECT {column}, code AS "row" FROM {column}_codes)'


SUM_COLUMNS = "count(*) AS n, sum(score) AS total, var_pop(score) * count(*) AS spread"
"""SQL for the sums of ratings: their number, total, and squared deviations from their mean."""


def _raters_table(dataset: Dataset) -> str:
    """Return the relation of the sums per rater, measure and group of a view."""
    if not dataset.has_sums:
        return f"""(
            SELECT measure, rater_group, "row" AS rater, {SUM_COLUMNS}, min(score) AS least, max(score) AS most,
                min(place) AS first
            FROM {_rows_of_view(dataset)} JOIN {_codes_table(dataset, "rater_id")} USING (rater_id) GROUP BY ALL)"""
    table = sums_of(dataset.id, "by_rater")
    if not dataset.without:
        return table
    return f"""(
        SELECT * FROM {table} WHERE rater NOT IN (
            SELECT "row" FROM {sums_of(dataset.id, "raters")} WHERE rater_id IN (SELECT unnest($without))))"""


def _items_table(dataset: Dataset) -> str:
    """Return the relation of the sums per item, measure and group of a view, minus those of excluded raters.

    Items are sampled in the order of `drawn`. Only stored sums have the column `mixed`.
    """
    if not dataset.has_sums:
        return _sum_by_item(dataset)
    table = sums_of(dataset.id, "by_item")
    if not dataset.without:
        return table
    between = "(n - n_gone) * n_gone / n * pow((total - total_gone) / (n - n_gone) - total_gone / n_gone, 2)"
    return f"""(
        SELECT measure, rater_group, item, n - coalesce(n_gone, 0) AS n, total - coalesce(total_gone, 0) AS total,
            CASE WHEN n_gone IS NULL THEN spread WHEN n - n_gone = 1 THEN 0
                ELSE greatest(spread - spread_gone - {between}, 0) END AS spread, drawn, repeated, mixed
        FROM {table} LEFT JOIN (
            SELECT measure, rater_group, item, n AS n_gone, total AS total_gone, spread AS spread_gone
            FROM {EXCLUDED} WHERE item IS NOT NULL
        ) USING (measure, rater_group, item) WHERE n_gone IS NULL OR n_gone < n)"""


def _sum_by_item(dataset: Dataset, condition: str = "TRUE") -> str:
    """Return the relation of the sums per item, measure and group of those ratings of a view that meet a condition."""
    return f"""(
        SELECT measure, rater_group, "row" AS item, {SUM_COLUMNS}, {SAMPLE_ORDER} AS drawn,
            count(DISTINCT rater_id) < count(*) AS repeated
        FROM {_rows_of_view(dataset, condition)} JOIN {_codes_table(dataset, "item_id")} USING (item_id)
        GROUP BY ALL)"""


def _rows_of_view(dataset: Dataset, condition: str = "TRUE") -> str:
    """Return the relation of the included ratings of a view, from which sums are computed that are not stored.

    Choices, rankings and sets of labels have no score.
    """
    score = "score" if dataset.has("score") else "NULL::DOUBLE AS score"
    return f"""(
        SELECT {measure_sql(dataset)} AS measure, {group_sql(dataset)} AS rater_group, item_id, rater_id, {score},
            "row" AS place
        FROM {ratings_of(dataset)} WHERE {is_included(dataset)} AND {condition})"""
