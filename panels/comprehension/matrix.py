"""Author by author: whose summaries answer whose questions, down to the questions and answers themselves."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from analysis.comprehension.answer_shares import Pairs, by_pair
from analysis.values.estimate import BootstrapSpec
from charts.comprehension.authors import MOST_AUTHORS, most_asked
from charts.comprehension.figure_names import FIGURE_NAMES
from charts.comprehension.pair_matrix import pair_matrix
from charts.parts.numbers import count, share
from findings.study import Study
from findings.words import Sentence
from panels.comprehension import answers
from panels.comprehension.settings import askers, counted, settings, steps, told, writers
from panels.comprehension.shares import LEVELS_WRITTEN, level_cells
from panels.parts.downloads import downloads
from panels.parts.pictures import draw, look
from panels.parts.tables import show_table
from panels.parts.words import note, say, warn

MOST_WITH_INTERVALS = 30
"""Authors up to which the cells' intervals are drawn."""
SHOWN = {"R + P": "R+P", "R": "R", "Found (R + P + I)": "found", "Not found (N)": "N"}
ALL_STORIES = "all stories"
_TEXTS = {
    "question_text": "Question",
    "expected_answer": "Expected answer",
    "found_answer": "Found answer",
    "judge": "Judge",
}


def show(study: Study) -> None:
    """Finding, matrix, table of the pairs; then one pair's questions, answers and summaries."""
    finding = st.empty()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        figure_name = st.segmented_control(
            "Share of", list(SHOWN), default="R + P", required=True, key="pair_share", bind="query-params"
        )
        bootstrap = settings(study).bootstrap
    given, names = answers.answers(study), answers.names(study, "author").tolist()
    if len(names) > MOST_WITH_INTERVALS:
        bootstrap = BootstrapSpec(0)
    picture = st.empty()

    def compute(spec: BootstrapSpec, on_progress: Any) -> Pairs:
        return by_pair(given, spec, on_progress)

    figure = SHOWN[figure_name]
    for at, pairs in enumerate(steps(study, "Intervals of the pairs", compute, bootstrap)):
        with finding:
            template, values = finding_of(pairs, names, figure)
            say(template, **values)
        draw(
            picture,
            matrix(pairs, names, figure),
            key=f"comprehension matrix {figure} {at}",
            alt=f"{FIGURE_NAMES[figure]} of each summary author (rows) on each author's questions (columns)",
        )
    for template, values in _notes(pairs, names):
        note(template, **values)
    table = pairs_table(pairs, names)
    show_table(
        table,
        LEVELS_WRITTEN,
        alt="Shares of each pair of authors, with intervals",
        most=13,
    )
    downloads("author_by_author", lambda: table, lambda: matrix(pairs, names, figure))
    _show_cell(study, names)


def matrix(pairs: Pairs, names: Sequence[str], figure: str) -> dict[str, Any]:
    questions = pairs.levels.questions.reshape(pairs.authors, pairs.authors)
    shown = most_asked(names[: pairs.authors], questions.sum(axis=0) + questions.sum(axis=1))
    return pair_matrix(pairs, names, shown, figure, look())


def finding_of(pairs: Pairs, names: Sequence[str], figure: str) -> Sentence:
    """The pair with the highest share and the one with the lowest."""
    known = [(at, pairs.levels.estimate(at, figure)) for at in range(len(pairs.levels))]
    known = [(at, e) for at, e in known if e.defined]
    if not known:
        return (
            "No summary was asked another author's questions, so no pair of authors can be told. Have each author's "
            "questions answered from the summaries of the others.",
            {},
        )
    (highest, high), (lowest, low) = (pick(known, key=lambda pair: pair[1].value) for pick in (max, min))
    if high.value == low.value:
        return (
            "{share} is <b>{high}</b> for every pair of authors that met.",
            {"share": FIGURE_NAMES[figure], "high": share(high.value)},
        )
    wrote, asked = divmod(highest, pairs.authors)
    least_wrote, least_asked = divmod(lowest, pairs.authors)
    return (
        "{share} is highest where summaries of <b>{wrote}</b> meet questions of <b>{asked}</b>: <b>{high}</b>; lowest "
        "where summaries of <b>{least_wrote}</b> meet questions of <b>{least_asked}</b>: <b>{low}</b>.",
        {
            "share": FIGURE_NAMES[figure][:1].upper() + FIGURE_NAMES[figure][1:],
            "wrote": names[wrote],
            "asked": names[asked],
            "high": told(high),
            "least_wrote": names[least_wrote],
            "least_asked": names[least_asked],
            "low": told(low),
        },
    )


