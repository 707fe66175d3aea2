"""Checks that a websocket, an upload and a download must pass before Streamlit sees them.

- A page's websocket and uploads come from this server's own address: the origin that the browser names must be the
  host that it asked, port included, or the one that `RATERSCOPE_ADDRESS` names. Streamlit would let any page of
  `localhost` in, and look for its own address outside this machine to compare others.
- A visit belongs to its browser: reconnecting to it, uploading into it and deleting its uploads need the workspace
  cookie with which it began.
- Only messages that the pages send are passed to Streamlit. Others could clear the cache of every visitor.
- Messages that come faster than people send them wait, and the runs of all visits take turns (`server.run_queue`).
- A file made for a download is sent only to the browser of the visit that requested it. Without a cookie, as in a frame
  on another site, there are no downloads.
"""

import asyncio
import logging
import secrets
from collections.abc import Iterable, Sequence
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from data.settings import Settings, shown, variable_of
from server import run_queue
from server.run_queue import Inbox, RateLimit, RunQueue, VisitRuns
from server.static_files import is_page_request, media_id, parse_upload_path, streamlit_endpoint
from server.workspace_cookie import Owners, cookie_name, is_workspace

MAX_MESSAGE_BYTES = 2 * 10**6
"""Bytes above which Streamlit refuses a message (`server.maxWidgetStateSize`)."""
_MAX_ANSWER_BYTES = 100_000
"""Upper bound of the bytes of an answer about a visit or a download; figures and tables are larger."""
CLOSE_INTERVAL = 1.0
"""Seconds between closing two connections that fell behind: the messages that each has sent by then are still read,
which takes a moment."""
NOT_YOURS = "This page is no longer open on the server, or it is another browser's. Reload it and try again."
NO_FILE = (
    "There is no such file for this browser. Downloads need the cookie of the page that made them; in a frame on "
    "another site no cookie comes, so open the page in a separate window."
)
NO_COOKIE = (
    "Downloads need this site's cookie, and your browser sent none. In a frame on another site none comes: open the "
    "page in a separate window."
)
_log = logging.getLogger("raterscope.sessions")


@dataclass
class DownloadRequest:
    """Request of a browser for a download: its visit, and the sentence with which the page refuses it."""

    visit: str
    refusal: str = ""


_current: ContextVar[DownloadRequest | None] = ContextVar("asked", default=None)


def current_download() -> DownloadRequest | None:
    """Return the request for which a file is being made in this context."""
    return _current.get()


class SessionGuard:
    """ASGI middleware before Streamlit's websocket, uploads and files."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self.app = app
        self._settings = settings
        self._cookie = cookie_name(settings.https)
        self._owners = Owners()
        self._runs = RunQueue()
        self._closing = asyncio.Lock()
        self._browser_limit = RateLimit(run_queue.RATE, run_queue.BURST)
        self._address_limit = RateLimit(run_queue.ADDRESS_RATE, run_queue.ADDRESS_BURST)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await self._websocket(scope, receive, send)
        elif scope["type"] != "http":
            await self.app(scope, receive, send)
        elif (refusal := self._refusal(scope)) is not None:
            await refusal(scope, receive, send)
        else:
            await self.app(_replace_headers(scope, removed={b"origin"}), receive, send)

    def _refusal(self, scope: Scope) -> PlainTextResponse | None:
        path, file = scope["path"], media_id(scope["path"])
        if streamlit_endpoint(path) == "upload_file" and scope["method"] in ("PUT", "DELETE"):
            is_owner = self._is_same_origin(scope) and self._owners.owns(
                self._workspace(scope), parse_upload_path(path)[0]
            )
            return None if is_owner else PlainTextResponse(NOT_YOURS, 403, {"connection": "close"})
        if file is not None:
            owns_file = self._owners.owns_file(self._workspace(scope), file)
            return None if owns_file else PlainTextResponse(NO_FILE, 404)
        if is_page_request(scope) and run_queue.is_full(self._settings.pages):
            return PlainTextResponse(self._full_message(), 503, {"retry-after": "60"})
        return None

    async def _websocket(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not self._is_same_origin(scope):
            await send({"type": "websocket.close", "code": 1008})
            return
        if run_queue.is_full(self._settings.pages):
            await _refuse_websocket(scope, send, self._full_message())
            return
        workspace = self._workspace(scope)
        limits = [(self._browser_limit, workspace or secrets.token_hex(16))]
        if client := scope.get("client"):
            limits.append((self._address_limit, client[0]))
        visit = _Visit(self._owners, workspace, Inbox(receive), send, VisitRuns(self._runs), limits)
        filling = asyncio.create_task(visit.fill_inbox())
        try:
            await self.app(self._rewrite_handshake(scope, visit), visit.receive, visit.send)
        finally:
            filling.cancel()
            visit.end()
        if visit.fell_behind:
            await self._close(send)

    async def _close(self, send: Send) -> None:
        """Close a connection that fell behind, one after the other."""
        async with self._closing:
            _log.warning("a connection was closed that sent too many messages")
            with suppress(OSError):  # the page may have left
                await send({"type": "websocket.close", "code": 1008})
            await asyncio.sleep(CLOSE_INTERVAL)

    def _rewrite_handshake(self, scope: Scope, visit: "_Visit") -> Scope:
        """Return the handshake with a host that Streamlit accepts, and without a visit of another browser."""
        asked_for = [
            part.strip() for part in Headers(scope=scope).get("sec-websocket-protocol", "").split(",")
        ]
        if len(asked_for) > 2 and not self._owners.owns(visit.workspace, asked_for[2]):
            asked_for = asked_for[:2]
        host = Headers(scope=scope)["origin"].split("://", 1)[1]
        changed = _replace_headers(
            scope,
            removed={b"host", b"sec-websocket-protocol"},
            added=[(b"host", host.encode("latin-1"))]
            + [(b"sec-websocket-protocol", ", ".join(asked_for).encode("latin-1"))] * any(asked_for),
        )
        return {**changed, "subprotocols": [part for part in asked_for if part]}

    def _is_same_origin(self, scope: Scope) -> bool:
        """Return True if the request comes from a page at this server's own address."""
        headers = Headers(scope=scope)
        origins, hosts = headers.getlist("origin"), headers.getlist("host")
        if len(origins) != 1 or len(hosts) != 1:
            return False
        if self._settings.address:
            return origins[0] == self._settings.address
        schemes = ("https",) if self._settings.https else ("http", "https")
        return origins[0].lower() in [f"{scheme}://{hosts[0].lower()}" for scheme in schemes]

    def _workspace(self, scope: Scope) -> str | None:
        """Return the workspace cookie of the browser; `WorkspaceCookie` has removed an ambiguous one."""
        for cookie in Headers(scope=scope).getlist("cookie"):
            for part in cookie.split(";"):
                name, _, value = part.partition("=")
                if name.strip() == self._cookie and is_workspace(value.strip()):
                    return value.strip()
        return None

    def _full_message(self) -> str:
        return (
            "As many pages are open on this server as it has room for (at most "
            f"{shown('pages', self._settings.pages)}, {variable_of('pages')}). Close some that you do not need, and "
            "try again in a minute."
        )


