"""How a page says what follows from a data set: with what looks wrong about it in the same sentence."""

from collections.abc import Callable

import streamlit as st

from data.dataset import Dataset
from features.blocks import Finding
from features.program import RUNS
from features.results import key_of, result
from features.verdicts import HOW_DOUBTED, add_doubts, sentence_of
from ui.store import store
from ui.words import note, say_headline, warn

_DOUBTS = "doubts about the open data set"
LONGEST_PROGRAM = 100_000
"""Characters of the program that a page shows; usual ones have a few thousand."""


def remember_doubts(dataset: Dataset) -> None:
    """Has all findings of this run carry what looked wrong with the data set when it was imported."""
    st.session_state[_DOUBTS] = result(key_of(dataset, "doubts"), lambda: (store().doubts(dataset.id),))[0]


def doubts() -> tuple[str, ...]:
    """What looks wrong with the open data set."""
    remembered: tuple[str, ...] | None = st.session_state.get(_DOUBTS)
    return remembered or ()


def was_checked() -> bool:
    """Whether the import of the open data set looked for what might be wrong."""
    return st.session_state.get(_DOUBTS) is not None


def show_finding(finding: Finding, of_open_data: bool = True) -> None:
    """Show a finding, with the doubts about the open data set where it concludes something from it."""
    finding = add_doubts(finding, doubts()) if of_open_data and finding.is_of_data else finding
    with st.container():  # one element for a place that holds one
        say_headline(sentence_of(finding), finding.status.grade, finding.is_main)
        if finding.evidence[0]:
            note(*finding.evidence)
        for warning in finding.warnings:
            warn(*warning)
        if finding.next_step is not None:
            step = finding.next_step
            parameters = {"d": st.session_state["d"], **step.parameters}
            st.page_link(
                step.page, label=step.label, icon=":material/arrow_forward:", query_params=parameters
            )


def how_computed(write: Callable[[], object]) -> None:
    """The fold at the foot of a page with formula, source and caveats; `write` is ours, never data."""
    fold = st.expander("How this is computed", on_change="rerun", key="how_computed")
    if fold.open:
        with fold:
            write()
            if doubts():
                st.markdown(HOW_DOUBTED)


def show_code(write: Callable[[], str]) -> None:
    """The fold with the lines of Python that compute this view's numbers."""
    fold = st.expander("Show code", on_change="rerun", key="show_code")
    if fold.open:
        with fold:
            program = write()
            if len(program) > LONGEST_PROGRAM:
                note(
                    "The names in this program are too long for a page. The report of this data set has its numbers."
                )
                return
            note(RUNS)
            st.code(program, language="python", wrap_lines=True)
