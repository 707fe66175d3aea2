"""Workers: r_w, shares of a preference, a scale of systems and accuracy of labels, over items and workers."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from analysis.values.estimate import BootstrapSpec
from analysis.values.votes import Lists, Votes
from analysis.workers import pcch_reliability
from analysis.workers.label_accuracy import ALONE, MAJORITY, WEIGHTED, accuracy_draws, compared, labelled
from analysis.workers.preference import CLOSED, PreferenceSpec, preference, shares
from analysis.workers.reliability_intervals import intervals_of_draws, reliability_draws
from analysis.workers.scale.clusters import clustered
from analysis.workers.scale.paired_comparisons import PairedComparisons
from analysis.workers.scale.paired_comparisons import compared as paired
from benchmarks.calibration.experiment import Experiment, Kind

Study = Callable[[np.random.Generator, Any], Mapping[str, bool | float | None]]
DRAWS = 300
FOR_TRUTH = 2000
LISTS = {2: Lists(0, 1), 4: Lists(0, 1, 2, 3)}
FIGURES = {method: f"share of the preference, {method}" for method in CLOSED}


@dataclass(frozen=True)
class Design:
    """Items, workers, options, votes on an item, and how unequal workers' shares of the work are (Zipf's exponent)."""

    items: int
    workers: int
    options: int
    per_item: int
    unequal: float = 0.0

    @property
    def words(self) -> str:
        every = "all" if self.per_item == self.workers else str(self.per_item)
        loads = ", Zipf loads" if self.unequal else ""
        return f"{self.items} items, {every} of {self.workers} workers{loads}, {self.options} options"


def judged(design: Design, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Item and worker (n,) of each vote; the load falls on workers in an order of its own in each study."""
    load = rng.permutation(1 / np.arange(1, design.workers + 1) ** design.unequal)
    keys = np.log(rng.random((design.items, design.workers))) / load
    who = np.argsort(-keys, axis=1)[:, : design.per_item]
    return np.repeat(np.arange(design.items), design.per_item), who.ravel()


def answered(design: Design, skill: np.ndarray, rng: np.random.Generator, truth: np.ndarray) -> Votes:
    """Votes of workers who are right by their skill and the item's difficulty (SD 0.5 in logits)."""
    item, worker = judged(design, rng)
    logit = np.log(skill / (1 - skill))[worker] - rng.normal(0, 0.5, design.items)[item]
    right = rng.random(len(item)) < 1 / (1 + np.exp(-logit))
    wrong = (truth[item] + rng.integers(1, design.options, len(item))) % design.options
    return Votes(
        item, worker, np.where(right, truth[item], wrong), design.items, design.workers, design.options
    )


def covers(low: float, high: float, truth: float) -> bool | None:
    """None where there is no interval."""
    return None if np.isnan(low) or np.isnan(high) else bool(low <= truth <= high)


def _one_worker(design: Design, right: float, rng: np.random.Generator) -> Votes:
    skill = rng.uniform(0.5, 0.95, design.workers)
    skill[0] = right
    return answered(design, skill, rng, rng.integers(0, design.options, design.items))


def of_a_worker(design: Design, right: float) -> tuple[Callable[[np.random.Generator], float], Study]:
    """r_w of one worker who is right with this chance, among colleagues drawn anew."""

    def truth(rng: np.random.Generator) -> float:
        return float(
            np.nanmean(
                [
                    pcch_reliability.correlations(_one_worker(design, right, rng))[0, 0]
                    for _ in range(FOR_TRUTH)
                ]
            )
        )

    def study(rng: np.random.Generator, true: Any) -> Mapping[str, bool | float | None]:
        votes = _one_worker(design, right, rng)
        own = np.unique(votes.item[votes.rater == 0])
        poll = np.zeros(votes.items, dtype=np.int64)
        spec = BootstrapSpec(DRAWS, int(rng.integers(1 << 30)))
        drawn = reliability_draws(votes, poll, spec)[:, :1]
        value = pcch_reliability.correlations(votes)[0, :1]
        low, high = intervals_of_draws(drawn, value, np.array([len(own)]), 0.95)
        return {"r_w": covers(low[0], high[0], true)}

    return truth, study


