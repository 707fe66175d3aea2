"""Which summaries suffice: agreement with gold and with one's own judgment of the full text, and the time saved."""

from functools import partial

import streamlit as st

from analysis.relevance.side_by_side import SideBySide, each_event
from analysis.values.counts import THIN_SPACE
from analysis.values.estimate import BootstrapSpec
from features.results import key_of, long_result
from features.study import Study
from findings.code import relevance as program
from findings.relevance.agreement import (
    FIGURES,
    agreement_table,
    difference_table,
    events_table,
    finding_of,
    no_speed,
    notes,
    remarks,
    sides,
    without_test,
)
from findings.relevance.both import agreement_dots, both_at_once, both_with_intervals, speed_figure
from findings.relevance.rows import Rows
from findings.relevance.surrogates import Surrogates
from panels.relevance.controls import interval_controls
from panels.relevance.full_text import main_rows
from ui.conclusions import show_code, show_finding
from ui.pictures import draw, look
from ui.stages import conclude, show_stages
from ui.words import note


def show(study: Study) -> None:
    """Finding, both pictures, the table of both agreements, the paired test, events, and what is set aside."""
    rows = main_rows(study)
    surrogates = rows.surrogates
    finding = st.empty()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        figure = st.selectbox(
            "Figure",
            list(FIGURES),
            key="relevance_figure",
            bind="query-params",
            width=240,
            help="Accuracy: the share of judgments that agree. Precision: of those judged relevant, how many are. "
            "Recall: of those that are relevant, how many were judged so. Kappa: agreement beyond each rater's "
            "own chance.",
        )
        bootstrap = interval_controls()
    of_time, of_figure = (column.empty() for column in st.columns([3, 2], gap="medium"))

    def draw_agreement(both: SideBySide, stage: str) -> None:
        with finding:
            show_finding(finding_of(surrogates, both))
        draw(
            of_figure,
            agreement_dots(surrogates, both, figure, look()),
            key=f"agreement {stage}",
            alt=f"{figure} of each surrogate, held against gold and against the raters' own judgments",
        )
        speed = speed_figure(surrogates, both, look())
        if speed is None:
            with of_time:
                note(*no_speed(surrogates))
        else:
            draw(of_time, speed, key=f"speed {stage}", alt=SPEED_ALT)

    both = show_stages(
        both_at_once(study, rows),
        draw_agreement,
        ("with intervals", lambda _: both_with_intervals(study, rows, bootstrap)),
    )
    conclude(
        "relevance",
        [
            (
                agreement_table(surrogates, both),
                "Agreement of each surrogate with gold and with the raters' own judgments",
            )
        ],
        notes=notes(both, rows.apart),
        remarks=remarks(surrogates, both),
        figure=lambda: agreement_dots(surrogates, both, figure, look()),
    )
    _show_test(surrogates, both)
    _show_events(study, rows, bootstrap)
    show_code(lambda: program.agreement(study, bootstrap, rows.full_text))


SPEED_ALT = "Seconds saved by each surrogate against the agreement that is lost"


def _show_test(surrogates: Surrogates, both: SideBySide) -> None:
    if len(sides(both)) < 2:
        return
    st.header("Relevance Prediction against LDC Agreement")
    conclude(
        "relevance_test",
        [
            (
                difference_table(surrogates, both),
                "Paired t test of the two agreements over raters, by surrogate",
            )
        ],
        notes=without_test(surrogates, both),
    )


def _show_events(study: Study, rows: Rows, bootstrap: BootstrapSpec) -> None:
    st.header("Event by event")
    if rows.judged.codes.events < 2:
        note("There is only one event.")
        return
    by_event = long_result(
        key_of(study.dataset, "event by event", rows.full_text, bootstrap),
        "Intervals of all events",
        partial(each_event, rows.judged, rows.full_text, bootstrap),
    )
    if by_event is None:
        return
    table = events_table(rows.surrogates, rows.events, by_event)
    if table[0].empty:
        note("There is nothing to hold the judgments against.")
        return
    conclude(
        "relevance_events",
        [(table, "Agreement of each surrogate on each event")],
        notes=[("Intervals of a single event draw raters and documents.", {})],
    )


EXPLANATION = rf"""
**LDC Agreement** holds a judgment against gold: *did the rater decide as the assessors of the collection did?*
**Relevance Prediction** holds it against what the same rater said of the full text of the same document (of the same
session where there is one, else the first such judgment): *would I have decided alike had I read it all?*

With TP judged relevant and so it is, FP judged relevant but is not, TN and FN likewise:

$$\text{{accuracy}} = \frac{{TP + TN}}{{TP + TN + FP + FN}}, \quad \text{{precision}} = \frac{{TP}}{{TP + FP}}, \quad
\text{{recall}} = \frac{{TP}}{{TP + FN}}, \quad F = \frac{{2\,TP}}{{2\,TP + FP + FN}}.$$

A rater who always answers *no* has a Relevance Prediction of 100{THIN_SPACE}%. **Kappa within the rater** takes out
the agreement that the rater's own share of *yes* gives by chance; it is averaged over the raters where it is defined.

**Paired test.** Each rater's mean accuracy by Relevance Prediction less that by LDC Agreement, on judgments where both
truths are known: Student's t over raters, with Holm's adjustment over surrogates.

**Seconds saved** are the mean seconds of a judgment on the full text less those of the surrogate. **Agreement lost**
is, by Relevance Prediction, the share of judgments that differ from those on the full text; by LDC Agreement, how much
lower agreement with gold is than with the full text.

**Intervals** draw raters, and apart from that events (documents staying in theirs; within one event documents), with
replacement; the two variances are added, with Student's t for so many raters and events, shares on angles (the arcsine
of the root), seconds on the logarithm. Chance within a single judgment is then counted twice. That hardly matters where
raters and events differ; for **agreement lost by LDC**, a difference within raters and documents, it makes intervals
too wide, as it does where nearly all judgments are right: in simulations they held the true figure in 97 to 99 of
100 studies.

Judgments without the truth are set aside and counted. Not for: which summary is well written, or whether gold is right.

Sources: Hobson, Dorr, Monz and Schwartz 2007, sections 3 and 5.3, Tables 1, 7 and 8; Cameron, Gelbach and Miller 2011
(two ways of clustering).
"""
