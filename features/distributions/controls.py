"""Controls of "Distributions": the values of the histograms, and the measures that are drawn."""

import streamlit as st

from features.distributions.results import DistributionSpec, Values
from features.plotting.panels import MOST
from features.study import Study
from ui.controls import choose_segment, measures_on_show

VALUES: dict[str, Values] = {"Item MOS": "item means", "Single ratings": "single ratings"}


def choose_spec(study: Study) -> DistributionSpec:
    """Draw the controls, and return what they say."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        help = "The mean of each item's ratings, or every single rating. Single ratings spread wider."
        values = choose_segment("Show", VALUES, key="show", help=help)
        measures = tuple(measures_on_show(study.measures, MOST))
    return DistributionSpec(values, measures)
