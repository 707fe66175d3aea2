"""Controls of the scale of all systems, and what a click on a pair does."""

from collections.abc import Sequence

import streamlit as st

from analysis.values.estimate import BootstrapSpec
from analysis.values.names import distinct_label
from features.polls import polls
from features.study import Study
from features.systems.scale_figures import TITLES
from features.systems.scale_results import ScaleSpec, designs_in, scale_of
from features.systems.specs import TWO_SYSTEMS
from ui.sampling_controls import draws_control, seed_control

LEVELS = {"95 %": 0.95, "99 %": 0.99, "90 %": 0.9}
_AXES = {title: axis for axis, title in TITLES.items()}


def choose_scale(study: Study) -> ScaleSpec:
    """Draw the controls of the scale."""
    numbers = "Numbers that the data hold of both outputs, such as their length. Adjusted strengths compare outputs "
    with st.container(horizontal=True, vertical_alignment="bottom"):
        designs, style = designs_in(study), study.whole.told_of_options
        if len(designs) > 1:
            ties = "Comparisons with and without a tie on offer share one scale. With none chosen, all count."
            designs = _choose("Designs", designs, "scale_designs", "All designs", ties)
        if style:
            style = _choose(
                "Adjust for", style, "scale_style", "Nothing", f"{numbers}that are alike in them."
            )
        axis = st.selectbox("Scale", list(_AXES), key="scale_axis", bind="query-params", width=320)
        with st.popover("Settings"):
            risk = "Of the intervals; any two equal systems are said to differ with a risk of 100 % minus the level."
            level = st.selectbox("Level", list(LEVELS), key="scale_level", bind="query-params", help=risk)
            draws = draws_control("scale_draws")
            seed = seed_control("scale_seed")
    return ScaleSpec(designs, style, BootstrapSpec(draws, seed, LEVELS[level]), _AXES[axis])


def _choose(label: str, there: Sequence[str], key: str, empty: str, help: str) -> tuple[str, ...]:
    """Draw a choice of several names; return those chosen, in the order of the data."""
    chosen = st.multiselect(
        label,
        there,
        format_func=distinct_label,
        key=key,
        bind="query-params",
        placeholder=empty,
        width=320,
        help=help,
    )
    return tuple(name for name in there if name in chosen)


def open_pair(study: Study, spec: ScaleSpec, places: Sequence[int]) -> None:
    """Go on with a pair, given by the places of its systems on the scale; stay where it was never compared."""
    pair = {str(scale_of(study, spec).systems[place]) for place in places}
    for poll in polls(study):
        if {poll.first, poll.second} == pair:
            st.session_state["about"], st.session_state["compared"] = TWO_SYSTEMS, poll.name
            return
