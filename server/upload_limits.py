"""Limits on uploads, enforced while they arrive.

Streamlit checks only the size; it waits for a slow sender without end, accepts any number at once, and keeps the files
of a visit until the visit ends. Here an upload must belong to an open visit, be small enough, keep arriving, and fit
with the files that its visit already has in the spool. An upload ends with its visit.

Before a refusal is sent, the rest of the body is read and discarded for a while: a browser that is cut off while it
sends shows a broken connection, not the answer. Streamlit's uploader shows the status of a refusal, never its text. So
once the whole body has arrived, Streamlit gets a note instead of the file, marked by its content type, and the page
shows its text. The number of notes per visit is limited, since they stay in memory until the visit ends.
"""

import asyncio
import logging
from collections import OrderedDict, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from time import monotonic
from typing import Protocol

from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from data.settings import Settings, shown, variable_of
from server.static_files import parse_upload_path, streamlit_endpoint

FORM_OVERHEAD = 4096
"""Bytes that the form around a file may add to its size."""
SILENCE_TIMEOUT = 30.0
"""Seconds without a byte after which an upload is refused."""
DRAIN_SECONDS = 10.0
"""Seconds for which the rest of a refused upload is read and discarded."""
WAIT_TIMEOUT, _POLL_INTERVAL = 30.0, 0.05
"""Seconds for which an upload waits while the maximum number arrives, and between checks: over HTTP/2 a browser sends
all files that were chosen together at the same time."""
_MAX_WAITING = 200
NOTE = "text/x-raterscope-refusal"
"""Content type of the note that replaces a refused file; its text, in UTF-8, is the reason."""
MAX_NOTES = 20
"""The most notes for one visit within an hour; further refusals have no note."""
_HOUR = 3600.0
_MAX_VISITS = 10_000
_BOUNDARY = "raterscope-note"
_NOTED = "raterscope.note"
_log = logging.getLogger("raterscope.uploads")


class Visitors(Protocol):
    """State of Streamlit's visits that the limits need."""

    def is_open(self, visit: str) -> bool: ...

    def stored_bytes(self, visit: str) -> int:
        """Return the bytes of this visit's uploads in the spool."""
        ...


@dataclass
class UploadRefused(Exception):
    """Refusal of an upload, with the message for its page, or for its sender if no page is open."""

    status: int
    message: str
    headers: dict[str, str] = field(default_factory=dict)
    read_on: bool = True


class _HourlyCounts:
    """Number of events of each visit within the last hour; the least recent visits are forgotten first."""

    def __init__(self) -> None:
        self._times: OrderedDict[str, deque[float]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._times)

    def count(self, visit: str) -> int:
        times = self._times.get(visit, deque())
        while times and times[0] < monotonic() - _HOUR:
            times.popleft()
        return len(times)

    def add(self, visit: str) -> None:
        self._times.setdefault(visit, deque()).append(monotonic())
        self._times.move_to_end(visit)
        if len(self._times) > _MAX_VISITS:
            self._times.popitem(last=False)


