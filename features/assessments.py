"""Ratings of the open study by codes and names, and the contributors of its pyramid, cached."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from analysis.assessors.consistency import Assessments
from analysis.assessors.pyramid import (
    AssessorDifferences,
    Contributors,
    PyramidScores,
    by_assessor,
    pyramid_scores,
)
from analysis.values.estimate import BootstrapSpec
from data.dataset import Dataset
from features.results import key_of, long_result, query, read, result
from features.study import Study


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


SAMPLE_PYRAMIDS = {"sample-assessors": "sample-assessors-pyramid"}
"""Contributors of a built-in study, by its key."""
_CLOSED = BootstrapSpec(draws=0)


def shares_items(study: Dataset, dataset: Dataset) -> bool:
    """Return True where a data set has any of the items of another."""

    def shares() -> bool:
        return bool(np.isin(*(query(one, "item_names")["name"] for one in (dataset, study))).any())

    return result(key_of(study, "shares items", dataset.sha256), shares)


def _pyramid_key(study: Study, contributors: Dataset, *parts: object) -> str:
    return key_of(study.whole, "pyramid", contributors.sha256, study.candidate, *parts)


def score_pyramid(study: Study, contributors: Dataset) -> PyramidScores | None:
    """Return both scores of every summary; None while stopped.

    Raises
    ------
    InputError
        where a column of the contributors cannot be read.
    """
    return long_result(
        _pyramid_key(study, contributors),
        "Looking for contributors in the texts",
        lambda on_progress: _score(study, contributors, on_progress),
    )


def _score(study: Study, contributors: Dataset, on_progress: Callable[[float], object]) -> PyramidScores:
    rows = query(contributors, "contributors")
    marked = Contributors(
        **{name: rows[name] for name in ("topic", "item", "scu", "text", "weight", "condition", "is_model")},
        rater=rows["rater"] if contributors.has("rater_id") else _sole_raters(study, rows["item"]),
    )
    texts = dict(zip(names(study, "item").tolist(), item_texts(study)[0].tolist(), strict=True))
    return pyramid_scores(marked, texts, _places(study, contributors.has("condition")), on_progress)


def pyramid_differences(
    study: Study, contributors: Dataset, scores: PyramidScores, bootstrap: BootstrapSpec
) -> AssessorDifferences:
    """Return mP - aP of each rater."""
    return result(_pyramid_key(study, contributors, bootstrap), lambda: by_assessor(scores, bootstrap))


def difference_values(study: Study, contributors: Dataset) -> NDArray[np.float64]:
    """Return mP - aP by rater code, NaN where it is not known."""
    found = result(_pyramid_key(study, contributors), lambda: _score(study, contributors, lambda _: None))
    of_each = pyramid_differences(study, contributors, found, _CLOSED)
    value = {
        name: estimate.value
        for name, estimate in zip(of_each.raters.tolist(), of_each.difference, strict=True)
    }
    return np.array([value.get(name, np.nan) for name in names(study, "rater").tolist()])


def _places(study: Study, by_condition: bool) -> dict[str, tuple[str, str]]:
    """Return topic and condition ("" for none) of each item whose topic is known, by names."""
    judged = assessments(study, study.all_measures[0])
    items = names(study, "item").tolist()
    topics = [*names(study, "topic").tolist(), ""]
    conditions = [*names(study, "condition").tolist(), ""]
    return {
        items[item]: (topics[topic], conditions[condition] if by_condition else "")
        for item, topic, condition in zip(
            judged.item.tolist(), judged.topic.tolist(), judged.condition.tolist(), strict=True
        )
        if topic >= 0
    }


def _sole_raters(study: Study, marked: NDArray[np.str_]) -> NDArray[np.str_]:
    """Return the only rater of each of these items, "" where there is none or several."""
    items, raters = names(study, "item").tolist(), [*names(study, "rater").tolist(), ""]
    sole = assessments(study, study.all_measures[0]).sole_raters(len(items)).tolist()
    rater_of = {item: raters[rater] for item, rater in zip(items, sole, strict=True)}
    return np.array([rater_of.get(item, "") for item in marked.tolist()], dtype=np.str_)
