"""Comprehension: how much of what one author found important is in another author's summary."""

import streamlit as st

from features.comprehension import controls, section
from ui.render import render_section
from ui.visit.filters import scenario
from ui.visit.study import study

QUESTIONS = {
    controls.SHARES: ("comprehension", section.shares_section),
    controls.LENGTH: ("summary_length", section.length_section),
    controls.JUDGES: ("judges", section.judges_section),
    controls.MACHINES: ("machine_summaries", section.machines_section),
}

opened = study()
question = controls.choose_question()
finding = st.container()
if question == controls.AUTHORS:
    pair = controls.choose_authors(opened)
    name, authors = "author_by_author", section.authors_section
    render_section(name, authors, opened, pair, scenario=scenario(), finding=finding)
else:
    answers = controls.choose_answers(opened, question)
    render_section(*QUESTIONS[question], opened, answers, scenario=scenario(), finding=finding)
