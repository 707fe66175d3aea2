"""GLAD and Dawid-Skene on 1,000,000 votes, run to their maximum: seconds, alone and against plain EM.

100,000 items, each with 10 votes of 2,000 raters. Plain EM with full M-steps (a tolerance of minus infinity) is the
alternative, on 40,000 votes of weak raters, where it climbs slowly: as many steps as it takes until one gains less than
1e-8 a vote.
"""

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from analysis.values.votes import Votes
from analysis.workers import dawid_skene, glad
from benchmarks.ratio import Ratio

TOLERANCE = 1e-8
MOST = 60.0
"""Seconds that the fit of a million votes may take."""
SLOW_STEPS = 1500


def rows() -> list[Ratio]:
    ratios = []
    for options in (2, 4):
        votes = study(100_000, 2_000, 10, options, 1.0)
        for name, fit in (("GLAD", glad.fit_votes), ("Dawid-Skene", dawid_skene.fit_votes)):
            fitted, seconds = time_fit(fit, votes, None)
            assert fitted.converged
            description = f"{name}, {len(votes):,} votes, {options} labels, {fitted.iterations} steps"
            ratios.append(
                Ratio(
                    f"{description} ({seconds:.1f} s of CPU)",
                    "60 s",
                    seconds / MOST,
                    1,
                    "at most",
                )
            )
    votes = study(20_000, 500, 2, 2, 0.3)
    for name, fit, spec in (
        ("GLAD", glad.fit_votes, glad.GladSpec),
        ("Dawid-Skene", dawid_skene.fit_votes, dawid_skene.DawidSkeneSpec),
    ):
        unaccelerated = fit(votes, spec(SLOW_STEPS, -np.inf))
        steps = int(np.argmax(np.diff(unaccelerated.log_likelihood) < TOLERANCE * len(votes))) + 2
        ended, took = time_fit(fit, votes, spec())
        stepped, took_plain = time_fit(fit, votes, spec(steps, -np.inf))
        heights = [f"{fitted.log_likelihood[-1]:.3f}" for fitted in (ended, stepped, unaccelerated)]
        print(f"({name}, log-likelihoods: {', '.join(heights)} after {SLOW_STEPS:,})", file=sys.stderr)
        ratios.append(
            Ratio(
                f"{name}, {len(votes):,} votes of weak raters: {ended.iterations} steps ({took:.2f} s of CPU)",
                f"EM without leaps, {steps} steps ({took_plain:.2f} s)",
                took_plain / took,
                2,
                "at least",
            )
        )
    return ratios


def time_fit(fit: Callable[[Votes, Any], Any], votes: Votes, spec: Any) -> tuple[Any, float]:
    """Return a fit and its processor seconds."""
    start = time.process_time()
    fitted = fit(votes, spec)
    return fitted, time.process_time() - start


def study(items: int, raters: int, judged: int, options: int, ability: float, seed: int = 0) -> Votes:
    """Draw votes of GLAD's own model; raters are drawn with replacement."""
    rng = np.random.default_rng(seed)
    truth, abilities = rng.integers(0, options, items), rng.normal(ability, 1, raters)
    ease = 0.7 * rng.normal(1, 1, items)
    item, rater = np.repeat(np.arange(items), judged), rng.integers(0, raters, items * judged)
    right = rng.random(len(item)) < 1 / (1 + np.exp(-abilities[rater] * np.exp(ease)[item]))
    wrong = (truth[item] + rng.integers(1, options, len(item))) % options
    return Votes(item, rater, np.where(right, truth[item], wrong), items, raters, options)


if __name__ == "__main__":
    for row in rows():
        print(row.as_markdown())
