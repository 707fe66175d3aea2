"""Repetitions: how many ratings (or votes) per item are enough, and what fewer would cost."""

from collections.abc import Iterator
from functools import partial

import streamlit as st

from features.assessments import polls
from features.blocks import Block, Figure
from features.plotting.panels import MOST
from features.program import section_program
from features.repetitions import controls, votes
from features.repetitions import ratings_section as ratings
from features.repetitions.ratings_findings import obstacle
from features.repetitions.ratings_results import RatingsSpec
from features.repetitions.votes import ALL_VOTES, cost_wording, fitted_votes, times_of_votes
from features.study import Study
from ui.controls import choose_shown_measures
from ui.elements import show_user_errors
from ui.render import draw_section, render, show_folds
from ui.visit.filters import stop_if_empty
from ui.visit.study import study


def _of_ratings(opened: Study) -> None:
    finding = st.container()
    target, scope = controls.choose_target(opened)
    needed = st.container()
    st.header("Curves")
    knee = st.container()
    spec = controls.choose_curves(opened, target, scope)
    panels = tuple(choose_shown_measures(opened.measures, MOST))
    with st.container(), show_user_errors():
        places = {"needed": needed, "knee": knee}
        section = ratings.ratings_section(opened, spec, panels)
        drawn = draw_section("repetitions", section, finding=finding, places=places)
    st.header("Look closer")
    part, weighed = controls.choose_part(opened), None
    if part == controls.COST:
        weighed = controls.choose_weighed_ratings(opened, spec)
        blocks = ratings.cost_section(opened, spec, weighed)
    else:
        blocks = _part(opened, spec, part)
    drawn += draw_section(f"repetitions {part}", blocks)
    show_folds("repetitions", drawn, partial(ratings.ratings_program, opened, spec, weighed))


def _part(opened: Study, spec: RatingsSpec, part: str) -> Iterator[Block]:
    """Return the section of a part without further settings than its own."""
    match part:
        case controls.RULES:
            return ratings.rules_section(opened, spec, controls.choose_enough(opened, spec.target))
        case controls.MODELS:
            return ratings.models_section(opened, spec, controls.choose_measure(opened, part))
        case controls.AGGREGATED:
            return ratings.aggregations_section(opened, spec, controls.choose_measure(opened, part))
    return ratings.raters_section(opened, spec)


def _of_votes(opened: Study) -> None:
    finding = st.container()
    spec = controls.choose_votes(opened)
    panels = tuple(choose_shown_measures([poll.name for poll in polls(opened)], MOST))
    with st.container():
        drawn = draw_section("repetitions", votes.votes_section(opened, spec, panels), finding=finding)
    has_figure = any(isinstance(block, Figure) for block in drawn)  # none where the work was stopped
    fitted, words = (fitted_votes(opened, spec) or ()) if has_figure else (), cost_wording(spec.against)
    if votes.has_curves(fitted):
        st.header("Cost")
        weighed = controls.choose_weighed(fitted, times_of_votes(opened), words)
        drawn += draw_section("votes cost", votes.votes_cost_section(opened, spec, weighed))
    show_folds("repetitions", drawn, partial(section_program, votes.votes_section, opened, spec))


opened = study()
if opened.holds_choices:
    stop_if_empty(len(polls(opened)))
    if votes.range_of_votes(opened, ALL_VOTES).most > 1:
        _of_votes(opened)
    else:
        render("repetitions", votes.votes_card(opened))
elif obstacle(opened) is None:
    _of_ratings(opened)
else:
    render("repetitions", ratings.ratings_card(opened))
