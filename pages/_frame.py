"""The frame of every page: page settings, the list of pages, the sidebar, and the open data set.

A page that cannot show the open data set is not listed, and says at its address what is missing.
"""

from dataclasses import replace

import streamlit as st

from features.notices import holding_of
from features.study import use_session
from ui.elements import ICON, MARK_AND_NAME, PAGE, show_sentence, show_user_errors, store, warn_samples_only
from ui.render import begin_run
from ui.screens.upload import has_waiting_file
from ui.visit import workspace
from ui.visit.filters import choose_filters, choose_scenario, show_filters, show_use_of_weights
from ui.visit.pages import OPERATOR, PAGES, START, link_to, menu_of, page_of
from ui.visit.share import share
from ui.visit.study import (
    choose_dataset,
    dataset_in_use,
    drop_infinite_numbers,
    joined_kinds,
    keep_in_use,
    key_in_use,
    parameters,
    sidebar,
)

st.set_page_config(page_title="Raterscope", page_icon=ICON, layout="wide")
st.logo(MARK_AND_NAME, icon_image=ICON, size="large")

with show_user_errors():
    entries = (*PAGES, OPERATOR) if store().settings.operator else PAGES
    warn_samples_only()
drop_infinite_numbers()
left = workspace.place_before_login()
given = "d" in st.query_params
was_open = given or "d" in st.session_state
dataset = dataset_in_use()
with show_user_errors(), use_session(PAGE):
    holding = holding_of(dataset) if dataset is not None else None
    if holding is not None and dataset is not None and dataset.kind == "ratings":
        holding = replace(holding, joined=joined_kinds(dataset, key_in_use()))
pages = {entry.script: page_of(entry, holding if was_open else None) for entry in entries}
page = st.navigation(menu_of(pages), expanded=True)
entry = next(entry for entry in entries if pages[entry.script] == page)
if left is not None:
    left.go_back(pages.values())
if entry is START and given:  # the Overview's address before there was a first screen
    st.switch_page(pages["overview.py"], query_params=parameters())
asked = st.query_params.get("about") or st.query_params.get("question", "")
if holding is not None and (moved := entry.moved_to(holding.kind, asked)) is not None:
    kept = {name: value for name, value in parameters().items() if name != "question"}
    st.switch_page(pages[moved.script], query_params={**kept, **moved.parameters})
if not was_open and not entry.needs_dataset:
    dataset = holding = None
elif entry is not START:
    keep_in_use(dataset)
    if not was_open:  # the menu lists the pages of the sample that is shown now
        st.rerun()

if dataset is None and entry.needs_dataset:
    st.title("Not found")
    show_sentence("There is no data set under this address: it was deleted, or the address is incomplete.")
    link_to(pages["datasets.py"])
    workspace.show_login()
    st.stop()
with show_user_errors(), use_session(PAGE):
    elsewhere = None if holding is None else entry.elsewhere(holding)
    reads_file = entry.script == "datasets.py" and has_waiting_file()
    if dataset is not None and entry not in (START, OPERATOR) and not reads_file:
        begin_run(dataset)
        if elsewhere is not None or not entry.needs_dataset:
            choose_dataset(dataset)
        else:
            filtered = choose_filters(sidebar(dataset, entry.uses_reference))
            st.session_state["study"] = choose_scenario(filtered, entry.compares_without)
    workspace.show_login()
    if elsewhere is not None:
        share(page.title, page.url_path, dataset)
        show_sentence(*elsewhere[0])
        link_to(pages["overview.py"], pages[elsewhere[1]], key=key_in_use())
        st.stop()
    share(entry.heading or page.title, page.url_path, None if entry in (START, OPERATOR) else dataset)
    if entry.needs_dataset:
        show_filters()
        show_use_of_weights(entry.weighted)
    page.run()
