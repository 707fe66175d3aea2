"""What stands around every page: page settings, the list of pages, the sidebar, and the open data set."""

import streamlit as st

from pages._icon import ICON
from pages._results import told_in_words
from pages._scenario import choose_scenario
from pages._study import open_dataset, sidebar
from pages._words import say

st.set_page_config(page_title="Raterscope", page_icon=ICON, layout="wide")

data_page = st.Page("datasets.py", title="Data", icon=":material/table_rows:", url_path="data")
assessors_page = st.Page(
    "assessors.py", title="Assessors", icon=":material/how_to_reg:", url_path="assessors"
)
study_pages = [
    st.Page("overview.py", title="Overview", icon=":material/dashboard:", default=True),
    st.Page("distributions.py", title="Distributions", icon=":material/bar_chart:", url_path="distributions"),
    st.Page(
        "crowd_vs_lab.py", title="Crowd vs lab", icon=":material/compare_arrows:", url_path="crowd-vs-lab"
    ),
    st.Page("repetitions.py", title="Repetitions", icon=":material/show_chart:", url_path="repetitions"),
    assessors_page,
]
page = st.navigation([study_pages[0], data_page, *study_pages[1:]])

dataset = open_dataset()
if dataset is None and page != data_page:
    st.title("Not found")
    say(
        "There is no data set under this address. It may have been deleted, or the address was cut off when "
        "it was copied. Ask for it again, or open one of your own or a sample on the <b>Data</b> page."
    )
    st.page_link(data_page, label="Open the Data page")
    st.stop()
with told_in_words():
    if dataset is not None:
        st.session_state["study"] = choose_scenario(sidebar(dataset), on_assessors=page == assessors_page)
    page.run()
