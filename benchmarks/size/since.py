"""Agreement, Assessors and Ranking systems in this checkout against another one, in turns in the same run.

`python -m benchmarks since OTHER [--ratings N] [--rounds N] [--folder FOLDER]`, where OTHER is the path of another
checkout with the same packages, such as a worktree of an earlier commit. Pages of the samples, and of a study of so
many ratings, each opened on a server that was just started, so that nothing is in the cache; medians of the rounds.
A folder keeps the studies of both checkouts for the next run. 20,000,000 ratings take about 8 GB of disk.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.ratio import Ratio
from benchmarks.size.at_size import RATINGS, time_page, write
from tests.browser.conftest import ROOT, start_server

PAGES = ("agreement", "assessors", "systems")
SAMPLES = ("sample-assessors", "sample-summaries")
ROUNDS = 3
LIMIT = 1.3
"""Times as long as in the other checkout that a page may take."""
SAVE = """
import sys
from pathlib import Path
from data.settings import Settings
from data.store.store import Store
database, spool, file = sys.argv[1:]
with Store(settings=Settings(database=database, spool=Path(spool))) as store:
    store.ensure_samples()
    if file:
        store.add(Path(file), workspace="benchmark")
        [dataset] = store.datasets("benchmark")
        print(store.link(dataset.id))
"""
"""Run in either checkout, each of which has its own form of a database."""


def main(arguments: Sequence[str]) -> None:
    """Print the ratios."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks since", description=__doc__)
    parser.add_argument("other", type=Path)
    parser.add_argument("--ratings", type=int, default=RATINGS, help="0: the samples alone")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--folder", type=Path)
    parsed = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as temporary:
        folder = parsed.folder or Path(temporary)
        print("| what | against | ratio | limit | |\n| --- | --- | --- | --- | --- |")
        for row in compare_checkouts(parsed.other.resolve(), parsed.ratings, parsed.rounds, folder):
            print(row.as_markdown(), flush=True)


def compare_checkouts(other: Path, ratings: int, rounds: int, folder: Path) -> Iterator[Ratio]:
    """Yield a row per page and study."""
    checkouts = {"other": other, "this": ROOT}
    file = folder / f"{ratings}.csv"
    folder.mkdir(parents=True, exist_ok=True)
    if ratings and not file.exists():
        write(file, ratings)
    keys = {
        name: _save(root, folder / name, file if ratings else None, ratings)
        for name, root in checkouts.items()
    }
    studies = [(sample, dict.fromkeys(checkouts, sample)) for sample in SAMPLES]
    if ratings:
        studies.append((f"{ratings:,} ratings", keys))
    for name, root in checkouts.items():  # compiled, and with samples as this version imports them
        open_page(root, folder / name, "/data")
    for study_name, keys_of_study in studies:
        for page in PAGES:
            measured: dict[str, list[tuple[float, float]]] = {name: [] for name in checkouts}
            for _ in range(rounds):
                for name, root in checkouts.items():
                    measured[name].append(open_page(root, folder / name, f"/{page}?d={keys_of_study[name]}"))
            for index, unit in enumerate(("seconds", "processor seconds")):
                before, now = (
                    statistics.median(both[index] for both in measured[name]) for name in ("other", "this")
                )
                sys.stderr.write(f"({page}, {study_name}: {before:.2f} {unit}, now {now:.2f})\n")
                yield Ratio(
                    f"{unit} of {page}, {study_name}", "the other checkout", now / before, LIMIT, "at most"
                )


def _save(root: Path, folder: Path, file: Path | None, ratings: int) -> str:
    """Save the samples and the study by the checkout itself, and return the study's key."""
    key_file = folder / f"key-{ratings}"
    if not key_file.exists():
        folder.mkdir(parents=True, exist_ok=True)
        database = folder / "raterscope.duckdb"
        for earlier in folder.glob(f"{database.name}*"):
            earlier.unlink()
        command = [sys.executable, "-c", SAVE, str(database), str(folder / "spool"), str(file or "")]
        done = subprocess.run(command, cwd=root, check=True, stdout=subprocess.PIPE, text=True)
        key_file.write_text(done.stdout.strip())
    return key_file.read_text()


def open_page(root: Path, folder: Path, address: str) -> tuple[float, float]:
    """Return the seconds until a page is complete on a new server, and the processor seconds."""
    server = start_server(folder, root=root)
    try:
        before = _processor_seconds(server.process.pid)
        settled = time_page(server, address).settled
        return settled, _processor_seconds(server.process.pid) - before
    finally:
        server.stop()


def _processor_seconds(pid: int) -> float:
    """Return the time that a process and the children it waited for have worked; less noisy on a busy machine."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
