"""Run the simulations that are not finished yet and write docs/calibration.md.

python -m benchmarks.calibration [--until N] [--under SECONDS] [words of a name ...]
"""

import argparse
from math import inf
from pathlib import Path

from benchmarks.calibration import (
    agreement,
    assessors,
    comprehension,
    crowd_vs_lab,
    items,
    metrics,
    planning,
    raters,
    relevance,
    repetitions,
    standing_in,
    systems,
    variance,
    versions,
    workers,
)
from benchmarks.calibration.document import as_csv, as_markdown
from benchmarks.calibration.experiment import Experiment

EXPERIMENTS: tuple[Experiment, ...] = (
    *crowd_vs_lab.EXPERIMENTS,
    *repetitions.EXPERIMENTS,
    *agreement.EXPERIMENTS,
    *assessors.EXPERIMENTS,
    *raters.EXPERIMENTS,
    *metrics.EXPERIMENTS,
    *workers.EXPERIMENTS,
    *variance.EXPERIMENTS,
    *comprehension.EXPERIMENTS,
    *relevance.EXPERIMENTS,
    *standing_in.EXPERIMENTS,
    *items.EXPERIMENTS,
    *planning.EXPERIMENTS,
    *versions.EXPERIMENTS,
    *systems.EXPERIMENTS,
)
DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "calibration.md"
TABLE = DOCUMENT.with_suffix(".csv")


def main(arguments: list[str] | None = None) -> None:
    """Simulate what is missing, experiments with the quickest studies first, and write the documents."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks calibration", description=__doc__)
    parser.add_argument(
        "words", nargs="*", help="experiments whose names hold one of these; all where none is given"
    )
    parser.add_argument("--until", type=int, default=2000, help="studies that each experiment is to have")
    parser.add_argument(
        "--under", type=float, default=inf, help="only experiments whose study takes fewer seconds"
    )
    given = parser.parse_args(arguments)
    for experiment in sorted(EXPERIMENTS, key=lambda one: one.seconds):
        named = not given.words or any(word in f"{experiment.page} {experiment.name}" for word in given.words)
        if named and experiment.seconds < given.under and experiment.run(given.until):
            print(experiment.page, experiment.name, experiment.seconds, flush=True)
    write_documents()


def write_documents() -> None:
    """Write the summary and the table of rows from the stored results."""
    DOCUMENT.write_text(as_markdown(EXPERIMENTS), encoding="utf-8")
    TABLE.write_text(as_csv(EXPERIMENTS), encoding="utf-8")


if __name__ == "__main__":
    main()
