"""Scores of all items with a candidate's help, corrected by the items that the reference rated."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.replacement.alternative_annotator import on_the_scale_of
from analysis.replacement.corrected_scores import CorrectedScore, corrected_score, corrected_scores
from analysis.replacement.effective_number import SharedErrors, shared_errors
from analysis.values.estimate import Estimate
from features.blocks import (
    Finding,
    Note,
    Table,
    capitalized,
    clear_if,
    confidence_interval,
    excludes,
    for_raters,
    not_applicable,
    not_enough_data,
)
from features.plotting.numbers import count, decimal, decimal_with_interval
from features.replacement.results import reference_ratings, values_of
from features.replacement.specs import Candidate, CandidateResult, ReplacementSpec, Results
from features.results import OnProgress, key_of, long_result, query, result
from features.study import Study
from features.words import Column, counted, estimate_columns, of_many, table_of

ALL_ITEMS = "all items"
RANDOM = Note(
    (
        "Valid only where the items that the reference rated are a random part of all, and for these reference raters. "
        "The plain form gives the candidate the weight 1, which may be less precise than the reference alone. The "
        "weight is tuned to the data, near 0 for a useless candidate, where at least 10 items are rated and 5 of them "
        "differ from the commonest score. With fewer than 8 rated items, or where nearly all have one score, there is "
        "no interval. Intervals are for items like these: the mean of exactly these items lies in them more often, "
        "because a part of them was rated. With 8 to 30 rated items at the end of a scale, intervals held in 92 to 99 "
        "of 100 simulated studies; of real ratings of speech in 96 to 97.",
        {},
    )
)


@dataclass(frozen=True, eq=False)
class Corrected:
    """Scores by system, or of all items together.

    `same_scale` says whether the candidate is on the scale of the ratings, without which only the tuned form counts.
    """

    candidate: str
    scores: Mapping[str, CorrectedScore]
    of_systems: bool
    same_scale: bool

    @property
    def rated(self) -> int:
        """Items that the reference rated."""
        return sum(one.rated for one in self.scores.values())

    @property
    def items(self) -> int:
        """Items that the candidate has values of."""
        return sum(one.items for one in self.scores.values())


def correct_scores(
    study: Study, spec: ReplacementSpec, one: Candidate, found: CandidateResult, weight: float | None
) -> Corrected:
    """Return the scores with a candidate's help; a weight of None is tuned to the data."""

    def compute() -> Corrected:
        values = values_of(study, spec, one)
        items = np.array(list(values), dtype=np.int64)
        f = np.array([values[item] for item in items.tolist()], dtype=np.float64)
        known = ~np.isnan(f)
        items, f = items[known], f[known]
        y = _means(study, spec, items)
        systems = _systems(study, items)
        by_system: Mapping[str, CorrectedScore]
        if systems is None:
            by_system = {ALL_ITEMS: corrected_score(f, y, weight=weight)}
        else:
            there = systems != ""
            by_system = corrected_scores(systems[there], f[there], y[there], weight=weight)
        return Corrected(one.name, by_system, systems is not None, same)

    same = found.compared is not None and found.compared.same_scale
    parts = one, spec.reference, spec.measure, spec.score, weight, same
    return result(key_of(study.dataset, "corrected scores", *parts), compute)


