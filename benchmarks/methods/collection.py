"""Ratings, comparisons and votes that targeted collection saves, and coverage of intervals after three rounds.

Every study has a planted truth. Targeted judgments are chosen in three rounds from what the study itself has measured
so far. Then the number of evenly spread ones, for pairs also of random ones, is found that are as certain by the truth;
a ratio below 1 is a loss. Intervals are of the mean over studies. No implementation of ASAP is on PyPI.
"""

import argparse
from collections.abc import Callable, Mapping
from math import sqrt

import numpy as np

from analysis.items.rating_spread import rating_spread
from analysis.pairs.paired_differences import paired_differences
from analysis.planning.collection import ItemGoal, SystemGoal, collect
from analysis.planning.collection_choices import (
    all_pairs,
    collect_pairs,
    comparison_weights,
    label_gains,
    pair_variance,
)
from analysis.planning.collection_items import item_means
from analysis.planning.votes import icc_of_right_votes
from analysis.systems.bradley_terry import fit_comparisons
from analysis.systems.clustered_intervals import sandwich_intervals
from analysis.systems.rankings import PairedComparisons
from analysis.values.estimate import BootstrapSpec
from analysis.values.ratings import Ratings

ROUNDS = 3
MOST = 20
"""Times as many judgments up to which an even collection is followed."""
Figures = Mapping[str, float]


def fewest_judgments(value_at: Callable[[int], float], target: float, n: int) -> float:
    """Return the smallest number of judgments whose value is at most the target, over n."""
    low, high = 0, MOST * n
    if value_at(high) > target:
        return float(MOST)
    while high - low > 1:
        between = (low + high) // 2
        if value_at(between) <= target:
            high = between
        else:
            low = between
    return high / n


def items(rng: np.random.Generator, degrees: float, unequal: bool, largest: bool) -> Figures:
    """60 items, 6 ratings each (or 4 to 14), residual variances inverse chi-squared, or all 1 for infinite degrees."""
    n_items, n = 60, 40
    true = np.ones(n_items) if np.isinf(degrees) else (degrees - 2) / rng.chisquare(degrees, n_items)
    mean, severity = rng.normal(0, 1, n_items), rng.normal(0, 0.3, 200)
    first = rng.integers(4, 15, n_items) if unequal else np.full(n_items, 6)
    item = np.repeat(np.arange(n_items), first)
    rater = np.concatenate([rng.permutation(20)[:k] for k in first])

    def score(chosen: np.ndarray, rater_codes: np.ndarray) -> np.ndarray:
        return mean[chosen] + severity[rater_codes] + np.sqrt(true[chosen]) * rng.standard_normal(len(chosen))

    value = score(item, rater)
    for round_ in range(ROUNDS):
        rated = Ratings(item, rater, value)
        means = item_means(rated, rating_spread(rated))
        goal = means.goal if largest else ItemGoal(means.variances, largest=False)
        is_rated = np.zeros((n_items, int(rater.max()) + 1), dtype=bool)
        is_rated[item, rater] = True
        further = collect(is_rated, n, goal, seed=round_)
        item, rater = np.append(item, further.item), np.append(rater, further.rater)
        value = np.append(value, score(further.item, further.rater))
    counts = np.bincount(item)
    truth = ItemGoal(true + 0.09, largest)
    ones = ItemGoal(np.ones(n_items))
    column = np.zeros((n_items, int(first.max())), dtype=bool)
    for one, k in enumerate(first):
        column[one, :k] = True
    order = collect(column, MOST * n * ROUNDS, ones, "evenly").item

    def evenly(chosen: int) -> float:
        return truth.value(first + np.bincount(order[:chosen], minlength=n_items))

    rated = Ratings(item, rater, value)
    halves = item_means(rated, rating_spread(rated)).current_half_widths
    is_covered = np.abs(np.bincount(item, value) / counts - mean) <= halves
    often = counts >= np.quantile(counts, 0.75)
    return {
        "even": fewest_judgments(evenly, truth.value(counts), n * ROUNDS),
        "coverage": float(is_covered.mean()),
        "coverage of the items with most ratings": float(is_covered[often].mean()),
    }


