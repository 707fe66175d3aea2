"""The controls of repetitions of ratings: how orders are drawn, and what the curves correlate."""

from functools import partial

import streamlit as st

from analysis.correlation.running import Correlation
from analysis.repetitions.aggregation import AGGREGATIONS
from analysis.repetitions.rating_orders import Order
from analysis.repetitions.repetition import RepetitionSpec
from features.rater_agreement import fewest_raters
from features.study import Study
from findings.repetitions.rating_curves import range_of_repetitions
from findings.repetitions.settings import Settings
from findings.repetitions.stopping_rules import Enough
from panels.repetitions.simulation_controls import draws_and_knee, shuffles_and_largest
from ui.controls import choose_scope

CORRELATIONS: dict[str, Correlation] = {"Spearman": "spearman", "Pearson": "pearson", "Kendall": "kendall"}
ORDERS: dict[str, Order] = {
    "automatic": "automatic",
    "within each item": "within items",
    "raters, for all items at once": "raters",
    "by column (the paper's)": "by column",
}


def settings(study: Study) -> Settings:
    """Draws the controls and returns what they say."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        here = range_of_repetitions(study)
        shuffles, repetitions = shuffles_and_largest(
            "rating",
            here.smallest,
            here.usual,
            here.most,
            help="Random orders of the ratings. Few show how much luck there is in one order (the paper used 5); "
            "many make the fitted curve steady.",
        )
        correlation = st.selectbox(
            "Correlation", list(CORRELATIONS), key="correlation", bind="query-params", width=150
        )
        with st.popover("More"):
            aggregation = st.selectbox(
                "An item's value is the",
                AGGREGATIONS,
                key="aggregation",
                bind="query-params",
                help="How ratings become one value per item. Corrections for raters use only the ratings so far.",
            )
            order = st.selectbox(
                "A shuffle permutes",
                list(ORDERS),
                key="order",
                bind="query-params",
                help="Automatic permutes whole raters where everyone rated everything, else ratings within items.",
            )
            bootstrap, sensitivity = draws_and_knee(
                "Draws for the knee's interval",
                "Each draw repeats the whole simulation on other items; what other raters add is worked out once.",
            )
        scope = choose_scope(fewest_raters(study, study.candidate), study.raters_are_persons)
        enough = _enough(study)
    spec = RepetitionSpec(
        shuffles=shuffles,
        repetitions=repetitions,
        seed=bootstrap.seed,
        correlation=CORRELATIONS[correlation],
        order=ORDERS[order],
        aggregation=aggregation,
    )
    return Settings(spec, sensitivity, bootstrap, enough, scope)


def _enough(study: Study) -> Enough:
    """Asks what counts as enough ratings."""
    with st.popover("What counts as enough"):
        percent = partial(st.slider, bind="query-params", format="%d %%")
        limit = percent("Share of the limiting correlation", 50, 99, 95, key="share")
        gain = st.number_input(
            "Smallest gain of one more rating",
            0.0001,
            0.1,
            0.005,
            0.001,
            "%.4f",
            key="gain",
            bind="query-params",
        )
        reliability = st.slider(
            "Reliability of an item's mean", 0.5, 0.99, 0.8, 0.01, key="reliability", bind="query-params"
        )
        width = percent("Width of an item's 95 % interval, as share of the scale", 5, 100, 25, key="width")
        distance, power = 10, 80
        if study.dataset.has("system"):
            distance = percent("Distance of two systems, as share of the scale", 1, 50, 10, key="distance")
            power = percent("Chance to tell them apart", 50, 99, 80, key="power")
    return Enough(limit / 100, float(gain), float(reliability), width / 100, distance / 100, power / 100)