def _means(study: Study, spec: ReplacementSpec, items: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the reference's mean of each item, NaN where it did not rate it."""
    mos = reference_ratings(study, spec).mos()
    means = dict(zip(mos.items.tolist(), mos.means.tolist(), strict=True))
    return np.array([means.get(item, nan) for item in items.tolist()], dtype=np.float64)


def _systems(study: Study, items: NDArray[np.int64]) -> NDArray[np.str_] | None:
    """Return the system of each item, "" where none is named; None without systems."""
    if not study.dataset.has("system"):
        return None
    rows = query(study.dataset, "systems")
    of = dict(zip(rows["item"].tolist(), rows["system"].tolist(), strict=True))
    return np.array([of.get(item, "") for item in items.tolist()], dtype=np.str_)


def corrected_finding(spec: ReplacementSpec, of: Corrected) -> Finding:
    """Return whether corrected scores are more precise than those of the reference alone."""
    values: dict[str, object] = {
        "name": of.candidate,
        "reference": "the raters" if spec.one_group else spec.reference,
        "items": of_many(of.items, "items"),
    }
    counts = f"{of_many(of.items, 'items')}, {count(of.rated)} rated by {values['reference']}"
    defined = {name: one for name, one in of.scores.items() if one.tuned.defined}
    if of.items == of.rated:
        headline = "{Name} has nothing to add: {reference} rated all of its {items}."
        values["Name"] = capitalized(of.candidate)
        return not_applicable(headline, values, "corrected scores need items that the reference did not rate")
    if not defined:
        reasons = [one.tuned.reason for one in of.scores.values()] or ["nothing was rated"]
        return not_enough_data("Not enough data to correct scores with {name}.", values, reasons[0], counts)
    known = {name: one for name, one in defined.items() if one.tuned.low == one.tuned.low}
    if not known:
        reason = next(iter(defined.values())).tuned.reason
        return not_enough_data(
            "Not enough data for an interval of scores corrected with {name}.", values, reason, counts
        )
    scope = for_raters("these raters")
    better = [one for one in defined.values() if _width(one.tuned) < _width(one.reference)]
    if not of.of_systems:
        (one,) = defined.values()
        return clear_if(
            bool(better),
            "With {name}, the mean score is <b>{score}</b>.",
            values | {"score": decimal(one.tuned.value)},
            confidence_interval(one.tuned),
            counts,
            scope,
            f"from the reference alone {decimal_with_interval(one.reference)}",
            f"weight {decimal(one.weight)}",
        )
    return clear_if(
        bool(better),
        "With {name}, {number} of {systems} have narrower intervals.",
        values | {"number": str(len(better)), "systems": of_many(len(known), "systems")},
        counts,
        scope,
    )


def corrected_table(of: Corrected) -> Table:
    """Return each system's score by each way, with the candidate's weight."""
    each = list(of.scores.values())
    plain = [one.plain if of.same_scale else Estimate(nan) for one in each]
    return table_of(
        "corrected-scores",
        ("Scores corrected with {name}, with 95% CIs.", {"name": of.candidate}),
        [
            Column("System" if of.of_systems else "Of", list(of.scores)),
            *_scores("Corrected", [one.tuned for one in each]),
            *_scores("Reference alone", [one.reference for one in each]),
            *_scores("Plain form", plain, at_first_sight=False),
            Column("Weight", [one.weight for one in each], partial(decimal, digits=2)),
            Column("Candidate alone", [one.uncorrected for one in each], decimal, False),
            Column("Rated", [one.rated for one in each], count),
            Column("Items", [one.items for one in each], count),
        ],
    )


def _scores(heading: str, estimates: list[Estimate], at_first_sight: bool = True) -> list[Column]:
    texts = [decimal_with_interval(each) for each in estimates]
    return estimate_columns(heading, estimates, decimal, texts, at_first_sight)


def _width(e: Estimate) -> float:
    return e.high - e.low


ERRORS = Note(
    (
        "An error is a value minus the mean of the reference's ratings; what is constant over the items does not "
        "count. Chance in those means, which all candidates' errors share, is removed; raw correlations include it.",
        {},
    )
)


def comparable(candidates: Sequence[Candidate], results: Results) -> dict[str, Candidate]:
    """Return the candidates whose distance from the reference means anything, by name."""
    return {one.name: one for one, its in zip(candidates, results, strict=True) if its.test is not None}


def correlate_errors(
    study: Study, spec: ReplacementSpec, chosen: Sequence[Candidate], results: Results
) -> SharedErrors | None:
    """Return the correlations of the candidates' errors; None while stopped."""
    by_mean = replace(spec, score="negative rmse")
    put = {one.name for one in results if one.rescaled}

    def compute(on_progress: OnProgress) -> SharedErrors:
        on_progress(0.0)
        reference = reference_ratings(study, spec)
        values: list[Mapping[Any, float]] = []
        for one in chosen:
            its = values_of(study, by_mean, one)
            values.append(on_the_scale_of(reference, its) if one.name in put else its)
            on_progress(0.05)
        return shared_errors(reference, values, on_progress=on_progress, scope=spec.scope)

    parts = spec.reference, spec.measure, spec.rescaled, tuple(chosen), spec.scope
    return long_result(key_of(study.dataset, "shared errors", *parts), "Shared errors", compute)


def errors_finding(spec: ReplacementSpec, names: Sequence[str], errors: SharedErrors) -> Finding:
    """Return whether candidates err alike, and what their mean is worth."""
    values: dict[str, object] = {"r": decimal(errors.correlation.value), "on": spec.on}
    reason = errors.reason or errors.correlation.reason
    if reason:
        return not_enough_data("Not enough data to say whether candidates err alike{on}.", values, reason)
    is_clear = excludes(errors.correlation)
    average = "average r" if len(names) > 2 else "r"
    return clear_if(
        is_clear,
        f"Errors of the candidates correlate{{on}}, {average} = <b>{{r}}</b>."
        if is_clear
        else f"It is unclear whether errors of the candidates correlate{{on}}, {average} = <b>{{r}}</b>.",
        values,
        confidence_interval(errors.correlation),
        counted(errors.correlation.n, "item"),
        for_raters(spec.scope),
        f"the mean of {len(names)} is worth {decimal_with_interval(errors.worth, 1)} independent candidates",
    )


def errors_table(names: Sequence[str], errors: SharedErrors) -> Table:
    """Return every pair of candidates with the correlation of their errors."""
    pairs = list(combinations(range(len(names)), 2))
    value, low, high = errors.correlations, errors.low, errors.high
    of_pairs = [
        Estimate(float(value[pair]), float(low[pair]), float(high[pair]), errors.correlation.n)
        for pair in pairs
    ]
    texts = [decimal_with_interval(e, 3) for e in of_pairs]
    return table_of(
        "shared-errors",
        "Correlation of the errors of every pair of candidates, with 95% CIs.",
        [
            Column("Candidate", [names[one] for one, _ in pairs]),
            Column("Other candidate", [names[other] for _, other in pairs]),
            *estimate_columns("Correlation of errors", of_pairs, lambda r: decimal(r, 3), texts),
            Column(
                "Raw correlation",
                [float(errors.raw[one, other]) for one, other in pairs],
                lambda r: decimal(r, 3),
            ),
        ],
    )
