# ruff: noqa: S608 - all identifiers come from `rows_of` and `quoted`, all values travel as parameters
"""The queries about choices, sets of labels and rankings: which option or labels a rater chose, or how options rank."""

from data.dataset import Dataset
from data.engines.schema import quoted
from data.errors import UnknownName, listed
from data.kinds.answer_words import CHOICE_NUMBERS, side_sql
from data.queries.named import Statement, codes, distinct, group_of, named, numbered, order_of, real, rows_of

ANSWERS = ("choice", "expert", "gold")
"""Columns that hold an option: chosen, the expert's, the true one."""


@named("choices")
def choices(dataset: Dataset, group: str | None = None) -> Statement:
    """Choices in the file's order, of one group or of all: item, rater, choice, expert, gold, first, second,
    design, seconds, order, weight (1 where there are none).

    With options of two systems, `first` and `second` are places in `options`, and choice, expert and gold are 0
    for the first, 1 for the second, 2 for both, 3 for neither, 4 for a tie. Otherwise these three are places in
    `answers`. `design` is a place in `designs`. -1 stands for none.
    """
    wanted, values = real(dataset), {}
    if group is not None:
        wanted, values = f"{wanted} AND {group_of(dataset)} = $group", {"group": group}
    pairs = dataset.has("option_a", "option_b")
    joined = [("design", "design_codes", "name")] if dataset.has("design") else []
    ctes = [f"design_codes AS ({numbered(_designs(dataset))})"] if joined else []
    if pairs:
        ctes.append(f"option_codes AS ({numbered(_options(dataset))})")
    else:
        ctes.append(f"answer_codes AS ({numbered(_answers(dataset))})")
    joins = " ".join(f"LEFT JOIN {codes} ON {codes}.{name} = kept.{column}" for column, codes, name in joined)
    answered, sides = [], []
    for column in ANSWERS:
        if not dataset.has(column):
            answered.append(f"-1 AS {column}")
        elif pairs:
            numbers = str(dataset.mapping.get("@numbers", CHOICE_NUMBERS[0]))
            sides.append(
                f"coalesce({side_sql(column, 'option_a', 'option_b', numbers)}, -1) AS side_{column}"
            )
            answered.append(f"side_{column} AS {column}")
        else:
            joins += f" LEFT JOIN answer_codes AS of_{column} ON of_{column}.name = kept.{column}"
            answered.append(f"coalesce(of_{column}.code, -1) AS {column}")
    for place, column in (("first", "option_a"), ("second", "option_b")):
        if pairs:
            joins += f" LEFT JOIN option_codes AS of_{place} ON of_{place}.name = kept.{column}"
            answered.append(f"coalesce(of_{place}.code, -1) AS {place}")
        else:
            answered.append(f"-1 AS {place}")
    seconds = "seconds::DOUBLE" if dataset.has("seconds") else "NULL::DOUBLE"
    weight = "weight::DOUBLE" if dataset.is_weighted else "1.0::DOUBLE"
    stored = [c for c in (*ANSWERS, "option_a", "option_b", "design") if dataset.has(c)] + sides
    return Statement(
        f"""
        WITH {codes(dataset, "item_id")}, {codes(dataset, "rater_id")}, {", ".join(ctes)}, kept AS (
            SELECT "row", item_id, rater_id, {", ".join(stored)}, {seconds} AS seconds,
                {order_of(dataset)}::DOUBLE AS "order", {weight} AS weight
            FROM {rows_of(dataset)} WHERE {wanted}
        )
        SELECT item_id_codes.code AS item, rater_id_codes.code AS rater, {", ".join(answered)},
            {"coalesce(design_codes.code, -1)" if joined else "-1"} AS design, seconds, "order", weight
        FROM kept JOIN item_id_codes USING (item_id) JOIN rater_id_codes USING (rater_id) {joins}
        ORDER BY "row"
        """,
        values,
    )


@named("choices")
def option_numbers(dataset: Dataset, told: str, group: str | None = None) -> Statement:
    """Numbers of both options, such as their "length", in the order of `choices`: first, second, as they were
    shown; NULL where it is not known or below 0."""
    if told not in dataset.told_of_options:
        known = listed(dataset.told_of_options) or "none"
        raise UnknownName(f"there is no number {told!r} of both options; there are {known}")
    sides = ", ".join(
        f"CASE WHEN {column} >= 0 THEN {column}::DOUBLE END AS {side}"
        for side, column in (("first", quoted(f"{told}_a")), ("second", quoted(f"{told}_b")))
    )
    wanted, values = real(dataset), {}
    if group is not None:
        wanted, values = f"{wanted} AND {group_of(dataset)} = $group", {"group": group}
    return Statement(f'SELECT {sides} FROM {rows_of(dataset)} WHERE {wanted} ORDER BY "row"', values)


