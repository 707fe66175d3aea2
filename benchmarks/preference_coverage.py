"""Do the 95 % intervals of `preference` cover, and do plain percentiles do it better? Simulated studies.

    python benchmarks/preference_coverage.py [studies] > benchmarks/preference_coverage.md

A study: an item's better list is the first with a given chance; items have a difficulty, workers a reliability, and
a worker sees the better list with the chance reliability x (1 - difficulty), otherwise guesses. Truth is the
method's mean over many such studies of the same size, since workers' weights and items' entropies depend on it.
GLAD is left out: its draws would take a day.
"""

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from analysis.resampling.draws import multiplicities
from analysis.resampling.intervals import ANGLE, SHARE, moved
from analysis.values.votes import Lists, Votes
from analysis.workers.preference import CLOSED, PreferenceSpec, shares

DRAWS = 500
FOR_TRUTH = 2000
GUESSES = {2: [0.5, 0.5], 4: [0.3, 0.3, 0.25, 0.15]}
LISTS = {2: Lists(0, 1), 4: Lists(0, 1, 2, 3)}
LEVEL = 0.95


@dataclass(frozen=True)
class Design:
    """A kind of study; each item is judged by `per_item` of the workers, 40 % of whom are dropped."""

    items: int
    workers: int
    per_item: int
    options: int
    better: float  # chance that the first list is the better one
    reliable: float  # first parameter of the workers' beta distribution; the second is 1.5

    @property
    def name(self) -> str:
        return (
            f"{self.items} items, {self.per_item} of {self.workers} workers, {self.options} options, first better "
            f"on {self.better:.0%}, mean reliability {self.reliable / (self.reliable + 1.5):.2f}"
        )


DESIGNS = (
    Design(24, 10, 10, 2, 0.75, 3),
    Design(24, 10, 10, 4, 0.75, 3),
    Design(24, 10, 10, 2, 0.96, 9),
    Design(24, 10, 10, 4, 0.96, 9),
    Design(24, 5, 5, 2, 0.6, 3),
    Design(60, 20, 10, 4, 0.6, 3),
    Design(100, 40, 5, 2, 0.75, 3),
)


def study(design: Design, rng: np.random.Generator) -> Votes:
    shape = design.items, design.workers
    better = np.where(rng.random(design.items) < design.better, 0, 1)
    hard, reliable = rng.beta(1.5, 2.0, design.items), rng.beta(design.reliable, 1.5, design.workers)
    sees = rng.random(shape) < np.outer(1 - hard, reliable)
    guess = rng.choice(design.options, shape, p=GUESSES[design.options])
    choice = np.where(sees, better[:, None], guess)
    judged = rng.random(shape).argsort(axis=1).argsort(axis=1) < design.per_item
    item, worker = np.nonzero(judged)
    return Votes(item, worker, choice[judged], *shape, design.options)


def percentiles(value: float, drawn: np.ndarray) -> tuple[float, float]:
    """Plain percentiles, widened to the estimate where they leave it out."""
    low, high = np.quantile(drawn[np.isfinite(drawn)], [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return min(low, value), max(high, value)


def coverage(design: Design, studies: int, seed: int) -> dict[str, list[list[float]]]:
    """Per method and kind of interval: shares of intervals above and below the truth, and mean width."""
    rng = np.random.default_rng(seed)
    lists, spec = LISTS[design.options], PreferenceSpec(dropped=round(0.4 * design.workers))
    many = [shares(study(design, rng), lists, spec, CLOSED) for _ in range(FOR_TRUTH)]
    truth = {method: float(np.nanmean([one[method][0] for one in many])) for method in CLOSED}
    found: dict[str, list[list[list[float]]]] = {method: [[], []] for method in CLOSED}
    for at in range(studies):
        votes = study(design, rng)
        value = shares(votes, lists, spec, CLOSED)
        blocks = [
            shares(votes, lists, spec, CLOSED, *weights)
            for weights in multiplicities(votes.raters, votes.items, DRAWS, at, len(votes))
        ]
        for method in CLOSED:
            share = float(value[method][0])
            drawn = np.concatenate([block[method] for block in blocks])
            if np.isnan(share):
                continue
            for kind, (low, high) in enumerate(
                (moved(share, drawn, LEVEL, within=SHARE, scale=ANGLE), percentiles(share, drawn))
            ):
                found[method][kind].append([low > truth[method], high < truth[method], high - low])
    return {method: [np.mean(kind, axis=0).tolist() for kind in kinds] for method, kinds in found.items()}


def main() -> None:
    studies = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    print(f"""# Coverage of the 95 % intervals of shares of the preference

Made by `python benchmarks/preference_coverage.py {studies}`: {studies} simulated studies per design, {DRAWS} draws
each; see its first lines. In brackets the share of intervals that lie wholly above and wholly below the truth, then
the mean width in percentage points. A coverage of 95 % has a standard error of about
{100 * np.sqrt(0.95 * 0.05 / studies):.1f} points.

Both kinds are cautious, because the pigeonhole bootstrap counts chance within single votes three times. Plain
percentiles are wider where systems lie far apart; those moved to the estimate are used.
""")
    for place, design in enumerate(DESIGNS):
        print(
            f"## {design.name}\n\n| method | moved to the estimate (used) | plain percentiles |\n| --- | --- | --- |"
        )
        for method, kinds in coverage(design, studies, place).items():
            cells = [
                f"{100 * (1 - above - below):.1f} % ({100 * above:.1f}, {100 * below:.1f}), {100 * width:.0f}"
                for above, below, width in kinds
            ]
            print(f"| {method} | " + " | ".join(cells) + " |", flush=True)
        print()


if __name__ == "__main__":
    main()
