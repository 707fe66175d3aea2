"""Overview of a study of choices: which system or label method wins, who is reliable, how many votes are enough."""

import streamlit as st

from analysis.repetitions.choice_repetition import ChoiceRepetitionSpec
from analysis.workers.polls import Poll
from charts.parts.panels import MOST
from charts.parts.theme import GROUP_COLOURS
from charts.repetitions.curves import repetitions
from findings.leaving_out import NOBODY_LEFT
from findings.repetitions.choice_curves import AGAINST, ChoiceView, finding
from findings.study import Study
from findings.workers.votes import votes_table
from panels.parts.pictures import draw, look
from panels.parts.tables import show_table
from panels.parts.words import say
from panels.repetitions.simulation_controls import DEFAULT_SHUFFLES
from panels.repetitions.vote_curves import fitted_votes, is_known
from panels.workers import labels, preference, reliability
from panels.workers.polls import is_pairs, polls


def show(study: Study) -> None:
    """Each page's finding with a small picture, without intervals; then what was chosen how often."""
    there = polls(study)
    if not there:
        say(*NOBODY_LEFT)
        return
    first, second = st.columns(2, gap="large")
    with first:
        if is_pairs(study):
            st.subheader("Which system wins")
            preference.show_at_a_glance(study, there[0])
        else:
            st.subheader("Labels with gold")
            labels.show_at_a_glance(study, there[0])
    with second:
        st.subheader("Who is reliable")
        reliability.show_at_a_glance(study)
    st.subheader("Repetitions")
    _show_curves(study, there[:MOST])
    st.subheader("What was chosen how often")
    show_table(*votes_table(there), alt="Votes per comparison and option", most=11)


def _show_curves(study: Study, there: tuple[Poll, ...]) -> None:
    against = next(each for each in AGAINST if any(is_known(poll, each) for poll in there))
    view = ChoiceView(ChoiceRepetitionSpec(shuffles=DEFAULT_SHUFFLES), against, 1.0)
    fitted = fitted_votes(study, there, view)
    if fitted is None:
        return
    say(*finding(fitted, view))
    draw(
        st,
        repetitions(fitted, f"Share of items with the {against}", GROUP_COLOURS[0], look(), "votes"),
        key="overview_votes",
        alt=f"Share of items with the {against} against the number of votes per item",
    )
