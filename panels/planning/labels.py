"""Are labels right: votes per item for a wanted accuracy of the majority."""

from collections.abc import Callable

import streamlit as st

from charts.planning.curves import along
from features.study import Study
from findings.code import planning as program
from findings.planning import votes as findings
from findings.planning.votes import Labels, OpenVotes
from panels.planning.size import choose_items, choose_prices
from ui.conclusions import show_finding
from ui.controls import usually
from ui.downloads import downloads
from ui.errors import told_in_words
from ui.pictures import draw, look
from ui.tables import show_table
from ui.words import note

__all__ = ["EXPLANATION", "show"]
EXPLANATION = findings.LABEL_EXPLANATION
MAJORITY = "How often the majority of so many votes is right"


def show(study: Study) -> Callable[[], str]:
    """Finding, accuracy along votes, and what each number of votes gives and costs."""
    told = st.container()
    known = findings.of_study(study)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        accuracy = st.slider(
            "One vote is right in",
            5,
            99,
            usually("plan_accuracy", _percent(known)),
            key="plan_accuracy",
            bind="query-params",
            format="%d %%",
            width=200,
        )
        wanted = st.slider(
            "Wanted", 50, 99, 90, key="plan_wanted", bind="query-params", format="%d %%", width=200
        )
        icc = st.number_input(
            "ICC of right votes",
            0.0,
            0.95,
            usually("plan_icc", _icc(known)),
            0.05,
            "%.2f",
            key="plan_icc",
            bind="query-params",
            width=150,
            help="How much right votes gather on the same items. 0: all items are equally hard; near 1: each item is "
            "easy for everybody or hard for everybody. Known answers of the open data set give it.",
        )
        options = st.number_input(
            "Options",
            2,
            20,
            usually("plan_options", min(known.options, 20) if known else 2),
            key="plan_options",
            bind="query-params",
            width=110,
        )
        prices = choose_prices(with_budget=False)
    items = choose_items()
    with told_in_words():
        as_known = known is not None and (accuracy, icc, options) == (
            _percent(known),
            _icc(known),
            known.options,
        )
        own = known.own if known is not None and as_known else ()
        one = Labels(accuracy / 100, int(options), wanted / 100, items, prices, float(icc), own)
        with told:
            for found in findings.labels_finding(one):
                show_finding(found, of_open_data=False)
        figure = along(
            findings.labels_curves(one),
            (accuracy, one.votes),
            ("Votes per item", "Majority right"),
            look(),
            wanted=one.wanted,
            named="one vote right in {} %",
        )
    if known is not None:
        note(*findings.open_note(known))
    draw(st, figure, key="planning_labels", alt="How often the majority is right along the number of votes")
    table = findings.labels_table(one)
    show_table(*table, alt=MAJORITY, most=10)
    downloads("votes", [(table, MAJORITY)], lambda: figure)
    return lambda: program.labels(one, table[0]["Votes per item"].tolist())


def _icc(known: OpenVotes | None) -> float:
    return findings.USUAL_ICC if known is None or known.icc != known.icc else min(round(known.icc, 2), 0.95)


def _percent(known: OpenVotes | None) -> int:
    return 70 if known is None else min(max(round(100 * known.accuracy), 5), 99)
