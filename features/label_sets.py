"""Sets of labels of the open study, by question, with what is known to be right."""

from dataclasses import dataclass

import numpy as np

from analysis.agreement.label_sets import LabelSets
from analysis.values.estimate import Codes, Flags
from data.kinds.label_sets import labels_in
from features.study import ALL_GROUPS, Study, key_of, query, result

MOST_CELLS = 50_000_000
"""Different sets times different labels up to which sets are compared."""
TOO_MANY = "More than {most} different labels and sets: merge labels before sets are compared."
SHOWN = 20
"""Labels that a figure shows; tables have all."""


@dataclass(frozen=True, eq=False)
class Labeled:
    """Sets that raters gave for a question, "" for the only one.

    `known` (n, L) are the sets known to be right of `known_items` (n,), codes in ascending order. Nothing is read where
    there are `too_many` labels and sets.
    """

    question: str
    sets: LabelSets
    known: Flags
    known_items: Codes
    too_many: bool = False

    @property
    def items(self) -> int:
        return len(np.unique(self.sets.item))


def questions_of(study: Study) -> tuple[str, ...]:
    """Return the questions that were answered by sets of labels; one without a name where there is no such column."""
    return tuple(query(study.whole, "questions")["name"].tolist()) or ("",)


def labeled(study: Study, question: str = "") -> Labeled:
    """Return the sets of a question, by default the first one, of the candidate group or of all."""
    question = question or questions_of(study)[0]
    key = key_of(study.dataset, "sets of labels", study.candidate, question)
    return result(key, lambda: _read(study, question))


def _read(study: Study, question: str) -> Labeled:
    chosen = {} if study.candidate == ALL_GROUPS else {"group": study.candidate}
    rows = query(study.dataset, "label_sets", **chosen)
    asked = np.ones(len(rows["item"]), dtype=np.bool_)
    if question:
        asked = rows["design"] == query(study.dataset, "questions")["name"].tolist().index(question)
    item, rater, given, gold = (rows[name][asked] for name in ("item", "rater", "labels", "gold"))
    codes = np.unique(np.concatenate([given, gold[gold >= 0]]))
    names = query(study.dataset, "different_sets")["name"]
    sets = [labels_in(name) for name in names[codes].tolist()]
    labels = tuple(sorted({label for one in sets for label in one}))
    if len(sets) * len(labels) > MOST_CELLS:
        none = np.zeros(0, dtype=np.int64)
        nothing = LabelSets(none, none, none, np.zeros((0, 0), dtype=np.bool_), ())
        return Labeled(question, nothing, np.zeros((0, 0), dtype=np.bool_), none, True)
    at = {label: place for place, label in enumerate(labels)}
    member = np.zeros((len(sets), len(labels)), np.bool_)
    for row, one in enumerate(sets):
        member[row, [at[label] for label in one]] = True
    order = np.lexsort((np.arange(len(item)), item))
    items, first = np.unique(item[order][gold[order] >= 0], return_index=True)
    known = member[np.searchsorted(codes, gold[order][gold[order] >= 0][first])]
    return Labeled(
        question, LabelSets(item, rater, np.searchsorted(codes, given), member, labels), known, items
    )
