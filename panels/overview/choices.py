"""Overview of a study of choices: which system or label method wins, who is reliable, how many votes are enough."""

from functools import partial

import streamlit as st

from analysis.repetitions.choice_repetition import ChoiceRepetitionSpec
from analysis.workers import label_accuracy
from analysis.workers.polls import Poll
from charts.parts.panels import MOST
from charts.parts.theme import GROUP_COLOURS
from charts.repetitions.curves import repetitions
from charts.workers.labels import accuracy_dots
from findings.leaving_out import NOBODY_LEFT
from findings.repetitions.choice_curves import AGAINST, ChoiceView, finding
from findings.study import Study
from findings.workers.votes import votes_table
from panels.parts.pictures import draw, look
from panels.parts.shelf import key_of, result
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
            _show_labels(study, there[0])
    with second:
        st.subheader("Who is reliable")
        reliability.show_at_a_glance(study)
    st.subheader("Repetitions")
    _show_curves(study, there[:MOST])
    st.subheader("What was chosen how often")
    show_table(*votes_table(there), alt="Votes per comparison and option", most=11)


def _show_labels(study: Study, poll: Poll) -> None:
    st.subheader("Labels with gold")
    if not (poll.gold >= 0).any():
        say(
            "No gold answers are known: give the column <b>gold</b> at import to see which method is right most often."
        )
        return
    methods = (label_accuracy.ALONE, label_accuracy.MAJORITY, label_accuracy.WEIGHTED)
    found = label_accuracy.compared(
        {
            method: result(
                key_of(study.dataset, f"labels: {method}", study.candidate, poll.name),
                partial(label_accuracy.labelled, poll.votes, poll.gold, method),
            )
            for method in methods
        }
    )
    template, values = labels.finding_of(found)
    say(template, **values)
    draw(
        st,
        accuracy_dots(found, look()),
        key="overview_labels",
        alt="Share of items that get their gold label",
    )


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
