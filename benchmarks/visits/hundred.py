"""Steps of 100 visitors on one server, and of 300 visitors on one server and on two.

The one server has a database file. The two share a lake (PostgreSQL and a folder) behind the shipped nginx
configuration with sticky connections. Servers, proxy, PostgreSQL and visitors (`benchmarks.visits.visitors`) share the
machine's first two processors. Visitors arrive one after the other and then each move a slider every ten seconds; steps
are measured from when all are there.
"""

import asyncio
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from benchmarks.load import (
    HEAVY_TIMEOUT,
    JOURNEYS,
    MAX_P95,
    Measured,
    print_line,
    read_memory,
    read_processor_seconds,
    run_concurrently,
    two_processors,
)
from benchmarks.ratio import Ratio
from benchmarks.visits.visitors import Visitor
from data.settings import Settings
from data.store.store import Store
from tests import lake_servers, nginx
from tests.browser.conftest import UVICORN, Server, start_server

VISITORS, ARRIVING = 100, 120.0
MANY, MANY_ARRIVING = 300, 60.0
EVERY = 10.0
LASTS = 60.0
OPENED_BEFORE = 8
"""Visits to each page before the measurement, behind the proxy, which chooses one of two servers for each."""


def rows() -> Iterator[Ratio]:
    with two_processors():
        with _one_server() as server:
            hundred, grown = _measure(server.url, [server], VISITORS, ARRIVING)
        yield from _rows_of_hundred(hundred, grown)
        try:
            lake_servers.programs()
            nginx.program("nginx"), nginx.program("openssl")
        except FileNotFoundError as error:
            print(f"(no two servers: {error})", file=sys.stderr)
            return
        with _one_server() as server:
            single, _ = _measure(server.url, [server], MANY, MANY_ARRIVING)
        with _two_servers() as (address, servers):
            double, _ = _measure(address, servers, MANY, MANY_ARRIVING)
    yield from _rows_of_many(single, double)


def _rows_of_hundred(measured: Measured, grown: float) -> Iterator[Ratio]:
    yield Ratio(
        f"p95 of a step with {VISITORS} visitors, a step every {EVERY:g} s, one server ({measured.p95:.2f} s)",
        f"{MAX_P95:g} s",
        measured.p95 / MAX_P95,
        1,
        "at most",
    )
    yield Ratio(
        f"steps lost of {len(measured.steps)}, one server", "none", len(measured.failures), 0, "at most"
    )
    yield Ratio(
        f"memory per visitor who stays, one server ({grown:.1f} MB)", "10 MB", grown / 10, 1, "at most"
    )


def _rows_of_many(single: Measured, double: Measured) -> Iterator[Ratio]:
    yield Ratio(
        f"p95 of a step with {MANY} visitors, two servers of a lake behind nginx ({double.p95:.2f} s)",
        f"one server on a file ({single.p95:.2f} s)",
        double.p95 / single.p95,
        1,
        "at most",
    )
    yield Ratio(
        f"steps lost of {len(double.steps)}, two servers of a lake",
        "none",
        len(double.failures),
        0,
        "at most",
    )


@contextmanager
def _one_server() -> Iterator[Server]:
    with tempfile.TemporaryDirectory() as folder:
        server = start_server(Path(folder), UVICORN)
        try:
            yield server
        finally:
            server.stop()


@contextmanager
def _two_servers() -> Iterator[tuple[str, list[Server]]]:
    """Yield the address of the proxy, and the two servers behind it."""
    with ExitStack() as ending:
        folder = Path(ending.enter_context(tempfile.TemporaryDirectory()))
        postgres = ending.enter_context(lake_servers.postgres())
        lake = Settings(
            database=postgres.new_url(), data_path=str(folder / "lake"), spool=folder / "spool of the samples"
        )
        with Store(settings=lake) as store:
            store.ensure_samples()
        settings = nginx.HTTPS_SERVER | {
            "RATERSCOPE_DATABASE": lake.database,
            "RATERSCOPE_DATA_PATH": lake.data_path,
        }
        servers = []
        for number in ("1", "2"):
            (folder / number).mkdir()
            servers.append(start_server(folder / number, UVICORN, **settings))
            ending.callback(servers[-1].stop)
        (folder / "proxy").mkdir()
        folder.chmod(0o711)
        yield ending.enter_context(nginx.nginx(folder / "proxy", servers)).url, servers


def _measure(
    address: str, servers: Sequence[Server], visitors: int, arriving: float
) -> tuple[Measured, float]:
    """Measure the visitors' steps, and by how many megabytes the servers grow per visitor."""
    asyncio.run(_open_each_page(address))
    memory, processor = sum(map(read_memory, servers)), sum(map(read_processor_seconds, servers))
    measured = asyncio.run(run_concurrently(address, visitors, LASTS, EVERY, arriving=arriving))
    memory, processor = (
        sum(map(read_memory, servers)) - memory,
        sum(map(read_processor_seconds, servers)) - processor,
    )
    print_line(
        f"{visitors} visitors, servers: {len(servers)}; {measured.summary()}; "
        f"{processor:.0f} s of processor time of the servers, first openings included"
    )
    for failure in measured.failures[:5]:
        print_line(f"failed: {failure}")
    return measured, memory / visitors / 1e6


async def _open_each_page(address: str) -> None:
    """Open each page so that the cache holds what all visitors share."""
    for journey in JOURNEYS * OPENED_BEFORE:
        async with Visitor(address, journey.address, HEAVY_TIMEOUT) as visitor:
            await visitor.open()
