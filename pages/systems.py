"""Ranking systems: scores of systems, pairs of systems compared by raters, or labels and the true answers."""

from functools import partial
from itertools import chain

import streamlit as st

from features.assessments import labeled, polls, ranked
from features.program import section_program
from features.systems import controls
from features.systems.crowd_sets import crowd_sets_section
from features.systems.labels_results import ClassesSpec
from features.systems.labels_section import classes_section, known_section
from features.systems.pairs_results import cache_neighbors
from features.systems.pairs_section import pair_section
from features.systems.rankings import rankings_section
from features.systems.scale_section import scale_section
from features.systems.scores_section import scores_section
from features.systems.two_scales import scales_section
from features.words import RATERS_ARE_SLOTS
from ui.elements import show_warning
from ui.render import render, render_section
from ui.visit.filters import scenario, stop_if_empty
from ui.visit.study import PAIRS, choose_joined, joinable_comparisons, study

opened = study()
if opened.holds_label_sets:
    there = len(labeled(opened).sets)
elif opened.holds_rankings:
    there = len(ranked(opened))
elif opened.holds_choices:
    there = len(polls(opened))
else:
    finding, excluded = st.container(), scenario()
    spec = controls.choose_scores(opened, excluded)
    joined = choose_joined("Comparisons of these systems", joinable_comparisons(opened), PAIRS, none="none")
    section = scores_section(opened, excluded, spec)
    code = partial(section_program, scores_section, opened, spec, excluded)
    if joined is not None:
        section = chain(section, scales_section(opened, excluded, spec, joined[1]))
        code = partial(section_program, scales_section, opened, spec, excluded, joined)
    render("systems", section, finding=finding, code=code)
    st.stop()
stop_if_empty(there)
question = controls.choose_question(opened)
if not opened.raters_are_persons and not opened.holds_label_sets:
    show_warning(*RATERS_ARE_SLOTS)
show = partial(render_section, study=opened, finding=st.container())
match question:
    case controls.SETS:
        show("crowd_sets", crowd_sets_section, spec=controls.choose_crowd_sets(opened), scenario=scenario())
    case controls.RANKINGS:
        show("rankings", rankings_section, spec=controls.choose_rankings(opened), scenario=scenario())
    case controls.ALL_SYSTEMS:
        scale = controls.choose_scale(opened)
        clicked = {"wins": partial(controls.open_pair, opened, scale)}
        show("scale", scale_section, spec=scale, clicked=clicked)
    case controls.TWO_SYSTEMS:
        pair = controls.choose_pair(opened)
        show("preference", pair_section, spec=pair)
        cache_neighbors(opened, pair)
    case controls.CLASSES:
        show("classes", classes_section, spec=ClassesSpec())
    case controls.KNOWN_ANSWERS:
        show("labels", known_section, spec=controls.choose_known(opened))
