"""Which pages fit the open data set, what they are called for it, and what is said where one does not fit."""

import re
from dataclasses import dataclass

from analysis.assessors.metric_training import FEWEST_FEATURES, FEWEST_SPLITS
from analysis.replacement.reference_means import KNOWN
from data.dataset import Dataset
from data.kinds.definitions import KINDS
from features.results import query
from features.study import usual_roles
from features.words import Sentence, listed

_PLAIN = re.compile(r"[^\W_][\w -]*")
"""A group's name that may stand in a title, which is Markdown: letters, digits, single spaces, hyphens, underscores."""
_LONGEST = 28


@dataclass(frozen=True)
class Holding:
    """What decides which pages fit a data set: its kind, the raters' groups, whether items have numbers and systems,
    and choices an expert's or gold answer; whether items have texts, the numbers of their numeric columns and splits,
    and the kinds of data sets that can be joined."""

    kind: str
    groups: tuple[str, ...] = ()
    has_numbers: bool = False
    has_systems: bool = False
    has_answers: bool = False
    has_texts: bool = False
    has_references: bool = False
    numbers: int = 0
    splits: int = 0
    joined: frozenset[str] = frozenset()


def holding_of(dataset: Dataset) -> Holding:
    """What decides which pages fit a data set."""
    groups = query(dataset, "cells")["group"].tolist() if dataset.kind in ("ratings", "choices") else []
    known = dataset.kind == "choices" and any(dataset.has(column) for column in KNOWN)
    return Holding(
        dataset.kind,
        tuple(dict.fromkeys(groups)),
        bool(dataset.named("item number")),
        dataset.has("system"),
        known,
        dataset.has("text"),
        dataset.has("text", "reference_text"),
        len(dataset.named("item number")),
        len(query(dataset, "labels", column="split")["name"]) if dataset.has("split") else 0,
    )


def has_metrics(holding: Holding) -> bool:
    """Return True where a metric of the items is known or can be joined."""
    return holding.has_numbers or holding.has_references or "metrics" in holding.joined


def has_pyramid(holding: Holding) -> bool:
    """Return True where the items have texts, and contributors can be joined."""
    return holding.has_texts and "contributors" in holding.joined


def can_train(holding: Holding) -> bool:
    """Return True where items have systems, three splits, and two numeric columns."""
    return holding.has_systems and holding.splits >= FEWEST_SPLITS and holding.numbers >= FEWEST_FEATURES


def other_kind(holding: Holding, kinds: tuple[str, ...]) -> Sentence:
    """What the data set holds, and what a page of these kinds would need."""
    return (
        "This data set holds {rows}. This page shows {others}: upload a table with the columns <b>{columns}</b> to "
        "open it, or go to a page of the list.",
        {
            "rows": KINDS[holding.kind].rows,
            "others": listed([KINDS[kind].rows for kind in kinds]),
            "columns": listed(KINDS[kinds[0]].required),
        },
    )


def nothing_to_compare(holding: Holding) -> Sentence | None:
    """Why ratings of one group have no other to be compared with; None where they have."""
    if holding.kind != "ratings" or len(holding.groups) > 1 or holding.has_numbers:
        return None
    return (
        "There is nothing to compare these ratings with: all are of one group, and no numbers are known for the items. "
        "How far its raters agree is on the page <b>Agreement</b>; ratings of another group, or numbers of the items, "
        "can be added on the <b>Data</b> page.",
        {},
    )


def no_candidates(holding: Holding) -> Sentence | None:
    """Return why no candidate can replace the raters of one group without numbers of the items; None where one can."""
    if len(holding.groups) > 1 or (holding.has_answers if holding.kind == "choices" else holding.has_numbers):
        return None
    if holding.kind == "choices":
        return (
            "No candidate can replace these raters: all are of one group, and no expert's or gold answers are known. "
            "Choices of another group, such as a model's, can be added on the <b>Data</b> page.",
            {},
        )
    return (
        "No candidate can replace these raters: all are of one group, and no numbers are known for the items. Ratings "
        "of another group, or a file with a column of a model's or a metric's numbers, can be added on the <b>Data</b> "
        "page.",
        {},
    )


def no_systems(holding: Holding) -> Sentence | None:
    """Why ratings without systems have none to compare; None where there are some, and for choices."""
    if holding.kind != "ratings" or holding.has_systems:
        return None
    return (
        "There are no systems to compare: a column <b>system</b>, which says which system made each item, would open "
        "this page. Upload the ratings with it on the <b>Data</b> page.",
        {},
    )


def comparison_title(holding: Holding | None) -> str:
    """What the page that compares groups is called: by their names where there are two with short, plain ones.

    >>> comparison_title(Holding("ratings", ("amt", "experts"))), comparison_title(Holding("ratings", ("a", "b", "c")))
    ('Amt vs experts', 'Groups compared')
    """
    if holding is not None and len(holding.groups) == 1 and holding.has_numbers:
        return "Ratings vs numbers"
    if holding is None or len(holding.groups) != 2:
        return "Groups compared"
    candidate, reference = (holding.groups[at] for at in usual_roles(holding.groups))
    title = f"{candidate[:1].upper()}{candidate[1:]} vs {reference}"
    plain = _PLAIN.fullmatch(candidate) and _PLAIN.fullmatch(reference) and "__" not in title
    return title if plain and len(title) <= _LONGEST and not title.endswith("_") else "Groups compared"
