"""The pyramid that belongs to the open study: its contributors, and each assessor's mP - aP, shelved.

Contributors are a data set of their own: the sample's beside the sample, else one of this workspace (or the one
that the address names under `pyramid`, by its reader's key) that speaks of the same items.
"""

from typing import Any

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
from findings.study import Study
from panels.assessors.assessments import assessments, item_texts, names
from panels.assessors.joined_datasets import joinable, keep_in_address
from panels.parts.errors import told_in_words
from panels.parts.progress import long_result
from panels.parts.shelf import key_of, result
from panels.parts.store import query

SAMPLE_PYRAMIDS = {"sample-assessors": "sample-assessors-pyramid"}
CLOSED = BootstrapSpec(draws=0)


def offered(study: Study) -> dict[str, Dataset]:
    """Data sets of contributors that speak of the study's items (see `joinable`); the address's choice first."""
    return joinable(study, "contributors", "pyramid", SAMPLE_PYRAMIDS.get(study.key))


def contributors_of(study: Study) -> Dataset | None:
    """The contributors in use; None where there are none, or no texts to look for them in."""
    if not study.whole.has("text"):
        return None
    return next(iter(offered(study).values()), None)


def difference_values(study: Study) -> NDArray[np.float64]:
    """mP - aP by rater code, NaN where it is not known."""
    values = np.full(len(names(study, "rater")), np.nan)
    found = contributors_of(study)
    if found is None:
        return values
    joined = offered(study)
    keep_in_address(joined, next(iter(joined)), "pyramid")
    with told_in_words():
        scores = result(_key(study, found), lambda: _scores(study, found))
    of = differences(study, found, scores, CLOSED)
    code = {name: at for at, name in enumerate(names(study, "rater").tolist())}
    for rater, estimate in zip(of.raters.tolist(), of.difference, strict=True):
        if rater in code:
            values[code[rater]] = estimate.value
    return values


def scores(study: Study, contributors: Dataset) -> PyramidScores | None:
    """Both scores of every summary; None while stopped."""
    with told_in_words():
        return long_result(
            _key(study, contributors),
            "Looking for contributors in the texts",
            lambda on_progress: _scores(study, contributors, on_progress),
        )


def differences(
    study: Study, contributors: Dataset, scores: PyramidScores, bootstrap: BootstrapSpec
) -> AssessorDifferences:
    """mP - aP of each assessor."""
    return result(_key(study, contributors, bootstrap), lambda: by_assessor(scores, bootstrap))


def _key(study: Study, contributors: Dataset, *parts: object) -> str:
    return key_of(study.whole, "pyramid", contributors.sha256, study.candidate, *parts)


def _scores(study: Study, contributors: Dataset, on_progress: Any = None) -> PyramidScores:
    rows = query(contributors, "contributors")
    item = names(study, "item").tolist()
    judged = assessments(study, study.all_measures[0])
    marked = Contributors(
        **{name: rows[name] for name in ("topic", "item", "scu", "text", "weight", "condition", "is_model")},
        rater=rows["rater"] if contributors.has("rater_id") else _sole_raters(study, rows["item"]),
    )
    topics = [*names(study, "topic").tolist(), ""]
    conditions = [*names(study, "condition").tolist(), ""]
    if not contributors.has("condition"):
        conditions = [""] * len(conditions)
    places = {
        item[code]: (topics[topic], conditions[condition])
        for code, topic, condition in zip(
            judged.item.tolist(), judged.topic.tolist(), judged.condition.tolist(), strict=True
        )
        if topic >= 0
    }
    texts = dict(zip(item, item_texts(study)[0].tolist(), strict=True))
    return pyramid_scores(marked, texts, places, on_progress)


def _sole_raters(study: Study, items: NDArray[Any]) -> NDArray[np.str_]:
    """Who judged each of these items, "" where that is nobody or not one person."""
    judged = assessments(study, study.all_measures[0])
    rater = np.full(len(names(study, "item")), -1)
    rater[judged.item] = judged.rater
    rater[judged.item[rater[judged.item] != judged.rater]] = -1
    who = dict(zip(names(study, "item").tolist(), rater.tolist(), strict=True))
    called = [*names(study, "rater").tolist(), ""]
    return np.array([called[who.get(item, -1)] for item in items.tolist()], dtype=np.str_)
