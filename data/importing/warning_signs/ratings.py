# ruff: noqa: S608 - all identifiers are canonical columns or quoted
"""Warnings about ratings: switches, groups, raters, scales, items.

Sums per item and per rater are computed once, and most warnings are derived from them.
"""

from collections.abc import Iterable, Mapping, Sequence

import duckdb
import numpy as np

from analysis.values.estimate import thousands
from data.importing.warning_signs.wording import (
    ALONE,
    FEW,
    SHOWN_GROUPS,
    Doubt,
    NoRepeats,
    RaterCounts,
    Remark,
    WarningSign,
    count_of,
    first_row,
    has,
    real_rows,
    repeats_note,
    short_name,
    warn_of_rejected,
    warn_of_repeats,
    warn_of_single_rows,
)
from data.mapping.plan import Plan
from data.reading.columns import find_outlying_codes

_SCALES = (
    (0, 1), (1, 2), (1, 3), (1, 4), (0, 4), (1, 5), (0, 5), (1, 6), (0, 6), (1, 7), (1, 9), (0, 9), (1, 10),
    (0, 10), (1, 11), (-2, 2), (-3, 3), (1, 100), (0, 100),
)  # fmt: skip
_MOST = 0.99
_MOST_SCALES = 50
"""Maximum number of measures whose scales are recognized."""
_EXTREME, _FEWEST_FOR_EXTREMES = 0.5, 20
"""Largest share of the variance of scores that one of them may hold, and the fewest scores that are judged."""
ROWS_PER_PASS = 50_000_000
"""Ratings whose items and raters are compared in memory at the same time."""


def about_ratings(cursor: duckdb.DuckDBPyConnection, plan: Plan) -> Iterable[WarningSign]:
    cursor.execute(
        f"CREATE OR REPLACE TEMP VIEW import_real AS SELECT {_select_columns(plan)} FROM import_rows {real_rows(plan)}"
    )
    try:
        yield from _about_switches(cursor, plan)
        _sum_ratings(cursor, plan)
        yield _count_raters(cursor, plan)
        yield from _about_groups(cursor)
        yield from _about_raters(cursor, plan)
        yield from _about_scales(cursor)
        yield from _about_constant_scores(cursor)
        if plan.has("expected"):
            yield from _about_expected(cursor)
        yield from _about_items(cursor, plan)
    finally:
        cursor.execute("DROP VIEW temp.import_real")
        for table in ("by_item", "by_rater"):
            cursor.execute(f"DROP TABLE IF EXISTS temp.import_{table}")


def _select_columns(plan: Plan) -> str:
    group = "rater_group" if plan.has("rater_group") else "'all ratings' AS rater_group"
    measure = "measure" if plan.has("measure") else "'score' AS measure"
    further = [name for name in ("status", "system") if plan.has(name)]
    return ", ".join(["item_id", "rater_id", "score", group, measure, *further])


def _sum_ratings(cursor: duckdb.DuckDBPyConnection, plan: Plan) -> None:
    """Create `import_by_item` and `import_by_rater`: sums of ratings by item and by rater, per measure and group.

    Names that are to be the same are compared by their hashes, which takes half the time.
    """
    system = ""
    if plan.has("system"):
        code = "CASE WHEN system IS NOT NULL THEN hash(system) END"
        system = f", min({code}) AS first_system, max({code}) AS last_system"
    rater = "''" if plan.switches["@raters"] == "slots" else "rater_id"
    cursor.execute(
        f"""CREATE TEMP TABLE import_by_item AS
        SELECT item_id, measure, rater_group, count(*) AS n{system}
        FROM import_real GROUP BY ALL"""
    )
    cursor.execute(
        f"""CREATE TEMP TABLE import_by_rater AS
        SELECT {rater} AS rater_id, measure, rater_group, count(*) AS n, min(score) AS low, max(score) AS high,
            bool_and(score = trunc(score)) AS whole, min(hash(item_id)) AS first_item, max(hash(item_id)) AS last_item
        FROM import_real GROUP BY ALL"""
    )


def _count_raters(cursor: duckdb.DuckDBPyConnection, plan: Plan) -> RaterCounts:
    (items,) = first_row(cursor, "SELECT count(DISTINCT item_id) FROM import_by_item")
    if plan.switches["@raters"] == "slots":
        return RaterCounts(items, 0, ())
    (raters,) = first_row(cursor, "SELECT count(DISTINCT rater_id) FROM import_by_rater")
    if not plan.has("rater_group"):
        return RaterCounts(items, raters, ())
    groups = cursor.execute(
        f"""SELECT rater_group, count(DISTINCT rater_id) FROM import_by_rater
        GROUP BY rater_group ORDER BY rater_group LIMIT {SHOWN_GROUPS}"""
    ).fetchall()
    return RaterCounts(items, raters, tuple((str(group), int(number)) for group, number in groups))


