"""What is known of a group as a candidate from the sums of a large data set, without its ratings."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.comparison import variance_components
from analysis.replacing_raters.alternative_annotator import HeldSums
from analysis.replacing_raters.effective_number import effective_number_of_sums
from analysis.values.estimate import Estimate
from features.results import query, ratings
from features.study import Study
from findings.standing_in.candidates import Asked


def tell(study: Study, asked: Asked) -> bool:
    """Whether sums tell of a group: of distances, where nobody of the reference rated an item twice."""
    if asked.score != "negative rmse" or not study.dataset.has_sums:
        return False
    twice = query(study.dataset, "repeats", measure=asked.measure, group=asked.reference)["items"]
    return not int(twice[0])


def held(study: Study, asked: Asked, group: str) -> HeldSums:
    """What the test needs of the reference's raters."""
    number = _reference(study, asked)["count"]
    known, _ = _shared(study, asked, group)
    several = known & (number > 1)
    of = query(
        study.dataset, "held_against", measure=asked.measure, reference=asked.reference, candidate=group
    )
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


def worth(study: Study, asked: Asked, group: str, level: float | None) -> tuple[Estimate, int] | None:
    """How many raters a group's mean is worth, and off how many items its interval was read, 0 for none or all.

    None where every rater may have rated every item, so that raters' own means would have to be taken off first, and
    where an interval is asked for that takes all ratings."""
    sums = _reference(study, asked)
    known, values = _shared(study, asked, group)
    number, total, squares = (sums[name][known] for name in ("count", "total", "squares"))
    asked_of = {"measure": asked.measure, "group": asked.reference}
    raters = len(query(study.dataset, "cell_raters", **asked_of)["rater"])
    alike = len(number) == 0 or bool((number == number[0]).all())
    if alike and (not known.all() or number[0] == raters):
        return None
    if level is None:
        return effective_number_of_sums(number, total, squares, values, raters), 0
    most = variance_components.ITEMS_TAKEN
    if len(number) < 2 * most:
        return None
    drawn = ratings(study.dataset, **asked_of, max_items=most, seed=0, shared_with=group)
    items = sums["item"][known]
    there = np.isin(items, drawn.item)
    of_some = dict(zip(items[there].tolist(), values[there].tolist(), strict=True))
    told = effective_number_of_sums(
        number, total, squares, values, raters, (drawn, of_some), level, asked.scope
    )
    return told, len(of_some)


def _reference(study: Study, asked: Asked) -> dict[str, NDArray[Any]]:
    return query(study.dataset, "unit_sums", measure=asked.measure, group=asked.reference)


def _shared(study: Study, asked: Asked, group: str) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Whether the candidate has a value of each of the reference's items, and those values."""
    its = query(study.dataset, "cell_means", measure=asked.measure, group=group)
    items = _reference(study, asked)["item"]
    known = np.isin(items, its["item"])
    return known, its["mean"][np.isin(its["item"], items)]
