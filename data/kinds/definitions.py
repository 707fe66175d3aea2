# ruff: noqa: SIM905 - lists of words read better as words
"""All kinds of tables, what a second file may tell about their items or raters, and a template of each.

Each is declared once, so that the import, the page and the proposal know the same; a new kind is one more entry. Only
what a user should be warned of is separate code (`data.importing.warning_signs`).
"""

from collections.abc import Mapping
from dataclasses import replace

from data.dataset import Dataset, Role, is_compared
from data.errors import BadMapping
from data.kinds.kind import ITEM, RATER, SCU, WEIGHT, Kind, Repeats, free_text, number, text
from data.kinds.studies import CHOICES, COMPREHENSION, LABEL_SETS, RANKINGS, RATINGS, RELEVANCE

CONTRIBUTORS = Kind(
    "contributors",
    "Contributors: the content units of a pyramid, and the words that express them",
    (
        text(
            "topic", "Which topic the summary is of.", *"topic topicid docset cluster".split(), required=True
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
        text("scu_id", "The content unit.", *SCU, required=True, called="content unit"),
        free_text(
            "contributor_text",
            "The words of the summary that express the unit.",
            *"contributortext contributor contribution text words".split(),
            required=True,
            called="contributor's text",
        ),
        number(
            "weight", "In how many model summaries the unit occurs.", *WEIGHT, required=True, positive=True
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


_OF_ITEMS = ("system", "system_kind", "topic", "condition", "split", "text_id", "text", "reference_text")
_OF_SUMMARIES = ("summary_text", "summary_characters", "summary_words")
_OF_QUESTIONS = ("question_text", "expected_answer")


def _kind_about(
    kind: Kind,
    row: str,
    key: tuple[str, ...],
    attributes: tuple[str, ...] = (),
    further: tuple[Role, ...] = (),
    rows: str = "",
    switches: tuple[str, ...] = (),
) -> Kind:
    """Return a kind of table whose rows hold these attributes of one item or rater each."""
    rows = rows or f"{row}s"
    columns = []
    for name in (*key, *attributes):
        column = kind.column(name)
        assert column is not None
        in_key, text_in = name in key, None if column.text_in is None else ""
        called = (row if len(key) == 1 else column.called) if in_key else ""
        columns.append(replace(column, required=in_key, filled=in_key, called=called, text_in=text_in))
    return Kind(
        f"{rows} of {kind.name}",
        f"What is known about the {rows}, one row each",
        tuple(columns),
        row=row,
        rows=rows,
        item=key,
        switches=(*switches, "@decimal", "@header"),
        repeats=Repeats(key, key[-1], f"the {row} has a row already; the first one counts", always=True),
        further=further,
        numbers_of=key,
        numbered=row,
    )


_RATERS: tuple[Role, ...] = ("rater attribute",)
_NUMBERS: tuple[Role, ...] = ("item number",)
_KINDS = (
    _kind_about(RATINGS, "item", ("item_id",), _OF_ITEMS, _NUMBERS),
    _kind_about(RATINGS, "rater", ("rater_id",), ("status",), _RATERS),
    _kind_about(CHOICES, "item", ("item_id",), ("gold", "expert", "design", "system")),
    _kind_about(CHOICES, "rater", ("rater_id",), ("status",), _RATERS),
    _kind_about(RANKINGS, "rater", ("rater_id",), ("status",), _RATERS),
    _kind_about(LABEL_SETS, "item", ("item_id",), ("gold", "system", "topic"), switches=("@separator",)),
    _kind_about(LABEL_SETS, "rater", ("rater_id",), ("status",), _RATERS),
    _kind_about(RELEVANCE, "document", ("event_id", "document_id"), ("gold",), _NUMBERS),
    _kind_about(RELEVANCE, "surrogate", ("event_id", "document_id", "surrogate"), further=_NUMBERS),
    _kind_about(RELEVANCE, "rater", ("rater_id",), ("status",), _RATERS),
    _kind_about(COMPREHENSION, "story", ("story_id",), ("story_type",), rows="stories"),
    _kind_about(COMPREHENSION, "summary", ("story_id", "summary_author"), _OF_SUMMARIES, rows="summaries"),
    _kind_about(COMPREHENSION, "author", ("summary_author",), ("author_kind",)),
    _kind_about(COMPREHENSION, "question", ("story_id", "question_author", "question_id"), _OF_QUESTIONS),
    _kind_about(COMPREHENSION, "judge", ("judge_id",), further=_RATERS),
)
ADDITIONS: Mapping[str, Kind] = {kind.name: kind for kind in _KINDS}
"""The kinds by name, which ends in the kind of data set that it is added to."""


def additions_to(kind: str) -> tuple[Kind, ...]:
    """Return the kinds of tables with attributes of items or raters of data sets of this kind."""
    return tuple(addition for addition in ADDITIONS.values() if addition.name.endswith(f" of {kind}"))


KINDS: Mapping[str, Kind] = {
    kind.name: kind
    for kind in (RATINGS, CONTRIBUTORS, METRICS, CHOICES, LABEL_SETS, RANKINGS, COMPREHENSION, RELEVANCE)
}
"""All kinds of tables, by name. The order of an entry's names is their weight: the first fits best."""


def kind_named(name: str) -> Kind:
    """Return the kind with this name."""
    kind = KINDS.get(name) or ADDITIONS.get(name)
    if kind is None:
        raise BadMapping(f"kind must be one of {', '.join(KINDS)}; got {name!r}")
    return kind


TEMPLATES: Mapping[str, Mapping[str, tuple[str, str, str]]] = {
    "ratings": {
        "item_id": ("clip_01", "clip_01", "clip_02"),
        "rater_id": ("w_117", "lab_03", "w_117"),
        "score": ("4", "3", "2"),
        "measure": ("loudness", "loudness", "noisiness"),
        "rater_group": ("crowd", "lab", "crowd"),
        "seconds": ("8.2", "11.5", "7.9"),
    },
    "contributors": {
        "topic": ("D0931", "D0931", "D0932"),
        "item_id": ("summary_01", "summary_01", "summary_02"),
        "scu_id": ("7", "8", "3"),
        "contributor_text": ("the dam broke", "it had rained for days", "the court adjourned"),
        "weight": ("4", "2", "3"),
    },
    "metrics": {
        "item_id": ("summary_01", "summary_02", "summary_03"),
        "rouge_1": ("0.317", "0.522", "0.448"),
        "bleu": ("12.4", "14.75", "9.91"),
    },
    "choices": {
        "item_id": ("prompt_01", "prompt_01", "prompt_02"),
        "rater_id": ("w_117", "w_204", "w_117"),
        "choice": ("A", "B", "tie"),
        "option_a": ("old voice", "new voice", "new voice"),
        "option_b": ("new voice", "old voice", "old voice"),
        "seconds": ("8.2", "11.5", "7.9"),
    },
    "label sets": {
        "item_id": ("post_01", "post_01", "post_02"),
        "rater_id": ("w_117", "w_204", "w_117"),
        "labels": ('["anger", "fear"]', '["anger"]', "[]"),
        "gold": ('["anger"]', '["anger"]', "[]"),
        "seconds": ("8.2", "11.5", "7.9"),
    },
    "rankings": {
        "item_id": ("prompt_01", "prompt_01", "prompt_01"),
        "rater_id": ("w_117", "w_117", "w_117"),
        "option": ("old voice", "new voice", "human"),
        "rank": ("3", "2", "1"),
        "seconds": ("20.4", "20.4", "20.4"),
    },
    "comprehension": {
        "story_id": ("story_1", "story_1", "story_2"),
        "summary_author": ("Ada", "Ben", "Ada"),
        "question_author": ("Ben", "Ada", "Ben"),
        "question_id": ("q1", "q1", "q2"),
        "answer": ("R", "P", "N"),
        "judge_id": ("judge_1", "judge_1", "judge_2"),
    },
    "relevance": {
        "rater_id": ("r_01", "r_01", "r_02"),
        "event_id": ("flood", "flood", "trial"),
        "document_id": ("doc_17", "doc_17", "doc_22"),
        "surrogate": ("Headline", "Full Text", "Headline"),
        "judgment": ("1", "0", "0"),
        "gold": ("0", "0", "0"),
    },
}
"""Columns of each kind under their canonical names (metrics under their own), and the values of three lines."""
VOTES_TEMPLATE: Mapping[str, tuple[str, str, str]] = {
    "item_id": ("clip_01", "clip_02", "clip_03"),
    "votes_1": ("0", "3", "11"),
    "votes_2": ("2", "9", "7"),
    "votes_3": ("9", "8", "2"),
    "votes_4": ("6", "2", "0"),
    "votes_5": ("4", "0", "0"),
}
"""Ratings as votes per grade, whose columns name their grades."""


def columns_to_filter(dataset: Dataset) -> list[str]:
    """Return the columns by which a data set can be filtered, attributes of raters last."""
    filters = KINDS[dataset.kind].filters
    return [
        *(column for column in filters if dataset.has(column) or is_compared(dataset, column)),
        *dataset.named("rater attribute"),
    ]
