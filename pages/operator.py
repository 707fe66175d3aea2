"""The operator's page: whether this server is well, what it holds, and what can be done about it.

It needs no open data set, is listed nowhere, and is there only where the settings have a passphrase for it.
"""

import streamlit as st

from ui.errors import told_in_words
from ui.operator import admission, server_state, upkeep
from ui.store import store

if not admission.admitted():
    st.stop()
settings = store().settings
with told_in_words():
    stocked = server_state.take_inventory()
    server_state.show_health(settings, stocked)
upkeep.show(settings)
server_state.show_datasets(stocked)
server_state.show_errors()
server_state.show_set_up(settings)
