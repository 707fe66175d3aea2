"""Control of the metrics that are compared with each other, wherever two or more know the same texts."""

from collections.abc import Sequence

import streamlit as st

from analysis.values.names import distinct_label
from ui.controls import usually
from ui.words import note

AT_FIRST = 4
"""Metrics compared by default."""
ONE_METRIC = "With a second metric, both can be compared on the same scores."


def metrics_compared(name: str, offered: Sequence[str], rows: str) -> list[str]:
    """Draw the control, and return two metrics or more, or none and a note why.

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
        help=f"Each pair of them, on the {rows}.",
    )
    if len(chosen) < 2:
        note("Choose two metrics or more.")
        return []
    return chosen
