"""Whether another mean would do better: the same curves under every aggregation."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from analysis.repetitions.aggregation import AGGREGATIONS, BY_ITEM, Aggregation
from analysis.repetitions.repetition import simulate
from analysis.repetitions.saturation import mean_and_number
from charts.repetitions import one_measure
from features.item_variance import candidate_ratings
from features.results import long_result
from features.study import Study
from findings.repetitions.aggregations import MeanCurves, aggregation_table, how_averaged, ratings
from findings.repetitions.rating_curves import curves_key, reference_values
from findings.repetitions.settings import Settings
from ui.controls import choose_one
from ui.pictures import draw, look
from ui.tables import show_table
from ui.words import note, say

SHUFFLES = 50
"""A mean over this many orders moves by less than a line's width; the bands are not shown here."""


def show(study: Study, chosen: Settings, r: int | None) -> None:
    """Draws the curves of one measure, and all measures' correlations after r ratings (or as many as all have)."""
    means = _means(study, chosen)
    if means is None:
        return
    measure = choose_one("Measure whose aggregations are drawn", list(means), key="aggregated", width=300)
    if all(not np.isfinite(curve).any() for curve in means[measure].values()):
        say("{measure} has no defined curve, so there is nothing to compare.", measure=measure)
        return
    draw(
        st,
        one_measure.aggregations(means[measure], chosen.correlation, look()),
        key="aggregations",
        alt=f"Mean curves of {measure} under each aggregation",
    )
    lengths = [len(curve) for curves in means.values() for curve in curves.values() if len(curve)]
    at = min(r or min(lengths), max(lengths))
    show_table(
        *aggregation_table(means, at),
        alt=f"Correlation after {ratings(at)} per item under each aggregation",
    )
    note(*how_averaged(study, at, min(SHUFFLES, chosen.spec.shuffles) + 1))


def _means(study: Study, chosen: Settings) -> MeanCurves | None:
    fewer = replace(chosen.spec, shuffles=min(SHUFFLES, chosen.spec.shuffles), aggregation="mean")
    kinds = AGGREGATIONS if study.raters_are_persons else BY_ITEM

    def compute(on_progress: Callable[[float], object]) -> MeanCurves:
        means: dict[str, dict[Aggregation, NDArray[np.float64]]] = {}
        for at, measure in enumerate(study.measures):
            rated, known = candidate_ratings(study, measure), reference_values(study, measure)
            means[measure] = {}
            for nth, kind in enumerate(kinds):
                curves = simulate(rated, known, replace(fewer, aggregation=kind))
                means[measure][kind], _ = mean_and_number(curves.points)
                on_progress((at + (nth + 1) / len(kinds)) / len(study.measures))
        return means

    return long_result(curves_key(study, "aggregations", fewer), "Other aggregations", compute)
