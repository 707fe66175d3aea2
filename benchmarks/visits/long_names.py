"""Bytes that pages send and memory that the server keeps for data sets with very long names.

Two data sets: one as an older version saved it, in which each of 100 raters has a name of 500,000 characters (as an
upload of 1.3 MB it is set aside today, which is checked first), and the worst that is accepted: distinct raters, items
and systems of 1,000 characters in each of 100,000 rows, as many groups as may be, and items that are named by texts of
500,000 characters. Every page is opened once before memory is measured, and then visited in turn.
"""

import asyncio
import gzip
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.load import print_line, read_memory, two_processors
from benchmarks.ratio import Ratio
from benchmarks.visits.visitors import Visitor
from data.errors import BadMapping
from data.settings import Settings
from data.store.store import Store
from tests.browser.conftest import Server, start_server
from tests.sample_database import sample_database

RATERS, ITEMS, LONG = 100, 6, 500_000
ROWS, NAME, TEXTS = 100_000, 1_000, 100
VISITS = 30
MOST_SENT, MOST_KEPT = 3.0, 3.0
"""Megabytes of a page, and by which the server may grow with each visit."""
PAGES = (
    *("overview", "distributions", "agreement", "crowd-vs-lab", "assessors", "items", "repetitions"),
    *("standing-in", "systems", "planning"),
)
PATIENCE = 300.0
HEADER = ("item_id", "rater_id", "score", "rater_group", "system")
MAPPING = {name: name for name in HEADER}


def rows() -> Iterator[Ratio]:
    with two_processors(), tempfile.TemporaryDirectory() as folder:
        keys, kept = prepare_database(Path(folder))
        yield Ratio(f"rows kept of an upload with names of {LONG:,} characters", "none", kept, 0, "at most")
        for name, key in keys.items():
            server = start_server(Path(folder))
            try:
                sent, grown = asyncio.run(visited(server, key))
            finally:
                server.stop()
            yield Ratio(
                f"largest page, {name} ({sent:.2f} MB)",
                f"{MOST_SENT:g} MB",
                sent / MOST_SENT,
                1,
                "at most",
            )
            yield Ratio(
                f"memory per visit, {name} ({grown:.1f} MB)",
                f"{MOST_KEPT:g} MB",
                grown / MOST_KEPT,
                1,
                "at most",
            )


def prepare_database(folder: Path) -> tuple[dict[str, str], int]:
    """Return the keys of both data sets in a database of this folder, and the number of rows kept of the long
    upload."""
    database = folder / "raterscope.duckdb"
    database.write_bytes(sample_database())
    settings = Settings(database=str(database), spool=folder / "spool")
    with Store(settings=settings) as store:
        upload = folder / "attack.csv.gz"
        write(upload, ((f"i{item}", f"r{rater}" + "x" * LONG, rater % 5, "g", "s") for item in range(ITEMS)
                       for rater in range(RATERS)))  # fmt: skip
        print_line(f"the upload has {upload.stat().st_size / 1e6:.1f} MB")
        try:
            rows_kept = store.add(upload, "ratings", MAPPING).rows_kept
        except BadMapping:
            rows_kept = 0
        short = folder / "short.csv.gz"
        write(short, ((f"i{item}", f"r{rater}", (rater + item) % 5, f"g{rater % 2}", f"s{item % 2}")
                      for item in range(ITEMS) for rater in range(RATERS)))  # fmt: skip
        older = store.add(short, "ratings", MAPPING, "older")
        with store._database.cursor() as cursor:
            cursor.execute(f"UPDATE rows_{older.id} SET rater_id = rater_id || repeat('x', {LONG})")
        worst = folder / "worst.csv.gz"
        write(worst, longest_rows(settings.groups))
        accepted_set = store.add(worst, "ratings", MAPPING, "worst")
        print_line(f"accepted: {accepted_set.rows_kept} rows, {accepted_set.rows_set_aside} set aside")
        keys = {
            f"stored names of {LONG:,} characters": store.link(older.id),
            f"{ROWS:,} rows of names of {NAME:,} characters": store.link(accepted_set.id),
        }
    return keys, rows_kept


def longest_rows(groups: int) -> Iterator[Sequence[object]]:
    """Return rows of distinct names of the longest accepted length; a few items are named by texts."""
    for number in range(ROWS):
        item, rater, system = (f"{kind}{number:07d}".ljust(NAME, "x") for kind in "irs")
        if number % (ROWS // TEXTS) == 0:
            item = f"{number} ".ljust(LONG, "t")
        yield item, rater, number % 5, f"g{number % groups}".ljust(NAME, "x"), system


def write(path: Path, lines: Iterator[Sequence[object]]) -> None:
    with gzip.open(path, "wt", encoding="utf-8", compresslevel=1) as file:
        file.write(",".join(HEADER) + "\n")
        file.writelines(",".join(map(str, line)) + "\n" for line in lines)


async def visited(server: Server, key: str) -> tuple[float, float]:
    """Megabytes of the largest page, and by how many the server grew with each visit."""
    sent = {page: await _opened(server, page, key) for page in PAGES}
    print_line(", ".join(f"{page} {size:.2f} MB" for page, size in sent.items()))
    before = read_memory(server)
    for visit in range(VISITS):
        await _opened(server, PAGES[visit % len(PAGES)], key)
    after = read_memory(server)
    print_line(f"memory from {before / 1e6:.0f} to {after / 1e6:.0f} MB in {VISITS} visits")
    return max(sent.values()), (after - before) / VISITS / 1e6


async def _opened(server: Server, page: str, key: str) -> float:
    async with Visitor(server.url, f"/{page}?d={key}", PATIENCE) as visitor:
        await visitor.open()
        return visitor.bytes / 1e6
