"""Controls of "Repetitions": the target, how curves are simulated, and what is looked at closer."""

from collections.abc import Sequence
from functools import partial
from math import isnan

import streamlit as st

from analysis.correlation.rank_rows import Correlation
from analysis.repetitions.attenuation import CostSpec, Times
from analysis.repetitions.choice_repetition import ChoiceRepetitionSpec, Weights
from analysis.repetitions.knee import FittedCurves, median_knee
from analysis.repetitions.rating_orders import AGGREGATIONS, Order
from analysis.repetitions.repetition import RepetitionSpec
from analysis.values.estimate import BootstrapSpec, Scope
from features.assessments import fewest_raters
from features.repetitions.ratings_results import (
    DEFAULT_SHUFFLES,
    TARGET,
    Enough,
    Range,
    RatingsSpec,
    fitted_curves,
    range_of_repetitions,
    times_of_ratings,
)
from features.repetitions.ratings_section import PRICED, RATINGS, Priced, Weighed, Wording, most_weighed
from features.repetitions.votes import VotesSpec, known_answers, range_of_votes
from features.study import Study
from ui.controls import (
    choose_bootstrap_samples,
    choose_one,
    choose_scope,
    choose_seed,
    choose_segment,
    choose_value,
    control_default,
)

CORRELATIONS: dict[str, Correlation] = {"Spearman": "spearman", "Pearson": "pearson", "Kendall": "kendall"}
ORDERS: dict[str, Order] = {
    "automatic": "automatic",
    "within each item": "within items",
    "raters, for all items at once": "raters",
    "by column (the paper's)": "by column",
}
ANSWER_BY: dict[str, Weights] = {"majority": "majority", "PCC-H weights": "PCC-H"}
COST, RULES, MODELS = "Cost", "Stopping rules", "More ratings"
AGGREGATED, RATERS = "Other aggregations", "Unreliable raters"
PARTS = (COST, RULES, MODELS, AGGREGATED, RATERS)
ASSIGNMENT = "assignment"
_slider = partial(st.slider, bind="query-params")
_number = partial(st.number_input, bind="query-params")
_row = partial(st.container, horizontal=True, vertical_alignment="bottom")


def choose_target(study: Study) -> tuple[float, Scope]:
    """Draw the controls of the ratings needed: the target, and whom its interval generalizes to."""
    with _row():
        help = "Reliability that the mean of an item's ratings is to reach. 0.80 is a common wish."
        label = "Target reliability"
        target = _number(label, 0.5, 0.99, TARGET, 0.05, key="reliability", width=170, help=help)
        scope = choose_scope(fewest_raters(study, study.candidate), study.raters_are_persons)
    return float(target), scope


