"""Comprehension: how much of what one author found important is in another author's summary."""

from functools import partial

import streamlit as st

from features.comprehension import controls, section
from ui.render import render
from ui.visit.scenario import scenario
from ui.visit.study import study

QUESTIONS = {
    controls.SHARES: ("comprehension", section.shares_section, section.shares_program),
    controls.LENGTH: ("summary_length", section.length_section, section.length_program),
    controls.JUDGES: ("judges", section.judges_section, section.judges_program),
    controls.MACHINES: ("machine_summaries", section.machines_section, section.machines_program),
}

opened, excluded = study(), scenario()
question = controls.choose_question()
finding = st.container()
if question == controls.AUTHORS:
    pair = controls.choose_authors(opened)
    blocks, code = (
        section.authors_section(opened, excluded, pair),
        partial(section.authors_program, opened, pair),
    )
    render("author_by_author", blocks, finding=finding, code=code)
else:
    answers = controls.choose_answers(opened, question)
    name, blocks_of, program_of = QUESTIONS[question]
    blocks, code = blocks_of(opened, excluded, answers), partial(program_of, opened, answers)
    render(name, blocks, finding=finding, code=code)
