"""Owner of each visit: the browser whose workspace cookie came when its page connected, and nobody else.

Streamlit knows a visit by its id alone, which travels in addresses of uploads. Here it is worth nothing without the
cookie. What is not known belongs to nobody.
"""

from collections import OrderedDict
from time import monotonic

_KEPT = 600.0
"""Seconds for which a visit that has ended is known: Streamlit keeps it for two minutes, for a page that comes back."""
_MOST_FILES = 10_000


class Owners:
    """The workspaces of visits and of the files that were made in them, in this process's memory only."""

    def __init__(self) -> None:
        self._visits: dict[str, str] = {}
        self._open: dict[str, int] = {}
        self._ended: OrderedDict[str, float] = OrderedDict()
        self._files: OrderedDict[str, set[str]] = OrderedDict()

    def connected(self, visit: str, workspace: str | None) -> None:
        """Streamlit gave a page this visit."""
        self._ended.pop(visit, None)
        self._open[visit] = self._open.get(visit, 0) + 1
        if workspace is not None:
            self._visits[visit] = workspace

    def left(self, visit: str) -> None:
        """The page's connection is gone; it may come back."""
        self._open[visit] -= 1
        if not self._open[visit]:
            del self._open[visit]
            self._ended[visit] = monotonic()
        while self._ended and next(iter(self._ended.values())) < monotonic() - _KEPT:
            self._visits.pop(self._ended.popitem(last=False)[0], None)

    def owns(self, workspace: str | None, visit: str) -> bool:
        return workspace is not None and self._visits.get(visit) == workspace

    def made(self, file: str, workspace: str) -> None:
        """A file was made for a visit of this workspace; of two that are equal, each has the same address."""
        self._files.setdefault(file, set()).add(workspace)
        self._files.move_to_end(file)
        while len(self._files) > _MOST_FILES:
            self._files.popitem(last=False)

    def may_have(self, workspace: str | None, file: str) -> bool:
        return workspace is not None and workspace in self._files.get(file, ())
