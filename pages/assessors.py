"""Raters of numbers: who is consistent, and what changes when some of them are excluded."""

from functools import partial

import streamlit as st

from features.raters import consistency_section as consistency
from features.raters import controls
from features.raters.consistency_findings import TABLE
from features.words import RATERS_ARE_SLOTS
from panels.assessors import automatic_metrics, exclusion, metric_training, pyramid, variance
from panels.items.choose import offer
from ui.conclusions import how_computed
from ui.render import render
from ui.visit.scenario import can_pick_by_hand, scenario
from ui.visit.study import study
from ui.words import warn

CONSISTENT, WITH_OTHERS = "Who is consistent", "Who agrees with the others"
PANELS = {
    "What if they go": exclusion,
    "Where the variance comes from": variance,
    "Automatic metrics": automatic_metrics,
    "Pyramid": pyramid,
    "Training a metric": metric_training,
}

opened, excluded = study(), scenario()
question = st.segmented_control(
    "Question",
    [CONSISTENT, WITH_OTHERS, *PANELS],
    default=CONSISTENT,
    required=True,
    key="question",
    bind="query-params",
)
if not opened.raters_are_persons:
    warn(*RATERS_ARE_SLOTS)
finding = st.container()
ticked = (
    {TABLE: partial(controls.offer_exclusion, partial(offer, "rater"))} if can_pick_by_hand(opened) else {}
)
match question:
    case "Who is consistent":
        spec = controls.choose_consistency(opened)
        section = consistency.consistency_section(opened, excluded, spec)
        code = partial(consistency.consistency_program, opened, spec)
        render("consistency", section, finding=finding, ticked=ticked, code=code)
    case "Who agrees with the others":
        agreement = controls.choose_agreement(opened)
        section = consistency.agreement_section(opened, excluded, agreement)
        code = partial(consistency.agreement_program, opened, agreement)
        render("raters", section, finding=finding, ticked=ticked, code=code)
    case _:
        panel = PANELS[question]
        panel.show(opened, excluded)
        how_computed(lambda: st.markdown(panel.EXPLANATION))
