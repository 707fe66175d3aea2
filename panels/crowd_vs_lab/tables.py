"""The tables of Crowd vs lab: what answers the page's question, all columns on a click, and verdicts that hang on the
choice of test."""

from collections.abc import Callable, Sequence

import pandas as pd
import streamlit as st

from analysis.crowd_vs_lab.comparison import Comparison
from features.blocks import Finding
from features.study import Study
from features.words import Sentence
from findings.crowd_vs_lab.agreement import few_raters, how_tested, remarks
from findings.crowd_vs_lab.cautions import cautions
from findings.crowd_vs_lab.tables import all_tables, dashes, full_table, short_table, verdict_table
from ui.conclusions import show_finding
from ui.downloads import Table, all_are_asked_for
from ui.item_links import offer_items
from ui.tables import all_columns, show_table
from ui.words import note, warn

FindingOf = Callable[[Study, Sequence[Comparison]], Finding | None]


def tell(study: Study, compared: Sequence[Comparison], *findings: FindingOf) -> None:
    """Says each finding that there is."""
    for finding in findings:
        if (told := finding(study, compared)) is not None:
            show_finding(told)


def show(study: Study, compared: Sequence[Comparison]) -> tuple[pd.DataFrame, list[Table], list[Sentence]]:
    """Shows the tables with what they rest on, and returns every figure, the tables and this for the download."""
    table = full_table(compared, study.measures)
    whole = all_are_asked_for()
    why = dashes(study, compared, whole)
    notes = [*why, how_tested(compared)]
    taken: list[Table] = [(short_table(table), "Order, level and distance per measure")]
    for row in show_table(
        *taken[0][0], alt=taken[0][1], key="measures compared", notes=notes, full=lambda: table
    ):
        offer_items(study, study.measures[row], study.candidate)
    all_columns()
    for sentence in why:
        note(*sentence)
    if whole:
        further = all_tables(table)
        for shown, what in further:
            show_table(*shown, alt=what)
        taken += further
    for remark in (*cautions(study, compared), *few_raters(study, compared)):
        warn(*remark)
    note(*how_tested(compared))
    left = remarks(study, compared)
    if left:
        with st.expander(f"Left out or undefined ({len(left)})"):
            for remark in left:
                note(*remark)
    turned = verdict_table(study, compared)
    if turned is not None:
        with st.expander(f"Verdicts that hang on the choice of test ({len(turned[0])})"):
            show_table(*turned, alt="Tests and tails that would turn the verdict")
    return table, taken, notes
