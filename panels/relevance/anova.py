"""Significant differences: do surrogates differ by more than raters, or events, do among themselves."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from analysis.relevance import anova, tukey
from analysis.relevance.anova import RepeatedMeasures
from analysis.relevance.rates_by_subject import rates_by_subject, seconds_by_subject
from analysis.relevance.tukey import Tukey
from charts.parts.numbers import count, decimal, interval, p_phrase, p_value, percent, share
from charts.relevance.judgments import Series, dots
from findings.study import Study
from findings.words import Sentence, listed
from panels.parts.downloads import downloads
from panels.parts.pictures import draw, look
from panels.parts.shelf import key_of, result
from panels.parts.tables import show_table
from panels.parts.words import note, say, warn
from panels.relevance.rows import LDC, PREDICTION, Rows, main_rows

SECONDS = "Seconds"
FIGURES = {"Accuracy": "accuracy", "Precision": "precision", "Recall": "recall", "F": "f_score"}
SIDES = {"LDC": LDC, "RP": PREDICTION}
SUBJECTS = {"raters": "rater", "events": "event"}
_EXACT = partial(decimal, digits=3)


@dataclass(frozen=True, eq=False)
class Compared:
    """One measure's analysis of variance, Tukey's test after it, and the surrogates' names by code."""

    measure: str
    subjects: str
    found: RepeatedMeasures
    pairs: Tukey
    names: Mapping[int, str]
    full_text: str

    @property
    def is_share(self) -> bool:
        return self.measure != SECONDS

    @property
    def conditions(self) -> list[str]:
        return [self.names[code] for code in self.found.conditions.tolist()]


def show(study: Study) -> None:
    """Finding, measure and subjects, means with letters, the table of the test, all pairs, remarks."""
    rows = main_rows(study)
    offered = measures(rows)
    if not offered:
        say(
            "There is nothing to compare: a column <b>gold</b>, judgments of the <b>full text</b>, or a column "
            "<b>seconds</b> would open this panel."
        )
        return
    finding = st.empty()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        usual = next((name for name in ("Accuracy (RP)", "Accuracy (LDC)") if name in offered), offered[0])
        measure = st.selectbox(
            "Measure", offered, offered.index(usual), key="compared_measure", bind="query-params", width=220
        )
        subjects = st.segmented_control(
            "Subjects",
            list(SUBJECTS),
            default="raters",
            required=True,
            key="subjects",
            bind="query-params",
            help="Whose differences are the yardstick: raters, for other raters on these documents; events, for other "
            "events judged by these raters.",
        )
    compared = result(
        key_of(study.dataset, "anova", rows.full_text, measure, subjects),
        lambda: compare(rows, measure, subjects),
    )
    with finding:
        template, values = finding_of(compared)
        say(template, **values)
    figure = means_figure(compared)
    draw(
        st,
        figure,
        key="means",
        alt=f"Mean {measure} of each surrogate with its within-subject interval and letters",
    )
    if compared.found.defined:
        note(
            "Surrogates that share a letter do not differ significantly (Tukey's HSD, 95 %). Whiskers: 95 % "
            "within-subject intervals, without what {subjects} differ by as a whole.",
            subjects=subjects,
        )
    if measure.endswith("(RP)"):
        note(
            "{name} is what the others are held against, and has no part in the test.",
            name=compared.full_text,
        )
    means = means_table(compared)
    write = partial(share, digits=1) if compared.is_share else partial(decimal, digits=2)
    show_table(
        means, {"Mean": write, subjects.capitalize(): count}, alt="Means and letters of the surrogates"
    )
    for template, values in remarks(compared):
        warn(template, **values)
    downloads("differences", lambda: means, lambda: figure)
    st.subheader("The test")
    table = test_table(compared)
    show_table(
        table,
        {"F": partial(decimal, digits=2), "p": p_value, "p (Greenhouse-Geisser)": p_value}
        | dict.fromkeys(("df 1", "df 2"), partial(decimal, digits=0 if not compared.found.missing else 1))
        | dict.fromkeys(("ε (Greenhouse-Geisser)", "ε (Huynh-Feldt)", "Partial η²", "Generalised η²"), _EXACT)
        | {"MS error": partial(decimal, digits=4), "HSD": partial(decimal, digits=3)},
        alt="Analysis of variance over surrogates",
    )
    downloads("anova", lambda: table)
    st.subheader("Pair by pair")
    pairs = pairs_table(compared)
    if pairs.empty:
        note("There is no pair to compare.")
        return
    show_table(pairs, {"Difference": write, "p": p_value}, alt="Differences of all pairs of surrogates")
    downloads("pairs", lambda: pairs)


