"""A study of 20,000,000 ratings: its import, its file, and every page of it, each on a server that was just started.

200,000 items, two groups of 5,003 raters, two measures, ten systems, 50 topics. Against what DuckDB takes to read the
same file into a table in the same run, as a notebook would begin. `python -m benchmarks.size.at_size 2000000` takes
another number of ratings; a folder behind it keeps the file and the database and begins with what is there.
"""

import asyncio
import os
import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import duckdb

from benchmarks.ratio import Ratio
from benchmarks.visits.visitors import Visitor
from data.settings import Settings
from data.store.store import Store
from tests.browser.conftest import Server, start_server

RATINGS = 20_000_000
PATIENCE = 900.0
PAGES = (
    "overview",
    "distributions",
    "agreement",
    "crowd-vs-lab",
    "repetitions",
    "standing-in",
    "systems",
    "assessors",
    "workers",
    "items",
    "planning",
)
RULE = "the least consistent"
"""Parameters of the sidebar that exclude one rater."""
LEFT_OUT = ("distributions", "repetitions", "crowd-vs-lab")
"""Pages on which a rater is left out."""
FIRST, SETTLED = 0.5, 1.5
"""Longest time of a page's main figure and of the whole page, as multiples of reading the file."""


@dataclass(frozen=True)
class Opened:
    """Seconds until the first figure of a page (NaN for none) and until it was complete, and the server's peak
    memory."""

    first: float
    settled: float
    memory: int


def rows() -> Iterator[Ratio]:
    with tempfile.TemporaryDirectory() as folder:
        yield from measure_study(RATINGS, Path(folder))


def measure_study(ratings: int, folder: Path) -> Iterator[Ratio]:
    """Time and memory of a study of so many ratings; its file and database in this folder."""
    size_in_words, path, database = (
        f"{ratings:,} ratings",
        folder / "ratings.csv",
        folder / "raterscope.duckdb",
    )
    if not path.exists():
        write(path, ratings)
    read_seconds = _time(lambda: _plain(path, folder))
    settings = Settings(database=str(database), spool=folder / "spool")
    if not database.exists():
        sys.stderr.write(f"(read_csv {read_seconds:.1f} s)\n")
        ours = _time(lambda: _import(path, settings))
        yield Ratio(
            f"import of {size_in_words}",
            "`CREATE TABLE AS` of `read_csv`",
            ours / read_seconds,
            1.5,
            "at most",
        )
    size = database.stat().st_size / (folder / "plain.duckdb").stat().st_size
    yield Ratio(f"database file of {size_in_words}", "the file of that table", size, 1.3, "at most")
    with Store(settings=settings) as store:
        [dataset] = store.datasets("benchmark")
        key = store.link(dataset.id)
        store.ensure_samples()
    sys.stderr.write(f"(read_csv {read_seconds:.1f} s)\n")
    for page in PAGES:
        opened = open_page(f"/{page}?d={key}", folder)
        sys.stderr.write(
            f"({page}: first figure {opened.first:.1f} s, settled {opened.settled:.1f} s, "
            f"{opened.memory / 1e9:.2f} GB)\n"
        )
        against = "`CREATE TABLE AS` of `read_csv`"
        if opened.first == opened.first:
            yield Ratio(
                f"first figure of {page}, {size_in_words}",
                against,
                opened.first / read_seconds,
                FIRST,
                "at most",
            )
        yield Ratio(
            f"the whole of {page}, {size_in_words}",
            against,
            opened.settled / read_seconds,
            SETTLED,
            "at most",
        )
    for page in LEFT_OUT:
        opened = open_page(f"/{page}?d={key}", folder, RULE)
        sys.stderr.write(
            f"({page}, a rater left out: first figure {opened.first:.2f} s, settled {opened.settled:.1f} s, "
            f"{opened.memory / 1e9:.2f} GB)\n"
        )
        what = f"{page}, one of the raters of {size_in_words} left out until its first figure ({opened.first:.2f} s)"
        yield Ratio(what, "1 s", opened.first, 1, "at most")


