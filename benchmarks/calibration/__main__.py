"""Runs the simulations that are not finished yet and writes docs/calibration.md.

python -m benchmarks.calibration [--most N] [words of a name ...]
"""

import argparse
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
from benchmarks.calibration.document import as_markdown
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


def main(arguments: list[str] | None = None) -> None:
    """Runs what is asked for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks calibration", description=__doc__)
    parser.add_argument(
        "words", nargs="*", help="experiments whose names hold one of these; all where none is given"
    )
    parser.add_argument("--most", type=int, default=10**9, help="studies per experiment in this run")
    given = parser.parse_args(arguments)
    for experiment in EXPERIMENTS:
        if not given.words or any(word in f"{experiment.room} {experiment.name}" for word in given.words):
            experiment.run(given.most)
            print(experiment.name, flush=True)
            DOCUMENT.write_text(as_markdown(EXPERIMENTS), encoding="utf-8")


if __name__ == "__main__":
    main()
