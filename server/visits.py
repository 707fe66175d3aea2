"""Number of open visits: each open page holds one websocket, and nothing about who looks is kept."""

from datetime import UTC, datetime

from starlette.types import ASGIApp, Message, Receive, Scope, Send


class _Counted:
    def __init__(self) -> None:
        self.now = 0
        self.most = 0
        self.total = 0
        self.since = datetime.now(UTC)


_counted = _Counted()


def open_visits() -> int:
    """Pages open now."""
    return _counted.now


def most_visits() -> int:
    """The most pages open at the same time since the server started."""
    return _counted.most


def all_visits() -> int:
    """Pages opened since the server started."""
    return _counted.total


def since() -> datetime:
    """When the server started."""
    return _counted.since


class Visits:
    """ASGI middleware: counts websockets from when they are accepted until they end."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "websocket":
            await self.app(scope, receive, send)
            return
        accepted = False

        async def send_counted(message: Message) -> None:
            nonlocal accepted
            if message["type"] == "websocket.accept" and not accepted:
                accepted = True
                _counted.now += 1
                _counted.total += 1
                _counted.most = max(_counted.most, _counted.now)
            await send(message)

        try:
            await self.app(scope, receive, send_counted)
        finally:
            _counted.now -= accepted
