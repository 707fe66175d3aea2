"""Middleware is asked as a server asks it: with scopes and messages, so that a test can send what no client would."""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send


@dataclass
class Answer:
    """The response."""

    messages: list[Message] = field(default_factory=list)

    @property
    def status(self) -> int:
        return next(m["status"] for m in self.messages if m["type"] == "http.response.start")

    @property
    def headers(self) -> list[tuple[str, str]]:
        start = next(m for m in self.messages if m["type"] == "http.response.start")
        return [(name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in start["headers"]]

    def values(self, name: str) -> list[str]:
        return [value for found, value in self.headers if found == name]

    @property
    def text(self) -> str:
        return b"".join(
            m.get("body", b"") for m in self.messages if m["type"] == "http.response.body"
        ).decode()


def scope_of(
    path: str, method: str = "GET", headers: Iterable[tuple[str, str]] = (), kind: str = "http", **more: Any
) -> Scope:
    raw = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers]
    return {"type": kind, "method": method, "path": path, "query_string": b"", "headers": raw, **more}


async def asked(app: ASGIApp, scope: Scope, body: Iterable[bytes] = ()) -> Answer:
    """The answer to one request whose body arrives in these pieces."""
    pieces = list(body) or [b""]
    answer = Answer()

    async def receive() -> Message:
        if pieces:
            return {"type": "http.request", "body": pieces.pop(0), "more_body": bool(pieces)}
        await asyncio.Event().wait()
        raise AssertionError("nothing comes after the end")

    async def send(message: Message) -> None:
        answer.messages.append(message)

    await app(scope, receive, send)
    return answer


def ask(app: ASGIApp, path: str, method: str = "GET", headers: Iterable[tuple[str, str]] = ()) -> Answer:
    return asyncio.run(asked(app, scope_of(path, method, headers)))


def answering(
    status: int = 200,
    headers: Iterable[tuple[str, str]] = (("content-type", "text/html"),),
    body: bytes = b"page",
) -> ASGIApp:
    """An app that always answers the same."""
    raw = [(name.encode(), value.encode()) for name, value in headers]

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": status, "headers": list(raw)})
        await send({"type": "http.response.body", "body": body})

    return app
