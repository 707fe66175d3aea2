"""What a number of ratings or votes costs, saves and gives up."""

from collections.abc import Sequence
from math import isnan

import streamlit as st

from analysis.repetitions.cost import CostSpec, Times, costs
from analysis.repetitions.fitted_curves import FittedCurves, median_knee
from features.study import Study
from findings.repetitions.cost import RATINGS, Priced, Wording, finding, hours, no_knee, table
from findings.repetitions.times import times_of_ratings
from ui.conclusions import show_finding
from ui.controls import choose_one
from ui.tables import show_table
from ui.words import note

ASSIGNMENT = "assignment"


def show(study: Study, fitted: Sequence[FittedCurves]) -> None:
    """Draws the panel for ratings."""
    weigh(fitted, times_of_ratings(study), RATINGS)


def weigh(fitted: Sequence[FittedCurves], measured: Times, words: Wording) -> None:
    """The same in other words; `measured` are the times in the data."""
    m = max((one.most for one in fitted), default=1)
    usual = median_knee(fitted)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        typed = st.number_input(
            f"{words.given.capitalize()} per item to weigh",
            1,
            m,
            None,
            key="weigh",
            bind="query-params",
            width=190,
            placeholder="the median knee" if usual else "type a number",
            help="What would this many have cost, saved and given up? Left empty: the median knee.",
        )
        spec, currency = _prices(measured, words)
    r = int(typed) if typed is not None else usual
    if r is None:
        show_finding(no_knee(words))
        return
    each = [int(one.curves.items.max(initial=0)) for one in fitted]
    items, measures = (max(each), len(fitted)) if words.priced else (sum(each), 1)
    spent = costs(max(items, 1), measures, m, spec)
    show_finding(finding(fitted, r, m, spent, currency, words))
    show_table(
        *table(fitted, r, m, words),
        alt=f"{words.figure.capitalize()} after {r} and after {m} {words.given} per item, per {words.of}",
    )
    if (work := hours(spec, spent, r, m, words)) is not None:
        note(*work)


def _prices(measured: Times, words: Wording) -> tuple[CostSpec, str]:
    """The price list as typed, and its currency."""
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
        per = words.priced[
            st.selectbox(
                "for each",
                list(words.priced),
                key="per",
                bind="query-params",
                width=260,
                help="In an assignment one person rates all measures of an item for one price.",
            )
        ]
    with st.popover("More costs"):
        currency = st.text_input("Currency", "€", key="currency", bind="query-params", max_chars=8)
        fixed = st.number_input(
            "Fixed cost",
            0.0,
            None,
            0.0,
            10.0,
            key="fixed",
            bind="query-params",
            help=f"What does not grow with the number of {words.given}, such as paid qualifications.",
        )
        of_one = measured.median
        if measured.ratings_per_time > 1:
            units = (words.one, ASSIGNMENT)
            unit = choose_one(
                "Seconds in the data are for each",
                units,
                usual=ASSIGNMENT if measured.of_assignments else words.one,
                key="seconds_for",
                help=f"Judged from the data: {measured.ratings_per_time:.1f} {words.given} in a row share one time. "
                "An assignment's time is shared out over them.",
            )
            of_one = measured.of_one_rating(unit == ASSIGNMENT)
        seconds = st.number_input(
            f"Seconds per {words.one}",
            0.0,
            None,
            None,
            1.0,
            key="seconds",
            bind="query-params",
            placeholder="unknown" if isnan(of_one) else f"{of_one:.1f} in the data",
            help=words.seconds_help,
        )
    return CostSpec(float(price), per, float(fixed), of_one if seconds is None else float(seconds)), currency
