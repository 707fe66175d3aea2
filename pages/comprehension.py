"""Comprehension: how much of what one author found important is in another author's summary."""

from functools import partial

import streamlit as st

from features.comprehension import controls, section
from features.program import section_program
from ui.render import render
from ui.visit.filters import scenario
from ui.visit.study import study

QUESTIONS = {
    controls.SHARES: ("comprehension", section.shares_section),
    controls.LENGTH: ("summary_length", section.length_section),
    controls.JUDGES: ("judges", section.judges_section),
    controls.MACHINES: ("machine_summaries", section.machines_section),
}

opened, excluded = study(), scenario()
question = controls.choose_question()
finding = st.container()
if question == controls.AUTHORS:
    pair = controls.choose_authors(opened)
    code = partial(section_program, section.authors_section, opened, pair)
    render("author_by_author", section.authors_section(opened, excluded, pair), finding=finding, code=code)
else:
    answers = controls.choose_answers(opened, question)
    name, blocks_of = QUESTIONS[question]
    code = partial(section_program, blocks_of, opened, answers)
    render(name, blocks_of(opened, excluded, answers), finding=finding, code=code)
