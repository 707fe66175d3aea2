"""Addresses of pages below a base, and those that are closed."""

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

_OPEN = re.compile(r"(?:/[\w.~-]+)*/_stcore/(health|host-config|stream|upload_file/[^/]+/[^/]+)")
_UNUSED = {"_stcore", "component"}
_WORD = re.compile(r"[A-Za-z_][A-Za-z_-]{0,23}")


def machinery(path: str) -> str | None:
    """Return what an open address of Streamlit's own asks for, else None.

    >>> machinery("/_stcore/health"), machinery("/below/a/prefix/_stcore/stream")
    ('health', 'stream')
    >>> machinery("/_stcore/upload_file/visit/file"), machinery("/_stcore/metrics"), machinery("/data")
    ('upload_file', None, None)
    """
    found = _OPEN.fullmatch(path)
    return found[1].split("/")[0] if found else None


def upload_of(path: str) -> tuple[str, str]:
    """The visit and the file that an address of an upload names.

    >>> upload_of("/_stcore/upload_file/visit/file")
    ('visit', 'file')
    """
    visit, file = path.split("/")[-2:]
    return visit, file


def media(path: str) -> str | None:
    """Return the made file that an address asks for, without its ending; None where it is no address of a file.

    >>> media("/media/0a1b.csv"), media("/below/a/prefix/media/0a1b.tar.gz")
    ('0a1b', '0a1b.tar')
    >>> media("/data"), media("/static/media/font.woff2")
    (None, None)
    """
    head, found, file = path.rpartition("/media/")
    return posixpath.splitext(file)[0] if found and head.rpartition("/")[2] != "static" else None


def is_closed(path: str) -> bool:
    """Return whether an address is Streamlit's own and none that the pages need, however it is spelled.

    >>> [is_closed(path) for path in ("/_stcore/metrics", "//_STCORE/./metrics/", "/%255fstcore%2fmetrics")]
    [True, True, True]
    >>> [is_closed(path) for path in ("/_stcore/health", "/data", "/static/js/index.js")]
    [False, False, False]
    """
    plain = path
    for _ in range(5):  # an address may have been encoded more than once
        plain = unquote(plain)
    segments = posixpath.normpath(plain.replace("\\", "/")).lower().split("/")
    return not _UNUSED.isdisjoint(segments) and machinery(path) is None


def for_the_log(path: str) -> str:
    """The address without anything that could be a key, a visit or somebody's words.

    >>> for_the_log("/_stcore/upload_file/8c0e/1f2a"), for_the_log("/media/ab12.csv"), for_the_log("/crowd-vs-lab")
    ('/_stcore/upload_file/…/…', '/media/…', '/crowd-vs-lab')
    """
    shown = [segment if segment == "" or _WORD.fullmatch(segment) else "…" for segment in path.split("/")[:6]]
    if machinery(path) == "upload_file":
        shown[-2:] = "…", "…"
    return "/".join(shown)


_HEAD, _END = b"<head>", b"</head>"


