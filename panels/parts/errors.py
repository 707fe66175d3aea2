"""Errors that a user can cause, shown as their own sentence."""

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from analysis.values.errors import InputError
from data.errors import DataError
from panels.parts.words import fail


@contextmanager
def told_in_words() -> Iterator[None]:
    """Shows the errors that a user can cause as their own sentence, and stops the page there."""
    try:
        yield
    except (InputError, DataError) as error:
        fail(str(error))
        st.stop()
