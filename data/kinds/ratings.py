# ruff: noqa: SIM905 - lists of words read better as words
"""Ratings: a number that a rater gave to an item."""

from data.kinds.kind import CanonicalColumn, Kind, Repeats, free_text, number, text
from data.kinds.names import FOREIGN
from data.kinds.shared_columns import (
    CHECK,
    EXPECTED,
    GROUP_COLUMN,
    ITEM,
    ORDER,
    RATED_AT,
    RATER,
    SCORE,
    SECONDS,
    STATUS,
)

_SECONDS_COLUMN = number("seconds", "The seconds that this rating took.", *SECONDS)
RATINGS = Kind(
    "ratings",
    "Ratings: a number that a rater gave to an item",
    (
        text(
            "item_id",
            "What was rated: a clip, a summary, a translation.",
            *ITEM,
            required=True,
            called="item",
            text_in="text",
        ),
        text("rater_id", "Who rated it.", *RATER, required=True, called="rater"),
        number("score", "The rating itself, a number.", *SCORE, required=True),
        text(
            "measure",
            "What was judged, where there is more than one: fluency, noisiness.",
            *"measure dimension criterion criteria aspect question scale attribute metric".split(),
            *FOREIGN["measure"],
            called="measure",
        ),
        GROUP_COLUMN,
        text(
            "system",
            "Which system or condition made the item.",
            *"system systemid sys sysid model modelid systemname codec method algorithm engine hrc peer peerid "
            "summarizer summarizerid runid".split(),
            *FOREIGN["system"],
        ),
        text("system_kind", "Whether a machine or a person made the item.", "systemkind", "systemtype"),
        text(
            "topic",
            "Which source the item comes from: a topic, a talker, a scene.",
            *"topic topicid src sourceid content scene talker speaker docset cluster prompt promptid".split(),
            *FOREIGN["topic"],
        ),
        text(
            "condition",
            "Under which condition it was rated.",
            *"condition conditionid cond round turn phase block".split(),
            *FOREIGN["condition"],
        ),
        text("split", "Which part of the data: a year, a fold.", "split", "fold", "year", "part", "subset"),
        number("order", "The place of the rating in time: first, second, third.", *ORDER),
        CanonicalColumn("rated_at", "time", "When it was rated.", tuple(RATED_AT)),
        _SECONDS_COLUMN,
        text("text_id", "A key that identical texts share.", "textkey", "texthash", listed=False),
        free_text("text", "The text that was rated.", "text", "summary", "target", "hypothesis", "output"),
        free_text(
            "reference_text", "The text it was compared with.", "referencetext", "reference", "original"
        ),
        text(
            "check", "Marks trap and gold questions; these rows never enter a figure.", *CHECK, listed=False
        ),
        text("expected", "The answer that a trap or gold question expects.", *EXPECTED, listed=False),
        text("status", "Whether the assignment was approved or rejected.", *STATUS),
    ),
    row="rating",
    rows="ratings",
    switches=("@form", "@raters", "@decimal", "@scores", "@rejected", "@duplicates", "@seconds", "@header"),
    repeats=Repeats(
        ("item_id", "rater_id", "measure", "rater_group"),
        "rater_id",
        "the same rater has rated this item before",
    ),
    forms={"rater columns": "rater_id", "measure columns": "measure", "item columns": "item_id"},
    cells="score",
    further=("rater attribute", "item number"),
    filters=("system", "condition", "topic", "split", "item_id"),
    study=True,
)
