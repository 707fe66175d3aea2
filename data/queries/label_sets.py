# ruff: noqa: S608 - all identifiers come from `rows_of` and `quoted`, all values travel as parameters
"""The queries about sets of labels: all labels that a rater gave to an item."""

from data.dataset import Dataset
from data.queries.parts import Statement, codes, distinct, group_of, named, numbered, real, rows_of


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
