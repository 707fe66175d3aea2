"""Distributions: where each group's ratings lie on the scale."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from features.distributions.section import (
    HISTOGRAMS,
    TABLE,
    DistributionSpec,
    Values,
    describe_groups,
    distributions_section,
    items_between,
    shown_groups,
)
from features.notices import comparison_title, holding_of
from features.plotting.panels import MOST
from features.program import section_program
from features.study import Study, query
from ui.controls import choose_segment_in_row, choose_shown_measures, show_link_to_items, show_link_to_ratings
from ui.render import render
from ui.visit.study import study

VALUES: dict[str, Values] = {"Item MOS": "item means", "Single ratings": "single ratings"}


def _choose_spec(study: Study) -> DistributionSpec:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        help = "The mean of each item's ratings, or every single rating. Single ratings spread wider."
        values = choose_segment_in_row("Show", VALUES, key="show", help=help)
        return DistributionSpec(values, tuple(choose_shown_measures(study.measures, MOST)))


def _offer_bar(study: Study, spec: DistributionSpec, bar: Sequence[int]) -> None:
    """Offer the items of a bar, given by its panel and its place."""
    panel, place = bar
    measure, bars = list(describe_groups(study, spec).histograms.items())[panel]
    low, high = bars[0].ends(place)
    for group in shown_groups(study):
        items = items_between(study, measure, group, low, high)
        if len(items) == 1:
            show_link_to_ratings("item", str(query(study.dataset, "item_names")["name"][items[0]]))
        elif len(items):
            show_link_to_items(study, measure, group, low, high)


def _offer_row(study: Study, spec: DistributionSpec, row: int) -> None:
    described = describe_groups(study, spec).descriptions[row]
    show_link_to_items(study, described.measure, described.group)


opened, finding = study(), st.container()
spec = _choose_spec(opened)
render(
    "distributions",
    distributions_section(opened, spec, comparison_title(holding_of(opened.whole))),
    finding=finding,
    chosen={HISTOGRAMS: partial(_offer_bar, opened, spec), TABLE: partial(_offer_row, opened, spec)},
    code=partial(section_program, distributions_section, opened, spec),
)
