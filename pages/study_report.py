"""Report: the findings, figures and tables of all pages in one file, for print and for a paper."""

import streamlit as st

from ui.report import made
from ui.report.settings import settings
from ui.report.views import views, with_contributors
from ui.visit.scenario import scenario
from ui.visit.study import study

opened = with_contributors(study())
finding = st.empty()
asked = settings(opened)
chosen = views(opened)
with finding:
    made.say_what_it_holds(opened, asked, chosen)
made.show(opened, scenario(), asked, chosen)
made.show_program(opened, scenario(), asked, chosen)
