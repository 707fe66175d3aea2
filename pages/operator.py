"""The operator's page: whether this server is well, what it holds, and what can be done about it.

It needs no open data set, is listed nowhere, and is there only where the settings have a passphrase for it.
"""

import streamlit as st

from ui.elements import store, told_in_words
from ui.screens import operator

if not operator.admitted():
    st.stop()
settings = store().settings
with told_in_words():
    stocked = operator.take_inventory()
    operator.show_health(settings, stocked)
operator.show(settings)
operator.show_datasets(stocked)
operator.show_errors()
operator.show_set_up(settings)
