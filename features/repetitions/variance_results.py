"""Variance between items and between the ratings of an item, by the candidate group, cached.

Above `LARGEST_BOOTSTRAP` items it comes from a seeded sample of them, as repetition curves do.
"""

from typing import Any

import numpy as np

from analysis.agreement.intraclass import OneWayIntervals, one_way_intervals
from analysis.agreement.reliability import OneWay, one_way
from analysis.items.rating_spread import RatingSpread, rating_spread
from analysis.values.ratings import Ratings
from features.results import LARGEST_BOOTSTRAP, key_of, query, ratings, result
from features.study import Study


def candidate_ratings(study: Study, measure: str) -> Ratings:
    """Return the ratings that a curve runs over: those of items that the reference knows, or a sample of them."""
    chosen: dict[str, Any] = {}
    if is_sampled(study, measure):
        chosen = {"max_items": LARGEST_BOOTSTRAP, "seed": 0}
        if study.reference is not None:
            chosen["shared_with"] = study.reference
    return ratings(study.dataset, measure, study.candidate, **chosen)


def is_sampled(study: Study, measure: str) -> bool:
    """Return True where there are so many items that curves are based on a sample of them."""
    return has_many_items(study, measure, study.candidate)


def has_many_items(study: Study, measure: str, group: str) -> bool:
    """Return True where a group rated more items than curves are based on."""
    cells = query(study.dataset, "cells")
    here = (cells["measure"] == measure) & (cells["group"] == group)
    return bool(cells["items"][here].sum() > LARGEST_BOOTSTRAP)


def one_way_of(study: Study, measure: str) -> OneWay:
    """Return how items, and ratings of one item, differ; a rater's repeats of an item count as one."""
    study = study.between_raters
    return result(
        key_of(study.dataset, "one-way", measure, study.candidate, study.reference),
        lambda: one_way(candidate_ratings(study, measure)),
    )


def one_way_intervals_of(study: Study, measure: str) -> OneWayIntervals:
    """Return the same with intervals."""
    study = study.between_raters
    return result(
        key_of(study.dataset, "one-way intervals", measure, study.candidate, study.reference),
        lambda: one_way_intervals(candidate_ratings(study, measure), study.raters_are_persons),
    )


def spread_of(study: Study, measure: str) -> RatingSpread:
    """Return the variance of the ratings of an item, pooled over items."""
    once = study.between_raters
    return result(
        key_of(once.dataset, "rating spread", measure, study.candidate, study.reference),
        lambda: rating_spread(candidate_ratings(once, measure)),
    )


def score_range(study: Study, measure: str) -> float:
    """Return the range of the scores, 1 where none of an item is known."""
    known = one_way_of(study, measure).ratings
    return float(np.ptp(candidate_ratings(study, measure).score)) if known else 1.0
