"""The one store of this server process, as pages open it."""

import streamlit as st

from data.store.shared import SHARED_STORE
from data.store.store import Store
from ui.words import warn


def store() -> Store:
    """Return the store with the built-in studies in it; those alone where it cannot be opened."""
    if SHARED_STORE.is_ready:
        return SHARED_STORE.get()
    with st.spinner("Opening the database"):
        return SHARED_STORE.get()


def tell_if_only_samples() -> None:
    """Say on a page that shows samples alone that nothing else can be had now."""
    because = SHARED_STORE.failure
    if because is not None:
        warn("{why} The samples can be looked at meanwhile.", why=because.for_visitors())
