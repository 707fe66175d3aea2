"""Write the report of a study from the command line. `python -m report --help`."""

import argparse
import os
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields, replace
from pathlib import Path
from tempfile import mkdtemp
from typing import get_args

# Read when numpy is first imported: as in app.py, contention of threads took a fifth of a report's time.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from analysis.systems.ranked_options import TASK_SCOPES
from analysis.values.estimate import SCOPES, InputError
from data.dataset import Dataset, Merge
from data.engines.schema import escape_for_terminal
from data.errors import DataError
from data.kinds.definitions import KINDS
from data.samples import SAMPLES
from data.settings import from_environment
from data.store.store import Store
from features.assessments import SAMPLE_PYRAMIDS
from features.plotting.export import Format
from features.raters.exclusion_rules import LINES
from features.study import Session, use_session
from report.build import build_report
from report.files import write_report
from report.settings import SECTIONS, ReportSettings, as_toml, read

DONE, REFUSED = 0, 1
"""Exit codes: written; refused file or settings. Code 2 is that of argparse."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Write a report and return the exit code; if it is not 0, the reason is on the error stream."""
    parser = _parser()
    parsed = parser.parse_args(arguments)
    try:
        settings, extras = read(parsed.config) if parsed.config else (ReportSettings(), {})
        file, output = parsed.file or extras.get("file"), parsed.out or extras.get("out")
        if not (file and output):
            parser.error("FILE and --out are needed, here or in the file of settings")
        settings = settings.override(
            **{field.name: getattr(parsed, field.name) for field in fields(ReportSettings)}
        )
        linked_files = {name: getattr(parsed, name) or extras.get(name, "") for name in LINKED_KINDS}
        _write_report(file, linked_files, Path(output), settings, parsed.figures)
    except (DataError, InputError, OSError) as error:
        _print_status(f"{error}")
        return REFUSED
    except KeyboardInterrupt:
        sys.stderr.write("stopped; nothing was written\n")
        return REFUSED
    return DONE


LINKED_KINDS = {"contributors": "contributors", "comparisons": "choices"}
"""Kinds of linked files, by their options."""


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
        "--controls",
        choices=["exclude", "include"],
        help="hidden references and anchors of a listening test; excluded by default",
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


def _write_report(
    file: str,
    linked_files: Mapping[str, str],
    output: Path,
    settings: ReportSettings,
    formats: Sequence[Format],
) -> None:
    folder = Path(mkdtemp(prefix="raterscope-report-"))
    try:
        store_settings = replace(
            from_environment(), database=str(folder / "report.duckdb"), spool=folder / "spool"
        )
        with Store(settings=store_settings) as store:
            _print_status(f"Reading {file}")
            dataset, key = _open_dataset(store, file)
            files = {
                **linked_files,
                "contributors": linked_files["contributors"] or SAMPLE_PYRAMIDS.get(key, ""),
            }
            joined = {
                name: _open_dataset(store, one, LINKED_KINDS[name])[0] for name, one in files.items() if one
            }
            with use_session(Session(store, _Progress().show)):
                report = build_report(dataset, key, settings, "", **joined)
        from_here = file if key else str(Path(file).resolve())
        extras = {"file": from_here, "out": str(output.resolve())}
        extras |= {name: str(Path(one).resolve()) for name, one in linked_files.items() if one}
        settings_file = as_toml(settings, extras)
        write_report(report, output, settings_file, formats, _print_status)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _open_dataset(store: Store, file: str, kind: str | None = None) -> tuple[Dataset, str]:
    """Return the data set, and its key if it is built in."""
    samples = tuple(sample for sample in SAMPLES if sample.key == file)
    if samples and not Path(file).exists():
        return store.ensure_samples(samples)[file], file
    if not Path(file).is_file():
        raise DataError(f"there is no file {file}")
    dataset = store.add(file, kind)
    found = KINDS[dataset.kind]
    if kind is None and not found.study:
        raise DataError(f"there is no report on {file}, which is read as {found.title!r}. {found.used}")
    return dataset, ""


class _Progress:
    """Progress on the error stream: a line for each step, on a terminal with the percentage completed."""

    def __init__(self) -> None:
        self._step = ""

    @contextmanager
    def show(self, key: str, label: str) -> Iterator[Callable[[float, str], object]]:
        yield self._update

    def _update(self, share: float, words: str) -> None:
        if sys.stderr.isatty():
            sys.stderr.write(f"\r\x1b[K{escape_for_terminal(words)}: {share:.0%}")
            if share >= 1:
                sys.stderr.write("\n")
            sys.stderr.flush()
        elif words != self._step:
            self._step = words
            _print_status(words)


def _print_status(sentence: str) -> None:
    sys.stderr.write(f"{escape_for_terminal(sentence)}\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main())
