"""Raters who choose, label or rank: who agrees with the others, and with known answers."""

from functools import partial

import streamlit as st

from features.assessments import polls, ranked
from features.label_sets import labeled
from features.notices import NOBODY_LEFT
from features.raters import controls
from features.raters.consistency_section import TABLE
from features.raters.labelers import LabelersSpec, labelers_program, labelers_section
from features.raters.rankers import RankersSpec, rankers_program, rankers_section
from features.raters.workers import workers_program, workers_section
from ui.controls import choose_label_question
from ui.elements import say
from ui.render import render
from ui.visit.filters import can_pick_by_hand, scenario
from ui.visit.study import study

opened = study()
if opened.holds_label_sets:
    there = len(labeled(opened).sets)
else:
    there = len(ranked(opened) if opened.holds_rankings else polls(opened))
if not there:
    say(*NOBODY_LEFT)
    st.stop()
finding = st.container()
ticked = {TABLE: partial(controls.offer_exclusion, None)} if can_pick_by_hand(opened) else {}
if opened.holds_label_sets:
    labeling = LabelersSpec(choose_label_question(opened), controls.choose_fewest())
    section, code = labelers_section(opened, labeling), partial(labelers_program, opened, labeling)
    render("labelers", section, finding=finding, ticked=ticked, code=code)
    st.stop()
if opened.holds_rankings:
    ranking = RankersSpec(controls.choose_fewest("tasks"))
    section, code = rankers_section(opened, scenario(), ranking), partial(rankers_program, opened, ranking)
    render("rankers", section, finding=finding, ticked=ticked, code=code)
    st.stop()
spec = controls.choose_workers(opened)
section, code = workers_section(opened, scenario(), spec), partial(workers_program, opened, spec)
render("workers", section, finding=finding, ticked=ticked, code=code)
