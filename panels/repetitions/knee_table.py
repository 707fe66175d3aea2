"""The table of knees: at once without intervals, which need long draws, then with them."""

from collections.abc import Callable, Sequence

import streamlit as st

from analysis.repetitions.fitted_curves import FittedCurves
from features.study import Study
from findings.repetitions import knee_intervals
from findings.repetitions.knee_table import TABLE, Intervals, how_drawn, shown_table
from findings.repetitions.settings import Settings
from ui.stages import show_stages
from ui.tables import show_table
from ui.words import note


def show(study: Study, chosen: Settings, fitted: Sequence[FittedCurves]) -> Intervals:
    """Shows the fitted curves with the knees' intervals, and returns these; None where they were stopped."""
    place = st.empty()

    def show_knees(intervals: Intervals, stage: str) -> None:
        with place:
            show_table(*shown_table(fitted, intervals), alt=TABLE)

    at_hand = knee_intervals.known(study, chosen, fitted)
    later: list[tuple[str, Callable[[Intervals], Intervals]]] = []
    if at_hand is None:
        later = [("with intervals", lambda _: knee_intervals.intervals(study, chosen, fitted))]
    intervals = show_stages(at_hand, show_knees, *later)
    if intervals and any(one.knee.defined for one in intervals):
        note(*how_drawn(study, chosen.bootstrap, chosen.scope))
    return intervals
