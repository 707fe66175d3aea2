"""The table of knees: at once without intervals, which need long draws, then with them."""

from collections.abc import Sequence

import streamlit as st

from analysis.repetitions.fitted_curves import FittedCurves
from findings.repetitions.knee_table import TABLE, Intervals, how_drawn, shown_table
from findings.study import Study
from panels.parts.tables import show_table
from panels.parts.words import note
from panels.repetitions import knee_intervals
from panels.repetitions.settings import Settings


def show(study: Study, chosen: Settings, fitted: Sequence[FittedCurves]) -> Intervals:
    """Shows the fitted curves with the knees' intervals, and returns these; None where they were stopped."""
    place = st.empty()
    intervals = knee_intervals.known(study, chosen, fitted)
    with place:
        show_table(*shown_table(fitted, intervals), alt=TABLE)
    if intervals is None:
        intervals = knee_intervals.intervals(study, chosen, fitted)
        with place:
            show_table(*shown_table(fitted, intervals), alt=TABLE)
    if intervals:
        note(*how_drawn(study, chosen.bootstrap))
    return intervals
