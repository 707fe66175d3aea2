"""What comparisons become without the raters of the scenario, beside the same figures with everyone."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from analysis.crowd_vs_lab.comparison import Comparison, ComparisonSpec
from findings.leaving_out import change_columns, most_changed, written
from findings.study import Study
from panels.crowd_vs_lab import comparisons
from panels.parts.tables import show_table
from panels.parts.words import say
from panels.visit.scenario import scenario


def say_comparisons(study: Study, spec: ComparisonSpec, without: Sequence[Comparison]) -> None:
    """The measure whose correlation changes most without the raters left out."""
    if study.dataset.without:
        _say_most_changed(
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
                **change_columns("Spearman ρ", before.spearman.value, after.spearman.value),
                **change_columns(
                    "Mean difference", before.mean_difference.value, after.mean_difference.value
                ),
                **change_columns("RMSE", before.rmse.value, after.rmse.value),
                "Items, everyone": before.items_shared,
                "Items, without": after.items_shared,
            }
            for measure, before, after in _comparison_pairs(study, spec, without)
        ]
    )
    st.subheader("What leaving them out changes")
    show_table(table, written(table), alt="Figures with everyone and without the raters left out")


def _comparison_pairs(
    study: Study, spec: ComparisonSpec, without: Sequence[Comparison]
) -> list[tuple[str, Comparison, Comparison]]:
    everyone = [comparisons.best_known(study.everyone, measure, spec) for measure in study.measures]
    return list(zip(study.measures, everyone, without, strict=True))


def _say_most_changed(changes: Sequence[tuple[str, float, float]], what: str) -> None:
    template, values = most_changed(scenario(), changes, what)
    say(template, **values)
