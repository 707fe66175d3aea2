# ruff: noqa: S608 - all identifiers come from `rows_of` and `quoted`, all values travel as parameters
"""The queries about rankings: which rank an option got from a rater in a task."""

from data.dataset import Dataset
from data.queries.parts import Statement, codes, distinct, group_of, named, numbered, real, rows_of


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
