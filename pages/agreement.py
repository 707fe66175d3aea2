"""Agreement: how far the raters of a group agree, and whether their ratings repeat."""

import streamlit as st

from features.agreement.controls import choose_sets, choose_spec
from features.agreement.section import agreement_page
from features.agreement.sets import sets_section
from features.assessments import labeled
from ui.render import render_section
from ui.visit.filters import scenario, stop_if_empty
from ui.visit.study import study

opened, finding = study(), st.container()
if opened.holds_label_sets:
    stop_if_empty(len(labeled(opened).sets))
    render_section("sets", sets_section, opened, choose_sets(opened), scenario=scenario(), finding=finding)
    st.stop()
render_section("agreement", agreement_page, opened, choose_spec(opened), scenario=scenario(), finding=finding)
