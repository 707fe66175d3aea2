"""Bradley-Terry of 2,000,000 comparisons of 200 systems with ties, with intervals clustered by item and rater.

With RATERSCOPE_RIVALS_PYTHON naming a Python that has evalica and arena-rank (see `rivals_of_the_scale`), both are
timed in the same run on the same comparisons: evalica's fit, which has no analytic intervals, beside ours alone;
arena-rank's with its intervals, which take every comparison as a separate cluster, beside ours over items and raters.
Without ties all three fit one model, and their strengths are held against each other.

The same fit with one covariate (a length of each output, told for every comparison) is held against the one without.
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from analysis.systems.bradley_terry import fit
from analysis.systems.clustered_intervals import sandwich_intervals
from analysis.systems.covariates import style_effects
from analysis.systems.rankings import comparisons_from_ids
from benchmarks.methods import rivals_of_the_scale
from benchmarks.ratio import Ratio

MOST = 5.0
"""Seconds that the fit with its intervals may take."""
MOST_WITH = 2.0
"""Times as long that it may take with a covariate."""
TIES = 0.5


def rows() -> list[Ratio]:
    first, second, outcome, item, rater = rivals_of_the_scale.study(TIES)
    start = time.process_time()
    sandwich_intervals(comparisons_from_ids(first, second, outcome), item, rater)
    our_seconds = time.process_time() - start
    description = (
        f"{len(item):,} comparisons of 200 systems, "
        f"intervals over items and raters ({our_seconds:.1f} s of CPU)"
    )
    ratios = [Ratio(description, f"{MOST:g} s", our_seconds / MOST, 1, "at most")]
    length = np.exp(np.random.default_rng(1).normal(5, 0.7, (2, len(item))))
    comparisons = comparisons_from_ids(first, second, outcome)
    start = time.process_time()
    style_effects(comparisons, {"length": (length[0], length[1])}, item, rater)
    with_length = time.process_time() - start
    ratios.append(
        Ratio(
            f"the same with a covariate ({with_length:.1f} s of CPU)",
            f"without ({our_seconds:.1f} s)",
            with_length / our_seconds,
            MOST_WITH,
            "at most",
        )
    )
    python = os.environ.get("RATERSCOPE_RIVALS_PYTHON")
    if not python:
        print("(RATERSCOPE_RIVALS_PYTHON is not set: evalica and arena-rank are not timed)", file=sys.stderr)
        return ratios
    start = time.process_time()
    fit(first, second, outcome)
    fit_seconds = time.process_time() - start
    strength = fit(*rivals_of_the_scale.study(0.0)[:3]).strength
    for name, compared_seconds, compared_description in (
        ("evalica", fit_seconds, f"the fit alone ({fit_seconds:.1f} s of CPU)"),
        ("arena_rank", our_seconds, description),
    ):
        package_result = run_package(python, name, 0.0)
        largest_difference = float(np.abs(strength - package_result["strength"]).max())
        print(f"({name}: strengths without ties differ by {largest_difference:.1e} at most)", file=sys.stderr)
        seconds = run_package(python, name, TIES)["cpu"]
        ratios.append(
            Ratio(
                compared_description,
                f"{name} ({seconds:.1f} s of CPU)",
                seconds / compared_seconds,
                1,
                "at least",
            )
        )
    return ratios


def run_package(python: str, name: str, ties: float) -> dict[str, Any]:
    """Run another package; return its result and seconds."""
    call = [python, str(Path(rivals_of_the_scale.__file__)), name, str(ties)]
    told: dict[str, Any] = json.loads(subprocess.run(call, check=True, capture_output=True, text=True).stdout)
    return told


if __name__ == "__main__":
    for row in rows():
        print(row.as_markdown())
