"""Which system wins: shares of the preference by six ways to weigh the votes, and whether the design matters."""

from collections.abc import Mapping, Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from analysis.systems.preference import CLOSED, DROPPED, GLAD, Preference, PreferenceSpec
from analysis.workers.polls import Poll, on_the_same_pair, usually_dropped
from charts.systems.preference import MOST_DESIGNS, preference_bars
from features.plotting.figure import Figure
from features.plotting.numbers import count
from features.plotting.theme import GROUP_COLOURS, group_colour
from features.polls import polls
from features.results import query
from features.study import Study
from findings.code import choices as program
from findings.systems import preference as findings
from findings.systems import preference_figures
from findings.systems.preference import UnderDesigns, method_name
from panels.workers.polls import chosen_poll
from ui.conclusions import show_code, show_finding
from ui.controls import usually
from ui.pictures import draw, look
from ui.sampling_controls import draws_control, seed_control
from ui.stages import conclude, show_stages

EXPLANATION = findings.EXPLANATION
MOST_AT_ONCE = 12
"""Comparisons whose shares are all worked out without being asked for."""


def show(study: Study) -> None:
    """Finding, bars per design, the paper's tables as one, all pairs, and the items by difficulty."""
    finding = st.empty()
    poll, designs, spec = _controls(study)
    picture = st.empty()

    def say_and_draw(preferences: Mapping[str, Preference], stage: str) -> None:
        with finding:
            show_finding(findings.finding(poll, preferences[poll.name]))
        draw(
            picture,
            _figure(study, designs, preferences, spec),
            key=f"preference {stage}",
            alt=f"Share of the preference of {poll.first} and {poll.second} by each method, with intervals",
        )

    def with_intervals_of(methods: Sequence[str]) -> Mapping[str, Preference]:
        preference_figures.put_in_cache(study, designs, spec, methods)
        return _at_hand(study, designs, spec)

    at_hand = _at_hand(study, designs, spec)  # first: what takes a moment is worked out there
    missing = any(preference_figures.is_missing(study, each, spec) for each in designs)
    later = (
        ("but GLAD's intervals", lambda _: with_intervals_of(CLOSED)),
        ("whole", lambda _: with_intervals_of((GLAD,))),
    )
    preferences = show_stages(
        f"preference {study.key} {study.candidate} {poll.name} {spec}",
        at_hand,
        say_and_draw,
        *(later if missing else ()),
        first="closed" if missing else "whole",
    )
    differences = {
        other.design: preference_figures.between_designs(study, designs[0], other, spec)
        for other in designs[1:]
    }
    under = UnderDesigns(poll, designs, spec, preferences, differences)
    most_votes = preference_figures.QUICK_VOTES
    conclude(
        "preference",
        [(findings.methods_table(under), "Shares by method and design, with intervals")],
        notes=findings.notes(under, preference_figures.position_bias(study, poll, spec)),
        remarks=[
            sentence
            for each in designs
            for sentence in findings.remarks(each, preferences[each.name], spec, most_votes)
        ],
        figure=lambda: _figure(study, designs, preferences, spec),
    )
    _show_all_pairs(study, spec)
    _show_items(study, poll, spec)
    if len(poll.votes) <= most_votes:
        preference_figures.put_neighbours_in_cache(study, designs, spec)
    show_code(lambda: program.preference(study, poll.name, spec))


def show_at_a_glance(study: Study, poll: Poll) -> None:
    """Finding and bars per design, without intervals."""
    designs = _designs(study, poll)
    spec = PreferenceSpec(dropped=usually_dropped(designs), draws=0)
    preferences = _at_hand(study, designs, spec)
    show_finding(findings.finding(poll, preferences[poll.name]))
    draw(
        st,
        _figure(study, designs, preferences, spec),
        key="overview_winner",
        alt=f"Share of the preference of {poll.first} and {poll.second} by each method",
    )


def _controls(study: Study) -> tuple[Poll, list[Poll], PreferenceSpec]:
    """The comparison, the designs of its pair, and how shares are worked out."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        poll = chosen_poll(study)
        designs = _designs(study, poll)
        most = min(each.votes.raters for each in designs) - 1
        dropped = 0
        if most > 0:
            dropped = st.slider(
                "Drop the least reliable",
                0,
                most,
                usually("dropped", usually_dropped(designs)),
                key="dropped",
                bind="query-params",
                help="So many workers, those with the lowest r_w, are left out by the method of that name (Table 3 "
                "of the paper). The other methods keep everyone.",
                width=260,
            )
        with st.popover("More"):
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
    return poll, designs, PreferenceSpec(int(dropped), int(min_votes), draws, seed)


def _designs(study: Study, poll: Poll) -> list[Poll]:
    """The polls on the same pair of systems, if they have room beside each other."""
    same = on_the_same_pair(poll, polls(study))
    return same if len(same) <= MOST_DESIGNS else [poll]


def _at_hand(study: Study, designs: Sequence[Poll], spec: PreferenceSpec) -> Mapping[str, Preference]:
    return {each.name: preference_figures.at_hand(study, each, spec) for each in designs}


def _figure(
    study: Study, designs: Sequence[Poll], preferences: Mapping[str, Preference], spec: PreferenceSpec
) -> Figure:
    systems = query(study.dataset, "options")["name"].tolist()
    pair = designs[0].first, designs[0].second
    return preference_bars(
        [(each.design or each.name, preferences[each.name].shares) for each in designs],
        pair,
        (_colour(pair[0], systems), _colour(pair[1], systems)),
        look(),
        {DROPPED: method_name(DROPPED, spec)},
    )


def _colour(system: str, systems: Sequence[str]) -> str:
    return group_colour(system, systems) if system in systems else GROUP_COLOURS[0]


def _show_all_pairs(study: Study, spec: PreferenceSpec) -> None:
    """One row per comparison, where there are several."""
    compared = polls(study)
    if len(compared) < 2:
        return
    place: DeltaGenerator = st.container()
    if len(compared) > MOST_AT_ONCE:  # intervals of each take long, and the scale says more of so many
        place = st.expander(f"All {count(len(compared))} comparisons", on_change="rerun", key="all_pairs")
        if not place.open:
            return
    with place:
        st.header("All pairs")
        preferences = {
            poll.name: preference_figures.of_those_kept(study, poll, spec, at)
            for at, poll in enumerate(compared)
        }
        conclude("all_pairs", [(findings.pairs_table(compared, preferences), "All comparisons")])


def _show_items(study: Study, poll: Poll, spec: PreferenceSpec) -> None:
    st.header("Items by difficulty")
    table = findings.items_table(poll, *preference_figures.difficulty(study, poll, spec))
    conclude("items", [(table, "Items from the hardest to the easiest, with their votes")], most=12)
