"""Many visitors at one server: twenty against one, how many it bears, what they cost, and a heavy one among them.

One server process and this one, which plays all visitors (`benchmarks.visits.visitors`), share the machine's first two
processors; nothing leaves the loopback interface. Every visitor opens a link of one of `JOURNEYS` and then moves
one control every four seconds, each beginning at a different moment. A step is measured from the moment at which it
was due (so a visitor who is kept waiting counts in full) to the end of the page's script. Shuffles move to numbers
that nobody has seen; what other controls show may be in the server's cache after a round. The first opening of a
page, which computes its intervals, is not a step; it is reported separately.

The single visitor takes the same journeys one after the other, before and after the twenty.
"""

import asyncio
import math
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from websockets.exceptions import ConnectionClosed

from benchmarks.ratio import Ratio
from benchmarks.visits.visitors import TIMEOUT, Control, VisitFailed, Visitor, next_option, unique_numbers
from data.formats.readers import sniff
from data.mapping.proposal import propose
from data.settings import Settings
from data.store.store import Store
from tests.browser.conftest import Server, start_server

STEP_INTERVAL = 4.0
"""Seconds between two steps of one visitor."""
VISITORS = 20
DURATION = 60.0
STEPS_OF_SINGLE = 12
PAUSE_ALONE = 0.5
VISITOR_COUNTS = (30, 40, 60, 80, 100, 120)
GROWTH_DURATION = 24.0
MAX_P95 = 2.0
HEAVY_DURATION = 24.0
HEAVY_TIMEOUT = 600.0
HEAVY_ROUNDS = 3
SESSION_LIFETIME = 125.0
"""Streamlit keeps a visit for two minutes after its connection has gone, for a browser that comes back."""


@dataclass(frozen=True)
class Journey:
    """Link and the control that its visitor moves."""

    address: str
    control: str
    choose: Callable[[int], Callable[[Control], object]]
    """Return what the visitor of a number does with the control."""


def _choose_shuffles(number: int) -> Callable[[Control], object]:
    return unique_numbers(number, 199, 100, 300)


def _choose_options(number: int) -> Callable[[Control], object]:
    return next_option


JOURNEYS = (
    Journey("/repetitions?d=sample-summaries", "shuffles", _choose_shuffles),
    Journey("/crowd-vs-lab?d=sample-summaries", "picture", _choose_options),
    Journey("/assessors?d=sample-assessors&question=What+if+they+go", "ranked_by", _choose_options),
    Journey(
        "/systems?d=sample-comparisons&about=Any+two+systems", "dropped", lambda n: unique_numbers(n, 1, 0, 6)
    ),
    Journey("/distributions?d=sample-summaries", "show", _choose_options),
    Journey("/repetitions?d=sample-comparisons", "shuffles", _choose_shuffles),
    Journey("/distributions?d=sample-assessors", "show", _choose_options),
    Journey("/workers?d=sample-summaries", "ranked_measure", _choose_options),
)

HEAVY = {
    "knee intervals": "/repetitions?d=sample-summaries&seed={n}",
    "knee intervals, 100,000 ratings": "/repetitions?d={ratings}&seed={n}",
    "stopping rules": "/repetitions?d=sample-summaries&section=Stopping+rules&seed={n}",
    "Crowd vs lab of the assessors, with Kendall": "/crowd-vs-lab?d=sample-assessors&seed={n}",
    "Crowd vs lab, 100,000 ratings": "/crowd-vs-lab?d={ratings}&seed={n}",
    "ranking of the workers, 100,000 ratings": "/workers?d={ratings}&seed={n}",
    "draws of labels by Dawid-Skene and GLAD": "/systems?d={labels}&about=Against+known+answers&label_seed={n}",
    "intervals of the scale": "/systems?d=sample-comparisons&about=All+systems&scale_seed={n}",
    "random exclusions": "/assessors?d=sample-assessors&question=What+if+they+go&seed={n}",
}


@dataclass
class Measured:
    """Times of many steps, and their failures."""

    steps: list[float] = field(default_factory=list)
    figures: list[float] = field(default_factory=list)
    opened: list[float] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)

    def __iadd__(self, other: "Measured") -> "Measured":
        self.steps += other.steps
        self.figures += other.figures
        self.opened += other.opened
        self.failures += other.failures
        return self

    @property
    def p95(self) -> float:
        return float(np.quantile(self.steps, 0.95)) if self.steps else math.inf

    def summary(self) -> str:
        if not self.steps:
            return f"no step; failures: {self.failures[:3]}"
        return (
            f"{len(self.steps)} steps, median {statistics.median(self.steps):.2f} s, p95 {self.p95:.2f} s, "
            f"longest {max(self.steps):.2f} s; figure after {_median(self.figures):.2f} s; opened in "
            f"{_median(self.opened):.1f} s (longest {max(self.opened, default=0):.1f}); {len(self.failures)} failed"
        )


