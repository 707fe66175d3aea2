"""Overview of a study of relevance: which summaries suffice, and whether raters agree."""

import streamlit as st

from analysis.values.estimate import BootstrapSpec
from charts.relevance.judgments import tradeoff
from findings.study import Study
from panels.parts.pictures import draw, look
from panels.parts.shelf import result
from panels.parts.words import say
from panels.relevance import agreement, judgments, kappa
from panels.relevance.rows import main_rows

CLOSED = BootstrapSpec(draws=0)


def show(study: Study) -> None:
    """The findings of two questions with their pictures, without intervals."""
    if not len(judgments.judgments(study)):
        say("Nobody is left: everyone is left out. Choose fewer in the sidebar (<b>Leave out</b>).")
        return
    rows = main_rows(study)
    suffice, agree = st.columns(2, gap="large")
    with suffice:
        st.subheader("Which summaries suffice")
        found = result(
            agreement.key(study, rows, "closed"),
            lambda: agreement.computed(rows, CLOSED),
        )
        template, values = agreement.finding_of(rows, found)
        say(template, **values)
        series = agreement.tradeoffs(rows, found)
        if series:
            draw(
                st,
                tradeoff(series, rows.full_text_name, look()),
                key="overview_speed",
                alt="Seconds saved by each surrogate against the agreement that is lost",
            )
    with agree:
        st.subheader("Do raters agree")
        both = kappa.computed(study, rows, CLOSED)
        if both is not None:
            template, values = kappa.finding_of(rows, both[0])
            say(template, **values)
            draw(
                st,
                kappa.kappas(rows, *both, kappa.CHANCE),
                key="overview_kappa",
                alt="Kappa of each surrogate, between raters and with what they are held against",
            )
