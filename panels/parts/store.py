"""The one store of this server process, and what pages read from it, shelved by content."""

import threading
import time

import streamlit as st

from data.errors import CannotOpen, DataError
from data.settings import from_environment
from data.store.samples_only import SamplesOnly
from data.store.store import Store
from findings.bench import install
from findings.bench import query as query
from findings.bench import ratings as ratings
from panels.parts.progress import long_result
from panels.parts.shelf import result, shelved
from panels.parts.words import warn

AGAIN = 20.0
"""Seconds after which a database that could not be opened is tried again."""
APART = True
"""Whether uploads are read in processes of their own; tests of pages read them in this one, which is quicker."""


class _Failed:
    """Why the database could not be opened, and the samples that stand in for it until it is tried again."""

    def __init__(self) -> None:
        self.because: CannotOpen | None = None
        self.again = 0.0
        self.lock = threading.Lock()
        self._samples: SamplesOnly | None = None

    def samples(self) -> Store:
        assert self.because is not None
        if self._samples is None:
            try:
                self._samples = SamplesOnly(from_environment(), self.because)
            except (DataError, OSError):
                raise self.because from None
        return self._samples


def store() -> Store:
    """The one store of this server process, with the built-in studies in it; those alone where it cannot be opened."""
    failed = _failed()
    with failed.lock:
        if failed.because is not None and time.monotonic() < failed.again:
            return failed.samples()
        try:
            opened = _opened()
        except CannotOpen as error:
            failed.because, failed.again = error, time.monotonic() + AGAIN
            return failed.samples()
        failed.because = None
        return opened


def tell_if_only_samples() -> None:
    """Says on a page that shows samples alone that nothing else can be had now."""
    because = _failed().because
    if because is not None:
        warn("{why} The samples can be looked at meanwhile.", why=because.for_visitors())


@st.cache_resource(show_spinner="Opening the database")
def _opened() -> Store:
    opened = Store(apart=APART)
    opened.ensure_samples()
    return opened


@st.cache_resource(show_spinner=False)
def _failed() -> _Failed:
    return _Failed()


class _OfPages:
    """Where pages compute: one store, one shelf for all visitors, progress lines on the page."""

    store = staticmethod(store)
    result = staticmethod(result)
    long_result = staticmethod(long_result)
    kept = staticmethod(shelved)


install(_OfPages())
