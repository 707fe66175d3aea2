"""What a page's figures become without the raters of the scenario, beside the same figures with everyone."""

from collections.abc import Callable, Sequence
from functools import partial

import pandas as pd
import streamlit as st

from analysis.crowd_vs_lab.comparison import Comparison, ComparisonSpec
from analysis.repetitions.repetition import RepetitionSpec
from analysis.screening.rater_selection import change
from charts.parts.numbers import decimal
from panels.crowd_vs_lab import comparisons
from panels.parts.tables import show_table
from panels.parts.words import listed, say
from panels.repetitions import curves
from panels.repetitions.curves import Fitted
from panels.visit.scenario import scenario
from panels.visit.study import Study

_DIFFERENCE = partial(decimal, digits=3)


def say_comparisons(study: Study, spec: ComparisonSpec, without: Sequence[Comparison]) -> None:
    """The measure whose correlation changes most without the raters left out."""
    if study.dataset.without:
        _say(
            [
                (measure, before.spearman.value, after.spearman.value)
                for measure, before, after in _comparison_pairs(study, spec, without)
            ],
            "Spearman's ρ",
        )


def show_comparisons(study: Study, spec: ComparisonSpec, without: Sequence[Comparison]) -> None:
    """Agreement and level per measure with everyone, without the raters left out, and the difference."""
    if not study.dataset.without:
        return
    table = pd.DataFrame(
        [
            {
                "Measure": measure,
                **_change("Spearman ρ", before.spearman.value, after.spearman.value),
                **_change("Mean difference", before.mean_difference.value, after.mean_difference.value),
                **_change("RMSE", before.rmse.value, after.rmse.value),
                "Items, everyone": before.items_shared,
                "Items, without": after.items_shared,
            }
            for measure, before, after in _comparison_pairs(study, spec, without)
        ]
    )
    st.subheader("What leaving them out changes")
    show_table(table, _written(table), alt="Figures with everyone and without the raters left out")


def _comparison_pairs(
    study: Study, spec: ComparisonSpec, without: Sequence[Comparison]
) -> list[tuple[str, Comparison, Comparison]]:
    everyone = [comparisons.best_known(study.everyone, measure, spec) for measure in study.measures]
    return list(zip(study.measures, everyone, without, strict=True))


def say_curves(
    study: Study, spec: RepetitionSpec, sensitivity: float, correlation: str, without: Sequence[Fitted]
) -> None:
    """The measure whose correlation changes most, read at equally many ratings per item."""
    if study.dataset.without:
        _say(
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
                **_change(correlation, before.curves.mean_at(r), after.curves.mean_at(r)),
                "Knee, everyone": before.knee,
                "Knee, without": after.knee,
            }
        )
    table = pd.DataFrame(rows).astype({"Knee, everyone": "Int64", "Knee, without": "Int64"})
    st.subheader("What leaving them out changes")
    show_table(table, _written(table), alt="Curves with everyone and without the raters left out")


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
                **_change("Share", *shares),
                "Knee, everyone": before.knee,
                "Knee, without": after.knee,
            }
        )
    table = pd.DataFrame(rows).astype({"Knee, everyone": "Int64", "Knee, without": "Int64"})
    st.subheader("What leaving them out changes")
    _say(changes, f"At equally many votes per item, the share of items with the {against}")
    show_table(table, _written(table), alt="Shares of items with everyone and without the raters left out")


def _say(changes: Sequence[tuple[str, float, float]], what: str) -> None:
    chosen = scenario()
    defined = [c for c in changes if change(c[1], c[2]) == change(c[1], c[2])]
    values = {"k": len(chosen.without), "s": "" if len(chosen.without) == 1 else "s", "name": chosen.name}
    if not defined:
        say("Without <b>{k} rater{s}</b> ({name}) no measure can be compared any more.", **values)
        return
    measure, before, after = max(defined, key=lambda c: abs(change(c[1], c[2])))
    say(
        "These figures are without <b>{k} rater{s}</b> ({name}). {what} changes most on {measure}: "
        "<b>{after}</b> instead of {before} with everyone.",
        **values,
        what=what,
        measure=listed([measure]),
        after=decimal(after, 3),
        before=decimal(before, 3),
    )


def _change(name: str, before: float, after: float) -> dict[str, float]:
    return {
        f"{name}, everyone": before,
        f"{name}, without": after,
        f"{name}, difference": change(before, after),
    }


def _written(table: pd.DataFrame) -> dict[str, Callable[[float], str]]:
    return {
        column: _DIFFERENCE
        for column in table
        if column.endswith(("everyone", "without", "difference")) and not column.startswith(("Items", "Knee"))
    }
