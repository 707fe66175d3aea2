"""Overview of a study of relevance: which summaries suffice, and whether raters agree."""

import streamlit as st

from features.study import Study
from findings.leaving_out import NOBODY_LEFT
from findings.relevance import agreement as findings_agreement
from findings.relevance import judgments
from findings.relevance import kappa as findings_kappa
from findings.relevance.both import both_at_once, speed_figure
from findings.relevance.kappas import kappa_dots, kappas_at_once
from panels.relevance import agreement
from panels.relevance.full_text import main_rows
from ui.conclusions import show_finding
from ui.pictures import draw, look
from ui.words import say


def show(study: Study) -> None:
    """The findings of two questions with their pictures, without intervals."""
    if not len(judgments.judgments(study)):
        say(*NOBODY_LEFT)
        return
    rows = main_rows(study)
    suffice, agree = st.columns(2, gap="large")
    with suffice:
        st.header("Which summaries suffice")
        both = both_at_once(study, rows)
        show_finding(findings_agreement.finding_of(rows.surrogates, both))
        speed = speed_figure(rows.surrogates, both, look())
        if speed is not None:
            draw(st, speed, key="overview_speed", alt=agreement.SPEED_ALT)
    with agree:
        st.header("Do raters agree")
        kappas = kappas_at_once(study, rows)
        show_finding(findings_kappa.finding_of(rows.surrogates, kappas.pairs))
        draw(
            st,
            kappa_dots(rows.surrogates, kappas, findings_kappa.CHANCE, look()),
            key="overview_kappa",
            alt="Kappa of each surrogate, between raters and with what they are held against",
        )
