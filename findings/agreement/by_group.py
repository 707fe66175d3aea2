"""Figures of how far a group's raters agree, cached: at a glance, by every coefficient, by halves, pair by pair.

In each of them a rater's repeats of an item count as one value.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from analysis.agreement.agreement_summary import (
    AgreementSummary,
    agreement_summary,
    alpha_over_raters,
    summary_for_crossed_others,
    summary_for_others,
    summary_for_these_raters,
)
from analysis.agreement.cluster_intervals import NO_CLUSTERS, Clusters
from analysis.agreement.credit import Weights
from analysis.agreement.one_way_intervals import RaterChanges
from analysis.agreement.rater_pairs import RaterPairs, rater_pairs
from analysis.agreement.rating_reliability import THESE, Scope, default_scope, is_crossed
from analysis.assessors.agreement_of_everyone import (
    AgreementFigure,
    BeyondChance,
    agreement_of_everyone,
    beyond_chance,
)
from analysis.crowd_vs_lab.variance_components import ITEMS_TAKEN
from analysis.repetitions.repetition import RepetitionSpec
from analysis.values.ratings import Ratings
from features.results import in_any_order, key_of, long_result, query, ratings, read, result
from features.study import Study
from findings.agreement.summary import Agreed
from findings.repetitions.rating_curves import DEFAULT_SHUFFLES, fitted_curves, range_of_repetitions


def at_a_glance(study: Study, scope: Scope | None = None) -> tuple[Agreed, ...] | None:
    """Return each measure in each group that rated it, in a scope or each in its default; None while stopped."""
    study = study.between_raters
    asked = _asked(study)

    def compute(on_progress: Callable[[float], object]) -> tuple[Agreed, ...]:
        agreed = []
        for at, (measure, group) in enumerate(asked):
            agreed.append(Agreed(measure, group, of_group(study, measure, group, scope)))
            on_progress((at + 1) / len(asked))
        return tuple(agreed)

    key = key_of(study.dataset, "agreement at a glance", asked, scope)
    return long_result(key, "Agreement of the raters", compute)


def _asked(study: Study) -> list[tuple[str, str]]:
    cells = query(study.dataset, "cells")
    rated = set(zip(cells["measure"].tolist(), cells["group"].tolist(), strict=True))
    return [(m, g) for m in study.measures for g in study.groups if (m, g) in rated]


def with_halves(
    study: Study, agreed: tuple[Agreed, ...], scope: Scope | None = None
) -> tuple[Agreed, ...] | None:
    """The same with the correlation of two halves of an item's ratings; None while stopped."""
    study = study.between_raters

    def compute(on_progress: Callable[[float], object]) -> tuple[Agreed, ...]:
        halved = []
        for at, one in enumerate(agreed):
            alone = replace(
                study, candidate=one.group, measures=(one.measure,), reference=None, reference_column=None
            )
            spec = RepetitionSpec(DEFAULT_SHUFFLES, range_of_repetitions(alone).repetitions)
            (fitted,) = fitted_curves(alone, spec, 1.0)
            halves = fitted.correlation
            if not halves.defined and fitted.curves.reason:
                halves = replace(halves, reason=fitted.curves.reason)
            halved.append(replace(one, halves=halves, h=fitted.curves.repetitions))
            on_progress((at + 1) / len(agreed))
        return tuple(halved)

    asked = [(one.measure, one.group) for one in agreed]
    return long_result(key_of(study.dataset, "agreement of halves", asked, scope), "Split halves", compute)


def of_everyone(study: Study, measure: str) -> dict[str, AgreementFigure] | None:
    """How far the candidate group's raters agree, by alpha and the ICCs; None while stopped."""
    study = study.between_raters
    return long_result(
        key_of(study.dataset, "agreement of everyone", measure, study.candidate),
        "Agreement of all raters",
        lambda on_progress: agreement_of_everyone(
            ratings(study.dataset, measure, study.candidate), on_progress
        ),
    )


