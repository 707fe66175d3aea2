"""Author by author: whose summaries answer whose questions, down to the questions and answers themselves."""

from collections.abc import Sequence
from functools import partial

import numpy as np
import streamlit as st

from analysis.comprehension.answer_shares import Pairs, by_pair
from analysis.values.estimate import BootstrapSpec
from charts.comprehension.figure_names import FIGURE_NAMES
from charts.comprehension.pair_matrix import authors_drawn, pair_matrix
from features.plotting.figure import Figure
from features.study import Study
from findings.code import comprehension as program
from findings.comprehension import answers
from findings.comprehension.matrix import (
    MOST_WITH_INTERVALS,
    NO_TEXTS,
    answers_note,
    answers_table,
    columns_lacking,
    finding_of,
    never_met,
    notes,
    own_questions,
    pairs_table,
    side_by_side,
    summaries_by,
    summaries_table,
)
from panels.comprehension.settings import settings
from ui.conclusions import show_code, show_finding
from ui.controls import choose_one
from ui.pictures import draw, look
from ui.stages import conclude, show_intervals
from ui.tables import show_table
from ui.words import note, say, warn

SHOWN = {"R + P": "R+P", "R": "R", "Found (R + P + I)": "found", "Not found (N)": "N"}
ALL_STORIES = "all stories"


def show(study: Study) -> None:
    """Finding, matrix, table of the pairs; then one pair's questions, answers and summaries."""
    finding = st.empty()
    names = answers.names(study, "author").tolist()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        share_of = st.segmented_control(
            "Share of", list(SHOWN), default="R + P", required=True, key="pair_share", bind="query-params"
        )
        bootstrap = settings(study).bootstrap
    if len(names) > MOST_WITH_INTERVALS:
        bootstrap = BootstrapSpec(draws=0)
    figure = SHOWN[share_of]
    picture = st.empty()

    def draw_matrix(pairs: Pairs, stage: str) -> None:
        with finding:
            show_finding(finding_of(pairs, names, figure))
        draw(
            picture,
            _matrix(pairs, names, figure),
            key=f"comprehension matrix {figure} {stage}",
            alt=f"{FIGURE_NAMES[figure]} of each summary author (rows) on each author's questions (columns)",
        )

    pairs = show_intervals(
        study,
        "Intervals of the pairs",
        partial(by_pair, answers.answers(study)),
        bootstrap,
        draw_matrix,
    )
    conclude(
        "author_by_author",
        [(pairs_table(pairs, names), "Shares of each pair of authors, with intervals")],
        notes=notes(names),
        figure=lambda: _matrix(pairs, names, figure),
    )
    st.header("Questions and answers of a pair")
    _show_pair(study, names)
    show_code(lambda: program.matrix(study, bootstrap))


def _matrix(pairs: Pairs, names: Sequence[str], figure: str) -> Figure:
    return pair_matrix(pairs, names, authors_drawn(pairs, names), figure, look())


def _show_pair(study: Study, names: Sequence[str]) -> None:
    """One pair's questions and answers, and the summaries they were put to."""
    given = answers.answers(study)
    wrote, asked = ([names[code] for code in codes] for codes in (given.writers, given.askers))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        writer = choose_one("Summary of", wrote, key="summary_of", width=220)
        others = [name for name in asked if name != writer]
        asker = choose_one(
            "Questions of",
            asked,
            usual=(others or asked)[0],
            key="questions_of",
            width=220,
        )
        texts = answers.texts_of(study, writer, asker)
        stories = list(dict.fromkeys(texts["story"].tolist()))
        story = choose_one("Story", [ALL_STORIES, *stories], key="of_story", width=220)
    if not stories:
        say(*never_met(writer, asker))
        return
    if writer == asker:
        warn(*own_questions(asker))
    if story != ALL_STORIES:
        texts = answers.texts_of(study, writer, asker, story)
    note(*answers_note(texts, asker))
    what = f"Questions of {asker} and the answers found in summaries of {writer}"
    conclude("questions_and_answers", [(answers_table(texts), what)], most=14, below=columns_lacking(texts))
    _show_summaries(study, names, writer, asker, story)


def _show_summaries(study: Study, names: Sequence[str], writer: str, asker: str, story: str) -> None:
    """The texts of the summaries: both of one story beside each other, or the writer's of all stories as a table."""
    there = answers.summaries(study)
    table = summaries_table(
        answers.names(study, "story")[there["story"]],
        np.asarray(names)[there["author"]],
        there["text"],
        there["characters"],
        (writer, asker),
    )
    if table.empty:
        note(*NO_TEXTS)
    elif story == ALL_STORIES:
        show_table(*summaries_by(table, writer), alt=f"Summaries of {writer}", most=8)
        note("Choose a story to read its summary beside that of who asked.")
    else:
        for sentence in side_by_side(table, story, writer, asker):
            say(*sentence)


EXPLANATION = r"""
A row is an author's summaries, a column an author's questions; the cell is the share of these questions that is
answered from these summaries (with several judges the mean of the judges' shares). Read along a row: does an author's
level come from all questions alike, or from one author's? Read down a column: questions that everyone's summaries
answer are general ones.

A cell and its mirror are two different things: *B*'s questions put to *A*'s summaries, and *A*'s put to *B*'s.

**Intervals** draw stories, for these authors and judges. A cell rests on few questions; of many cells some are high
and some low by chance.

Source: Kolluru and Gotoh 2005, section 5; the pages' matrix is not in the paper.
"""
