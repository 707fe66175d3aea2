"""Comprehension: how much of what one author found important is in another author's summary."""

from functools import partial

import streamlit as st

from features.comprehension import controls, results, section
from features.program import study_program
from ui.render import render
from ui.visit.filters import scenario
from ui.visit.study import study

QUESTIONS = {
    controls.SHARES: ("comprehension", section.shares_section, results.shares_stages),
    controls.LENGTH: ("summary_length", section.length_section, results.length_stages),
    controls.JUDGES: ("judges", section.judges_section, results.judges_stages),
    controls.MACHINES: ("machine_summaries", section.machines_section, results.machines_stages),
}

opened, excluded = study(), scenario()
question = controls.choose_question()
finding = st.container()
if question == controls.AUTHORS:
    pair = controls.choose_authors(opened)
    code = partial(study_program, opened, None, results.authors_stages, pair)
    render("author_by_author", section.authors_section(opened, excluded, pair), finding=finding, code=code)
else:
    answers = controls.choose_answers(opened, question)
    name, blocks_of, stages = QUESTIONS[question]
    code = partial(study_program, opened, None, stages, answers)
    render(name, blocks_of(opened, excluded, answers), finding=finding, code=code)
