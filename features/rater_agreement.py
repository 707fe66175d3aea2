"""Agreement of one group's raters on one measure, as all pages have it, cached."""

import numpy as np
from numpy.typing import NDArray

from analysis.agreement.agreement_summary import (
    AgreementSummary,
    agreement_summary,
    alpha_of_some,
    alpha_over_raters,
    summary_for_others,
    summary_for_these_raters,
)
from analysis.agreement.cluster_intervals import NO_CLUSTERS, Clusters
from analysis.agreement.rating_reliability import THESE, is_crossed
from analysis.comparison.variance_components import ITEMS_TAKEN
from analysis.values.estimate import Estimate
from analysis.values.ratings import Ratings
from analysis.values.scope import Scope, chosen_scope
from features.results import in_any_order, key_of, query, ratings, read, result
from features.study import Study

HARDLY_ANY = 0.2
"""Upper end of an interval that holds 0 up to which it shows that raters hardly agree."""
Known = dict[int, int] | None


def of_group(study: Study, measure: str, group: str, scope: Scope | None = None) -> AgreementSummary:
    """Return the agreement of one group on one measure: from sums where they are there, else from the ratings."""
    study = study.between_raters
    persons = study.raters_are_persons

    def compute() -> AgreementSummary:
        if study.dataset.has_sums:
            return _of_sums(study, measure, group, scope)
        known = clusters_of_items(study) if _has_clusters(study) else (None, None)
        return agreement_summary(ratings(study.dataset, measure, group), scope, persons, *known)

    return result(key_of(study.dataset, "agreement summary", measure, group, scope), compute)


def fewest_raters(study: Study, *groups: str | None) -> int:
    """Return the number of raters of the chosen measure and the group with the fewest; 0 without a rating."""
    cells = query(study.between_raters.dataset, "cells")
    here = np.isin(cells["group"], [group for group in groups if group is not None])
    here &= np.isin(cells["measure"], study.measures)
    return int(cells["raters"][here].min(initial=np.iinfo(np.int64).max)) if here.any() else 0


def clusters_of_items(study: Study) -> tuple[Known, Known]:
    """Return the system and the topic of each item that has one, by the item's code; None without such a column."""
    rows = query(study.dataset, "belonging")
    found: list[Known] = []
    for column in ("system", "topic"):
        has = rows[column] >= 0
        pairs = zip(rows["item"][has].tolist(), rows[column][has].tolist(), strict=True)
        found.append(dict(pairs) if study.dataset.has(column) else None)
    return found[0], found[1]


def _has_clusters(study: Study) -> bool:
    return study.dataset.has("system") or study.dataset.has("topic")


def _of_sums(study: Study, measure: str, group: str, scope: Scope | None) -> AgreementSummary:
    asked = {"measure": measure, "group": group}
    items = query(study.dataset, "unit_sums", **asked)
    count, total, squares = items["count"], items["total"], items["squares"]
    scores = query(study.dataset, "score_counts", measure=measure)
    if int((scores["group"] == group).sum()) == 1:  # what is left of their distances is rounding
        total, squares = np.zeros(len(total)), np.zeros(len(squares))
    raters = len(read(study.dataset, "cell_raters", **asked)["rater"])
    clusters = NO_CLUSTERS
    if _has_clusters(study):
        rows = query(study.dataset, "belonging")
        of = (rows[column] if study.dataset.has(column) else None for column in ("system", "topic"))
        clusters = Clusters.of_codes(items["item"], rows["item"], *of)
    centered = None
    if study.raters_are_persons and is_crossed(count, raters):
        rows = read(study.dataset, "centered_sums", **asked)
        centered = rows["count"], rows["total"], rows["squares"]
    found = summary_for_these_raters(count, total, squares, raters, clusters, centered)
    if chosen_scope(scope, raters, study.raters_are_persons) == THESE or not raters:
        return found
    if len(count) < 2 * ITEMS_TAKEN:
        rated = in_any_order(study.dataset, measure, group)
        alpha = _alpha_for_others(rated, items["item"], clusters, found.alpha)
        return summary_for_others(found, alpha, rated, clusters)
    some = ratings(study.dataset, measure, group, max_items=ITEMS_TAKEN, seed=0)
    taken = np.isin(items["item"], some.item)
    of_some = clusters.where(taken)
    alpha = _alpha_for_others(some, items["item"][taken], of_some)
    return summary_for_others(found, alpha_of_some(found.alpha, alpha), some, of_some)


def _alpha_for_others(
    rated: Ratings, items: NDArray[np.int64], clusters: Clusters, these: Estimate | None = None
) -> Estimate:
    item = np.searchsorted(items, rated.item)
    here = np.bincount(rated.rater) > 0
    rater = (np.cumsum(here) - 1)[rated.rater]
    return alpha_over_raters(item, rater, rated.score, clusters, these=these)
