"""The report of a study without a browser. `python -m report --help`."""

import argparse
import os
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import mkdtemp
from typing import get_args

# Read when numpy is first imported: as in app.py, threads that wait for each other took a fifth of a report's time.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from analysis.systems.ranked_options import TASK_SCOPES
from analysis.values.estimate import SCOPES, InputError
from data.dataset import Dataset, Merge
from data.engines.schema import printable
from data.errors import DataError
from data.samples import SAMPLES
from data.settings import from_environment
from data.store.store import Store
from features.assessments import SAMPLE_PYRAMIDS
from features.plotting.export import Format
from features.raters.exclusion_rules import LINES
from features.study import Session, use_session
from report.asked import SECTIONS, Asked, as_toml, read
from report.build import report_of
from report.files import write

DONE, REFUSED = 0, 1
"""Exit codes: written; the file or what is asked of it was refused. 2 is that of argparse."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Make one report, and return the exit code, after a sentence on the error stream where it is not 0."""
    parser = _parser()
    given = parser.parse_args(arguments)
    try:
        asked, besides = read(given.config) if given.config else (Asked(), {})
        file, out = given.file or besides.get("file"), given.out or besides.get("out")
        if not (file and out):
            parser.error("FILE and --out are needed, here or in the file of settings")
        asked = asked.having(
            groups=_several(given.groups),
            reference=given.reference,
            measures=_several(given.measures),
            sections=_several(given.sections),
            without=_several(given.without),
            title=given.title,
            notes=given.notes,
            draws=given.draws,
            seed=given.seed,
            merge=given.merge,
            generalize=given.generalize,
            tasks=given.tasks,
        )
        beside = {name: getattr(given, name) or besides.get(name, "") for name in JOINED}
        _report(file, beside, Path(out), asked, given.figures)
    except (DataError, InputError, OSError) as error:
        _say(f"{error}")
        return REFUSED
    except KeyboardInterrupt:
        sys.stderr.write("stopped; nothing was written\n")
        return REFUSED
    return DONE


JOINED = {"contributors": "contributors", "comparisons": "choices"}
"""Kinds of the files that belong to a study, by their options."""


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m report",
        description="Write the report of a study: report.html (one file, which prints), report.docx, results.json "
        "(every number unrounded), each table (CSV and LaTeX) and figure (HTML), sources.bib, and report.toml, which "
        "repeats it. The file is recognized as on the Data page, into a temporary database. Nothing else is read or "
        "written.",
        epilog="Exit codes: 0 written, 1 refused (with the reason), 2 not understood.",
    )
    samples = ", ".join(sample.key for sample in SAMPLES if sample.kind != "contributors")
    parser.add_argument(
        "file", metavar="FILE", nargs="?", help=f"a file of ratings, or a built-in study: {samples}"
    )
    parser.add_argument("--out", metavar="DIR", help="the folder to write into; created if missing")
    parser.add_argument("--config", type=Path, help="a file of settings (TOML or JSON); options override it")
    parser.add_argument("--groups", action="append", metavar="NAME", help="a group of raters; all by default")
    parser.add_argument(
        "--reference", metavar="NAME", help="a group, a number of the items, or none (split halves)"
    )
    parser.add_argument("--measures", action="append", metavar="NAME", help="a measure; all by default")
    parser.add_argument(
        "--sections", action="append", metavar="NAME", help=f"{', '.join(SECTIONS)}; all by default"
    )
    parser.add_argument(
        "--without",
        action="append",
        metavar="WHO",
        help=f"a rater to exclude, or a rule: {', '.join(LINES)} (… on MEASURE)".replace("%", "%%"),
    )
    parser.add_argument(
        "--contributors", metavar="FILE", help="the contributors of the pyramid, for a rule by mP - aP"
    )
    parser.add_argument("--comparisons", metavar="FILE", help="choices between the systems that were rated")
    parser.add_argument("--title", help="the title; the name of the data set by default")
    parser.add_argument("--notes", help="text below the title")
    parser.add_argument(
        "--figures",
        action="append",
        choices=["svg", "png", "pdf"],
        default=[],
        help="also figures in this format, at the width of one and of two columns of a paper, and as PNG in the Word "
        "file; needs kaleido and a Chromium",
    )
    parser.add_argument("--draws", type=int, help="the most bootstrap samples per interval")
    parser.add_argument("--seed", type=int, help="the seed of all random numbers; 0 by default")
    parser.add_argument(
        "--merge",
        choices=get_args(Merge),
        help="the value that replaces a rater's repeats of an item where raters are compared; the mean by default",
    )
    parser.add_argument(
        "--generalize",
        choices=SCOPES,
        help="raters that intervals and comparisons generalize to; by default raters like these if there are 6 or more",
    )
    parser.add_argument(
        "--tasks",
        choices=TASK_SCOPES,
        help="tasks that intervals of rankings generalize to; by default tasks like these if there are 5 or more",
    )
    return parser


def _several(names: list[str] | None) -> tuple[str, ...] | None:
    return None if names is None else tuple(names)


def _report(file: str, beside: Mapping[str, str], out: Path, asked: Asked, formats: Sequence[Format]) -> None:
    folder = Path(mkdtemp(prefix="raterscope-report-"))
    try:
        settings = replace(from_environment(), database=str(folder / "report.duckdb"), spool=folder / "spool")
        with Store(settings=settings) as store:
            _say(f"Reading {file}")
            dataset, key = _dataset(store, file)
            files = {**beside, "contributors": beside["contributors"] or SAMPLE_PYRAMIDS.get(key, "")}
            joined = {name: _dataset(store, one, JOINED[name])[0] for name, one in files.items() if one}
            with use_session(Session(store, _Progress().show)):
                report = report_of(dataset, key, asked, "", **joined)
        from_here = file if key else str(Path(file).resolve())
        besides = {"file": from_here, "out": str(out.resolve())}
        besides |= {name: str(Path(one).resolve()) for name, one in beside.items() if one}
        settings_file = as_toml(asked, besides)
        write(report, out, settings_file, formats, _say)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _dataset(store: Store, file: str, kind: str | None = None) -> tuple[Dataset, str]:
    """Return what is looked at, and its key if it is built in."""
    samples = tuple(sample for sample in SAMPLES if sample.key == file)
    if samples and not Path(file).exists():
        return store.ensure_samples(samples)[file], file
    if not Path(file).is_file():
        raise DataError(f"there is no file {file}")
    return store.add(file, kind), ""


class _Progress:
    """A line on the error stream for each step, and on a terminal how much of it is done."""

    def __init__(self) -> None:
        self._step = ""

    @contextmanager
    def show(self, key: str, label: str) -> Iterator[Callable[[float, str], object]]:
        """Show the progress of one long result."""
        yield self._tell

    def _tell(self, done: float, words: str) -> None:
        if sys.stderr.isatty():
            sys.stderr.write(f"\r\x1b[K{printable(words)}: {done:.0%}")
            if done >= 1:
                sys.stderr.write("\n")
            sys.stderr.flush()
        elif words != self._step:
            self._step = words
            _say(words)


def _say(sentence: str) -> None:
    sys.stderr.write(f"{printable(sentence)}\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main())
