"""Is one preferred: items and votes for a preference to be told from a draw."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from charts.planning.curves import along
from features.plotting.numbers import money
from features.plotting.theme import escape
from features.study import Study
from findings.code import planning as program
from findings.planning import votes as findings
from findings.planning.apart import reach
from findings.planning.votes import OpenQuality, OpenShares, Preference
from panels.planning.copyable import copyable
from panels.planning.size import (
    choose_item_sd,
    choose_items,
    choose_prices,
    choose_test,
    move_to,
    open_quality,
    open_shares,
)
from ui.conclusions import show_finding
from ui.controls import usually
from ui.downloads import downloads
from ui.errors import told_in_words
from ui.pictures import look, on_click
from ui.tables import show_table
from ui.words import note, say

__all__ = ["EXPLANATION", "show"]
EXPLANATION = findings.PREFERENCE_EXPLANATION
OTHERS = "The same comparison with other votes per item"


def show(study: Study) -> Callable[[], str]:
    """Finding, picture to move in, price and sentence beside it, other numbers of votes."""
    told = st.container()
    quality = open_quality(study)
    known = findings.without_guesses(open_shares(study), quality)
    one = _asked(known, quality)
    most = reach(one.items)
    with told_in_words():
        with told:
            for found in findings.preference_finding(one):
                show_finding(found, of_open_data=False)
        figure = along(
            findings.preference_curves(one, most),
            (one.votes, one.items),
            ("Items", "Power"),
            look(),
            wanted=one.wanted,
            same_price=findings.preference_same_price(one, most),
            price=escape(
                money(one.price if one.prices.budget is None else one.prices.budget, one.prices.currency)
            ),
        )
    left, right = st.columns([2, 1], gap="large")
    with left:
        on_click(
            st, figure, partial(move_to, parameter="plan_votes"), key="planning_preference",
            alt="Power along the number of items, by votes per item",
        )  # fmt: skip
        note("A click on a point takes the study there.")
    with right:
        say(*findings.preference_effort(one))
        copyable("For the paper or the ethics form", findings.preference_for_the_paper(one))
    if known is not None:
        note(*findings.shares_note(known))
    if quality is not None:
        note(*findings.quality_note(quality, one))
    table = findings.preference_beside(one)
    show_table(*table, alt=OTHERS, first=findings.BESIDE)
    downloads("preference-plan", [(table, OTHERS)], lambda: figure, first=findings.BESIDE)
    return lambda: program.preference(one, table[0]["Votes per item"].tolist())


def _asked(known: OpenShares | None, open_: OpenQuality | None) -> Preference:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        percent = st.slider(
            "Preference to find",
            51,
            99,
            60,
            key="plan_preference",
            bind="query-params",
            format="%d %%",
            width=180,
        )
        votes = st.number_input("Votes per item", 1, 100, 5, key="plan_votes", bind="query-params", width=130)
        item_sd = choose_item_sd(known)
        quality = st.slider(
            "Votes that are no guesses", 10, 100, usually("plan_quality", findings.usual_quality(open_)),
            key="plan_quality", bind="query-params", format="%d %%", width=180,
            help="The rest is answered at random, which pulls the share towards one half. As in the open choices where "
            "answers are known.",
        )  # fmt: skip
        alpha, comparisons, wanted = choose_test()
        prices = choose_prices()
    items = choose_items()
    return Preference(
        percent / 100, items, int(votes), item_sd, quality / 100, alpha, comparisons, wanted, prices
    )