class PageBase:
    """ASGI middleware: add our scripts to the beginning of a page's head, and preloads to its end."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not is_a_page(scope):
            await self.app(scope, receive, send)
            return
        plain = [(name, value) for name, value in scope["headers"] if name.lower() != b"accept-encoding"]
        held: list[Message] = []

        async def send_with_scripts(message: Message) -> None:
            if message["type"] == "http.response.start" and _is_html(message):
                held.append(message)
            elif held:
                held.append(message)
                if not message.get("more_body", False):
                    for each in _with_scripts(held):
                        await send(each)
                    held.clear()
            else:
                await send(message)

        await self.app({**scope, "headers": plain}, receive, send_with_scripts)


def is_a_page(scope: Scope) -> bool:
    """Return whether a browser asks for a page to show."""
    if scope["type"] != "http" or scope["method"] != "GET" or machinery(scope["path"]) is not None:
        return False
    return "text/html" in Headers(scope=scope).get("accept", "")


def _is_html(start: Message) -> bool:
    headers = Headers(raw=start["headers"])
    return headers.get("content-type", "").startswith("text/html") and "content-encoding" not in headers


def _with_scripts(held: list[Message]) -> tuple[Message, Message]:
    start, *bodies = held
    html = b"".join(body.get("body", b"") for body in bodies)
    html = html.replace(_HEAD, _HEAD + TAGS.encode(), 1).replace(_END, PRELOADS.encode() + _END, 1)
    headers = MutableHeaders(raw=[*start["headers"]])
    headers["content-length"] = str(len(html))
    return {**start, "headers": headers.raw}, {"type": "http.response.body", "body": html}


_READING = ("GET", "HEAD")
_UPLOADING = ("PUT", "DELETE", "OPTIONS")


class ClosedPaths:
    """ASGI middleware: 404 for Streamlit's own addresses that no page needs, 405 for methods without a use."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket" and machinery(scope["path"]) != "stream":
            await send({"type": "websocket.close", "code": 1008})
        elif scope["type"] == "http" and is_closed(scope["path"]):
            await PlainTextResponse("Not Found", 404)(scope, receive, send)
        elif scope["type"] == "http" and scope["method"] not in _methods(scope["path"]):
            allowed = {"allow": ", ".join(_methods(scope["path"]))}
            await PlainTextResponse("Method Not Allowed", 405, allowed)(scope, receive, send)
        else:
            await self.app(scope, receive, send)


def _methods(path: str) -> tuple[str, ...]:
    return _UPLOADING if machinery(path) == "upload_file" else _READING


PRELOADED = ("PlotlyChart", "Html", "Multiselect", "Selectbox", "Slider", "ButtonGroup", "NumberInput")
"""Elements that stand above the main figures of pages."""
SCRIPTS = ("server_address", "window_width", "keyboard", "copying", "figures")
"""Files of `server/static/`, in the order in which a page loads them."""
_STREAMLIT = Path(streamlit.__file__).parent / "static"
_OURS = Path(__file__).parent / "static"
_TYPES = {".js": "text/javascript", ".css": "text/css"}
_ADDRESS = re.compile(r"(?:/[\w.~-]+)*/((scripts|static/js|static/css)/[\w.~-]+)")
_CACHED = {"cache-control": "public, immutable, max-age=31536000", "vary": "accept-encoding"}


@cache
def _manifest() -> dict[str, dict[str, Any]]:
    """Streamlit's list of its programs: the file of each, its styles and what it imports."""
    read: dict[str, dict[str, Any]] = json.loads((_STREAMLIT / "manifest.json").read_text(encoding="utf-8"))
    return read


def _with_imports(*entries: str) -> list[str]:
    """Entries of the manifest and all that they import, each once."""
    found: dict[str, None] = {}
    left = [*reversed(entries)]
    while left:
        if (entry := left.pop()) not in found:
            found[entry] = None
            left += reversed(_manifest()[entry].get("imports", []))
    return [*found]


def _element(name: str) -> str:
    return next(entry for entry in _manifest() if Path(entry).stem == name)


def _files_of(entry: str) -> list[str]:
    return [_manifest()[entry]["file"], *_manifest()[entry].get("css", [])]


_FIRST = _with_imports("index.html")
_AHEAD = [entry for entry in _with_imports(*map(_element, PRELOADED)) if entry not in _FIRST]
_PROGRAMS = {file: _STREAMLIT / file for entry in _manifest() for file in _files_of(entry)}


def _named_by_content(script: Path) -> str:
    return f"scripts/{script.stem}-{sha256(script.read_bytes()).hexdigest()[:16]}.js"


