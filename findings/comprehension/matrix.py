"""Author by author: whose summaries answer whose questions, and the questions and answers of a pair."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from analysis.comprehension.answer_shares import Pairs
from charts.comprehension.authors import MOST_AUTHORS
from charts.comprehension.figure_names import FIGURE_NAMES
from features.blocks import Finding
from features.plotting.numbers import count, share, share_with_interval
from features.tables import Shown
from features.verdicts import clear_if, not_enough_data, uncertain
from features.words import Sentence, counted
from findings.comprehension.levels import LEVELS_WRITTEN, level_cells

Texts = Mapping[str, NDArray[np.str_]]
"""The questions and answers of a pair by column, one entry per answer."""
MOST_WITH_INTERVALS = 30
"""Authors up to which the cells' intervals are drawn."""
_TEXTS = {
    "question_text": "Question",
    "expected_answer": "Expected answer",
    "found_answer": "Found answer",
    "judge": "Judge",
}


def finding_of(pairs: Pairs, names: Sequence[str], figure: str) -> Finding:
    """The pair with the highest share and the one with the lowest."""
    estimates = [(at, pairs.levels.estimate(at, figure)) for at in range(len(pairs.levels))]
    known = [(at, e) for at, e in estimates if e.defined]
    if not known:
        return not_enough_data(
            "No summary was asked another author's questions, so no pair of authors can be told. Have each author's "
            "questions answered from the summaries of the others."
        )
    (highest, high), (lowest, low) = (pick(known, key=lambda pair: pair[1].value) for pick in (max, min))
    if high.value == low.value:
        return uncertain(
            "{share} is <b>{high}</b> for every pair of authors that met.",
            {"share": FIGURE_NAMES[figure], "high": share(high.value)},
        )
    wrote, asked = divmod(highest, pairs.authors)
    least_wrote, least_asked = divmod(lowest, pairs.authors)
    return clear_if(
        low.high < high.low,
        "{share} is highest where summaries of <b>{wrote}</b> meet questions of <b>{asked}</b>: <b>{high}</b>; lowest "
        "where summaries of <b>{least_wrote}</b> meet questions of <b>{least_asked}</b>: <b>{low}</b>"
        + (
            ". Their intervals overlap, and other stories may turn the order."
            if low.high >= high.low
            else "."
        ),
        {
            "share": FIGURE_NAMES[figure][:1].upper() + FIGURE_NAMES[figure][1:],
            "wrote": names[wrote],
            "asked": names[asked],
            "high": share_with_interval(high),
            "least_wrote": names[least_wrote],
            "least_asked": names[least_asked],
            "low": share_with_interval(low),
        },
    )


def notes(names: Sequence[str]) -> list[Sentence]:
    """How to read the cells, and what is left out of so many."""
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
    else:
        made.append(
            (
                "Intervals of pairs near 0 or 100 % are wider than they say: they held in 99 of 100 simulated studies.",
                {},
            )
        )
    return made


def pairs_table(pairs: Pairs, names: Sequence[str]) -> Shown:
    """One row per pair of authors that met."""
    rows = [
        {
            "Summary of": names[at // pairs.authors],
            "Questions of": names[at % pairs.authors],
            **level_cells(pairs.levels, at),
        }
        for at in range(len(pairs.levels))
        if pairs.levels.questions[at]
    ]
    return pd.DataFrame(rows), LEVELS_WRITTEN


NO_TEXTS: Sentence = (
    "The summaries' texts are not in the file: a column summary_text would show them here.",
    {},
)


def never_met(wrote: str, asked: str) -> Sentence:
    """A pair without a question."""
    return (
        "No question of <b>{asker}</b> was put to a summary of <b>{writer}</b>. Choose another pair.",
        {"asker": asked, "writer": wrote},
    )


def own_questions(author: str) -> Sentence:
    """Why an author's own questions are in no figure."""
    return (
        "These are {asker}'s own questions: they are set aside and count in no figure.",
        {"asker": author},
    )


def answers_note(texts: Texts, asked: str) -> Sentence:
    """How many answers there are."""
    return (
        "{answers} of {asker} on {stories}.",
        {
            "answers": counted(len(texts["answer"]), "answer"),
            "asker": asked,
            "stories": counted(len(set(texts["story"].tolist())), "story", "stories"),
        },
    )


def answers_table(texts: Texts) -> Shown:
    """One row per answer in the file's order, without the columns that are empty all over."""
    columns = {"Story": texts["story"], "No.": texts["question"]}
    columns |= {title: texts[column] for column, title in _TEXTS.items() if _any(texts[column])}
    return pd.DataFrame(columns | {"Answer": texts["answer"]}), {}


def columns_lacking(texts: Texts) -> list[Sentence]:
    """The columns that would show more of the answers."""
    lacking = [column for column in _TEXTS if column != "judge" and not _any(texts[column])]
    if not lacking:
        return []
    return [("Columns of the file that would show more here: {columns}.", {"columns": ", ".join(lacking)})]


def summaries_table(
    stories: NDArray[np.str_],
    authors: NDArray[np.str_],
    texts: NDArray[np.str_],
    characters: NDArray[np.float64],
    of: Sequence[str],
) -> pd.DataFrame:
    """The summaries of these authors whose text is known."""
    table = pd.DataFrame({"Story": stories, "author": authors, "Summary": texts, "Characters": characters})
    return table[(table["Summary"] != "") & table["author"].isin(of)]


def summaries_by(table: pd.DataFrame, author: str) -> Shown:
    """One author's summaries."""
    return table[table["author"] == author].drop(columns="author"), {"Characters": count}


def side_by_side(table: pd.DataFrame, story: str, wrote: str, asked: str) -> list[Sentence]:
    """The summary of a story that was asked, and that of who asked."""
    roles = {wrote: "who wrote the summary that was asked"} | ({asked: "who asked"} if asked != wrote else {})
    return [
        ("<b>{name}</b>, {role}: {text}", {"name": name, "role": role, "text": text})
        for name, role in roles.items()
        for text in table[(table["author"] == name) & (table["Story"] == story)]["Summary"]
    ]


def _any(column: NDArray[np.str_]) -> bool:
    return bool((column != "").any())
