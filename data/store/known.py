"""Answers of the database, kept for as long as nobody has changed it: a query needs ten times as long."""

import threading
from collections import OrderedDict
from collections.abc import Callable
from datetime import datetime

import duckdb
import pyarrow

from data.dataset import Dataset
from data.queries import summed
from data.store import links

MOST_KEYS = 1000


class KnownKeys:
    """Keys that led somewhere, each with the state of the database in which it did; the longest unused go first.

    What leads nowhere is looked up each time, in the same way.
    """

    def __init__(self) -> None:
        self._found: OrderedDict[str, tuple[int, Dataset, datetime | None]] = OrderedDict()
        self._lock = threading.Lock()

    def look_up(
        self, state: int, key: str, led_to: Callable[[], tuple[Dataset, datetime | None] | None]
    ) -> Dataset | None:
        """The data set that a key leads to in this `state` of the database; `led_to` asks its tables."""
        digest = links.digest(key)
        with self._lock:
            before, dataset, expires = self._found.get(digest, (None, None, None))
        if before == state and (expires is None or expires > links.now()):
            return dataset
        found = led_to()
        if found is None:
            return None
        with self._lock:
            self._found[digest] = state, *found
            self._found.move_to_end(digest)
            while len(self._found) > MOST_KEYS:
                self._found.popitem(last=False)
        return found[0]


MOST_WORKSPACES = 100


class KnownWorkspaces:
    """The data sets of workspaces, each with the state of the database in which it held them; the longest unlisted
    go first."""

    def __init__(self) -> None:
        self._held: OrderedDict[str, tuple[int, tuple[Dataset, ...]]] = OrderedDict()
        self._lock = threading.Lock()

    def list_of(self, state: int, workspace: str, held: Callable[[], list[Dataset]]) -> list[Dataset]:
        """Return what a workspace holds in this `state` of the database; `held` asks its tables."""
        with self._lock:
            before, datasets = self._held.get(workspace, (None, ()))
        if before != state:
            datasets = tuple(held())
        with self._lock:
            self._held[workspace] = state, datasets
            self._held.move_to_end(workspace)
            while len(self._held) > MOST_WORKSPACES:
                self._held.popitem(last=False)
        return list(datasets)


MOST_KEPT = 1_000_000
"""Rows kept of all views together, but for the last one asked for."""


class RatersGone:
    """The sums of those left out, by view; a data set never changes once saved, so they stay right."""

    def __init__(self) -> None:
        self._of_view: OrderedDict[tuple[str, tuple[str, ...]], pyarrow.Table] = OrderedDict()
        self._lock = threading.Lock()

    def show(self, cursor: duckdb.DuckDBPyConnection, dataset: Dataset) -> None:
        """Has this cursor's queries find those of the view under `summed.GONE`."""
        key = dataset.id, dataset.without
        with self._lock:
            found = self._of_view.get(key)
        if found is None:
            asked = summed.gone(dataset)
            found = cursor.execute(asked.sql, {"without": list(dataset.without)}).to_arrow_table()
        with self._lock:
            self._of_view[key] = found
            self._of_view.move_to_end(key)
            while len(self._of_view) > 1 and sum(map(len, self._of_view.values())) > MOST_KEPT:
                self._of_view.popitem(last=False)
        cursor.register(summed.GONE, found)
