"""Summary length: whether longer summaries answer more, and how long each author's are."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import isnan

import pandas as pd

from analysis.comprehension.length_and_found import LengthAndFound
from analysis.values.estimate import Estimate
from features.blocks import Finding
from features.plotting.numbers import count, decimal, decimal_with_interval, interval, percent
from features.tables import Shown
from features.verdicts import clear_if, excludes, not_enough_data
from features.words import Sentence, counted
from findings.comprehension.levels import TENTH

FEW_AUTHORS = 10
"""Authors below which the sentence says how little a correlation over them means."""
UNKNOWN = not_enough_data(
    "How long the summaries are is not known. The column <b>summary_text</b>, or <b>summary_characters</b> "
    "and <b>summary_words</b>, would tell it: map them on the <b>Data</b> page."
)
_WORDS, _CHARACTERS, _PER_WORD, _QUESTIONS = (
    "Words",
    "Characters",
    "Characters per word",
    "Questions per summary",
)
_WRITTEN: Mapping[str, Callable[[float], str]] = {
    "Summaries": count,
    **{f"{title}{sd}": partial(decimal, digits=1) for title in (_WORDS, _CHARACTERS) for sd in ("", ", SD")},
    **{
        f"{title}{sd}": partial(decimal, digits=2) for title in (_PER_WORD, _QUESTIONS) for sd in ("", ", SD")
    },
    "Found": TENTH,
}


def finding_of(by_length: LengthAndFound) -> Finding:
    """Whether longer summaries answer more, over authors and within stories."""
    over_authors, of_them = _over_authors(by_length.over_authors)
    within, values = _within_stories(by_length.within)
    told = f"{over_authors}. {within}", {**of_them, **values}
    known = [r for r in (by_length.over_authors, by_length.within) if r.defined]
    return clear_if(excludes(known[0]), *told) if known else not_enough_data(*told)


def _over_authors(r: Estimate) -> Sentence:
    values: dict[str, object] = {"r": decimal(r.value), "between": interval(r), "n": count(r.n)}
    if not r.defined:
        return "No correlation of length with what is found over authors: {why}", values | {"why": r.reason}
    if isnan(r.low):
        return "Over {n} authors r = <b>{r}</b>, without interval: {why}", values | {"why": r.reason}
    if r.low > 0:
        longer = "Authors with longer summaries answer more"
    elif r.high < 0:
        longer = "Authors with longer summaries answer less"
    else:
        longer = "Whether authors with longer summaries answer more remains open"
    template = f"{longer}: r = <b>{{r}}</b> ({{between}}) over {{n}} authors"
    if r.n >= FEW_AUTHORS:
        return template, values
    few = (
        ", which are <b>few</b>: any correlation from {low} to {high} would fit, and Fisher's interval is exact for so "
        "few only where both are normal over authors"
    )
    return template + few, values | {"low": decimal(r.low), "high": decimal(r.high)}


def _within_stories(r: Estimate) -> Sentence:
    if not r.defined:
        return "Within stories it is undefined: {within_why}.", {"within_why": r.reason}
    if isnan(r.low):
        longer = "length and what is found go together like this"
    elif r.low > 0:
        longer = "the longer ones answer more"
    elif r.high < 0:
        longer = "the longer ones answer less"
    else:
        longer = "it is open whether the longer ones answer more"
    return (
        f"Of summaries of the same story {longer}: r = <b>{{within}}</b>{{within_between}} over {{within_n}}.",
        {
            "within": decimal(r.value),
            "within_between": decimal_with_interval(r).removeprefix(decimal(r.value)),
            "within_n": count(r.n),
        },
    )


def remarks(machines: Sequence[int], unknown: int, summaries: int) -> list[Sentence]:
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


def authors_table(by_length: LengthAndFound, names: Sequence[str]) -> Shown:
    """Table 1 of the paper: means with their SD, and what was found."""
    lengths, codes = by_length.table, by_length.authors.tolist()
    columns: dict[str, object] = {
        "Author": [names[code] for code in codes],
        "Summaries": by_length.summaries[codes],
    }
    for title, spread in (
        (_WORDS, lengths.words),
        (_CHARACTERS, lengths.characters),
        (_PER_WORD, lengths.characters_per_word),
        (_QUESTIONS, lengths.questions),
    ):
        columns |= {title: spread.mean[codes], f"{title}, SD": spread.sd[codes]}
    answered = [by_length.levels.estimate(code, "found") for code in codes]
    columns |= {"Found": [e.value for e in answered], "Found, 95 %": [percent(e, 1) for e in answered]}
    return pd.DataFrame(columns).dropna(axis="columns", how="all"), _WRITTEN
