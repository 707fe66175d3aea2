"""Write uploads to the spool while they arrive; Streamlit gets an empty note for each, and its page the path.

Streamlit passes bytes of an upload to a page and keeps them in memory. Here the form is parsed as it arrives, in a
separate thread, and its file is written to disk. Streamlit receives an empty note instead. The path of the file is
known only to this process, by the visit and the number in the address of the upload. The file is deleted when the
browser removes it from the uploader, and when its visit has ended.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from data.errors import DataError, OverLimit
from data.importing.spool import IncomingUpload, Spool
from data.settings import Settings
from server.static_files import parse_upload_path, streamlit_endpoint
from server.upload_limits import UploadRefused, is_note, replace_with_note

ARRIVED = "text/x-raterscope-arrived"
"""Content type of the note that replaces a file in the spool."""
CHUNK_SIZE = 1 << 20
"""Bytes that are parsed and written at a time."""
_KEEP_SECONDS = 150.0
"""Seconds for which uploads are kept after their visit: Streamlit keeps a visit for two minutes for a reconnect."""
_log = logging.getLogger("raterscope.uploads")


@dataclass(frozen=True)
class Arrival:
    """An upload in the spool, under the name that its sender gave it."""

    path: Path
    name: str
    size: int


class Arrivals:
    """Paths of the uploads of open visits, in this process's memory only."""

    def __init__(self) -> None:
        self._arrivals: dict[str, dict[str, Arrival]] = {}
        self._taken: set[Path] = set()
        self._last_open: dict[str, float] = {}

    def add(self, visit: str, file: str, arrival: Arrival) -> Arrival | None:
        """Record an upload; return the one that it replaces."""
        self._last_open[visit] = monotonic()
        before = self._arrivals.get(visit, {})
        still = {name: each for name, each in before.items() if name != file and each.path.exists()}
        self._taken.difference_update(each.path for each in before.values() if each not in still.values())
        self._arrivals[visit] = still | {file: arrival}
        return before.get(file)

    def take(self, visit: str, file: str) -> Arrival | None:
        """Return an upload to the page of its visit, which is responsible for discarding it from now on."""
        arrival = self._arrivals.get(visit, {}).get(file)
        if arrival is not None:
            self._taken.add(arrival.path)
        return arrival

    def withdraw(self, visit: str, file: str) -> Arrival | None:
        """Remove and return an upload that no page has taken yet."""
        arrival = self._arrivals.get(visit, {}).get(file)
        if arrival is None or arrival.path in self._taken:
            return None
        return self._arrivals[visit].pop(file)

    def stored_bytes(self, visit: str) -> int:
        """Return the bytes of a visit's uploads that are still in the spool."""
        return sum(
            arrival.size for arrival in self._arrivals.get(visit, {}).values() if arrival.path.exists()
        )

    def remove_ended(self, is_open: Callable[[str], bool]) -> list[Arrival]:
        """Remove and return the uploads of visits that ended some time ago."""
        now = monotonic()
        for visit in self._arrivals:
            if is_open(visit):
                self._last_open[visit] = now
        ended = [visit for visit in self._arrivals if self._last_open[visit] < now - _KEEP_SECONDS]
        ended_uploads = [arrival for visit in ended for arrival in self._arrivals.pop(visit).values()]
        for visit in ended:
            del self._last_open[visit]
        self._taken.difference_update(arrival.path for arrival in ended_uploads)
        return ended_uploads


arrivals = Arrivals()
"""The uploads of this server process."""


