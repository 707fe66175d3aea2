"""Turns for long computations, and one computation for all who want the same result.

More long computations than processors make every one of them slower and take the interpreter from visitors who
merely move a slider, so only `RATERSCOPE_THREADS` of them run at the same time and others queue. They run in the
visitors' own threads, not in other processes: NumPy lets go of the interpreter while it works. A thread that wanted
it every 5 ms beside knee intervals, label draws by Dawid-Skene and GLAD, and Crowd vs lab, also of 100,000 ratings,
found it taken for more than 50 ms of computing three times in 90 s, never for more than 143 ms.
`python -m benchmarks load` measures the whole server's longest freeze in each.

Who asks for the interpreter gets it after 1 ms instead of Python's 5: beside two long computations a light step took
0.37 s instead of 0.53 s (medians of 30, taking turns on a busy machine), and they did as much in a second.

Who has a turn, or computes a result that others may wait for, never waits for somebody else's result, but computes
it himself. So nobody waits in a circle, however computations call each other.
"""

import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

import streamlit as st

from data.settings import from_environment

T = TypeVar("T")
LOOK = 0.1
"""Seconds between two looks whether the wait is over; a click of the visitor takes effect at each."""
SWITCH = 0.001
"""Seconds after which a computation hands the interpreter to another thread that asks for it."""


class _Mine(threading.local):
    """What this thread has: a turn, and results under way."""

    has_turn = False
    under_way = 0


_mine = _Mine()


@dataclass(eq=False)
class _Ticket:
    whose: str


class Turns:
    """At most so many long computations at the same time; others wait.

    Whose work runs and waits least is next, among equals whose turn is longest ago, and then who came first: many works
    of one visitor do not stand before another's first.
    """

    def __init__(self, most: int, one: str = "computation", many: str = "computations") -> None:
        self._most = most
        self._one, self._many = one, many
        self._running: Counter[str] = Counter()
        self._queue: list[_Ticket] = []
        self._given = 0
        self._last: dict[str, int] = {}
        self._changed = threading.Condition()

    @contextmanager
    def turn(self, show: Callable[[str], None], whose: str = "") -> Iterator[None]:
        """Holds one turn for `whose` work. While it waits, `show` is called again and again with a line that says so.

        Whatever `show` raises ends the wait. A computation inside another has that one's turn.
        """
        if _mine.has_turn:
            yield
            return
        self._await(_Ticket(whose), show)
        _mine.has_turn = True
        try:
            yield
        finally:
            _mine.has_turn = False
            with self._changed:
                self._running[whose] -= 1
                self._forget(whose)
                self._changed.notify_all()

    def _await(self, ticket: _Ticket, show: Callable[[str], None]) -> None:
        with self._changed:
            self._queue.append(ticket)
        try:
            while not self._entered(ticket):
                before = self._before(ticket)
                show(
                    f"waiting for a turn, {before} {self._one if before == 1 else self._many} before this one"
                )
        except BaseException:
            with self._changed:
                self._queue.remove(ticket)
                self._forget(ticket.whose)
                self._changed.notify_all()
            raise

    def _forget(self, whose: str) -> None:
        """The turns of those who neither have nor want one."""
        if not self._running[whose] and not any(ticket.whose == whose for ticket in self._queue):
            del self._running[whose]
            self._last.pop(whose, None)

    def _entered(self, ticket: _Ticket) -> bool:
        with self._changed:
            if not self._changed.wait_for(
                lambda: self._running.total() < self._most and self._in_order()[0] is ticket, timeout=LOOK
            ):
                return False
            self._queue.remove(ticket)
            self._running[ticket.whose] += 1
            self._given += 1
            self._last[ticket.whose] = self._given
            self._changed.notify_all()
            return True

    def _before(self, ticket: _Ticket) -> int:
        """How many must end, or give up, before this one begins."""
        with self._changed:
            return self._in_order().index(ticket) + 1

    def _in_order(self) -> list[_Ticket]:
        """Who waits, the next one first."""
        ahead = +self._running
        places = []
        for at, ticket in enumerate(self._queue):
            places.append((ahead[ticket.whose], self._last.get(ticket.whose, 0), at))
            ahead[ticket.whose] += 1
        return [self._queue[at] for *_, at in sorted(places)]


@dataclass
class Flight:
    """One result under way: how far it is, for those who wait for it, and in the end what came of it."""

    told: tuple[float, str] = (0.0, "")
    ended: threading.Event = field(default_factory=threading.Event)
    arrived: bool = False
    result: Any = None


class Flights:
    """Results under way by key. Nothing is kept of a result that has arrived or failed."""

    def __init__(self) -> None:
        self._under_way: dict[str, Flight] = {}
        self._lock = threading.Lock()

    def once(self, key: str, compute: Callable[[Flight], T], wait: Callable[[Flight], None]) -> T:
        """The result of `compute`, or of whoever computes the same key already.

        `wait` is called again and again meanwhile, and what it raises ends the wait. Where the other stops or
        fails, one of those who waited computes it anew.
        """
        while True:
            flight, first = self._begin(key)
            if first:
                return self._fly(key, flight, compute)
            if _mine.has_turn or _mine.under_way:
                return compute(Flight())
            while not flight.ended.wait(LOOK):
                wait(flight)
            if flight.arrived:
                shared: T = flight.result
                return shared

    def _begin(self, key: str) -> tuple[Flight, bool]:
        with self._lock:
            first = key not in self._under_way
            return self._under_way.setdefault(key, Flight()), first

    def _fly(self, key: str, flight: Flight, compute: Callable[[Flight], T]) -> T:
        _mine.under_way += 1
        try:
            arrived = flight.result = compute(flight)
            flight.arrived = True
            return arrived
        finally:
            _mine.under_way -= 1
            with self._lock:
                del self._under_way[key]
            flight.ended.set()


@st.cache_resource(show_spinner=False)
def turns() -> Turns:
    """The turns of this server process, and how soon the interpreter is handed on beside them."""
    sys.setswitchinterval(SWITCH)
    return Turns(from_environment().threads)


@st.cache_resource(show_spinner=False)
def reading_turns() -> Turns:
    """The turns of reading uploads, which happens in other processes: no computation waits for them."""
    return Turns(from_environment().readers, "file", "files")


@st.cache_resource(show_spinner=False)
def flights() -> Flights:
    """The results that this server process is computing."""
    return Flights()


def turn(show: Callable[[str], None]) -> AbstractContextManager[None]:
    """A turn among this process's long computations, as a context manager; see `Turns.turn`."""
    return turns().turn(show)


def reading_turn(show: Callable[[str], None], whose: str) -> AbstractContextManager[None]:
    """A turn among the uploads that are read, for those of one browser or person."""
    return reading_turns().turn(show, whose)
