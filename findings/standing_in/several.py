"""Several candidates: whether they err alike, and how many independent ones their mean is worth."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import pandas as pd

from analysis.replacing_raters.candidates import on_the_scale_of
from analysis.replacing_raters.shared_errors import SharedErrors, shared_errors
from analysis.values.estimate import Estimate
from features.blocks import Finding
from features.evidence import for_raters
from features.plotting.numbers import decimal, decimal_with_interval
from features.results import OnProgress, key_of, long_result
from features.study import Study
from features.tables import Shown
from features.verdicts import clear_if, excludes, not_enough_data
from features.words import Sentence, counted
from findings.standing_in.candidates import Asked, Standing
from findings.standing_in.standings import Candidate, reference_ratings, values_of

NOTE: Sentence = (
    "An error is a value less the mean of the reference's ratings; what is constant over the items does not count. "
    "Chance in those means, which all candidates' errors share, is taken out; the raw correlation has it in.",
    {},
)


def comparable(candidates: Sequence[Candidate], standings: Sequence[Standing]) -> dict[str, Candidate]:
    """Those whose distance from the reference means anything, by name."""
    return {one.name: one for one, its in zip(candidates, standings, strict=True) if its.test is not None}


def found(
    study: Study, asked: Asked, chosen: Sequence[Candidate], standings: Sequence[Standing]
) -> SharedErrors | None:
    """How their errors go together; None while stopped."""
    by_mean = replace(asked, score="negative rmse")
    put = {one.name for one in standings if one.rescaled}

    def compute(on_progress: OnProgress) -> SharedErrors:
        on_progress(0.0)
        reference = reference_ratings(study, asked)
        values: list[Mapping[Any, float]] = []
        for one in chosen:
            its = values_of(study, by_mean, one)
            values.append(on_the_scale_of(reference, its) if one.name in put else its)
            on_progress(0.05)
        return shared_errors(reference, values, on_progress=on_progress, scope=asked.scope)

    parts = asked.reference, asked.measure, asked.rescaled, tuple(chosen), asked.scope
    return long_result(key_of(study.dataset, "shared errors", *parts), "Shared errors", compute)


def finding(asked: Asked, names: Sequence[str], errors: SharedErrors) -> Finding:
    """How far candidates err alike, and what their mean is worth."""
    values: dict[str, object] = {
        "k": counted(len(names), "candidate"),
        "reason": errors.reason or errors.correlation.reason,
        "r": decimal_with_interval(errors.correlation),
        "worth": decimal_with_interval(errors.worth, 1),
        "items": counted(errors.correlation.n, "item"),
        "on": asked.on,
    }
    if values["reason"]:
        return not_enough_data("Not enough data to say whether candidates err alike{on}: {reason}.", values)
    average = " on average" if len(names) > 2 else ""
    return clear_if(
        excludes(errors.correlation),
        "The errors of {k} go together{on} at <b>r = {r}</b>"
        + average
        + ": their mean is worth <b>{worth}</b> independent ones ({items}).",
        values,
        for_raters(asked.scope),
    )


def table(names: Sequence[str], errors: SharedErrors) -> Shown:
    """Every two candidates with the correlation of their errors."""
    pairs = list(combinations(range(len(names)), 2))
    value, low, high = errors.correlations, errors.low, errors.high
    of_pairs = [
        Estimate(float(value[pair]), float(low[pair]), float(high[pair]), errors.correlation.n)
        for pair in pairs
    ]
    rows = pd.DataFrame(
        {
            "Candidate": [names[one] for one, _ in pairs],
            "Other candidate": [names[other] for _, other in pairs],
            "Correlation of errors": [e.value for e in of_pairs],
            "Raw correlation": [float(errors.raw[one, other]) for one, other in pairs],
        }
    )
    return rows, {
        "Correlation of errors": [decimal_with_interval(e, 3) for e in of_pairs],
        "Raw correlation": lambda value: decimal(value, 3),
    }
