"""The contributors of a pyramid joined to a study: both scores of every summary, and each assessor's mP - aP."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from analysis.assessors.pyramid import (
    AssessorDifferences,
    Contributors,
    PyramidScores,
    by_assessor,
    pyramid_scores,
)
from analysis.values.estimate import BootstrapSpec
from data.dataset import Dataset
from features.assessments import assessments, item_texts, names
from features.results import key_of, query, result
from features.study import Study

SAMPLE_PYRAMIDS = {"sample-assessors": "sample-assessors-pyramid"}
"""The contributors of a built-in study, by its key."""
_CLOSED = BootstrapSpec(draws=0)


def shares_items(study: Study, dataset: Dataset) -> bool:
    """Whether a data set speaks of any of the study's items."""

    def shares() -> bool:
        return bool(np.isin(query(dataset, "item_names")["name"], names(study, "item")).any())

    return result(key_of(study.whole, "shares items", dataset.sha256), shares)


def scores_key(study: Study, contributors: Dataset, *parts: object) -> str:
    """The key of what is found of these contributors."""
    return key_of(study.whole, "pyramid", contributors.sha256, study.candidate, *parts)


def scores(
    study: Study, contributors: Dataset, on_progress: Callable[[float], object] | None = None
) -> PyramidScores:
    """Both scores of every summary.

    Raises
    ------
    InputError
        where a column of the contributors cannot be read.
    """
    rows = query(contributors, "contributors")
    marked = Contributors(
        **{name: rows[name] for name in ("topic", "item", "scu", "text", "weight", "condition", "is_model")},
        rater=rows["rater"] if contributors.has("rater_id") else _sole_raters(study, rows["item"]),
    )
    texts = dict(zip(names(study, "item").tolist(), item_texts(study)[0].tolist(), strict=True))
    return pyramid_scores(marked, texts, _places(study, contributors.has("condition")), on_progress)


def differences(
    study: Study, contributors: Dataset, scores: PyramidScores, bootstrap: BootstrapSpec
) -> AssessorDifferences:
    """mP - aP of each assessor."""
    return result(scores_key(study, contributors, bootstrap), lambda: by_assessor(scores, bootstrap))


def difference_values(study: Study, contributors: Dataset) -> NDArray[np.float64]:
    """mP - aP by rater code, NaN where it is not known."""
    found = result(scores_key(study, contributors), lambda: scores(study, contributors))
    of_each = differences(study, contributors, found, _CLOSED)
    value = {
        name: estimate.value
        for name, estimate in zip(of_each.raters.tolist(), of_each.difference, strict=True)
    }
    return np.array([value.get(name, np.nan) for name in names(study, "rater").tolist()])


def _places(study: Study, by_condition: bool) -> dict[str, tuple[str, str]]:
    """Topic and condition ("" for none) of each item whose topic is known, by names."""
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
    """Who judged each of these items, "" where that is nobody or not one person."""
    items, raters = names(study, "item").tolist(), [*names(study, "rater").tolist(), ""]
    sole = assessments(study, study.all_measures[0]).sole_raters(len(items)).tolist()
    rater_of = {item: raters[rater] for item, rater in zip(items, sole, strict=True)}
    return np.array([rater_of.get(item, "") for item in marked.tolist()], dtype=np.str_)
