"""Krippendorff's alpha of 5,000,000 ratings with its interval, at every level of measurement, against drawing units.

The interval leaves out each unit and draws nothing. The alternative is a bootstrap of 1,000 draws of units at the
interval level, each unit's sums weighing as often as it was drawn (Poisson), as quick as NumPy makes it; timed on a
part of the draws and counted up. Both put alpha's ends at the same place, as they tell.
"""

import sys
import time

import numpy as np

from analysis.agreement.alpha import LEVELS, krippendorff_alpha
from benchmarks.ratio import Ratio

UNITS, PER_UNIT = 500_000, 10
DRAWS, DRAWN = 1_000, 100
MOST = 10.0
"""Seconds that alpha with its interval may take."""


def rows() -> list[Ratio]:
    unit, value = ratings()
    ratios, took = [], {}
    for level in LEVELS:
        start = time.process_time()
        alpha = krippendorff_alpha(unit, value, level)
        took[level] = time.process_time() - start
        description = f"alpha with its interval, {level}, {len(unit):,} ratings ({took[level]:.1f} s of CPU)"
        ratios.append(Ratio(description, f"{MOST:g} s", took[level] / MOST, 1, "at most"))
        if level == "interval":
            interval = alpha.low, alpha.high
    start = time.process_time()
    samples = bootstrap_alpha(unit, value)
    seconds = (time.process_time() - start) * DRAWS / DRAWN
    spread = 1.96 * samples.std(ddof=1)
    sample_interval = f"{samples.mean() - spread:.4f} to {samples.mean() + spread:.4f}"
    print(
        f"(interval level: {interval[0]:.4f} to {interval[1]:.4f}; draws: {sample_interval})", file=sys.stderr
    )
    description = f"the same at the interval level ({took['interval']:.1f} s)"
    return [
        *ratios,
        Ratio(description, f"{DRAWS:,} draws ({seconds:.0f} s)", seconds / took["interval"], 3, "at least"),
    ]


def ratings(seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Units in the order of a file, and whole scores from 1 to 5."""
    rng = np.random.default_rng(seed)
    unit = rng.permutation(np.repeat(np.arange(UNITS), PER_UNIT))
    level = rng.normal(3, 1, UNITS)
    return unit, np.clip(np.rint(level[unit] + rng.normal(0, 1, len(unit))), 1, 5)


def bootstrap_alpha(unit: np.ndarray, value: np.ndarray) -> np.ndarray:
    """Return alpha in bootstrap samples of units, from each unit's terms in four sums."""
    rng = np.random.default_rng(1)
    point = value - value.mean()
    n, total, squares = (np.bincount(unit, weights) for weights in (np.ones(len(unit)), point, point**2))
    sums = np.stack([n, total, squares, n / (n - 1) * (squares - total**2 / n)], axis=1)
    alphas = np.empty(DRAWN)
    for draw in range(DRAWN):
        count, added, squared, within = rng.poisson(1.0, len(sums)) @ sums
        alphas[draw] = 1 - within * (count - 1) / (count * squared - added**2)
    return alphas


if __name__ == "__main__":
    for row in rows():
        print(row.as_markdown())
