"""The choice of the surrogate that is the document itself, and the rows that follow from it."""

import streamlit as st

from features.study import Study
from findings.relevance import judgments, rows
from findings.relevance.rows import Rows
from ui.controls import choose_one

NO_FULL_TEXT = "none of them"


def main_rows(study: Study) -> Rows:
    """The rows of the main analyses; draws the sidebar's choice of the full text, so once per run."""
    return rows.main_rows(study, full_text(study))


def full_text(study: Study) -> int:
    """The code of the surrogate that is the document itself, chosen in the sidebar; -1 where there is none."""
    surrogates = judgments.names(study, "surrogate").tolist()
    usual = judgments.usual_full_text(study)
    with st.sidebar:
        chosen = choose_one(
            "Full text",
            [*surrogates, NO_FULL_TEXT],
            usual=surrogates[usual] if usual >= 0 else NO_FULL_TEXT,
            key="full_text",
            help="The surrogate that is the whole document: judgments of the others are held against it.",
        )
    return surrogates.index(chosen) if chosen in surrogates else -1
