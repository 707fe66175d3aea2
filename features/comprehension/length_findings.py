"""Verdict on whether longer summaries answer more questions, and the lengths of each author's summaries."""

from collections.abc import Iterator
from functools import partial

import numpy as np

from analysis.values.estimate import Estimate
from features.blocks import Finding, NextStep, Note, Table
from features.comprehension.results import Lengths
from features.comprehension.shares_findings import TENTH
from features.evidence import capitalized, confidence_interval
from features.plotting.numbers import count, decimal, decimal_with_interval
from features.tables import Column, estimate_columns, table_of
from features.verdicts import clear_if, excludes, not_enough_data, uncertain
from features.words import counted

FEW_AUTHORS = 10
"""Authors below which a correlation across them is called unreliable."""
UNKNOWN = not_enough_data(
    "Not enough data to study length: the file does not hold the summaries' lengths.",
    {},
    "It needs summary_text, or summary_characters and summary_words",
    next_step=NextStep("Map columns on Data", "datasets.py"),
)


def length_finding(found: Lengths) -> Finding:
    """Return whether longer summaries answer more questions, within stories, or else across authors."""
    within, across = found.found.within, found.found.over_authors
    if within.defined:
        r, headline, other = (
            within,
            "Within a story, {longer} summaries answer more questions, r = {r}.",
            across,
        )
        null = "Within a story, longer summaries do not clearly answer more questions."
        line = [f"{count(within.n)} summaries", _across(across)]
    elif across.defined:
        r, headline, other = (
            across,
            "Authors with {longer} summaries answer more questions, r = {r}.",
            within,
        )
        null = "Authors with longer summaries do not clearly answer more questions."
        few = ", too few to rely on" if across.n < FEW_AUTHORS else ""
        line = [f"{count(across.n)} authors{few}", f"within stories undefined: {other.reason}"]
    else:
        headline = "Not enough data to say whether longer summaries answer more questions."
        return not_enough_data(headline, {}, capitalized(across.reason), capitalized(within.reason))
    if not excludes(r):
        interval = confidence_interval(r)
        return uncertain(null, {}, f"r = {decimal(r.value)}", interval, *line)
    values = {"longer": "longer" if r.value > 0 else "shorter", "r": decimal(r.value)}
    is_clear = within.defined or across.n >= FEW_AUTHORS
    return clear_if(is_clear, headline, values, confidence_interval(r), *line)


def _across(r: Estimate) -> str:
    if not r.defined:
        return f"across authors undefined: {r.reason}"
    few = ", too few to rely on" if r.n < FEW_AUTHORS else ""
    return f"across the {count(r.n)} authors: {decimal_with_interval(r)}{few}"


def length_notes(found: Lengths) -> Iterator[Note]:
    """Yield how many summaries have no known length, and that machines are left out."""
    if 0 < found.unknown < found.summaries:
        summaries = counted(found.summaries, "summary", "summaries")
        values = {"unknown": count(found.unknown), "summaries": summaries}
        yield Note(("{unknown} of {summaries} have no known length and count in no length.", values))
    if found.machines:
        yield Note(("Machines are hollow diamonds, and not part of the correlations.", {}))


def length_table(found: Lengths) -> Table:
    """Return Table 1 of the paper: means of each author's summaries with their SD, and the share found."""
    of, codes = found.found, found.found.authors.tolist()
    columns = [
        Column("Author", [found.names[code] for code in codes]),
        Column("Summaries", of.summaries[codes], count),
    ]
    for title, spread, digits in (
        ("Words", of.table.words, 1),
        ("Characters", of.table.characters, 1),
        ("Characters per word", of.table.characters_per_word, 2),
        ("Questions per summary", of.table.questions, 2),
    ):
        if not np.isnan(spread.mean[codes]).all():
            write = partial(decimal, digits=digits)
            columns.append(Column(title, spread.mean[codes], write, title != "Characters per word"))
            columns.append(Column(f"{title}, SD", spread.sd[codes], write, False))
    columns += estimate_columns("Found", [of.levels.estimate(code, "found") for code in codes], TENTH)
    return table_of("length", "Words, characters and questions per summary, by author.", columns)
