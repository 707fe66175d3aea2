"""Overview of a study of cross comprehension: what summaries share, and whether length explains it."""

from functools import partial

import numpy as np
import streamlit as st

from features.study import Study
from findings.comprehension import answers, lengths
from findings.comprehension import length as findings_length
from findings.comprehension import shared as shared_answers
from findings.comprehension import shares as findings_shares
from panels.comprehension import length, shares
from ui.conclusions import show_finding
from ui.pictures import draw, look
from ui.stages import at_once
from ui.words import say


def show(study: Study) -> None:
    """The findings of two questions with their pictures, without intervals."""
    machines = answers.machines(study)
    shared_of, length_of = st.columns(2, gap="large")
    with shared_of:
        st.header("How much is shared")
        shared = at_once(
            study, shared_answers.LABEL, partial(shared_answers.shares_of, study, machines), machines
        )
        show_finding(findings_shares.finding_of(shared))
        draw(st, shared_answers.bars(shared, look()), key="overview_shares", alt=shares.ALT)
    with length_of:
        st.header("Summary length")
        if np.isnan(answers.summaries(study)["characters"]).all():
            say("How long the summaries are is not known.")
            return
        by_length = at_once(study, lengths.LABEL, partial(lengths.lengths_of, study, machines), machines)
        show_finding(findings_length.finding_of(by_length))
        names = answers.names(study, "author").tolist()
        draw(st, lengths.scatter(by_length, names, machines, look()), key="overview_length", alt=length.ALT)
