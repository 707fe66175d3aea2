"""The picture of Distributions: histograms of the groups on one scale, one panel per measure."""

from collections.abc import Callable, Sequence
from functools import partial

import streamlit as st

from charts.distributions.histograms import Bars, bars_on_one_scale, histograms
from features.plotting.figure import Figure
from features.plotting.panels import MOST
from features.results import query
from features.study import Study
from findings.distributions.descriptions import finding, shown_groups, widest_apart
from panels.distributions.descriptions import descriptions, item_mos, items_between
from panels.items.choose import offer, offer_items
from ui.conclusions import show_finding
from ui.controls import measures_on_show
from ui.pictures import clicked, draw, look
from ui.words import note

ITEM_MOS, SINGLE_RATINGS = "Item MOS", "Single ratings"


def show(study: Study) -> Callable[[], Figure]:
    """Draws the controls and the histograms, and returns what draws these for the download."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        what = st.segmented_control(
            "Show",
            [ITEM_MOS, SINGLE_RATINGS],
            default=ITEM_MOS,
            required=True,
            key="show",
            bind="query-params",
            help="The mean of each item's ratings, or every rating by itself. Single ratings spread wider.",
        )
        measures = measures_on_show(study.measures, MOST)
    alt = f"Histograms of {what} per measure and group"
    if what == SINGLE_RATINGS:
        draw(st, _of_single_ratings(study, measures), key="histograms of ratings", alt=alt)
        return partial(_of_single_ratings, study, measures)
    note("A click on a bar leads to its items.")
    for panel, bar in clicked(st, _of_item_mos(study, measures), key="histograms", alt=alt):
        _offer_bar(study, measures[panel], bar)
    return partial(_of_item_mos, study, measures)


def _offer_bar(study: Study, measure: str, bar: int) -> None:
    edges = _bars_of_items(study, measure)[0].edges
    low, high = float(edges[bar]), float(edges[bar + 1])
    for group in shown_groups(study):
        items = items_between(study, measure, group, low, high)
        if len(items) == 1:
            offer("item", str(query(study.dataset, "item_names")["name"][items[0]]))
        elif len(items):
            offer_items(study, measure, group, low, high)


def show_at_a_glance(study: Study) -> None:
    """The finding with the histogram of the measure that it names."""
    described = descriptions(study)
    show_finding(finding(study, described))
    measure = widest_apart(described)
    draw(
        st,
        _of_item_mos(study, [measure]),
        key="overview_histogram",
        alt=f"Histogram of item MOS of {measure}",
    )


def _of_item_mos(study: Study, measures: Sequence[str]) -> Figure:
    panels = [(measure, _bars_of_items(study, measure)) for measure in measures]
    return histograms(panels, study.groups, look(), "items")


def _bars_of_items(study: Study, measure: str) -> list[Bars]:
    return bars_on_one_scale({group: item_mos(study, measure, group)[0] for group in shown_groups(study)})


def _of_single_ratings(study: Study, measures: Sequence[str]) -> Figure:
    panels = [(measure, _bars_of_ratings(study, measure)) for measure in measures]
    return histograms(panels, study.groups, look(), "ratings")


def _bars_of_ratings(study: Study, measure: str) -> list[Bars]:
    rows = query(study.dataset, "score_counts", measure=measure)
    of = {group: rows["group"] == group for group in shown_groups(study)}
    return bars_on_one_scale(
        {group: rows["score"][rated] for group, rated in of.items()},
        {group: rows["count"][rated] for group, rated in of.items()},
    )
