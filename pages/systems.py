"""Ranking systems: scores of systems, pairs of systems compared by raters, or labels and the true answers."""

import streamlit as st

from features.polls import polls
from features.systems.controls import choose_scores
from features.systems.labels_controls import show_known
from features.systems.labels_results import ClassesSpec
from features.systems.labels_section import classes_program, classes_section
from features.systems.scale_controls import choose_scale, open_pair
from features.systems.scale_section import scale_program, scale_section
from features.systems.section import scores_program, scores_section
from findings.leaving_out import NOBODY_LEFT
from findings.workers.reliability import RATERS_ARE_SLOTS
from panels.systems.questions import ALL, CLASSES, GOLD, TWO, questions
from ui.conclusions import how_computed
from ui.render import render
from ui.visit.scenario import scenario
from ui.visit.study import study
from ui.words import say, warn

opened = study()
if not opened.holds_choices:
    finding, excluded = st.container(), scenario()
    spec = choose_scores(opened)
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
asked = questions(opened)
question = next(iter(asked))
if len(asked) > 1:
    question = st.segmented_control(
        "Question", list(asked), default=question, required=True, key="about", bind="query-params"
    )
if not opened.raters_are_persons:
    warn(*RATERS_ARE_SLOTS)
if question == ALL:
    finding, chosen = st.container(), choose_scale(opened)
    render(
        "scale",
        scale_section(opened, chosen),
        finding=finding,
        clicked={"wins": lambda places: open_pair(opened, chosen, places, TWO)},
        code=lambda: scale_program(opened, chosen),
    )
elif question == CLASSES:
    counted = ClassesSpec()
    render("classes", classes_section(opened, counted), code=lambda: classes_program(opened, counted))
elif question == GOLD:
    show_known(opened)
elif panel := asked[question]:
    panel.show(opened)
    explanation = panel.EXPLANATION
    how_computed(lambda: st.markdown(explanation))
