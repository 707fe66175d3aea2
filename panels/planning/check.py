"""A planned study simulated beside its formula, and who rates what in it as a table to be filled in."""

from functools import partial

import streamlit as st

from analysis.planning.simulated_difference import simulated_power
from data.export import csv_bytes
from features.results import key_of, long_result, result
from features.study import Study
from findings.planning import check as findings
from findings.planning.apart import Planned
from ui.downloads import offer
from ui.errors import told_in_words
from ui.sampling_controls import seed_control
from ui.tables import show_table
from ui.words import note, say


def show(study: Study, one: Planned) -> None:
    """Both, where they are asked for."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        simulate = st.toggle("Check by simulation", key="plan_check", bind="query-params")
        assign = st.toggle("Upload template", key="plan_template", bind="query-params")
        if not (simulate or assign):
            return
        seed = seed_control()
        most = None
        if assign:
            most = st.number_input(
                "Ratings per rater at most", 1, None, None, 1, key="plan_most_ratings", bind="query-params",
                placeholder="no limit", width=200,
            )  # fmt: skip
    with told_in_words():
        if simulate:
            _simulated(study, one, seed)
        if assign:
            _template(study, one, seed, None if most is None else int(most))


def _simulated(study: Study, one: Planned, seed: int) -> None:
    if (large := findings.too_large(one.plan)) is not None:
        say(*large)
        return
    found = long_result(
        key_of(study.whole.as_saved, "simulated power", one.plan, seed),
        "Simulated studies",
        lambda on_progress: simulated_power(one.plan, findings.STUDIES, seed, on_progress=on_progress),
    )
    if found is not None:
        say(*findings.simulated_beside(one, found, seed))
        show_table(*findings.side_by_side(one, found), alt="Power by formula and by simulation")


def _template(study: Study, one: Planned, seed: int, most: int | None) -> None:
    rows = result(
        key_of(study.whole.as_saved, "template", one.plan, seed, most),
        lambda: findings.template(one.plan, most, seed),
    )
    note(*findings.template_note(one.plan, seed))
    offer("Template (CSV)", partial(csv_bytes, rows), "template.csv", "text/csv")
