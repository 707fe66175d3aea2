"""Ranking systems: scores of systems, pairs of systems compared by raters, or labels and the true answers."""

import streamlit as st

from features.polls import polls
from features.systems import controls
from features.systems.controls import (
    choose_pair,
    choose_question,
    choose_scale,
    choose_scores,
    open_pair,
    show_known,
)
from features.systems.labels_results import ClassesSpec
from features.systems.labels_section import classes_program, classes_section
from features.systems.pairs_results import cache_neighbors
from features.systems.pairs_section import pair_program, pair_section
from features.systems.scale_section import scale_program, scale_section
from features.systems.scores_section import scores_program, scores_section
from findings.leaving_out import NOBODY_LEFT
from findings.workers.reliability import RATERS_ARE_SLOTS
from ui.render import render
from ui.visit.scenario import scenario
from ui.visit.study import study
from ui.words import say, warn

opened = study()
if not opened.holds_choices:
    finding, excluded = st.container(), scenario()
    spec = choose_scores(opened, excluded)
    render(
        "systems",
        scores_section(opened, excluded, spec),
        finding=finding,
        code=lambda: scores_program(opened, excluded, spec),
    )
    st.stop()
if not polls(opened):
    say(*NOBODY_LEFT)
    st.stop()
question = choose_question(opened)
if not opened.raters_are_persons:
    warn(*RATERS_ARE_SLOTS)
match question:
    case controls.ALL_SYSTEMS:
        finding, scale = st.container(), choose_scale(opened)
        render(
            "scale",
            scale_section(opened, scale),
            finding=finding,
            clicked={"wins": lambda places: open_pair(opened, scale, places)},
            code=lambda: scale_program(opened, scale),
        )
    case controls.TWO_SYSTEMS:
        finding, pair = st.container(), choose_pair(opened)
        render(
            "preference",
            pair_section(opened, pair),
            finding=finding,
            code=lambda: pair_program(opened, pair),
        )
        cache_neighbors(opened, pair)
    case controls.CLASSES:
        classes = ClassesSpec()
        render("classes", classes_section(opened, classes), code=lambda: classes_program(opened, classes))
    case controls.KNOWN_ANSWERS:
        show_known(opened)
