"""Record every number that pages and reports show, and compare two recordings.

`python -m tests.golden record` writes one compressed file per study into tests/golden/recorded: all numbers in
full, since all of it takes 0.6 MB, and digests of rounded numbers would differ at the edges of rounding.
`python -m tests.golden compare` compares it with what the code shows now, or with another folder. See CHANGES.md.
"""

import argparse
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from difflib import get_close_matches
from multiprocessing import get_context
from pathlib import Path

from tests.golden.comparison import compare
from tests.golden.recording import REPORT, file_of, load, record_to, use_new_database
from tests.golden.sources import NO_SHARED, SHARED, Source, list_sources
from tests.golden.views import VIEWS

RECORDED = Path(__file__).parent / "recorded"


def main(arguments: Sequence[str] | None = None) -> int:
    """Record or compare; return 1 where something is different."""
    parser = argparse.ArgumentParser(prog="python -m tests.golden", description=__doc__.partition("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    recording = commands.add_parser("record", help="record what the code shows now")
    recording.add_argument(
        "--out", type=Path, default=RECORDED, metavar="DIR", help="tests/golden/recorded by default"
    )
    comparing = commands.add_parser("compare", help="compare two recordings, or the stored one with the code")
    comparing.add_argument(
        "old", type=Path, nargs="?", default=RECORDED, help="tests/golden/recorded by default"
    )
    comparing.add_argument("new", type=Path, nargs="?", help="recorded now by default")
    for one in (recording, comparing):
        one.add_argument(
            "--only", action="append", default=[], metavar="STUDY", help="a sample or shared file"
        )
        one.add_argument(
            "--workers", type=int, default=os.cpu_count() or 1, help="processes; one per core by default"
        )
    comparing.add_argument(
        "--views", action="append", default=[], metavar="VIEW", help="one view, such as report"
    )
    given = parser.parse_args(arguments)
    every = list_sources()
    _check(parser, "--only", given.only, [one.name for one in every])
    sources = [one for one in every if not given.only or one.name in given.only]
    views = given.views if given.command == "compare" else []
    _check(parser, "--views", views, [REPORT, *(view.name for of_kind in VIEWS.values() for view in of_kind)])
    if not SHARED.is_dir():
        sys.stderr.write(f"{NO_SHARED}\n")
    names = [one.name for one in sources]
    if given.command == "record":
        record_all(sources, given.out, given.workers)
        return 0
    if given.new is not None:
        return tell(compare_folders(given.old, given.new, names, views))
    with tempfile.TemporaryDirectory(prefix="raterscope-golden-") as folder:
        record_all(sources, Path(folder), given.workers, views)
        return tell(compare_folders(given.old, Path(folder), names, views))


def _check(parser: argparse.ArgumentParser, option: str, given: Sequence[str], known: Sequence[str]) -> None:
    """End the program where something is named that there is not."""
    for name in given:
        if name not in known:
            near = ", ".join(get_close_matches(name, known, cutoff=0.3)) or "see tests/golden/views.py"
            parser.error(f"{option}: there is no {name!r}; similar names: {near}")


def record_all(sources: Sequence[Source], out: Path, workers: int, views: Sequence[str] = ()) -> None:
    """Record studies in parallel processes, the large ones first."""
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # read by each process when it first imports numpy
    large_first = sorted(sources, key=lambda one: -_size(one))
    with (
        tempfile.TemporaryDirectory(prefix="raterscope-golden-") as folder,
        ProcessPoolExecutor(
            min(workers, len(sources)), get_context("spawn"), initializer=use_new_database, initargs=(folder,)
        ) as pool,
    ):
        written = [pool.submit(record_to, out, one, views) for one in large_first]
        for done in as_completed(written):
            sys.stderr.write(f"{done.result()}\n")


def compare_folders(
    old: Path, new: Path, names: Sequence[str], views: Sequence[str] = ()
) -> Iterator[tuple[bool, str]]:
    """Yield what is different between the recordings in two folders, with True, and notes, with False."""
    for name in names:
        missing = [folder for folder in (old, new) if not (folder / file_of(name)).exists()]
        if missing:
            yield True, f"{name}: there is no recording in {' and '.join(map(str, missing))}"
            continue
        recorded = [load(folder, name) for folder in (old, new)]
        if views:
            recorded = [{view: of[view] for view in views if view in of} for of in recorded]
        compared = compare(*recorded)
        yield from ((True, f"{name} · {line}") for line in compared.differences)
        yield from ((False, f"{name} · {line}") for line in compared.notes)


def tell(found: Iterator[tuple[bool, str]]) -> int:
    """Print what was found; return 1 where something is different."""
    counts = {True: 0, False: 0}
    for different, line in found:
        counts[different] += 1
        sys.stdout.write(f"{'different' if different else 'note'}: {line}\n")
    sys.stdout.write(f"{counts[True]} differences, {counts[False]} notes\n")
    return int(counts[True] > 0)


def _size(source: Source) -> int:
    return source.path.stat().st_size if source.path else 1_000_000_000


if __name__ == "__main__":
    sys.exit(main())