def _about_switches(cursor: duckdb.DuckDBPyConnection, plan: Plan) -> Iterable[WarningSign]:
    if plan.switches["@duplicates"] == "keep":
        rows, repeated = _count_repeats(cursor)
        if repeated:
            yield warn_of_repeats(
                plan,
                repeated,
                rows,
                f"{count_of(repeated, 'rating repeats', 'ratings repeat')} what the same rater had already "
                f"rated (same item, measure and group); all are kept.{repeats_note(plan)}",
            )
        else:
            yield NoRepeats()
    yield from warn_of_rejected(cursor, plan, "rating comes", "ratings come")


def _count_repeats(cursor: duckdb.DuckDBPyConnection) -> tuple[int, int]:
    """Return the number of ratings, and of those that repeat an earlier one's item, rater, measure and group."""
    (rows,) = first_row(cursor, "SELECT count(*) FROM import_real")
    parts = -(-rows // ROWS_PER_PASS)
    repeated = 0
    for part in range(parts):
        result = cursor.execute(
            "SELECT hash(item_id, rater_id, measure, rater_group) AS key FROM import_real "
            f"WHERE hash(item_id) % {parts} = {part}"
        ).fetchnumpy()
        keys = np.asarray(result["key"])
        keys.sort()
        repeated += int(np.count_nonzero(keys[1:] == keys[:-1]))
    return rows, repeated


def _about_groups(cursor: duckdb.DuckDBPyConnection) -> Iterable[WarningSign]:
    groups = cursor.execute(
        """WITH pairs AS (SELECT DISTINCT item_id, rater_group FROM import_by_item),
        shared AS (SELECT item_id FROM pairs GROUP BY item_id HAVING count(*) > 1)
        SELECT rater_group, count(*), count(shared.item_id) FROM pairs LEFT JOIN shared USING (item_id)
        GROUP BY rater_group ORDER BY rater_group"""
    ).fetchall()
    if len(groups) == 1:
        yield Remark(
            "All ratings belong to one group. Split halves or numbers known for the items can serve as the reference."
        )
        return
    for group, items, shared in groups[:FEW]:
        if not shared:
            yield Doubt(
                f'None of the {thousands(items)} items of the group "{short_name(group)}" was rated by another group.',
                f'no item of the group "{short_name(group)}" was rated by another group',
            )
    if len(groups) > 20:
        yield f"There are {thousands(len(groups))} groups; is the group column the right one?"


def _about_raters(cursor: duckdb.DuckDBPyConnection, plan: Plan) -> Iterable[WarningSign]:
    if plan.switches["@raters"] == "slots":
        return
    row = cursor.execute(
        """WITH raters AS (
            SELECT rater_id, sum(n) AS n, min(low) = max(high) AS constant,
                min(first_item) = max(last_item) AS one_item, min(rater_group) <> max(rater_group) AS many_groups
            FROM import_by_rater GROUP BY rater_id)
        SELECT count(*), count(*) FILTER (one_item), count(*) FILTER (constant AND n >= 5),
            count(*) FILTER (many_groups), min(rater_id) FILTER (constant AND n >= 5) FROM raters"""
    ).fetchone()
    assert row is not None
    raters, one_item, constant, many_groups, example = row
    if raters == 1:
        yield "There is only one rater, so nothing can be said about agreement or repetitions."
        return
    if one_item == raters and raters > 1:
        yield "Every rater rated only one item; is the rater column the right one?"
    elif one_item:
        yield f"{count_of(one_item, 'rater')} of {thousands(raters)} rated only one item."
    if constant:
        yield (
            f"{count_of(constant, 'rater')} gave the same score every time in 5 or more ratings, for instance "
            f'"{short_name(example)}".'
        )
    if many_groups:
        yield (
            f"{count_of(many_groups, 'rater id occurs', 'rater ids occur')} in more than one group; are they "
            "the same persons?"
        )


def _about_scales(cursor: duckdb.DuckDBPyConnection) -> Iterable[WarningSign]:
    """Warn of unusual scores; a scale is recognized only for whole numbers, since penalties and times have none."""
    measures = cursor.execute(
        "SELECT measure, bool_and(whole) FROM import_by_rater GROUP BY measure ORDER BY measure"
    ).fetchall()
    whole_measures = [measure for measure, is_whole in measures if is_whole][:_MOST_SCALES]
    condition = "" if len(whole_measures) == len(measures) else "WHERE measure IN (SELECT unnest($whole))"
    score_counts = cursor.execute(
        f"SELECT measure, score, count(*) FROM import_real {condition} GROUP BY ALL ORDER BY measure, score",
        {"whole": whole_measures} if condition else None,
    ).fetchall()
    unscaled = [measure for measure, is_whole in measures if not is_whole]
    by_measure: dict[str, list[tuple[float, int]]] = {}
    for measure, score, count in score_counts:
        by_measure.setdefault(measure, []).append((score, count))
    for measure, scores in by_measure.items():
        total = sum(count for _, count in scores)
        used = {score for score, _ in scores}
        for low, high in _SCALES:
            if not {float(low), float(high)} <= used:
                continue
            outside = [(score, count) for score, count in scores if not low <= score <= high]
            n = sum(count for _, count in outside)
            if n <= (1 - _MOST) * total:
                if outside:
                    values = ", ".join(f"{score:g}" for score, _ in outside[:FEW])
                    clause = (
                        f'{count_of(n, "score")} of "{short_name(measure)}" {"lies" if n == 1 else "lie"} '
                        f"outside {low} to {high}"
                    )
                    more = " …" if len(outside) > FEW else ""
                    yield Doubt(f"{clause}, the scale of all others: {values}{more}.", clause)
                break
        else:
            doubts = list(_about_missing_codes(measure, dict(scores)))
            yield from doubts
            unscaled += [] if doubts else [measure]
    yield from _about_extremes(cursor, unscaled)


def _about_missing_codes(measure: str, scores: Mapping[float, int]) -> Iterable[WarningSign]:
    """Warn of outliers that surveys write for a missing answer."""
    counts = {f"{score:g}": count for score, count in scores.items()}
    codes = sorted(find_outlying_codes(counts), key=float)
    if codes:
        n = sum(counts[code] for code in codes)
        clause = f'{count_of(n, "score")} of "{short_name(measure)}" {"lies" if n == 1 else "lie"} far off all others'
        yield Doubt(
            f"{clause}: {', '.join(codes[:FEW])}. Name them as missing answers if they are no ratings.",
            clause,
        )


def _about_extremes(cursor: duckdb.DuckDBPyConnection, measures: Sequence[str]) -> Iterable[WarningSign]:
    """Warn of lone scores without a scale, such as 38,000 among magnitudes, that decide every mean and correlation."""
    rows = cursor.execute(
        f"""WITH spread AS (
            SELECT measure, avg(score) AS mean, var_pop(score) * count(*) AS total FROM import_real
            WHERE measure IN (SELECT unnest($measures)) GROUP BY measure HAVING count(*) >= {_FEWEST_FOR_EXTREMES})
        SELECT measure, score, pow(score - mean, 2) / total AS part FROM import_real JOIN spread USING (measure)
        WHERE pow(score - mean, 2) > {_EXTREME} * total ORDER BY measure""",
        {"measures": list(measures)},
    ).fetchall()
    for measure, score, part in rows[:FEW]:
        clause = f'one score of "{short_name(measure)}", {_format_score(score)}, makes up {part:.0%} of the variance'
        yield Doubt(f"O{clause[1:]}. Exclude it if it is no rating.", clause)


def _format_score(score: float) -> str:
    return thousands(int(score)) if score.is_integer() else f"{score:g}"


def _about_constant_scores(cursor: duckdb.DuckDBPyConnection) -> Iterable[WarningSign]:
    constant = cursor.execute(
        """SELECT measure, min(low) FROM import_by_rater GROUP BY measure
        HAVING min(low) = max(high) AND sum(n) > 1 ORDER BY measure"""
    ).fetchall()
    for measure, score in constant[:FEW]:
        clause = f'all scores of "{short_name(measure)}" are {score:g}'
        yield Doubt(f"A{clause[1:]}, so nothing can be compared.", clause)


def _about_expected(cursor: duckdb.DuckDBPyConnection) -> Iterable[WarningSign]:
    answers, fitting, example = first_row(
        cursor,
        r"""WITH scale AS (SELECT min(score) AS low, max(score) AS high FROM import_rows),
            answers AS (SELECT expected, regexp_extract(expected, '[+-]?\d+([.,]\d+)?') AS number FROM import_rows)
        SELECT count(expected),
            count(*) FILTER (try_cast(replace(number, ',', '.') AS DOUBLE) BETWEEN low AND high), min(expected)
        FROM answers, scale""",
    )
    if answers and not fitting:
        clause = "no expected answer lies between the least and the greatest score"
        yield Doubt(f'N{clause[1:]}, for instance "{short_name(example)}".', clause)


def _about_items(cursor: duckdb.DuckDBPyConnection, plan: Plan) -> Iterable[WarningSign]:
    items, single = first_row(
        cursor,
        """SELECT count(*), count(*) FILTER (most = 1) FROM (
            SELECT item_id, max(n) AS most
            FROM (SELECT item_id, sum(n) AS n FROM import_by_item GROUP BY item_id, measure) GROUP BY item_id)""",
    )
    if single > ALONE * items:
        all_items = f"All {thousands(items)} items have" if items > 1 else "The only item has"
        sentence = (
            f"{thousands(single)} of {thousands(items)} items {has(single)}" if single < items else all_items
        )
        sentence += " only one rating of a measure."
        # where items belong to systems, a system has many ratings: designs such as TAC's and MQM's rate each item once
        yield sentence if plan.has("system") else warn_of_single_rows(plan, single, items, sentence)
    if plan.has("system"):
        mixed = cursor.execute(
            "SELECT count(*) FROM (SELECT 1 FROM import_by_item GROUP BY item_id "
            "HAVING min(first_system) <> max(last_system))"
        ).fetchone()
        if mixed and mixed[0]:
            yield (
                f"{count_of(mixed[0], 'item comes', 'items come')} from more than one system; their ratings "
                "are averaged together. An item should be one system's output."
            )
