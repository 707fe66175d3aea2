"""Flow control of a page's messages: too frequent ones wait, and none is dropped while its page is open.

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

from server.static_files import media_id

RATE, BURST = 50.0, 50
"""Messages a second of one workspace (of one connection where there is no cookie), and how many may come at once."""
ADDRESS_RATE, ADDRESS_BURST = 1_000.0, 1_000
"""The same of one network address, which a classroom or an office may share."""
MOST_WAITING = 500
MOST_WAITING_BYTES = 8 * 10**6
"""Messages of one connection that wait to be read, at most."""
CATCH_UP_SECONDS = 30.0
"""Seconds after which a connection with a full inbox is closed unless it caught up: long, since a waiting client costs
less than one that reconnects. A page that has left is noticed when it is sent a message about a run."""


class RateLimit:
    """Limit of messages per second and, after a pause, per burst, for each key."""

    def __init__(self, rate: float, burst: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._interval = 1 / rate
        self._burst = burst * self._interval
        self._clock = clock
        self._paid_until: OrderedDict[str, float] = OrderedDict()

    def delay(self, key: str) -> float:
        """Count a message of this key; return the seconds for which it must wait."""
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
        """Read messages until the connection ends; return False if it has to be closed because it fell behind."""
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
                remaining = self._caught_up + CATCH_UP_SECONDS - time.monotonic()
                if remaining <= 0:
                    self._end({"type": "websocket.disconnect", "code": 1008})
                    return False
                self._changed.clear()
                with suppress(TimeoutError):
                    async with asyncio.timeout(remaining):
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
        """Deliver a page's last messages before the end of its connection, unless they are a flood."""
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
class BrowserMessage:
    """Kind of a message of a browser and, for a request, its id."""

    kind: str
    request: str = ""


@dataclass(frozen=True)
class StreamlitMessage:
    """Content of a message of Streamlit to a browser: its visit, the beginning of a run, the end of a run that no other
    one follows at once, or the answer to a request with the id of its file."""

    visit: str = ""
    begins_run: bool = False
    ends_run: bool = False
    request: str = ""
    file: str | None = None


def parse_browser_message(message: bytes) -> BrowserMessage | None:
    """Parse a message of a browser; return None if it is invalid."""
    try:
        read = BackMsg.FromString(message)
    except DecodeError:
        return None
    kind = read.WhichOneof("type") or "nothing"
    if kind != "backend_operation_request":
        return BrowserMessage(kind)
    request = read.backend_operation_request
    return BrowserMessage(request.WhichOneof("payload") or "nothing", request.request_id)


def parse_streamlit_message(message: bytes) -> StreamlitMessage:
    """Parse a message of Streamlit into the parts that `StreamlitMessage` has."""
    read = ForwardMsg.FromString(message)
    match read.WhichOneof("type"):
        case "new_session":
            return StreamlitMessage(visit=read.new_session.initialize.session_id, begins_run=True)
        case "script_finished":
            return StreamlitMessage(ends_run=read.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN)
        case "backend_operation_response":
            answer = read.backend_operation_response
            return StreamlitMessage(request=answer.request_id, file=media_id(answer.deferred_file.url))
        case _:
            return StreamlitMessage()


def encode_refusal(request: str, reason: str) -> bytes:
    """Encode the refusal of a download, which the browser shows below its button."""
    answer = ForwardMsg()
    answer.backend_operation_response.request_id = request
    answer.backend_operation_response.error_msg = reason
    message: bytes = answer.SerializeToString()
    return message


SLOTS = 2
"""Runs that have a slot at the same time: Python computes one at a time, and the other one often waits. With four, a
step took twice as long while eight pages flooded the server."""
LEASE = 0.5
"""Seconds after which a run gives up its slot although it has not ended."""


class RunQueue:
    """Priority queue for at most `slots` concurrent runs; used from the event loop only."""

    def __init__(self, slots: int = SLOTS, lease: float = LEASE) -> None:
        self.lease = lease
        self._free = slots
        self._waiting: list[tuple[float, int, asyncio.Future[None]]] = []
        self._numbers = count()

    def has_waiting(self) -> bool:
        """Return True if a visit waits for a slot."""
        return any(not granted.done() for *_, granted in self._waiting)

    async def take(self, since: float) -> None:
        """Wait for a free slot; the visit with the lowest `since` is next."""
        if self._free:
            self._free -= 1
            return
        granted: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(self._waiting, (since, next(self._numbers), granted))
        try:
            await granted
        except asyncio.CancelledError:
            if granted.done() and not granted.cancelled():
                self.release()
            raise

    def release(self) -> None:
        """Pass a slot on to the next visit that waits."""
        while self._waiting:
            *_, granted = heapq.heappop(self._waiting)
            if not granted.done():
                granted.set_result(None)
                return
        self._free += 1


class VisitRuns:
    """Runs of one visit, which has at most one slot and one place in the queue."""

    def __init__(self, queue: RunQueue) -> None:
        self._queue = queue
        self._loop = asyncio.get_running_loop()
        self._last = self._loop.time()
        self._lease: asyncio.TimerHandle | None = None
        self._has_begun = asyncio.Event()
        self._has_ended = asyncio.Event()

    async def start(self) -> None:
        """Wait until this visit has a slot and may send a request."""
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
        """Record that the browser was notified of the beginning of a run."""
        self._has_begun.set()

    def end(self) -> None:
        """Release the visit's slot, if it has one."""
        self._has_begun.set()
        self._has_ended.set()
        if self._lease is None:
            return
        self._lease.cancel()
        self._lease = None
        self._last = self._loop.time()
        self._queue.release()


class _VisitCounts:
    def __init__(self) -> None:
        self.now = 0
        self.most = 0
        self.total = 0
        self.since = datetime.now(UTC)


_counts = _VisitCounts()


def open_visits() -> int:
    """Return the number of open pages."""
    return _counts.now


def peak_visits() -> int:
    """Return the most pages open at the same time since the server started."""
    return _counts.most


def total_visits() -> int:
    """Return the number of pages opened since the server started."""
    return _counts.total


def start_time() -> datetime:
    """Return the time at which the server started."""
    return _counts.since


class Visits:
    """ASGI middleware: count open websockets."""

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
                _counts.now += 1
                _counts.total += 1
                _counts.most = max(_counts.most, _counts.now)
            await send(message)

        try:
            await self.app(scope, receive, send_counted)
        finally:
            _counts.now -= accepted


RESERVED_FILES = 200
"""File descriptors reserved for everything but pages; a quarter of all if the limit is low."""


def raise_file_limit() -> int:
    """Raise this process's limit of open files to the most that the system allows, and return it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return _file_limit()


def is_full(max_visits: int) -> bool:
    """Return True if one more page would exceed `max_visits` or use up the file descriptors."""
    limit = _file_limit()
    return open_visits() >= max_visits or _open_files() >= limit - min(RESERVED_FILES, limit // 4)


def _file_limit() -> int:
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return soft if soft != resource.RLIM_INFINITY else 2**31


def _open_files() -> int:
    """Return the lowest free file descriptor, a lower bound of the number of open files."""
    try:
        number = os.open(os.devnull, os.O_RDONLY)
    except OSError:
        return _file_limit()
    os.close(number)
    return number
