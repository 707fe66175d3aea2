"""What a group answered: its ratings of a measure, or its choices as codes that can be equal."""

from typing import Any

import numpy as np

from analysis.replacing_raters.chosen import KNOWN, Chosen, chosen
from analysis.values.ratings import Ratings
from analysis.values.repeats import standing_votes
from features.results import in_any_order, key_of, query, result
from features.study import Study


def given(study: Study, measure: str, group: str) -> Ratings:
    """What a group answered, by codes of items and raters; of choices the scores are codes that are equal or not."""
    if not study.holds_choices:
        return in_any_order(study.dataset, measure, group)
    of = _choices(study, group)
    return result(
        key_of(study.dataset, "choices as codes", group),
        lambda: _one_per_rater(study, group, Ratings(of.item, of.rater, of.answer.astype(np.float64))),
    )


def _one_per_rater(study: Study, group: str, every: Ratings) -> Ratings:
    """One answer per rater and item where the view merges repeats, else all."""
    merge = study.dataset.merged
    if merge is None:
        return every
    order = query(study.dataset, "choices", group=group)["order"]
    kept = standing_votes(every.item, every.rater, every.score, order, merge)
    return Ratings(every.item[kept], every.rater[kept], every.score[kept])


def known_columns(study: Study) -> list[str]:
    """The columns of choices with one answer per item that the data set has."""
    return [column for column in KNOWN if study.dataset.has(column)]


def known_answers(study: Study, column: str) -> dict[Any, float]:
    """The expert's or the gold answer by item."""
    found: dict[Any, float] = {}
    for group in study.groups:
        of = _choices(study, group)
        answers = of.known[column]
        there = answers >= 0
        found |= dict(zip(of.item[there].tolist(), answers[there].astype(np.float64).tolist(), strict=True))
    return found


def systems_and_designs(study: Study) -> tuple[int, int]:
    """Between how many systems raters chose (0: labels), and under how many designs."""
    pairs = study.dataset.has("option_a", "option_b")
    return (
        len(query(study.dataset, "options")["name"]) if pairs else 0,
        len(query(study.dataset, "designs")["name"]) if study.dataset.has("design") else 0,
    )


def _choices(study: Study, group: str) -> Chosen:
    return result(
        key_of(study.dataset, "answers of a group", group),
        lambda: chosen(query(study.dataset, "choices", group=group), *systems_and_designs(study)),
    )
