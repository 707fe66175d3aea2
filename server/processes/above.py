"""The process above several: it starts them, starts one again that ended, and hands each connection to the one whose
visitor it is.

What a connection says first is looked at without being taken, so that whoever gets it finds it whole.
"""

import asyncio
import logging
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from itertools import count
from pathlib import Path

from server.processes.handed import hand
from server.processes.whose import PLACE, Process, is_whole, owner, workspace_in

ROOT = Path(__file__).resolve().parents[2]
HEAD = 65_536
"""Bytes in which a first request names its cookie; Uvicorn takes no longer ones."""
PATIENCE = 15.0
"""Seconds in which it has to come, and in which a process has to take it."""
LOOK = 0.01
STARTING = 10.0
"""Seconds; a process that ends sooner will not do better the next time."""
ENDING = 30.0
_log = logging.getLogger("raterscope")


class Above:
    """So many processes behind these listening sockets.

    `cookie` names the workspace's cookie, `environment` is theirs.
    """

    def __init__(self, of: int, cookie: str, environment: Mapping[str, str]) -> None:
        self._of = of
        self._cookie = cookie
        self._environment = environment
        self._doors: dict[int, socket.socket] = {}
        self._next = count()
        self._ending = asyncio.Event()
        self._failed = 0

    async def run(self, listening: list[socket.socket]) -> int:
        """Until the system ends it, or a process cannot be started; the exit code."""
        loop = asyncio.get_running_loop()
        for ends in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(ends, self._ending.set)
        kept = [asyncio.create_task(self._keep(number)) for number in range(self._of)]
        taking = [asyncio.create_task(self._take(each)) for each in listening]
        await self._ending.wait()
        for task in taking:
            task.cancel()
        await asyncio.gather(*kept, *taking, return_exceptions=True)
        return self._failed

    async def _keep(self, number: int) -> None:
        while not self._ending.is_set():
            began = time.monotonic()
            process = await self._started(number)
            ended = asyncio.create_task(process.wait())
            await asyncio.wait(
                {ended, asyncio.create_task(self._ending.wait())}, return_when=asyncio.FIRST_COMPLETED
            )
            if not ended.done():
                await _end(process)
            elif time.monotonic() - began < STARTING and process.returncode:
                self._failed = process.returncode if process.returncode > 0 else 1
                self._ending.set()
            else:
                fields = {"process": number, "code": process.returncode}
                _log.warning("a process ended and is started again", extra={"fields": fields})
            self._doors.pop(number).close()

    async def _started(self, number: int) -> asyncio.subprocess.Process:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        ours.setblocking(False)
        with theirs:
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "server.processes.one",
                str(theirs.fileno()),
                cwd=ROOT,
                env={**self._environment, PLACE: str(Process(number, self._of))},
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
            )
        self._doors[number] = ours
        return process

    async def _take(self, listening: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        held: set[asyncio.Task[None]] = set()
        while True:
            try:
                connection, _ = await loop.sock_accept(listening)
            except OSError:  # no file is left for it
                await asyncio.sleep(LOOK)
                continue
            task = asyncio.create_task(self._hand_on(connection))
            held.add(task)
            task.add_done_callback(held.discard)

    async def _hand_on(self, connection: socket.socket) -> None:
        with connection:
            gives_up = time.monotonic() + PATIENCE
            head = await _first_words(connection, gives_up)
            if not head:
                return
            workspace = workspace_in(head, self._cookie)
            to = next(self._next) % self._of if workspace is None else owner(workspace, self._of)
            while time.monotonic() < gives_up:
                try:
                    hand(self._doors[to], connection)
                    return
                except (KeyError, OSError):  # it is starting, or takes no more for the moment
                    await asyncio.sleep(LOOK)


async def _first_words(connection: socket.socket, gives_up: float) -> bytes:
    """The head of what comes, as far as it has come; nothing where nothing does."""
    connection.setblocking(False)
    while time.monotonic() < gives_up:
        try:
            head = connection.recv(HEAD, socket.MSG_PEEK)
        except BlockingIOError:
            await _readable(connection, gives_up - time.monotonic())
            continue
        except OSError:
            return b""
        if not head or is_whole(head) or len(head) == HEAD:
            return head
        await asyncio.sleep(LOOK)  # what has come stays, so that the system tells of no more
    return b""


async def _readable(connection: socket.socket, patience: float) -> None:
    loop, came = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(connection, came.set)
    try:
        async with asyncio.timeout(patience):
            await came.wait()
    except TimeoutError:
        pass
    finally:
        loop.remove_reader(connection)


async def _end(process: asyncio.subprocess.Process) -> None:
    process.terminate()
    try:
        async with asyncio.timeout(ENDING):
            await process.wait()
    except TimeoutError:
        process.kill()
        await process.wait()
