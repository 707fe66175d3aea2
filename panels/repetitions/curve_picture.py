"""The picture of repetitions of ratings: the curves of each measure, with the fitted one and its knee."""

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import streamlit as st

from analysis.repetitions.fitted_curves import FittedCurves
from analysis.repetitions.repetition import RepetitionSpec
from charts.repetitions.curves import repetitions
from features.plotting.figure import Figure
from features.plotting.panels import MOST
from features.plotting.theme import group_colour
from features.study import Study
from findings.repetitions.curves import at_a_glance, in_focus
from findings.repetitions.measure_rules import reliabilities
from findings.repetitions.rating_curves import DEFAULT_SHUFFLES, fitted_curves, range_of_repetitions
from findings.repetitions.settings import SYMBOLS, Settings
from ui.conclusions import show_finding
from ui.controls import measures_on_show
from ui.pictures import draw, look


def show(study: Study, chosen: Settings, fitted: Sequence[FittedCurves]) -> Callable[[], Figure]:
    """Draws the curves of the measures on show, and returns what draws them for the download."""
    shown = measures_on_show(study.measures, MOST)
    figure = partial(_figure, study, [one for one in fitted if one.measure in shown], chosen.correlation)
    draw(
        st,
        figure(),
        key="curves",
        alt="Correlation against the number of ratings per item, one panel per measure, with fitted curve and knee",
    )
    return figure


def show_at_a_glance(study: Study) -> None:
    """The finding with the curves of the measure that it speaks of."""
    spec = RepetitionSpec(DEFAULT_SHUFFLES, range_of_repetitions(study).repetitions)
    fitted = fitted_curves(study, spec, 1.0)
    show_finding(at_a_glance(study, fitted, reliabilities(study)))
    focus = in_focus(fitted)
    if not np.isnan(focus.curves.points).all():
        draw(
            st,
            _figure(study, [focus], SYMBOLS[spec.correlation]),
            key="overview_curves",
            alt=f"Correlation of {focus.measure} against the number of ratings per item",
        )


def _figure(study: Study, fitted: Sequence[FittedCurves], correlation: str) -> Figure:
    return repetitions(fitted, correlation, group_colour(study.candidate, study.groups), look())
