"""A visitor moves a slider, and a watcher asks for health, while others flood the server with requests for runs.

The floods speak Streamlit's protocol: 20,000 requests in one burst by a page that leaves at once, one page that asks
for 900 runs a second, and eight such pages, each of a separate browser. They run in a separate process. Alone
and beside a flood the visitor makes as many steps, half of those alone before and half after.
"""

import asyncio
import http.client
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
from streamlit.proto.BackMsg_pb2 import BackMsg
from websockets.exceptions import WebSocketException

from benchmarks.load import pinned_server, print_line
from benchmarks.ratio import Ratio
from benchmarks.visits.visitors import Visitor, unique_numbers
from tests.attacks.visit import Visit
from tests.browser.conftest import ROOT, Server

ADDRESS = "/repetitions?d=sample-summaries"
STEPS = 60
PAUSE = 0.25
HEALTH_LIMIT = 0.3
MAX_SLOWDOWN = {"burst": 0.3, "one page": 0.3, "eight pages": 1.0}
"""Seconds by which a step may be slower beside each flood."""
BURST = 20_000
BETWEEN_BURSTS = 3.0
RUNS_A_SECOND = 900


def rows() -> Iterator[Ratio]:
    with tempfile.TemporaryDirectory() as folder:
        with pinned_server(Path(folder)) as server:
            asyncio.run(_steps(server.url, STEPS // 2))
            for flood, slower in MAX_SLOWDOWN.items():
                yield from compare_with_flood(server, flood, slower)
        yield Ratio("errors in the server's log", "none", len(server.errors()), 0, "at most")


def compare_with_flood(server: Server, flood: str, slower: float) -> Iterator[Ratio]:
    """Compare the same steps alone and during a flood."""
    unflooded = asyncio.run(_steps(server.url, STEPS // 2))
    with _run_flood(server.url, flood), _watch_health(server.url) as waits:
        time.sleep(1)
        flooded = asyncio.run(_steps(server.url, STEPS))
    time.sleep(2)
    unflooded += asyncio.run(_steps(server.url, STEPS // 2))
    for name, statistic in (
        ("median", statistics.median),
        ("p95", lambda times: float(np.quantile(times, 0.95))),
    ):
        yield Ratio(
            f"{flood}: {name} of a step meanwhile ({statistic(flooded):.2f} s), what it adds",
            f"{slower:g} s; alone {statistic(unflooded):.2f} s",
            (statistic(flooded) - statistic(unflooded)) / slower,
            1,
            "at most",
        )
    print_line(f"{flood}: health answered {len(waits)} times, longest {max(waits):.3f} s")
    yield Ratio(
        f"{flood}: longest wait for health ({max(waits):.2f} s)",
        f"{HEALTH_LIMIT:g} s",
        max(waits) / HEALTH_LIMIT,
        1,
        "at most",
    )


async def _steps(url: str, count: int) -> list[float]:
    async with Visitor(url, ADDRESS) as visitor:
        await visitor.open()
        choose = unique_numbers(0, 1, 100, 300)
        times = []
        for _ in range(count):
            times.append((await visitor.move("shuffles", choose)).end)
            await asyncio.sleep(PAUSE)
        return times


@contextmanager
def _watch_health(url: str) -> Iterator[list[float]]:
    """Measure the response time of the health check, requested ten times a second."""
    waits: list[float] = []
    ended = threading.Event()

    def watch() -> None:
        while not ended.wait(0.1):
            start = time.perf_counter()
            connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=120)
            connection.request("GET", "/_stcore/health")
            connection.getresponse().read()
            connection.close()
            waits.append(time.perf_counter() - start)

    watching = threading.Thread(target=watch)
    watching.start()
    try:
        yield waits
    finally:
        ended.set()
        watching.join()


@contextmanager
def _run_flood(url: str, flood: str) -> Iterator[None]:
    process = subprocess.Popen([sys.executable, "-m", "benchmarks.visits.floods", url, flood], cwd=ROOT)
    try:
        yield
    finally:
        process.kill()
        process.wait()


def _request(url: str) -> bytes:
    message = BackMsg()
    message.rerun_script.page_name = "repetitions"
    message.rerun_script.query_string = "d=sample-summaries"
    message.rerun_script.context_info.url = f"{url}/repetitions"
    return message.SerializeToString()


def _send_bursts(url: str) -> None:
    """Send 20,000 requests and drop the connection at once, again and again."""
    message = _request(url)
    while True:
        with suppress(OSError, WebSocketException), Visit(url).websocket() as opened:
            for _ in range(BURST):
                opened.send(message)
            opened.socket.shutdown(socket.SHUT_RDWR)
        time.sleep(BETWEEN_BURSTS)


def _send_steadily(url: str) -> None:
    """Send 900 requests a second and read whatever comes back; connect anew where the connection is closed."""
    message = _request(url)
    while True:
        with suppress(OSError, WebSocketException), Visit(url) as visit, visit.websocket() as opened:
            threading.Thread(target=_read, args=(opened,), daemon=True).start()
            while True:
                opened.send(message)
                time.sleep(1 / RUNS_A_SECOND)


def _read(opened) -> None:  # type: ignore[no-untyped-def]
    with suppress(OSError, WebSocketException):
        while True:
            opened.recv()


if __name__ == "__main__":
    _, address, name = sys.argv
    if name == "burst":
        _send_bursts(address)
    for _ in range(7 if name == "eight pages" else 0):
        threading.Thread(target=_send_steadily, args=(address,), daemon=True).start()
    _send_steadily(address)