def measures(rows: Rows) -> list[str]:
    """What can be compared: figures of either agreement, and seconds."""
    named = [
        f"{figure} ({short})" for short, side in SIDES.items() if side in rows.sides for figure in FIGURES
    ]
    return named + ([SECONDS] if rows.has_seconds else [])


def compare(rows: Rows, measure: str, subjects: str) -> Compared:
    of, subject = rows.judged, SUBJECTS[subjects]
    if measure == SECONDS:
        table = seconds_by_subject(of, subject)
    else:
        figure, side = measure.removesuffix(")").split(" (")
        rates = rates_by_subject(of, subject, rows.truth(SIDES[side]))
        table = getattr(rates, FIGURES[figure])
    found = anova.of_table(table, np.arange(len(rows.surrogates)))
    pairs = tukey.after(found, lower_is_better=measure == SECONDS)
    return Compared(
        measure, subjects, found, pairs, dict(enumerate(rows.surrogates.tolist())), rows.full_text_name
    )


def means_figure(compared: Compared) -> dict[str, Any]:
    order = _best_first(compared)
    return dots(
        [compared.conditions[at] for at in order],
        [Series(compared.measure, [compared.found.means[at] for at in order])],
        compared.measure,
        look(),
        shares=compared.is_share,
        letters=[compared.pairs.letters[at] for at in order],
    )


def _best_first(compared: Compared) -> list[int]:
    means = np.array([mean.value for mean in compared.found.means])
    return np.argsort(means if compared.measure == SECONDS else -means, kind="stable").tolist()


