"""What a page says where it looks at some of the ratings only."""

from collections.abc import Sequence
from datetime import datetime

from data.dataset import Dataset, Filter
from data.queries.views import MOST_NAMES
from features.plotting.numbers import count
from features.results import query
from features.words import Sentence, listed

COLUMNS = {
    "system": "System",
    "condition": "Condition",
    "topic": "Topic",
    "split": "Split",
    "item_id": "Item",
    "design": "Design",
    "story_id": "Story",
    "story_type": "Story type",
    "event_id": "Event",
    "surrogate": "Surrogate",
    "session": "Session",
}
"""What the columns that filter are called."""
MOST_NAMED = 6
LONGEST_NAME = 80
"""Characters of a name that is offered: chosen names stand in the address."""


def names_on_offer(dataset: Dataset, column: str) -> list[str] | None:
    """The names in a column that filters; None where they are too many or too long to be chosen from."""
    names: list[str] = query(dataset, "names_to_filter", column=column)["name"].tolist()
    few = len(names) <= MOST_NAMES and all(len(name) <= LONGEST_NAME for name in names)
    return names if few else None


def what_passes(filters: Sequence[Filter]) -> str:
    """The filters in words.

    >>> what_passes([Filter("system", ("A", "B")), Filter("item_id", text="x")])
    'system A and B, item with “x” in its name'
    """
    return ", ".join(_words(one) for one in filters)


def some_only(filters: Sequence[Filter], kept: int, of: int, rows: str) -> Sentence:
    """On which part of the data set the figures of a page rest."""
    return "Only {what}: <b>{kept}</b> of {of} {rows}.", {
        "what": what_passes(filters),
        "kept": count(kept),
        "of": count(of),
        "rows": rows,
    }


def none_passes(filters: Sequence[Filter], rows: str) -> Sentence:
    """That nothing is left to look at, and what to do."""
    return (
        "Nothing is left: none of the {rows} is of {what}. Choose more in the sidebar (<b>Only some of the "
        "{rows}</b>), or look at all.",
        {"what": what_passes(filters), "rows": rows},
    )


def _words(one: Filter) -> str:
    if one.since is not None or one.until is not None:
        ends = ("from", one.since), ("until", one.until)
        return " ".join(f"{word} {_moment(end)}" for word, end in ends if end is not None)
    column = COLUMNS[one.column].lower()
    if one.text:
        return f"{column} with “{one.text}” in its name"
    return f"{column} {listed(one.values, MOST_NAMED)}"


def _moment(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M}"
