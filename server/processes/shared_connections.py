"""Behind a proxy a connection may bring now one visitor's requests and now another's: each brings one request then."""

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server.processes.whose import this_process


class SharedConnections:
    """ASGI middleware: ends a proxy's connection with each answer where there are several processes, since the first
    request of a connection decides which one gets it."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self._several = this_process().of > 1

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not self._several or scope["type"] != "http" or "x-forwarded-proto" not in Headers(scope=scope):
            await self.app(scope, receive, send)
            return

        async def send_last(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message)["connection"] = "close"
            await send(message)

        await self.app(scope, receive, send_last)
