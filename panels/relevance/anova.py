"""Significant differences: do surrogates differ by more than raters, or events, do among themselves."""

import numpy as np
import streamlit as st

from analysis.relevance import tukey
from analysis.relevance.anova import of_table
from analysis.relevance.rates_by_subject import Subject, rates_by_subject, seconds_by_subject
from features.plotting.figure import Figure
from features.plotting.series_dots import Series, series_dots
from features.results import key_of, result
from features.study import Study
from findings.code import relevance as program
from findings.relevance.anova import (
    FIGURES,
    NOTHING,
    SECONDS,
    SIDES,
    Compared,
    finding_of,
    means_table,
    measures,
    notes,
    pairs_table,
    remarks,
    test_table,
)
from findings.relevance.rows import Rows
from panels.relevance.full_text import main_rows
from ui.conclusions import show_code, show_finding
from ui.controls import choose_one
from ui.pictures import draw, look
from ui.stages import conclude
from ui.words import note, say

SUBJECTS: dict[str, Subject] = {"raters": "rater", "events": "event"}


def show(study: Study) -> None:
    """Finding, measure and subjects, means with letters, the table of the test, all pairs, remarks."""
    rows = main_rows(study)
    offered = measures(rows.surrogates)
    if not offered:
        say(*NOTHING)
        return
    finding = st.empty()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        usual = next((name for name in ("Accuracy (RP)", "Accuracy (LDC)") if name in offered), offered[0])
        measure = choose_one("Measure", offered, usual=usual, key="compared_measure", width=220)
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
        lambda: _compare(rows, measure, subjects),
    )
    with finding:
        show_finding(finding_of(compared))
    draw(
        st,
        _means(compared),
        key="means",
        alt=f"Mean {measure} of each surrogate with its within-subject interval and letters",
    )
    conclude(
        "differences",
        [(means_table(compared), "Means and letters of the surrogates")],
        notes=notes(compared),
        remarks=remarks(compared),
        figure=lambda: _means(compared),
    )
    st.header("The test")
    conclude("anova", [(test_table(compared), "Analysis of variance over surrogates")])
    st.header("Pair by pair")
    pairs = pairs_table(compared)
    if pairs[0].empty:
        note("There is no pair to compare.")
    else:
        conclude("pairs", [(pairs, "Differences of all pairs of surrogates")])
    show_code(lambda: program.differences(study, rows.full_text, measure, SUBJECTS[subjects]))


def _compare(rows: Rows, measure: str, subjects: str) -> Compared:
    if measure == SECONDS:
        table = seconds_by_subject(rows.judged, SUBJECTS[subjects])
    else:
        figure, side = measure.removesuffix(")").split(" (")
        rates = rates_by_subject(rows.judged, SUBJECTS[subjects], rows.truth(SIDES[side]))
        table = getattr(rates, FIGURES[figure])
    names = dict(enumerate(rows.surrogates.names))
    test = of_table(table, np.arange(len(names)))
    pairs = tukey.after(test, lower_is_better=measure == SECONDS)
    return Compared(measure, subjects, test, pairs, names, rows.surrogates.full_text_name)


def _means(compared: Compared) -> Figure:
    order = compared.best_first
    return series_dots(
        [compared.conditions[at] for at in order],
        [Series(compared.measure, [compared.test.means[at] for at in order])],
        compared.measure,
        look(),
        shares=compared.is_share,
        letters=[compared.pairs.letters[at] for at in order],
    )


EXPLANATION = r"""
**Analysis of variance for repeated measures.** Each subject (rater, or event) has one value per surrogate: the rate, or
mean seconds, over its own judgments. What a subject adds to all surrogates alike is taken out, then

$$F = \frac{MS_{\text{surrogates}}}{MS_{\text{surrogates} \times \text{subjects}}}$$

with $k - 1$ and $(k - 1)(n - 1)$ degrees of freedom. Greenhouse and Geisser's p holds where differences between some
surrogates vary more than between others. **Partial η²** is the share of variance due to surrogates, that between
subjects apart; **generalised η²** keeps it in, and is comparable with studies of independent groups.

**Tukey's HSD for repeated measures**, $q(.95; k, (k - 1)(n - 1)) \sqrt{MS_{\text{error}} / n}$, is the least difference
that is significant when all pairs are looked at. Surrogates that share a letter do not differ significantly. It takes
the differences of all pairs to vary alike (epsilon near 1): where one surrogate's values vary three times as much as
the others', some pair is called different in 10 to 11 of 100 studies without any difference, instead of 5.

**Intervals of the means** are within-subject ones, for comparing surrogates: what raters (or events) have in common for
all surrogates is not in them.

**Where cells are missing** (a rater did not judge all surrogates, or has no precision since nothing was judged
relevant) a mixed model with random subjects is fitted by REML, and each pair has its own standard error (Tukey-Kramer).

With raters as subjects the answer holds for other raters on these documents, with events for other events judged by
these raters; neither holds for both. Full text has no Relevance Prediction, which would be 100 % by definition.

Sources: Hobson, Dorr, Monz and Schwartz 2007, Table 1 and section 4.3.1; Greenhouse and Geisser 1959; Tukey 1953;
Piepho 2004 (letters); Olejnik and Algina 2003 (generalised η²).
"""
