"""Planning: how many items, raters and ratings a study needs, before it is carried out."""

from functools import partial

import streamlit as st

from features.planning import controls
from features.planning.collection_results import CollectionSpec
from features.planning.power_results import BudgetSpec
from features.planning.precision import PrecisionSpec
from features.planning.section import plan_program, plan_section
from features.planning.specs import BUDGET, COLLECT, LABELS, POWER, PRECISION, PREFERENCE, STOPPING
from ui.elements import show_user_errors
from ui.render import render
from ui.visit import workspace
from ui.visit.study import study

NAMES = {
    POWER: "plan",
    PRECISION: "precision",
    BUDGET: "best-use",
    PREFERENCE: "preference-plan",
    LABELS: "votes",
    STOPPING: "enough",
    COLLECT: "collection",
}
"""Names of the questions in keys of elements and names of files."""

opened = study()
question = controls.choose_question(opened)
finding = st.container()
with show_user_errors():
    spec, seed = controls.choose_plan(opened, question)
    offered = st.container()
    is_computed = not isinstance(spec, BudgetSpec) or spec.study.prices.are_known
    render(
        NAMES[question] + (f" of {spec.what}" if isinstance(spec, PrecisionSpec) else ""),
        plan_section(opened, spec, seed, workspace.version_before(opened.whole)),
        finding=finding,
        clicked=controls.clicks(spec),
        code=partial(plan_program, opened, spec) if is_computed else None,
    )
    if isinstance(spec, CollectionSpec):
        with offered:
            controls.offer_collection(opened, spec)
