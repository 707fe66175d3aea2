"""What curves become without the raters of the scenario, beside the same curves with everyone."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from analysis.repetitions.repetition import RepetitionSpec
from findings.leaving_out import change_columns, most_changed, written
from findings.study import Study
from panels.parts.tables import show_table
from panels.parts.words import say
from panels.repetitions import curves
from panels.repetitions.curves import Fitted
from panels.visit.scenario import scenario


def say_curves(
    study: Study, spec: RepetitionSpec, sensitivity: float, correlation: str, without: Sequence[Fitted]
) -> None:
    """The measure whose correlation changes most, read at equally many ratings per item."""
    if study.dataset.without:
        _say_most_changed(
            [
                (measure, before.curves.mean_at(r), after.curves.mean_at(r))
                for measure, r, before, after in _curve_pairs(study, spec, sensitivity, without)
            ],
            f"At equally many ratings per item, {correlation}",
        )


def show_curves(
    study: Study, spec: RepetitionSpec, sensitivity: float, correlation: str, without: Sequence[Fitted]
) -> None:
    """Correlation at the last repetition and knee per measure, with everyone and without."""
    if not study.dataset.without:
        return
    rows = []
    for measure, r, before, after in _curve_pairs(study, spec, sensitivity, without):
        rows.append(
            {
                "Measure": measure,
                "Compared at r": r,
                **change_columns(correlation, before.curves.mean_at(r), after.curves.mean_at(r)),
                "Knee, everyone": before.knee,
                "Knee, without": after.knee,
            }
        )
    table = pd.DataFrame(rows).astype({"Knee, everyone": "Int64", "Knee, without": "Int64"})
    st.subheader("What leaving them out changes")
    show_table(table, written(table), alt="Curves with everyone and without the raters left out")


def _curve_pairs(
    study: Study, spec: RepetitionSpec, sensitivity: float, without: Sequence[Fitted]
) -> list[tuple[str, int, Fitted, Fitted]]:
    """Per measure the largest number of ratings per item that both sides have, and both sides."""
    everyone = curves.fitted(study.everyone, spec, sensitivity)
    return [
        (measure, min(before.curves.repetitions, after.curves.repetitions), before, after)
        for measure, before, after in zip(study.measures, everyone, without, strict=True)
    ]


def show_shares(everyone: Sequence[Fitted], without: Sequence[Fitted], against: str) -> None:
    """Share of items with the right answer and knee per comparison of choices, with everyone and without."""
    by_name = {one.measure: one for one in everyone}
    rows, changes = [], []
    for after in without:
        before = by_name[after.measure]
        r = min(before.curves.repetitions, after.curves.repetitions)
        shares = before.curves.mean_at(r), after.curves.mean_at(r)
        changes.append((after.measure, *shares))
        rows.append(
            {
                "Comparison": after.measure,
                "Compared at r": r,
                **change_columns("Share", *shares),
                "Knee, everyone": before.knee,
                "Knee, without": after.knee,
            }
        )
    table = pd.DataFrame(rows).astype({"Knee, everyone": "Int64", "Knee, without": "Int64"})
    st.subheader("What leaving them out changes")
    _say_most_changed(changes, f"At equally many votes per item, the share of items with the {against}")
    show_table(table, written(table), alt="Shares of items with everyone and without the raters left out")


def _say_most_changed(changes: Sequence[tuple[str, float, float]], what: str) -> None:
    template, values = most_changed(scenario(), changes, what)
    say(template, **values)
