"""Report: the findings, figures and tables of all pages in one file, for print and for a paper."""

import streamlit as st

from ui.screens import report
from ui.screens.report import settings, views, with_joined
from ui.visit.filters import scenario
from ui.visit.study import study

opened = with_joined(study())
finding = st.empty()
asked = settings(opened)
chosen = views(opened)
with finding:
    report.show_contents(opened, asked, chosen)
report.show(opened, scenario(), asked, chosen)
