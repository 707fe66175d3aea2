"""Planning: how many items, raters and ratings a study needs, before it is carried out."""

from functools import partial

import streamlit as st

from features.planning import controls
from features.planning import section as planning
from ui.elements import told_in_words
from ui.render import render
from ui.visit.study import study

opened = study()
question = controls.choose_question(opened)
finding = st.container()
with told_in_words():
    match question:
        case planning.POWER:
            power, seed = controls.choose_power(opened)
            code = partial(planning.plan_program, opened, power)
            section = planning.power_section(opened, power, seed)
            clicked = {planning.CURVES: controls.move_plan}
            render("plan", section, finding=finding, clicked=clicked, code=code)
        case planning.PRECISION:
            precision = controls.choose_precision(opened)
            code = partial(planning.plan_program, opened, precision)
            section = planning.precision_section(opened, precision)
            clicked = {planning.CURVES: partial(controls.move_plan, along=precision.along)}
            render(f"precision of {precision.what}", section, finding=finding, clicked=clicked, code=code)
        case planning.BUDGET:
            budget = controls.choose_budget(opened)
            code = partial(planning.plan_program, opened, budget)
            section, is_priced = planning.budget_section(opened, budget), budget.study.prices.are_known
            render("best-use", section, finding=finding, code=code if is_priced else None)
        case planning.PREFERENCE:
            preference = controls.choose_preference(opened)
            code = partial(planning.plan_program, opened, preference)
            section = planning.preference_section(opened, preference)
            clicked = {planning.CURVES: partial(controls.move_plan, parameter="plan_votes")}
            render("preference-plan", section, finding=finding, clicked=clicked, code=code)
        case planning.LABELS:
            labels = controls.choose_labels(opened)
            code = partial(planning.plan_program, opened, labels)
            render("votes", planning.labels_section(opened, labels), finding=finding, code=code)
        case planning.STOPPING:
            stopping = controls.choose_stopping(opened)
            code = partial(planning.plan_program, opened, stopping)
            render("enough", planning.stopping_section(opened, stopping), finding=finding, code=code)
