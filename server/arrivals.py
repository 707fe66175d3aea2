"""Uploads go to the spool while they arrive; Streamlit gets an empty note for each, and its page the place.

Streamlit's uploader hands a page bytes, which its server holds in memory. Here the form is taken apart as it comes, in
its own thread, and its file goes to the disk. What Streamlit is sent in its place is ours, whatever came; where
the file lies stands nowhere but in this process, by the visit and the number that the upload's address named. It goes
when the browser takes it back, and when its visit has ended.
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
from data.importing.spool import Arriving, Spool
from data.settings import Settings
from server.static_files import machinery, upload_of
from server.upload_limits import Refused, is_note, with_note

ARRIVED = "text/x-raterscope-arrived"
"""The type of the note in place of a file that lies in the spool."""
PIECE = 1 << 20
"""Bytes that are taken apart and written at once."""
_KEPT = 150.0
"""Seconds for which a visit's uploads outlast it: Streamlit keeps it for two minutes, for a page that comes back."""
_log = logging.getLogger("raterscope.uploads")


@dataclass(frozen=True)
class Arrival:
    """An upload in the spool, under the name that its sender gave it."""

    path: Path
    name: str
    size: int


class Arrivals:
    """Places of the uploads of open visits, in this process's memory only."""

    def __init__(self) -> None:
        self._lie: dict[str, dict[str, Arrival]] = {}
        self._taken: set[Path] = set()
        self._seen: dict[str, float] = {}

    def add(self, visit: str, file: str, arrival: Arrival) -> Arrival | None:
        """Notes an upload; returns the one whose place it takes."""
        self._seen[visit] = monotonic()
        before = self._lie.get(visit, {})
        still = {name: each for name, each in before.items() if name != file and each.path.exists()}
        self._taken.difference_update(each.path for each in before.values() if each not in still.values())
        self._lie[visit] = still | {file: arrival}
        return before.get(file)

    def take(self, visit: str, file: str) -> Arrival | None:
        """An upload for the page of its visit, which discards it from now on."""
        arrival = self._lie.get(visit, {}).get(file)
        if arrival is not None:
            self._taken.add(arrival.path)
        return arrival

    def take_back(self, visit: str, file: str) -> Arrival | None:
        """An upload that no page took yet, to be discarded."""
        arrival = self._lie.get(visit, {}).get(file)
        if arrival is None or arrival.path in self._taken:
            return None
        return self._lie[visit].pop(file)

    def held(self, visit: str) -> int:
        """Bytes of a visit's uploads that still lie in the spool."""
        return sum(arrival.size for arrival in self._lie.get(visit, {}).values() if arrival.path.exists())

    def of_ended_visits(self, is_open: Callable[[str], bool]) -> list[Arrival]:
        """The uploads of visits that ended a while ago; they are forgotten here."""
        now = monotonic()
        for visit in self._lie:
            if is_open(visit):
                self._seen[visit] = now
        ended = [visit for visit in self._lie if self._seen[visit] < now - _KEPT]
        gone = [arrival for visit in ended for arrival in self._lie.pop(visit).values()]
        for visit in ended:
            del self._seen[visit]
        self._taken.difference_update(arrival.path for arrival in gone)
        return gone


arrivals = Arrivals()
"""Those of this server process."""


