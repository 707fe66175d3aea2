"""Verdict on pairs of authors, and the questions, answers and summaries of one pair."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from features.blocks import Block, Finding, Note, Table, Text, Warning
from features.comprehension.results import MOST_WITH_INTERVALS, AuthorPairs, AuthorsSpec
from features.comprehension.shares_findings import FIGURE_NAMES, MOST_ROWS, level_columns
from features.evidence import confidence_interval
from features.plotting.numbers import count, share, share_with_interval
from features.tables import Column, table_of
from features.verdicts import clear_if, not_enough_data, uncertain
from features.words import counted, listed

Texts = Mapping[str, NDArray[np.str_]]
"""Questions and answers of a pair by column, one entry per answer."""
_TEXTS = {
    "question_text": "Question",
    "expected_answer": "Expected answer",
    "found_answer": "Found answer",
    "judge": "Judge",
}


def authors_finding(found: AuthorPairs) -> Finding:
    """Return the pair of authors with the highest share, and the one with the lowest."""
    known = {pair: e for pair, e in found.estimates.items() if e.defined}
    figure = FIGURE_NAMES[found.share]
    if not known:
        headline = "Not enough data on pairs of authors: no summary was asked another author's questions."
        return not_enough_data(headline)
    highest, lowest = (pick(known, key=lambda pair: known[pair].value) for pick in (max, min))
    high, low = known[highest], known[lowest]
    pairs = counted(len(known), "pair of authors", "pairs of authors")
    among = "people only" if found.machines and not found.with_machines else ""
    if high.value == low.value:
        headline = "{figure} is {share} for every pair of authors that met."
        return uncertain(headline, {"figure": figure, "share": share(high.value)}, pairs, among)
    values = {
        "figure": figure[:1].upper() + figure[1:],
        "writer": highest[0],
        "asker": highest[1],
        "share": share(high.value),
    }
    return clear_if(
        low.high < high.low,
        "{figure} is highest for summaries of {writer} and questions of {asker}, {share}.",
        values,
        confidence_interval(high, share),
        counted(high.n, "question"),
        f"lowest: summaries of {lowest[0]}, questions of {lowest[1]}, {share_with_interval(low)}",
        pairs,
        among,
    )


def authors_notes(found: AuthorPairs) -> Iterator[Note]:
    """Yield how to read the cells, and which authors are drawn or have intervals."""
    number = len(found.names)
    text = "Numbers are percent. A summary is never asked its author's own questions."
    yield Note((text, {}))
    if number > MOST_ROWS:
        text = "{drawn} of {all} authors are drawn, those with most questions; the table has all."
        yield Note((text, {"drawn": MOST_ROWS, "all": count(number)}))
    if number > MOST_WITH_INTERVALS:
        yield Note(("Above {most} authors pairs have no intervals.", {"most": MOST_WITH_INTERVALS}))
    else:
        text = "Intervals of pairs near 0 or 100% are wider than they say: they held in 99 of 100 simulated studies."
        yield Note((text, {}))


def pairs_table(found: AuthorPairs) -> Table:
    """Return a row per pair of authors that met."""
    levels, machines = found.pairs.levels, {*found.machines}
    rows = [at for at in range(len(levels)) if levels.questions[at]]
    pairs = [found.pair_of(at) for at in rows]
    columns = [
        Column("Summary of", [writer for writer, _ in pairs]),
        Column("Questions of", [asker for _, asker in pairs]),
    ]
    if machines:
        of_machines = [bool({*divmod(at, found.pairs.authors)} & machines) for at in rows]
        columns.append(Column("Machine", ["yes" if one else "no" for one in of_machines], None, False))
    columns += level_columns([(levels, at) for at in rows])
    return table_of("author-by-author", "Shares of each pair of authors.", columns)


def pair_blocks(spec: AuthorsSpec, texts: Texts, summaries: Table | None) -> Iterator[Block]:
    """Yield the questions and answers of the chosen pair, and the summaries as a table or those of one story."""
    pair: Mapping[str, object] = {"writer": spec.writer, "asker": spec.asker}
    if not len(texts["answer"]):
        yield Note(("No question of <b>{asker}</b> was put to a summary of <b>{writer}</b>.", pair))
        return
    if spec.writer == spec.asker:
        yield Warning(("These are {asker}'s own questions: they are set aside and count in no figure.", pair))
    stories = counted(len(set(texts["story"].tolist())), "story", "stories")
    number = {"answers": counted(len(texts["answer"]), "answer"), "stories": stories}
    yield Note(("{answers} to questions of {asker} on {stories}.", {**pair, **number}))
    caption: Text = ("Questions of {asker} and the answers found in summaries of {writer}.", pair)
    present = {title: texts[column] for column, title in _TEXTS.items() if (texts[column] != "").any()}
    columns = {"Story": texts["story"], "No.": texts["question"], **present, "Answer": texts["answer"]}
    yield table_of("questions-and-answers", caption, [Column(head, of) for head, of in columns.items()])
    lacking = [column for column in _TEXTS if column != "judge" and not (texts[column] != "").any()]
    if lacking:
        yield Note(
            ("Columns of the file that would show more here: {columns}.", {"columns": listed(lacking)})
        )
    if summaries is None:
        yield Note(("The summaries' texts are not in the file: they need a column summary_text.", {}))
    elif spec.story:
        yield from _both_summaries(spec, summaries)
    else:
        rows = summaries.frame[summaries.frame["Author"] == spec.writer]
        told = [
            Column(head, rows[head].tolist(), count if head == "Characters" else None)
            for head in ("Story", "Summary", "Characters")
        ]
        yield table_of("summaries", ("Summaries of {writer}.", pair), told)


def _both_summaries(spec: AuthorsSpec, summaries: Table) -> Iterator[Note]:
    frame = summaries.frame[summaries.frame["Story"] == spec.story]
    for text in frame[frame["Author"] == spec.writer]["Summary"]:
        summary = {"writer": spec.writer, "text": text}
        yield Note(("<b>{writer}</b>, who wrote the summary that was asked: {text}", summary))
    if spec.asker != spec.writer:
        for text in frame[frame["Author"] == spec.asker]["Summary"]:
            yield Note(("<b>{asker}</b>, who asked: {text}", {"asker": spec.asker, "text": text}))


def summaries_table(
    there: Mapping[str, NDArray[np.generic]], stories: Sequence[str], authors: Sequence[str]
) -> Table | None:
    """Return the summaries whose text is known; None without any."""
    known = there["text"] != ""
    if not known.any():
        return None
    return table_of(
        "summaries",
        "Summaries.",
        [
            Column("Story", np.asarray(stories)[there["story"][known].astype(int)]),
            Column("Author", np.asarray(authors)[there["author"][known].astype(int)]),
            Column("Summary", there["text"][known]),
            Column("Characters", there["characters"][known]),
        ],
    )
