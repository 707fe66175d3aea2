"""Overview of a study of relevance: which summaries suffice, and whether raters agree."""

import streamlit as st

from analysis.estimate import BootstrapSpec
from charts.relevance import tradeoff
from pages import _judgments, _relevance_agreement_panel, _relevance_kappa_panel
from pages._pictures import draw
from pages._relevance_rows import main_rows
from pages._results import result
from pages._study import Study, look
from pages._words import say

CLOSED = BootstrapSpec(draws=0)


def show(study: Study) -> None:
    """The findings of two questions with their pictures, without intervals."""
    if not len(_judgments.judgments(study)):
        say("Nobody is left: everyone is left out. Choose fewer in the sidebar (<b>Leave out</b>).")
        return
    rows = main_rows(study)
    suffice, agree = st.columns(2, gap="large")
    with suffice:
        st.subheader("Which summaries suffice")
        found = result(
            _relevance_agreement_panel.key(study, rows, "closed"),
            lambda: _relevance_agreement_panel.computed(rows, CLOSED),
        )
        template, values = _relevance_agreement_panel.finding_of(rows, found)
        say(template, **values)
        series = _relevance_agreement_panel.tradeoffs(rows, found)
        if series:
            draw(
                st,
                tradeoff(series, rows.full_text_name, look()),
                key="overview_speed",
                alt="Seconds saved by each surrogate against the agreement that is lost",
            )
    with agree:
        st.subheader("Do raters agree")
        both = _relevance_kappa_panel.computed(study, rows, CLOSED)
        if both is not None:
            template, values = _relevance_kappa_panel.finding_of(rows, both[0])
            say(template, **values)
            draw(
                st,
                _relevance_kappa_panel.kappas(rows, *both, _relevance_kappa_panel.CHANCE),
                key="overview_kappa",
                alt="Kappa of each surrogate, between raters and with what they are held against",
            )
