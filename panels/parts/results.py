"""Results that pages share between reruns and visitors: computed once for a content hash and a frozen spec.

Streamlit's own data cache hashes big arrays by sample and cannot report progress from inside, so results
are shelved by a text key made of the data set's hash, the version of the statistics and the spec. Results are
frozen, so that visitors may share them.
"""

import pickle
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.scriptrunner import get_script_run_ctx

from analysis import VERSION
from analysis.values.errors import InputError
from analysis.values.ratings import Ratings
from data.dataset import Dataset
from data.errors import DataError
from data.store.datasets import Store
from panels.parts.turns import Flight, flights, turn
from panels.parts.words import fail

SHELF_BYTES = 600 * 10**6
PATIENCE = 0.5
"""Seconds before a progress line appears: shorter work would only make the page flicker, and whatever is sent
while the browser draws the main picture delays it."""
DRAWING = 0.35
"""Seconds that a browser takes to draw the main picture, about."""
LARGEST_BOOTSTRAP = 5000
"""Items above which intervals are analytic and curves rest on a sample of items (methods: section 0)."""


class Shelf:
    """A thread-safe memory of results, bounded by their pickled size; the least recently used goes first."""

    def __init__(self, most_bytes: int) -> None:
        self._most = most_bytes
        self._held = 0
        self._results: OrderedDict[str, tuple[Any, int]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: str) -> Any | None:
        with self._lock:
            if key not in self._results:
                return None
            self._results.move_to_end(key)
            return self._results[key][0]

    def put(self, key: str, result: Any) -> None:
        arrays: list[pickle.PickleBuffer] = []
        size = len(pickle.dumps(result, protocol=5, buffer_callback=arrays.append))
        size += sum(array.raw().nbytes for array in arrays)
        with self._lock:
            self._held += size - self._results.pop(key, (None, 0))[1]
            self._results[key] = result, size
            while self._held > self._most and len(self._results) > 1:
                self._held -= self._results.popitem(last=False)[1][1]


@st.cache_resource(show_spinner=False)
def shelf() -> Shelf:
    return Shelf(SHELF_BYTES)


@st.cache_resource(show_spinner="Opening the database")
def store() -> Store:
    """The one store of this server process, with the built-in studies in it."""
    opened = Store()
    opened.ensure_samples()
    return opened


def key_of(dataset: Dataset, what: str, *parts: object) -> str:
    """The cache key of one result: content hash, raters left out, version of the statistics, name and spec."""
    without = sha256(repr(dataset.without).encode()).hexdigest() if dataset.without else ""
    return "\x1f".join([dataset.sha256, without, VERSION, what, *(repr(part) for part in parts)])


def result(key: str, compute: Callable[[], Any]) -> Any:
    """A quick result: from the shelf, or computed now, once for all who ask at the same time."""
    found = shelf().get(key)
    if found is not None:
        return found
    return flights().once(key, lambda _: _shelve(key, compute), lambda _: give_way())


def _shelve(key: str, compute: Callable[[], Any]) -> Any:
    """A result that may have been shelved while this visitor turned to computing it."""
    found = shelf().get(key)
    if found is None:
        found = compute()
        shelf().put(key, found)
    return found


def give_way() -> None:
    """Ends this run of the script here if the visitor has clicked, stopped it or left; sends nothing."""
    if get_script_run_ctx(suppress_warning=True) is not None:
        "d" in st.session_state  # noqa: B015 - Streamlit looks for clicks whenever the state is read


def shelved(key: str) -> Any | None:
    """A result if it is already there."""
    return shelf().get(key)


def long_result(key: str, label: str, compute: Callable[[Callable[[float], None]], Any]) -> Any | None:
    """A slow result, with a progress line and a way to stop; None while it is stopped.

    `compute` gets a callback to call between blocks with the share done (0 to 1). Streamlit interrupts
    a script only inside its own calls, so that callback is the place where a visitor's click takes effect.
    It waits for its turn where too many others compute, and for the result where another visitor computes it.
    """
    found = shelf().get(key)
    if found is not None:
        return found
    place = st.empty()
    stopped = f"stopped:{label}"
    if st.session_state.get(stopped) == key:
        with place.container(horizontal=True, vertical_alignment="center"):
            st.text(f"{label}: stopped.")
            st.button("Compute it", key=f"resume:{label}", on_click=_resume, args=(stopped,))
        return None
    line = _ProgressLine(place, label, stopped, key)

    def computed(flight: Flight) -> Any:
        def tell(done: float, words: str = label) -> None:
            flight.told = done, words
            line.show(done, words)

        tell(0.0)
        with turn(lambda waiting: tell(0.0, f"{label}: {waiting}")):
            return _shelve(key, lambda: compute(tell))

    found = flights().once(key, computed, lambda flight: line.show(*flight.told))
    place.empty()
    return found


class _ProgressLine:
    """A progress bar with a Stop button that appears only when the work turns out to be long."""

    def __init__(self, place: DeltaGenerator, label: str, stopped: str, key: str) -> None:
        self._place, self._label, self._stopped, self._key = place, label, stopped, key
        self._started = time.monotonic()
        self._bar: DeltaGenerator | None = None

    def show(self, done: float, words: str) -> None:
        if time.monotonic() - self._started < PATIENCE:
            give_way()
            return
        done = min(max(done, 0.0), 1.0)
        if self._bar is not None:
            self._bar.progress(done, text=words)
            return
        with self._place.container(horizontal=True, vertical_alignment="center"):
            self._bar = st.progress(done, text=words)
            st.button("Stop", key=f"stop:{self._label}", on_click=_stop, args=(self._stopped, self._key))


def _stop(stopped: str, key: str) -> None:
    st.session_state[stopped] = key


def _resume(stopped: str) -> None:
    st.session_state.pop(stopped, None)


def let_it_be_drawn(picture: str) -> None:
    """Waits while the browser draws a picture that it has not shown before; the rest of the page follows then.

    What is computed and sent meanwhile would only hold the picture up.
    """
    if st.session_state.get("drawn picture") != picture:
        time.sleep(DRAWING)
        st.session_state["drawn picture"] = picture


def query(dataset: Dataset, name: str, **params: Any) -> dict[str, Any]:
    """One of the store's named queries, shelved by content."""
    return result(
        key_of(dataset, f"query {name}", sorted(params.items())),
        lambda: store().query(dataset, name, **params),
    )


def ratings(dataset: Dataset, measure: str, group: str, **selection: Any) -> Ratings:
    """One group's ratings of one measure, in order; `selection` as for the query of that name."""

    def read() -> Ratings:
        rows = store().query(dataset, "ratings", measure=measure, group=group, **selection)
        return Ratings(rows["item"], rows["rater"], rows["score"], rows["order"])

    return result(key_of(dataset, "ratings", measure, group, sorted(selection.items())), read)


@contextmanager
def told_in_words() -> Iterator[None]:
    """Shows the errors that a user can cause as their own sentence, and stops the page there."""
    try:
        yield
    except (InputError, DataError) as error:
        fail(str(error))
        st.stop()
