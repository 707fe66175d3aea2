"""Results that pages share between reruns and visitors: computed once for a content hash and a frozen spec.

Streamlit's own data cache hashes big arrays by sample and cannot report progress from inside, so results
are shelved by a text key made of the data set's hash and the spec, for as long as the server runs. Results are
frozen, so that visitors may share them.
"""

import pickle
import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, TypeVar

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from findings.bench import key_of as key_of
from panels.parts.turns import flights

T = TypeVar("T")
SHELF_BYTES = 600 * 10**6
LARGE = 10**7
"""Bytes of columns of ratings: these are read again in seconds and go before figures, which may have taken minutes."""


class Shelf:
    """A thread-safe memory of results, bounded by their pickled size; the least recently used goes first, but before it
    the largest but the last as long as that is large."""

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
                sizes = {other: size for other, (_, size) in list(self._results.items())[:-1]}
                largest = max(sizes, key=sizes.__getitem__)
                goes = largest if sizes[largest] >= LARGE else next(iter(sizes))
                self._held -= self._results.pop(goes)[1]


@st.cache_resource(show_spinner=False)
def shelf() -> Shelf:
    return Shelf(SHELF_BYTES)


def result(key: str, compute: Callable[[], T]) -> T:
    """A quick result: from the shelf, or computed now, once for all who ask at the same time."""
    held: T | None = shelf().get(key)
    if held is not None:
        return held
    computed: T = flights().once(key, lambda _: put_there(key, compute), lambda _: give_way())
    return computed


def put_there(key: str, compute: Callable[[], T]) -> T:
    """A result that may have been shelved while this visitor turned to computing it."""
    held: T | None = shelf().get(key)
    if held is not None:
        return held
    computed = compute()
    shelf().put(key, computed)
    return computed


def give_way() -> None:
    """Ends this run of the script here if the visitor has clicked, stopped it or left; sends nothing."""
    if get_script_run_ctx(suppress_warning=True) is not None:
        "d" in st.session_state  # noqa: B015 - Streamlit looks for clicks whenever the state is read


def shelved(key: str) -> Any | None:
    """A result if it is already there."""
    return shelf().get(key)