class _Visit:
    """Connection of one page: limits of its messages, its visit and its downloads."""

    def __init__(
        self,
        owners: Owners,
        workspace: str | None,
        inbox: Inbox,
        send: Send,
        runs: VisitRuns,
        limits: Sequence[tuple[RateLimit, str]],
    ) -> None:
        self.workspace = workspace
        self._owners = owners
        self._inbox, self._send = inbox, send
        self._runs = runs
        self._limits = limits
        self.fell_behind = False
        self._id = ""
        self._downloads: dict[str, DownloadRequest] = {}
        self._warned = False
        self._is_closed = False

    async def fill_inbox(self) -> None:
        """Read messages until the connection ends or has been behind for too long."""
        self.fell_behind = not await self._inbox.fill()

    async def receive(self) -> Message:
        while True:
            message = await self._inbox.take()
            if message["type"] != "websocket.receive":
                return message
            delay = max(limit.delay(key) for limit, key in self._limits)
            if not self._inbox.has_ended:
                await asyncio.sleep(delay)
            sent = message.get("bytes")
            if sent is None:  # the pages send no text
                await self._send({"type": "websocket.close", "code": 1003})
                return {"type": "websocket.disconnect", "code": 1003}
            if len(sent) > MAX_MESSAGE_BYTES or await self._admit(sent):
                return {"type": "websocket.disconnect", "code": 1006} if self._is_closed else message

    async def _admit(self, data: bytes) -> bool:
        sent = run_queue.parse_browser_message(data)
        if sent is None:
            return True  # Streamlit ends the connection
        if sent.kind == run_queue.DOWNLOAD:
            return await self._start_download(sent.request)
        if sent.kind == run_queue.RUN:
            await self._runs.start()
        if sent.kind not in run_queue.NEEDED and not self._warned:
            self._warned = True
            _log.warning("a page sent what no page sends", extra={"fields": {"message": sent.kind}})
        return sent.kind in run_queue.NEEDED

    async def _start_download(self, request: str) -> bool:
        if self.workspace is None:
            await self._send(
                {"type": "websocket.send", "bytes": run_queue.encode_refusal(request, NO_COOKIE)}
            )
            return False
        self._downloads[request] = DownloadRequest(self._id)
        _current.set(self._downloads[request])
        return True

    async def send(self, message: Message) -> None:
        data = message.get("bytes")
        if data and len(data) < _MAX_ANSWER_BYTES:
            message = {**message, "bytes": self._track(data)}
        if self._is_closed:
            raise OSError("the connection is closed")
        try:
            await self._send(message)
        except OSError:
            self._is_closed = True  # Streamlit cannot read any more what the page sent last
            raise

    def _track(self, data: bytes) -> bytes:
        """Record the visit, runs and files that a message of Streamlit mentions, and return the message to send."""
        parsed = run_queue.parse_streamlit_message(data)
        if parsed.begins_run:
            self._runs.begin()
        if parsed.ends_run:
            self._runs.end()
        if parsed.visit and not self._id:
            self._id = parsed.visit
            self._owners.add_connection(self._id, self.workspace)
        asked_for = self._downloads.pop(parsed.request, None)
        if asked_for is not None and asked_for.refusal:
            return run_queue.encode_refusal(parsed.request, asked_for.refusal)
        if parsed.file is not None and self.workspace is not None:
            self._owners.add_file(parsed.file, self.workspace)
        return data

    def end(self) -> None:
        self._runs.end()
        if self._id:
            self._owners.remove_connection(self._id)


def _replace_headers(scope: Scope, removed: set[bytes], added: Iterable[tuple[bytes, bytes]] = ()) -> Scope:
    headers = [(name, value) for name, value in scope["headers"] if name.lower() not in removed]
    return {**scope, "headers": [*headers, *added]}


async def _refuse_websocket(scope: Scope, send: Send, text: str) -> None:
    if "websocket.http.response" not in scope.get("extensions", {}):
        await send({"type": "websocket.close", "code": 1013})
        return
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"retry-after", b"60")]
    await send({"type": "websocket.http.response.start", "status": 503, "headers": headers})
    await send({"type": "websocket.http.response.body", "body": text.encode()})
