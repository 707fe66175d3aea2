"""Errors that several candidates share, and how many independent ones their mean is worth: results and findings."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

from analysis.replacement.alternative_annotator import on_the_scale_of
from analysis.replacement.effective_number import SharedErrors, shared_errors
from analysis.values.estimate import Estimate
from features.blocks import Finding, Note, Table
from features.evidence import confidence_interval, for_raters
from features.plotting.numbers import decimal, decimal_with_interval
from features.replacement.results import reference_ratings, values_of
from features.replacement.specs import Candidate, ReplacementSpec, Results
from features.results import OnProgress, key_of, long_result
from features.study import Study
from features.tables import Column, estimate_columns, table_of
from features.verdicts import clear_if, excludes, not_enough_data
from features.words import counted

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
