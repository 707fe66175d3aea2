"""Contributors of a pyramid joined to a study: both scores of every summary, and each rater's mP - aP."""

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
from features.results import key_of, long_result, query, result
from features.study import Study

SAMPLE_PYRAMIDS = {"sample-assessors": "sample-assessors-pyramid"}
"""Contributors of a built-in study, by its key."""
_CLOSED = BootstrapSpec(draws=0)


def shares_items(study: Dataset, dataset: Dataset) -> bool:
    """Return True where a data set has any of the items of another."""

    def shares() -> bool:
        return bool(np.isin(*(query(one, "item_names")["name"] for one in (dataset, study))).any())

    return result(key_of(study, "shares items", dataset.sha256), shares)


def _key(study: Study, contributors: Dataset, *parts: object) -> str:
    return key_of(study.whole, "pyramid", contributors.sha256, study.candidate, *parts)


def summary_scores(study: Study, contributors: Dataset) -> PyramidScores | None:
    """Return both scores of every summary; None while stopped.

    Raises
    ------
    InputError
        where a column of the contributors cannot be read.
    """
    return long_result(
        _key(study, contributors),
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


def differences(
    study: Study, contributors: Dataset, scores: PyramidScores, bootstrap: BootstrapSpec
) -> AssessorDifferences:
    """Return mP - aP of each rater."""
    return result(_key(study, contributors, bootstrap), lambda: by_assessor(scores, bootstrap))


def difference_values(study: Study, contributors: Dataset) -> NDArray[np.float64]:
    """Return mP - aP by rater code, NaN where it is not known."""
    found = result(_key(study, contributors), lambda: _score(study, contributors, lambda _: None))
    of_each = differences(study, contributors, found, _CLOSED)
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
