"""Agreement: how far the raters of a group agree, and whether their ratings repeat."""

from functools import partial

import streamlit as st

from features.agreement.controls import choose_spec
from features.agreement.section import agreement_page, agreement_program
from ui.render import render
from ui.visit.filters import scenario
from ui.visit.study import study

opened, finding = study(), st.container()
spec = choose_spec(opened)
render(
    "agreement",
    agreement_page(opened, scenario(), spec),
    finding=finding,
    code=partial(agreement_program, opened, spec),
)
