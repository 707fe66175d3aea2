"""Flow control of a page's messages: faster ones wait, and none is dropped while its page is open.

People send a few messages a second. A script can send 20,000 at once, each of which starts a run. So messages are read
at a bounded rate, and those that wait are bounded too: beyond that the connection is not read, and the sender's system
holds the rest. A connection that has not caught up for a long time is closed.
"""

import asyncio
import heapq
import os
import resource
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count

from google.protobuf.message import DecodeError  # type: ignore[import-untyped]
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from server.static_files import media

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


DOWNLOAD = "deferred_file"
RUN = "rerun_script"
NEEDED = frozenset({RUN, "stop_script", "file_urls_request", "app_heartbeat", DOWNLOAD})
"""Messages that the pages send: runs of the script and their end, places for uploads, signs of life, and downloads."""


@dataclass(frozen=True)
class Sent:
    """A message of a browser: its kind, and of a request its number."""

    kind: str
    request: str = ""


@dataclass(frozen=True)
class Told:
    """A message of Streamlit to a browser: the visit that it has, that a run has begun, that one has ended and no other
    follows at once, or the answer to a request with the file made for it."""

    visit: str = ""
    begins_run: bool = False
    ends_run: bool = False
    request: str = ""
    file: str | None = None


def sent(message: bytes) -> Sent | None:
    """Read what a browser sends; return None where it is no message."""
    try:
        read = BackMsg.FromString(message)
    except DecodeError:
        return None
    kind = read.WhichOneof("type") or "nothing"
    if kind != "backend_operation_request":
        return Sent(kind)
    request = read.backend_operation_request
    return Sent(request.WhichOneof("payload") or "nothing", request.request_id)


def told(message: bytes) -> Told:
    """Read what Streamlit tells, as far as `Told` holds it."""
    read = ForwardMsg.FromString(message)
    match read.WhichOneof("type"):
        case "new_session":
            return Told(visit=read.new_session.initialize.session_id, begins_run=True)
        case "script_finished":
            return Told(ends_run=read.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN)
        case "backend_operation_response":
            answer = read.backend_operation_response
            return Told(request=answer.request_id, file=media(answer.deferred_file.url))
        case _:
            return Told()


def refusal(request: str, why: str) -> bytes:
    """The answer to a request for a download that the browser shows below its button."""
    answer = ForwardMsg()
    answer.backend_operation_response.request_id = request
    answer.backend_operation_response.error_msg = why
    message: bytes = answer.SerializeToString()
    return message


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
