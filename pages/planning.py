"""Planning: how many items, raters and ratings a study needs, before it is carried out."""

from functools import partial

import streamlit as st

from features.planning import controls
from features.planning.power_results import BudgetSpec
from features.planning.section import plan_program, plan_section
from ui.render import render
from ui.visit.study import study
from ui.words import told_in_words

opened = study()
question = controls.choose_question(opened)
finding = st.container()
with told_in_words():
    spec, seed = controls.choose_plan(opened, question)
    is_computed = not isinstance(spec, BudgetSpec) or spec.study.prices.are_known
    render(
        f"plan {type(spec).__name__}",
        plan_section(opened, spec, seed),
        finding=finding,
        clicked=controls.clicks(spec),
        code=partial(plan_program, opened, spec) if is_computed else None,
    )