def finding_of(compared: Compared) -> Sentence:
    """Whether at least one pair of surrogates differs, and which."""
    found, pairs, names = compared.found, compared.pairs, compared.conditions
    if not found.defined:
        return "Whether surrogates differ in {measure} cannot be tested: {why}.", {
            "measure": _named(compared.measure),
            "why": found.reason,
        }
    p = found.p if np.isnan(found.p_greenhouse_geisser) else found.p_greenhouse_geisser
    test = f"F({decimal(found.df1, 0)}, {decimal(found.df2, 0)}) = {decimal(found.f)}, {p_phrase(p)}"
    apart = [
        (i, j) if found.means[i].value >= found.means[j].value else (j, i)
        for i, j in combinations(range(found.k), 2)
        if pairs.significant[i, j]
    ]
    values = {
        "measure": _named(compared.measure),
        "test": test,
        "pairs": listed([f"{names[i]} above {names[j]}" for i, j in apart], 3),
        "n": count(len(apart)),
        "of": count(found.k * (found.k - 1) // 2),
    }
    if p >= 0.05 and not apart:
        return "Surrogates do <b>not</b> differ significantly in {measure} ({test}).", values
    if not apart:
        return "Surrogates <b>differ</b> in {measure} ({test}), but no pair differs significantly.", values
    which = "{n} of {of} pairs: <b>{pairs}</b>" if values["of"] != "1" else "<b>{pairs}</b>"
    if p >= 0.05:
        return (
            "Taken together surrogates do not differ significantly in {measure} ({test}); " + which + ".",
            values,
        )
    return "Surrogates <b>differ</b> in {measure} ({test}); " + which + ".", values


def _named(measure: str) -> str:
    return measure[0].lower() + measure[1:] if measure[:2] not in ("F ", "F(") else measure


def means_table(compared: Compared) -> pd.DataFrame:
    """Table 1 of the paper: means with the letters of Tukey's test."""
    found = compared.found
    write = partial(percent, digits=1) if compared.is_share else partial(interval, digits=2)
    return pd.DataFrame(
        [
            {
                "Surrogate": compared.conditions[at],
                "Mean": found.means[at].value,
                "95 %": write(found.means[at]),
                "Letters": compared.pairs.letters[at],
                compared.subjects.capitalize(): found.means[at].n,
            }
            for at in _best_first(compared)
        ]
    )


def test_table(compared: Compared) -> pd.DataFrame:
    found = compared.found
    return pd.DataFrame(
        [
            {
                "Method": found.method[0].upper() + found.method[1:],
                "F": found.f,
                "df 1": found.df1,
                "df 2": found.df2,
                "p": found.p,
                "ε (Greenhouse-Geisser)": found.greenhouse_geisser,
                "p (Greenhouse-Geisser)": found.p_greenhouse_geisser,
                "ε (Huynh-Feldt)": found.huynh_feldt,
                "Partial η²": found.partial_eta_squared.value,
                "Partial η², 95 %": interval(found.partial_eta_squared),
                "Generalised η²": found.generalised_eta_squared.value,
                "MS error": found.ms_error,
                "HSD": compared.pairs.hsd,
            }
        ]
    )


def pairs_table(compared: Compared) -> pd.DataFrame:
    """One row per pair of surrogates, the higher one first."""
    found, pairs, names = compared.found, compared.pairs, compared.conditions
    if not pairs.defined:
        return pd.DataFrame()
    told = []
    for i, j in combinations(range(found.k), 2):
        high, low = (i, j) if pairs.differences[i, j] >= 0 else (j, i)
        ends = anova.Estimate(
            pairs.differences[high, low], pairs.low[high, low], pairs.high[high, low], found.n
        )
        told.append(
            {
                "Higher": names[high],
                "Lower": names[low],
                "Difference": pairs.differences[high, low],
                "95 %": percent(ends, 1) if compared.is_share else interval(ends),
                "p": pairs.p[high, low],
                "Significant": "yes" if pairs.significant[high, low] else "no",
            }
        )
    return pd.DataFrame(told)


def remarks(compared: Compared) -> list[Sentence]:
    """What method was taken, what is missing, and what is left out."""
    found = compared.found
    told: list[Sentence] = []
    if found.missing:
        told.append(
            (
                "{n} of {of} cells are missing: {method}.",
                {"n": count(found.missing), "of": count(found.n * found.k), "method": found.method},
            )
        )
    names = [compared.names[code] for code in found.empty.tolist()]
    if compared.full_text in names and compared.measure.endswith("(RP)"):
        names.remove(compared.full_text)
    if names:
        told.append(("Left out, without any value: {names}.", {"names": listed(names)}))
    if found.defined and found.n < 5:
        told.append(
            (
                "There are only {n} {subjects}: the test can find large differences only.",
                {"n": count(found.n), "subjects": compared.subjects},
            )
        )
    return told


EXPLANATION = r"""
**Analysis of variance for repeated measures.** Each subject (rater, or event) has one value per surrogate: the rate, or
mean seconds, over its own judgments. What a subject adds to all surrogates alike is taken out, then

$$F = \frac{MS_{\text{surrogates}}}{MS_{\text{surrogates} \times \text{subjects}}}$$

with $k - 1$ and $(k - 1)(n - 1)$ degrees of freedom. Greenhouse and Geisser's p holds where differences between some
surrogates vary more than between others. **Partial η²** is the share of variance due to surrogates, that between
subjects apart; **generalised η²** keeps it in, and is comparable with studies of independent groups.

**Tukey's HSD for repeated measures**, $q(.95; k, (k - 1)(n - 1)) \sqrt{MS_{\text{error}} / n}$, is the least difference
that is significant when all pairs are looked at. Surrogates that share a letter do not differ significantly.

**Where cells are missing** (a rater did not judge all surrogates, or has no precision since nothing was judged
relevant) a mixed model with random subjects is fitted by REML, and each pair has its own standard error (Tukey-Kramer).

With raters as subjects the answer holds for other raters on these documents, with events for other events judged by
these raters; neither holds for both. Full text has no Relevance Prediction, which would be 100 % by definition.

Sources: Hobson, Dorr, Monz and Schwartz 2007, Table 1 and section 4.3.1; Greenhouse and Geisser 1959; Tukey 1953;
Piepho 2004 (letters); Olejnik and Algina 2003 (generalised η²).
"""
