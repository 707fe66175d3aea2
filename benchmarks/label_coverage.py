"""Do the 95 % intervals of the accuracy of aggregated labels cover the truth 95 times in 100?

    python benchmarks/label_coverage.py [studies] > benchmarks/label_coverage.md

A study: workers, some of whom guess, the others right with a probability of their own; items, in some designs of
unequal difficulty; so many votes per item. Truth: the mean accuracy over many studies of the same size.
Beside the product's intervals stand percentiles of the same draws, and percentiles moved to the estimate.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from analysis.values.estimate import BootstrapSpec
from analysis.values.votes import Votes
from analysis.workers.label_accuracy import GLAD, MAJORITY, METHODS, accuracy_draws, compared, labelled

DRAWS = 100
TRUTH = 5
"""Times as many studies as are looked at."""
MOST_FOR_GLAD = 60
"""Items up to which GLAD takes part: it takes hours with more."""
WAYS = "percentiles", "moved", "Raterscope"


@dataclass(frozen=True)
class Design:
    """A kind of study; `hard` is how far the most difficult items make everyone guess."""

    name: str
    items: int
    raters: int
    per_item: int
    classes: int
    guessing: float
    hard: float = 0.0


DESIGNS = (
    Design("333 items, 10 of 269 workers, 4 classes", 333, 269, 10, 4, 0.3),
    Design("100 items, 5 of 20 workers, 3 classes", 100, 20, 5, 3, 0.3),
    Design("60 items of unequal difficulty, 8 of 8 workers, 2 classes", 60, 8, 8, 2, 0.3, 0.8),
    Design("50 items, 7 of 30 good workers, 2 classes", 50, 30, 7, 2, 0.1),
)


def study(design: Design, rng: np.random.Generator) -> tuple[Votes, np.ndarray]:
    """Votes and the true label of each item."""
    k = design.classes
    gold = rng.integers(0, k, design.items)
    skill = np.where(rng.random(design.raters) < design.guessing, 1 / k, rng.beta(7, 3, design.raters))
    guessed = design.hard * rng.beta(2, 2, design.items)
    item = np.repeat(np.arange(design.items), design.per_item)
    order = np.argsort(rng.random((design.items, design.raters)), axis=1)
    rater = order[:, : design.per_item].ravel()
    chance = skill[rater] * (1 - guessed[item]) + guessed[item] / k
    wrong = (gold[item] + rng.integers(1, k, len(item))) % k
    choice = np.where(rng.random(len(item)) < chance, gold[item], wrong)
    return Votes(item, rater, choice, design.items, design.raters, k), gold


def figures(methods: tuple[str, ...]) -> Iterator[tuple[str, bool]]:
    """Each method's accuracy, then each one's difference to majority vote."""
    yield from ((method, False) for method in methods)
    yield from ((method, True) for method in methods if method != MAJORITY)


def coverage(design: Design, studies: int, methods: tuple[str, ...]) -> list[str]:
    """One row of the table per figure."""
    rng = np.random.default_rng(1)
    truth = {method: [] for method in methods}
    for _ in range(TRUTH * studies):
        votes, gold = study(design, rng)
        for method in methods:
            truth[method].append(labelled(votes, gold, method).accuracy)
    mean = {method: float(np.mean(values)) for method, values in truth.items()}
    hits = {(figure, way): [] for figure in figures(methods) for way in WAYS}
    width = {figure: [] for figure in figures(methods)}
    for seed in range(studies):
        votes, gold = study(design, rng)
        labels = {method: labelled(votes, gold, method) for method in methods}
        drawn = {
            method: accuracy_draws(votes, gold, method, BootstrapSpec(DRAWS, seed)) for method in methods
        }
        found = compared(labels, drawn, design.raters)
        for method, apart in figures(methods):
            values = drawn[method] - drawn[MAJORITY] if apart else drawn[method]
            true = mean[method] - mean[MAJORITY] if apart else mean[method]
            estimate = (found.difference if apart else found.accuracy)[method]
            low, middle, high = np.quantile(values, [0.025, 0.5, 0.975])
            ends = {
                "percentiles": (low, high),
                "moved": (estimate.value + low - middle, estimate.value + high - middle),
                "Raterscope": (estimate.low, estimate.high),
            }
            for way, (left, right) in ends.items():
                hits[(method, apart), way].append(left <= true <= right)
            width[method, apart].append(estimate.high - estimate.low)
    return [
        f"| {design.name} | {method}{' − majority' if apart else ''} | "
        f"{100 * (mean[method] - (mean[MAJORITY] if apart else 0)):.1f} | "
        + " | ".join(f"{100 * np.mean(hits[(method, apart), way]):.0f} %" for way in WAYS)
        + f" | {100 * np.mean(width[method, apart]):.1f} |"
        for method, apart in figures(methods)
    ]


def main() -> None:
    studies = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    print(
        "# Coverage of the 95 % intervals of label accuracy\n\n"
        f"Made by `python benchmarks/label_coverage.py {studies}`: {studies} simulated studies per design with "
        f"{DRAWS} draws each, see its first lines.\nPercentiles of the draws, the same moved so that their "
        "middle is the estimate, and the product's intervals\n(Wilson's with the number of items that the draws' "
        "variance is worth; differences: the draws' standard deviation).\n\n"
        f"| design | figure | truth, % | {' | '.join(WAYS)} | mean width, points |\n"
        "| --- | --- | --- | --- | --- | --- | --- |"
    )
    for design in DESIGNS:
        methods = tuple(method for method in METHODS if method != GLAD or design.items <= MOST_FOR_GLAD)
        for row in coverage(design, studies, methods):
            print(row, flush=True)


if __name__ == "__main__":
    main()