class UploadLimits:
    """ASGI middleware around Streamlit's upload address: refuse with 408, 413, 429 or 503 and a message."""

    def __init__(self, app: ASGIApp, settings: Settings, visitors: Visitors) -> None:
        self.app = app
        self._settings = settings
        self._visitors = visitors
        self._arriving: dict[object, tuple[str, int]] = {}
        self._waiting = 0
        self._uploads_begun = _HourlyCounts()
        self._notes_sent = _HourlyCounts()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if (
            scope["type"] != "http"
            or scope["method"] != "PUT"
            or streamlit_endpoint(scope["path"]) != "upload_file"
        ):
            await self.app(scope, receive, send)
            return
        answered = complete = False

        async def receive_noting() -> Message:
            nonlocal complete
            message = await receive()
            complete = message["type"] == "http.request" and not message.get("more_body", False)
            return message

        async def send_noting(message: Message) -> None:
            nonlocal answered
            answered = True
            await send(message)

        visit = parse_upload_path(scope["path"])[0]
        try:
            size = self._declared_size(scope)
            await self._wait_for_slot(visit)
            self._check(visit, size)
            async with self._register(visit, size):
                await self.app(scope, self._bound_receive(visit, receive_noting), send_noting)
        except UploadRefused as refused:
            is_complete = complete or (refused.read_on and await _drain(receive))
            if answered:
                return
            if is_complete and self._visitors.is_open(visit) and self._notes_sent.count(visit) < MAX_NOTES:
                self._notes_sent.add(visit)
                _log.info("upload refused", extra={"fields": {"status": refused.status}})
                await self.app(*replace_with_note(scope, NOTE, refused.message), send)
                return
            headers = refused.headers | {"connection": "close"}
            await PlainTextResponse(refused.message, refused.status, headers)(scope, receive, send)

    def _declared_size(self, scope: Scope) -> int:
        """Return the size that the request declares, or the largest allowed size if it declares none."""
        declared = Request(scope).headers.get("content-length", "")
        if not declared:
            return self._settings.upload_size
        if not (declared.isascii() and declared.isdigit()):
            raise UploadRefused(400, "The length of this upload is not a number.", read_on=False)
        if int(declared) > self._settings.upload_size + FORM_OVERHEAD:
            raise self._too_large()
        return int(declared)

    async def _wait_for_slot(self, visit: str) -> None:
        """Wait until fewer uploads than allowed arrive, at most `WAIT_TIMEOUT` seconds."""
        if self._waiting >= _MAX_WAITING:
            return
        self._waiting += 1
        deadline = monotonic() + WAIT_TIMEOUT
        try:
            while (
                len(self._arriving) >= self._settings.uploads_at_once
                and self._visitors.is_open(visit)
                and monotonic() < deadline
            ):
                await asyncio.sleep(_POLL_INTERVAL)
        finally:
            self._waiting -= 1

    def _check(self, visit: str, size: int) -> None:
        settings = self._settings
        if not self._visitors.is_open(visit):
            raise UploadRefused(400, "This page is no longer open on the server. Reload it and try again.")
        if len(self._arriving) >= settings.uploads_at_once:
            raise UploadRefused(
                503,
                f"{shown('uploads_at_once', settings.uploads_at_once)} uploads arrive at the moment, the most that "
                "this server takes. Try again in a minute.",
                {"retry-after": "60"},
            )
        if self._uploads_begun.count(visit) >= settings.uploads_per_hour:
            raise UploadRefused(
                429,
                "This visit has used up its uploads of an hour, of which there are "
                f"{shown('uploads_per_hour', settings.uploads_per_hour)}. Try again later.",
                {"retry-after": "3600"},
            )
        arriving = sum(bytes_ for of, bytes_ in self._arriving.values() if of == visit)
        if self._visitors.stored_bytes(visit) + arriving + size > 2 * (settings.upload_size + FORM_OVERHEAD):
            raise UploadRefused(
                413,
                f"This visit's uploads fill the room for two files of {shown('upload_size', settings.upload_size)} "
                f"({variable_of('upload_size')}). Save or discard one, or reload the page.",
            )

    @asynccontextmanager
    async def _register(self, visit: str, size: int) -> AsyncIterator[None]:
        self._uploads_begun.add(visit)
        upload = object()
        self._arriving[upload] = visit, size
        try:
            yield
        finally:
            del self._arriving[upload]

    def _bound_receive(self, visit: str, receive: Receive) -> Receive:
        arrived = 0
        last = monotonic() + 60 * self._settings.upload_minutes

        async def receive_bounded() -> Message:
            nonlocal arrived
            remaining = last - monotonic()
            try:
                async with asyncio.timeout(max(0.0, min(SILENCE_TIMEOUT, remaining))):
                    message = await receive()
            except TimeoutError:
                raise self._too_slow(out_of_time=remaining < SILENCE_TIMEOUT) from None
            arrived += len(message.get("body", b""))
            if arrived > self._settings.upload_size + FORM_OVERHEAD:
                raise self._too_large()
            if not self._visitors.is_open(visit):
                raise UploadRefused(400, "The page that sent this upload was closed.", read_on=False)
            return message

        return receive_bounded

    def _too_large(self) -> UploadRefused:
        return UploadRefused(
            413,
            f"The file is larger than {shown('upload_size', self._settings.upload_size)}, the most that "
            f"{variable_of('upload_size')} allows.",
        )

    def _too_slow(self, out_of_time: bool) -> UploadRefused:
        if out_of_time:
            message = (
                f"The upload took longer than {shown('upload_minutes', self._settings.upload_minutes)} minutes, the "
                "most that is allowed."
            )
        else:
            message = (
                f"Nothing arrived for {SILENCE_TIMEOUT:g} seconds, so the upload was given up. Try again."
            )
        return UploadRefused(408, message, read_on=False)


async def _drain(receive: Receive) -> bool:
    """Read and discard the rest of a body; return True if its end was reached."""
    with suppress(TimeoutError):
        async with asyncio.timeout(DRAIN_SECONDS):
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    return False
                if not message.get("more_body", False):
                    return True
    return False


def replace_with_note(scope: Scope, kind: str, text: str = "") -> tuple[Scope, Receive]:
    """Return the request with a note of this content type instead of its file."""
    body = (
        f'--{_BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="note"\r\n'
        f"Content-Type: {kind}\r\n\r\n{text}\r\n--{_BOUNDARY}--\r\n"
    ).encode()
    about_the_body = (b"content-type", b"content-length", b"transfer-encoding")
    headers = [(name, value) for name, value in scope["headers"] if name.lower() not in about_the_body]
    headers += [
        (b"content-type", f"multipart/form-data; boundary={_BOUNDARY}".encode()),
        (b"content-length", str(len(body)).encode()),
    ]
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> Message:
        return messages.pop() if messages else {"type": "http.disconnect"}

    return {**scope, "headers": headers, _NOTED: True}, receive


def is_note(scope: Scope) -> bool:
    """Return True if this upload is a note of ours instead of a file."""
    return _NOTED in scope
