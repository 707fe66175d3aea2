"""The store that pages open, and the session of a run: progress of long work, with buttons to stop and resume it."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.scriptrunner import get_script_run_ctx

from data.store.shared import SHARED_STORE
from data.store.store import Store
from features.cache import Stopped
from features.results import Session
from ui.elements import warn

PATIENCE = 0.5
"""Seconds before a progress line appears: what is sent while the browser draws delays it."""
PACE = 0.5
"""Seconds between two words of a progress line: at each the browser looks through the whole page."""


def check_interrupt() -> None:
    """End this run of the script here if the visitor has clicked, stopped it or left; send nothing."""
    if get_script_run_ctx(suppress_warning=True) is not None:
        "d" in st.session_state  # noqa: B015 - Streamlit looks for clicks whenever the state is read


@contextmanager
def show_progress(key: str, label: str) -> Iterator[Callable[[float, str], object]]:
    """Show long work on the page, with buttons to stop and resume it.

    Streamlit interrupts a script only inside its own calls: a click takes effect in the callback that this yields.
    """
    place = st.empty()  # always, so that what follows keeps its place
    line = _ProgressLine(place, label, key)
    try:
        yield line.show
    except Exception:  # another exception than Streamlit's: nothing goes on any more
        if not line.is_stopped:
            place.empty()
        raise
    if line.is_used:
        place.empty()


PAGE = Session(show_progress=show_progress, check_interrupt=check_interrupt)
"""The session of a page's run."""


class _ProgressLine:
    """A progress bar with a Stop button that appears only when the work turns out to be long."""

    def __init__(self, place: DeltaGenerator, label: str, key: str) -> None:
        self._place, self._label, self._key = place, label, key
        self._stopped = f"stopped:{label}"
        self._next = time.monotonic() + PATIENCE
        self._moving: tuple[float, float] | None = None
        self._bar: DeltaGenerator | None = None
        self.is_used = self.is_stopped = False

    def show(self, done: float, words: str) -> None:
        """Show progress, or raise where the visitor has stopped this work or clicked."""
        if not self.is_used:
            self._check_stopped()
        self.is_used = True
        now = time.monotonic()
        if now < self._next:
            check_interrupt()
            return
        self._next = now + PACE
        done = min(max(done, 0.0), 1.0)
        words += self._left(done)
        if self._bar is not None:
            self._bar.progress(done, text=words)
            return
        with self._place.container(horizontal=True, vertical_alignment="center"):
            self._bar = st.progress(done, text=words)
            st.button(
                "Stop",
                key=f"stop:{self._label}",
                on_click=st.session_state.__setitem__,
                args=(self._stopped, self._key),
            )

    def _check_stopped(self) -> None:
        if not _is_stopped(self._stopped, self._key):
            return
        self.is_stopped = True
        with self._place.container(horizontal=True, vertical_alignment="center"):
            st.text(f"{self._label}: stopped.")
            st.button(
                "Compute it",
                key=f"resume:{self._label}",
                on_click=st.session_state.pop,
                args=(self._stopped, None),
            )
        raise Stopped(self._label)

    def _left(self, done: float) -> str:
        """Return how long it will take, as fast as it went so far; work that waits in a queue has not begun."""
        now = time.monotonic()
        if self._moving is None:
            if done > 0:
                self._moving = now, done
            return ""
        since, first = self._moving
        return time_left(now - since, done - first, 1 - done)


def time_left(seconds: float, done: float, left: float) -> str:
    """Return what is said of the rest of long work of which a share was done in so many seconds; "" for a guess."""
    if seconds < 1 or done < 0.03:
        return ""
    rest = seconds * left / done
    if rest < 4:
        return ", a few seconds left"
    return (
        f", about {5 * round(rest / 5) or 5} s left" if rest < 90 else f", about {round(rest / 60)} min left"
    )


def _is_stopped(stopped: str, key: str) -> bool:
    return st.session_state.get(stopped) == key


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
