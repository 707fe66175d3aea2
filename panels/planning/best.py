"""Best use of a budget: the best study, the picture of all that the money buys, and the best of each kind."""

from collections.abc import Callable
from dataclasses import replace

import streamlit as st

from charts.planning.curves import along
from features.results import key_of, result
from features.study import Study
from findings.code import planning as program
from findings.planning import best as findings
from findings.planning.best import EXPLANATION, spent
from findings.planning.loads import POWER, cautions
from panels.planning.basis import choose_basis
from panels.planning.size import (
    choose_design,
    choose_difference,
    choose_loads,
    choose_prices,
    choose_test,
    planned_size,
)
from ui.conclusions import show_finding
from ui.downloads import downloads
from ui.errors import told_in_words
from ui.pictures import draw, look
from ui.tables import show_table
from ui.words import note, warn

__all__ = ["EXPLANATION", "show"]
EACH = "The best study of each number of ratings per item"


def show(study: Study) -> Callable[[], str] | None:
    """Finding, power along raters for the same money, and the best study of each number of ratings per item."""
    told = st.container()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        budget = float(
            st.number_input(
                "Budget", 1.0, None, 100.0, 10.0, key="plan_money", bind="query-params", width=140
            )
        )
        basis = choose_basis(study)
        difference = choose_difference(basis)
        most = int(
            st.number_input(
                "Raters at most", 4, 200, 60, key="plan_most_raters", bind="query-params", width=130
            )
        )
        loads = choose_loads(study)
        design = choose_design()
        alpha, comparisons, wanted = choose_test()
        prices = choose_prices(with_budget=False)
    with told_in_words():
        plan = planned_size(basis, design, difference, 4, 4, 1, alpha, comparisons, loads)
        one = result(
            key_of(study.whole, "best use", plan, basis.told, prices.costs, budget, most),
            lambda: spent(replace(plan, ratings_per_item=None), basis, prices, budget, most),
        )
    with told:
        for found in findings.finding(one):
            show_finding(found, basis.of_open_ratings)
        for remark in (*([] if basis.warning is None else [basis.warning]), *cautions(one.study, POWER)):
            warn(*remark)
    if one.best.reason:
        return None
    figure = along(
        findings.curves(one),
        (one.best.ratings_per_item, one.best.raters),
        ("Raters", "Power"),
        look(),
        wanted=wanted,
        marked="best",
    )
    draw(st, figure, key="planning_budget", alt="Power along the number of raters, all for the same money")
    note("Every point costs the same: fewer ratings per item leave money for more items.")
    if (free := findings.free(prices.costs)) is not None:
        note(*free)
    table = findings.table(one)
    show_table(*table, alt=EACH, most=8, first=findings.FIRST)
    if basis.note is not None:
        note(*basis.note)
    downloads("best-use", [(table, EACH)], lambda: figure, first=findings.FIRST)
    return lambda: program.best(basis, one, prices.costs, most, loads)
