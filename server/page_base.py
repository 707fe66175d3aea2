"""Each page begins with a script of ours: how a button copies (`server.copying`), what the Tab key does
(`server.keyboard`), how wide the window is (`server.width`), when its
elements begin (`server.start.elements`, whose files the page names, too), how a figure is saved
(`server.figures`, a file of its own), and where the server lives, so that the browser need not try.

Streamlit's script takes the address of a page for that of the server first and asks there (`/repetitions/_stcore/…`),
which logs two errors in the browser's console at every link to a page, and costs a round. Pages lie one level deep, as
the addresses of the scripts in the same HTML take for granted.
"""

from base64 import b64encode
from hashlib import sha256

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server import copying, figures, keyboard, width
from server.paths import machinery
from server.start import elements

SCRIPT = (
    'window.__streamlit={BACKEND_BASE_URL:new URL("./",location.href).href};'
    f"{copying.SCRIPT};{keyboard.SCRIPT};{width.SCRIPT};{elements.SCRIPT}"
)
HASH = f"'sha256-{b64encode(sha256(SCRIPT.encode()).digest()).decode()}'"
"""What the content policy allows this script by."""
_HEAD = b"<head>"
_BEGINS = _HEAD + f"<script>{SCRIPT}</script>{figures.TAG}".encode()
_END = b"</head>"
_ENDS = elements.LINKS.encode() + _END


class PageBase:
    """ASGI middleware: puts a line of script and what to ask for ahead into HTML."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not is_a_page(scope):
            await self.app(scope, receive, send)
            return
        plain = [(name, value) for name, value in scope["headers"] if name.lower() != b"accept-encoding"]
        held: list[Message] = []

        async def send_with_script(message: Message) -> None:
            if message["type"] == "http.response.start" and _is_html(message):
                held.append(message)
            elif held:
                held.append(message)
                if not message.get("more_body", False):
                    for each in _with_script(held):
                        await send(each)
                    held.clear()
            else:
                await send(message)

        await self.app({**scope, "headers": plain}, receive, send_with_script)


def is_a_page(scope: Scope) -> bool:
    """Whether a browser asks for a page to show."""
    if scope["type"] != "http" or scope["method"] != "GET" or machinery(scope["path"]) is not None:
        return False
    return "text/html" in Headers(scope=scope).get("accept", "")


def _is_html(start: Message) -> bool:
    headers = Headers(raw=start["headers"])
    return headers.get("content-type", "").startswith("text/html") and "content-encoding" not in headers


def _with_script(held: list[Message]) -> tuple[Message, Message]:
    start, *bodies = held
    html = b"".join(body.get("body", b"") for body in bodies)
    html = html.replace(_HEAD, _BEGINS, 1).replace(_END, _ENDS, 1)
    headers = MutableHeaders(raw=[*start["headers"]])
    headers["content-length"] = str(len(html))
    return {**start, "headers": headers.raw}, {"type": "http.response.body", "body": html}
