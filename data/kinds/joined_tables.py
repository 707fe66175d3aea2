# ruff: noqa: SIM905 - lists of words read better as words
"""Tables that are joined to ratings: contributors of a pyramid, and metrics of the items."""

from data.kinds.kind import Kind, Repeats, free_text, number, text
from data.kinds.shared_columns import ITEM, RATER, SCU, WEIGHT

CONTRIBUTORS = Kind(
    "contributors",
    "Contributors: the content units of a pyramid, and the words that express them",
    (
        text(
            "topic",
            "Which topic the summary is of.",
            *"topic topicid docset cluster".split(),
            required=True,
        ),
        text(
            "item_id",
            "The summary, by the same name as in the ratings.",
            *ITEM,
            *"summaryid summary peer peerid".split(),
            required=True,
            called="item",
            text_in="",
        ),
        text(
            "scu_id",
            "The content unit.",
            *SCU,
            required=True,
            called="content unit",
        ),
        free_text(
            "contributor_text",
            "The words of the summary that express the unit.",
            *"contributortext contributor contribution text words".split(),
            required=True,
            called="contributor's text",
        ),
        number(
            "weight",
            "In how many model summaries the unit occurs.",
            *WEIGHT,
            required=True,
            positive=True,
        ),
        text("condition", "Main or update.", "condition", "conditionid", "cond"),
        text("rater_id", "The assessor.", *RATER),
        text("is_model", "Whether a person wrote the summary.", "ismodel", "model"),
    ),
    row="contributor",
    rows="contributors",
    rated="marked",
    telling=(SCU, WEIGHT),
    used="Open the ratings of the same summaries and choose it on the Pyramid page.",
)
METRICS = Kind(
    "metrics",
    "Metrics: numbers known for each item",
    (
        text(
            "item_id",
            "The item, by the same name as in the ratings.",
            *ITEM,
            required=True,
            called="item",
            text_in="",
        ),
    ),
    repeats=Repeats(
        ("item_id",),
        "item_id",
        "the item has a row already, with the same numbers",
        "the item has a row already, with other numbers",
        always=True,
    ),
    further=("item number",),
    needs_further=True,
    used="Open the ratings of the same items and choose it on the page Automatic metrics.",
)
