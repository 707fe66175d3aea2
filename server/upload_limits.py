"""Limits on uploads, held while they arrive.

Streamlit checks the size only; it waits for a slow sender without end, takes any number at once, and keeps what a
visit sent until the visit ends. Here an upload must belong to an open visit, be small enough, keep arriving, and find
room beside what its visit has in the spool already. A visit that ends while its upload arrives ends the upload too.

A refusal that comes before the body has arrived first reads on for a while and throws away what comes: browsers that
are cut off in the middle of sending show a broken connection, not the answer. And Streamlit's uploader shows the
number of a refusal, never its words. So once the whole body has come, Streamlit gets a note in place of the file, whose
type says so, and the page shows it. A visit gets only so many notes, since they stay in memory until it ends.
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
from server.static_files import machinery, upload_of

FRAMING = 4096
"""Bytes that the form around a file may add."""
SILENCE = 30.0
"""Seconds without a byte after which an upload is given up."""
READ_ON = 10.0
"""Seconds for which the rest of a refused upload is read and thrown away."""
PATIENCE, _LOOK = 30.0, 0.05
"""Seconds for which an upload waits for its place where as many arrive as may, and between looks for one: over HTTP/2 a
browser sends all files that were chosen together at the same time."""
_MOST_WAITING = 200
NOTE = "text/x-raterscope-refusal"
"""The type of the note in place of a refused file; its text, in UTF-8, says why."""
NOTES = 20
"""The most notes for one visit within an hour; after them the refusal is all."""
_HOUR = 3600.0
_MOST_VISITS = 10_000
_BOUNDARY = "raterscope-note"
_NOTED = "raterscope.note"
_log = logging.getLogger("raterscope.uploads")


class Visitors(Protocol):
    """The part of Streamlit's visits that the limits need to know."""

    def is_open(self, visit: str) -> bool: ...

    def held(self, visit: str) -> int:
        """Bytes of this visit's uploads that lie in the spool."""
        ...


@dataclass
class Refused(Exception):
    """An upload that is not taken: what its page is told, or its sender where no page can be."""

    status: int
    told: str
    headers: dict[str, str] = field(default_factory=dict)
    read_on: bool = True


class _LastHour:
    """Count of what each visit did within the last hour; the visits longest ago are forgotten first."""

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
        if len(self._times) > _MOST_VISITS:
            self._times.popitem(last=False)


