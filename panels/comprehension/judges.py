"""Judges: how far they agree, and what their disagreement moves."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import streamlit as st

from analysis.comprehension.judge_agreement import JudgeAgreement, judge_agreement
from analysis.values.estimate import BootstrapSpec
from charts.comprehension.answer_bars import Part, Row, answer_bars
from charts.comprehension.estimate_dots import estimate_dots
from features.plotting.figure import Figure
from features.study import Study
from findings.code import comprehension as program
from findings.comprehension import answers
from findings.comprehension.judges import (
    ALPHAS,
    alphas_table,
    finding_of,
    judges_table,
    one_judge,
    pairs_table,
    remarks,
)
from panels.comprehension.settings import settings
from ui.conclusions import show_code, show_finding
from ui.pictures import draw, look
from ui.stages import OnProgress, conclude, show_intervals
from ui.tables import show_table
from ui.words import note, say, warn


def show(study: Study) -> None:
    """Finding, alphas, each judge's shares, pairs of judges; with one judge the next step."""
    finding = st.empty()
    names = answers.names(study, "judge").tolist()
    if len(names) < 2:
        with finding:
            say(*one_judge(names))
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = settings(study)
    alphas = st.empty()
    st.header("What each judge would say alone")
    bars = st.empty()

    def draw_agreement(agreement: JudgeAgreement, stage: str) -> None:
        with finding:
            show_finding(finding_of(agreement, names))
        draw(
            alphas,
            _dots(agreement),
            key=f"comprehension alphas {stage}",
            alt="Krippendorff's alpha of the judges by three ways to compare answers, with intervals",
        )
        draw(
            bars,
            _bars(agreement, names),
            key=f"comprehension judges {stage}",
            alt="Shares of the four answers by judge",
        )

    agreement = show_intervals(
        study,
        "Intervals of agreement",
        partial(_agreement, study, chosen.machines),
        chosen.bootstrap,
        draw_agreement,
        chosen.machines,
    )
    if chosen.machines:
        note("The bars leave machines' summaries out; agreement counts them.")
    for sentence in remarks(agreement, names):
        warn(*sentence)
    show_table(*judges_table(agreement, names), alt="Each judge's shares, with intervals")
    st.header("Agreement")
    show_table(*alphas_table(agreement), alt="Alpha with intervals")
    conclude(
        "judges",
        [(pairs_table(agreement, names), "Equal answers and kappa of each two judges")],
        figure=lambda: _dots(agreement),
    )
    show_code(lambda: program.judges(study, chosen.bootstrap, chosen.machines))


def _agreement(
    study: Study, machines: tuple[int, ...], bootstrap: BootstrapSpec, on_progress: OnProgress | None
) -> JudgeAgreement:
    """Agreement over all answers, with the shares of those between people."""
    given = answers.answers(study)
    agreement = judge_agreement(given, bootstrap, on_progress)
    if not machines:
        return agreement
    people = judge_agreement(given.among_people(machines), bootstrap, on_progress)
    return replace(agreement, by_judge=people.by_judge)


def _dots(agreement: JudgeAgreement) -> Figure:
    rows = [(compared_as, agreement.alpha[name]) for name, compared_as in ALPHAS.items()]
    return estimate_dots(rows, "Krippendorff's alpha", look())


def _bars(agreement: JudgeAgreement, names: Sequence[str]) -> Figure:
    levels = agreement.by_judge
    return answer_bars([Part("", [Row(names[at], levels.of(at)) for at in range(len(levels))])], look())


EXPLANATION = r"""
**Krippendorff's alpha** over the questions that two judges or more judged (a question put to one summary is one unit):
1 is full agreement, 0 what chance would give with these judges' answers. Three ways to compare answers: *four answers*
(any two differ alike, nominal), *R over P over I, N* (ordinal; irrelevant and not found are the same step), and
*R, P against I, N*: the paper's assumption that only this difference matters, since the first two are shared
information and the last two are not.

Alpha is low where nearly all answers are alike, however seldom judges differ; the share of equal answers stands beside
**Cohen's kappa** for each two judges.

**What each judge would say alone**: the shares by each judge's own answers. All other figures of the page are the mean
of these over judges. Machines' summaries have no part in them, but in the agreement.

**Intervals** draw stories, for these judges; two judges do not tell what a third would say.

Source: Kolluru and Gotoh 2005, section 4.2; Krippendorff 2011; Cohen 1960.
"""
