"""Errors that a user can cause, shown as their own sentence; what is the operator's goes to the log."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from analysis.values.estimate import InputError
from data.errors import DataError
from ui.words import fail

_log = logging.getLogger("raterscope.store")


@contextmanager
def told_in_words() -> Iterator[None]:
    """Shows the errors that a user can cause as their own sentence, and stops the page there."""
    try:
        yield
    except InputError as error:
        fail(str(error))
        st.stop()
    except DataError as error:
        tell(error)
        st.stop()


def tell(error: DataError) -> None:
    """Shows an error as visitors may read it; what is the operator's goes to the log."""
    fail(error.for_visitors())
    if error.instead:
        _log.warning("a visitor was told that the store fails", extra={"fields": {"reason": str(error)}})