class UploadSpooler:
    """ASGI middleware around Streamlit's upload address, inside the limits on uploads."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self.app = app
        self._spool = Spool(settings)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        uploads = scope["type"] == "http" and streamlit_endpoint(scope["path"]) == "upload_file"
        if uploads and scope["method"] == "DELETE":
            await self._withdraw(scope, receive, send)
        elif uploads and scope["method"] == "PUT" and not is_note(scope):
            try:
                await self._arrive(scope, receive, send)
            except FormParserError:
                await PlainTextResponse("This is no form with one file.", 400)(scope, receive, send)
            except DataError as error:
                if error.instead:
                    _log.error("an upload cannot be kept", extra={"fields": {"reason": str(error)}})
                status = 413 if isinstance(error, OverLimit) else 503
                raise UploadRefused(status, _as_sentence(error.visitor_message())) from error
        else:
            await self.app(scope, receive, send)

    async def _arrive(self, scope: Scope, receive: Receive, send: Send) -> None:
        form = _Form(scope, self._spool)
        accepted = False

        async def send_noting(message: Message) -> None:
            nonlocal accepted
            accepted = accepted or message.get("status", 500) < 300
            await send(message)

        visit, file = parse_upload_path(scope["path"])
        try:
            async for chunk in _chunks(receive):
                await asyncio.to_thread(form.write, chunk)
            arrival = await asyncio.to_thread(form.finish)
        except ClientDisconnect:
            return
        finally:
            await asyncio.to_thread(form.abort)
        replaced = arrivals.add(visit, file, arrival)
        if replaced is not None:
            await asyncio.to_thread(self._spool.discard, replaced.path)
        note, receive_note = replace_with_note(scope, ARRIVED)
        await self.app(note, receive_note, send_noting)
        if not accepted:
            await self._discard_upload(visit, file)

    async def _withdraw(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._discard_upload(*parse_upload_path(scope["path"]))
        await self.app(scope, receive, send)

    async def _discard_upload(self, visit: str, file: str) -> None:
        arrival = arrivals.withdraw(visit, file)
        if arrival is not None:
            await asyncio.to_thread(self._spool.discard, arrival.path)


async def _chunks(receive: Receive) -> AsyncIterator[bytes]:
    stored_bytes = bytearray()
    has_more = True
    while has_more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        stored_bytes += message.get("body", b"")
        has_more = message.get("more_body", False)
        if len(stored_bytes) >= CHUNK_SIZE or not has_more:
            yield bytes(stored_bytes)
            stored_bytes.clear()


class _Form:
    """Parser that extracts the one file of a form while it arrives."""

    def __init__(self, scope: Scope, spool: Spool) -> None:
        kind, options = parse_options_header(Headers(scope=scope).get("content-type"))
        if kind != b"multipart/form-data" or not options.get(b"boundary"):
            raise FormParserError("no form")
        self._spool = spool
        self._parser = MultipartParser(
            options[b"boundary"],
            {
                "on_part_begin": self._begin_part,
                "on_header_field": self._add_header_name,
                "on_header_value": self._add_header_value,
                "on_header_end": self._end_header,
                "on_headers_finished": self._begin_content,
                "on_part_data": self._add_content,
                "on_end": self._end_form,
            },
        )
        self._file: IncomingUpload | None = None
        self._name = ""
        self._size = 0
        self._ended = False

    def write(self, chunk: bytes) -> None:
        self._parser.write(chunk)

    def finish(self) -> Arrival:
        if not self._ended or self._file is None:
            raise FormParserError("no file, or not the whole of it")
        arrival = Arrival(self._file.finish(), self._name, self._size)
        self._file = None
        return arrival

    def abort(self) -> None:
        """Remove an incomplete upload."""
        if self._file is not None:
            self._file.abort()

    def _begin_part(self) -> None:
        self._header: tuple[bytes, bytes] = b"", b""
        self._disposition = b""
        self._is_file = False

    def _add_header_name(self, data: bytes, start: int, end: int) -> None:
        self._header = self._header[0] + data[start:end], b""

    def _add_header_value(self, data: bytes, start: int, end: int) -> None:
        self._header = self._header[0], self._header[1] + data[start:end]

    def _end_header(self) -> None:
        if self._header[0].lower() == b"content-disposition":
            self._disposition = self._header[1]
        self._header = b"", b""

    def _begin_content(self) -> None:
        _, options = parse_options_header(self._disposition)
        if b"filename" not in options:
            return
        if self._file is not None:
            raise FormParserError("two files")
        self._is_file = True
        self._name = options[b"filename"].decode("utf-8", "replace")
        self._file = self._spool.begin_upload(self._name)

    def _add_content(self, data: bytes, start: int, end: int) -> None:
        if self._is_file and self._file is not None:
            self._size += end - start
            self._file.write(data[start:end])

    def _end_form(self) -> None:
        self._ended = True


def _as_sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + ("" if text.endswith(".") else ".")
