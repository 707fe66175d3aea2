"""Planning: how many items, raters and ratings a study needs, before it is carried out."""

from functools import partial

import streamlit as st

from features.planning import controls
from features.planning import section as planning
from ui.render import render
from ui.visit.study import study
from ui.words import told_in_words

opened = study()
question = controls.choose_question(opened)
finding = st.container()
with told_in_words():
    match question:
        case planning.POWER:
            power, seed = controls.choose_power(opened)
            section, code = (
                planning.power_section(opened, power, seed),
                partial(planning.power_program, opened, power),
            )
            clicked = {planning.CURVES: controls.move_plan}
            render("plan", section, finding=finding, clicked=clicked, code=code)
        case planning.PRECISION:
            precision = controls.choose_precision(opened)
            section, code = (
                planning.precision_section(opened, precision),
                partial(planning.precision_program, opened, precision),
            )
            clicked = {planning.CURVES: partial(controls.move_plan, along=precision.along)}
            render(f"precision of {precision.what}", section, finding=finding, clicked=clicked, code=code)
        case planning.BUDGET:
            budget = controls.choose_budget(opened)
            section, code = (
                planning.budget_section(opened, budget),
                partial(planning.budget_program, opened, budget),
            )
            render("best-use", section, finding=finding, code=code if budget.study.prices.are_known else None)
        case planning.PREFERENCE:
            preference = controls.choose_preference(opened)
            section = planning.preference_section(opened, preference)
            clicked = {planning.CURVES: partial(controls.move_plan, parameter="plan_votes")}
            code = partial(planning.preference_program, opened, preference)
            render("preference-plan", section, finding=finding, clicked=clicked, code=code)
        case planning.LABELS:
            labels = controls.choose_labels(opened)
            section, code = (
                planning.labels_section(opened, labels),
                partial(planning.labels_program, opened, labels),
            )
            render("votes", section, finding=finding, code=code)
        case planning.STOPPING:
            stopping = controls.choose_stopping(opened)
            section = planning.stopping_section(opened, stopping)
            render(
                "enough", section, finding=finding, code=partial(planning.stopping_program, opened, stopping)
            )
