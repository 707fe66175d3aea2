"""The controls that panels on relevance share."""

import streamlit as st

from analysis.values.estimate import BootstrapSpec
from features.study import Study
from findings.relevance import judgments
from findings.relevance.surrogates import Surrogates
from ui.controls import choose_one
from ui.sampling_controls import draws_control, seed_control


def interval_controls() -> BootstrapSpec:
    """Draws and seed of the intervals, the same on every panel."""
    with st.popover("More"):
        draws = draws_control("relevance_draws")
        seed = seed_control("relevance_seed")
    return BootstrapSpec(draws, seed)


def side_control(surrogates: Surrogates) -> str:
    """Which agreement a panel looks at, where both are there; "" where none is."""
    if len(surrogates.sides) < 2:
        return surrogates.sides[0] if surrogates.sides else ""
    return st.segmented_control(
        "Agreement",
        surrogates.sides,
        default=surrogates.sides[0],
        required=True,
        key="agreement",
        bind="query-params",
        help="Relevance Prediction holds a judgment against what the same rater said of the full text, LDC Agreement "
        "against gold.",
    )


def metric_control(study: Study) -> str:
    return choose_one("Metric", list(judgments.metrics(study)), key="metric", width=200)
