"""Controls of "Repetitions": the target, how curves are simulated, and what is looked at closer."""

from functools import partial
from math import isnan

import streamlit as st

from analysis.correlation.rank_rows import Correlation
from analysis.repetitions.choice_repetition import ChoiceRepetitionSpec, Weights
from analysis.repetitions.cost import CostSpec, Times
from analysis.repetitions.rating_orders import AGGREGATIONS, Order
from analysis.repetitions.repetition import RepetitionSpec
from analysis.values.estimate import BootstrapSpec, Scope
from features.assessments import fewest_raters
from features.repetitions.details_findings import PRICED, RATINGS, Priced, Weighed, Wording
from features.repetitions.details_results import Enough
from features.repetitions.ratings_results import (
    DEFAULT_SHUFFLES,
    TARGET,
    Range,
    RatingsSpec,
    range_of_repetitions,
)
from features.repetitions.votes_results import VotesSpec, known_answers, range_of_votes
from features.study import Study
from ui.controls import choose_one, choose_scope, choose_value, draws_control, seed_control, usually

CORRELATIONS: dict[str, Correlation] = {"Spearman": "spearman", "Pearson": "pearson", "Kendall": "kendall"}
ORDERS: dict[str, Order] = {
    "automatic": "automatic",
    "within each item": "within items",
    "raters, for all items at once": "raters",
    "by column (the paper's)": "by column",
}
ANSWER_BY: dict[str, Weights] = {"majority": "majority", "PCC-H weights": "PCC-H"}
COST, RULES, MODELS, AGGREGATED, RATERS = (
    "Cost",
    "Stopping rules",
    "More ratings",
    "Other aggregations",
    "Unreliable raters",
)
PARTS = (COST, RULES, MODELS, AGGREGATED, RATERS)
ASSIGNMENT = "assignment"


