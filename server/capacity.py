"""Limit on the pages open at once: each holds a file of the operating system, and without one nothing works.

At the start the server takes as many as the system gives. What is left for files of the store, uploads and requests
is never used up by pages: whoever comes when the server is full is told so.
"""

import os
import resource

from server.visits import open_visits

SPARE = 200
"""Files that are left for everything but pages; a quarter of all where there are few."""


def raise_limit() -> int:
    """Takes as many open files as the system allows this process; how many that are."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return _limit()


def is_full(most: int) -> bool:
    """Return whether one more page would be more than `most`, or take the last files."""
    limit = _limit()
    return open_visits() >= most or _files() >= limit - min(SPARE, limit // 4)


def _limit() -> int:
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return soft if soft != resource.RLIM_INFINITY else 2**31


def _files() -> int:
    """The lowest number that a new file would get: no fewer are open."""
    try:
        number = os.open(os.devnull, os.O_RDONLY)
    except OSError:
        return _limit()
    os.close(number)
    return number