_PLOTLY = f"scripts/plotly-{distribution('plotly').version}.js"
_NAMES = {name: _named_by_content(_OURS / f"{name}.js") for name in SCRIPTS}
_SCRIPTS = {address: _OURS / f"{name}.js" for name, address in _NAMES.items()} | {
    _PLOTLY: Path(str(distribution("plotly").locate_file("plotly/package_data/plotly.min.js")))
}
_ATTRIBUTES = {"figures": f' data-plotly="{Path(_PLOTLY).name}"'}
FILLED = (
    "<style>"
    'button[data-testid="stBaseButton-primary"]:not(:disabled,:hover,:focus-visible),'
    '[data-testid="stMultiSelectTagsContainer"] [role="row"]:not([aria-disabled="true"])'
    "{background-color:#0072B2;border-color:#0072B2}</style>"
)
"""Fill of primary buttons and chosen options in both themes. Streamlit writes white on the theme's primary color and
that color on the ground; no color has 4.5:1 with both white and a dark ground that is not black."""
TAGS = FILLED + "".join(
    f'<script defer src="./{address}"{_ATTRIBUTES.get(name, "")}></script>'
    for name, address in _NAMES.items()
)
"""Elements for the beginning of a page's head; pages are one level deep."""
PRELOADS = "".join(
    f'<link rel="preload" as="script" crossorigin fetchpriority="low" href="./{_manifest()[entry]["file"]}">'
    for entry in _AHEAD
)
"""Elements for the end of a page's head."""


@cache
def _compressed(file: Path) -> bytes:
    return gzip.compress(file.read_bytes(), 6, mtime=0)


def compress_first() -> None:
    """Compress what every first visit fetches, so that no visitor waits for it."""
    for entry in (*_FIRST, *_AHEAD):
        for file in _files_of(entry):
            if Path(file).suffix in _TYPES:
                _compressed(_PROGRAMS[file])


class StaticFiles:
    """ASGI middleware: serve the files above, Streamlit's own only to browsers that take them compressed."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        app = self.app
        if scope["type"] == "http" and (found := _ADDRESS.fullmatch(scope["path"])) is not None:
            app = await _answer(found[1], found[2] == "scripts", scope) or app
        await app(scope, receive, send)


async def _answer(address: str, is_ours: bool, scope: Scope) -> Response | None:
    headers = Headers(scope=scope)
    takes_gzip = "gzip" in headers.get("accept-encoding", "")
    file = (_SCRIPTS if is_ours else _PROGRAMS).get(address)
    if is_ours and file is None:
        return PlainTextResponse("Not Found", 404)
    if file is None or not (is_ours or (takes_gzip and scope["method"] == "GET" and "range" not in headers)):
        return None
    if not takes_gzip:
        return Response(file.read_bytes(), 200, _CACHED, _TYPES[file.suffix])
    body = await asyncio.to_thread(_compressed, file)
    return Response(body, 200, _CACHED | {"content-encoding": "gzip"}, _TYPES[file.suffix])


SCRIPT = "'sha256-THxz9J9+wf7rhwR2YkXJoSZ13UCmYyC+3lNDv2+8ugA='"
"""Streamlit 1.67's one inline script."""
_YEAR = 365 * 24 * 3600
_STARTS = {"http.response.start", "websocket.http.response.start"}


def security_headers(settings: Settings) -> dict[str, str]:
    """The headers that do not depend on the answer."""
    frame_ancestors = f"'{settings.frames}'" if settings.frames in ("none", "self") else settings.frames
    headers = {
        "content-security-policy": "; ".join(
            [
                "default-src 'self'",
                f"script-src 'self' {SCRIPT}",
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
    """ASGI middleware: each header exactly once, whatever stood there before; cookies are Secure with https."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self.app = app
        self._headers = security_headers(settings)
        self._https = settings.https

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] in _STARTS:
                self._secure(message)
            await send(message)

        await self.app(scope, receive, send_with_headers)

    def _secure(self, message: Message) -> None:
        kept = [(name.lower(), value) for name, value in message.get("headers", [])]
        headers = MutableHeaders(
            raw=[
                (name, self._secure_cookie(value) if name == b"set-cookie" else value)
                for name, value in kept
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