@contextmanager
def two_processors() -> Iterator[None]:
    """Keep this process and those that it starts to the machine's first two processors."""
    processors = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, processors[:2])
    try:
        yield
    finally:
        os.sched_setaffinity(0, processors)


@contextmanager
def pinned_server(folder: Path) -> Iterator[Server]:
    """Server that shares the machine's first two processors with this process."""
    with two_processors():
        server = start_server(folder)
        try:
            yield server
        finally:
            server.stop()


def rows() -> Iterator[Ratio]:
    with tempfile.TemporaryDirectory() as folder:
        keys = add_studies(Path(folder))
        with pinned_server(Path(folder)) as server:
            yield from measure_twenty(server)
            yield from measure_heavy(server, keys)
            yield from measure_growth(server)
        log = server.log.read_text(errors="replace")
        yield Ratio("failures in the server's log", "none", log.count("Traceback"), 0, "at most")


def add_studies(folder: Path) -> dict[str, str]:
    """Add two large studies to the server's store; return their readers' keys."""
    rng = np.random.default_rng(0)
    with Store(
        settings=Settings(database=str(folder / "raterscope.duckdb"), spool=folder / "spool")
    ) as store:
        keys = {}
        for name, kind, write in (("ratings", "ratings", _ratings), ("labels", "choices", _labels)):
            path = folder / f"{name}.csv"
            write(path, rng)
            keys[name] = store.link(store.add(path, kind, propose(sniff(path), kind).mapping, name).id)
    return keys


def _ratings(path: Path, rng: np.random.Generator) -> None:
    """Write 100,000 ratings of 2,000 items: 40 each by a crowd of 500, 10 by a laboratory of 50."""
    quality = rng.normal(3, 0.8, 2000)
    lines = ["item_id,rater_id,rater_group,score"]
    for group, raters, per_item in (("crowd", 500, 40), ("lab", 50, 10)):
        for item, true in enumerate(quality):
            scores = np.clip(np.rint(rng.normal(true, 1, per_item)), 1, 5).astype(int)
            chosen = rng.choice(raters, per_item, replace=False)
            lines += [
                f"i{item},{group}{rater},{group},{score}"
                for rater, score in zip(chosen.tolist(), scores.tolist(), strict=True)
            ]
    path.write_text("\n".join(lines) + "\n")


def _labels(path: Path, rng: np.random.Generator) -> None:
    """Write 20,000 labels of 4,000 items by 100 workers, with gold for a quarter."""
    labels = np.array(["cat", "dog", "fox", "owl"])
    accuracy = rng.uniform(0.4, 0.95, 100)
    lines = ["item_id,rater_id,choice,gold"]
    for item in range(4000):
        truth = rng.integers(4)
        for rater in rng.choice(100, 5, replace=False):
            chosen = truth if rng.random() < accuracy[rater] else rng.integers(4)
            lines.append(f"t{item},w{rater},{labels[chosen]},{labels[truth] if item % 4 == 0 else ''}")
    path.write_text("\n".join(lines) + "\n")


def measure_twenty(server: Server) -> Iterator[Ratio]:
    """Compare twenty concurrent visitors with a single one, and measure their cost."""
    single = asyncio.run(run_alone(server.url, 0))
    before, processor_seconds = read_memory(server), read_processor_seconds(server)
    concurrent = asyncio.run(run_concurrently(server.url, VISITORS, DURATION))
    processor_seconds = read_processor_seconds(server) - processor_seconds
    single += asyncio.run(run_alone(server.url, 1))
    print_line(f"alone: {single.summary()}")
    print_line(
        f"{VISITORS} at once: {concurrent.summary()}; "
        f"the server grew by {(read_memory(server) - before) / 1e6:.0f} MB "
        f"and used {processor_seconds:.0f} s of a processor, openings included"
    )
    for failure in (single.failures + concurrent.failures)[:5]:
        print_line(f"failed: {failure}")
    yield Ratio(
        f"p95 of a step with {VISITORS} visitors ({concurrent.p95:.2f} s)",
        f"a single visitor ({single.p95:.2f} s)",
        concurrent.p95 / single.p95,
        4,
        "at most",
    )
    yield Ratio(
        f"errors in {len(concurrent.steps)} steps of {VISITORS} visitors",
        "none",
        len(concurrent.failures),
        0,
        "at most",
    )


