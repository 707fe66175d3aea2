"""Who is reliable: each worker's agreement with the others and with known answers, and how methods agree."""

from collections.abc import Callable

import numpy as np
import streamlit as st

from analysis.assessors.consistency import agreement_with_others
from analysis.assessors.rater_estimates import estimates
from analysis.values.estimate import BootstrapSpec, Estimate
from analysis.values.ratings import Ratings
from analysis.workers import reliability_intervals, worker_agreement, worker_ranking
from analysis.workers.polls import ALL_TOGETHER, Codes, Poll
from analysis.workers.worker_ranking import WorkerRanking
from charts.parts.figure import Figure
from charts.workers.reliability import ranking, scatter
from findings.study import Study
from findings.workers import reliability as findings
from findings.workers.reliability import FEW_ITEMS, Reliability
from panels.crowd_vs_lab import comparisons
from panels.parts.conclusions import conclude_that
from panels.parts.pictures import draw, look
from panels.parts.progress import long_result
from panels.parts.shelf import key_of, result
from panels.parts.stages import conclude, show_stages
from panels.parts.store import query, ratings
from panels.parts.tables import show_table
from panels.parts.words import note
from panels.visit.scenario import MOST_BY_HAND, leave_out_by_hand
from panels.workers.polls import polls, pooled

EXPLANATION = findings.EXPLANATION
Compute = Callable[[BootstrapSpec], Reliability | None]
"""Ranks the workers under a spec; None while stopped."""


def show(study: Study) -> None:
    """Finding, controls, ranking with intervals, known answers, table, methods against each other, remarks."""
    finding = st.empty()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        compute = _of_choices(study) if study.holds_choices else _of_ratings(study)
        closed = compute(BootstrapSpec(draws=0))
        if closed is None:
            return
        least = _fewest_items(closed)
    picture = st.empty()

    def say_and_draw(reliability: Reliability, stage: str) -> None:
        with finding:
            conclude_that(*findings.finding(reliability, least))
        draw(
            picture,
            _figure(reliability, least),
            key=f"workers {stage}",
            alt=f"Agreement of each {reliability.person} with the others, the highest on top",
        )

    reliability = show_stages(
        f"workers {study.key} {study.candidate} {closed.r_title} {least}",
        closed,
        say_and_draw,
        *(() if study.holds_choices else (("with intervals", lambda _: compute(BootstrapSpec())),)),
        first="whole" if study.holds_choices else "closed",
    )
    if reliability.intervals:
        note("Intervals: {how}.", how=reliability.intervals)
    _show_known(reliability, least)
    st.subheader(f"All {reliability.person}s")
    _show_table_to_tick(study, reliability)
    _show_methods(reliability, least)
    conclude(
        "workers",
        [],
        remarks=findings.remarks(reliability, least),
        download=lambda: reliability.columns,
        figure=lambda: _figure(reliability, least),
    )


def show_at_a_glance(study: Study) -> None:
    """Finding and ranking of all workers over all comparisons; nothing while stopped."""
    poll, poll_of_item = pooled(study)
    known = next(iter(poll.known_answers), "")
    ranked = _ranked(study, poll, poll_of_item, known)
    if ranked is None:
        return
    reliability = findings.of_choices(poll, ranked, known)
    least = FEW_ITEMS
    conclude_that(*findings.finding(reliability, least))
    draw(
        st,
        _figure(reliability, least),
        key="overview_workers",
        alt="Agreement of each worker with the others, the most reliable on top",
    )


def _ranked(study: Study, poll: Poll, poll_of_item: Codes, known: str) -> WorkerRanking | None:
    """Workers by every method, with intervals of r_w; None while stopped."""
    answers = poll.known(known) if known else None
    ranked = long_result(
        key_of(study.dataset, "workers", study.candidate, poll.name, known),
        "Ranking of the workers",
        lambda on_progress: worker_ranking.rank_workers(
            poll.votes, answers, poll.seconds, poll_of_item, on_progress=on_progress
        ),
    )
    if ranked is None:
        return None
    return result(
        key_of(study.dataset, "workers with intervals", study.candidate, poll.name, known),
        lambda: reliability_intervals.with_intervals(
            ranked, poll.votes, poll_of_item, raters_are_persons=study.raters_are_persons
        ),
    )


