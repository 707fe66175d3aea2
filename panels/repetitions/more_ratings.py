"""What more ratings would bring: both models of a curve past those collected, and the knee against their number."""

from collections.abc import Sequence

import numpy as np
import streamlit as st

from analysis.repetitions.fitted_curves import FittedCurves
from analysis.repetitions.knee import knees_by_repetitions
from analysis.repetitions.saturation import mean_and_number
from charts.repetitions import one_measure
from features.plotting.theme import group_colour
from features.study import Study
from findings.repetitions.knee_table import Intervals
from findings.repetitions.measure_rules import measure_rules
from findings.repetitions.settings import Settings
from findings.repetitions.stopping_rules import MeasureRules, model_table
from ui.controls import choose_one
from ui.pictures import draw, look
from ui.tables import show_table
from ui.words import say

FARTHEST = 24
"""Ratings per item up to which the knee is followed at least."""


def show(study: Study, chosen: Settings, fitted: Sequence[FittedCurves], intervals: Intervals) -> None:
    """Draws one measure in detail, and how well both models describe all of them."""
    by_measure = measure_rules(study, chosen, fitted, intervals)
    measures = [one.fitted.measure for one in by_measure]
    detail = choose_one("Measure in detail", measures, key="detail", width=260)
    one = by_measure[measures.index(detail)]
    if not np.isfinite(one.fitted.curves.points).any():
        say("{measure}: {reason}.", measure=detail, reason=one.fitted.curves.reason or "there is no curve")
    else:
        left, right = st.columns(2, gap="large")
        with left:
            _draw_models(study, chosen, one)
        with right:
            _draw_knees(chosen, one.fitted)
    show_table(*model_table(by_measure), alt="Limit, and fit of both models, per measure")


def _draw_models(study: Study, chosen: Settings, one: MeasureRules) -> None:
    mean, _ = mean_and_number(one.fitted.curves.points)
    draw(
        st,
        one_measure.models(
            one_measure.Models(mean, one.fitted.saturation, one.attenuation, one.interval),
            chosen.correlation,
            group_colour(study.candidate, study.groups),
            look(),
        ),
        key="models",
        alt=f"Mean curve of {one.fitted.measure} with its interval, the exponential and the attenuation curve",
    )


def _draw_knees(chosen: Settings, one: FittedCurves) -> None:
    if not one.saturation.defined:
        say("No knee to follow: {reason}.", reason=one.saturation.reason)
        return
    m = one.curves.repetitions
    knees = knees_by_repetitions(one.saturation, max(2 * m, FARTHEST), chosen.sensitivity)
    draw(
        st,
        one_measure.knees_by_repetitions(knees, m, one.knee, look()),
        key="knee_by_m",
        alt=f"Knee of {one.measure} against the number of ratings collected",
    )
