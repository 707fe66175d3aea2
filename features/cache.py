"""Results that everybody in this process shares: one cache, one computation per key at a time, and a queue.

Keys are texts made of a data set's content hash and a frozen spec, and results are frozen. `on_progress` is called
between blocks of work and while waiting; whatever it raises ends the work or the wait, so a click takes effect there.

Only `RATERSCOPE_THREADS` long computations run at the same time, in the visitors' own threads: NumPy releases the
interpreter while it works. A thread that asks for the interpreter gets it after 1 ms instead of Python's 5, which makes
a light step next to two long computations take 0.37 s instead of 0.53 s (medians of 30).

A thread that holds a slot, or computes a result that others may wait for, never waits for another thread's result but
computes it itself, so no two threads wait for each other.
"""

import pickle
import sys
import threading
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any, TypeVar

from data.settings import from_environment

T = TypeVar("T")
OnProgress = Callable[..., None]
"""Called with the share of the work that is done (0 to 1) and, optionally, what is being done."""
CACHE_BYTES = 600 * 10**6
LARGE = 10**7
"""Bytes of columns of ratings: these are read again in seconds and go before figures, which may have taken minutes."""
WAIT_INTERVAL = 0.1
"""Seconds between two calls of a waiting thread's callback; a visitor's click takes effect at each."""
SWITCH_INTERVAL = 0.001
"""Seconds after which a computation hands the interpreter to another thread that asks for it."""


class Stopped(Exception):
    """Work that somebody stopped."""


class _ThreadState(threading.local):
    """State of this thread: its slot in a queue, and computations under way."""

    has_slot = False
    computing = 0


_thread = _ThreadState()


@dataclass(eq=False)
class _Ticket:
    owner: str


class WorkQueue:
    """A limit on how much work runs at the same time; further work waits.

    The next is of the owner with the least work running and waiting, then of the owner whose last start was longest
    ago, then the first to arrive.
    """

    def __init__(self, slots: int, one: str = "computation", many: str = "computations") -> None:
        self._slots = slots
        self._one, self._many = one, many
        self._running: Counter[str] = Counter()
        self._waiting: list[_Ticket] = []
        self._started = 0
        self._last_start: dict[str, int] = {}
        self._changed = threading.Condition()

    @contextmanager
    def slot(self, on_wait: Callable[[str], object], owner: str = "") -> Iterator[None]:
        """Hold one slot for work of `owner`, or that of outer work; `on_wait` is called while waiting."""
        if _thread.has_slot:
            yield
            return
        self._wait(_Ticket(owner), on_wait)
        _thread.has_slot = True
        try:
            yield
        finally:
            _thread.has_slot = False
            with self._changed:
                self._running[owner] -= 1
                self._forget_if_idle(owner)
                self._changed.notify_all()

    def _wait(self, ticket: _Ticket, on_wait: Callable[[str], object]) -> None:
        with self._changed:
            self._waiting.append(ticket)
        try:
            while not self._start(ticket):
                ahead = self._ahead_of(ticket)
                on_wait(
                    f"waiting for a turn, {ahead} {self._one if ahead == 1 else self._many} before this one"
                )
        except BaseException:
            with self._changed:
                self._waiting.remove(ticket)
                self._forget_if_idle(ticket.owner)
                self._changed.notify_all()
            raise

    def _forget_if_idle(self, owner: str) -> None:
        """Drop what is known of an owner whose work neither runs nor waits."""
        if not self._running[owner] and not any(ticket.owner == owner for ticket in self._waiting):
            del self._running[owner]
            self._last_start.pop(owner, None)

    def _start(self, ticket: _Ticket) -> bool:
        with self._changed:
            if not self._changed.wait_for(
                lambda: self._running.total() < self._slots and self._in_order()[0] is ticket,
                timeout=WAIT_INTERVAL,
            ):
                return False
            self._waiting.remove(ticket)
            self._running[ticket.owner] += 1
            self._started += 1
            self._last_start[ticket.owner] = self._started
            self._changed.notify_all()
            return True

    def _ahead_of(self, ticket: _Ticket) -> int:
        """Return how many works must end, or give up, before this one starts."""
        with self._changed:
            return self._in_order().index(ticket) + 1

    def _in_order(self) -> list[_Ticket]:
        """Return the waiting tickets, the next one first."""
        ahead = +self._running
        places = []
        for at, ticket in enumerate(self._waiting):
            places.append((ahead[ticket.owner], self._last_start.get(ticket.owner, 0), at))
            ahead[ticket.owner] += 1
        return [self._waiting[at] for *_, at in sorted(places)]


