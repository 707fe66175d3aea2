"""Agreement: how far the raters of a group agree, and whether their ratings repeat."""

from functools import partial

import streamlit as st

from features.agreement.controls import choose_sets, choose_spec
from features.agreement.section import agreement_page
from features.agreement.sets import sets_section
from features.label_sets import labeled
from features.notices import NOBODY_LEFT
from features.program import section_program
from ui.elements import show_sentence
from ui.render import render
from ui.visit.filters import scenario
from ui.visit.study import study

opened, finding = study(), st.container()
if opened.holds_label_sets:
    if not len(labeled(opened).sets):
        show_sentence(*NOBODY_LEFT)
        st.stop()
    sets = choose_sets(opened)
    section, code = (
        sets_section(opened, scenario(), sets),
        partial(section_program, sets_section, opened, sets),
    )
    render("sets", section, finding=finding, code=code)
    st.stop()
spec = choose_spec(opened)
render(
    "agreement",
    agreement_page(opened, scenario(), spec),
    finding=finding,
    code=partial(section_program, agreement_page, opened, spec),
)