def _of_choices(study: Study) -> Compute:
    """Draws the controls of a study of choices."""
    poll, poll_of_item = _poll(study)
    known = _known_answers(poll)

    def compute(_: BootstrapSpec) -> Reliability | None:
        ranked = _ranked(study, poll, poll_of_item, known)
        return None if ranked is None else findings.of_choices(poll, ranked, known)

    return compute


def _poll(study: Study) -> tuple[Poll, Codes]:
    """One comparison, or all together, and the poll of each item."""
    by_name = {poll.name: poll for poll in polls(study)}
    chosen = ALL_TOGETHER
    if len(by_name) > 1:
        chosen = st.selectbox(
            "Comparison",
            [ALL_TOGETHER, *by_name],
            key="ranked_comparison",
            bind="query-params",
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
    return st.selectbox("Known answers", known, key="known_answers", bind="query-params", width=160)


def _of_ratings(study: Study) -> Compute:
    """Draws the controls of a study of ratings."""
    measure = study.measures[0]
    if len(study.measures) > 1:
        measure = st.selectbox(
            "Measure", study.measures, key="ranked_measure", bind="query-params", width=320
        )
    given = ratings(study.dataset, measure, study.candidate)
    codes, numbers = np.unique(given.rater, return_counts=True)
    names = query(study.dataset, "rater_names")["name"][codes].tolist()

    def compute(spec: BootstrapSpec) -> Reliability | None:
        agreement = long_result(
            key_of(study.dataset, "raters", measure, study.candidate, spec),
            "Intervals of all raters" if spec.draws else "Ranking of the raters",
            lambda on_progress: agreement_with_others(given, spec),
        )
        if agreement is None:
            return None
        of_reference = _with_reference(study, measure, given) if study.comparable else None
        method = "Fisher's z" if spec.draws else ""
        return findings.of_ratings(
            names, numbers.tolist(), estimates(agreement), of_reference, study.reference_name, method
        )

    return compute


def _with_reference(study: Study, measure: str, given: Ratings) -> tuple[Estimate, ...]:
    def compute() -> tuple[Estimate, ...]:
        shared = comparisons.pairs(study, measure).shared()
        values = dict(zip(np.asarray(shared.item).tolist(), shared.mos_reference.tolist(), strict=True))
        return worker_agreement.agreement_with_reference(given, values)

    reference = study.reference, study.reference_column
    return result(
        key_of(study.dataset, "raters with reference", measure, study.candidate, reference), compute
    )


def _fewest_items(reliability: Reliability) -> int:
    return int(
        st.number_input(
            "Fewest items",
            1,
            max([FEW_ITEMS, *reliability.items]),
            FEW_ITEMS,
            key="fewest_items",
            bind="query-params",
            width=140,
            help="Who shares fewer items than this with others is named neither best nor worst: an agreement over few "
            "items says little.",
        )
    )


def _figure(reliability: Reliability, least: int) -> Figure:
    return ranking(reliability.pictured(least), reliability.r_title, look())


def _show_known(reliability: Reliability, least: int) -> None:
    """The scatter of agreement with known answers against agreement with the others."""
    if reliability.known is None:
        return
    pearson, spearman = (correlation.estimate for correlation in reliability.correlation(least))
    st.subheader("Known answers against agreement with the others")
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
            alt="Agreement with known answers against r_w, a dot per worker",
        )


def _show_table_to_tick(study: Study, reliability: Reliability) -> None:
    """The table with rows to tick, and a button that leaves the ticked ones out."""
    everyone = query(study.whole, "rater_names")["name"]
    ticked = show_table(
        *reliability.table,
        alt=f"All figures per {reliability.person}, the highest agreement first",
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


def _show_methods(reliability: Reliability, least: int) -> None:
    """Rank correlations of all methods, and what it means where they disagree."""
    if not reliability.methods:
        return
    st.subheader("Do the methods rank workers alike?")
    rho = reliability.rank_correlations(least)
    table = findings.methods_table(list(reliability.methods), rho)
    show_table(*table, alt="Spearman's rho of each two methods")
    for sentence in findings.methods_notes(rho):
        note(*sentence)