class ToTheSpool:
    """ASGI middleware around Streamlit's upload address, inside the limits on uploads."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self.app = app
        self._spool = Spool(settings)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        uploads = scope["type"] == "http" and machinery(scope["path"]) == "upload_file"
        if uploads and scope["method"] == "DELETE":
            await self._taken_back(scope, receive, send)
        elif uploads and scope["method"] == "PUT" and not is_note(scope):
            try:
                await self._arrive(scope, receive, send)
            except FormParserError:
                await PlainTextResponse("This is no form with one file.", 400)(scope, receive, send)
            except DataError as error:
                if error.instead:
                    _log.error("an upload cannot be kept", extra={"fields": {"reason": str(error)}})
                status = 413 if isinstance(error, OverLimit) else 503
                raise Refused(status, _sentence(error.for_visitors())) from error
        else:
            await self.app(scope, receive, send)

    async def _arrive(self, scope: Scope, receive: Receive, send: Send) -> None:
        form = _Form(scope, self._spool)
        accepted = False

        async def send_noting(message: Message) -> None:
            nonlocal accepted
            accepted = accepted or message.get("status", 500) < 300
            await send(message)

        visit, file = upload_of(scope["path"])
        try:
            async for piece in _pieces(receive):
                await asyncio.to_thread(form.write, piece)
            arrival = await asyncio.to_thread(form.whole)
        except ClientDisconnect:
            return
        finally:
            await asyncio.to_thread(form.give_up)
        replaced = arrivals.add(visit, file, arrival)
        if replaced is not None:
            await asyncio.to_thread(self._spool.discard, replaced.path)
        note, receive_note = with_note(scope, ARRIVED)
        await self.app(note, receive_note, send_noting)
        if not accepted:
            await self._discard(visit, file)

    async def _taken_back(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._discard(*upload_of(scope["path"]))
        await self.app(scope, receive, send)

    async def _discard(self, visit: str, file: str) -> None:
        arrival = arrivals.take_back(visit, file)
        if arrival is not None:
            await asyncio.to_thread(self._spool.discard, arrival.path)


async def _pieces(receive: Receive) -> AsyncIterator[bytes]:
    held = bytearray()
    more = True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        held += message.get("body", b"")
        more = message.get("more_body", False)
        if len(held) >= PIECE or not more:
            yield bytes(held)
            held.clear()


class _Form:
    """Takes the one file out of a form while it comes."""

    def __init__(self, scope: Scope, spool: Spool) -> None:
        kind, options = parse_options_header(Headers(scope=scope).get("content-type"))
        if kind != b"multipart/form-data" or not options.get(b"boundary"):
            raise FormParserError("no form")
        self._spool = spool
        self._parser = MultipartParser(
            options[b"boundary"],
            {
                "on_part_begin": self._part_begins,
                "on_header_field": self._header_name,
                "on_header_value": self._header_value,
                "on_header_end": self._header_ends,
                "on_headers_finished": self._content_begins,
                "on_part_data": self._content,
                "on_end": self._ends,
            },
        )
        self._file: Arriving | None = None
        self._name = ""
        self._size = 0
        self._ended = False

    def write(self, piece: bytes) -> None:
        self._parser.write(piece)

    def whole(self) -> Arrival:
        if not self._ended or self._file is None:
            raise FormParserError("no file, or not the whole of it")
        arrival = Arrival(self._file.whole(), self._name, self._size)
        self._file = None
        return arrival

    def give_up(self) -> None:
        """Removes what has come, unless it is whole."""
        if self._file is not None:
            self._file.give_up()

    def _part_begins(self) -> None:
        self._header: tuple[bytes, bytes] = b"", b""
        self._disposition = b""
        self._is_file = False

    def _header_name(self, data: bytes, start: int, end: int) -> None:
        self._header = self._header[0] + data[start:end], b""

    def _header_value(self, data: bytes, start: int, end: int) -> None:
        self._header = self._header[0], self._header[1] + data[start:end]

    def _header_ends(self) -> None:
        if self._header[0].lower() == b"content-disposition":
            self._disposition = self._header[1]
        self._header = b"", b""

    def _content_begins(self) -> None:
        _, options = parse_options_header(self._disposition)
        if b"filename" not in options:
            return
        if self._file is not None:
            raise FormParserError("two files")
        self._is_file = True
        self._name = options[b"filename"].decode("utf-8", "replace")
        self._file = self._spool.arriving(self._name)

    def _content(self, data: bytes, start: int, end: int) -> None:
        if self._is_file and self._file is not None:
            self._size += end - start
            self._file.write(data[start:end])

    def _ends(self) -> None:
        self._ended = True


def _sentence(told: str) -> str:
    return told[:1].upper() + told[1:] + ("" if told.endswith(".") else ".")