def write(path: Path, ratings: int) -> None:
    """Write so many ratings, 25 of each item on each measure by each group; no rater rates an item twice."""
    raters = next_prime(max(ratings // 4000, 53))
    each, place = (
        4 * 25,
        f"((hash(i // 100) % {raters} + (i % 100) // 4 * (1 + hash(i // 100, 5) % {raters - 1}))",
    )
    draft = path.with_suffix(".draft")
    with duckdb.connect() as connection:
        connection.execute("SET memory_limit = '2GB'")
        connection.execute("SET preserve_insertion_order = false")
        connection.execute(
            f"""COPY (
                WITH votes AS (
                    SELECT i, i // {each} AS item, {place}% {raters})::BIGINT AS rater,
                        CASE WHEN i % 4 < 2 THEN 'crowd' ELSE 'lab' END AS "group",
                        CASE WHEN i % 2 = 0 THEN 'quality' ELSE 'fluency' END AS measure
                    FROM range({ratings}) numbers(i))
                SELECT format('item_{{:06d}}', item) AS item, format('{{}}_{{:05d}}', "group", rater) AS rater,
                    "group", measure, format('system_{{:02d}}', item % 10) AS system,
                    format('topic_{{:03d}}', item // 10 % 50) AS topic,
                    least(5, greatest(1, round(3 + item % 10 * 0.08 + (hash(item, 1) % 1000 / 1000.0 - 0.5) * 2
                        + (hash(rater, 4 + i % 4 // 2) % 1000 / 1000.0 - 0.5)
                        + (hash(i, 3) % 1000 / 1000.0 - 0.5) * (1.5 + rater % 7 * 0.5))))::INTEGER AS score
                FROM votes
            ) TO '{draft}' (HEADER)"""
        )
    draft.rename(path)


def next_prime(least: int) -> int:
    """Return the smallest prime not below a number.

    >>> next_prime(5000), next_prime(53)
    (5003, 53)
    """
    number = least
    while any(number % factor == 0 for factor in range(2, int(number**0.5) + 1)):
        number += 1
    return number


def open_page(address: str, folder: Path, rule: str = "") -> Opened:
    """Open one page on a new server, so that nothing is cached."""
    server = start_server(folder)
    try:
        return time_page(server, address, rule)
    finally:
        server.stop()


def time_page(server: Server, address: str, rule: str = "") -> Opened:
    """Time one page on a running server; with a rule, the step that excludes raters by it."""

    async def visit() -> tuple[float, float]:
        async with Visitor(server.url, address, PATIENCE) as visitor:
            step = await visitor.open()
            if rule:
                step = await visitor.move("rule", lambda _: rule)
        return step.figure, step.end

    first, settled = asyncio.run(visit())
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    peak = re.search(r"VmHWM:\s+(\d+) kB", status)
    return Opened(first, settled, int(peak[1]) * 1024 if peak else 0)


def _import(path: Path, settings: Settings) -> None:
    with Store(settings=settings) as store:
        store.add(path, workspace="benchmark")


def _plain(path: Path, folder: Path) -> None:
    target = folder / "plain.duckdb"
    target.unlink(missing_ok=True)
    with duckdb.connect(target) as connection:
        connection.execute("CREATE TABLE ratings AS SELECT * FROM read_csv(?)", [str(path)])


def _time(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def print_rows(measure_study: Callable[[int, Path], Iterator[Ratio]]) -> None:
    """Print the rows for the number of ratings and the folder on the command line."""
    number, *folders = sys.argv[1:] or [str(RATINGS)]
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(folders[0] if folders else temporary)
        os.makedirs(folder, exist_ok=True)
        for row in measure_study(int(number), folder):
            sys.stdout.write(f"{row.as_markdown()}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    print_rows(measure_study)
