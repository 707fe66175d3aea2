"""The controls of repetitions of choices: how an answer comes about, and what it is held against."""

from collections.abc import Sequence

import streamlit as st

from analysis.repetitions.choice_repetition import ChoiceRepetitionSpec, Weights
from analysis.values.estimate import BootstrapSpec
from analysis.workers.polls import Poll
from findings.repetitions.choice_curves import AGAINST, ChoiceView
from findings.repetitions.vote_curves import is_known, range_of_votes
from panels.repetitions.simulation_controls import draws_and_knee, shuffles_and_largest
from ui.controls import choose_one

ANSWER_BY: dict[str, Weights] = {"majority": "majority", "PCC-H weights": "PCC-H"}


def choice_settings(polls: Sequence[Poll]) -> tuple[ChoiceView, BootstrapSpec]:
    """Draws the controls and returns what they say."""
    known = [against for against in AGAINST if any(is_known(poll, against) for poll in polls)]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        answer_by = st.selectbox(
            "Answer by",
            list(ANSWER_BY),
            key="answer_by",
            bind="query-params",
            width=170,
            help="Whose votes count how much: all alike, or each worker's as much as they agree with the others "
            "(r_w) over the votes so far.",
        )
        against = choose_one(
            "Held against the",
            known,
            key="answer_against",
            width=200,
            help="What is right: what is known to be, what the expert says, or what all votes together say. The last "
            "shows how soon answers stop changing, not whether they are right.",
        )
        here = range_of_votes(polls, against)
        shuffles, repetitions = shuffles_and_largest(
            "vote",
            here.smallest,
            here.usual,
            here.most,
            help="Random orders of each item's votes. Few show how much luck there is in one order; many make the "
            "fitted curve steady.",
        )
        with st.popover("More"):
            bootstrap, sensitivity = draws_and_knee(
                "Draws for the intervals",
                "Each draw repeats the whole simulation on other items and workers.",
            )
    spec = ChoiceRepetitionSpec(shuffles, repetitions, bootstrap.seed, ANSWER_BY[answer_by])
    return ChoiceView(spec, against, sensitivity), bootstrap
