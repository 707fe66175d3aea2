"""The store of a file that the process above holds, for several processes that show its data sets.

A database file can be open in one process only. Where `python -m server --processes` starts several, it opens the
file itself and does for them what they ask of the store: they get arrays back, and keep them on their shelves. Who asks
and who answers are of one user on one machine, and speak through a socket in a folder that only that user may enter.
"""

import inspect
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from multiprocessing.connection import Client, Connection, Listener
from pathlib import Path
from typing import Any

from data.errors import DataError
from data.importing.spool import Spool
from data.settings import Settings, from_environment
from data.store.store import Store

PLACE = "RATERSCOPE_STORE_ABOVE"
"""The variable by which a process is told where the store is; no setting: `python -m server` sets it."""


class _Ended(Exception):
    """Who asked wants no answer any more."""


class HeldAbove(Store):
    """The store as a process sees it that does not hold the database itself."""

    def __init__(self, place: str | Path, settings: Settings | None = None) -> None:
        self.settings = settings or from_environment()
        self.spool = Spool(self.settings)
        self._place = str(place)
        self._idle: list[Connection[Any, Any]] = []
        self._lock = threading.Lock()

    def close(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def _connected(self) -> "Connection[Any, Any]":
        with self._lock:
            if self._idle:
                return self._idle.pop()
        return Client(self._place, "AF_UNIX")

    def _ask(self, name: str, named: dict[str, Any]) -> Any:
        tell = named.pop("tell", None)
        connection = self._connected()
        try:
            connection.send((name, named, tell is not None))
            while (answer := connection.recv())[0] == "tells":
                tell(*answer[1])
                connection.send(None)
        except BaseException:
            connection.close()  # whoever answers sees it, and ends
            raise
        kind, found = answer
        if kind == "pieces":
            return self._pieces(connection)
        with self._lock:
            self._idle.append(connection)
        if kind == "raised":
            raise found
        return found

    def _pieces(self, connection: "Connection[Any, Any]") -> Iterator[Any]:
        with connection:
            while (answer := connection.recv())[0] == "piece":
                yield answer[1]
            if answer[0] == "raised":
                raise answer[1]


def _asked(name: str) -> Callable[..., Any]:
    """Parameters go by their names, since one of them may be a function that stays here."""
    signature = inspect.signature(getattr(Store, name))
    others = [each.name for each in signature.parameters.values() if each.kind is each.VAR_KEYWORD]

    def ask(self: HeldAbove, *given: Any, **named: Any) -> Any:
        bound = signature.bind(self, *given, **named).arguments
        bound.pop("self")
        for other in others:
            bound |= bound.pop(other, {})
        return self._ask(name, bound)

    return ask


ASKED = tuple(
    name
    for name, what in vars(Store).items()
    if inspect.isfunction(what) and name[0] != "_" and name != "close"
)
"""What is asked of the store above: all that a store does."""
for _name in ASKED:
    setattr(HeldAbove, _name, _asked(_name))


def open_store(settings: Settings | None = None, apart: bool = False) -> Store:
    """The store of a server process: its own, or the one above it."""
    place = os.environ.get(PLACE)
    return HeldAbove(place, settings) if place else Store(settings=settings, apart=apart)


def answer(store: Store, place: Path, failed: Callable[[Exception], object]) -> Listener:
    """Does from now on, in threads, what is asked of a store through a socket at this place; `failed` hears of errors
    that are none of `DataError`."""
    listener = Listener(str(place), "AF_UNIX", backlog=64)

    def listen() -> None:
        with suppress(OSError):  # closed at the end
            while True:
                connection = listener.accept()
                threading.Thread(target=_serve, args=(store, connection, failed), daemon=True).start()

    threading.Thread(target=listen, daemon=True).start()
    return listener


def _serve(store: Store, connection: "Connection[Any, Any]", failed: Callable[[Exception], object]) -> None:
    with connection, suppress(EOFError, OSError, _Ended):
        while True:
            name, named, tells = connection.recv()
            if tells:
                named["tell"] = _teller(connection)
            for each in _answers(partial(getattr(store, name), **named), failed):
                connection.send(each)


def _teller(connection: "Connection[Any, Any]") -> Callable[..., None]:
    def tell(*told: Any) -> None:
        try:
            connection.send(("tells", told))
            connection.recv()
        except (EOFError, OSError):
            raise _Ended from None

    return tell


def _answers(work: Callable[[], Any], failed: Callable[[Exception], object]) -> Iterator[tuple[str, Any]]:
    try:
        found = work()
        if not isinstance(found, Iterator):
            yield "found", found
            return
        yield "pieces", None
        for piece in found:
            yield "piece", piece
        yield "whole", None
    except _Ended:
        raise
    except Exception as error:
        if not isinstance(error, DataError):
            failed(error)
        yield "raised", error
