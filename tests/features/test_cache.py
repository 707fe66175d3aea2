"""The work queue, computations that are shared, and the cache over both.

Threads are held by events and waited for, never timed: a wait is bounded only so that a failure ends.
"""

import itertools
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any

import pytest

from analysis.values.estimate import OnProgress
from features import cache
from features.cache import Computation, ResultCache, SingleFlight, Stopped, WorkQueue

BOUND = 20.0


class Gone(BaseException):
    """Streamlit's end of a script: no Exception, so that nothing catches it by accident."""


def until(there: Callable[[], object]) -> None:
    ends = time.monotonic() + BOUND
    while not there():
        assert time.monotonic() < ends, "this never came to be"
        time.sleep(0.005)


class Work:
    """Computations that wait for an event; counts how many began, how many run and how many ran at most."""

    def __init__(self) -> None:
        self.go_on = threading.Event()
        self.began = self.running = self.most = 0
        self._lock = threading.Lock()

    def __call__(self, *_: object) -> str:
        with self._lock:
            self.began += 1
            self.running += 1
            self.most = max(self.most, self.running)
        assert self.go_on.wait(BOUND)
        with self._lock:
            self.running -= 1
        return f"result {self.began}"


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(12) as running:
        yield running


@pytest.fixture
def work() -> Iterator[Work]:
    held = Work()
    yield held
    held.go_on.set()


@pytest.fixture
def single_flight() -> SingleFlight:
    return SingleFlight()


def bounded() -> Callable[[object], None]:
    """Return a wait callback that fails if the wait never ends."""
    looks = itertools.count()

    def look(_: object) -> None:
        assert next(looks) < BOUND / cache.WAIT_INTERVAL, "this wait never ended"

    return look


def in_slot(
    queue: WorkQueue, work: Callable[[], object], show: Callable[[str], None] | None = None, owner: str = ""
) -> object:
    with queue.slot(show or bounded(), owner):
        return work()


def has_free_slot(queue: WorkQueue) -> bool:
    """Return True where a newcomer enters at once."""

    def refuse(_: str) -> None:
        raise Gone

    try:
        return in_slot(queue, lambda: True, refuse) is True
    except Gone:
        return False


def ended(futures: list["Future[Any]"]) -> list[Any]:
    return [future.result(BOUND) for future in futures]


def test_no_more_than_the_most_run_at_the_same_time_and_all_of_it_runs(
    pool: ThreadPoolExecutor, work: Work
) -> None:
    queue = WorkQueue(2)
    futures = [pool.submit(in_slot, queue, work) for _ in range(6)]
    until(lambda: work.running == 2)
    assert not has_free_slot(queue)
    work.go_on.set()
    ended(futures)
    assert (work.began, work.most) == (6, 2)
    assert has_free_slot(queue)


def test_who_waits_sees_how_many_come_before(pool: ThreadPoolExecutor, work: Work) -> None:
    queue, told = WorkQueue(1), [[], []]  # type: ignore[var-annotated]
    futures = [pool.submit(in_slot, queue, work)]
    until(lambda: work.running == 1)
    futures.append(pool.submit(in_slot, queue, work, told[0].append))
    until(lambda: told[0])
    futures.append(pool.submit(in_slot, queue, work, told[1].append))
    until(lambda: told[1])
    assert told[0][-1] == "waiting for a turn, 1 computation before this one"
    assert told[1][-1] == "waiting for a turn, 2 computations before this one"
    work.go_on.set()
    ended(futures)


def test_many_works_of_one_do_not_stand_before_anothers_first(pool: ThreadPoolExecutor, work: Work) -> None:
    """One has a work running and six waiting when another comes; from then on they alternate."""
    queue, order = WorkQueue(1), []
    futures = [pool.submit(in_slot, queue, work, None, "one")]
    until(lambda: work.running == 1)
    for name in ("one 1", "one 2", "one 3", "one 4", "one 5", "one 6", "other 1", "other 2"):
        told: list[str] = []
        owner = name.split()[0]
        enters = partial(order.append, name)
        futures.append(pool.submit(in_slot, queue, enters, told.append, owner))
        until(lambda told=told: told)
        if name == "other 1":
            assert told[-1] == "waiting for a turn, 1 computation before this one"
    work.go_on.set()
    ended(futures)
    assert order == ["other 1", "one 1", "other 2", *(f"one {at}" for at in range(2, 7))]