def choose_target(study: Study) -> tuple[float, Scope]:
    """Draw the controls of the ratings needed: the target, and whom its interval generalizes to."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        target = st.number_input(
            "Target reliability",
            0.5,
            0.99,
            TARGET,
            0.05,
            key="reliability",
            bind="query-params",
            width=170,
            help="Reliability that the mean of an item's ratings is to reach. 0.80 is a common wish.",
        )
        scope = choose_scope(fewest_raters(study, study.candidate), study.raters_are_persons)
    return float(target), scope


def choose_curves(study: Study, target: float, scope: Scope) -> RatingsSpec:
    """Draw the controls of the curves of ratings, and return the spec of the page."""
    here = range_of_repetitions(study)
    shuffle_help = (
        "Random orders of the ratings. Few show how much chance there is in one order (the paper used 5); many make "
        "the fitted curve steady."
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        shuffles, repetitions = _shuffles_and_largest("rating", here, shuffle_help)
        correlation = choose_value("Correlation", CORRELATIONS, key="correlation", width=140)
        seed = _seed()
        with st.popover("Settings"):
            aggregation = st.selectbox(
                "An item's value is the",
                AGGREGATIONS,
                key="aggregation",
                bind="query-params",
                help="How ratings become one value per item. Corrections for raters use only the ratings so far.",
            )
            order = choose_value(
                "A shuffle permutes",
                ORDERS,
                key="order",
                help="Automatic permutes whole raters where everyone rated everything, else ratings within items.",
            )
            draws, sensitivity = _draws_and_sensitivity()
    curves = RepetitionSpec(shuffles, repetitions, seed, correlation, order, aggregation)
    return RatingsSpec(curves, target, sensitivity, BootstrapSpec(draws, seed), scope)


def choose_votes(study: Study) -> VotesSpec:
    """Draw the controls of the curves of votes."""
    shuffle_help = (
        "Random orders of each item's votes. Few show how much chance there is in one order; many make the fitted "
        "curve steady."
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        weights = choose_value(
            "Answer by",
            ANSWER_BY,
            key="answer_by",
            width=170,
            help="Weight of a vote: all alike, or each rater's agreement with the others (r_w) over the votes so far.",
        )
        against = choose_one(
            "Compared with the",
            known_answers(study),
            key="answer_against",
            width=200,
            help="The right answer: the gold one, the expert's, or that of all votes together. The last shows how soon "
            "answers stop changing, not if they are right.",
        )
        here = range_of_votes(study, against)
        shuffles, repetitions = _shuffles_and_largest("vote", here, shuffle_help)
        seed = _seed()
        with st.popover("Settings"):
            draws, sensitivity = _draws_and_sensitivity()
    curves = ChoiceRepetitionSpec(shuffles, repetitions, seed, weights)
    return VotesSpec(curves, against, sensitivity, BootstrapSpec(draws, seed))


def _seed() -> int:
    with st.container(width=110):
        return seed_control()


def _shuffles_and_largest(given: str, here: Range, help: str) -> tuple[int, int | None]:
    """Draw the number of shuffles, and how far curves run; None for as far as all items have ratings."""
    shuffles = st.slider(
        "Shuffles", 1, 1000, DEFAULT_SHUFFLES, key="shuffles", bind="query-params", help=help
    )
    largest = here.usual
    if here.most > 1:
        largest = st.slider(
            f"Largest number of {given}s per item",
            1,
            here.most,
            usually("repetitions", here.usual),
            key="repetitions",
            bind="query-params",
            help=f"How far the curves run: by default as far as 9 of 10 items (and at least 10) still have {given}s. "
            f"An item leaves the curve after its last {given}.",
        )
    return shuffles, None if largest == here.smallest else largest


def _draws_and_sensitivity() -> tuple[int, float]:
    draws = draws_control(
        usual=100,
        label="Bootstrap samples per interval",
        help="Each sample repeats the whole simulation on other items.",
    )
    sensitivity = st.slider(
        "Sensitivity of the knee (S)",
        0.0,
        15.0,
        1.0,
        0.5,
        key="sensitivity",
        bind="query-params",
        help="Kneedle's S: with a higher value the curve must be flatter after the knee.",
    )
    return draws, sensitivity


def choose_part() -> str:
    """Draw the choice of what is looked at closer."""
    return st.segmented_control(
        "Look closer",
        PARTS,
        default=COST,
        required=True,
        key="section",
        bind="query-params",
        label_visibility="collapsed",
    )


def choose_measure(study: Study, part: str) -> str:
    """Draw the choice of the measure that a part draws."""
    if part == MODELS:
        return choose_one("Measure in detail", study.measures, key="detail", width=260)
    return choose_one("Measure drawn", study.measures, key="aggregated", width=260)


def choose_enough(study: Study, target: float) -> Enough:
    """Draw the thresholds of the stopping rules."""
    percent = partial(st.slider, bind="query-params", format="%d %%")
    with st.popover("Settings of the rules"):
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
        width = percent("Width of an item's 95% CI, as share of the scale", 5, 100, 25, key="width")
        distance, power = 10, 80
        if study.dataset.has("system"):
            label = "Difference of two systems, as share of the scale"
            distance = percent(label, 1, 50, 10, key="distance")
            power = percent("Power to find it", 50, 99, 80, key="power")
    return Enough(limit / 100, float(gain), target, width / 100, distance / 100, power / 100)


def choose_weighed(most: int, usual: int | None, measured: Times, words: Wording = RATINGS) -> Weighed:
    """Draw the number of ratings or votes to weigh and the prices; `most` is the largest number, `usual` the knee."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        typed = st.number_input(
            f"{words.several.capitalize()} per item to weigh",
            1,
            most,
            None,
            key="weigh",
            bind="query-params",
            width=190,
            placeholder="the median knee" if usual else "enter a number",
            help="What would this many cost, save and give up? Left empty: the median knee.",
        )
        price = st.number_input(
            "Price" if words.priced else f"Price per {words.one}",
            0.0,
            None,
            0.0,
            0.1,
            key="price",
            bind="query-params",
            width=130,
        )
        per: Priced = "rating"
        if words.priced:
            help = "In an assignment one person rates all measures of an item for one price."
            per = choose_value("Unit of the price", PRICED, key="per", width=260, help=help)
        with st.popover("Settings of the cost"):
            currency = st.text_input("Currency", "€", key="currency", bind="query-params", max_chars=8)
            fixed = st.number_input(
                "Fixed cost",
                0.0,
                None,
                0.0,
                10.0,
                key="fixed",
                bind="query-params",
                help=f"Cost that does not grow with the number of {words.several}, such as paid qualifications.",
            )
            seconds = _choose_seconds(measured, words)
    number = None if typed is None else int(typed)
    return Weighed(number, CostSpec(float(price), per, float(fixed), seconds), currency)


def _choose_seconds(measured: Times, words: Wording) -> float:
    of_one = measured.median
    if measured.ratings_per_time > 1:
        unit = choose_one(
            "Seconds in the data are for each",
            (words.one, ASSIGNMENT),
            usual=ASSIGNMENT if measured.of_assignments else words.one,
            key="seconds_for",
            help=f"Judged from the data: {measured.ratings_per_time:.1f} {words.several} in a row share one time. An "
            "assignment's time is divided by their number.",
        )
        of_one = measured.of_one_rating(unit == ASSIGNMENT)
    what = "one rating of one measure" if words.priced else "one vote"
    seconds = st.number_input(
        f"Seconds per {words.one}",
        0.0,
        None,
        None,
        1.0,
        key="seconds",
        bind="query-params",
        placeholder="unknown" if isnan(of_one) else f"{of_one:.1f} in the data",
        help=f"Time for {what}. Left empty: the median of the data's seconds.",
    )
    return of_one if seconds is None else float(seconds)
