"""Tests that messages of a page wait: none is dropped while the page is open, and floods are bounded."""

import asyncio
from collections.abc import Callable

import pytest
from starlette.types import Message

from server import run_queue
from server.run_queue import BURST, MOST_WAITING, Inbox, RateLimit

GONE: Message = {"type": "websocket.disconnect", "code": 1001}


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def message(number: int, size: int = 4) -> Message:
    return {"type": "websocket.receive", "bytes": number.to_bytes(4, "big").ljust(size)}


def sender(messages: list[Message], endless: bool = False) -> Callable[[], object]:
    """The `receive` of a server to which these came at once; then nothing comes any more."""
    waiting = list(messages)

    async def receive() -> Message:
        if not waiting:
            await asyncio.Event().wait()
        return waiting.pop(0)

    return receive


async def settle() -> None:
    for _ in range(2 * MOST_WAITING):
        await asyncio.sleep(0)


def test_a_burst_passes_at_once_and_what_follows_waits_its_time() -> None:
    clock = Clock()
    limit = RateLimit(rate=50, burst=10, clock=clock)
    assert [limit.delay("a") for _ in range(10)] == pytest.approx([0.0] * 10, abs=1e-9)
    assert [limit.delay("a") for _ in range(3)] == pytest.approx([0.02, 0.04, 0.06])


def test_a_sender_who_waits_as_told_sends_at_the_rate() -> None:
    clock = Clock()
    limit = RateLimit(rate=50, burst=10, clock=clock)
    for _ in range(1010):
        clock.now += limit.delay("a")
    assert clock.now == pytest.approx(20.0)


def test_each_key_has_its_own_rate_and_a_pause_gives_the_burst_back() -> None:
    clock = Clock()
    limit = RateLimit(rate=50, burst=10, clock=clock)
    for _ in range(100):
        limit.delay("flood")
    assert limit.delay("other") == 0
    clock.now += 60
    assert [limit.delay("flood") for _ in range(10)] == pytest.approx([0.0] * 10, abs=1e-9)


def test_keys_that_are_idle_are_forgotten() -> None:
    clock = Clock()
    limit = RateLimit(rate=50, burst=10, clock=clock)
    for number in range(10_000):
        limit.delay(str(number))
        clock.now += 1
    assert len(limit._paid_until) < 10


def test_every_message_of_an_open_page_arrives_in_order_however_many_come_at_once() -> None:
    sent = [message(number) for number in range(4 * MOST_WAITING)]

    async def scene() -> list[Message]:
        inbox = Inbox(sender(sent))  # type: ignore[arg-type]
        filling = asyncio.create_task(inbox.fill())
        taken = [await inbox.take() for _ in sent]
        filling.cancel()
        return taken

    assert asyncio.run(scene()) == sent


@pytest.mark.parametrize("size", [4, run_queue.MOST_WAITING_BYTES // 10])
def test_what_waits_is_bounded_in_number_and_size(size: int) -> None:
    body = message(0, size)
    left = 4 * MOST_WAITING

    async def receive() -> Message:
        nonlocal left
        left -= 1
        return body

    async def scene() -> int:
        inbox = Inbox(receive)
        filling = asyncio.create_task(inbox.fill())
        await settle()
        filling.cancel()
        return 4 * MOST_WAITING - left

    assert asyncio.run(scene()) == (MOST_WAITING if size == 4 else 10)


def test_the_last_messages_of_a_page_that_leaves_pass_before_its_end() -> None:
    sent = [message(number) for number in range(BURST)]

    async def scene() -> list[Message]:
        inbox = Inbox(sender([*sent, GONE]))  # type: ignore[arg-type]
        assert await inbox.fill()
        return [await inbox.take() for _ in range(BURST + 1)]

    assert asyncio.run(scene()) == [*sent, GONE]


def test_a_flood_of_a_page_that_has_left_is_dropped() -> None:
    async def scene() -> Message:
        inbox = Inbox(sender([*(message(n) for n in range(BURST + 1)), GONE]))  # type: ignore[arg-type]
        assert await inbox.fill()
        return await inbox.take()

    assert asyncio.run(scene()) == GONE


def test_a_connection_that_never_catches_up_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_queue, "CATCH_UP_SECONDS", 0.0)

    async def scene() -> tuple[bool, Message]:
        inbox = Inbox(sender([message(n) for n in range(2 * MOST_WAITING)]))  # type: ignore[arg-type]
        return await inbox.fill(), await inbox.take()

    kept, last = asyncio.run(scene())
    assert not kept
    assert last == {"type": "websocket.disconnect", "code": 1008}


def test_others_go_on_while_messages_that_are_there_are_taken_in() -> None:
    """An awaited message that has come already does not let anybody else go on."""

    async def scene() -> int:
        async def receive() -> Message:
            return message(0)

        inbox = Inbox(receive)
        filling = asyncio.create_task(inbox.fill())
        others = 0
        while len(inbox._waiting) < MOST_WAITING:
            others += 1
            await asyncio.sleep(0)
        filling.cancel()
        return others

    assert asyncio.run(scene()) >= MOST_WAITING - 1
