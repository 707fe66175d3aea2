# ruff: noqa: S608 - all identifiers come from `rows_of` and `quoted`, all values travel as parameters
"""The queries about relevance: judgments of documents from their summaries and from their full texts."""

from data.dataset import Dataset
from data.errors import UnknownName, listed
from data.queries.parts import Statement, distinct, everyone, named, numbered, real, rows_of
from data.quoting import quoted

NAMES = {
    "rater": "rater_id",
    "event": "event_id",
    "surrogate": "surrogate",
    "session": "session",
    "presentation": "presentation",
    "order_label": "order_label",
}
"""What has a code of its own, and its column; a document's code counts the documents of all events."""


@named("relevance")
def judgments(dataset: Dataset) -> Statement:
    """Judgments in the file's order: as codes, -1 for none, rater, event, document (within its event), surrogate,
    session, presentation and order_label; judgment, gold and seconds (NaN where not known); and order.

    Codes are places in `judgment_names`.
    """
    there = {what: column for what, column in NAMES.items() if dataset.has(column)}
    codes = [f"{what}_codes AS ({numbered(_names(dataset, what))})" for what in there]
    joins = " ".join(
        f"LEFT JOIN {what}_codes ON {what}_codes.name = kept.{column}" for what, column in there.items()
    )
    coded = ", ".join(
        f"coalesce({what}_codes.code, -1) AS {what}" if what in there else f"-1 AS {what}" for what in NAMES
    )
    gold, seconds = (
        f"{column}::DOUBLE" if dataset.has(column) else "NULL::DOUBLE" for column in ("gold", "seconds")
    )
    return Statement(
        f"""
        WITH {", ".join(codes)}, document_codes AS (
            SELECT event_id, document_id, row_number() OVER (ORDER BY event_id, document_id) - 1 AS code
            FROM (SELECT DISTINCT event_id, document_id FROM {rows_of(dataset)} WHERE {everyone(dataset)})
        ), kept AS (
            SELECT "row", {", ".join(there.values())}, document_id, judgment::DOUBLE AS judgment, {gold} AS gold,
                {seconds} AS seconds
            FROM {rows_of(dataset)} WHERE {real(dataset)}
        )
        SELECT {coded}, document_codes.code AS document, judgment, gold, seconds, "row"::DOUBLE AS "order"
        FROM kept JOIN document_codes USING (event_id, document_id) {joins} ORDER BY "row"
        """,
        {},
    )


@named("relevance")
def judgment_names(dataset: Dataset, column: str) -> Statement:
    """The names that codes of "rater", "event", "document", "surrogate", "session", "presentation" or
    "order_label" stand for, each at its place: name."""
    if column == "document":
        return Statement(
            f"SELECT document_id AS name FROM (SELECT DISTINCT event_id, document_id FROM {rows_of(dataset)} "
            f"WHERE {everyone(dataset)}) ORDER BY event_id, document_id",
            {},
        )
    if column not in NAMES:
        raise UnknownName(f"`column` must be one of {listed([*NAMES, 'document'])}; got {column!r}")
    return Statement(_names(dataset, column), {})


@named("relevance")
def surrogate_numbers(dataset: Dataset, column: str) -> Statement:
    """A metric of the surrogates, where it has a value, by names: event, document, surrogate, value."""
    numbers = dataset.named("item number")
    if column not in numbers:
        raise UnknownName(f"there is no numeric column {column!r}; there are {listed(numbers) or 'none'}")
    return Statement(
        f"""
        SELECT event_id AS event, document_id AS document, surrogate, avg({quoted(column)})::DOUBLE AS value
        FROM {rows_of(dataset)} WHERE {real(dataset)} AND {quoted(column)} IS NOT NULL
        GROUP BY ALL ORDER BY ALL
        """,
        {},
    )


def _names(dataset: Dataset, what: str) -> str:
    column = NAMES[what]
    return distinct(dataset, *([column] if dataset.has(column) else []))
