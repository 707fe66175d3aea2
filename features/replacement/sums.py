"""Figures of a group as a candidate from the sums of a large data set, without its ratings."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.comparison import variance_components
from analysis.replacement.alternative_annotator import HeldSums
from analysis.replacement.effective_number import effective_number_of_sums
from analysis.values.estimate import Estimate
from features.replacement.specs import ReplacementSpec
from features.results import query, ratings
from features.study import Study


def suffice(study: Study, spec: ReplacementSpec) -> bool:
    """Return True where sums suffice: of distances, where nobody of the reference rated an item twice."""
    if spec.score != "negative rmse" or not study.dataset.has_sums:
        return False
    twice = query(study.dataset, "repeats", measure=spec.measure, group=spec.reference)["items"]
    return not int(twice[0])


def sums_of_test(study: Study, spec: ReplacementSpec, group: str) -> HeldSums:
    """Return what the test needs of the reference's raters."""
    number = _reference(study, spec)["count"]
    known, _ = _shared(study, spec, group)
    several = known & (number > 1)
    of = query(study.dataset, "held_against", measure=spec.measure, reference=spec.reference, candidate=group)
    return HeldSums(
        of["rater"],
        of["number"],
        of["wins"],
        of["loses"],
        int(several.sum()),
        int((~known).sum()),
        int((known & ~several).sum()),
        int((number[several] ** 2).sum()),
    )


def worth(
    study: Study, spec: ReplacementSpec, group: str, level: float | None
) -> tuple[Estimate, int] | None:
    """Return the raters that a group's mean is worth, and the items that its interval is based on, 0 for none or all.

    None where every rater may have rated every item, so that raters' own means would have to be taken off first, and
    where an interval needs all ratings.
    """
    sums = _reference(study, spec)
    known, values = _shared(study, spec, group)
    number, total, squares = (sums[name][known] for name in ("count", "total", "squares"))
    of_reference = {"measure": spec.measure, "group": spec.reference}
    raters = len(query(study.dataset, "cell_raters", **of_reference)["rater"])
    alike = len(number) == 0 or bool((number == number[0]).all())
    if alike and (not known.all() or number[0] == raters):
        return None
    if level is None:
        return effective_number_of_sums(number, total, squares, values, raters), 0
    most = variance_components.ITEMS_TAKEN
    if len(number) < 2 * most:
        return None
    drawn = ratings(study.dataset, **of_reference, max_items=most, seed=0, shared_with=group)
    items = sums["item"][known]
    there = np.isin(items, drawn.item)
    of_some = dict(zip(items[there].tolist(), values[there].tolist(), strict=True))
    told = effective_number_of_sums(
        number, total, squares, values, raters, (drawn, of_some), level, spec.scope
    )
    return told, len(of_some)


def _reference(study: Study, spec: ReplacementSpec) -> dict[str, NDArray[Any]]:
    return query(study.dataset, "unit_sums", measure=spec.measure, group=spec.reference)


def _shared(study: Study, spec: ReplacementSpec, group: str) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Return whether the candidate has a value of each of the reference's items, and those values."""
    its = query(study.dataset, "cell_means", measure=spec.measure, group=group)
    items = _reference(study, spec)["item"]
    known = np.isin(items, its["item"])
    return known, its["mean"][np.isin(its["item"], items)]
