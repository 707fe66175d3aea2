"""What workspaces hold, for as long as nobody has changed the database: every step of a page lists one's own."""

import threading
from collections import OrderedDict
from collections.abc import Callable

from data.dataset import Dataset

MOST = 100


class KnownWorkspaces:
    """The data sets of workspaces, each with the state of the database in which it held them; the longest unlisted
    go first."""

    def __init__(self) -> None:
        self._held: OrderedDict[str, tuple[int, tuple[Dataset, ...]]] = OrderedDict()
        self._lock = threading.Lock()

    def list_of(self, state: int, workspace: str, held: Callable[[], list[Dataset]]) -> list[Dataset]:
        """What a workspace holds in this `state` of the database; `held` asks its tables."""
        with self._lock:
            before, datasets = self._held.get(workspace, (None, ()))
        if before != state:
            datasets = tuple(held())
        with self._lock:
            self._held[workspace] = state, datasets
            self._held.move_to_end(workspace)
            while len(self._held) > MOST:
                self._held.popitem(last=False)
        return list(datasets)
