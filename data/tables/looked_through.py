"""What looking through a large file told, kept for a while: who sniffs a file and then imports it reads it once."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

Told = TypeVar("Told")
LARGE = 1 << 26
"""Bytes from which looking through a file takes far longer than two writes that leave it the same time of change."""
_KEPT = 8
_known: dict[tuple[object, ...], Any] = {}
_knowing = threading.Lock()


def once(path: Path, what: str, look: Callable[[], Told]) -> Told:
    """What `look` tells of a file: as it did for the same `what` before, where the file is large and did not change."""
    told = path.stat()
    if told.st_size < LARGE:
        return look()
    key = (what, told.st_dev, told.st_ino, told.st_size, told.st_mtime_ns)
    with _knowing:
        if key in _known:
            found: Told = _known[key]
            return found
    found = look()
    with _knowing:
        while len(_known) >= _KEPT:
            del _known[next(iter(_known))]
        _known[key] = found
    return found
