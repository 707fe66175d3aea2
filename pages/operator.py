"""The operator's page: whether this server is well, what it holds, and what can be done about it.

It needs no open data set, is listed nowhere, and is there only where the settings have a passphrase for it.
"""

import streamlit as st

from ui.elements import show_user_errors, store
from ui.screens import operator

if not operator.is_admitted():
    st.stop()
settings = store().settings
with show_user_errors():
    stocked = operator.list_all_datasets()
    operator.show_health(settings, stocked)
operator.show_back_up(settings)
operator.show_datasets(stocked)
operator.show_errors()