def test_work_starts_in_the_order_of_arrival(pool: ThreadPoolExecutor, work: Work) -> None:
    queue, order = WorkQueue(1), []
    futures = [pool.submit(in_slot, queue, work)]
    until(lambda: work.running == 1)
    for name in "abc":
        waiting = threading.Event()
        futures.append(
            pool.submit(in_slot, queue, lambda name=name: order.append(name), lambda _, w=waiting: w.set())
        )
        assert waiting.wait(BOUND)
    work.go_on.set()
    ended(futures)
    assert order == ["a", "b", "c"]


@pytest.mark.parametrize("error", [ValueError, Gone, KeyboardInterrupt])
def test_a_slot_is_free_again_when_its_computation_fails_or_is_stopped(error: type[BaseException]) -> None:
    queue = WorkQueue(1)

    def fail() -> None:
        raise error

    with pytest.raises(error):
        in_slot(queue, fail)
    assert has_free_slot(queue)


def test_who_stops_waiting_leaves_the_queue_and_holds_nobody_up(pool: ThreadPoolExecutor, work: Work) -> None:
    queue, waiting = WorkQueue(1), threading.Event()
    first = pool.submit(in_slot, queue, work)
    until(lambda: work.running == 1)

    def leave(_: str) -> None:
        raise Gone

    with pytest.raises(Gone):
        in_slot(queue, work, leave)
    lines: list[str] = []
    second = pool.submit(in_slot, queue, lambda: "second", lambda line: (lines.append(line), waiting.set()))  # type: ignore[func-returns-value]
    assert waiting.wait(BOUND)
    assert "1 computation before" in lines[-1]
    work.go_on.set()
    assert ended([first, second])[1] == "second"
    assert work.began == 1


def test_a_computation_inside_another_needs_no_second_slot() -> None:
    queue = WorkQueue(1)
    assert in_slot(queue, lambda: in_slot(queue, lambda: "inner")) == "inner"
    assert has_free_slot(queue), "the inner one released what was not its own, or the outer one kept it"


def test_those_who_want_the_same_wait_for_one_computation(
    pool: ThreadPoolExecutor, work: Work, single_flight: SingleFlight
) -> None:
    looked = threading.Event()
    futures = [pool.submit(single_flight.run, "key", work, bounded())]
    until(lambda: work.running == 1)
    futures += [pool.submit(single_flight.run, "key", work, lambda _: looked.set()) for _ in range(5)]
    assert looked.wait(BOUND)
    work.go_on.set()
    assert ended(futures) == ["result 1"] * 6
    assert work.began == 1


def test_different_keys_run_side_by_side(
    pool: ThreadPoolExecutor, work: Work, single_flight: SingleFlight
) -> None:
    futures = [pool.submit(single_flight.run, name, work, bounded()) for name in "abc"]
    until(lambda: work.running == 3)
    work.go_on.set()
    ended(futures)


@pytest.mark.parametrize("error", [ValueError, Gone])
def test_where_the_first_stops_or_fails_one_who_waited_computes_it(
    pool: ThreadPoolExecutor, single_flight: SingleFlight, error: type[BaseException]
) -> None:
    begun, go, waiting = threading.Event(), threading.Event(), threading.Barrier(4)

    def fail(_: Computation) -> None:
        begun.set()
        assert go.wait(BOUND)
        raise error

    seen = threading.local()

    def arrive(_: Computation) -> None:
        if not hasattr(seen, "it"):
            seen.it = True
            waiting.wait(BOUND)

    computed: list[str] = []

    def succeed(_: Computation) -> str:
        computed.append("once")
        time.sleep(0.05)  # long enough that the others find it under way or done
        return "result"

    first = pool.submit(single_flight.run, "key", fail, bounded())
    assert begun.wait(BOUND)
    others = [pool.submit(single_flight.run, "key", succeed, arrive) for _ in range(3)]
    waiting.wait(BOUND)
    go.set()
    assert isinstance(first.exception(BOUND), error)
    assert ended(others) == ["result"] * 3
    assert computed == ["once"]