class UploadLimits:
    """ASGI middleware around Streamlit's upload address: 408, 413, 429 or 503 in plain words."""

    def __init__(self, app: ASGIApp, settings: Settings, visitors: Visitors) -> None:
        self.app = app
        self._settings = settings
        self._visitors = visitors
        self._arriving: dict[object, tuple[str, int]] = {}
        self._waiting = 0
        self._begun = _LastHour()
        self._told = _LastHour()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "PUT" or machinery(scope["path"]) != "upload_file":
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

        visit = upload_of(scope["path"])[0]
        try:
            size = self._declared_size(scope)
            await self._place(visit)
            self._check(visit, size)
            async with self._counted(visit, size):
                await self.app(scope, self._bounded(visit, receive_noting), send_noting)
        except Refused as refused:
            whole = complete or (refused.read_on and await _throw_away(receive))
            if answered:
                return
            if whole and self._visitors.is_open(visit) and self._told.count(visit) < NOTES:
                self._told.add(visit)
                _log.info("upload refused", extra={"fields": {"status": refused.status}})
                await self.app(*with_note(scope, NOTE, refused.told), send)
                return
            headers = refused.headers | {"connection": "close"}
            await PlainTextResponse(refused.told, refused.status, headers)(scope, receive, send)

    def _declared_size(self, scope: Scope) -> int:
        """Return the size that the request announces; where it announces none, the most that it may send."""
        declared = Request(scope).headers.get("content-length", "")
        if not declared:
            return self._settings.upload_size
        if not (declared.isascii() and declared.isdigit()):
            raise Refused(400, "The length of this upload is not a number.", read_on=False)
        if int(declared) > self._settings.upload_size + FRAMING:
            raise self._too_large()
        return int(declared)

    async def _place(self, visit: str) -> None:
        """Waits until one upload fewer arrives than may, if that comes to be."""
        if self._waiting >= _MOST_WAITING:
            return
        self._waiting += 1
        given_up = monotonic() + PATIENCE
        try:
            while (
                len(self._arriving) >= self._settings.uploads_at_once
                and self._visitors.is_open(visit)
                and monotonic() < given_up
            ):
                await asyncio.sleep(_LOOK)
        finally:
            self._waiting -= 1

    def _check(self, visit: str, size: int) -> None:
        settings = self._settings
        if not self._visitors.is_open(visit):
            raise Refused(400, "This page is no longer open on the server. Reload it and try again.")
        if len(self._arriving) >= settings.uploads_at_once:
            raise Refused(
                503,
                f"{shown('uploads_at_once', settings.uploads_at_once)} uploads arrive at the moment, the most that "
                "this server takes. Try again in a minute.",
                {"retry-after": "60"},
            )
        if self._begun.count(visit) >= settings.uploads_per_hour:
            raise Refused(
                429,
                "This visit has used up its uploads of an hour, of which there are "
                f"{shown('uploads_per_hour', settings.uploads_per_hour)}. Try again later.",
                {"retry-after": "3600"},
            )
        arriving = sum(bytes_ for of, bytes_ in self._arriving.values() if of == visit)
        if self._visitors.held(visit) + arriving + size > 2 * (settings.upload_size + FRAMING):
            raise Refused(
                413,
                f"This visit's uploads fill the room for two files of {shown('upload_size', settings.upload_size)} "
                f"({variable_of('upload_size')}). Save or discard one, or reload the page.",
            )

    @asynccontextmanager
    async def _counted(self, visit: str, size: int) -> AsyncIterator[None]:
        self._begun.add(visit)
        upload = object()
        self._arriving[upload] = visit, size
        try:
            yield
        finally:
            del self._arriving[upload]

    def _bounded(self, visit: str, receive: Receive) -> Receive:
        arrived = 0
        last = monotonic() + 60 * self._settings.upload_minutes

        async def receive_bounded() -> Message:
            nonlocal arrived
            left = last - monotonic()
            try:
                async with asyncio.timeout(max(0.0, min(SILENCE, left))):
                    message = await receive()
            except TimeoutError:
                raise self._too_slow(out_of_time=left < SILENCE) from None
            arrived += len(message.get("body", b""))
            if arrived > self._settings.upload_size + FRAMING:
                raise self._too_large()
            if not self._visitors.is_open(visit):
                raise Refused(400, "The page that sent this upload was closed.", read_on=False)
            return message

        return receive_bounded

    def _too_large(self) -> Refused:
        return Refused(
            413,
            f"The file is larger than {shown('upload_size', self._settings.upload_size)}, the most that "
            f"{variable_of('upload_size')} allows.",
        )

    def _too_slow(self, out_of_time: bool) -> Refused:
        if out_of_time:
            told = (
                f"The upload took longer than {shown('upload_minutes', self._settings.upload_minutes)} minutes, the "
                "most that is allowed."
            )
        else:
            told = f"Nothing arrived for {SILENCE:g} seconds, so the upload was given up. Try again."
        return Refused(408, told, read_on=False)


async def _throw_away(receive: Receive) -> bool:
    """Read and discard the rest, and return whether it came to its end."""
    with suppress(TimeoutError):
        async with asyncio.timeout(READ_ON):
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    return False
                if not message.get("more_body", False):
                    return True
    return False


def with_note(scope: Scope, kind: str, told: str = "") -> tuple[Scope, Receive]:
    """The same request with a note of this kind for its file."""
    body = (
        f'--{_BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="note"\r\n'
        f"Content-Type: {kind}\r\n\r\n{told}\r\n--{_BOUNDARY}--\r\n"
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
    """Return True where this upload is a note of ours instead of a file."""
    return _NOTED in scope
