"""Raters who choose, label or rank: who agrees with the others, and with known answers."""

from functools import partial

import streamlit as st

from features.assessments import polls, ranked
from features.label_sets import labeled
from features.notices import NOBODY_LEFT
from features.program import section_program
from features.raters import controls
from features.raters.answer_agreement import LabelersSpec, RankersSpec, labelers_section, rankers_section
from features.raters.consistency_section import TABLE
from features.raters.workers import workers_section
from ui.controls import choose_label_question
from ui.elements import show_sentence
from ui.render import render
from ui.visit.filters import can_pick_by_hand, scenario
from ui.visit.study import study

opened = study()
if opened.holds_label_sets:
    there = len(labeled(opened).sets)
else:
    there = len(ranked(opened) if opened.holds_rankings else polls(opened))
if not there:
    show_sentence(*NOBODY_LEFT)
    st.stop()
finding = st.container()
ticked = {TABLE: partial(controls.offer_exclusion, None)} if can_pick_by_hand(opened) else {}
if opened.holds_label_sets:
    labeling = LabelersSpec(choose_label_question(opened), controls.choose_fewest())
    code = partial(section_program, labelers_section, opened, labeling)
    render("labelers", labelers_section(opened, labeling), finding=finding, ticked=ticked, code=code)
    st.stop()
if opened.holds_rankings:
    ranking = RankersSpec(controls.choose_fewest("tasks"))
    code = partial(section_program, rankers_section, opened, ranking)
    render("rankers", rankers_section(opened, scenario(), ranking), finding=finding, ticked=ticked, code=code)
    st.stop()
spec = controls.choose_workers(opened)
code = partial(section_program, workers_section, opened, spec)
render("workers", workers_section(opened, scenario(), spec), finding=finding, ticked=ticked, code=code)