def measure_growth(server: Server) -> Iterator[Ratio]:
    """Add visitors step by step until they wait too long; measure their memory, and the rest after they have left."""
    p95_by_count, highest_count = [], VISITORS
    for count in VISITOR_COUNTS:
        before = read_memory(server)
        measured = asyncio.run(run_concurrently(server.url, count, GROWTH_DURATION))
        print_line(
            f"{count} at once: {measured.summary()}; server {before / 1e6:.0f} to {read_memory(server) / 1e6:.0f} MB",
        )
        p95_by_count.append(f"{count}: {measured.p95:.1f} s")
        if measured.p95 > MAX_P95 or measured.failures:
            break
        highest_count = count
    yield Ratio(
        f"most visitors with p95 within {MAX_P95:g} s (p95 at {', '.join(p95_by_count)})",
        f"{VISITORS} visitors",
        highest_count / VISITORS,
        1,
        "at least",
    )
    yield from measure_memory(server)


def measure_memory(server: Server) -> Iterator[Ratio]:
    """Measure the memory of a visit and its release, with a second crowd after the first has expired."""
    crowd = 2 * VISITORS
    time.sleep(SESSION_LIFETIME)
    empty = asyncio.run(_memory_with_open(server, len(JOURNEYS)))
    first = asyncio.run(_memory_with_open(server, crowd))
    time.sleep(SESSION_LIFETIME)
    after_expiry = read_memory(server)
    second = asyncio.run(_memory_with_open(server, crowd))
    print_line(
        f"memory: {empty / 1e6:.0f} MB; with {crowd} visits open {first / 1e6:.0f} MB, so "
        f"{(first - empty) / crowd / 1e6:.1f} MB each; "
        f"{SESSION_LIFETIME:.0f} s after they left {after_expiry / 1e6:.0f} MB; with as many anew {second / 1e6:.0f} MB"
    )
    yield Ratio(
        f"memory with {crowd} visits after as many have left",
        "the first time",
        second / first,
        1.1,
        "at most",
    )


async def _memory_with_open(server: Server, count: int) -> float:
    """Return the server's memory while so many visits are open."""
    async with AsyncExitStack() as stack:
        visitors = [
            await stack.enter_async_context(
                Visitor(server.url, JOURNEYS[number % len(JOURNEYS)].address, HEAVY_TIMEOUT)
            )
            for number in range(count)
        ]
        await asyncio.gather(*(visitor.open() for visitor in visitors))
        return read_memory(server)


def measure_heavy(server: Server, keys: dict[str, str]) -> Iterator[Ratio]:
    """Measure the effect of each heavy computation on an idle server and on five visitors."""
    freezes = {}
    for number, (name, address) in enumerate(HEAVY.items()):
        idle, _ = asyncio.run(_probe(server.url, asyncio.sleep(2)))
        freeze, seconds = asyncio.run(
            _probe(server.url, _open(server.url, address.format(n=1000 + number, **keys)))
        )
        print_line(
            f"{name}: {seconds:.1f} s, longest freeze {freeze * 1000:.0f} ms (idle {idle * 1000:.0f} ms)"
        )
        freezes[name] = freeze
    worst = max(freezes, key=freezes.__getitem__)
    yield Ratio(
        f"longest freeze of the server in a computation ({worst})",
        "0.1 s",
        freezes[worst] / 0.1,
        2.5,
        "at most",
    )
    with_heavy, without, longest = Measured(), Measured(), 0.0
    for round_ in range(HEAVY_ROUNDS):
        _, _, quiet = asyncio.run(_measure_five(server.url, []))
        addresses = [a.format(n=2000 + 100 * round_ + i, **keys) for i, a in enumerate(HEAVY.values())]
        freeze, done, busy = asyncio.run(_measure_five(server.url, addresses))
        print_line(
            f"round {round_ + 1}: without {quiet.summary()}; with {busy.summary()}; {done} heavy pages, "
            f"freeze {freeze:.2f} s"
        )
        without += quiet
        with_heavy += busy
        longest = max(longest, freeze)
    yield Ratio(
        f"p95 of five visitors beside a heavy one ({with_heavy.p95:.2f} s; longest freeze {longest:.2f} s)",
        f"without it ({without.p95:.2f} s)",
        with_heavy.p95 / without.p95,
        4,
        "at most",
    )
    yield Ratio("errors beside a heavy visitor", "none", len(with_heavy.failures), 0, "at most")


