"""Whether another mean, or fewer raters, would do better: the last panels of the Repetitions page."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from analysis.repetitions.aggregation import AGGREGATIONS, BY_ITEM, Aggregation
from analysis.repetitions.repetition import RepetitionSpec, simulate
from analysis.repetitions.sensitivity import Sensitivity, sensitivity
from charts.parts.numbers import decimal
from charts.repetitions import stopping as charts
from findings.study import Study
from findings.words import listed
from panels.parts.pictures import draw, look
from panels.parts.progress import long_result
from panels.parts.tables import show_table
from panels.parts.words import note, say, warn
from panels.repetitions.curves import candidate_ratings, curves_key, reference_values

SHUFFLES = 50
"""A mean over this many orders moves by less than a line's width; the bands are not shown here."""

Means = Mapping[str, Mapping[Aggregation, NDArray[np.float64]]]
"""measure -> aggregation -> mean curve over orders (m,)."""


def show_aggregations(study: Study, spec: RepetitionSpec, r: int | None, correlation: str) -> None:
    """Draws the same curves for every aggregation."""
    found = _means(study, spec)
    if found is None:
        return
    measure = st.selectbox(
        "Measure whose aggregations are drawn", list(found), key="aggregated", bind="query-params", width=300
    )
    if all(not np.isfinite(curve).any() for curve in found[measure].values()):
        say("{measure} has no defined curve, so there is nothing to compare.", measure=measure)
        return
    draw(
        st,
        charts.aggregations(found[measure], correlation, look()),
        key="aggregations",
        alt=f"Mean curves of {measure} under each aggregation",
    )
    lengths = [len(curve) for curves in found.values() for curve in curves.values() if len(curve)]
    at = min(r or min(lengths), max(lengths))
    table = aggregation_table(found, at)
    show_table(
        table,
        dict.fromkeys(AGGREGATIONS, partial(decimal, digits=3)),
        alt=f"Correlation after {_ratings(at)} per item under each aggregation",
    )
    note(
        "Correlation after {at} per item, mean over {k} orders. A rater's severity, spread and reliability "
        "rest on the first ratings of the same order only.{slots}",
        at=_ratings(at),
        k=min(SHUFFLES, spec.shuffles) + 1,
        slots=""
        if study.raters_are_persons
        else " Raters are slots here, so nothing is corrected for raters.",
    )


def _means(study: Study, spec: RepetitionSpec) -> Means | None:
    fewer = replace(spec, shuffles=min(SHUFFLES, spec.shuffles), aggregation="mean")
    kinds = AGGREGATIONS if study.raters_are_persons else BY_ITEM

    def compute(on_progress: Callable[[float], object]) -> Means:
        made: dict[str, dict[Aggregation, NDArray[np.float64]]] = {}
        for at, measure in enumerate(study.measures):
            rated, known = candidate_ratings(study, measure), reference_values(study, measure)
            made[measure] = {}
            for nth, kind in enumerate(kinds):
                curves = simulate(rated, known, replace(fewer, aggregation=kind))
                made[measure][kind] = _mean(curves.points)
                on_progress((at + (nth + 1) / len(kinds)) / len(study.measures))
        return made

    return long_result(curves_key(study, "aggregations", fewer), "Other aggregations", compute)


def aggregation_table(found: Means, r: int) -> pd.DataFrame:
    """One row per measure: the correlation at r under each aggregation, and which is highest."""
    rows = []
    for measure, curves in found.items():
        row: dict[str, Any] = {"Measure": measure}
        row |= {kind: float(curve[r - 1]) if r <= len(curve) else np.nan for kind, curve in curves.items()}
        known = {kind: value for kind, value in row.items() if kind != "Measure" and value == value}
        row["Highest"] = max(known, key=known.__getitem__) if known else ""
        rows.append(row)
    return pd.DataFrame(rows)


def _ratings(number: int) -> str:
    return "1 rating" if number == 1 else f"{number} ratings"


def _mean(points: NDArray[np.float64]) -> NDArray[np.float64]:
    number = np.isfinite(points).sum(axis=0)
    return np.where(number > 0, np.nansum(points, axis=0) / np.maximum(number, 1), np.nan)


def show_unreliable(study: Study, spec: RepetitionSpec) -> None:
    """Draws what leaving out the least reliable quarter of raters would bring each measure."""
    if not study.raters_are_persons:
        say("Raters are slots in this data set, not persons, so nobody can be called unreliable.")
        return
    fewer = replace(spec, shuffles=min(SHUFFLES, spec.shuffles))

    def compute(on_progress: Callable[[float], object]) -> tuple[Sensitivity, ...]:
        made = []
        for at, measure in enumerate(study.measures):
            made.append(
                sensitivity(candidate_ratings(study, measure), reference_values(study, measure), fewer)
            )
            on_progress((at + 1) / len(study.measures))
        return tuple(made)

    found = long_result(curves_key(study, "sensitivity", fewer), "Without unreliable raters", compute)
    if found is None:
        return
    table = unreliable_table(study.measures, found)
    gains = table[np.isfinite(table["Gain"]) & (table["Left out"] > 0)]
    if len(gains) and gains["Gain"].iloc[0] <= 0:
        say("No measure gains from leaving out the least reliable quarter of its raters.")
    elif len(gains):
        first = gains.iloc[0]
        say(
            "<b>{measure}</b> gains most from leaving out the least reliable quarter of its raters: "
            "{without} instead of {everyone} after {r} per item.",
            measure=first["Measure"],
            without=decimal(first["Without them"]),
            everyone=decimal(first["Everyone"]),
            r=_ratings(first["Ratings per item"]),
        )
    three = partial(decimal, digits=3)
    show_table(
        table,
        dict.fromkeys(("Everyone", "Without them", "Gain"), three),
        alt="Correlation with everyone and without the least reliable quarter of raters, per measure",
    )
    told: dict[str, list[str]] = {}
    for measure, one in zip(study.measures, found, strict=True):
        if one.reason:
            told.setdefault(one.reason, []).append(measure)
    for reason, where in told.items():
        warn("{where}: {reason}.", where=listed(where), reason=reason)
    note(
        "Reliability: correlation of a rater's scores with the mean of the others on the same items; the reference "
        "is not looked at. The gain is a little too good, since the same ratings choose the raters."
    )


def unreliable_table(measures: Sequence[str], found: Sequence[Sensitivity]) -> pd.DataFrame:
    """One row per measure, the largest gain first."""
    rows = [
        {
            "Measure": measure,
            "Raters": one.raters,
            "Left out": one.gone,
            "Ratings per item": one.without.repetitions,
            "Everyone": one.correlation,
            "Without them": one.correlation_without,
            "Gain": one.gain,
        }
        for measure, one in zip(measures, found, strict=True)
    ]
    return pd.DataFrame(rows).sort_values("Gain", ascending=False, ignore_index=True)
