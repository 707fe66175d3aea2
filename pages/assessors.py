"""Raters of numbers: who is consistent, and what changes when some of them are excluded."""

from functools import partial

import streamlit as st

from features.program import section_program
from features.raters import consistency_section as consistency
from features.raters import controls
from features.raters.attributes_results import attributes_of
from features.raters.attributes_section import attributes_section
from features.raters.consistency_section import TABLE
from features.raters.exclusion_section import exclusion_section
from features.raters.variance_section import variance_section
from ui.controls import show_link_to_ratings
from ui.elements import show_note
from ui.render import render, render_section
from ui.visit.filters import can_pick_by_hand, scenario
from ui.visit.study import study

QUESTIONS = (
    "Who is consistent",
    "Who agrees with the others",
    "What if they go",
    "Where the variance comes from",
)
ATTRIBUTES = "Who the raters are"

opened, excluded = study(), scenario()
question = st.segmented_control(
    "Question",
    (*QUESTIONS, ATTRIBUTES) if attributes_of(opened) else QUESTIONS,
    default=QUESTIONS[0],
    required=True,
    key="question",
    bind="query-params",
)
finding = st.container()
ticked = (
    {TABLE: partial(controls.offer_exclusion, partial(show_link_to_ratings, "rater"))}
    if can_pick_by_hand(opened)
    else {}
)
show = partial(render_section, study=opened, finding=finding)
match question:
    case "Who is consistent":
        spec = controls.choose_consistency(opened)
        show("consistency", consistency.consistency_section, spec=spec, scenario=excluded, ticked=ticked)
    case "Who agrees with the others":
        agreement = controls.choose_agreement(opened)
        show("raters", consistency.agreement_section, spec=agreement, scenario=excluded, ticked=ticked)
    case "What if they go":
        ranking = controls.choose_ranking(opened, excluded)
        show("exclusion", exclusion_section, spec=ranking, scenario=excluded, in_program=True)
    case "Where the variance comes from":
        of_variance = controls.choose_variance(opened)
        if of_variance is not None:
            section = variance_section(opened, of_variance)
            if excluded.excludes:
                show_note("All figures here are of everyone's ratings.")
            code = partial(section_program, variance_section, opened, of_variance)
            render("variance", section, finding=finding, code=code)
    case "Who the raters are":
        show("rater_attributes", attributes_section, spec=controls.choose_attributes(opened))
