"""A clock on what reads a hostile file: it ends work that would not end, so that a test fails instead of hanging."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class TooSlow(Exception):
    """The clock ran out."""


@contextmanager
def clock(seconds: float) -> Iterator[None]:
    """Raises `TooSlow` inside the block after so many seconds, also in the middle of a regular expression."""

    def ring(_signal: int, _frame: FrameType | None) -> None:
        raise TooSlow(f"not done after {seconds:g} s")

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
