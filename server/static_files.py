"""Static files, scripts in the head of pages, closed addresses and security headers."""

import asyncio
import gzip
import json
import posixpath
import re
from functools import cache
from hashlib import sha256
from importlib.metadata import distribution
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import streamlit
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from data.settings import Settings

_OPEN_ENDPOINTS = re.compile(r"(?:/[\w.~-]+)*/_stcore/(health|host-config|stream|upload_file/[^/]+/[^/]+)")
_CLOSED_SEGMENTS = {"_stcore", "component"}
_PLAIN_SEGMENT = re.compile(r"[A-Za-z_][A-Za-z_-]{0,23}")


def streamlit_endpoint(path: str) -> str | None:
    """Return the endpoint of an open address of Streamlit, None for other addresses.

    >>> streamlit_endpoint("/_stcore/health"), streamlit_endpoint("/below/a/prefix/_stcore/stream")
    ('health', 'stream')
    >>> [streamlit_endpoint(path) for path in ("/_stcore/upload_file/visit/file", "/_stcore/metrics", "/data")]
    ['upload_file', None, None]
    """
    found = _OPEN_ENDPOINTS.fullmatch(path)
    return found[1].split("/")[0] if found else None


def parse_upload_path(path: str) -> tuple[str, str]:
    """Return the visit and the file in the address of an upload.

    >>> parse_upload_path("/_stcore/upload_file/visit/file")
    ('visit', 'file')
    """
    visit, file = path.split("/")[-2:]
    return visit, file


def media_id(path: str) -> str | None:
    """Return the id of the generated file at an address, without its extension; None for other addresses.

    >>> media_id("/media/0a1b.csv"), media_id("/below/a/prefix/media/0a1b.tar.gz")
    ('0a1b', '0a1b.tar')
    >>> media_id("/data"), media_id("/static/media/font.woff2")
    (None, None)
    """
    head, found, file = path.rpartition("/media/")
    return posixpath.splitext(file)[0] if found and head.rpartition("/")[2] != "static" else None


def is_closed(path: str) -> bool:
    """Return True for an address of Streamlit that no page needs, in any spelling.

    >>> [is_closed(path) for path in ("/_stcore/metrics", "//_STCORE/./metrics/", "/%255fstcore%2fmetrics")]
    [True, True, True]
    >>> [is_closed(path) for path in ("/_stcore/health", "/data", "/static/js/index.js")]
    [False, False, False]
    """
    decoded = path
    for _ in range(5):  # an address may have been encoded more than once
        decoded = unquote(decoded)
    segments = posixpath.normpath(decoded.replace("\\", "/")).lower().split("/")
    return not _CLOSED_SEGMENTS.isdisjoint(segments) and streamlit_endpoint(path) is None


def redact_path(path: str) -> str:
    """Return an address without segments that could be a key, a visit or user input.

    >>> redact_path("/_stcore/upload_file/8c0e/1f2a"), redact_path("/media/ab12.csv"), redact_path("/crowd-vs-lab")
    ('/_stcore/upload_file/…/…', '/media/…', '/crowd-vs-lab')
    """
    segments = [
        segment if segment == "" or _PLAIN_SEGMENT.fullmatch(segment) else "…"
        for segment in path.split("/")[:6]
    ]
    if streamlit_endpoint(path) == "upload_file":
        segments[-2:] = "…", "…"
    return "/".join(segments)


_HEAD, _END = b"<head>", b"</head>"


class PageScripts:
    """ASGI middleware: insert our scripts at the beginning of a page's head, and preloads at its end."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not is_page_request(scope):
            await self.app(scope, receive, send)
            return
        headers = [(name, value) for name, value in scope["headers"] if name.lower() != b"accept-encoding"]
        buffered: list[Message] = []

        async def send_with_scripts(message: Message) -> None:
            if message["type"] == "http.response.start" and _is_html(message):
                buffered.append(message)
            elif buffered:
                buffered.append(message)
                if not message.get("more_body", False):
                    for each in _insert_scripts(buffered):
                        await send(each)
                    buffered.clear()
            else:
                await send(message)

        await self.app({**scope, "headers": headers}, receive, send_with_scripts)


def is_page_request(scope: Scope) -> bool:
    """Return True if a browser requests a page."""
    if scope["type"] != "http" or scope["method"] != "GET" or streamlit_endpoint(scope["path"]) is not None:
        return False
    return "text/html" in Headers(scope=scope).get("accept", "")


def _is_html(start: Message) -> bool:
    headers = Headers(raw=start["headers"])
    return headers.get("content-type", "").startswith("text/html") and "content-encoding" not in headers


def _insert_scripts(buffered: list[Message]) -> tuple[Message, Message]:
    start, *bodies = buffered
    html = b"".join(body.get("body", b"") for body in bodies)
    html = html.replace(_HEAD, _HEAD + TAGS.encode(), 1).replace(_END, PRELOADS.encode() + _END, 1)
    headers = MutableHeaders(raw=[*start["headers"]])
    headers["content-length"] = str(len(html))
    return {**start, "headers": headers.raw}, {"type": "http.response.body", "body": html}


_READ_METHODS = ("GET", "HEAD")
_UPLOAD_METHODS = ("PUT", "DELETE", "OPTIONS")


class ClosedPaths:
    """ASGI middleware: answer 404 for addresses of Streamlit that no page needs, 405 for unused methods."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket" and streamlit_endpoint(scope["path"]) != "stream":
            await send({"type": "websocket.close", "code": 1008})
        elif scope["type"] == "http" and is_closed(scope["path"]):
            await PlainTextResponse("Not Found", 404)(scope, receive, send)
        elif scope["type"] == "http" and scope["method"] not in _methods(scope["path"]):
            allowed = {"allow": ", ".join(_methods(scope["path"]))}
            await PlainTextResponse("Method Not Allowed", 405, allowed)(scope, receive, send)
        else:
            await self.app(scope, receive, send)


