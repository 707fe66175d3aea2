"""Reliability of workers: agreement with the others and with known answers, and how far methods agree."""

import numpy as np
import streamlit as st

from analysis.workers.polls import ALL_TOGETHER, Codes, Poll
from features.polls import polls, pooled
from features.study import Study
from findings.code import choices as program
from findings.workers import reliability as findings
from findings.workers.ranked import compared_workers, ranked_workers
from findings.workers.reliability import FEW_ITEMS, Reliability
from panels.assessors.ranked_raters import (
    fewest_items,
    ranking_figure,
    show_known,
    show_table_to_tick,
    what_it_shows,
)
from ui.conclusions import show_code, show_finding
from ui.controls import choose_one
from ui.pictures import draw
from ui.stages import conclude
from ui.tables import show_table
from ui.words import note

EXPLANATION = findings.EXPLANATION


def show(study: Study) -> None:
    """Finding, controls, ranking with intervals, known answers, table, methods against each other, remarks."""
    study = study.between_raters
    finding = st.empty()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        poll, poll_of_item = _poll(study)
        known = _known_answers(poll)
        ranked = ranked_workers(study, poll, poll_of_item, known)
        if ranked is None:
            return
        compared = compared_workers(study, poll, poll_of_item, ranked)
        reliability = findings.of_choices(poll, ranked, compared, known)
        least = fewest_items(reliability)
    with finding.container():
        show_finding(findings.finding(reliability))
    draw(
        st,
        ranking_figure(reliability, least),
        key="workers whole",
        alt="Agreement of each worker with the others, the highest on top",
    )
    if reliability.intervals:
        note("Intervals: {how}.", how=reliability.intervals)
    show_known(reliability, least)
    st.header("All workers")
    show_table_to_tick(study, reliability)
    _show_methods(reliability, least)
    conclude(
        "workers",
        [],
        remarks=findings.remarks(reliability, least),
        shown_above=[(reliability.table, what_it_shows(reliability))],
        figure=lambda: ranking_figure(reliability, least),
    )
    one = None if poll.name == ALL_TOGETHER else poll.name
    show_code(lambda: program.workers(study, one, known))


def show_at_a_glance(study: Study) -> None:
    """Finding and ranking of all workers over all comparisons; nothing while stopped."""
    study = study.between_raters
    poll, poll_of_item = pooled(study)
    known = next(iter(poll.known_answers), "")
    ranked = ranked_workers(study, poll, poll_of_item, known)
    if ranked is None:
        return
    compared = compared_workers(study, poll, poll_of_item, ranked)
    reliability = findings.of_choices(poll, ranked, compared, known)
    least = FEW_ITEMS
    show_finding(findings.finding(reliability))
    draw(
        st,
        ranking_figure(reliability, least),
        key="overview_workers",
        alt="Agreement of each worker with the others, the highest on top",
    )


def _poll(study: Study) -> tuple[Poll, Codes]:
    """One comparison, or all together, and the poll of each item."""
    by_name = {poll.name: poll for poll in polls(study)}
    chosen = ALL_TOGETHER
    if len(by_name) > 1:
        chosen = choose_one(
            "Comparison",
            [ALL_TOGETHER, *by_name],
            key="ranked_comparison",
            width=320,
            help="All together: r_w is worked out within each comparison and averaged by the worker's items there.",
        )
    if chosen == ALL_TOGETHER:
        return pooled(study)
    return by_name[chosen], np.zeros(by_name[chosen].votes.items, dtype=np.int64)


def _known_answers(poll: Poll) -> str:
    """Whose answers the workers' are held against: "expert", "gold", or "" where none are known."""
    known = poll.known_answers
    if len(known) < 2:
        return next(iter(known), "")
    return choose_one("Known answers", known, key="known_answers", width=160)


def _show_methods(reliability: Reliability, least: int) -> None:
    """Rank correlations of all methods, and what it means where they disagree."""
    if not reliability.methods:
        return
    st.header("Do the methods rank workers alike?")
    rho = reliability.rank_correlations(least)
    table = findings.methods_table(list(reliability.methods), rho)
    show_table(*table, alt="Spearman's rho of each two methods")
    for sentence in findings.methods_notes(rho):
        note(*sentence)
