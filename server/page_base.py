"""Addresses of pages below a base, and those that are closed."""

import posixpath
import re
from urllib.parse import unquote

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server.static_files import PRELOADS, TAGS

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