def test_nothing_is_kept_of_results_that_arrived_or_failed(single_flight: SingleFlight) -> None:
    def fail(_: Computation) -> None:
        raise Gone

    single_flight.run("arrived", lambda _: "result", bounded())
    with pytest.raises(Gone):
        single_flight.run("failed", fail, bounded())
    assert single_flight._under_way == {}


def test_who_waits_may_leave_without_harm_to_the_computation(
    pool: ThreadPoolExecutor, work: Work, single_flight: SingleFlight
) -> None:
    first = pool.submit(single_flight.run, "key", work, bounded())
    until(lambda: work.running == 1)

    def leave(_: Computation) -> None:
        raise Gone

    with pytest.raises(Gone):
        single_flight.run("key", work, leave)
    work.go_on.set()
    assert ended([first]) == ["result 1"]


def test_results_that_need_each_others_parts_do_not_wait_in_a_circle(
    pool: ThreadPoolExecutor, single_flight: SingleFlight
) -> None:
    """Two who hold a result each and need the other's: one that waited for the other would wait forever."""
    both = threading.Barrier(2)

    def needs(other: str) -> Callable[[Computation], str]:
        def compute(_: Computation) -> str:
            both.wait(BOUND)
            return "with " + single_flight.run(other, lambda _: "part", bounded())

        return compute

    futures = [pool.submit(single_flight.run, a, needs(b), bounded()) for a, b in ("ab", "ba")]
    assert ended(futures) == ["with part"] * 2


def test_a_result_inside_its_own_computation_is_computed_and_not_waited_for(
    single_flight: SingleFlight,
) -> None:
    assert (
        single_flight.run("key", lambda _: single_flight.run("key", lambda _: "inner", bounded()), bounded())
        == "inner"
    )


def test_who_has_a_slot_does_not_wait_for_one_who_waits_for_a_slot(
    pool: ThreadPoolExecutor, single_flight: SingleFlight
) -> None:
    """The circle of two kinds: a result that needs a slot, and a slot whose work needs the result."""
    queue, has_slot, queued = WorkQueue(1), threading.Event(), threading.Event()

    def first() -> Any:
        has_slot.set()
        assert queued.wait(BOUND)
        return single_flight.run("key", lambda _: "computed in the slot", bounded())

    holds = pool.submit(in_slot, queue, first)
    assert has_slot.wait(BOUND)
    waits = pool.submit(
        single_flight.run,
        "key",
        lambda _: in_slot(queue, lambda: "in its own slot", lambda _: queued.set()),
        bounded(),
    )
    assert ended([holds, waits]) == ["computed in the slot", "in its own slot"]


def compute(
    results: ResultCache,
    key: str,
    work: Callable[[OnProgress], object],
    on_progress: Callable[[float, str], object] | None = None,
    queue: WorkQueue | None = None,
) -> object:
    look = bounded()
    return results.compute(key, work, on_progress or (lambda done, words: look(words)), "Knees", queue)


@pytest.fixture
def results() -> ResultCache:
    return ResultCache(10**6)


@pytest.fixture
def many() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(16) as running:
        yield running


@pytest.mark.parametrize("slots", [None, 2])
def test_sixteen_who_ask_at_once_share_one_computation(
    many: ThreadPoolExecutor, work: Work, results: ResultCache, slots: int | None
) -> None:
    queue = None if slots is None else WorkQueue(slots)
    all_there = threading.Barrier(16)

    def ask() -> object:
        all_there.wait(BOUND)
        return compute(results, "key", work, queue=queue)

    futures = [many.submit(ask) for _ in range(16)]
    until(lambda: work.running == 1)
    work.go_on.set()
    assert ended(futures) == ["result 1"] * 16
    assert work.began == 1
    assert results.get("key") == "result 1"


def test_who_waits_sees_the_progress_of_who_computes(pool: ThreadPoolExecutor, results: ResultCache) -> None:
    begun, go_on, seen = threading.Event(), threading.Event(), threading.Event()

    def work(report: OnProgress) -> str:
        report(0.25, "a quarter")
        begun.set()
        assert go_on.wait(BOUND)
        return "result"

    def see(done: float, words: str) -> None:
        if (done, words) == (0.25, "a quarter"):
            seen.set()

    first = pool.submit(compute, results, "key", work)
    assert begun.wait(BOUND)
    second = pool.submit(compute, results, "key", work, see)
    assert seen.wait(BOUND)
    go_on.set()
    assert ended([first, second]) == ["result"] * 2


