"""Overview of a study of choices: which system or label method wins, who is reliable, how many votes are enough."""

import streamlit as st

from features.planning.section import planning_card
from features.polls import count_compared_systems, is_pairs, polls
from features.raters.workers_findings import votes_table
from features.raters.workers_section import workers_card
from features.repetitions.votes_section import votes_card
from features.replacement.section import replacement_card
from features.study import Study
from features.systems.labels_section import labels_card
from features.systems.pairs_section import pair_card
from features.systems.scale_section import scale_card
from findings.leaving_out import NOBODY_LEFT
from ui.render import render_card
from ui.tables import show_table
from ui.words import say


def show(study: Study) -> None:
    """Each page's finding with a small picture, without intervals; then what was chosen how often."""
    asked = polls(study)
    if not asked:
        say(*NOBODY_LEFT)
        return
    first, second = st.columns(2, gap="large")
    with first:
        st.header("Systems")
        if not is_pairs(study):
            render_card("overview labels", labels_card(study))
        elif count_compared_systems(study) > 2:
            render_card("overview scale", scale_card(study))
        else:
            render_card("overview pair", pair_card(study))
    with second:
        st.header("Workers")
        render_card("overview raters", workers_card(study))
    with first if len(asked) == 1 else st.container():
        st.header("Repetitions")
        render_card("overview repetitions", votes_card(study))
    standing, planned = st.columns(2, gap="large")
    with standing:
        render_card("overview replacement", replacement_card(study))
    if is_pairs(study):
        with planned:
            st.header("Planning")
            render_card("overview planning", planning_card(study))
    st.header("What was chosen how often")
    show_table(*votes_table(asked), alt="Votes per comparison and option", most=11)
