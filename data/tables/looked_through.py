"""Result of looking through a file, kept for a while: whoever sniffs a file and then imports it reads it once."""

import threading
from collections.abc import Callable, Hashable
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

Told = TypeVar("Told")
LARGE = 1 << 26
"""Bytes from which looking through a file takes far longer than two writes that leave it the same time of change."""
SMALL = 1 << 20
"""Bytes up to which a file is told from others by its content."""
_KEPT = 16
_known: dict[Hashable, Any] = {}
_knowing = threading.Lock()


def once(path: Path, what: str, look: Callable[[], Told]) -> Told:
    """Return what `look` tells of a file, or told for the same `what` before where the file is large and did not
    change."""
    told = path.stat()
    if told.st_size < LARGE:
        return look()
    return _recall((what, told.st_dev, told.st_ino, told.st_size, told.st_mtime_ns), look)


def once_by_content(path: Path, what: Hashable, look: Callable[[], Told]) -> Told:
    """Return what `look` tells of a file, or told for the same `what` before where a small file had this content."""
    if path.stat().st_size > SMALL:
        return look()
    return _recall((what, sha256(path.read_bytes()).digest()), look)


def _recall(key: Hashable, look: Callable[[], Told]) -> Told:
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