def _methods(path: str) -> tuple[str, ...]:
    return _UPLOAD_METHODS if streamlit_endpoint(path) == "upload_file" else _READ_METHODS


PRELOADED = ("PlotlyChart", "Html", "Multiselect", "Selectbox", "Slider", "ButtonGroup", "NumberInput")
"""Elements of pages whose programs are preloaded: those of the main figures and above them."""
SCRIPTS = ("server_address", "window_width", "theme", "keyboard", "copying", "figures")
"""Files of `server/static/`, in the order in which a page loads them."""
_STREAMLIT = Path(streamlit.__file__).parent / "static"
_OURS = Path(__file__).parent / "static"
_TYPES = {".js": "text/javascript", ".css": "text/css"}
_FILE_ADDRESS = re.compile(r"(?:/[\w.~-]+)*/((scripts|static/js|static/css)/[\w.~-]+)")
_CACHED = {"cache-control": "public, immutable, max-age=31536000", "vary": "accept-encoding"}


@cache
def _manifest() -> dict[str, dict[str, Any]]:
    """Return Streamlit's manifest: for each entry its file, styles and imports."""
    read: dict[str, dict[str, Any]] = json.loads((_STREAMLIT / "manifest.json").read_text(encoding="utf-8"))
    return read


def _list_imports(*entries: str) -> list[str]:
    """Return entries of the manifest and all their imports, each once."""
    visited: dict[str, None] = {}
    pending = [*reversed(entries)]
    while pending:
        if (entry := pending.pop()) not in visited:
            visited[entry] = None
            pending += reversed(_manifest()[entry].get("imports", []))
    return [*visited]


def _element_entry(name: str) -> str:
    return next(entry for entry in _manifest() if Path(entry).stem == name)


def _files_of(entry: str) -> list[str]:
    return [_manifest()[entry]["file"], *_manifest()[entry].get("css", [])]


_INITIAL_ENTRIES = _list_imports("index.html")
_PRELOADED_ENTRIES = [
    entry for entry in _list_imports(*map(_element_entry, PRELOADED)) if entry not in _INITIAL_ENTRIES
]
_STREAMLIT_FILES = {file: _STREAMLIT / file for entry in _manifest() for file in _files_of(entry)}


def _hashed_name(script: Path) -> str:
    return f"scripts/{script.stem}-{sha256(script.read_bytes()).hexdigest()[:16]}.js"


_PLOTLY = f"scripts/plotly-{distribution('plotly').version}.js"
_SCRIPT_ADDRESSES = {name: _hashed_name(_OURS / f"{name}.js") for name in SCRIPTS}
_SCRIPTS = {address: _OURS / f"{name}.js" for name, address in _SCRIPT_ADDRESSES.items()} | {
    _PLOTLY: Path(str(distribution("plotly").locate_file("plotly/package_data/plotly.min.js")))
}
_ATTRIBUTES = {"figures": f' data-plotly="{Path(_PLOTLY).name}"'}
PAGE_STYLE = (
    "<style>"
    'button[data-testid="stBaseButton-primary"]:not(:disabled,:hover,:focus-visible),'
    '[data-testid="stMultiSelectTagsContainer"] [data-tag]:has(button)'
    "{background-color:#0072B2;border-color:#0072B2}"
    '[data-testid="stSelectbox"] input{text-overflow:ellipsis}'
    "</style>"
)
"""Fill of primary buttons and of chosen options that can be removed, in both themes, and the end of long names in
select boxes. Streamlit writes white on the theme's primary color and that color on the ground; no color has 4.5:1 with
both white and a dark ground that is not black."""
TAGS = PAGE_STYLE + "".join(
    f'<script defer src="./{address}"{_ATTRIBUTES.get(name, "")}></script>'
    for name, address in _SCRIPT_ADDRESSES.items()
)
"""Elements for the beginning of a page's head; pages are one level deep."""
PRELOADS = "".join(
    f'<link rel="preload" as="script" crossorigin fetchpriority="low" href="./{_manifest()[entry]["file"]}">'
    for entry in _PRELOADED_ENTRIES
)
"""Elements for the end of a page's head."""


