"""Planning at a glance: how precise the open data set is by now, or what a comparison as large would tell."""

import streamlit as st

from features.polls import is_pairs, polls
from features.rater_agreement import of_group
from features.repetitions.details_results import one_way_intervals_of, one_way_of
from features.study import Study
from findings.planning.as_it_is import of_votes, votes_finding
from findings.planning.enough import SoFar, at_a_glance
from findings.planning.open_ratings import spread_of, usual_half
from ui.conclusions import show_finding

RELIABLE = 0.8


def show_at_a_glance(study: Study) -> None:
    """The finding under its heading, from what other lines of the overview rest on; nothing of labels."""
    if study.holds_choices and not is_pairs(study):
        return
    st.header("Planning")
    if study.holds_choices:
        show_finding(votes_finding(of_votes(polls(study))))
        return
    measure = study.measures[0]
    found, intervals = one_way_of(study, measure), one_way_intervals_of(study, measure)
    half, spread = usual_half(study, measure), spread_of(study, measure)
    agreement = of_group(study, measure, study.candidate)
    show_finding(at_a_glance(SoFar(measure, found, intervals, spread, agreement, half, RELIABLE)))
