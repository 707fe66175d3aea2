"""Is it enough already: what the ratings so far tell, and what more of them would buy."""

from collections.abc import Callable

import streamlit as st

from charts.planning.curves import along
from features.rater_agreement import fewest_raters, of_group
from features.repetitions.details_results import one_way_intervals_of, one_way_of
from features.study import Study
from findings.code import planning as program
from findings.planning import enough as findings
from findings.planning.enough import EXPLANATION, SoFar
from findings.planning.open_ratings import spread_of, usual_half
from panels.planning.size import choose_half, choose_prices
from ui.conclusions import show_finding
from ui.controls import choose_one, choose_scope
from ui.downloads import downloads
from ui.pictures import draw, look
from ui.tables import show_table
from ui.words import note

__all__ = ["EXPLANATION", "show"]
MORE = "What more ratings per item would buy"


def show(study: Study) -> Callable[[], str] | None:
    """Finding, the half-width past the ratings at hand, what more would buy, and all measures."""
    told = st.container()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        measure = study.measures[0]
        if len(study.measures) > 1:
            measure = choose_one("Measure", study.measures, key="plan_measure", width=220)
        half = choose_half(usual_half(study, measure))
        reliability = st.slider(
            "Reliability of an item's mean",
            0.5,
            0.99,
            0.8,
            0.01,
            key="reliability",
            bind="query-params",
            width=220,
        )
        scope = choose_scope(fewest_raters(study, study.candidate), study.raters_are_persons)
        prices = choose_prices(with_budget=False)
    every = [
        SoFar(
            each,
            one_way_of(study, each),
            one_way_intervals_of(study, each),
            spread_of(study, each),
            of_group(study, each, study.candidate, scope),
            half,
            float(reliability),
        )
        for each in study.measures
    ]
    one = every[study.measures.index(measure)]
    with told:
        for found in findings.finding(one, prices):
            show_finding(found)
    if not one.defined:
        return None
    figure = along(
        findings.curve(one),
        (0, one.ratings),
        ("Ratings per item", "Half of the interval"),
        look(),
        wanted=one.half,
        as_share=False,
        named="MOS",
        highest=findings.highest(one),
        marked="so far",
    )
    draw(st, figure, key="planning_enough", alt="Half of the interval of a MOS along the ratings of an item")
    note("By precision only: stopping once a p value is small would find differences that are not there.")
    more = findings.more_table(one, prices)
    show_table(*more, alt=MORE)
    if len(every) > 1:
        show_table(*findings.table(every), alt="All measures", first=findings.FIRST)
    downloads("enough", [(more, MORE)], lambda: figure)
    return lambda: program.enough(study)
