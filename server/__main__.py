"""Several processes behind one address: `python -m server --processes 4`.

One process shows its pages with one processor at a time. Where a machine has more, several carry more visitors, each
its own. A database file is opened here, once, and the processes ask for what they need of it; a lake they open
themselves.
"""

import argparse
import asyncio
import os
import secrets
import socket
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from data.errors import DataError
from data.settings import Settings, from_environment, variable_of
from data.store import held_above
from data.store.store import Store
from server import room
from server.log import failure, set_up
from server.processes.above import Above
from server.workspace_cookie import cookie_name

SHARED_OUT = ("heavy", "pages", "readers", "uploads_at_once")
"""Settings of a whole server, of which each process gets its part; where a lake is opened by each, the memory, too."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Serves until it is ended; returns the exit code, after a sentence on the error stream where it is not 0."""
    parser = argparse.ArgumentParser(prog="python -m server", description=__doc__)
    parser.add_argument(
        "--processes", type=int, default=os.cpu_count() or 1, help="by default, as processors"
    )
    parser.add_argument("--host", default="127.0.0.1", help="where it listens; 0.0.0.0 for the whole network")
    parser.add_argument("--port", type=int, default=8501)
    given = parser.parse_args(arguments)
    if given.processes < 1:
        parser.error(f"--processes must be 1 or more; got {given.processes}")
    try:
        settings = from_environment()
        with ExitStack() as open_until_the_end:
            listening = _listening(given.host, given.port)
            for each in listening:
                open_until_the_end.enter_context(each)
            set_up()
            room.raise_limit()
            environment = _environment(settings, given.processes)
            if not is_lake(settings):
                environment[held_above.PLACE] = _held(settings, open_until_the_end)
            above = Above(given.processes, cookie_name(settings.https), environment)
            return asyncio.run(above.run(listening))
    except (DataError, OSError) as error:
        print(f"Raterscope does not start: {error}", file=sys.stderr)  # noqa: T201
        return 1


def is_lake(settings: Settings) -> bool:
    """Whether the database is one that each process can open."""
    return settings.database.startswith("ducklake:")


def _held(settings: Settings, open_until_the_end: ExitStack) -> str:
    folder = open_until_the_end.enter_context(tempfile.TemporaryDirectory(prefix="raterscope-"))
    store = open_until_the_end.enter_context(Store(settings=settings, apart=True))
    store.ensure_samples()
    place = Path(folder, "store")
    open_until_the_end.enter_context(
        held_above.answer(store, place, partial(failure, "the store failed a process"))
    )
    return str(place)


def _environment(settings: Settings, processes: int) -> dict[str, str]:
    """Of the processes: what this one has, the settings' parts, and a secret so that a log-in at one holds at all."""
    shared = [*SHARED_OUT, *(["memory"] if is_lake(settings) else [])]
    parts = {variable_of(name): str(max(getattr(settings, name) // processes, 1)) for name in shared}
    secret = {"STREAMLIT_SERVER_COOKIE_SECRET": secrets.token_hex(32)}
    return {**secret, **os.environ, **parts}


def _listening(host: str, port: int) -> list[socket.socket]:
    """A socket for each address of the host. Raises OSError where the port is taken."""
    found = []
    for family, kind, _, _, address in socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    ):
        each = socket.socket(family, kind)
        each.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # so that answers leave at once
        if family == socket.AF_INET6:
            each.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        each.bind(address)
        each.listen(2048)
        each.setblocking(False)
        found.append(each)
    return found


if __name__ == "__main__":
    raise SystemExit(main())
