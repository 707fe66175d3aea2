"""Which systems can be told apart: power along items, the chosen study and what it costs."""

from collections.abc import Callable

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from charts.planning.curves import along
from features.plotting.figure import Figure
from features.plotting.numbers import money
from features.plotting.theme import escape
from features.study import Study
from findings.code import planning as program
from findings.planning import apart as findings
from findings.planning.apart import EXPLANATION, Planned, planned
from findings.planning.basis import Basis, variances_table
from findings.planning.loads import POWER_HERE, cautions
from findings.planning.loads import note as of_unequal
from panels.planning import check
from panels.planning.basis import choose_basis_at_once
from panels.planning.copyable import copyable
from panels.planning.size import (
    choose_design,
    choose_difference,
    choose_items,
    choose_loads,
    choose_prices,
    choose_raters,
    choose_test,
    move_to,
    planned_size,
)
from ui.conclusions import show_finding
from ui.downloads import downloads
from ui.errors import told_in_words
from ui.pictures import draw, look, on_click
from ui.tables import show_table
from ui.words import note, say, warn

__all__ = ["EXPLANATION", "show"]

OTHERS = "The same study with other ratings per item"
POWER = "Power along the number of items"


def show(study: Study) -> Callable[[], str]:
    """Finding, picture to move in, price and sentence beside it, the studies beside the chosen one."""
    told = st.empty()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        basis, surer = choose_basis_at_once(study)
        difference = choose_difference(basis)
        raters, each = choose_raters()
        loads = choose_loads(study)
        design = choose_design()
        alpha, comparisons, wanted = choose_test()
        prices = choose_prices()
    items = choose_items()
    with told_in_words():
        plan = planned_size(basis, design, difference, items, raters, each, alpha, comparisons, loads)
        one = planned(plan, basis, prices, wanted, loads)
    _say(told, basis, each, one)
    left, right = st.columns([2, 1], gap="large")
    picture = left.empty()
    with st.container():
        if surer is not None:
            draw(picture, _figure(one), key="planning_power at once", alt=POWER)
            basis = surer()
            with told_in_words():
                one = planned(plan, basis, prices, wanted, loads)
            _say(told, basis, each, one)
    with left:
        on_click(picture, _figure(one), move_to, key="planning_power", alt=POWER)
        note("A click on a point takes the study there.")
    with right:
        say(*findings.effort(one))
        copyable("For the paper or the ethics form", findings.for_the_paper(one))
    with st.container():
        if (of_loads := of_unequal(loads, one.plan)) is not None:
            note(*of_loads)
    beside = findings.beside(one)
    show_table(*beside, alt=OTHERS, first=findings.BESIDE)
    check.show(study, one)
    if basis.note is not None:
        note(*basis.note)
    show_table(*variances_table(basis), alt="Variances that the plan rests on")
    downloads(
        "plan",
        [(beside, OTHERS)],
        lambda: _figure(one),
        full=lambda: findings.plan_table(one),
        first=findings.BESIDE,
    )
    return lambda: program.apart(one, beside[0]["Ratings per item"].tolist())


def _say(place: DeltaGenerator, basis: Basis, each: int, one: Planned) -> None:
    with place.container():
        for found in findings.finding(one):
            show_finding(found, basis.of_open_ratings)
        for remark in (basis.warning, findings.too_many(each, one.plan), *cautions(one.plan, POWER_HERE)):
            if remark is not None:
                warn(*remark)


def _figure(one: Planned) -> Figure:
    most = findings.reach(int(one.plan.items))
    curves = findings.curves(one, most)
    price = escape(money(one.budget, one.prices.currency))
    return along(
        curves,
        (one.each, one.plan.items),
        ("Items", "Power"),
        look(),
        wanted=one.wanted,
        same_price=findings.paid_for(one, list(curves), most),
        price=price,
    )
