"""Raters who choose, label or rank: who agrees with the others, and with known answers."""

from functools import partial

import streamlit as st

from features.assessments import labeled, polls, ranked
from features.raters import controls
from features.raters.answer_agreement import LabelersSpec, RankersSpec, labelers_section, rankers_section
from features.raters.consistency_section import TABLE
from features.raters.workers import workers_section
from ui.controls import choose_label_question
from ui.render import render_section
from ui.visit.filters import can_pick_by_hand, scenario, stop_if_empty
from ui.visit.study import study

opened = study()
if opened.holds_label_sets:
    stop_if_empty(len(labeled(opened).sets))
else:
    stop_if_empty(len(ranked(opened) if opened.holds_rankings else polls(opened)))
ticked = {TABLE: partial(controls.offer_exclusion, None)} if can_pick_by_hand(opened) else {}
show = partial(render_section, study=opened, finding=st.container(), ticked=ticked)
if opened.holds_label_sets:
    labeling = LabelersSpec(choose_label_question(opened), controls.choose_fewest())
    show("labelers", labelers_section, spec=labeling)
elif opened.holds_rankings:
    ranking = RankersSpec(controls.choose_fewest("tasks"))
    show("rankers", rankers_section, spec=ranking, scenario=scenario())
else:
    show("workers", workers_section, spec=controls.choose_workers(opened), scenario=scenario())
