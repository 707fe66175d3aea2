"""Answers to requests that nobody has a reason to make, before Streamlit sees them.

`/_stcore/metrics` tells anyone how many visitors there are and what they do; other addresses of the same kind come
with every version. Methods other than reading reach uploads only, and websockets only the one of the pages.
"""

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from server.paths import is_closed, machinery

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
