"""Turns of script runs: how many there are at once, who is next, and that none is lost."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from server.run_queue import RunQueue, VisitRuns

LONG = 3600.0


def play(scene: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(scene())


async def settle() -> None:
    """Let everything that can go on now go on."""
    for _ in range(20):
        await asyncio.sleep(0)


def visits(queue: RunQueue, many: int) -> list[VisitRuns]:
    """Visits of which each connected later than the one before."""
    made = [VisitRuns(queue) for _ in range(many)]
    for at, visit in enumerate(made):
        visit._last = float(at)
    return made


def waits(visit: VisitRuns) -> asyncio.Task[None]:
    return asyncio.create_task(visit.start())


def test_no_more_visits_have_a_turn_than_there_are_slots() -> None:
    async def scene() -> None:
        first, second, third = visits(RunQueue(slots=2, lease=LONG), 3)
        tasks = [waits(visit) for visit in (first, second, third)]
        await settle()
        assert [task.done() for task in tasks] == [True, True, False]
        second.end()
        await settle()
        assert tasks[2].done()

    play(scene)


def test_a_visit_that_has_a_turn_passes_and_takes_no_second() -> None:
    async def scene() -> None:
        first, second = visits(RunQueue(slots=2, lease=LONG), 2)
        for _ in range(5):
            await first.start()
            first.begin()
        other = waits(second)
        await settle()
        assert other.done()

    play(scene)


def test_a_further_request_waits_until_the_browser_knows_of_the_run_before() -> None:
    async def scene() -> None:
        (visit,) = visits(RunQueue(slots=1, lease=LONG), 1)
        await visit.start()
        further = waits(visit)
        await settle()
        assert not further.done()
        visit.begin()
        await settle()
        assert further.done()

    play(scene)


def test_while_others_wait_a_visit_cannot_keep_its_turn_by_further_requests() -> None:
    async def scene() -> None:
        flooding, other = visits(RunQueue(slots=1, lease=LONG), 2)
        await flooding.start()
        flooding.begin()
        waiting = waits(other)
        await settle()
        further = waits(flooding)
        await settle()
        assert not further.done(), "it would interrupt the run for which the other waits"
        flooding.end()
        await settle()
        assert waiting.done()
        assert not further.done()
        other.end()
        await settle()
        assert further.done()

    play(scene)


def test_a_further_request_needs_a_new_turn_where_no_run_began_in_the_last() -> None:
    async def scene() -> None:
        queue = RunQueue(slots=1, lease=0)
        (visit,) = visits(queue, 1)
        for _ in range(3):
            await asyncio.wait_for(visit.start(), 30)

    play(scene)


def test_the_next_turn_goes_to_the_visit_that_had_none_for_longest() -> None:
    async def scene() -> None:
        queue = RunQueue(slots=1, lease=LONG)
        busy, idle, newest = visits(queue, 3)
        order: list[str] = []

        async def run(name: str, visit: VisitRuns, times: int) -> None:
            for _ in range(times):
                await visit.start()
                order.append(name)
                await asyncio.sleep(0)
                visit.end()

        await busy.start()
        tasks = [
            asyncio.create_task(run(name, visit, times))
            for name, visit, times in (("newest", newest, 1), ("idle", idle, 1))
        ]
        await settle()
        busy.end()
        tasks.append(asyncio.create_task(run("busy", busy, 3)))
        await asyncio.gather(*tasks)
        assert order == ["idle", "newest", "busy", "busy", "busy"]

    play(scene)


def test_many_requests_of_one_visit_hold_up_another_for_one_turn_only() -> None:
    async def scene() -> None:
        queue = RunQueue(slots=1, lease=LONG)
        flooding, other = visits(queue, 2)
        turns: list[str] = []

        async def run(name: str, visit: VisitRuns, times: int) -> None:
            for _ in range(times):
                await visit.start()
                turns.append(name)
                await asyncio.sleep(0)
                visit.end()

        await asyncio.gather(run("flood", flooding, 1000), run("other", other, 1))
        assert turns.index("other") <= 1

    play(scene)


def test_a_turn_ends_after_its_lease_though_its_run_never_does() -> None:
    async def scene() -> None:
        first, second = visits(RunQueue(slots=1, lease=0), 2)
        await first.start()
        await asyncio.wait_for(second.start(), 30)

    play(scene)


def test_ending_twice_gives_back_one_slot() -> None:
    async def scene() -> None:
        first, second, third = visits(RunQueue(slots=1, lease=LONG), 3)
        await first.start()
        first.end()
        first.end()
        await second.start()
        other = waits(third)
        await settle()
        assert not other.done()
        other.cancel()

    play(scene)


@pytest.mark.parametrize("granted", [False, True])
def test_a_visit_that_is_cancelled_while_it_waits_loses_no_slot(granted: bool) -> None:
    async def scene() -> None:
        first, second, third = visits(RunQueue(slots=1, lease=LONG), 3)
        await first.start()
        waiting = waits(second)
        await settle()
        if granted:  # in the same moment in which it is its turn
            first.end()
        waiting.cancel()
        await settle()
        first.end()
        await asyncio.wait_for(third.start(), 30)

    play(scene)