def _choices(design: Design, better: float, rng: np.random.Generator) -> Votes:
    """The first system is better on a share of the items; workers of skill .5 to .95 see which."""
    truth = (rng.random(design.items) > better).astype(np.int64)
    return answered(design, rng.uniform(0.5, 0.95, design.workers), rng, truth)


def of_a_preference(design: Design, better: float) -> tuple[Callable[[np.random.Generator], Any], Study]:
    """The first system's share by each method that is not fitted."""
    spec = PreferenceSpec(dropped=round(0.4 * design.workers), draws=DRAWS)
    lists = LISTS[design.options]

    def truth(rng: np.random.Generator) -> dict[str, float]:
        many = [shares(_choices(design, better, rng), lists, spec, CLOSED) for _ in range(FOR_TRUTH)]
        return {method: float(np.nanmean([one[method][0] for one in many])) for method in CLOSED}

    def study(rng: np.random.Generator, true: Any) -> Mapping[str, bool | float | None]:
        estimates = preference(_choices(design, better, rng), lists, spec, CLOSED).shares
        return {FIGURES[m]: covers(estimates[m].low, estimates[m].high, true[m]) for m in CLOSED}

    return truth, study


def _met(
    design: Design, systems: int, ties: float, rng: np.random.Generator
) -> tuple[PairedComparisons, np.ndarray, np.ndarray]:
    """Systems that are alike, each item and each worker with a taste of its own."""
    item, worker = judged(design, rng)
    first, second = np.array(list(combinations(range(systems), 2)))[item % (systems * (systems - 1) // 2)].T
    liked, fits = rng.normal(0, 0.4, (design.workers, systems)), rng.normal(0, 0.5, (design.items, systems))
    gap = liked[worker, first] - liked[worker, second] + fits[item, first] - fits[item, second]
    weights = np.column_stack([np.exp(gap / 2), np.exp(-gap / 2), np.full(len(gap), ties)])
    ends = np.cumsum(weights / weights.sum(axis=1, keepdims=True), axis=1)
    outcome = (rng.random((len(gap), 1)) > ends[:, :2]).sum(axis=1)
    return paired(first, second, outcome), item, worker


def of_a_scale(design: Design, systems: int, ties: float = 0.5) -> Study:
    """Strengths, chances, differences and the adjusted p of any pair, with all systems alike."""

    def study(rng: np.random.Generator, _: Any) -> Mapping[str, bool | float | None]:
        scale = clustered(*_met(design, systems, ties, rng), BootstrapSpec(500, int(rng.integers(1 << 30))))
        return {
            "strength on the scale": covers(scale.low[0], scale.high[0], 0.0),
            "chance on the scale": covers(scale.chance_low[0], scale.chance_high[0], 0.5),
            "difference on the scale": covers(scale.difference_low[0, 1], scale.difference_high[0, 1], 0.0),
            "adjusted p of pairs on the scale": float(np.nanmin(scale.p)),
        }

    return study


def _labelled(design: Design, rng: np.random.Generator) -> tuple[Votes, np.ndarray]:
    gold = rng.integers(0, design.options, design.items)
    return answered(design, rng.uniform(0.45, 0.95, design.workers), rng, gold), gold


METHODS = (MAJORITY, WEIGHTED, ALONE)


def of_labels(design: Design) -> tuple[Callable[[np.random.Generator], Any], Study]:
    """Accuracy of the methods that are not fitted, and how far they lie above majority vote."""

    def truth(rng: np.random.Generator) -> dict[str, float]:
        told = []
        for _ in range(FOR_TRUTH):
            votes, gold = _labelled(design, rng)
            told.append([labelled(votes, gold, method).accuracy for method in METHODS])
        return dict(zip(METHODS, np.mean(told, axis=0).tolist(), strict=True))

    def study(rng: np.random.Generator, true: Any) -> Mapping[str, bool | float | None]:
        votes, gold = _labelled(design, rng)
        spec = BootstrapSpec(DRAWS, int(rng.integers(1 << 30)))
        both = compared(
            {method: labelled(votes, gold, method) for method in METHODS},
            {method: accuracy_draws(votes, gold, method, spec) for method in METHODS},
            votes.raters,
        )
        above = both.difference[WEIGHTED]
        return {
            f"accuracy of labels, {m}": covers(both.accuracy[m].low, both.accuracy[m].high, true[m])
            for m in METHODS
        } | {"accuracy above majority": covers(above.low, above.high, true[WEIGHTED] - true[MAJORITY])}

    return truth, study


BALANCED, SPARSE, UNEQUAL, SMALL = (
    Design(60, 8, 2, 8),
    Design(100, 40, 2, 5),
    Design(100, 30, 2, 5, 1.0),
    Design(24, 5, 2, 5),
)
FOUR = Design(60, 20, 4, 10)
SCALE: Mapping[str, Kind] = {
    "strength on the scale": "interval",
    "chance on the scale": "interval",
    "difference on the scale": "interval",
    "adjusted p of pairs on the scale": "cautious test",
}
SCALE_OF_FEW: Mapping[str, Kind] = dict.fromkeys(list(SCALE)[:3], "cautious interval") | {
    "adjusted p of pairs on the scale": "cautious test"
}
# The draws of items and workers count chance within single votes more than once: some of these rows are above 98 %, and
# the pages say that these intervals are cautious.
LABELS = (*(f"accuracy of labels, {method}" for method in METHODS), "accuracy above majority")


def held_to(figures: Iterable[str], design: Design) -> Mapping[str, Kind]:
    """Both bounds with 6 workers or more, the lower one with fewer."""
    return dict.fromkeys(figures, "interval" if design.workers > 5 else "cautious interval")


EXPERIMENTS = (
    *(
        Experiment("workers", f"scale: {design.words}, {systems} systems", f"{design.words}, {systems} systems",
                   SCALE if design.workers > 5 else SCALE_OF_FEW, of_a_scale(design, systems), studies=2000)
        for design, systems in (
            (Design(60, 8, 3, 8), 4), (Design(100, 40, 3, 5), 4), (Design(100, 30, 3, 5, 1.0), 4),
            (Design(120, 12, 3, 6, 1.0), 4), (Design(60, 3, 3, 3), 4), (Design(200, 20, 3, 10), 6),
        )
    ),
    *(
        Experiment("workers", f"r_w: {design.words}, right {right}", f"{design.words}, right {right}",
                   held_to(("r_w",), design), study, truth, studies=400)
        for design, right in ((BALANCED, 0.55), (BALANCED, 0.95), (SPARSE, 0.75), (UNEQUAL, 0.75), (SMALL, 0.75))
        for truth, study in [of_a_worker(design, right)]
    ),
    *(
        Experiment("workers", f"preference: {design.words}, better on {better}",
                   f"{design.words}, first better on {100 * better:.0f} %", held_to(FIGURES.values(), design),
                   study, truth, studies=400)
        for design, better in ((BALANCED, 0.75), (SPARSE, 0.6), (UNEQUAL, 0.75), (SMALL, 0.75), (FOUR, 0.75))
        for truth, study in [of_a_preference(design, better)]
    ),
    *(
        Experiment("workers", f"labels: {design.words}", design.words, held_to(LABELS, design), study,
                   truth, studies=400)
        for design in (BALANCED, SPARSE, UNEQUAL, FOUR)
        for truth, study in [of_labels(design)]
    ),
)  # fmt: skip
