"""Sentences of pages outside findings: captions, filters, excluded raters, pages that cannot be shown."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np

from analysis.assessors.metric_training import FEWEST_FEATURES, FEWEST_SPLITS
from analysis.replacement.reference_means import KNOWN
from analysis.values.estimate import shorten
from data.dataset import Dataset, Filter
from data.kinds.definitions import KINDS
from data.queries.named import MOST_NAMES
from features.plotting.theme import count, share
from features.study import ALL_GROUPS, WITH_GROUPS, Scenario, Study, query, usual_roles
from features.words import Sentence, attribute_name, listed, of_many, plain

SYNTHETIC: Sentence = ("Synthetic: made to resemble published results.", {})


def caption(what: str, study: Study | None, overview: Mapping[str, Any]) -> str:
    """Return what a table or figure shows, and the data that it is based on."""
    return what if study is None else f"{what.rstrip('.')}. {plain(size(study, overview))}"


def size(study: Study, overview: Mapping[str, Any]) -> Sentence:
    """Return how many rows of how many items by how many raters, from the row of the query `overview`."""
    kind = KINDS[study.dataset.kind]
    return (
        "<b>{name}</b>: {rows} of {items}{raters}{groups}.",
        {
            "name": study.dataset.name,
            "rows": of_many(overview["rows"][0], kind.rows),
            "items": of_many(overview["items"][0], kind.items),
            "raters": f" by {of_many(overview['raters'][0], kind.raters)}"
            if study.raters_are_persons
            else "",
            "groups": f" in {len(study.groups)} groups" if len(study.groups) > 1 else "",
        },
    )


NO_WEIGHTS: Sentence = ("Weights are not used here.", {})
WEIGHTED_FIGURES = "the distributions, the MOS of items and the scores of systems"
"""Figures in which a rating counts as its weight says."""
WEIGHTED_CHOICES = "the scale of systems and in shares of the preference"
"""Figures in which a choice counts as its weight says."""


def weights_note(study: Study, used: str) -> Sentence:
    """Return which figures of a page use the weights of ratings, and how many equal ratings these count as.

    `used` names the figures, "all" for every mean and share of the page, "" for none.
    """
    has_scale = study.whole.kind == "ratings" or study.whole.has("option_a", "option_b")
    if not used or not has_scale:
        return NO_WEIGHTS
    rows, kind = query(study.dataset, "effective_ratings"), KINDS[study.dataset.kind]
    here = np.ones(len(rows["group"]), dtype=np.bool_)
    if kind.name == "ratings":
        here = np.isin(rows["measure"], study.measures) & (rows["group"] == study.candidate)
    elif study.candidate != ALL_GROUPS:
        here = rows["group"] == study.candidate
    used = used if kind.name == "ratings" else WEIGHTED_CHOICES
    shares = [share(each) for each in (rows["effective"][here] / rows["ratings"][here]).tolist()]
    low, high = (min(shares), max(shares)) if shares else ("", "")
    of = f"{low} to {high}" if low != high else low
    figures = "means and shares" if used == "all" else used
    return (
        "Weights are used in {figures}{alone}: the effective n is {of} of the {rows}{by}.",
        {
            "rows": kind.rows,
            "figures": figures,
            "alone": "" if used == "all" else ", not in other figures",
            "of": of,
            "by": f" by {study.candidate}" if len(study.groups) > 1 else "",
        },
    )


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
"""Names of the columns that filter."""
MOST_NAMED = 6


def column_name(column: str) -> str:
    """Return the name of a column that filters: one of `COLUMNS`, or an attribute of raters.

    >>> column_name("item_id"), column_name("rater_age")
    ('Item', 'Age')
    """
    return COLUMNS.get(column) or attribute_name(column).capitalize()


LONGEST_NAME = 80
"""Characters of a name that is offered: chosen names stand in the address."""


def selectable_names(dataset: Dataset, column: str) -> list[str] | None:
    """Return the names in a column that filters, None where they are too many or too long to choose from."""
    names: list[str] = query(dataset, "names_to_filter", column=column)["name"].tolist()
    few = len(names) <= MOST_NAMES and all(len(name) <= LONGEST_NAME for name in names)
    return names if few else None


def filters_in_words(filters: Sequence[Filter]) -> str:
    """Return the filters in words.

    >>> filters_in_words([Filter("system", ("A", "B")), Filter("item_id", text="x")])
    'system A and B, item with “x” in its name'
    >>> filters_in_words([Filter("system", ("anchor", "hidden_ref"), excludes=True)])
    'system other than anchor and hidden_ref'
    """
    return ", ".join(_filter_in_words(one) for one in filters)


def subset_in_words(filters: Sequence[Filter], kept: int, of: int, rows: str) -> Sentence:
    """Return the sentence on the part of the data set that figures are based on."""
    return "Only {what}: <b>{kept}</b> of {of} {rows}.", {
        "what": filters_in_words(filters),
        "kept": count(kept),
        "of": count(of),
        "rows": rows,
    }


def controls_note(filters: Sequence[Filter], including: str) -> Sentence:
    """Return the sentence that hidden references and anchors are left out, and what includes them."""
    (left_out,) = (one.values for one in filters if one.excludes)
    return f"Hidden references and anchors are left out: {{who}}. {including}", {"who": listed(left_out)}


def nothing_passes(filters: Sequence[Filter], rows: str) -> Sentence:
    """Return the sentence that no rows are left, and what to do."""
    return (
        "No {rows} of {what} are left. Choose more in the sidebar (<b>Filter</b>), or show all.",
        {"what": filters_in_words(filters), "rows": rows},
    )


def _filter_in_words(one: Filter) -> str:
    if one.since is not None or one.until is not None:
        ends = ("from", one.since), ("until", one.until)
        return " ".join(f"{word} {_moment(end)}" for word, end in ends if end is not None)
    column = column_name(one.column).lower()
    if one.excludes:
        return f"{column} other than {listed(one.values, MOST_NAMED)}"
    if one.text:
        return f"{column} with “{one.text}” in its name"
    return f"{column} {listed(one.values, MOST_NAMED)}"


def _moment(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M}"


NOBODY_LEFT: Sentence = (
    "All raters are excluded. Exclude fewer in the sidebar (<b>Exclude raters</b>).",
    {},
)


def exclusion_in_words(chosen: Scenario, only_elsewhere: bool = False) -> Sentence:
    """Return whom a scenario leaves out, of other pages alone or of this one, the first few by name, and the rule."""
    where = " on other pages" if only_elsewhere else ""
    return f"Excluded{where}: {{who}} ({{name}}).", {
        "who": ", ".join(map(shorten, chosen.names[:6]))
        + (f" and {count(len(chosen.names) - 6)} more" if len(chosen.names) > 6 else ""),
        "name": chosen.name,
    }


_PLAIN = re.compile(r"[^\W_][\w -]*")
"""A group's name that may stand in a title, which is Markdown: letters, digits, single spaces, hyphens, underscores."""
_LONGEST = 28


