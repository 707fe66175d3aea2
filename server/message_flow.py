"""Flow control of a page's messages: faster ones wait, and none is dropped while its page is open.

People send a few messages a second. A script can send 20,000 at once, each of which starts a run. So messages are read
at a bounded rate, and those that wait are bounded too: beyond that the connection is not read, and the sender's system
holds the rest. A connection that has not caught up for a long time is closed.
"""

import asyncio
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from contextlib import suppress

from starlette.types import Message, Receive

RATE, BURST = 50.0, 50
"""Messages a second of one workspace (of one connection where there is no cookie), and how many may come at once."""
ADDRESS_RATE, ADDRESS_BURST = 1_000.0, 1_000
"""The same of one network address, which a classroom or an office may share."""
MOST_WAITING = 500
MOST_WAITING_BYTES = 8 * 10**6
"""Messages of one connection that wait to be read, at most."""
BEHIND = 30.0
"""Seconds after which a connection is closed that has as many waiting and has not caught up meanwhile: long, since
whoever waits costs less than whoever comes anew. That a page has left is noticed when it is told of a run."""


class RateLimit:
    """So many messages a second and, after a pause, so many at once, for each key."""

    def __init__(self, rate: float, burst: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._interval = 1 / rate
        self._burst = burst * self._interval
        self._clock = clock
        self._paid_until: OrderedDict[str, float] = OrderedDict()

    def delay(self, key: str) -> float:
        """Count one more message of this key; return the seconds for which it must wait."""
        now = self._clock()
        paid_until = max(self._paid_until.pop(key, now), now) + self._interval
        self._paid_until[key] = paid_until
        oldest = next(iter(self._paid_until))
        if self._paid_until[oldest] <= now:
            del self._paid_until[oldest]
        return max(0.0, paid_until - now - self._burst)


class Inbox:
    """The messages of one connection that have arrived and wait to be read."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._waiting: deque[Message] = deque()
        self._bytes = 0
        self._changed = asyncio.Event()
        self._caught_up = time.monotonic()
        self.has_ended = False

    async def fill(self) -> bool:
        """Take in messages until the connection ends; return False if it is to be closed because it fell behind."""
        while True:
            message = await self._receive()
            if message["type"] == "websocket.disconnect":
                self._end(message)
                return True
            if not self._waiting:
                self._caught_up = time.monotonic()
            self._waiting.append(message)
            self._bytes += _size(message)
            self._changed.set()
            while self._is_full():
                left = self._caught_up + BEHIND - time.monotonic()
                if left <= 0:
                    self._end({"type": "websocket.disconnect", "code": 1008})
                    return False
                self._changed.clear()
                with suppress(TimeoutError):
                    async with asyncio.timeout(left):
                        await self._changed.wait()
            await asyncio.sleep(0)  # an awaited message that is there already does not yield to other visits

    async def take(self) -> Message:
        """Return the next message, the end of the connection after the last one."""
        while not self._waiting:
            self._changed.clear()
            await self._changed.wait()
        message = self._waiting.popleft()
        self._bytes -= _size(message)
        self._changed.set()
        return message

    def _is_full(self) -> bool:
        return len(self._waiting) >= MOST_WAITING or self._bytes >= MOST_WAITING_BYTES

    def _end(self, disconnect: Message) -> None:
        """Let the last messages of a page pass before its end, but not those of a flood."""
        self.has_ended = True
        if len(self._waiting) > BURST:
            self._waiting.clear()
        self._waiting.append(disconnect)
        self._changed.set()


def _size(message: Message) -> int:
    return len(message.get("bytes") or message.get("text") or b"")
