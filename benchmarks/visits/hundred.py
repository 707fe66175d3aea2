"""A hundred visitors who each move a slider every ten seconds, and whether two processes bear them better than one.

Servers and visitors (`benchmarks.visits.visitors`) share the machine's first two processors. The visitors come within
two minutes; steps are measured from when all are there. Two processes cannot open one DuckDB file, so they share a
lake (PostgreSQL and a folder, on this machine), and one process on the same lake stands beside them.
"""

import asyncio
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.load import (
    HEAVY_PATIENCE,
    JOURNEYS,
    TOO_SLOW,
    Measured,
    memory_of,
    processor_of,
    tell,
    together,
)
from benchmarks.ratio import Ratio
from benchmarks.visits.visitors import Visitor
from tests import lake_servers
from tests.browser.conftest import Server, start_server

VISITORS = 100
EVERY = 10.0
ARRIVING = 120.0
LASTS = 60.0


def rows() -> Iterator[Ratio]:
    processors = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, processors[:2])
    try:
        with tempfile.TemporaryDirectory() as folder:
            yield from _one_file(Path(folder))
        try:
            lake_servers.programs()
        except FileNotFoundError as error:
            print(f"(no lake: {error})", file=sys.stderr)
            return
        with tempfile.TemporaryDirectory() as folder, lake_servers.postgres() as postgres:
            yield from _on_a_lake(Path(folder), postgres.new_url())
    finally:
        os.sched_setaffinity(0, processors)


def _one_file(folder: Path) -> Iterator[Ratio]:
    server = start_server(folder)
    try:
        asyncio.run(_each_page_once(server))
        before = memory_of(server)
        found = _hundred([server], "one process, a file")
        grown = (memory_of(server) - before) / VISITORS / 1e6
    finally:
        server.stop()
    yield Ratio(
        f"p95 of a step with {VISITORS} visitors, a step every {EVERY:g} s ({found.p95:.2f} s)",
        f"{TOO_SLOW:g} s",
        found.p95 / TOO_SLOW,
        1,
        "at most",
    )
    yield Ratio(f"steps lost of {len(found.steps)}", "none", len(found.failures), 0, "at most")
    yield Ratio(f"memory per visitor who stays ({grown:.1f} MB)", "10 MB", grown / 10, 1, "at most")


def _on_a_lake(folder: Path, url: str) -> Iterator[Ratio]:
    """Two processes against one, both on this lake."""
    found = {}
    for count in (1, 2):
        servers = []
        try:
            for number in range(count):
                place = folder / f"{count}-{number}"
                place.mkdir()
                servers.append(
                    start_server(place, RATERSCOPE_DATABASE=url, RATERSCOPE_DATA_PATH=str(folder / "lake"))
                )
            for server in servers:
                asyncio.run(_each_page_once(server))
            found[count] = _hundred(servers, f"{count} on a lake")
        finally:
            for server in servers:
                server.stop()
    yield Ratio(
        f"p95 of a step with two processes on a lake ({found[2].p95:.2f} s)",
        f"one process on the same lake ({found[1].p95:.2f} s)",
        found[2].p95 / found[1].p95,
        1,
        "at most",
    )


async def _each_page_once(server: Server) -> None:
    """What is computed once for everybody is there before the visitors come."""
    for journey in JOURNEYS:
        async with Visitor(server.url, journey.address, HEAVY_PATIENCE) as visitor:
            await visitor.open()


def _hundred(servers: list[Server], name: str) -> Measured:
    used = sum(processor_of(server) for server in servers)
    found = asyncio.run(
        together([server.url for server in servers], VISITORS, LASTS, EVERY, arriving=ARRIVING)
    )
    used = sum(processor_of(server) for server in servers) - used
    tell(f"{name}: {found.told()}; {used:.0f} s of a processor, openings included")
    for failure in found.failures[:5]:
        tell(f"failed: {failure}")
    return found