@dataclass
class Computation:
    """One result under way: its progress, for those who wait for it, and in the end the result."""

    progress: tuple[float, str] = (0.0, "")
    ended: threading.Event = field(default_factory=threading.Event)
    succeeded: bool = False
    result: Any = None


class SingleFlight:
    """Computations under way by key; nothing is kept of one that has ended."""

    def __init__(self) -> None:
        self._under_way: dict[str, Computation] = {}
        self._lock = threading.Lock()

    def run(
        self, key: str, compute: Callable[[Computation], T], on_wait: Callable[[Computation], object]
    ) -> T:
        """Return the result of `compute`, or of the thread that computes the same key already.

        Where that thread stops or fails, one of those that waited computes the result anew.
        """
        while True:
            computation, is_first = self._begin(key)
            if is_first:
                return self._compute(key, computation, compute)
            if _thread.has_slot or _thread.computing:
                return compute(Computation())
            while not computation.ended.wait(WAIT_INTERVAL):
                on_wait(computation)
            if computation.succeeded:
                shared: T = computation.result
                return shared

    def _begin(self, key: str) -> tuple[Computation, bool]:
        with self._lock:
            is_first = key not in self._under_way
            return self._under_way.setdefault(key, Computation()), is_first

    def _compute(self, key: str, computation: Computation, compute: Callable[[Computation], T]) -> T:
        _thread.computing += 1
        try:
            result = computation.result = compute(computation)
            computation.succeeded = True
            return result
        finally:
            _thread.computing -= 1
            with self._lock:
                del self._under_way[key]
            computation.ended.set()


class ResultCache:
    """A thread-safe cache of results, bounded by their pickled size.

    The least recently used goes first, but before it the largest except the newest, as long as that is large.
    """

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._bytes = 0
        self._results: OrderedDict[str, tuple[Any, int]] = OrderedDict()
        self._lock = threading.Lock()
        self._single_flight = SingleFlight()

    def get(self, key: str) -> Any | None:
        with self._lock:
            if key not in self._results:
                return None
            self._results.move_to_end(key)
            return self._results[key][0]

    def put(self, key: str, result: Any) -> None:
        """Keep a result, and drop others where they are too large together."""
        arrays: list[pickle.PickleBuffer] = []
        size = len(pickle.dumps(result, protocol=5, buffer_callback=arrays.append))
        size += sum(array.raw().nbytes for array in arrays)
        with self._lock:
            self._bytes += size - self._results.pop(key, (None, 0))[1]
            self._results[key] = result, size
            while self._bytes > self._max_bytes and len(self._results) > 1:
                sizes = {other: size for other, (_, size) in list(self._results.items())[:-1]}
                largest = max(sizes, key=sizes.__getitem__)
                dropped = largest if sizes[largest] >= LARGE else next(iter(sizes))
                self._bytes -= self._results.pop(dropped)[1]

    def clear(self) -> None:
        with self._lock:
            self._results.clear()
            self._bytes = 0

    def compute(
        self,
        key: str,
        work: Callable[[OnProgress], T],
        on_progress: Callable[[float, str], object],
        label: str = "",
        queue: WorkQueue | None = None,
        owner: str = "",
    ) -> T:
        """Return the cached result, the one that another thread computes already, or what `work` returns.

        `work` gets a callback to call between blocks. With a `queue` it waits for a slot first.
        """
        cached: T | None = self.get(key)
        if cached is not None:
            return cached
        if queue is not None:
            on_progress(0.0, label)

        def compute(computation: Computation) -> T:
            def report(done: float, words: str = label) -> None:
                computation.progress = done, words
                on_progress(done, words)

            if queue is None:
                return self._get_or_compute(key, lambda: work(report))
            computation.progress = 0.0, label
            with queue.slot(lambda waiting: report(0.0, f"{label}: {waiting}"), owner):
                return self._get_or_compute(key, lambda: work(report))

        return self._single_flight.run(key, compute, lambda computation: on_progress(*computation.progress))

    def _get_or_compute(self, key: str, compute: Callable[[], T]) -> T:
        """Double-check the cache before computing."""
        cached: T | None = self.get(key)
        if cached is not None:
            return cached
        computed = compute()
        self.put(key, computed)
        return computed


CACHE = ResultCache(CACHE_BYTES)
"""The results of this process."""


@cache
def work_queue() -> WorkQueue:
    """Return the queue of this process's long computations, and shorten the interpreter's switch interval for it."""
    sys.setswitchinterval(SWITCH_INTERVAL)
    return WorkQueue(from_environment().threads)


@cache
def upload_queue() -> WorkQueue:
    """Return the queue of uploads to be read, which happens in other processes: no computation waits for them."""
    return WorkQueue(from_environment().readers, "file", "files")