def systems(rng: np.random.Generator, slope: float, unequal: bool, new: int = 0) -> Figures:
    """5 systems on 16 topics, 2 of 8 raters each (or 5 for some systems), up to so many new raters a round."""
    k, topics, n = 5, 16, 40
    n_items = k * topics
    system, topic = np.divmod(np.arange(n_items), topics)
    noise = 6 / rng.chisquare(8, n_items)
    truth = rng.normal(0, 0.4, k)
    base = truth[system] + rng.normal(0, 0.5, topics)[topic] + rng.normal(0, 0.3, n_items)
    severity, slopes = rng.normal(0, 0.5, 400), rng.normal(0, slope, (k, 400))
    first = np.where(unequal & (system < 2), 5, 2)
    item = np.repeat(np.arange(n_items), first)
    rater = np.concatenate([rng.permutation(8)[:each] for each in first])

    def score(chosen: np.ndarray, rater_codes: np.ndarray) -> np.ndarray:
        spread = np.sqrt(noise[chosen]) * rng.standard_normal(len(chosen))
        return base[chosen] + severity[rater_codes] + slopes[system[chosen], rater_codes] + spread

    value = score(item, rater)
    start = item, rater
    parts = 0.09, 0.25, slope**2
    for round_ in range(ROUNDS):
        rated = Ratings(item, rater, value)
        item_variances = item_means(rated, rating_spread(rated)).variances
        is_rated = np.zeros((n_items, int(rater.max()) + 1), dtype=bool)
        is_rated[item, rater] = True
        goal = SystemGoal(system, item_variances / item_variances.mean(), all_pairs(k), *parts)
        further = collect(is_rated, n, goal, seed=round_, most_new=new)
        item, rater = np.append(item, further.item), np.append(rater, further.rater)
        value = np.append(value, score(further.item, further.rater))
    true_goal = SystemGoal(system, noise, all_pairs(k), *parts)
    is_rated = np.zeros((n_items, 8), dtype=bool)
    is_rated[start] = True
    order = collect(is_rated, 6 * n * ROUNDS, true_goal, "evenly", most_new=ROUNDS * new)

    def evenly(chosen: int) -> float:
        if chosen > len(order):
            return 0.0
        return true_goal.value(
            np.append(start[0], order.item[:chosen]), np.append(start[1], order.rater[:chosen])
        )

    result = paired_differences(system[item], topic[item], rater, value, "raters like these")
    upper = np.triu_indices(k, 1)
    true_differences = (truth[:, None] - truth)[upper]
    return {
        "even": fewest_judgments(evenly, true_goal.value(item, rater), n * ROUNDS),
        "coverage": float(
            ((result.low[upper] <= true_differences) & (true_differences <= result.high[upper])).all()
        ),
    }


