"""The open study's ratings as assessors are judged by them: one group, one measure, codes and names, cached."""

import numpy as np
from numpy.typing import NDArray

from analysis.assessors.assessments import Assessments
from features.results import key_of, query, read, result
from features.study import Study

__all__ = ["Assessments", "assessments", "item_numbers", "item_texts", "names", "system_kinds"]


def assessments(study: Study, measure: str) -> Assessments:
    """One measure's ratings by the candidate group, everyone's."""

    def compute() -> Assessments:
        rows = read(study.whole, "assessments", measure=measure, group=study.candidate)
        return Assessments(measure, **rows)

    return result(key_of(study.whole, "assessments", measure, study.candidate), compute)


def names(study: Study, column: str) -> NDArray[np.str_]:
    """The names that the codes of "item", "rater", "system", "topic", "condition" or "split" stand for."""
    if column not in ("item", "rater") and not study.whole.has(column):
        return np.empty(0, dtype=np.str_)
    rows = (
        query(study.whole, f"{column}_names")
        if column in ("item", "rater")
        else query(study.whole, "labels", column=column)
    )
    called: NDArray[np.str_] = rows["name"]
    return called


def item_numbers(study: Study, column: str) -> NDArray[np.float64]:
    """A further numeric column by item code, NaN where an item has none."""
    rows = query(study.whole, "item_numbers", column=column)
    values = np.full(len(names(study, "item")), np.nan)
    values[rows["item"]] = rows["value"]
    return values


def item_texts(study: Study) -> tuple[NDArray[np.str_], NDArray[np.str_]]:
    """The items' texts and reference texts by item code, "" where there is none."""
    rows = query(study.whole, "item_texts")
    return rows["text"], rows["reference_text"]


def system_kinds(study: Study) -> NDArray[np.str_]:
    """Machine or person, by system code; "" where it is not known."""
    if not study.whole.has("system"):
        return np.empty(0, dtype=np.str_)
    kinds: NDArray[np.str_] = query(study.whole, "system_kinds")["kind"]
    return kinds
