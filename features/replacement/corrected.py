"""Scores of all items with a candidate's help, corrected by the items that the reference rated."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
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
    Table,
    capitalized,
    clear_if,
    confidence_interval,
    for_raters,
    not_applicable,
    not_enough_data,
)
from features.plotting.theme import THREE_DIGITS, NumberFormat, count, decimal, estimate_with_interval
from features.replacement.answers import answers_of
from features.replacement.results import values_of
from features.replacement.specs import Candidate, CandidateResult, ReplacementSpec, Results
from features.study import OnProgress, Study, key_of, long_result, query, result, score_writer
from features.words import Column, counted, estimate_columns, of_many, table_of

ALL_ITEMS = "all items"


@dataclass(frozen=True, eq=False)
class Corrected:
    """Scores by system, or of all items together.

    `same_scale` says whether the candidate is on the scale of the ratings, without which only the tuned form counts.
    """

    candidate: str
    scores: Mapping[str, CorrectedScore]
    of_systems: bool
    same_scale: bool
    write_score: NumberFormat = decimal

    @property
    def rated(self) -> int:
        return sum(one.rated for one in self.scores.values())

    @property
    def items(self) -> int:
        """Items that the candidate has values of."""
        return sum(one.items for one in self.scores.values())


def systems_of(study: Study, items: Iterable[int]) -> NDArray[np.str_] | None:
    """Return the system of each item, "" where none is named; None without systems."""
    if not study.dataset.has("system"):
        return None
    rows = query(study.dataset, "systems")
    of = dict(zip(rows["item"].tolist(), rows["system"].tolist(), strict=True))
    return np.array([of.get(item, "") for item in items], dtype=np.str_)


def correct_scores(
    study: Study, spec: ReplacementSpec, one: Candidate, found: CandidateResult, weight: float | None
) -> Corrected:
    """Return the scores with a candidate's help; a weight of None is tuned to the data."""

    def compute() -> Corrected:
        values = {item: value for item, value in values_of(study, spec, one).items() if value == value}
        f = np.array(list(values.values()), dtype=np.float64)
        mos = answers_of(study, spec.measure, spec.reference).mos()
        means = dict(zip(mos.items.tolist(), mos.means.tolist(), strict=True))
        y = np.array([means.get(item, nan) for item in values], dtype=np.float64)
        systems = systems_of(study, values)
        if systems is None:
            return Corrected(one.name, {ALL_ITEMS: corrected_score(f, y, weight=weight)}, False, same)
        there = systems != ""
        by_system = corrected_scores(systems[there], f[there], y[there], weight=weight)
        return Corrected(one.name, by_system, True, same)

    same = found.compared is not None and found.compared.same_scale
    parts = one, spec.reference, spec.measure, spec.score, weight, same
    corrected = result(key_of(study.dataset, "corrected scores", *parts), compute)
    return replace(corrected, write_score=score_writer(study, spec.measure, spec.reference))


def corrected_finding(spec: ReplacementSpec, of: Corrected) -> Finding:
    """Return whether corrected scores are more precise than those of the reference alone."""
    reference = "the raters" if spec.one_group else spec.reference
    values: dict[str, object] = {
        "name": of.candidate,
        "Name": capitalized(of.candidate),
        "reference": reference,
        "items": of_many(of.items, "items"),
    }
    counts = f"{of_many(of.items, 'items')}, {count(of.rated)} rated by {reference}"
    if of.items == of.rated:
        headline = "{Name} has nothing to add: {reference} rated all of its {items}."
        return not_applicable(headline, values, "corrected scores need items that the reference did not rate")
    defined = [one for one in of.scores.values() if one.tuned.defined]
    known = [one for one in defined if one.tuned.low == one.tuned.low]
    if not known:
        reasons = [one.tuned.reason for one in defined or of.scores.values()] or ["nothing was rated"]
        return not_enough_data("Not enough data to correct scores with {name}.", values, reasons[0], counts)
    better = sum(one.tuned.high - one.tuned.low < one.reference.high - one.reference.low for one in defined)
    scope = for_raters("these raters")
    if of.of_systems:
        headline = "With {name}, {number} of {systems} have narrower intervals."
        values |= {"number": str(better), "systems": of_many(len(known), "systems")}
        return clear_if(better > 0, headline, values, counts, scope)
    (one,) = defined
    return clear_if(
        better > 0,
        "With {name}, the mean score is <b>{score}</b>.",
        values | {"score": of.write_score(one.tuned.value)},
        confidence_interval(one.tuned, of.write_score),
        counts,
        scope,
        f"from the reference alone {estimate_with_interval(one.reference, of.write_score)}",
        f"weight {decimal(one.weight)}",
    )


def corrected_table(of: Corrected) -> Table:
    """Return each system's score by each way, with the candidate's weight."""
    each = list(of.scores.values())
    alone = of.write_score if of.same_scale else THREE_DIGITS
    plain = [one.plain if of.same_scale else Estimate(nan) for one in each]
    caption = (
        "Scores corrected with {name}, with 95% CIs. Valid where the items that the reference rated are a random part "
        "of all, and for these reference raters."
    )
    return table_of(
        "corrected-scores",
        (caption, {"name": of.candidate}),
        [
            Column("System" if of.of_systems else "Of", list(of.scores)),
            *estimate_columns("Corrected", [one.tuned for one in each], of.write_score),
            *estimate_columns("Reference alone", [one.reference for one in each], of.write_score),
            *estimate_columns("Plain form", plain, of.write_score, None, False),
            Column("Weight", [one.weight for one in each], decimal),
            Column("Candidate alone", [one.uncorrected for one in each], alone, False),
            Column("Rated", [one.rated for one in each], count),
            Column("Items", [one.items for one in each], count),
        ],
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
        reference = answers_of(study, spec.measure, spec.reference)
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
    if reason := errors.reason or errors.correlation.reason:
        return not_enough_data("Not enough data to say whether candidates err alike{on}.", values, reason)
    average = "average r" if len(names) > 2 else "r"
    worth = estimate_with_interval(errors.worth, lambda value: decimal(value, 1))
    is_clear = errors.correlation.excludes()
    subject = "Errors" if is_clear else "It is unclear whether errors"
    return clear_if(
        is_clear,
        f"{subject} of the candidates correlate{{on}}, {average} = <b>{{r}}</b>.",
        values,
        confidence_interval(errors.correlation),
        counted(errors.correlation.n, "item"),
        for_raters(spec.scope),
        f"the mean of {len(names)} is worth {worth} independent candidates",
    )


def errors_table(names: Sequence[str], errors: SharedErrors) -> Table:
    pairs = list(combinations(range(len(names)), 2))
    value, low, high, n = errors.correlations, errors.low, errors.high, errors.correlation.n
    of_pairs = [Estimate(float(value[pair]), float(low[pair]), float(high[pair]), n) for pair in pairs]
    return table_of(
        "shared-errors",
        "Correlation of every pair's errors (distances from the reference's mean), with 95% CIs. Chance in these "
        "means is removed, except from raw correlations.",
        [
            Column("Candidate", [names[one] for one, _ in pairs]),
            Column("Other candidate", [names[other] for _, other in pairs]),
            *estimate_columns("Correlation of errors", of_pairs, THREE_DIGITS),
            Column("Raw correlation", [float(errors.raw[pair]) for pair in pairs], THREE_DIGITS),
        ],
    )
