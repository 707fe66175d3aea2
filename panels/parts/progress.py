"""Long work on a page: a progress line with a way to stop, in turns with other visitors."""

import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from findings.bench import part as part
from panels.parts.shelf import give_way, put_there, shelf
from panels.parts.turns import Flight, flights, turn

T = TypeVar("T")
PATIENCE = 0.5
"""Seconds before a progress line appears: shorter work would only make the page flicker, and whatever is sent
while the browser draws the main picture delays it."""
PACE = 0.5
"""Seconds between two words of a progress line: at each the browser looks through the whole page."""


def long_result(
    key: str,
    label: str,
    compute: Callable[[Callable[..., None]], T],
    turn: Callable[[Callable[[str], None]], AbstractContextManager[None]] = turn,
) -> T | None:
    """A slow result, with a progress line and a way to stop; None while it is stopped.

    `compute` gets a callback to call between blocks with the share done (0 to 1), and what is being done. Streamlit
    interrupts a script only inside its own calls, so that callback is the place where a visitor's click takes effect.
    It waits for its `turn` where too many others compute, and for the result where another visitor computes it.
    """
    place = st.empty()  # always, as panels/parts/stages.py says
    held: T | None = shelf().get(key)
    if held is not None:
        return held
    stopped = f"stopped:{label}"
    if _is_stopped(stopped, key):
        with place.container(horizontal=True, vertical_alignment="center"):
            st.text(f"{label}: stopped.")
            st.button("Compute it", key=f"resume:{label}", on_click=_resume, args=(stopped,))
        return None
    line = _ProgressLine(place, label, stopped, key)

    def flown(flight: Flight) -> T:
        def tell(done: float, words: str = label) -> None:
            flight.told = done, words
            line.show(done, words)

        tell(0.0)
        with turn(lambda waiting: tell(0.0, f"{label}: {waiting}")):
            return put_there(key, lambda: compute(tell))

    try:
        computed: T = flights().once(key, flown, lambda flight: line.show(*flight.told))
    except Exception:  # whoever shows it: nothing goes on any more
        place.empty()
        raise
    place.empty()
    return computed


class _ProgressLine:
    """A progress bar with a Stop button that appears only when the work turns out to be long."""

    def __init__(self, place: DeltaGenerator, label: str, stopped: str, key: str) -> None:
        self._place, self._label, self._stopped, self._key = place, label, stopped, key
        self._next = time.monotonic() + PATIENCE
        self._moving: tuple[float, float] | None = None
        self._bar: DeltaGenerator | None = None

    def show(self, done: float, words: str) -> None:
        now = time.monotonic()
        if now < self._next:
            give_way()
            return
        self._next = now + PACE
        done = min(max(done, 0.0), 1.0)
        words += self._left(done)
        if self._bar is not None:
            self._bar.progress(done, text=words)
            return
        with self._place.container(horizontal=True, vertical_alignment="center"):
            self._bar = st.progress(done, text=words)
            st.button("Stop", key=f"stop:{self._label}", on_click=_stop, args=(self._stopped, self._key))

    def _left(self, done: float) -> str:
        """How long it will take, as fast as it went so far; whoever waits for a turn has not begun."""
        now = time.monotonic()
        if self._moving is None:
            if done > 0:
                self._moving = now, done
            return ""
        since, first = self._moving
        return time_left(now - since, done - first, 1 - done)


def time_left(seconds: float, done: float, left: float) -> str:
    """What is said of the rest of long work of which a share was done in so many seconds; "" while that is a guess."""
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


def _stop(stopped: str, key: str) -> None:
    st.session_state[stopped] = key


def _resume(stopped: str) -> None:
    st.session_state.pop(stopped, None)
