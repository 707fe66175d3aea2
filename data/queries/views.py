# ruff: noqa: S608 - all identifiers come from `rows_of` and `quoted`, all values travel as parameters
"""The queries about what a view may keep only: the names of a column that filters, and the time of the ratings."""

from data.dataset import Dataset
from data.errors import UnknownName, listed
from data.kinds.definitions import KINDS
from data.queries.parts import Statement, compared, distinct, everyone, named, rows_of

MOST_NAMES = 100
"""Names offered of a column that filters; of more, a text is looked for."""


def columns_to_filter(dataset: Dataset) -> list[str]:
    """The columns by whose names this data set can be filtered."""
    return [
        column for column in KINDS[dataset.kind].filters if dataset.has(column) or compared(dataset, column)
    ]


@named()
def names_to_filter(dataset: Dataset, column: str) -> Statement:
    """The names in a column of the kind's `filters`, sorted, at most one more than `MOST_NAMES`: name."""
    filters = columns_to_filter(dataset)
    if column not in filters:
        raise UnknownName(f"`column` must be one of {listed(filters) or 'none'}; got {column!r}")
    columns = ("option_a", "option_b") if compared(dataset, column) else (column,)
    return Statement(f"{distinct(dataset, *columns)} LIMIT {MOST_NAMES + 1}", {})


@named()
def time_span(dataset: Dataset) -> Statement:
    """When the first and the last row were made, in seconds since 1970, NaN where no row says it: first, last.

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
