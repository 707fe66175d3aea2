"""Designs that are simulated repeatedly, and their stored results."""

import json
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from time import process_time
from typing import Any, Literal

import numpy as np

RESULTS = Path(__file__).with_name("results")
"""Folder of results, a file per page."""
BLOCK = 100
"""Studies between two writes of the results, so that a run can be stopped and continued."""
MIN_STUDIES = 400
"""Studies that a row needs."""
MAX_STUDIES = 2000
"""Studies of a design whose study is quick."""
QUICK = 0.05
"""Seconds of processor time up to which a study is quick."""
DEFAULT_SECONDS = 0.02
"""Assumed seconds of a study that has not been simulated yet."""
Kind = Literal[
    "interval",
    "test",
    "cautious test",
    "familywise test",
    "verdict test",
    "power test",
    "misused test",
]
LIMITS: dict[Kind, tuple[float, float]] = {
    "interval": (0.92, 0.98),
    "test": (0.03, 0.07),
    "cautious test": (0.01, 0.07),
    "familywise test": (0.01, 0.07),
    "verdict test": (0.0, 0.07),
    "power test": (0.0, 1.0),
    "misused test": (0.0, 1.0),
}
"""Limits of the share of intervals that cover, or of tests of a true null that reject at .05.

Cautious tests are exact, discrete or about equivalence, or have fewer than 6 raters on a side. Familywise tests say how
often any pair is called different or any rater is named; verdict tests how often a finding of a page claims what is not
so. Power tests say how often a difference that is there is found. Misused ones show how often a test rejects that is
asked what it is not for.
"""


@dataclass(frozen=True)
class Simulation:
    """Simulated design. A study returns for each figure if its interval covers the truth, or its p under a true null.

    `figures` are names of `benchmarks.calibration.figures.FIGURES` with their kinds in this design; `truth` is computed
    once and passed to every study. A figure that a study leaves undefined, or shows with a warning, is None. `needs` is
    a file without which the simulation is skipped.
    """

    page: str
    name: str
    design: str
    figures: Mapping[str, Kind]
    study: Callable[[np.random.Generator, Any], Mapping[str, bool | float | None]]
    truth: Callable[[np.random.Generator], Any] = lambda rng: None
    fixed_raters: bool = False
    needs: Path | None = None

    @property
    def seconds(self) -> float:
        """Seconds of a study in the last block, a default if unknown."""
        return float(load_results(self.page).get(self.name, {}).get("seconds", DEFAULT_SECONDS))

    @property
    def target_studies(self) -> int:
        """Number of studies to simulate, fewer if a study takes long."""
        return MAX_STUDIES if self.seconds <= QUICK else MIN_STUDIES

    def run(self, until: int | None = None) -> bool:
        """Simulate up to a number of studies, storing each block; return False if nothing was simulated.

        Results belong to the name of a simulation, not to its code: moving or renaming a module of `analysis` keeps
        them. A change of what is computed has to delete them.
        """
        results = load_results(self.page)
        stored = results.get(self.name, {figure: [0, 0] for figure in self.figures} | {"blocks": 0})
        for figure in self.figures:
            stored.setdefault(figure, [0, 0])
        if stored["blocks"] * BLOCK >= (until or self.target_studies):
            return False
        if self.needs is not None and not self.needs.exists():
            print(f"skipped, {self.needs} is missing: {self.name}", flush=True)
            return False
        seed = stored.setdefault("seed", zlib.crc32(self.name.encode()))
        truth = self.truth(np.random.default_rng([seed, 0]))
        while stored["blocks"] * BLOCK < (until or self.target_studies):
            rng, started_at = np.random.default_rng([seed, stored["blocks"] + 1]), process_time()
            for _ in range(BLOCK):
                for figure, outcome in self.study(rng, truth).items():
                    if outcome is None or figure not in self.figures:
                        continue
                    is_test = self.figures[figure].endswith("test")
                    stored[figure][0] += bool(outcome < 0.05) if is_test else bool(outcome)
                    stored[figure][1] += 1
            stored["blocks"] += 1
            stored["seconds"] = round((process_time() - started_at) / BLOCK, 4)
            document = json.dumps(load_results(self.page) | {self.name: stored}, indent=1, sort_keys=True)
            file = _results_file(self.page)
            file.with_suffix(".part").write_text(document + "\n", encoding="utf-8")
            file.with_suffix(".part").replace(file)
        return True


def load_results(page: str) -> dict[str, Any]:
    """Return the counts of all runs by simulation and figure: [covering or rejecting, studies]."""
    file = _results_file(page)
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}


def _results_file(page: str) -> Path:
    return RESULTS / f"{page}.json"