@dataclass(frozen=True)
class Holding:
    """Contents of a data set that decide which pages fit it.

    `joined` are kinds of data sets that can be joined; with `is_rated_once` no item has two ratings. Without
    `has_persons` nobody is named who rated.
    """

    kind: str
    groups: tuple[str, ...] = ()
    has_systems: bool = False
    has_answers: bool = False
    has_texts: bool = False
    has_references: bool = False
    numbers: int = 0
    splits: int = 0
    joined: frozenset[str] = frozenset()
    is_rated_once: bool = False
    has_persons: bool = True

    @property
    def has_numbers(self) -> bool:
        return self.numbers > 0


def holding_of(dataset: Dataset) -> Holding:
    cells = query(dataset, "cells") if dataset.kind in WITH_GROUPS else None
    groups = [] if cells is None else cells["group"].tolist()
    once = (
        dataset.kind == "ratings" and cells is not None and bool((cells["ratings"] <= cells["items"]).all())
    )
    known = dataset.kind == "choices" and any(dataset.has(column) for column in KNOWN)
    return Holding(
        dataset.kind,
        tuple(dict.fromkeys(groups)),
        has_systems=dataset.has("system") or dataset.has("option_a"),
        has_answers=known,
        has_texts=dataset.has("text"),
        has_references=dataset.has("text", "reference_text"),
        numbers=len(dataset.named("item number")),
        splits=len(query(dataset, "labels", column="split")["name"]) if dataset.has("split") else 0,
        is_rated_once=once,
        has_persons=dataset.raters_are_persons,
    )


