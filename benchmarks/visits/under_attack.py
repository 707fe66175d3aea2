"""Twenty visitors move controls while one more attacks the server: hostile uploads, handshakes and messages.

The twenty are those of `benchmarks.load`, at the same moments with and without the attacker, after the pages were
opened once. The attacker is a separate process and plays all at once without a pause: a cell of 20,000 digits and a
letter, quotes that open and never close, quotes that make one endless row, a packed table of 1,990 columns, handshakes
from foreign origins, and messages that would empty the caches. An upload is followed through to what the page says.
Then four visitors beside the files alone: none may delay another's step by more than 0.3 s.
"""

import asyncio
import gzip
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from streamlit.proto.BackMsg_pb2 import BackMsg
from websockets.exceptions import WebSocketException

from benchmarks.load import VISITORS, Measured, pinned_server, print_line, run_concurrently
from benchmarks.ratio import Ratio
from tests.attacks.visit import Visit
from tests.browser.conftest import ROOT, Server

WARM = 8.0
LASTS = 40.0
FEW_VISITORS = 4
MOST_DELAY = 0.3


def rows() -> Iterator[Ratio]:
    with tempfile.TemporaryDirectory() as folder, pinned_server(Path(folder)) as server:
        yield from measure_twenty(server)
        yield from measure_with_files(server)


def measure_twenty(server: Server) -> Iterator[Ratio]:
    """Measure the same twenty visitors without an attacker, with one, and without again."""
    asyncio.run(run_concurrently(server.url, VISITORS, WARM))
    quiet = asyncio.run(run_concurrently(server.url, VISITORS, LASTS))
    with attacker(server.url) as played:
        attacked = asyncio.run(run_concurrently(server.url, VISITORS, LASTS))
    quiet += asyncio.run(run_concurrently(server.url, VISITORS, LASTS))
    for name, found in (("without", quiet), (f"beside an attacker ({played()})", attacked)):
        print_line(f"{VISITORS} visitors {name}: {found.summary()}; failed: {found.failures[:3]}")
    yield _ratio(attacked, quiet)
    yield Ratio("errors of others beside an attacker", "none", len(attacked.failures), 0, "at most")


def measure_with_files(server: Server) -> Iterator[Ratio]:
    """Measure four visitors without an attacker, with one who only sends files, and without again."""
    quiet = asyncio.run(run_concurrently(server.url, FEW_VISITORS, LASTS))
    with attacker(server.url, FILES) as played:
        attacked = asyncio.run(run_concurrently(server.url, FEW_VISITORS, LASTS))
    quiet += asyncio.run(run_concurrently(server.url, FEW_VISITORS, LASTS))
    for name, found in (("without", quiet), (f"beside hostile files ({played()})", attacked)):
        print_line(f"{FEW_VISITORS} visitors {name}: {found.summary()}; failed: {found.failures[:3]}")
    delay = attacked.p95 - quiet.p95
    yield Ratio(
        f"what hostile files add to the p95 of a step of {FEW_VISITORS} visitors ({delay:.2f} s)",
        f"{MOST_DELAY} s",
        delay / MOST_DELAY,
        1,
        "at most",
    )


def _ratio(attacked: Measured, quiet: Measured) -> Ratio:
    return Ratio(
        f"p95 of a step of {VISITORS} visitors beside an attacker ({attacked.p95:.2f} s)",
        f"without ({quiet.p95:.2f} s)",
        attacked.p95 / quiet.p95,
        2,
        "at most",
    )


@contextmanager
def attacker(url: str, attacks: Iterable[str] = ()) -> Iterator[Callable[[], str]]:
    """Run an attacker in a process, by default with all attacks, and yield the attacks that it has made."""
    with tempfile.TemporaryFile("w+") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.visits.under_attack", url, *attacks],
            cwd=ROOT,
            stdout=output,
            stderr=subprocess.STDOUT,
        )

        def played() -> str:
            return ", ".join(f"{lines.count(name)} {name}" for name in attacks or ATTACKS)

        lines: list[str] = []
        try:
            yield played
        finally:
            process.terminate()
            process.wait(timeout=20)
            output.seek(0)
            lines += output.read().splitlines()


def _upload(name: str, content: bytes) -> Callable[[str], None]:
    def attack(url: str) -> None:
        with Visit(url, "data") as visit:
            visit.run()
            visit.offer(name, content)

    return attack


def _handshakes(url: str) -> None:
    with Visit(url) as visit:
        for number in range(15):
            with suppress(WebSocketException), visit.websocket(f"https://evil{number}.invalid"):
                pass


def _clear_caches(url: str) -> None:
    message = BackMsg()
    message.clear_cache = True
    with Visit(url, "data") as visit:
        for _ in range(20):
            visit.send(message)
            visit.run()


_WIDE = ",".join(["item", *(f"r{number}" for number in range(1990))]) + "\n"
ATTACKS: dict[str, Callable[[str], None]] = {
    "long numbers": _upload("cell.csv", b"item,rater,score\na,b," + b"1" * 20_000 + b"x\n" + b"c,d,3\n" * 20),
    "open quotes": _upload("quotes.csv", b"item,rater,score\n" + b'a","x\n' * 80_000),
    "endless rows": _upload("row.csv", b"item,rater,score\n" + b'a"b,"c\n' * 3_000_000),
    "packed tables": _upload(
        "wide.csv.gz", gzip.compress((_WIDE + ("a" + ",3" * 1990 + "\n") * 12_000).encode())
    ),
    "foreign handshakes": _handshakes,
    "emptied caches": _clear_caches,
}
"""Attacks by name."""
FILES = ("long numbers", "open quotes", "endless rows", "packed tables")


def _repeat(name: str, url: str) -> None:
    while True:
        with suppress(OSError, TimeoutError, WebSocketException, AssertionError, IndexError):
            ATTACKS[name](url)
        print(name, flush=True)


if __name__ == "__main__":
    for attack in sys.argv[2:] or ATTACKS:
        threading.Thread(target=_repeat, args=(attack, sys.argv[1])).start()
