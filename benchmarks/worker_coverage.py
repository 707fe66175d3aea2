"""Do the 95 % intervals of r_w cover the truth 95 times in 100? Simulated studies of one worker among others.

    python benchmarks/worker_coverage.py [studies] > benchmarks/worker_coverage.md

A study: items with a right option and a difficulty (SD 0.5 in logits); workers who are right with a chance between
.5 and .95, but the first, who is right with the chance of the design; wrong answers are any other option. Its r_w is
looked at. The truth is its mean over 3,000 such studies, each with new items and new colleagues.
"""

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from analysis.workers import pcch_reliability

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from analysis.values.estimate import BootstrapSpec
from analysis.values.votes import Votes
from analysis.workers.reliability_intervals import intervals_of_draws, reliability_draws

KINDS = ("moved and widened", "percentiles", "Fisher's z")


@dataclass(frozen=True)
class Design:
    """A kind of study: items, workers, options, votes on each item, and how often the worker is right."""

    items: int
    workers: int
    options: int
    per_item: int
    right: float

    @property
    def name(self) -> str:
        every = "all" if self.per_item == self.workers else str(self.per_item)
        return (
            f"{self.items} items, {every} of {self.workers} workers, {self.options} options, "
            f"right {self.right:.2f}"
        )


DESIGNS = tuple(
    Design(*size, right)
    for size in (
        (24, 10, 2, 10),
        (24, 10, 4, 10),
        (60, 8, 2, 8),
        (100, 30, 2, 5),
        (200, 20, 3, 4),
        (40, 60, 4, 6),
    )
    for right in (0.55, 0.75, 0.95)
)


def study(design: Design, rng: np.random.Generator) -> Votes:
    """The votes of a simulated study."""
    shape = design.items, design.workers
    truth = rng.integers(0, design.options, (design.items, 1))
    accuracy = rng.uniform(0.5, 0.95, design.workers)
    accuracy[0] = design.right
    logit = np.log(accuracy / (1 - accuracy)) - rng.normal(0, 0.5, (design.items, 1))
    right = rng.random(shape) < 1 / (1 + np.exp(-logit))
    wrong = (truth + rng.integers(1, design.options, shape)) % design.options
    choice = np.where(right, truth, wrong)
    turn = np.argsort(rng.random(shape), axis=1)[:, : design.per_item]
    item, place = np.indices(turn.shape)
    rater = turn[item, place].ravel()
    return Votes(
        item.ravel(), rater, choice[item.ravel(), rater], design.items, design.workers, design.options
    )


def coverage(
    design: Design, studies: int, draws: int = 300, seed: int = 1
) -> dict[str, tuple[float, float, float]]:
    """Per kind of interval: the shares that cover, lie above, and lie below the truth."""
    rng = np.random.default_rng(seed)
    truth = float(np.nanmean([pcch_reliability.correlations(study(design, rng))[0, 0] for _ in range(3000)]))
    ends: dict[str, list[tuple[float, float]]] = {kind: [] for kind in KINDS}
    for at in range(studies):
        votes = study(design, rng)
        poll = np.zeros(votes.items, dtype=np.int64)
        value = pcch_reliability.correlations(votes)[0, :1]
        items = np.array([np.count_nonzero(votes.rater == 0)])
        drawn = reliability_draws(votes, poll, BootstrapSpec(draws, at))[:, :1]
        low, high = intervals_of_draws(drawn, value, items, 0.95)
        if np.isnan(low[0]):
            continue
        ends["moved and widened"].append((low[0], high[0]))
        ends["percentiles"].append(tuple(np.nanquantile(drawn, [0.025, 0.975])))
        z, half = np.arctanh(value[0]), 1.96 / np.sqrt(items[0] - 3)
        ends["Fisher's z"].append((np.tanh(z - half), np.tanh(z + half)))
    found = {}
    for kind, pairs in ends.items():
        low, high = np.array(pairs).T
        found[kind] = (
            float(np.mean((low <= truth) & (truth <= high))),
            float(np.mean(low > truth)),
            float(np.mean(high < truth)),
        )
    return found


def main() -> None:
    studies = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    print("# Coverage of the 95 % intervals of r_w\n")
    print(
        f"Made by `python benchmarks/worker_coverage.py {studies}`: {studies} simulated studies per design with 300"
    )
    print(
        "draws each, see its first lines. In brackets the share of intervals that lie wholly above and wholly below"
    )
    print(
        "the truth. Only studies in which the worker has an interval count. The product shows the first kind.\n"
    )
    print(f"| design | {' | '.join(KINDS)} |")
    print(f"| --- |{' --- |' * len(KINDS)}")
    for design in DESIGNS:
        found = coverage(design, studies)
        cells = [
            f"{100 * covered:.1f} % ({100 * above:.1f}, {100 * below:.1f})"
            for covered, above, below in (found[kind] for kind in KINDS)
        ]
        print(f"| {design.name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
