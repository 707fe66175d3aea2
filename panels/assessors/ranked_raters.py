"""Raters or workers ranked by their agreement with the others: what their pages share."""

import streamlit as st

from charts.workers.reliability import ranking, scatter
from features.plotting.figure import Figure
from features.results import query
from features.study import Study
from findings.workers.reliability import FEW_ITEMS, Reliability, known_finding
from ui.conclusions import show_finding
from ui.item_links import offer
from ui.pictures import draw, look
from ui.tables import show_table
from ui.visit.scenario import MOST_BY_HAND, leave_out_by_hand
from ui.words import note


def fewest_items(reliability: Reliability) -> int:
    """Ask for the number of items that a rater must share with others to be drawn."""
    return int(
        st.number_input(
            "Fewest items",
            1,
            max([FEW_ITEMS, *reliability.items]),
            FEW_ITEMS,
            key="fewest_items",
            bind="query-params",
            width=140,
            help="Raters who share fewer items with others are not drawn: an agreement over few items says little. "
            "Comparing a rater with the typical one takes at least 10.",
        )
    )


def ranking_figure(reliability: Reliability, least: int) -> Figure:
    """The ranking of those with so many items."""
    return ranking(reliability.pictured(least), reliability.r_title, look())


def show_known(reliability: Reliability, least: int) -> None:
    """The scatter of agreement with what is known against agreement with the others."""
    if reliability.known is None:
        return
    pearson, spearman = (correlation.estimate for correlation in reliability.correlation(least))
    whose = "Known answers" if reliability.person == "worker" else "The reference"
    st.header(f"{whose} against agreement with the others")
    if (finding := known_finding(reliability, least)) is not None:
        show_finding(finding)
    if not pearson.defined:
        note("No correlation: {reason}.", reason=pearson.reason)
    figure = scatter(
        reliability.among(least),
        reliability.r_title,
        reliability.known[1],
        pearson,
        spearman,
        look(),
        shares=reliability.person == "worker",
    )
    if figure["data"]:
        draw(
            st,
            figure,
            key="known against r",
            alt=f"Agreement with what is known against r_w, a dot per {reliability.person}",
        )


def what_it_shows(reliability: Reliability) -> str:
    """The table of all raters in words."""
    return f"All figures per {reliability.person}, the highest agreement first"


def show_table_to_tick(study: Study, reliability: Reliability) -> None:
    """The table with rows to tick, and a button that leaves the ticked ones out."""
    everyone = query(study.whole, "rater_names")["name"]
    ticked = show_table(
        *reliability.table,
        alt=what_it_shows(reliability),
        most=12,
        key="workers" if len(everyone) <= MOST_BY_HAND else None,
    )
    if ticked:
        chosen = [reliability.workers[at].name for at in ticked]
        st.button(
            f"Leave out the {len(chosen)} ticked",
            on_click=leave_out_by_hand,
            args=([*st.session_state.get("without", []), *chosen],),
            type="primary",
        )
        if len(chosen) == 1 and not study.holds_choices:
            offer("rater", chosen[0])