def has_repeated_ratings(holding: Holding) -> bool:
    """Return False for ratings of which no item has two, which say nothing of how well raters agree."""
    return not holding.is_rated_once


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
    """Return what the data set holds, and what a page of these kinds would need."""
    columns = KINDS[kinds[0]].required
    return (
        "This data set holds {rows}, and this page needs {others}: a table with the columns <b>{columns}</b>.",
        {
            "rows": KINDS[holding.kind].rows,
            "others": listed([KINDS[kind].rows for kind in kinds]),
            "columns": listed(columns, len(columns)),
        },
    )


def nothing_to_compare(holding: Holding) -> Sentence | None:
    """Return why ratings of one group have no other to be compared with; None where they have."""
    if holding.kind != "ratings" or len(holding.groups) > 1 or holding.has_numbers:
        return None
    return (
        "There is nothing to compare these ratings with: they need a second group of raters, or numbers of the items.",
        {},
    )


def no_persons(holding: Holding) -> Sentence | None:
    """Return why ratings by unnamed raters cannot be compared by rater; None where raters are named."""
    if holding.has_persons:
        return None
    return (
        "This page compares raters, and nobody is named who gave these {rows}. If rater ids are those of persons, say "
        "so on the Data page.",
        {"rows": KINDS[holding.kind].rows},
    )


def no_candidates(holding: Holding) -> Sentence | None:
    """Return why no candidate can replace the raters, who are unnamed or alone; None where one can."""
    if not holding.has_persons:
        return no_persons(holding)
    if len(holding.groups) > 1 or (holding.has_answers if holding.kind == "choices" else holding.has_numbers):
        return None
    if holding.kind == "choices":
        return (
            "No candidate can replace these raters: they need choices of another group, such as a model's, or known "
            "answers.",
            {},
        )
    return (
        "No candidate can replace these raters: they need ratings of another group, or a column with the numbers of a "
        "model or a metric.",
        {},
    )


def no_systems(holding: Holding) -> Sentence | None:
    """Return why ratings without systems have none to compare; None where there are some, and for choices."""
    if holding.kind != "ratings" or holding.has_systems:
        return None
    return (
        "There are no systems to compare: the ratings need a column <b>system</b>, which says what made each item.",
        {},
    )


def comparison_title(holding: Holding | None) -> str:
    """Return what the page that compares groups is called: by their names where there are two with short, plain ones.

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


def systems_title(holding: Holding | None) -> str:
    """Return the title of the page that ranks systems; for labels and sets of labels it shows these.

    >>> systems_title(Holding("choices")), systems_title(Holding("choices", has_systems=True))
    ('Labels', 'Ranking systems')
    """
    shows_labels = holding is not None and (
        holding.kind == "label sets" or (holding.kind == "choices" and not holding.has_systems)
    )
    return "Labels" if shows_labels else "Ranking systems"


PURPOSE: Sentence = (
    "Upload the ratings of a study. See whether raters agree, how many ratings are enough, whom to exclude, and which "
    "system is best. Nothing is saved until you say so.",
    {},
)
OF_THE_SAMPLE: Sentence = ("Example: the sample <b>{name}</b>", {})
