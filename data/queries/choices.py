# ruff: noqa: S608 - all identifiers come from `rows_of` and `quoted`, all values travel as parameters
"""Queries about choices, sets of labels and rankings."""

from data.dataset import Dataset
from data.engines.schema import quoted
from data.errors import UnknownName, listed
from data.kinds.answer_words import CHOICE_NUMBERS, side_sql
from data.queries.named import (
    Statement,
    codes_cte,
    distinct_names,
    group_sql,
    is_included,
    number_names,
    order_sql,
    register,
    rows_of,
)

ANSWERS = ("choice", "expert", "gold")
"""Columns that hold an option: chosen, the expert's, the true one."""


@register("choices")
def choices(dataset: Dataset, group: str | None = None) -> Statement:
    """Return choices in the file's order, of one group or of all: item, rater, choice, expert, gold, first, second,
    design, seconds, order, weight (1 where there are none).

    With options of two systems, `first` and `second` are places in `options`, and choice, expert and gold are 0
    for the first, 1 for the second, 2 for both, 3 for neither, 4 for a tie. Otherwise these three are places in
    `answers`. `design` is a place in `designs`. -1 stands for none.
    """
    condition, values = is_included(dataset), {}
    if group is not None:
        condition, values = f"{condition} AND {group_sql(dataset)} = $group", {"group": group}
    pairs = dataset.has("option_a", "option_b")
    joined = [("design", "design_codes", "name")] if dataset.has("design") else []
    ctes = [f"design_codes AS ({number_names(_design_names(dataset))})"] if joined else []
    if pairs:
        ctes.append(f"option_codes AS ({number_names(_option_names(dataset))})")
    else:
        ctes.append(f"answer_codes AS ({number_names(_answer_names(dataset))})")
    joins = " ".join(
        f"LEFT JOIN {codes_cte} ON {codes_cte}.{name} = kept.{column}" for column, codes_cte, name in joined
    )
    answer_columns, sides = [], []
    for column in ANSWERS:
        if not dataset.has(column):
            answer_columns.append(f"-1 AS {column}")
        elif pairs:
            numbers = str(dataset.mapping.get("@numbers", CHOICE_NUMBERS[0]))
            sides.append(
                f"coalesce({side_sql(column, 'option_a', 'option_b', numbers)}, -1) AS side_{column}"
            )
            answer_columns.append(f"side_{column} AS {column}")
        else:
            joins += f" LEFT JOIN answer_codes AS of_{column} ON of_{column}.name = kept.{column}"
            answer_columns.append(f"coalesce(of_{column}.code, -1) AS {column}")
    for place, column in (("first", "option_a"), ("second", "option_b")):
        if pairs:
            joins += f" LEFT JOIN option_codes AS of_{place} ON of_{place}.name = kept.{column}"
            answer_columns.append(f"coalesce(of_{place}.code, -1) AS {place}")
        else:
            answer_columns.append(f"-1 AS {place}")
    seconds = "seconds::DOUBLE" if dataset.has("seconds") else "NULL::DOUBLE"
    weight = "weight::DOUBLE" if dataset.is_weighted else "1.0::DOUBLE"
    stored = [c for c in (*ANSWERS, "option_a", "option_b", "design") if dataset.has(c)] + sides
    return Statement(
        f"""
        WITH {codes_cte(dataset, "item_id")}, {codes_cte(dataset, "rater_id")}, {", ".join(ctes)}, kept AS (
            SELECT "row", item_id, rater_id, {", ".join(stored)}, {seconds} AS seconds,
                {order_sql(dataset)}::DOUBLE AS "order", {weight} AS weight
            FROM {rows_of(dataset)} WHERE {condition}
        )
        SELECT item_id_codes.code AS item, rater_id_codes.code AS rater, {", ".join(answer_columns)},
            {"coalesce(design_codes.code, -1)" if joined else "-1"} AS design, seconds, "order", weight
        FROM kept JOIN item_id_codes USING (item_id) JOIN rater_id_codes USING (rater_id) {joins}
        ORDER BY "row"
        """,
        values,
    )


@register("choices")
def option_numbers(dataset: Dataset, told: str, group: str | None = None) -> Statement:
    """Return numbers of both options, such as their "length", in the order of `choices`: first, second (by the position
    shown); NULL if unknown or negative."""
    if told not in dataset.option_numbers:
        known = listed(dataset.option_numbers) or "none"
        raise UnknownName(f"there is no number {told!r} of both options; there are {known}")
    sides = ", ".join(
        f"CASE WHEN {column} >= 0 THEN {column}::DOUBLE END AS {side}"
        for side, column in (("first", quoted(f"{told}_a")), ("second", quoted(f"{told}_b")))
    )
    condition, values = is_included(dataset), {}
    if group is not None:
        condition, values = f"{condition} AND {group_sql(dataset)} = $group", {"group": group}
    return Statement(f'SELECT {sides} FROM {rows_of(dataset)} WHERE {condition} ORDER BY "row"', values)


