"""Run unfinished simulations and write docs/calibration.md.

python -m benchmarks.calibration [--until N] [--under SECONDS] [words of a name ...]
"""

import argparse
from math import inf
from pathlib import Path

from benchmarks.calibration import (
    agreement,
    assessors,
    collection,
    comprehension,
    crowd_vs_lab,
    items,
    label_sets,
    metrics,
    planning,
    rankings,
    raters,
    relevance,
    repetitions,
    standing_in,
    systems,
    these_raters,
    variance,
    versions,
    workers,
)
from benchmarks.calibration.document import as_csv, as_markdown, rows
from benchmarks.calibration.simulation import MAX_STUDIES, MIN_STUDIES, QUICK, Simulation

SIMULATIONS: tuple[Simulation, ...] = (
    *crowd_vs_lab.SIMULATIONS,
    *repetitions.SIMULATIONS,
    *agreement.SIMULATIONS,
    *assessors.SIMULATIONS,
    *raters.SIMULATIONS,
    *metrics.SIMULATIONS,
    *workers.SIMULATIONS,
    *variance.SIMULATIONS,
    *comprehension.SIMULATIONS,
    *relevance.SIMULATIONS,
    *standing_in.SIMULATIONS,
    *items.SIMULATIONS,
    *planning.SIMULATIONS,
    *collection.SIMULATIONS,
    *versions.SIMULATIONS,
    *systems.SIMULATIONS,
    *these_raters.SIMULATIONS,
    *rankings.SIMULATIONS,
    *label_sets.SIMULATIONS,
)
DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "calibration.md"
TABLE = DOCUMENT.with_suffix(".csv")


def main(arguments: list[str] | None = None) -> None:
    """Run unfinished simulations, those of missing figures and quick ones first, and write the documents."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks calibration", description=__doc__)
    parser.add_argument(
        "words", nargs="*", help="simulations whose page or name holds one of these; all by default"
    )
    parser.add_argument(
        "--until",
        type=int,
        help=f"studies that each simulation is to have; {MAX_STUDIES} where one takes up to {QUICK:g} seconds, "
        f"else {MIN_STUDIES}",
    )
    parser.add_argument(
        "--under", type=float, default=inf, help="only simulations whose study takes fewer seconds"
    )
    parsed = parser.parse_args(arguments)
    chosen = [
        simulation
        for simulation in sorted(SIMULATIONS, key=lambda simulation: simulation.seconds)
        if simulation.seconds < parsed.under
        and (not parsed.words or any(word in f"{simulation.page} {simulation.name}" for word in parsed.words))
    ]
    missing = missing_figures()
    for simulation in chosen:
        if missing & set(simulation.figures) and simulation.run(parsed.until):
            print(simulation.page, simulation.name, simulation.seconds, flush=True)
            missing = missing_figures()
    for simulation in chosen:
        if simulation.run(parsed.until):
            print(simulation.page, simulation.name, simulation.seconds, flush=True)
    write_documents()


def missing_figures() -> set[str]:
    """Return the figures without enough simulated studies in any design."""
    return {name for one in SIMULATIONS for name in one.figures} - {row.figure for row in rows(SIMULATIONS)}


def write_documents() -> None:
    """Write the summary and the table of rows from the stored results."""
    DOCUMENT.write_text(as_markdown(SIMULATIONS), encoding="utf-8")
    TABLE.write_text(as_csv(SIMULATIONS), encoding="utf-8")


if __name__ == "__main__":
    main()
