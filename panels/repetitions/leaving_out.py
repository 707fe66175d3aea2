"""What curves become without the raters of the scenario, beside the same curves with everyone."""

from collections.abc import Sequence

import streamlit as st

from analysis.repetitions.fitted_curves import FittedCurves
from features.study import Study
from findings.leaving_out import most_changed
from findings.repetitions import leaving_out
from findings.repetitions.rating_curves import fitted_curves
from findings.repetitions.settings import Settings
from ui.conclusions import show_finding
from ui.tables import show_table
from ui.visit.scenario import scenario


def say_change(study: Study, chosen: Settings, without: Sequence[FittedCurves]) -> None:
    """The measure whose correlation changes most, read at equally many ratings per item."""
    if study.dataset.without:
        changes = leaving_out.changes(_everyone(study, chosen), without)
        show_finding(
            most_changed(scenario(), changes, f"{chosen.correlation} at equally many ratings per item")
        )


def show(study: Study, chosen: Settings, without: Sequence[FittedCurves]) -> None:
    """Correlation at the last repetition and knee per measure, with everyone and without."""
    if study.dataset.without:
        st.header("What leaving them out changes")
        show_table(
            *leaving_out.table(_everyone(study, chosen), without, chosen.correlation, "Measure"),
            alt="Curves with everyone and without the raters left out",
        )


def _everyone(study: Study, chosen: Settings) -> tuple[FittedCurves, ...]:
    return fitted_curves(study.everyone, chosen.spec, chosen.sensitivity)


def show_shares(everyone: Sequence[FittedCurves], without: Sequence[FittedCurves], against: str) -> None:
    """Share of items with the right answer and knee per comparison of choices, with everyone and without."""
    st.header("What leaving them out changes")
    changes = leaving_out.changes(everyone, without)
    show_finding(
        most_changed(
            scenario(), changes, f"the share of items with the {against} at equally many votes per item"
        )
    )
    show_table(
        *leaving_out.table(everyone, without, "Share", "Comparison"),
        alt="Shares of items with everyone and without the raters left out",
    )
