"""The operator's page: whether this server is well, what it holds, and what can be done about it.

It needs no open data set, is listed nowhere, and is there only where the settings have a passphrase for it.
"""

import streamlit as st

from charts.parts.numbers import count
from panels.operator import server_state
from panels.parts.errors import told_in_words
from panels.parts.store import store
from panels.parts.tables import show_table
from panels.parts.words import note, say

if not server_state.admitted():
    st.stop()
settings = store().settings
with told_in_words():
    stocked = store().inventory()
    template, values = server_state.finding(stocked)
say(template, **values)
template, values = server_state.disk(settings)
note(template, **values)

with st.container(horizontal=True):
    backs_up = st.button("Back up now", help="All data sets but the samples; what is there already is kept.")
    sweeps = st.button("Sweep now", help="Deletes uploads that nobody saved and data sets that nobody uses.")
    st.button("Look again")
if backs_up:
    server_state.back_up_now(settings)
if sweeps:
    server_state.sweep_now(settings)

st.subheader("Data sets")
show_table(
    server_state.datasets_table(stocked),
    {"Rows": count, "Size": server_state.size_of_one, "Links": count},
    alt="Every data set with its kind, rows, size, days, keeper and number of links",
)
note("Names and owners are left out: to run the server nobody needs them, and they can be private.")
st.subheader("Last errors")
errors = server_state.errors_table()
if len(errors):
    show_table(errors, {}, alt="The last errors with time, class and place in the code")
    note("The server's log has a line for each, with the number that the visitor was told.")
else:
    say("None.")
left, right = st.columns([3, 2], gap="large")
with left:
    st.subheader("Settings in force")
    show_table(server_state.settings_table(settings), {}, alt="Every setting with its value", most=30)
with right:
    st.subheader("Versions")
    show_table(server_state.versions_table(), {}, alt="Versions of the parts of this server", most=30)
