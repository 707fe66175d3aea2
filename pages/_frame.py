"""What stands around every page: page settings, the list of pages, the sidebar, and the open data set.

A page is listed where the open data set is of a kind that it can show. At its address it always answers: what it
cannot show it says, and which columns would open it.
"""

from pathlib import Path

import streamlit as st

from data.kinds.definitions import KINDS
from panels.parts.icon import ICON
from panels.parts.results import store, told_in_words
from panels.parts.words import listed, say
from panels.visit import log_in
from panels.visit.address import drop_endless_numbers
from panels.visit.scenario import choose_scenario
from panels.visit.share import share
from panels.visit.study import open_dataset, sidebar

st.set_page_config(page_title="Raterscope", page_icon=ICON, layout="wide")

PAGES = (
    ("overview.py", "Overview", ":material/dashboard:", ("ratings", "choices", "comprehension", "relevance")),
    ("datasets.py", "Data", ":material/table_rows:", tuple(KINDS)),
    ("distributions.py", "Distributions", ":material/bar_chart:", ("ratings",)),
    ("crowd_vs_lab.py", "Crowd vs lab", ":material/compare_arrows:", ("ratings",)),
    ("repetitions.py", "Repetitions", ":material/show_chart:", ("ratings", "choices")),
    ("assessors.py", "Assessors", ":material/how_to_reg:", ("ratings",)),
    ("workers.py", "Workers", ":material/groups:", ("ratings", "choices")),
    ("comprehension.py", "Comprehension", ":material/quiz:", ("comprehension",)),
    ("relevance.py", "Relevance", ":material/find_in_page:", ("relevance",)),
)
"""Script, title, icon, and the kinds of data sets that the page can show."""
OPERATOR = ("operator.py", "Operator", ":material/monitor_heart:", tuple(KINDS))
"""Listed nowhere, and there only where the server's settings have a passphrase for it."""
ADDRESSES = {"datasets.py": "data"}
WITHOUT_DATASET = ("datasets.py", "operator.py")

with told_in_words():
    pages = (*PAGES, OPERATOR) if store().settings.operator else PAGES
drop_endless_numbers()
left = log_in.place_left()
dataset = open_dataset()
made = {
    script: st.Page(
        script,
        title=title,
        icon=icon,
        url_path=ADDRESSES.get(script, Path(script).stem.replace("_", "-")),
        default=script == "overview.py",
        visibility="hidden"
        if script == "operator.py" or (dataset is not None and dataset.kind not in kinds)
        else "visible",
    )
    for script, title, icon, kinds in pages
}
page = st.navigation(list(made.values()))
script, kinds = next((script, kinds) for script, _, _, kinds in pages if made[script] == page)
if left is not None:
    left.go_back(made.values())

if dataset is None and script not in WITHOUT_DATASET:
    st.title("Not found")
    say(
        "There is no data set under this address. It may have been deleted, or the address was cut off when "
        "it was copied. Ask for it again, or open one of your own or a sample on the <b>Data</b> page."
    )
    st.page_link(made["datasets.py"], label="Open the Data page")
    log_in.in_sidebar()
    st.stop()
with told_in_words():
    if dataset is not None and script != "operator.py":
        st.session_state["study"] = choose_scenario(sidebar(dataset), on_assessors=script == "assessors.py")
    log_in.in_sidebar()
    if dataset is not None and dataset.kind not in kinds:
        share(page.title, page.url_path, dataset)
        say(
            "This data set holds {rows}. This page shows {others}: upload a table with the columns <b>{columns}</b> to "
            "open it, or go to a page of the list.",
            rows=KINDS[dataset.kind].rows,
            others=listed([KINDS[kind].rows for kind in kinds]),
            columns=listed(KINDS[kinds[0]].required),
        )
        st.page_link(made["datasets.py"], label="Open the Data page")
        st.stop()
    share(page.title, page.url_path, None if script == "operator.py" else dataset)
    page.run()