@cache
def _compressed(file: Path) -> bytes:
    return gzip.compress(file.read_bytes(), 6, mtime=0)


def precompress() -> None:
    """Compress the files of a first visit at startup, so that no visitor waits for it."""
    for entry in (*_INITIAL_ENTRIES, *_PRELOADED_ENTRIES):
        for file in _files_of(entry):
            if Path(file).suffix in _TYPES:
                _compressed(_STREAMLIT_FILES[file])


class StaticFiles:
    """ASGI middleware: serve our scripts, and Streamlit's files to browsers that accept gzip."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        app = self.app
        if scope["type"] == "http" and (found := _FILE_ADDRESS.fullmatch(scope["path"])) is not None:
            app = await _file_response(found[1], found[2] == "scripts", scope) or app
        await app(scope, receive, send)


async def _file_response(address: str, is_ours: bool, scope: Scope) -> Response | None:
    headers = Headers(scope=scope)
    takes_gzip = "gzip" in headers.get("accept-encoding", "")
    file = (_SCRIPTS if is_ours else _STREAMLIT_FILES).get(address)
    if is_ours and file is None:
        return PlainTextResponse("Not Found", 404)
    if file is None or not (is_ours or (takes_gzip and scope["method"] == "GET" and "range" not in headers)):
        return None
    if not takes_gzip:
        return Response(file.read_bytes(), 200, _CACHED, _TYPES[file.suffix])
    body = await asyncio.to_thread(_compressed, file)
    return Response(body, 200, _CACHED | {"content-encoding": "gzip"}, _TYPES[file.suffix])


INLINE_SCRIPT_HASH = "'sha256-THxz9J9+wf7rhwR2YkXJoSZ13UCmYyC+3lNDv2+8ugA='"
"""Hash of the only inline script of Streamlit 1.67."""
_YEAR = 365 * 24 * 3600
_START_TYPES = {"http.response.start", "websocket.http.response.start"}


def security_headers(settings: Settings) -> dict[str, str]:
    """Return the headers that every answer has."""
    frame_ancestors = f"'{settings.frames}'" if settings.frames in ("none", "self") else settings.frames
    headers = {
        "content-security-policy": "; ".join(
            [
                "default-src 'self'",
                f"script-src 'self' {INLINE_SCRIPT_HASH}",
                "style-src 'self' 'unsafe-inline'",
                "img-src 'self' data: blob:",
                "font-src 'self' data:",
                "connect-src 'self' data:",
                "worker-src 'self' blob:",
                "object-src 'none'",
                "base-uri 'self'",
                "form-action 'self'",
                f"frame-ancestors {frame_ancestors}",
            ]
        ),
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
        "x-robots-tag": "noindex, nofollow",
    }
    if settings.frames in ("none", "self"):
        headers["x-frame-options"] = "DENY" if settings.frames == "none" else "SAMEORIGIN"
    if settings.https:
        headers["strict-transport-security"] = f"max-age={_YEAR}"
    return headers


class SecurityHeaders:
    """ASGI middleware: set each security header exactly once, and the Secure attribute of cookies with https."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self.app = app
        self._headers = security_headers(settings)
        self._https = settings.https

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] in _START_TYPES:
                self._set_headers(message)
            await send(message)

        await self.app(scope, receive, send_with_headers)

    def _set_headers(self, message: Message) -> None:
        lowercased = [(name.lower(), value) for name, value in message.get("headers", [])]
        headers = MutableHeaders(
            raw=[
                (name, self._secure_cookie(value) if name == b"set-cookie" else value)
                for name, value in lowercased
                if name != b"server" and not name.startswith(b"access-control-")
            ]
        )
        for name, value in self._headers.items():
            headers[name] = value
        if not headers.get("cache-control", "").startswith("public, immutable"):
            headers["cache-control"] = "no-store"  # all but the hashed files of Streamlit's own
        message["headers"] = headers.raw

    def _secure_cookie(self, cookie: bytes) -> bytes:
        attributes = {part.strip().lower() for part in cookie.split(b";")[1:]}
        return cookie + b"; Secure" if self._https and b"secure" not in attributes else cookie
