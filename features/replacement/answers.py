"""Answers of each group, its ratings of a measure or its choices as codes, and the group that is the reference."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.comparison import variance_components
from analysis.replacement.alternative_annotator import ComparisonSums
from analysis.replacement.effective_number import effective_number_from_sums
from analysis.replacement.reference_means import KNOWN, EncodedChoices, encode_choices
from analysis.values.estimate import Estimate
from analysis.values.ratings import Ratings, standing_votes
from features.assessments import fewest_raters
from features.replacement.specs import ReplacementSpec
from features.study import (
    OnProgress,
    Study,
    key_of,
    long_result,
    query,
    ratings,
    result,
    unordered_ratings,
    usual_reference,
)

FEW = 10
"""Different scores up to which equal answers are worth counting."""


def answers_of(study: Study, measure: str, group: str) -> Ratings:
    """Return a group's answers by codes of items and raters; scores of choices are codes that are equal or not."""
    if not study.holds_choices:
        return unordered_ratings(study.dataset, measure, group)
    of = _choices(study, group)
    return result(
        key_of(study.dataset, "choices as codes", group),
        lambda: _one_per_rater(study, group, Ratings(of.item, of.rater, of.answer.astype(np.float64))),
    )


def _one_per_rater(study: Study, group: str, every: Ratings) -> Ratings:
    """Return one answer per rater and item where the view merges repeats, else all."""
    merge = study.dataset.merged
    if merge is None:
        return every
    order = query(study.dataset, "choices", group=group)["order"]
    kept = standing_votes(every.item, every.rater, every.score, order, merge)
    return Ratings(every.item[kept], every.rater[kept], every.score[kept])


def known_columns(study: Study) -> list[str]:
    """Return the columns of choices with one answer per item that the data set has."""
    return [column for column in KNOWN if study.dataset.has(column)]


def known_answers(study: Study, column: str) -> dict[Any, float]:
    """Return the expert's or the gold answer by item."""
    found: dict[Any, float] = {}
    for group in study.groups:
        of = _choices(study, group)
        answers = of.known[column]
        there = answers >= 0
        found |= dict(zip(of.item[there].tolist(), answers[there].astype(np.float64).tolist(), strict=True))
    return found


def _systems_and_designs(study: Study) -> tuple[int, int]:
    """Return the number of systems that raters chose between (0: labels), and of designs."""
    pairs = study.dataset.has("option_a", "option_b")
    return (
        len(query(study.dataset, "options")["name"]) if pairs else 0,
        len(query(study.dataset, "designs")["name"]) if study.dataset.has("design") else 0,
    )


def _choices(study: Study, group: str) -> EncodedChoices:
    return result(
        key_of(study.dataset, "answers of a group", group),
        lambda: encode_choices(query(study.dataset, "choices", group=group), *_systems_and_designs(study)),
    )


def reference_of(study: Study) -> str:
    """Return the group whose raters may be replaced: the sidebar's reference, or of choices people or the largest."""
    if study.holds_choices:
        if (at := usual_reference(study.groups)) is not None:
            return study.groups[at]
        cells = query(study.dataset, "cells")
        return str(cells["group"][int(np.argmax(cells["raters"]))])
    return study.reference or study.candidate


def other_groups(study: Study, measure: str, reference: str) -> list[str]:
    """Return the other groups that rated the measure, or that chose."""
    cells = query(study.dataset, "cells")
    there = slice(None) if study.holds_choices else cells["measure"] == measure
    rated = set(cells["group"][there].tolist())
    return [group for group in study.groups if group in rated and group != reference]


def raters_of_others(study: Study, measure: str, reference: str) -> dict[str, tuple[str, int]]:
    """Return the group and code of each rater of other groups, by name; none while the reading of them is stopped."""

    def find(on_progress: OnProgress) -> dict[str, tuple[str, int]]:
        names = query(study.dataset, "rater_names")["name"]
        groups = other_groups(study, measure, reference)
        found: dict[str, tuple[str, int]] = {}
        for at, group in enumerate(groups):
            on_progress(at / len(groups))
            codes = _raters(study, measure, group)
            found |= {str(names[code]): (group, int(code)) for code in codes}
        return found

    key = key_of(study.dataset, "raters of other groups", measure, reference)
    return long_result(key, "Raters to choose from", find) or {}


def _raters(study: Study, measure: str, group: str) -> NDArray[np.int64]:
    if study.holds_choices:
        return np.unique(answers_of(study, measure, group).rater)
    return query(study.dataset, "cell_raters", measure=measure, group=group)["rater"]  # type: ignore[no-any-return]


def has_few_values(study: Study, measure: str, reference: str) -> bool:
    """Return True where the reference gave so few different scores that equal ones are worth counting."""
    return bool(query(study.dataset, "few_scores", measure=measure, group=reference)["different"][0] <= FEW)


def count_raters(study: Study, reference: str) -> int:
    """Return the number of the reference's raters, on the measure with the fewest."""
    if not study.holds_choices:
        return fewest_raters(study, reference)
    cells = query(study.dataset, "cells")
    return int(cells["raters"][cells["group"] == reference].max(initial=0))


def suffice(study: Study, spec: ReplacementSpec) -> bool:
    """Return True where stored sums suffice: of distances, where nobody of the reference rated an item twice.

    Fewer ratings are read at once, so that a page need not show a part of the result first.
    """
    if spec.score != "negative rmse" or not study.dataset.has_sums:
        return False
    twice = query(study.dataset, "repeats", measure=spec.measure, group=spec.reference)["items"]
    return not int(twice[0])


def sums_of_test(study: Study, spec: ReplacementSpec, group: str) -> ComparisonSums:
    """Return what the test needs of the reference's raters."""
    number = _reference(study, spec)["count"]
    known, _ = _shared(study, spec, group)
    several = known & (number > 1)
    of = query(study.dataset, "held_against", measure=spec.measure, reference=spec.reference, candidate=group)
    return ComparisonSums(
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
    if alike and (not len(number) or not known.all() or number[0] == raters):
        return None
    if level is None:
        return effective_number_from_sums(number, total, squares, values, raters), 0
    most = variance_components.MOST_SAMPLED_ITEMS
    if len(number) < 2 * most:
        return None
    drawn = ratings(study.dataset, **of_reference, max_items=most, shared_with=group)
    items = sums["item"][known]
    there = np.isin(items, drawn.item)
    of_some = dict(zip(items[there].tolist(), values[there].tolist(), strict=True))
    effective = effective_number_from_sums(
        number, total, squares, values, raters, (drawn, of_some), level, spec.scope
    )
    return effective, len(of_some)


def _reference(study: Study, spec: ReplacementSpec) -> dict[str, NDArray[Any]]:
    return query(study.dataset, "unit_sums", measure=spec.measure, group=spec.reference)


def _shared(study: Study, spec: ReplacementSpec, group: str) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Return whether the candidate has a value of each of the reference's items, and those values."""
    its = query(study.dataset, "cell_means", measure=spec.measure, group=group)
    items = _reference(study, spec)["item"]
    known = np.isin(items, its["item"])
    return known, its["mean"][np.isin(its["item"], items)]