@named("choices")
def answers(dataset: Dataset) -> Statement:
    """The labels that were chosen or are known to be right, each at the position that is its code: name."""
    return Statement(_answers(dataset), {})


@named("choices")
def options(dataset: Dataset) -> Statement:
    """The systems that were compared, each at the position that is its code: name."""
    return Statement(_options(dataset), {})


@named("choices")
def designs(dataset: Dataset) -> Statement:
    """The designs of comparisons, each at the position that is its code: name."""
    return Statement(_designs(dataset), {})


def _answers(dataset: Dataset) -> str:
    return distinct(dataset, *(column for column in ANSWERS if dataset.has(column)))


def _options(dataset: Dataset) -> str:
    return distinct(dataset, *(column for column in ("option_a", "option_b") if dataset.has(column)))


def _designs(dataset: Dataset) -> str:
    return distinct(dataset, *(["design"] if dataset.has("design") else []))


@named("label sets")
def label_sets(dataset: Dataset, group: str | None = None) -> Statement:
    """Sets in the file's order, of one group or of all: item, rater, labels, gold, design (-1 for none).

    `labels` and `gold` are places in `different_sets`, `design` one in `questions`.
    """
    wanted, values = real(dataset), {}
    if group is not None:
        wanted, values = f"{wanted} AND {group_of(dataset)} = $group", {"group": group}
    gold, design = (dataset.has(name) for name in ("gold", "design"))
    return Statement(
        f"""
        WITH {codes(dataset, "item_id")}, {codes(dataset, "rater_id")},
        set_codes AS ({numbered(_different(dataset))}), design_codes AS ({numbered(_questions(dataset))}),
        kept AS (
            SELECT "row", item_id, rater_id, labels, {"gold" if gold else "NULL::VARCHAR AS gold"},
                {"design" if design else "NULL::VARCHAR AS design"}
            FROM {rows_of(dataset)} WHERE {wanted}
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


@named("label sets")
def different_sets(dataset: Dataset) -> Statement:
    """The different sets that were given or are known to be right, each at the position that is its code: name, a JSON
    list of labels."""
    return Statement(_different(dataset), {})


@named("label sets")
def questions(dataset: Dataset) -> Statement:
    """The questions that were answered by sets, each at the position that is its code: name."""
    return Statement(_questions(dataset), {})


def _different(dataset: Dataset) -> str:
    return distinct(dataset, "labels", *(["gold"] if dataset.has("gold") else []))


def _questions(dataset: Dataset) -> str:
    return distinct(dataset, *(["design"] if dataset.has("design") else []))


@named("rankings")
def rankings(dataset: Dataset, group: str | None = None) -> Statement:
    """Ranks in the file's order, of one group or of all: item (the task), rater, option, rank, position (NaN for none).

    `option` is a place in `ranked_options`.
    """
    wanted, values = real(dataset), {}
    if group is not None:
        wanted, values = f"{wanted} AND {group_of(dataset)} = $group", {"group": group}
    position = "position::DOUBLE" if dataset.has("position") else "NULL::DOUBLE"
    return Statement(
        f"""
        WITH {codes(dataset, "item_id")}, {codes(dataset, "rater_id")},
        option_codes AS ({numbered(distinct(dataset, "option"))}), kept AS (
            SELECT "row", item_id, rater_id, "option", "rank"::DOUBLE AS "rank", {position} AS position
            FROM {rows_of(dataset)} WHERE {wanted}
        )
        SELECT item_id_codes.code AS item, rater_id_codes.code AS rater, option_codes.code AS "option", "rank", position
        FROM kept JOIN item_id_codes USING (item_id) JOIN rater_id_codes USING (rater_id)
        JOIN option_codes ON option_codes.name = kept."option"
        ORDER BY "row"
        """,
        values,
    )


@named("rankings")
def ranked_options(dataset: Dataset) -> Statement:
    """The options that were ranked, each at the position that is its code: name."""
    return Statement(distinct(dataset, "option"), {})
