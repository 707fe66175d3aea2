"""One queue in which the script runs of all visits wait, so that no visit can take the processors from the others.

A visit gets a turn before Streamlit sees its request for a run, and gives it back when the run has ended. The next turn
goes to the visit that has waited longest since its last one, or since it connected. A further request of a visit that
has a turn passes as soon as the browser was told that the run before it has begun: Streamlit then interrupts that run.
Without that wait, requests that come faster than the server tells of their runs leave it so much to tell that nobody
else hears anything for seconds. While others wait, it passes only when the run has ended, so that no visit keeps its
turn by interrupting itself. A turn ends after `LEASE` at the latest, so that a long computation, or a request that
starts no run, holds up nobody; the run itself goes on.
"""

import asyncio
import heapq
import os
import resource
from datetime import UTC, datetime
from itertools import count

from starlette.types import ASGIApp, Message, Receive, Scope, Send

SLOTS = 2
"""Runs that have a turn at the same time: Python computes one at a time, and the other one often waits. With four, a
step beside eight flooding pages took twice as long."""
LEASE = 0.5
"""Seconds after which a turn ends although its run has not."""


class RunQueue:
    """At most `slots` turns at the same time; used from the event loop only."""

    def __init__(self, slots: int = SLOTS, lease: float = LEASE) -> None:
        self.lease = lease
        self._free = slots
        self._waiting: list[tuple[float, int, asyncio.Future[None]]] = []
        self._numbers = count()

    def has_waiting(self) -> bool:
        """Tell whether a visit waits for its turn."""
        return any(not granted.done() for *_, granted in self._waiting)

    async def take(self, since: float) -> None:
        """Wait for a free slot; of those who wait, the one with the lowest `since` is next."""
        if self._free:
            self._free -= 1
            return
        granted: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._waiting, (since, next(self._numbers), granted))
        try:
            await granted
        except asyncio.CancelledError:
            if granted.done() and not granted.cancelled():
                self.give_back()
            raise

    def give_back(self) -> None:
        """Pass a slot on to the next visit that waits."""
        while self._waiting:
            *_, granted = heapq.heappop(self._waiting)
            if not granted.done():
                granted.set_result(None)
                return
        self._free += 1


class VisitRuns:
    """The runs of one visit, which has at most one turn and one place in the queue."""

    def __init__(self, queue: RunQueue) -> None:
        self._queue = queue
        self._loop = asyncio.get_running_loop()
        self._last = self._loop.time()
        self._lease: asyncio.TimerHandle | None = None
        self._has_begun = asyncio.Event()
        self._has_ended = asyncio.Event()

    async def start(self) -> None:
        """Wait until this visit has a turn in which a request may pass."""
        if self._lease is not None:
            await self._has_begun.wait()
            if self._queue.has_waiting():
                await self._has_ended.wait()
        if self._lease is None:
            await self._queue.take(self._last)
            self._lease = self._loop.call_later(self._queue.lease, self.end)
        self._has_begun.clear()
        self._has_ended.clear()

    def begin(self) -> None:
        """Note that the browser was told that a run has begun."""
        self._has_begun.set()

    def end(self) -> None:
        """End the visit's turn, if it has one."""
        self._has_begun.set()
        self._has_ended.set()
        if self._lease is None:
            return
        self._lease.cancel()
        self._lease = None
        self._last = self._loop.time()
        self._queue.give_back()


class _Counted:
    def __init__(self) -> None:
        self.now = 0
        self.most = 0
        self.total = 0
        self.since = datetime.now(UTC)


_counted = _Counted()


def open_visits() -> int:
    """Pages open now."""
    return _counted.now


def most_visits() -> int:
    """The most pages open at the same time since the server started."""
    return _counted.most


def all_visits() -> int:
    """Pages opened since the server started."""
    return _counted.total


def since() -> datetime:
    """Time at which the server started."""
    return _counted.since


class Visits:
    """ASGI middleware: counts websockets from when they are accepted until they end."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "websocket":
            await self.app(scope, receive, send)
            return
        accepted = False

        async def send_counted(message: Message) -> None:
            nonlocal accepted
            if message["type"] == "websocket.accept" and not accepted:
                accepted = True
                _counted.now += 1
                _counted.total += 1
                _counted.most = max(_counted.most, _counted.now)
            await send(message)

        try:
            await self.app(scope, receive, send_counted)
        finally:
            _counted.now -= accepted


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
