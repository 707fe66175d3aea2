"""Overview of a study of cross comprehension: what summaries share, and whether length explains it."""

import numpy as np
import streamlit as st

from analysis.estimate import BootstrapSpec
from pages import _answers, _comprehension_length_panel, _comprehension_shares_panel
from pages._comprehension_settings import Settings
from pages._pictures import draw
from pages._study import Study
from pages._words import say


def show(study: Study) -> None:
    """The findings of two questions with their pictures, without intervals."""
    given, machines = _answers.answers(study), _answers.machines(study)
    chosen = Settings(machines, bool(machines), BootstrapSpec(draws=0))
    shared, length = st.columns(2, gap="large")
    with shared:
        st.subheader("How much is shared")
        found = next(_comprehension_shares_panel.in_steps(study, given, chosen, False))
        template, values = _comprehension_shares_panel.finding_of(found)
        say(template, **values)
        draw(
            st,
            _comprehension_shares_panel.figure(found),
            key="overview_shares",
            alt="Shares of relevant, partially relevant, irrelevant and not found, by summary and question author",
        )
    there = _answers.summaries(study)
    with length:
        st.subheader("Summary length")
        if np.isnan(there["characters"]).all():
            say("How long the summaries are is not known.")
            return
        by_length = next(_comprehension_length_panel.in_steps(study, given, there, chosen))
        template, values = _comprehension_length_panel.finding_of(by_length)
        say(template, **values)
        names = _answers.names(study, "author").tolist()
        draw(
            st,
            _comprehension_length_panel.figure(by_length, names, machines),
            key="overview_length",
            alt="Share found against mean summary length, a dot with its name per author",
        )
