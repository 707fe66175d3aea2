"""Time of GLAD, compared with crowd-kit's, on 20,000 votes.

Crowd-kit is no dependency of the project. With RATERSCOPE_CROWDKIT_PYTHON naming a Python that has it (see
tests/reference/crowdkit_numbers.py), both are timed in turns on this machine, the fit alone; without it, crowd-kit's
seconds are the fewest of those stored with the reference numbers, and the row says so.
"""

import json
import os
import statistics
import subprocess
from pathlib import Path

from analysis.workers.glad import fit
from benchmarks.ratio import Ratio, median_seconds
from tests.reference.crowdkit_numbers import TIMED, simulated

REFERENCE = Path(__file__).resolve().parents[2] / "tests" / "reference" / "crowdkit_numbers.py"
STORED = REFERENCE.with_suffix(".json")
RUNS = 5


def crowd_kit_seconds() -> tuple[float, str]:
    """Seconds of crowd-kit's fit, and where they come from."""
    python = os.environ.get("RATERSCOPE_CROWDKIT_PYTHON")
    if python:
        call = [python, str(REFERENCE), "--seconds"]
        measured = [
            float(subprocess.run(call, check=True, capture_output=True, text=True).stdout)
            for _ in range(RUNS)
        ]
        return statistics.median(measured), "crowd-kit's, timed here"
    stored = json.loads(STORED.read_text(encoding="utf-8"))
    fastest = min(stored["seconds of GLAD on 20,000 votes"])
    versions, cores = stored["versions"], stored["machine"]["cores"]
    where = f"crowd-kit {versions['crowd-kit']}, Python {versions['python']}, {cores} cores"
    return fastest, f"the stored {fastest:.1f} s of {where}"


def rows() -> list[Ratio]:
    item, rater, label, *_ = simulated(**TIMED)
    seconds, source = crowd_kit_seconds()
    (ours,) = median_seconds(RUNS, lambda: fit(rater, item, label))
    return [Ratio(f"`glad.fit`, {len(item):,} votes", source, seconds / ours, 20, "at least")]


if __name__ == "__main__":
    for row in rows():
        print(row.as_markdown())
