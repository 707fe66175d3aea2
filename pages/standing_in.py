"""Replacing raters: can a crowd's mean, one rater, a metric or a model replace a rater of the reference?"""

from functools import partial

import streamlit as st

from features.program import section_program
from features.replacement import controls
from features.replacement.pass_rate import pass_rate_section
from features.replacement.results import list_candidates
from features.replacement.section import corrected_section, errors_section, replacement_section
from ui.render import render, render_section
from ui.visit.study import study

opened = study().between_raters
question = controls.choose_question(opened)
finding = st.container()
if question == controls.PASS_RATE:
    rated = controls.choose_pass_rate(opened)
    render_section("pass-rate", pass_rate_section, opened, rated, finding=finding)
    st.stop()
spec, prices = controls.choose_spec(opened, question == controls.VERDICTS)
candidates = list_candidates(opened, spec)
code = partial(section_program, replacement_section, opened, spec)
if question == controls.VERDICTS or not candidates:
    section = replacement_section(opened, spec, candidates, prices)
    render("standing-in", section, finding=finding, code=code if candidates else None)
elif question == controls.ERRORS:
    section = errors_section(opened, spec, candidates, controls.choose_candidates(candidates))
    render("shared-errors", section, finding=finding, code=code)
else:
    section = corrected_section(opened, spec, candidates, *controls.choose_correction(candidates))
    render("corrected-scores", section, finding=finding, code=code)
