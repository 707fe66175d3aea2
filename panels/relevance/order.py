"""Order of presentation: does having seen the summary change what people say of the document."""

from dataclasses import replace
from functools import partial

import streamlit as st

from analysis.relevance.judgments import Judgments
from analysis.relevance.order_study import OrderStudy, same_judgments
from features.plotting.figure import Figure
from features.plotting.series_dots import Series, series_dots
from features.study import Study
from findings.code import relevance as program
from findings.relevance import judgments
from findings.relevance.order import finding_of, no_order, notes, order_table, remarks, title
from panels.relevance.controls import interval_controls
from panels.relevance.full_text import full_text
from ui.conclusions import show_code, show_finding
from ui.pictures import draw, look
from ui.stages import conclude, show_intervals
from ui.words import say


def show(study: Study) -> None:
    """Finding, shares of equal judgments by order label and pair of presentations (Table 11), remarks."""
    judged = judgments.judgments(study)
    full_text(study)
    known = {name: getattr(judged, name) >= 0 for name in ("order_label", "presentation")}
    if not (known["order_label"] & known["presentation"]).any():
        say(*no_order([name for name, there in known.items() if not there.any()]))
        return
    finding = st.empty()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        bootstrap = interval_controls()
    picture = st.empty()

    def draw_order(order: OrderStudy, stage: str) -> None:
        with finding:
            show_finding(finding_of(order))
        if order.pairs:
            draw(
                picture,
                _dots(order),
                key=f"order {stage}",
                alt="Share of equal judgments for each order label and pair of presentations",
            )

    order = show_intervals(
        study,
        "Intervals of the order study",
        partial(same_judgments, _named(study, judged)),
        bootstrap,
        draw_order,
    )
    if order.pairs:
        conclude(
            "order",
            [(order_table(order), "Share of equal judgments by order label and pair of presentations")],
            notes=notes(order),
            remarks=remarks(order),
            figure=lambda: _dots(order),
        )
    show_code(lambda: program.order(study, bootstrap))


def _named(study: Study, judged: Judgments) -> Judgments:
    """The judgments with the names of their order labels and presentations instead of codes."""
    return replace(
        judged,
        order_label=judgments.named(study, "order_label"),
        presentation=judgments.named(study, "presentation"),
    )


def _dots(order: OrderStudy) -> Figure:
    series = Series("Equal judgments", [same.share for same in order.pairs.values()])
    return series_dots([title(pair) for pair in order.pairs], [series], "Equal judgments", look())


EXPLANATION = r"""
**Order labels** such as *D1S2D2* tell what a rater saw: the document in week one, its summary and then the document
again in week two. For each label and pair of presentations: of the documents that a rater judged in both, the share
with the same judgment.

If seeing the summary primed the reader, *S2 and D2* (one right after the other) would agree more than the rater's
judgments otherwise do, and *D1 and D2*, the same document a week apart, less. A high share by itself is no proof:
readers remember what they said.

These judgments are not among the rows of the other panels where there are rows without an order label.

**Intervals** draw raters with replacement, with Student's t on angles (the arcsine of the
root); with fewer than five raters they are Wilson's over the documents, for
these raters.

Sources: Hobson, Dorr, Monz and Schwartz 2007, section 6, Table 11.
"""
