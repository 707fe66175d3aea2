"""Pyramid: raters who miss content that they marked elsewhere, by manual minus automatic Pyramid score."""

from functools import partial

import streamlit as st

from features.metrics.controls import choose_pyramid
from features.metrics.pyramid import pyramid_section
from features.program import section_program
from ui.render import render
from ui.visit.filters import scenario
from ui.visit.study import study

opened, finding = study(), st.container()
bootstrap, joined = choose_pyramid(opened)
render(
    "pyramid",
    pyramid_section(opened, scenario(), bootstrap, None if joined is None else joined[1]),
    finding=finding,
    code=None
    if joined is None
    else partial(section_program, pyramid_section, opened.everyone, bootstrap, joined=joined),
)
