"""Our scripts and preloads in the HTML of every page (`server.static_files`).

Streamlit has no setting for scripts in its HTML, and ours must run before its own. Only elements are added; what
Streamlit wrote stays as it is.
"""

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server.paths import machinery
from server.static_files import PRELOADS, TAGS

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
