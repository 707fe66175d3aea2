"""Scores of all items with a candidate's help, corrected by the items that the reference rated."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from math import nan

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.replacing_raters.corrected_scores import CorrectedScore, corrected_score, corrected_scores
from analysis.values.estimate import Estimate
from features.blocks import Finding
from features.evidence import for_raters
from features.plotting.numbers import count, decimal, decimal_with_interval
from features.results import key_of, query, result
from features.study import Study
from features.tables import Shown, Written
from features.verdicts import clear_if, not_applicable, not_enough_data
from features.words import Sentence, counted, of_many
from findings.standing_in.candidates import Asked, Standing
from findings.standing_in.standings import Candidate, reference_ratings, values_of

ALL_ITEMS = "all items"
RANDOM: Sentence = (
    "Right only where the items that the reference rated are a random part of all, and for these reference raters. The "
    "plain form gives the candidate the weight 1, which may be less precise than the reference alone. The weight is "
    "tuned to the data, near 0 for a useless candidate, where at least 10 items are rated and 5 of them differ from "
    "the commonest score. With fewer than 8 rated items, or where nearly all have one score, there is no interval. "
    "With 8 to 30 rated items at the end of a scale, intervals held in 91 to 100 of 100 simulated studies; "
    "of real ratings of speech with 20 or 40 rated items, in 99 to 100.",
    {},
)


@dataclass(frozen=True, eq=False)
class Corrected:
    """Scores by system, or of all items together; `same_scale` whether the candidate's values are on that of the
    ratings, without which only the tuned form means anything."""

    candidate: str
    scores: Mapping[str, CorrectedScore]
    of_systems: bool
    same_scale: bool

    @property
    def rated(self) -> int:
        return sum(one.rated for one in self.scores.values())

    @property
    def items(self) -> int:
        return sum(one.items for one in self.scores.values())


def corrected(
    study: Study, asked: Asked, one: Candidate, standing: Standing, weight: float | None
) -> Corrected:
    """The scores with one candidate's help; `weight` as typed, None: tuned to the data."""

    def compute() -> Corrected:
        values = values_of(study, asked, one)
        items = np.array(list(values), dtype=np.int64)
        f = np.array([values[item] for item in items.tolist()], dtype=np.float64)
        known = ~np.isnan(f)
        items, f = items[known], f[known]
        y = _means(study, asked, items)
        systems = _systems(study, items)
        by_system: Mapping[str, CorrectedScore]
        if systems is None:
            by_system = {ALL_ITEMS: corrected_score(f, y, weight=weight)}
        else:
            there = systems != ""
            by_system = corrected_scores(systems[there], f[there], y[there], weight=weight)
        return Corrected(one.name, by_system, systems is not None, same)

    same = standing.compared is not None and standing.compared.same_scale
    parts = one, asked.reference, asked.measure, asked.score, weight, same
    return result(key_of(study.dataset, "corrected scores", *parts), compute)


def _means(study: Study, asked: Asked, items: NDArray[np.int64]) -> NDArray[np.float64]:
    """The reference's mean of each item, NaN where it rated it not."""
    mos = reference_ratings(study, asked).mos()
    means = dict(zip(mos.items.tolist(), mos.means.tolist(), strict=True))
    return np.array([means.get(item, nan) for item in items.tolist()], dtype=np.float64)


def _systems(study: Study, items: NDArray[np.int64]) -> NDArray[np.str_] | None:
    """The system of each item, "" where none is named; None without systems."""
    if not study.dataset.has("system"):
        return None
    rows = query(study.dataset, "systems")
    of = dict(zip(rows["item"].tolist(), rows["system"].tolist(), strict=True))
    return np.array([of.get(item, "") for item in items.tolist()], dtype=np.str_)


def finding(asked: Asked, of: Corrected) -> Finding:
    """What the scores become, and whether surer than the reference alone."""
    values: dict[str, object] = {
        "name": of.candidate,
        "reference": "the raters" if asked.one_group else asked.reference,
        "rated": count(of.rated),
        "items": of_many(of.items, "items"),
    }
    defined = {name: one for name, one in of.scores.items() if one.tuned.defined}
    if of.items == of.rated:
        return not_applicable(
            "{name} can add nothing to the scores: {reference} rated all of its {items}. Corrected scores are for more "
            "items than the reference rated.",
            values,
        )
    if not defined:
        (reason, *_) = [one.tuned.reason for one in of.scores.values()] or ["nothing was rated"]
        return not_enough_data(
            "Corrected scores <b>cannot be told</b>: {reason}.", values | {"reason": reason}
        )
    with_interval = {name: one for name, one in defined.items() if one.tuned.low == one.tuned.low}
    if not with_interval:
        values |= {"reason": next(iter(defined.values())).tuned.reason}
        return not_enough_data(
            "With {name} on {items}, {rated} of which {reference} rated, corrected scores have <b>no interval</b>: "
            "{reason}.",
            values,
        )
    scope = for_raters("these raters")
    surer = [one for one in defined.values() if _width(one.tuned) < _width(one.reference)]
    if not of.of_systems:
        (one,) = defined.values()
        values |= {
            "score": decimal_with_interval(one.tuned),
            "alone": decimal_with_interval(one.reference),
            "weight": decimal(one.weight),
        }
        return clear_if(
            bool(surer),
            "With {name} on {items}, {rated} of which {reference} rated, the mean score is <b>{score}</b>; from the "
            "reference alone it is {alone} (weight of the candidate {weight}).",
            values,
            scope,
        )
    values |= {"k": str(len(surer)), "systems": counted(len(with_interval), "system")}
    return clear_if(
        bool(surer),
        "With {name} on {items}, {rated} of which {reference} rated, the interval of the score is narrower than "
        "from the reference alone for <b>{k} of {systems}</b>.",
        values,
        scope,
    )


def table(of: Corrected) -> Shown:
    """Each system's score by each way, with the candidate's weight."""
    ways = {
        "Corrected": [one.tuned for one in of.scores.values()],
        "Reference alone": [one.reference for one in of.scores.values()],
        "Plain form": [one.plain if of.same_scale else Estimate(nan) for one in of.scores.values()],
    }
    rows = pd.DataFrame(
        {
            "System" if of.of_systems else "Of": list(of.scores),
            **{way: [e.value for e in each] for way, each in ways.items()},
            "Weight": [one.weight for one in of.scores.values()],
            "Candidate alone": [one.uncorrected for one in of.scores.values()],
            "Rated": [one.rated for one in of.scores.values()],
            "Items": [one.items for one in of.scores.values()],
        }
    )
    written: dict[str, Written] = {
        way: [decimal_with_interval(e) for e in each] for way, each in ways.items()
    }
    return rows, written | {
        "Weight": partial(decimal, digits=2),
        "Candidate alone": partial(decimal, digits=2),
        "Rated": count,
        "Items": count,
    }


def _width(e: Estimate) -> float:
    return e.high - e.low
