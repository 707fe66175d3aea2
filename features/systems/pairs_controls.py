"""Controls of the question about two systems: what the visitor chooses becomes a spec."""

import streamlit as st

from analysis.systems.preference import PreferenceSpec
from analysis.workers.polls import usually_dropped
from features.plotting.numbers import count
from features.polls import polls
from features.study import Study
from features.systems.pairs_results import FEWEST_ITEMS, PairSpec, find_designs
from ui.controls import choose_one, usually
from ui.sampling_controls import draws_control, seed_control

MOST_AT_ONCE = 12
"""Comparisons whose shares are all computed without being asked for."""


def choose_pair(study: Study) -> PairSpec:
    """Draw the controls of a comparison of two systems."""
    names = [poll.name for poll in polls(study)]
    all_pairs, shares = 1 < len(names) <= MOST_AT_ONCE, PreferenceSpec()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = choose_one("Comparison", names, key="compared", width=320) if len(names) > 1 else names[0]
        poll, designs = find_designs(study, name)
        if poll.votes.items >= FEWEST_ITEMS:
            shares = _choose_shares(min(each.votes.raters for each in designs) - 1, usually_dropped(designs))
        if len(names) > MOST_AT_ONCE:
            all_pairs = st.toggle(
                f"List all {count(len(names))} comparisons",
                key="all_pairs",
                bind="query-params",
                help="Their intervals take long.",
            )
    return PairSpec(name, shares, all_pairs)


def _choose_shares(most: int, usual: int) -> PreferenceSpec:
    dropped = 0
    if most > 0:
        dropped = st.slider(
            "Drop the least reliable",
            0,
            most,
            usually("dropped", usual),
            key="dropped",
            bind="query-params",
            help="Number of raters with the lowest r_w that the method of that name drops (Table 3 of the paper). The "
            "other methods keep everyone.",
            width=260,
        )
    with st.popover("Settings"):
        min_votes = st.number_input(
            "Fewest votes per item",
            1,
            20,
            3,
            key="min_votes",
            bind="query-params",
            help="PCC-H gives items with fewer votes no weight: one or two votes agree by accident.",
        )
        draws = draws_control("preference_draws")
        seed = seed_control("preference_seed")
    return PreferenceSpec(int(dropped), int(min_votes), draws, seed)
