"""What keys led to, for as long as nobody has changed the database: asking its tables anew takes ten times as long."""

import threading
from collections import OrderedDict
from collections.abc import Callable
from datetime import datetime

from data.dataset import Dataset
from data.store import links

MOST = 1000


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
            while len(self._found) > MOST:
                self._found.popitem(last=False)
        return found[0]