def pairs_table(pairs: Pairs, names: Sequence[str]) -> pd.DataFrame:
    """One row per pair of authors that met."""
    met = np.flatnonzero(pairs.levels.questions)
    return pd.DataFrame(
        [
            {
                "Summary of": names[at // pairs.authors],
                "Questions of": names[at % pairs.authors],
                **level_cells(pairs.levels, at),
            }
            for at in met.tolist()
        ]
    )


def _notes(pairs: Pairs, names: Sequence[str]) -> list[Sentence]:
    made: list[Sentence] = [
        (
            "Numbers are per cent. The cells of an author with itself are empty: a summary is never asked its own "
            "author's questions.",
            {},
        )
    ]
    if len(names) > MOST_AUTHORS:
        drawn = {"drawn": MOST_AUTHORS, "all": count(len(names))}
        made.append(
            ("{drawn} of {all} authors are drawn, those with most questions; the table has all.", drawn)
        )
    if len(names) > MOST_WITH_INTERVALS:
        made.append(("Above {most} authors pairs have no intervals.", {"most": MOST_WITH_INTERVALS}))
    return made


def _show_cell(study: Study, names: Sequence[str]) -> None:
    """One pair's questions and answers, and the summaries they were put to."""
    st.subheader("Questions and answers of a pair")
    given = answers.answers(study)
    wrote, asked = ([names[code] for code in codes] for codes in (writers(given), askers(given)))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        writer = st.selectbox("Summary of", wrote, key="summary_of", bind="query-params", width=220)
        others = [name for name in asked if name != writer]
        asker = st.selectbox(
            "Questions of",
            asked,
            index=asked.index(others[0]) if others else 0,
            key="questions_of",
            bind="query-params",
            width=220,
        )
        cell = answers.texts_of(study, writer, asker)
        stories = list(dict.fromkeys(cell["story"].tolist()))
        story = st.selectbox("Story", [ALL_STORIES, *stories], key="of_story", bind="query-params", width=220)
    if not stories:
        say(
            "No question of <b>{asker}</b> was put to a summary of <b>{writer}</b>. Choose another pair.",
            asker=asker,
            writer=writer,
        )
        return
    if writer == asker:
        warn("These are {asker}'s own questions: they are set aside and count in no figure.", asker=asker)
    if story != ALL_STORIES:
        cell = answers.texts_of(study, writer, asker, story)
    table = answers_table(cell)
    note(
        "{questions} of {asker} on {stories}.",
        questions=counted(len(table), "answer"),
        asker=asker,
        stories=counted(len(set(cell["story"].tolist())), "story", "stories"),
    )
    show_table(table, {}, alt=f"Questions of {asker} and the answers found in summaries of {writer}", most=14)
    without = [
        column for column in ("question_text", "expected_answer", "found_answer") if not _any(cell[column])
    ]
    if without:
        note("Columns of the file that would show more here: {columns}.", columns=", ".join(without))
    downloads("questions_and_answers", lambda: table)
    _show_summaries(study, names, writer, asker, None if story == ALL_STORIES else story)


def answers_table(cell: Mapping[str, Any]) -> pd.DataFrame:
    """One row per answer in the file's order, without the columns that are empty all over."""
    columns: dict[str, Any] = {"Story": cell["story"], "No.": cell["question"]}
    columns |= {told_as: cell[column] for column, told_as in _TEXTS.items() if _any(cell[column])}
    return pd.DataFrame(columns | {"Answer": cell["answer"]})


def _any(column: Any) -> bool:
    return bool((column != "").any())


def _show_summaries(study: Study, names: Sequence[str], writer: str, asker: str, story: str | None) -> None:
    """The texts of the summaries: both of one story beside each other, or the writer's of all stories as a table."""
    there = answers.summaries(study)
    story_names = answers.names(study, "story")
    table = pd.DataFrame(
        {
            "Story": story_names[there["story"]],
            "author": np.asarray(names)[there["author"]],
            "Summary": there["text"],
            "Characters": there["characters"],
        }
    )
    table = table[(table["Summary"] != "") & table["author"].isin([writer, asker])]
    if table.empty:
        note("The summaries' texts are not in the file: a column summary_text would show them here.")
        return
    if story is None:
        show_table(
            table[table["author"] == writer].drop(columns="author"),
            {"Characters": count},
            alt=f"Summaries of {writer}",
            most=8,
        )
        note("Choose a story to read its summary beside that of who asked.")
        return
    for name in dict.fromkeys((writer, asker)):
        for text in table[(table["author"] == name) & (table["Story"] == story)]["Summary"]:
            say(
                "<b>{name}</b>, {role}: {text}",
                name=name,
                role="who wrote the summary that was asked" if name == writer else "who asked",
                text=text,
            )


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
