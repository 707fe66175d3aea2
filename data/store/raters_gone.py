"""What raters left out of a view gave, read once and kept for the next queries, which take it off the sums."""

import threading
from collections import OrderedDict

import duckdb
import pyarrow

from data.dataset import Dataset
from data.queries import summed

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