@pytest.mark.parametrize("error", [ValueError, Stopped, Gone])
def test_a_computation_that_fails_or_is_stopped_is_computed_anew_by_one_who_waits(
    pool: ThreadPoolExecutor, results: ResultCache, error: type[BaseException]
) -> None:
    queue, begun, go_on = WorkQueue(1), threading.Event(), threading.Event()
    waiting = threading.Event()

    def fail(_: OnProgress) -> str:
        begun.set()
        assert go_on.wait(BOUND)
        raise error

    first = pool.submit(compute, results, "key", fail, None, queue)
    assert begun.wait(BOUND)
    looks = itertools.count()
    second = pool.submit(
        compute,
        results,
        "key",
        lambda _: "anew",
        lambda done, words: waiting.set() if next(looks) else None,
        queue,
    )
    assert waiting.wait(BOUND)
    go_on.set()
    assert isinstance(first.exception(BOUND), error)
    assert ended([second]) == ["anew"]
    assert results.get("key") == "anew"
    assert has_free_slot(queue)


@pytest.mark.parametrize("slots", [None, 1])
def test_an_interruption_ends_a_wait_for_a_result_or_a_slot(
    pool: ThreadPoolExecutor, work: Work, results: ResultCache, slots: int | None
) -> None:
    queue = None if slots is None else WorkQueue(slots)
    first = pool.submit(compute, results, "key", work, None, queue)
    until(lambda: work.running == 1)
    looks = itertools.count()

    def click(done: float, words: str) -> None:
        if next(looks):
            raise Gone

    with pytest.raises(Gone):
        compute(results, "key", work, click, queue)
    if queue is not None:
        with pytest.raises(Gone):
            compute(results, "other key", work, click, queue)
    work.go_on.set()
    assert ended([first]) == ["result 1"]
    assert work.began == 1


def test_an_interruption_before_work_begins_takes_no_slot(results: ResultCache) -> None:
    queue = WorkQueue(1)

    def stop(done: float, words: str) -> None:
        raise Stopped

    with pytest.raises(Stopped):
        compute(results, "key", lambda _: "result", stop, queue)
    assert has_free_slot(queue)
    assert results.get("key") is None
    assert compute(results, "key", lambda _: "result", queue=queue) == "result"
    assert compute(results, "key", lambda _: "again", stop, queue) == "result", (
        "what is cached is not stopped"
    )


def test_a_result_that_arrives_while_a_slot_is_waited_for_is_used(
    pool: ThreadPoolExecutor, work: Work, results: ResultCache
) -> None:
    queue, waiting = WorkQueue(1), threading.Event()
    first = pool.submit(compute, results, "first", work, None, queue)
    until(lambda: work.running == 1)
    second = pool.submit(
        compute,
        results,
        "second",
        work,
        lambda done, words: waiting.set() if "waiting" in words else None,
        queue,
    )
    assert waiting.wait(BOUND)
    results.put("second", "arrived")
    work.go_on.set()
    assert ended([first, second]) == ["result 1", "arrived"]
    assert work.began == 1


def test_nested_computations_in_one_slot_end(pool: ThreadPoolExecutor, results: ResultCache) -> None:
    """Threads that compute different results, each of which needs all the others, with one slot for all."""
    queue, names = WorkQueue(1), "abcdef"

    def needing(key: str, others: str) -> str:
        return key + "".join(
            str(compute(results, one, lambda _, one=one: needing(one, others.replace(one, "")), queue=queue))
            for one in others[:2]
        )

    futures = [
        pool.submit(
            compute, results, one, lambda _, one=one: needing(one, names.replace(one, "")), None, queue
        )
        for one in names
    ]
    assert all(ended(futures))
    assert has_free_slot(queue)


def test_no_result_is_not_kept(results: ResultCache) -> None:
    """Work that was stopped inside other work makes that return None."""
    assert compute(results, "key", lambda _: None) is None
    assert compute(results, "key", lambda _: "result") == "result"


def test_a_cleared_cache_counts_its_bytes_anew() -> None:
    results = ResultCache(1_000)
    results.put("a", b"x" * 600)
    results.clear()
    assert results.get("a") is None
    results.put("b", b"x" * 600)
    results.put("c", b"x" * 100)
    assert results.get("b") is not None