def beyond(study: Study, measure: str, weights: Weights) -> BeyondChance | None:
    """The same beyond chance; None where there are too many ratings and values."""
    study = study.between_raters
    return result(
        key_of(study.dataset, "agreement beyond chance", measure, study.candidate, weights),
        lambda: beyond_chance(ratings(study.dataset, measure, study.candidate), weights),
    )


def pairs(study: Study, measure: str) -> RaterPairs:
    """How far each two of the candidate group's raters agree; of many ratings the busiest ones' are read."""
    study = study.between_raters

    def compute() -> RaterPairs:
        if not study.dataset.has_sums:
            return rater_pairs(ratings(study.dataset, measure, study.candidate))
        rows = read(study.dataset, "busiest", measure=measure, group=study.candidate)
        return rater_pairs(Ratings(rows["item"], rows["rater"], rows["score"]))

    return result(key_of(study.dataset, "pairs of raters", measure, study.candidate), compute)


def of_group(study: Study, measure: str, group: str, scope: Scope | None = None) -> AgreementSummary:
    """Return the agreement of one group on one measure: from sums where they are there, else from the ratings."""
    study = study.between_raters
    persons = study.raters_are_persons

    def compute() -> AgreementSummary:
        known = clusters_of_items(study)
        if not study.dataset.has_sums:
            return agreement_summary(ratings(study.dataset, measure, group), scope, persons, *known)
        return _of_sums(study, measure, group, scope, known)

    return result(key_of(study.dataset, "agreement summary", measure, group, scope), compute)


Known = dict[int, int] | None


def clusters_of_items(study: Study) -> tuple[Known, Known]:
    """Return the system and the topic of each item that has one, by the item's code; None without such a column."""
    if not (study.dataset.has("system") or study.dataset.has("topic")):
        return None, None
    rows = query(study.dataset, "belonging")
    found: list[Known] = []
    for column in ("system", "topic"):
        has = rows[column] >= 0
        pairs = zip(rows["item"][has].tolist(), rows[column][has].tolist(), strict=True)
        found.append(dict(pairs) if study.dataset.has(column) else None)
    return found[0], found[1]


def _of_sums(
    study: Study, measure: str, group: str, scope: Scope | None, known: tuple[Known, Known]
) -> AgreementSummary:
    asked = {"measure": measure, "group": group}
    items = query(study.dataset, "unit_sums", **asked)
    count, total, squares = items["count"], items["total"], items["squares"]
    scores = query(study.dataset, "score_counts", measure=measure)
    if int((scores["group"] == group).sum()) == 1:  # what is left of their distances is rounding
        total, squares = np.zeros(len(total)), np.zeros(len(squares))
    raters = len(read(study.dataset, "cell_raters", **asked)["rater"])
    clusters = (
        NO_CLUSTERS
        if known == (None, None)
        else Clusters.of_known(items["item"].tolist(), known[0], known[1])
    )
    centered = None
    if study.raters_are_persons and is_crossed(count, raters):
        rows = read(study.dataset, "centered_sums", **asked)
        centered = rows["count"], rows["total"], rows["squares"]
    found = summary_for_these_raters(count, total, squares, raters, clusters, centered)
    persons = study.raters_are_persons
    if not persons or (scope or default_scope(raters, persons)) == THESE or not raters:
        return found
    rated = in_any_order(study.dataset, measure, group)
    item = np.searchsorted(items["item"], rated.item)
    rater = np.unique(rated.rater, return_inverse=True)[1]
    alpha = alpha_over_raters(item, rater, rated.score, clusters)
    if centered is not None:
        return summary_for_crossed_others(found, alpha, rated)
    most = {"max_items": ITEMS_TAKEN} if len(count) >= 2 * ITEMS_TAKEN else {}
    changes = read(study.dataset, "rater_changes", **asked, **most)
    some = np.isin(items["item"], changes.pop("taken")) if most else None
    return summary_for_others(found, alpha, (count, total, squares), RaterChanges(**changes), some)
