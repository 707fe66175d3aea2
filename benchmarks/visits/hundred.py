"""A hundred visitors, and three hundred, who each move a slider every ten seconds: on one process and on two, a file
underneath.

Servers and visitors (`benchmarks.visits.visitors`) share the machine's first two processors. The visitors come within
two minutes; steps are measured from when all are there. Two processes stand behind one address
(`python -m server --processes 2`), and the process above them holds the file.
"""

import asyncio
import os
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
from tests.browser.conftest import SEVERAL, STREAMLIT, Server, start_server

VISITORS = 100
MANY, MANY_ARRIVING = 300, 60.0
EVERY = 10.0
ARRIVING = 120.0
LASTS = 60.0
AGAIN = 4
"""How often each page is opened before: visits fall to processes by chance, and each process has a shelf of its own."""


def rows() -> Iterator[Ratio]:
    processors = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, processors[:2])
    try:
        one, one_grown = _visited(STREAMLIT, VISITORS, ARRIVING)
        two, two_grown = _visited(SEVERAL, VISITORS, ARRIVING)
        one_of_many, _ = _visited(STREAMLIT, MANY, MANY_ARRIVING)
        two_of_many, _ = _visited(SEVERAL, MANY, MANY_ARRIVING)
    finally:
        os.sched_setaffinity(0, processors)
    for name, found, grown in (("one process", one, one_grown), ("two processes", two, two_grown)):
        yield Ratio(
            f"p95 of a step with {VISITORS} visitors, a step every {EVERY:g} s, {name} ({found.p95:.2f} s)",
            f"{TOO_SLOW:g} s",
            found.p95 / TOO_SLOW,
            1,
            "at most",
        )
        yield Ratio(f"steps lost of {len(found.steps)}, {name}", "none", len(found.failures), 0, "at most")
        yield Ratio(
            f"memory per visitor who stays, {name} ({grown:.1f} MB)", "10 MB", grown / 10, 1, "at most"
        )
    yield Ratio(
        f"p95 of a step with {MANY} visitors, two processes ({two_of_many.p95:.2f} s)",
        f"one process ({one_of_many.p95:.2f} s)",
        two_of_many.p95 / one_of_many.p95,
        1,
        "at most",
    )


def _visited(command: tuple[str, ...], visitors: int, arriving: float) -> tuple[Measured, float]:
    """The steps of so many visitors, and the megabytes by which the server grew for each."""
    with tempfile.TemporaryDirectory() as folder:
        server = start_server(Path(folder), command)
        try:
            asyncio.run(_each_page_once(server))
            before, used = memory_of(server), processor_of(server)
            found = asyncio.run(together(server.url, visitors, LASTS, EVERY, arriving=arriving))
            used, grown = processor_of(server) - used, (memory_of(server) - before) / visitors / 1e6
        finally:
            server.stop()
    tell(f"{command[0]}, {visitors}: {found.told()}; {used:.0f} s of a processor, openings included")
    for failure in found.failures[:5]:
        tell(f"failed: {failure}")
    return found, grown


async def _each_page_once(server: Server) -> None:
    """What is computed once for everybody is there before the visitors come."""
    for journey in JOURNEYS * AGAIN:
        async with Visitor(server.url, journey.address, HEAVY_PATIENCE) as visitor:
            await visitor.open()