def choose_curves(study: Study, target: float, scope: Scope) -> RatingsSpec:
    """Draw the controls of the curves of ratings, and return the spec of the page."""
    with _row():
        shuffles, repetitions = _shuffles_and_largest("rating", range_of_repetitions(study))
        correlation = choose_value("Correlation", CORRELATIONS, key="correlation", width=140)
        seed = _seed()
        with st.popover("Settings"):
            aggregation = choose_value(
                "An item's value is the",
                {name: name for name in AGGREGATIONS},
                key="aggregation",
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
    with _row():
        help = "Votes count alike, or by each rater's agreement with the others (r_w) over the votes so far."
        weights = choose_value("Answer by", ANSWER_BY, key="answer_by", width=170, help=help)
        against = choose_one(
            "Compared with the",
            known_answers(study),
            key="answer_against",
            width=200,
            help="The right answer: the gold one, the expert's, or that of all votes together. The last shows how soon "
            "answers stop changing, not if they are right.",
        )
        shuffles, repetitions = _shuffles_and_largest("vote", range_of_votes(study, against))
        seed = _seed()
        with st.popover("Settings"):
            draws, sensitivity = _draws_and_sensitivity()
    curves = ChoiceRepetitionSpec(shuffles, repetitions, seed, weights)
    return VotesSpec(curves, against, sensitivity, BootstrapSpec(draws, seed))


def _seed() -> int:
    with st.container(width=110):
        return choose_seed()


def _shuffles_and_largest(given: str, here: Range) -> tuple[int, int | None]:
    """Draw the number of shuffles, and how far curves run; None for as far as all items have ratings."""
    help = (
        f"Random orders of the {given}s. Few show how much chance there is in one order (the paper used 5); many make "
        "the fitted curve steady."
    )
    shuffles = _slider("Shuffles", 1, 1000, DEFAULT_SHUFFLES, key="shuffles", help=help)
    largest = here.usual
    if here.most > 1:
        help = f"By default as far as 9 of 10 items (and at least 10) have {given}s. An item leaves after its last."
        label, usual = f"Most {given}s per item", control_default("repetitions", here.usual)
        largest = _slider(label, 1, here.most, usual, key="repetitions", help=help)
    return shuffles, None if largest == here.smallest else largest


def _draws_and_sensitivity() -> tuple[int, float]:
    help = "Each sample repeats the whole simulation on other items."
    draws = choose_bootstrap_samples(usual=100, label="Bootstrap samples per interval", help=help)
    help = "Kneedle's S: with a higher value the curve must be flatter after the knee."
    return draws, _slider("Sensitivity of the knee (S)", 0.0, 15.0, 1.0, 0.5, key="sensitivity", help=help)


def choose_part(study: Study) -> str:
    """Draw the choice of what is looked at closer; unreliable raters only where raters are named."""
    parts = {part: part for part in PARTS if part != RATERS or study.raters_are_persons}
    return choose_segment("Look closer", parts, key="section", label_visibility="collapsed")


def choose_measure(study: Study, part: str) -> str:
    key = "detail" if part == MODELS else "aggregated"
    return choose_one("Measure drawn", study.measures, key=key, width=260)


def choose_enough(study: Study, target: float) -> Enough:
    percent = partial(_slider, format="%d%%")
    with st.popover("Settings of the rules"):
        limit = percent("Share of the limiting correlation", 50, 99, 95, key="share")
        label = "Smallest gain of one more rating"
        gain = _number(label, 0.0001, 0.1, 0.005, 0.001, "%.4f", key="gain")
        width = percent("Width of an item's 95% CI, as share of the scale", 5, 100, 25, key="width")
        distance, power = 10, 80
        if study.dataset.has("system"):
            label = "Difference of two systems, as share of the scale"
            distance = percent(label, 1, 50, 10, key="distance")
            power = percent("Power to find it", 50, 99, 80, key="power")
    return Enough(limit / 100, float(gain), target, width / 100, distance / 100, power / 100)


def choose_weighed_ratings(study: Study, spec: RatingsSpec) -> Weighed:
    """Draw the number of ratings to weigh and the prices, with the pay of a group as the reference."""
    fitted = fitted_curves(study, spec.curves, spec.sensitivity)
    is_paid = study.comparable and study.reference is not None
    return choose_weighed(fitted, times_of_ratings(study), RATINGS, is_paid)


def choose_weighed(
    fitted: Sequence[FittedCurves], measured: Times, words: Wording, has_pay: bool = False
) -> Weighed:
    """Draw the number of ratings or votes to weigh, the median knee by default, and the prices."""
    most, usual = most_weighed(fitted), median_knee(fitted)
    with _row():
        label = f"Planned {words.several} per item"
        empty = "the median knee" if usual else "enter a number"
        typed = _number(label, 1, most, None, key="weigh", width=190, placeholder=empty)
        label = "Price" if words.priced else f"Price per {words.one}"
        price = _number(label, 0.0, None, 0.0, 0.1, key="price", width=130)
        per: Priced = "rating"
        if words.priced:
            help = "In an assignment one person rates all measures of an item for one price."
            per = choose_value("Unit of the price", PRICED, key="per", width=260, help=help)
        with st.popover("Settings of the cost"):
            currency = st.text_input("Currency", "€", key="currency", bind="query-params", max_chars=8)
            help = f"Cost that does not grow with the number of {words.several}, such as paid qualifications."
            fixed = _number("Fixed cost", 0.0, None, 0.0, 10.0, key="fixed", help=help)
            seconds = _choose_seconds(measured, words)
            hourly, hours = _choose_pay() if has_pay else (0.0, 0.0)
    number = None if typed is None else int(typed)
    return Weighed(number, CostSpec(float(price), per, float(fixed), seconds), currency, hourly, hours)


def _choose_pay() -> tuple[float, float]:
    help = "Its cost is compared with the candidate's. 15 € for each of 71 hours are 1,065 €."
    hourly = _number("Reference: pay per hour", 0.0, None, 0.0, 1.0, key="reference_pay", help=help)
    return float(hourly), float(_number("Reference: hours paid", 0.0, None, 0.0, 1.0, key="reference_hours"))


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
        of_one = measured.seconds_per_rating(unit == ASSIGNMENT)
    what = "one rating of one measure" if words.priced else "one vote"
    help = f"Time for {what}. Left empty: the median of the data's seconds."
    empty = "unknown" if isnan(of_one) else f"{of_one:.1f} in the data"
    label = f"Seconds per {words.one}"
    seconds = _number(label, 0.0, None, None, 1.0, key="seconds", placeholder=empty, help=help)
    return of_one if seconds is None else float(seconds)
