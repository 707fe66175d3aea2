"""Figures of a measure's items, cached: a rater's repeats of an item count as one value, except in its mean."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from analysis.items.disagreement import Disagreement, disagreement, disagreement_of_sums
from analysis.items.discrimination import Discrimination, discrimination
from analysis.values.ratings import Ratings
from features.results import in_any_order, key_of, long_result, query, ratings, read, result
from features.study import Study
from findings.items.all_items import AllItems

MOST_RATINGS = 10_000_000
"""Ratings of a measure by a group up to which broken items are looked for without being asked: in each of them."""


def spread(study: Study, measure: str) -> Disagreement:
    """On which items the candidate group disagrees: from sums where they are there, else from the ratings."""
    once = study.between_raters
    asked = {"measure": measure, "group": study.candidate}

    def compute() -> Disagreement:
        if once is not study:
            every = in_any_order(study.dataset, **asked).mos()
            return replace(disagreement(ratings(once.dataset, **asked)), mean=every.means)
        if not study.dataset.has_sums:
            return disagreement(ratings(study.dataset, **asked))
        items = query(study.dataset, "cell_means", **asked)
        fourth = read(study.dataset, "fourth_powers", **asked)["fourth"]
        return disagreement_of_sums(
            items["item"], items["count"], items["mean"], items["squares"], float(fourth[0])
        )

    return result(key_of(once.dataset, "items' spread", measure, study.candidate), compute)


def all_items(study: Study, measure: str) -> AllItems | None:
    """Figures of all items that the candidate group rated; None while stopped."""

    once = study.between_raters

    def compute(on_progress: Callable[[float], object]) -> AllItems:
        found = spread(study, measure)
        on_progress(0.2)
        given = _given(once, measure)
        on_progress(0.4)
        return AllItems(np.asarray(found.items, dtype=np.int64), found, discrimination(given))

    return long_result(key_of(once.dataset, "items", measure, study.candidate), "Items", compute)


def takes_long(study: Study, measure: str) -> bool:
    """Whether there are so many ratings that broken items are looked for only where somebody asks."""
    if not study.dataset.has_sums:
        return False
    return int(spread(study, measure).ratings.sum()) > MOST_RATINGS


def without_broken(study: Study, measure: str) -> AllItems:
    """The same figures with nothing of which items look broken."""
    found = spread(study, measure)
    unknown = np.full(len(found.items), np.nan)
    none = Discrimination(found.items, np.zeros(len(unknown), np.int64), unknown, unknown, unknown, unknown)
    return AllItems(np.asarray(found.items, dtype=np.int64), found, none)


def _given(study: Study, measure: str) -> Ratings:
    """The ratings, of a large data set read without their order and not kept."""
    asked = {"measure": measure, "group": study.candidate}
    if not study.dataset.has_sums:
        return ratings(study.dataset, **asked)
    rows = read(study.dataset, "scores", **asked)
    return Ratings(rows["item"], rows["rater"], rows["score"])