def pairs(rng: np.random.Generator, k: int, spread: float, chain: bool) -> Figures:
    """Systems on a Bradley-Terry scale, compared in a chain or 2 times each pair, 40 further comparisons a round."""
    strength, n = rng.normal(0, spread, k), 40
    rows, columns = np.triu_indices(k, 1)
    if chain:
        first, second = np.repeat(np.arange(k - 1), 12), np.repeat(np.arange(1, k), 12)
    else:
        first, second = np.repeat(rows, 2), np.repeat(columns, 2)

    def judged(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        return (rng.random(len(a)) > 1 / (1 + np.exp(strength[b] - strength[a]))).astype(np.int64)

    outcome, start = judged(first, second), (first, second)
    true_weights, goal = comparison_weights(strength), all_pairs(k)

    def counted(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        counts = np.zeros((k, k))
        np.add.at(counts, (a, b), 1)
        return counts + counts.T

    def compared() -> PairedComparisons:
        none = np.zeros(len(first), dtype=bool)
        return PairedComparisons(first, second, outcome, none, np.arange(k).astype(str))

    for round_ in range(ROUNDS):
        scale = fit_comparisons(compared())
        at_hand = np.nan_to_num(scale.strength)  # a system that won or lost all counts as an average one
        a, b = collect_pairs(comparison_weights(at_hand), counted(first, second), goal, n, seed=round_)
        first, second = np.append(first, a), np.append(second, b)
        outcome = np.append(outcome, judged(a, b))
    target = pair_variance(true_weights, counted(first, second), goal)
    orders = {
        "even": collect_pairs(true_weights, counted(*start), goal, 4 * n * ROUNDS, "evenly"),
        "random": tuple(each[rng.integers(0, len(rows), 8 * n * ROUNDS)] for each in (rows, columns)),
    }
    ratios: dict[str, float] = {}
    for name, (a, b) in orders.items():

        def value_at(of: int, a: np.ndarray = a, b: np.ndarray = b) -> float:
            if of > len(a):
                return 0.0
            return pair_variance(
                true_weights, counted(np.append(start[0], a[:of]), np.append(start[1], b[:of])), goal
            )

        ratios[name] = fewest_judgments(value_at, target, n * ROUNDS)
    intervals = sandwich_intervals(compared(), np.arange(len(first)), None, BootstrapSpec(20, 0))
    if intervals.reason or np.isnan(intervals.difference_low[rows, columns]).all():
        return ratios
    true_differences = strength[rows] - strength[columns]
    low, high = intervals.difference_low[rows, columns], intervals.difference_high[rows, columns]
    inside = (np.isnan(low) | (low <= true_differences)) & (np.isnan(high) | (true_differences <= high))
    return ratios | {"coverage": float(inside.mean())}


def labels(rng: np.random.Generator, per_item: int) -> Figures:
    """150 items of 2 labels, raters right on 75% and less on hard items, 50 further votes a round."""
    n_items, n = 150, 50
    truth = rng.integers(2, size=n_items)
    ability = np.clip(rng.beta(0.75 * 3, 0.25 * 3, n_items), 0.05, 0.99)

    def voted(item: np.ndarray) -> np.ndarray:
        return np.where(rng.random(len(item)) < ability[item], truth[item], 1 - truth[item])

    start = np.repeat(np.arange(n_items), per_item)
    counts = np.zeros((n_items, 2))
    np.add.at(counts, (start, voted(start)), 1)
    first = counts.copy()

    def right(vote_counts: np.ndarray) -> float:
        is_leading = vote_counts == vote_counts.max(axis=1, keepdims=True)
        return float((is_leading[np.arange(n_items), truth] / is_leading.sum(axis=1)).mean())

    for round_ in range(ROUNDS):
        accuracy = float(counts[np.arange(n_items), truth].sum() / counts.sum())
        hits = np.concatenate(
            [
                np.repeat([1, 0], row)
                for row in np.column_stack(
                    [counts[np.arange(n_items), truth], counts[np.arange(n_items), 1 - truth]]
                ).astype(int)
            ]
        )
        icc = icc_of_right_votes(np.repeat(np.arange(n_items), counts.sum(axis=1).astype(int)), hits)
        gains = label_gains(counts.astype(int), max(accuracy, 0.52), min(icc, 0.95), 100, round_)
        further = gains.collect(n, counts.sum(axis=1))
        np.add.at(counts, (further, voted(further)), 1)
    even = first.copy()
    order = np.argsort(first.sum(axis=1) + rng.random(n_items))[: n * ROUNDS]
    np.add.at(even, (order, voted(order)), 1)
    return {"gain": right(counts) - right(first), "gain, evenly": right(even) - right(first)}


DESIGNS: dict[str, Callable[[np.random.Generator], Figures]] = {
    "items, largest half-width, variances differing (4 df), 6 ratings each": lambda r: items(
        r, 4, False, True
    ),
    "items, largest half-width, variances differing (4 df), 4 to 14 ratings": lambda r: items(
        r, 4, True, True
    ),
    "items, largest half-width, variances equal, 6 ratings each": lambda r: items(r, np.inf, False, True),
    "items, largest half-width, variances equal, 4 to 14 ratings": lambda r: items(r, np.inf, True, True),
    "items, mean variance, variances differing (4 df), 6 ratings each": lambda r: items(r, 4, False, False),
    "items, mean variance, variances differing (4 df), 4 to 14 ratings": lambda r: items(r, 4, True, False),
    "items, mean variance, variances equal, 6 ratings each": lambda r: items(r, np.inf, False, False),
    "systems, raters by systems .3, 2 ratings each": lambda r: systems(r, 0.3, False),
    "systems, raters by systems .3, 2 or 5 ratings each": lambda r: systems(r, 0.3, True),
    "systems, raters by systems 0, 2 ratings each": lambda r: systems(r, 0.0, False),
    "systems, raters by systems .3, 2 ratings each, 24 new raters": lambda r: systems(r, 0.3, False, 8),
    "pairs, 8 systems, SD 1, chain": lambda r: pairs(r, 8, 1.0, True),
    "pairs, 8 systems, SD 1, all pairs": lambda r: pairs(r, 8, 1.0, False),
    "pairs, 12 systems, SD 2, all pairs": lambda r: pairs(r, 12, 2.0, False),
    "pairs, 8 systems, SD 0.3, all pairs": lambda r: pairs(r, 8, 0.3, False),
    "labels, 3 votes each": lambda r: labels(r, 3),
    "labels, 5 votes each": lambda r: labels(r, 5),
}


def main() -> None:
    """Print the mean of each figure over studies with its 95% interval, and how many ratios are below 1."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.methods.collection", description=__doc__)
    parser.add_argument("words", nargs="*", help="designs whose name holds one of these; all by default")
    parser.add_argument("--studies", type=int, default=200)
    parsed = parser.parse_args()
    for name, study in DESIGNS.items():
        if parsed.words and not any(word in name for word in parsed.words):
            continue
        rows: dict[str, list[float]] = {}
        for seed in range(parsed.studies):
            for figure, value in study(np.random.default_rng(seed)).items():
                rows.setdefault(figure, []).append(value)
        for figure, values in rows.items():
            sample = np.array(values)
            half_width = 1.96 * sample.std(ddof=1) / sqrt(len(sample))
            losses = f", below 1 in {(sample < 1).mean():.0%}" if figure in ("even", "random") else ""
            description = f"{figure} over targeted" if losses else figure
            print(
                f"{name}: {description} {sample.mean():.3f} "
                f"({sample.mean() - half_width:.3f} to {sample.mean() + half_width:.3f}){losses}",
                flush=True,
            )


if __name__ == "__main__":
    main()
