"""Summary length: whether longer summaries answer more, and how long each author's are."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from analysis.comprehension.answer_levels import Levels
from analysis.comprehension.answer_shares import coded_shares, found_in
from analysis.comprehension.answers import Answers
from analysis.comprehension.summary_length import (
    LengthTable,
    length_correlation,
    length_table,
    questions_set,
    within_stories,
)
from analysis.values.estimate import BootstrapSpec, Estimate
from charts.comprehension.length_scatter import Point, length_scatter
from charts.parts.numbers import count, decimal, interval, percent, share
from findings.study import Study
from findings.words import Sentence
from panels.comprehension import answers
from panels.comprehension.settings import Settings, among_people, counted, settings, steps
from panels.parts.downloads import downloads
from panels.parts.pictures import draw, look
from panels.parts.tables import show_table
from panels.parts.words import note, say, warn

FEW_AUTHORS = 10
"""Authors below which the sentence says how little a correlation over them means."""


@dataclass(frozen=True, eq=False)
class Found:
    """Found and length by author code, both correlations, and Table 1; `counted` are the codes that correlate."""

    levels: Levels
    table: LengthTable
    over_authors: Estimate
    within: Estimate
    counted: Sequence[int]


def show(study: Study) -> None:
    """Finding, scatter, what four authors say, Table 1; where lengths are unknown, what would tell them."""
    finding = st.empty()
    there = answers.summaries(study)
    given, names = answers.answers(study), answers.names(study, "author").tolist()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = settings(study)
    known = ~np.isnan(there["characters"])
    picture = st.empty()
    for at, found in enumerate(in_steps(study, given, there, chosen)):
        if known.any():
            with finding:
                template, values = finding_of(found)
                say(template, **values)
            draw(
                picture,
                figure(found, names, chosen.machines),
                key=f"comprehension length {at}",
                alt="Share found against mean summary length, a dot with its name per author",
            )
    if not known.any():
        with finding:
            say(
                "How long the summaries are is not known. The column <b>summary_text</b>, or <b>summary_characters</b> "
                "and <b>summary_words</b>, would tell it: map them on the <b>Data</b> page."
            )
    for template, values in remarks(found, names, chosen.machines, int((~known).sum()), len(known)):
        (note if known.any() else warn)(template, **values)
    st.subheader("Summaries by author")
    table = authors_table(found, names)
    show_table(table, WRITTEN, alt="Words, characters and questions per summary, by author")
    downloads("summary_length", lambda: table, lambda: figure(found, names, chosen.machines))


def in_steps(study: Study, given: Answers, there: dict[str, Any], chosen: Settings) -> Iterator[Found]:
    """The closed figures, then those with intervals."""
    people = among_people(given, chosen.machines)
    authors = len(answers.names(study, "author"))
    story, author, characters = there["story"], there["author"], there["characters"]
    counted = [code for code in np.unique(author).tolist() if code not in chosen.machines]
    by_people = np.isin(author, counted)

    def compute(spec: BootstrapSpec, on_progress: Any) -> Found:
        levels = coded_shares(given, spec, on_progress).by_summary_author
        table = length_table(author, there["words"], characters, questions_set(given, story, author), authors)
        share_found = levels.value[counted, -1]
        return Found(
            levels,
            table,
            length_correlation(share_found, table.characters.mean[counted]),
            within_stories(
                story[by_people],
                found_in(people, story[by_people], author[by_people]),
                characters[by_people],
                spec,
                on_progress,
            ),
            counted,
        )

    return steps(study, "Intervals of length", compute, chosen.bootstrap, chosen.machines)


def finding_of(found: Found) -> Sentence:
    """Whether longer summaries answer more, over authors and within stories."""
    r, within = found.over_authors, found.within
    values: dict[str, object] = {"r": decimal(r.value), "between": interval(r), "n": count(r.n)}
    if not r.defined:
        template = "No correlation of length with what is found over authors: {why}"
        values["why"] = r.reason
    elif np.isnan(r.low):
        template = "Over {n} authors r = <b>{r}</b>, without interval: {why}"
        values["why"] = r.reason
    else:
        template = (
            f"{_direction(r, 'Authors with longer summaries', 'authors with longer summaries')}: r = <b>{{r}}</b> "
            "({between}) over {n} authors"
        )
        if r.n < FEW_AUTHORS:
            template += ", which are <b>few</b>: any correlation from {low} to {high} would fit"
            values |= {"low": decimal(r.low), "high": decimal(r.high)}
    template += ". "
    if not within.defined:
        return template + "Within stories it is undefined: {within_why}.", values | {
            "within_why": within.reason
        }
    values |= {
        "within": decimal(within.value),
        "within_between": interval(within),
        "within_n": count(within.n),
    }
    between = "" if np.isnan(within.low) else " ({within_between})"
    template += (
        f"Of summaries of the same story {_within(within)}: r = <b>{{within}}</b>{between} over {{within_n}}."
    )
    return template, values


def _direction(r: Estimate, who: str, whether: str) -> str:
    if r.low > 0:
        return f"{who} answer more"
    if r.high < 0:
        return f"{who} answer less"
    return f"Whether {whether} answer more remains open"


def _within(r: Estimate) -> str:
    if np.isnan(r.low):
        return "length and what is found go together like this"
    if r.low > 0:
        return "the longer ones answer more"
    if r.high < 0:
        return "the longer ones answer less"
    return "it is open whether the longer ones answer more"


def figure(found: Found, names: Sequence[str], machines: Sequence[int]) -> dict[str, Any]:
    lengths = found.table.characters.mean
    points = [
        Point(names[code], float(lengths[code]), found.levels.estimate(code, "found"), code in machines)
        for code in [*found.counted, *machines]
        if code < len(found.levels)
    ]
    return length_scatter(points, found.over_authors, look())


def authors_table(found: Found, names: Sequence[str]) -> pd.DataFrame:
    """Table 1 of the paper: means with their SD, and what was found."""
    of = found.table
    codes = np.flatnonzero(found.levels.questions.astype(bool) | (_summaries(of) > 0)).tolist()
    columns: dict[str, Any] = {"Author": [names[code] for code in codes], "Summaries": _summaries(of)[codes]}
    for title, spread in (
        (WORDS, of.words),
        (CHARACTERS, of.characters),
        (PER_WORD, of.characters_per_word),
        (QUESTIONS, of.questions),
    ):
        columns |= {title: spread.mean[codes], f"{title}, SD": spread.sd[codes]}
    told = [found.levels.estimate(code, "found") for code in codes]
    columns |= {"Found": [e.value for e in told], "Found, 95 %": [percent(e, 1) for e in told]}
    return pd.DataFrame(columns).dropna(axis="columns", how="all")


def _summaries(of: LengthTable) -> Any:
    return np.maximum(of.characters.n, of.questions.n)


WORDS, CHARACTERS, PER_WORD, QUESTIONS = "Words", "Characters", "Characters per word", "Questions per summary"
_ONE, _TWO = partial(decimal, digits=1), partial(decimal, digits=2)
WRITTEN = {
    "Summaries": count,
    **{f"{title}{sd}": _ONE for title in (WORDS, CHARACTERS) for sd in ("", ", SD")},
    **{f"{title}{sd}": _TWO for title in (PER_WORD, QUESTIONS) for sd in ("", ", SD")},
    "Found": partial(share, digits=1),
}


def remarks(
    found: Found, names: Sequence[str], machines: Sequence[int], unknown: int, summaries: int
) -> list[Sentence]:
    """Summaries without a length, machines left out."""
    made: list[Sentence] = []
    if 0 < unknown < summaries:
        made.append(
            (
                "{unknown} of {summaries} have no known length and count in no length.",
                {"unknown": count(unknown), "summaries": counted(summaries, "summary", "summaries")},
            )
        )
    if machines:
        made.append(("Machines are hollow diamonds and stay out of both correlations.", {}))
    return made


EXPLANATION = r"""
**Over authors** (the paper's section 5.1): Pearson's correlation of each author's share found (R + P + I, of the
others' questions) with the mean length of the author's summaries in characters; the interval is Fisher's z. The paper's
four authors (71, 61, 54 and 73 % at 113, 99, 81 and 131 characters) give r = .965, from .05 to .999: four points on a
line are a hint that there is something, and hardly more.

**Of the same story**: each summary's share found and its length, both less their means over the story's summaries, so
that rich and poor stories do not mix with long and short summaries. It rests on many summaries instead of four
authors, each with few questions, which pulls r towards 0. The interval draws stories. Authors differ in more than
length, so it is still no effect of adding words.

**Table 1**: characters and words come from the text where no column tells them; a word is what stands between spaces.
Characters per word is each summary's own quotient. SD with n − 1.

Source: Kolluru and Gotoh 2005, sections 3.4 and 5.1, Table 1; Fisher 1921.
"""