async def _measure_five(url: str, addresses: Sequence[str]) -> tuple[float, int, Measured]:
    """Measure five visitors while another one opens these addresses in turn; return the longest silence, the number of
    openings and the times."""
    done = 0

    async def work() -> None:
        nonlocal done
        for address in addresses:
            await _open(url, address)
            done += 1

    async def five() -> Measured:
        busy = asyncio.create_task(work())
        try:
            return await run_concurrently(url, 5, HEAVY_DURATION, 1.5)
        finally:
            busy.cancel()
            await asyncio.gather(busy, return_exceptions=True)

    task = asyncio.create_task(five())
    freeze, _ = await _probe(url, task)
    return freeze, done, task.result()


async def _open(url: str, address: str) -> None:
    async with Visitor(url, address, HEAVY_TIMEOUT) as visitor:
        await visitor.open()


async def _probe(url: str, work: Awaitable[object]) -> tuple[float, float]:
    """Return the longest time without an answer to a ping during `work`, and the duration of `work`."""
    longest = 0.0

    async def probe() -> None:
        nonlocal longest
        async with Visitor(url, "/data") as idle:
            while True:
                longest = max(longest, await idle.ping())
                await asyncio.sleep(0.005)

    probing = asyncio.create_task(probe())
    await asyncio.sleep(0.5)
    longest = 0.0
    started = time.perf_counter()
    try:
        await work
    finally:
        probing.cancel()
        await asyncio.gather(probing, return_exceptions=True)
    return longest, time.perf_counter() - started


async def run_alone(url: str, round_: int) -> Measured:
    """Run one visitor at a time on every journey, with a pause before each step."""
    measured = Measured()
    for index, journey in enumerate(JOURNEYS):
        with record_failure(journey, measured):
            async with visit(url, journey, 100 + 10 * round_ + index, measured) as step:
                for _ in range(STEPS_OF_SINGLE):
                    await asyncio.sleep(PAUSE_ALONE)
                    await step(time.perf_counter())
    return measured


async def run_concurrently(
    url: str, count: int, lasts: float, every: float = STEP_INTERVAL, arriving: float = 0
) -> Measured:
    """Run so many concurrent visitors, who open their links at the same time and then move at different times.

    Over `arriving` seconds they open one after the other, and move when all are there.
    """
    measured, rng = Measured(), random.Random(count)
    barrier = asyncio.Barrier(count if arriving else 1)

    async def one(number: int, begins: float) -> None:
        await asyncio.sleep(arriving * number / count)
        journey, is_there = JOURNEYS[number % len(JOURNEYS)], False
        with record_failure(journey, measured):
            async with visit(url, journey, number, measured) as step:
                is_there = True
                await barrier.wait()
                due = time.perf_counter() + begins
                ends = time.perf_counter() + lasts
                while due < ends:
                    await asyncio.sleep(max(due - time.perf_counter(), 0))
                    await step(due)
                    due += every
        if not is_there:
            await barrier.wait()  # the others wait for as many as set out

    await asyncio.gather(*(one(number, rng.uniform(0, every)) for number in range(count)))
    return measured


@asynccontextmanager
async def visit(
    url: str, journey: Journey, number: int, measured: Measured
) -> AsyncIterator[Callable[[float], Awaitable[None]]]:
    """Open a visit and move its control once, and yield a function that takes one more step, given the time at which it
    was due."""
    choose = journey.choose(number)
    async with Visitor(url, journey.address, HEAVY_TIMEOUT) as visitor:
        measured.opened.append((await visitor.open()).end)
        visitor.patience = TIMEOUT
        await visitor.move(journey.control, choose)

        async def step(due: float) -> None:
            late = time.perf_counter() - due
            took = await visitor.move(journey.control, choose)
            measured.steps.append(late + took.end)
            if not math.isnan(took.figure):
                measured.figures.append(late + took.figure)

        yield step


@contextmanager
def record_failure(journey: Journey, measured: Measured) -> Iterator[None]:
    """Record an error of a visit, also during its opening, instead of raising it."""
    try:
        yield
    except (VisitFailed, OSError, TimeoutError, ConnectionClosed) as error:
        measured.failures.append(f"{journey.address}: {type(error).__name__} {error}")


def read_memory(server: Server) -> float:
    """Return the memory of the server's process in bytes."""
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    return 1024 * float(next(line.split()[1] for line in status.splitlines() if line.startswith("VmRSS")))


def read_processor_seconds(server: Server) -> float:
    """Return the processor seconds of the server's process, which other load on the machine hardly affects."""
    fields = Path(f"/proc/{server.process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _median(values: Sequence[float]) -> float:
    return statistics.median(values) if values else math.nan


def print_line(line: str) -> None:
    print(f"({line})", file=sys.stderr, flush=True)


if __name__ == "__main__":
    for row in rows():
        print(row.as_markdown(), flush=True)
