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
from dataclasses import dataclass

from google.protobuf.message import DecodeError  # type: ignore[import-untyped]
from starlette.types import Message, Receive
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from server.page_base import media

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
