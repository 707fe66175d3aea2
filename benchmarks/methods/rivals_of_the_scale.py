"""Bradley-Terry by evalica and by arena-rank, run by a Python that has them: prints seconds and strengths as JSON.

They are no dependencies of the project, not even for tests:

    python -m venv rivals && rivals/bin/pip install evalica==0.4.2 arena-rank==0.1.1
    RATERSCOPE_RIVALS_PYTHON=rivals/bin/python python -m benchmarks bradley_terry
"""

import json
import sys
import time

import numpy as np


def study(ties, comparisons=2_000_000, systems=200, items=20_000, raters=5_000, seed=0):
    """Draw votes on pairs of systems: names of both, outcome (0 the first, 1 the second, 2 a tie), item, rater."""
    rng = np.random.default_rng(seed)
    strength = rng.normal(0, 0.7, systems)
    first = rng.integers(0, systems, comparisons)
    second = (first + rng.integers(1, systems, comparisons)) % systems
    half = np.exp((strength[first] - strength[second]) / 2)
    part = rng.random(comparisons) * (half + 1 / half + ties)
    outcome = np.where(part < half, 0, np.where(part < half + 1 / half, 1, 2))
    name = np.array([f"system {number:03d}" for number in range(systems)])
    item, rater = rng.integers(0, items, comparisons), rng.integers(0, raters, comparisons)
    return name[first], name[second], outcome, item, rater


def evalica(first, second, outcome):
    """Run only the fit, since evalica has no analytic intervals."""
    import evalica as package

    winner = [(package.Winner.X, package.Winner.Y, package.Winner.Draw)[code] for code in outcome.tolist()]
    start = time.process_time(), time.perf_counter()
    scores = package.bradley_terry(
        first.tolist(), second.tolist(), winner, tolerance=1e-9, limit=10_000
    ).scores
    strength = np.log(scores.sort_index())
    return start, (strength - strength.mean()).tolist(), None


def arena_rank(first, second, outcome):
    """Run the fit with its sandwich variances, each comparison separately."""
    import pandas as pd
    from arena_rank.models.bradley_terry import BradleyTerry
    from arena_rank.utils.data_utils import PairDataset

    winner = np.array(["model_a", "model_b", "tie"])[outcome]
    rows = pd.DataFrame({"model_a": first, "model_b": second, "winner": winner})
    start = time.process_time(), time.perf_counter()
    data = PairDataset.from_pandas(rows)
    result = BradleyTerry(
        len(data.competitors), scale=1.0, base=float(np.e), init_rating=0.0
    ).compute_ratings_and_cis(data)
    strength = np.asarray(result["ratings"])
    return start, (strength - strength.mean()).tolist(), np.sqrt(np.asarray(result["variances"])).tolist()


def main(package, ties):
    first, second, outcome, *_ = study(float(ties))
    (cpu, wall), strength, error = {"evalica": evalica, "arena_rank": arena_rank}[package](
        first, second, outcome
    )
    took = {"cpu": time.process_time() - cpu, "wall": time.perf_counter() - wall}
    print(json.dumps(took | {"strength": strength, "error": error}))


if __name__ == "__main__":
    main(*sys.argv[1:])