@register("choices")
def answers(dataset: Dataset) -> Statement:
    """Return the labels that were chosen or are known answers, in the order of their codes: name."""
    return Statement(_answer_names(dataset), {})


@register("choices")
def options(dataset: Dataset) -> Statement:
    """Return the compared systems, in the order of their codes: name."""
    return Statement(_option_names(dataset), {})


@register("choices")
def designs(dataset: Dataset) -> Statement:
    """Return the designs of comparisons, in the order of their codes: name."""
    return Statement(_design_names(dataset), {})


def _answer_names(dataset: Dataset) -> str:
    return distinct_names(dataset, *(column for column in ANSWERS if dataset.has(column)))


def _option_names(dataset: Dataset) -> str:
    return distinct_names(dataset, *(column for column in ("option_a", "option_b") if dataset.has(column)))


def _design_names(dataset: Dataset) -> str:
    return distinct_names(dataset, *(["design"] if dataset.has("design") else []))


@register("label sets")
def label_sets(dataset: Dataset, group: str | None = None) -> Statement:
    """Return sets of labels in the file's order, of one group or of all: item, rater, labels, gold, design (-1 for
    none).

    `labels` and `gold` are places in `different_sets`, `design` one in `questions`.
    """
    condition, values = is_included(dataset), {}
    if group is not None:
        condition, values = f"{condition} AND {group_sql(dataset)} = $group", {"group": group}
    gold, design = (dataset.has(name) for name in ("gold", "design"))
    return Statement(
        f"""
        WITH {codes_cte(dataset, "item_id")}, {codes_cte(dataset, "rater_id")},
        set_codes AS ({number_names(_set_names(dataset))}), design_codes AS ({number_names(_question_names(dataset))}),
        kept AS (
            SELECT "row", item_id, rater_id, labels, {"gold" if gold else "NULL::VARCHAR AS gold"},
                {"design" if design else "NULL::VARCHAR AS design"}
            FROM {rows_of(dataset)} WHERE {condition}
        )
        SELECT item_id_codes.code AS item, rater_id_codes.code AS rater, given.code AS labels,
            coalesce(known.code, -1) AS gold, coalesce(design_codes.code, -1) AS design
        FROM kept JOIN item_id_codes USING (item_id) JOIN rater_id_codes USING (rater_id)
        JOIN set_codes AS given ON given.name = kept.labels
        LEFT JOIN set_codes AS known ON known.name = kept.gold
        LEFT JOIN design_codes ON design_codes.name = kept.design
        ORDER BY "row"
        """,
        values,
    )


@register("label sets")
def different_sets(dataset: Dataset) -> Statement:
    """Return the distinct sets that were chosen or are known answers, in the order of their codes: name, a JSON list of
    labels."""
    return Statement(_set_names(dataset), {})


@register("label sets")
def questions(dataset: Dataset) -> Statement:
    """Return the questions that were answered by sets, in the order of their codes: name."""
    return Statement(_question_names(dataset), {})


def _set_names(dataset: Dataset) -> str:
    return distinct_names(dataset, "labels", *(["gold"] if dataset.has("gold") else []))


def _question_names(dataset: Dataset) -> str:
    return distinct_names(dataset, *(["design"] if dataset.has("design") else []))


@register("rankings")
def rankings(dataset: Dataset, group: str | None = None) -> Statement:
    """Return ranks in the file's order, of one group or of all: item (the task), rater, option, rank, position (NaN for
    none).

    `option` is a place in `ranked_options`.
    """
    condition, values = is_included(dataset), {}
    if group is not None:
        condition, values = f"{condition} AND {group_sql(dataset)} = $group", {"group": group}
    position = "position::DOUBLE" if dataset.has("position") else "NULL::DOUBLE"
    return Statement(
        f"""
        WITH {codes_cte(dataset, "item_id")}, {codes_cte(dataset, "rater_id")},
        option_codes AS ({number_names(distinct_names(dataset, "option"))}), kept AS (
            SELECT "row", item_id, rater_id, "option", "rank"::DOUBLE AS "rank", {position} AS position
            FROM {rows_of(dataset)} WHERE {condition}
        )
        SELECT item_id_codes.code AS item, rater_id_codes.code AS rater, option_codes.code AS "option", "rank", position
        FROM kept JOIN item_id_codes USING (item_id) JOIN rater_id_codes USING (rater_id)
        JOIN option_codes ON option_codes.name = kept."option"
        ORDER BY "row"
        """,
        values,
    )


@register("rankings")
def ranked_options(dataset: Dataset) -> Statement:
    """Return the ranked options, in the order of their codes: name."""
    return Statement(distinct_names(dataset, "option"), {})
