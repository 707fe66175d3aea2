"""Which metrics are held against each other: the same control wherever two or more know the same texts."""

from collections.abc import Sequence

import streamlit as st

from analysis.values.names import distinct_label
from findings.metric_comparison import ONE_METRIC
from ui.controls import usually
from ui.words import note

AT_FIRST = 4
"""Metrics compared where nobody says which."""


def metrics_compared(name: str, offered: Sequence[str], rows: str) -> list[str]:
    """The metrics chosen, two or more, or none and a note why.

    `name` is the parameter of the address, `rows` what they are compared on.
    """
    if len(offered) < 2:
        note(ONE_METRIC)
        return []
    chosen = st.multiselect(
        "Metrics compared",
        offered,
        usually(name, list(offered[:AT_FIRST])),
        format_func=distinct_label,
        key=name,
        bind="query-params",
        help=f"Every two of them, on the {rows}.",
    )
    if len(chosen) < 2:
        note("Choose two metrics or more.")
        return []
    return chosen
