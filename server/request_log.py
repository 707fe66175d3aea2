"""One log line per request, in place of uvicorn's, whose lines hold whole addresses and with them readers' keys.

It also catches what fails below it: the visitor gets a sentence with the number of the log line, and the answer gets
its headers like any other.
"""

import logging
import time

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server.log import failure
from server.paths import for_the_log, machinery

_log = logging.getLogger("raterscope.requests")
_METHODS = {"GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "CONNECT", "TRACE", "WEBSOCKET"}


class RequestLog:
    """ASGI middleware: logs path, status and milliseconds; never queries, cookies, visits or people's addresses."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        status = 0
        began = time.monotonic()

        async def send_noting(message: Message) -> None:
            nonlocal status
            status = message.get("status", status)
            if message["type"] == "websocket.accept":
                status = 101
            await send(message)

        try:
            await self.app(scope, receive, send_noting)
        except Exception as error:
            number = failure("a request failed", error)
            if status == 0 and scope["type"] == "http":
                told = f"Something failed on our side. Tell the operator of this server the number {number}."
                await PlainTextResponse(told, 500)(scope, receive, send_noting)
        finally:
            if not _is_everyday(scope["path"], status):
                fields = {
                    "path": for_the_log(scope["path"]),
                    "method": _method(scope),
                    "status": status,
                    "milliseconds": round((time.monotonic() - began) * 1000),
                }
                _log.info("request", extra={"fields": fields})


def _method(scope: Scope) -> str:
    method: str = scope.get("method", "WEBSOCKET")
    return method if method in _METHODS else "…"


def _is_everyday(path: str, status: int) -> bool:
    """Static files, and the questions of whoever watches the server."""
    return status < 400 and (
        path.startswith(("/static/", "/scripts/")) or machinery(path) in ("health", "host-config")
    )
