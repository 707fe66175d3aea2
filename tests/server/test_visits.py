"""Visits are open websockets: counted from when they are accepted until they end, however they end."""

import asyncio

import pytest
from starlette.types import ASGIApp, Receive, Scope, Send

from server.run_queue import Visits, open_visits, peak_visits, total_visits
from tests.server.asgi import asked, scope_of

STREAM = scope_of("/_stcore/stream", kind="websocket")


def page(seen: list[int], accept: bool = True, fail: bool = False) -> ASGIApp:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "websocket.accept" if accept else "websocket.close"})
        await asyncio.sleep(0)
        seen.append(open_visits())
        if fail:
            raise ConnectionError

    return app


def test_visits_at_the_same_time_are_counted_and_all_end() -> None:
    before, total, seen = open_visits(), total_visits(), list[int]()

    async def three() -> None:
        await asyncio.gather(*[asked(Visits(page(seen)), STREAM) for _ in range(3)])

    asyncio.run(three())
    assert max(seen) == before + 3
    assert peak_visits() >= 3
    assert total_visits() == total + 3
    assert open_visits() == before


def test_a_visit_that_fails_is_over() -> None:
    before = open_visits()
    with pytest.raises(ConnectionError):
        asyncio.run(asked(Visits(page([], fail=True)), STREAM))
    assert open_visits() == before


def test_a_refused_websocket_is_no_visit() -> None:
    before, seen = open_visits(), list[int]()
    asyncio.run(asked(Visits(page(seen, accept=False)), STREAM))
    assert seen == [before]


def test_a_request_is_no_visit() -> None:
    before, seen = open_visits(), list[int]()
    asyncio.run(asked(Visits(page(seen)), scope_of("/")))
    assert seen == [before]
