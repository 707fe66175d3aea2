"""The size of a planned study, what it costs and how it is tested: controls that all questions of the page share."""

from typing import Any

import streamlit as st

from analysis.planning.budget import StudyCosts
from analysis.planning.difference import DifferencePlan
from features.polls import is_pairs, polls
from features.study import Study
from findings.planning.apart import DESIGNS, Prices, largest
from findings.planning.basis import Basis
from findings.planning.loads import ALIKE, AS_OPEN, BUSIEST, Loads, by_busiest, of_open_ratings
from findings.planning.votes import OpenQuality, OpenShares, quality_of_open_choices, shares_of_open_choices
from ui.controls import usually

TINY = 1e-9
"""Points of a scale on which all ratings are equal."""


def choose_design() -> str:
    """Who meets what."""
    return st.selectbox(
        "Design", list(DESIGNS), key="plan_design", bind="query-params", width=270,
        help="Where every rater rates every item under both systems, severe raters and hard items cancel: that takes "
        "the fewest ratings.",
    )  # fmt: skip


def choose_difference(basis: Basis) -> float:
    """The difference that must be found."""
    return float(
        st.number_input(
            "Difference to find", 0.0, None, usually("plan_difference", basis.difference), basis.difference / 3,
            key="plan_difference", bind="query-params", width=150,
            help="The smallest difference of two systems' means, in points of the scale, that matters to you.",
        )
    )  # fmt: skip


def choose_items() -> int:
    """How many items."""
    return int(st.slider("Items", 4, 500, 40, key="plan_items", bind="query-params"))


def choose_raters() -> tuple[int, int]:
    """How many raters, and how many of them rate an item."""
    raters = st.number_input("Raters", 2, 1000, 24, key="plan_raters", bind="query-params", width=120)
    return int(raters), choose_per_item("Raters per item")


def choose_loads(study: Study) -> Loads:
    """How unequal raters' loads will be."""
    own = [] if study.holds_choices else [AS_OPEN]
    chosen = st.selectbox(
        "Raters' loads", [ALIKE, *own, BUSIEST], key="plan_loads", bind="query-params", width=170,
        help="On platforms a few workers do most of the ratings, and count for fewer than they are.",
    )  # fmt: skip
    if chosen == AS_OPEN:
        measure = st.session_state.get("plan_measure")
        return of_open_ratings(study, measure if measure in study.measures else study.measures[0])
    if chosen != BUSIEST:
        return Loads()
    percent = st.number_input(
        "By the busiest fifth, %", 20, 95, 50, 5, key="plan_busiest", bind="query-params", width=160,
        help="The share of all ratings that the busiest fifth of the raters does; 20 where all do as much.",
    )  # fmt: skip
    return by_busiest(percent / 100)


def choose_item_sd(known: OpenShares | None) -> float:
    """How far the items' own shares differ, usually as in the open choices."""
    usual = 0.1 if known is None else min(round(known.sd, 2), 0.5)
    return float(
        st.number_input(
            "Items differ by (SD)", 0.0, 0.5, usually("plan_item_sd", usual), 0.01, key="plan_item_sd",
            bind="query-params", width=150,
            help="How far the items' own shares differ: 0.1 where most lie within 0.2 of the mean. Of the open choices "
            "where there are any.",
        )
    )  # fmt: skip


def open_shares(study: Study) -> OpenShares | None:
    """How far items' shares differ in the open choices of one of two systems; None where there are none."""
    return shares_of_open_choices(polls(study)) if study.holds_choices and is_pairs(study) else None


def open_quality(study: Study) -> OpenQuality | None:
    """How many votes of the open choices of one of two systems are no guesses; None where there are none."""
    return quality_of_open_choices(polls(study)) if study.holds_choices and is_pairs(study) else None


def choose_half(points: float) -> float:
    """How narrow an interval is wanted; usually so many points to either side."""
    usual = max(points, TINY)
    return float(
        st.number_input(
            "Wanted: ±", min(0.001, usual / 10), None, usually("plan_half", float(f"{usual:.2g}")), 0.01, "%.3g",
            key="plan_half", bind="query-params", width=130, help="Half of the width of the 95 % interval.",
        )
    )  # fmt: skip


def choose_per_item(label: str = "Ratings per item") -> int:
    """How many ratings an item has."""
    return int(st.number_input(label, 1, 200, 8, key="plan_ratings", bind="query-params", width=130))


def move_to(point: Any, parameter: str = "plan_ratings") -> None:
    """Takes the controls to a point of the picture: [items, ratings (or votes) per item]."""
    items, each = point
    st.session_state["plan_items"], st.session_state[parameter] = int(items), int(each)


def choose_test() -> tuple[float, int, float]:
    """The level of the test, over how many comparisons, and the power that is wanted."""
    with st.popover("Test"):
        alpha = st.number_input(
            "Level (alpha)", 0.001, 0.5, 0.05, 0.01, "%.3f", key="plan_alpha", bind="query-params"
        )
        comparisons = st.number_input(
            "Comparisons", 1, 100000, 1, key="plan_comparisons", bind="query-params",
            help="How many such tests the study makes; the level of each is divided by them. Each two of 5 systems "
            "are 10.",
        )  # fmt: skip
        percent = st.slider("Power wanted", 50, 99, 80, key="power", bind="query-params", format="%d %%")
    return float(alpha), int(comparisons), percent / 100


def choose_prices(with_budget: bool = True) -> Prices:
    """Prices, the budget where it is not asked for elsewhere, and how long a rating takes."""
    with st.popover("Prices"):
        currency = st.text_input("Currency", "€", key="currency", bind="query-params", max_chars=8)

        rating = st.number_input(
            "Price per rating", 0.0, None, 0.1, 0.1, key="plan_price", bind="query-params"
        )
        item = st.number_input(
            "Price per item", 0.0, None, 0.0, 0.1, key="plan_item_price", bind="query-params"
        )
        rater = st.number_input(
            "Price per rater (recruiting, qualification)",
            0.0,
            None,
            0.0,
            0.1,
            key="plan_rater_price",
            bind="query-params",
        )
        fixed = st.number_input("Fixed cost", 0.0, None, 0.0, 0.1, key="fixed", bind="query-params")
        seconds = st.number_input(
            "Seconds per rating", 0.0, None, 15.0, 0.1, key="plan_seconds", bind="query-params"
        )
        budget = None
        if with_budget:
            budget = st.number_input(
                "Budget", 1.0, None, None, 10.0, key="plan_budget", bind="query-params",
                placeholder="as much as the chosen study costs",
            )  # fmt: skip
    costs = StudyCosts(float(rating), float(item), float(rater), float(fixed))
    return Prices(costs, currency, float(seconds), None if budget is None else float(budget))


def planned_size(
    basis: Basis,
    design: str,
    difference: float,
    items: int,
    raters: int,
    each: int,
    alpha: float,
    comparisons: int,
    loads: Loads,
) -> DifferencePlan:
    """The plan that the controls describe, with at most as many raters per item as there are."""
    of = DESIGNS[design]
    variances: dict[str, Any] = dict(basis.pilot.estimated)
    return DifferencePlan(
        raters, items, difference, **variances, design=of,
        ratings_per_item=min(each, largest(raters, of)), alpha=alpha, comparisons=comparisons, loads=loads.each,
    )  # fmt: skip
