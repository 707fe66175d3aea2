# ruff: noqa: SIM905 - lists of words read better as words
"""Relevance: judgments of documents from their surrogates."""

from data.kinds.kind import CanonicalColumn, Kind, Repeats, number, text
from data.kinds.shared_columns import DOCUMENT, EVENT, EXPECTED, JUDGMENT, RATER, SECONDS, STATUS, SURROGATE

RELEVANCE = Kind(
    "relevance",
    "Relevance: judgments of documents from their surrogates",
    (
        text("rater_id", "Who judged.", *RATER, required=True, called="rater"),
        text(
            "event_id",
            "The event or query that documents were judged for.",
            *EVENT,
            required=True,
            called="event",
        ),
        text("document_id", "The document.", *DOCUMENT, required=True, called="document"),
        text(
            "surrogate",
            "What stood for the document: a summary system, or its full text.",
            *SURROGATE,
            required=True,
            called="surrogate",
        ),
        CanonicalColumn(
            "judgment",
            "judgment",
            "Whether the document was judged relevant: 1 or 0, yes or no, relevant or not relevant.",
            JUDGMENT,
            required=True,
            filled=True,
            called="judgment",
        ),
        CanonicalColumn(
            "gold",
            "judgment",
            "Whether the document is relevant, in the same words.",
            ("gold", *EXPECTED, *"ldc relevant isrelevant truerelevance qrel".split()),
        ),
        number("seconds", "The seconds that this judgment took.", *SECONDS),
        text("session", "The session: the first week, the second.", *"session sessionid week".split()),
        text(
            "presentation",
            "The place among presentations of the same document: first, second.",
            *"presentation presentationid presentationnumber position".split(),
        ),
        text(
            "order_label",
            "The order of presentations, such as D1S2D2; empty outside a study of orders.",
            *"orderlabel order ordering presentationorder".split(),
        ),
        text("status", "Whether the assignment was approved or rejected.", *STATUS),
    ),
    row="judgment",
    rows="judgments",
    items="documents",
    rated="judged",
    item=("event_id", "document_id"),
    switches=("@form", "@decimal", "@rejected", "@duplicates", "@header"),
    forms={"surrogate columns": "surrogate"},
    cells="judgment",
    repeats=Repeats(
        ("rater_id", "event_id", "document_id", "surrogate", "session", "presentation"),
        "rater_id",
        "the same rater has judged this document from this surrogate before",
        told="of a document by the same rater",
    ),
    further=("rater attribute", "item number"),
    numbers_of=("event_id", "document_id", "surrogate"),
    numbered="surrogate",
    telling=(EVENT, DOCUMENT, SURROGATE, JUDGMENT),
    filters=("event_id", "surrogate", "session"),
    study=True,
)
