"""Overview of a study of cross comprehension: what summaries share, and whether length explains it."""

import numpy as np
import streamlit as st

from analysis.values.estimate import BootstrapSpec
from findings.study import Study
from panels.comprehension import answers, length, shares
from panels.comprehension.settings import Settings
from panels.parts.pictures import draw
from panels.parts.words import say


def show(study: Study) -> None:
    """The findings of two questions with their pictures, without intervals."""
    given, machines = answers.answers(study), answers.machines(study)
    chosen = Settings(machines, bool(machines), BootstrapSpec(draws=0))
    shared, beside = st.columns(2, gap="large")
    with shared:
        st.subheader("How much is shared")
        found = next(shares.in_steps(study, given, chosen, False))
        template, values = shares.finding_of(found)
        say(template, **values)
        draw(
            st,
            shares.figure(found),
            key="overview_shares",
            alt="Shares of relevant, partially relevant, irrelevant and not found, by summary and question author",
        )
    there = answers.summaries(study)
    with beside:
        st.subheader("Summary length")
        if np.isnan(there["characters"]).all():
            say("How long the summaries are is not known.")
            return
        by_length = next(length.in_steps(study, given, there, chosen))
        template, values = length.finding_of(by_length)
        say(template, **values)
        names = answers.names(study, "author").tolist()
        draw(
            st,
            length.figure(by_length, names, machines),
            key="overview_length",
            alt="Share found against mean summary length, a dot with its name per author",
        )
