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
    many, n = 60, 40
    true = np.ones(many) if np.isinf(degrees) else (degrees - 2) / rng.chisquare(degrees, many)
    mean, severity = rng.normal(0, 1, many), rng.normal(0, 0.3, 200)
    first = rng.integers(4, 15, many) if unequal else np.full(many, 6)
    item = np.repeat(np.arange(many), first)
    rater = np.concatenate([rng.permutation(20)[:k] for k in first])

    def score(of: np.ndarray, by: np.ndarray) -> np.ndarray:
        return mean[of] + severity[by] + np.sqrt(true[of]) * rng.standard_normal(len(of))

    value = score(item, rater)
    for at in range(ROUNDS):
        rated = Ratings(item, rater, value)
        means = item_means(rated, rating_spread(rated))
        goal = means.goal if largest else ItemGoal(means.variances, largest=False)
        done = np.zeros((many, int(rater.max()) + 1), dtype=bool)
        done[item, rater] = True
        more = collect(done, n, goal, seed=at)
        item, rater = np.append(item, more.item), np.append(rater, more.rater)
        value = np.append(value, score(more.item, more.rater))
    counts = np.bincount(item)
    truth = ItemGoal(true + 0.09, largest)
    ones = ItemGoal(np.ones(many))
    column = np.zeros((many, int(first.max())), dtype=bool)
    for one, k in enumerate(first):
        column[one, :k] = True
    order = collect(column, MOST * n * ROUNDS, ones, "evenly").item

    def evenly(of: int) -> float:
        return truth.value(first + np.bincount(order[:of], minlength=many))

    rated = Ratings(item, rater, value)
    halves = item_means(rated, rating_spread(rated)).current_half_widths
    off = np.abs(np.bincount(item, value) / counts - mean) <= halves
    often = counts >= np.quantile(counts, 0.75)
    return {
        "even": fewest_judgments(evenly, truth.value(counts), n * ROUNDS),
        "coverage": float(off.mean()),
        "coverage of the items with most ratings": float(off[often].mean()),
    }


def systems(rng: np.random.Generator, slope: float, unequal: bool, new: int = 0) -> Figures:
    """5 systems on 16 topics, 2 of 8 raters each (or 5 for some systems), up to so many new raters a round."""
    k, topics, n = 5, 16, 40
    many = k * topics
    system, topic = np.divmod(np.arange(many), topics)
    noise = 6 / rng.chisquare(8, many)
    truth = rng.normal(0, 0.4, k)
    base = truth[system] + rng.normal(0, 0.5, topics)[topic] + rng.normal(0, 0.3, many)
    severity, slopes = rng.normal(0, 0.5, 400), rng.normal(0, slope, (k, 400))
    first = np.where(unequal & (system < 2), 5, 2)
    item = np.repeat(np.arange(many), first)
    rater = np.concatenate([rng.permutation(8)[:each] for each in first])

    def score(of: np.ndarray, by: np.ndarray) -> np.ndarray:
        spread = np.sqrt(noise[of]) * rng.standard_normal(len(of))
        return base[of] + severity[by] + slopes[system[of], by] + spread

    value = score(item, rater)
    start = item, rater
    parts = 0.09, 0.25, slope**2
    for at in range(ROUNDS):
        rated = Ratings(item, rater, value)
        own = item_means(rated, rating_spread(rated)).variances
        done = np.zeros((many, int(rater.max()) + 1), dtype=bool)
        done[item, rater] = True
        goal = SystemGoal(system, own / own.mean(), all_pairs(k), *parts)
        more = collect(done, n, goal, seed=at, most_new=new)
        item, rater = np.append(item, more.item), np.append(rater, more.rater)
        value = np.append(value, score(more.item, more.rater))
    known = SystemGoal(system, noise, all_pairs(k), *parts)
    done = np.zeros((many, 8), dtype=bool)
    done[start] = True
    order = collect(done, 6 * n * ROUNDS, known, "evenly", most_new=ROUNDS * new)

    def evenly(of: int) -> float:
        if of > len(order):
            return 0.0
        return known.value(np.append(start[0], order.item[:of]), np.append(start[1], order.rater[:of]))

    found = paired_differences(system[item], topic[item], rater, value, "raters like these")
    upper = np.triu_indices(k, 1)
    apart = (truth[:, None] - truth)[upper]
    return {
        "even": fewest_judgments(evenly, known.value(item, rater), n * ROUNDS),
        "coverage": float(((found.low[upper] <= apart) & (apart <= found.high[upper])).all()),
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
    known, goal = comparison_weights(strength), all_pairs(k)

    def counted(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        made = np.zeros((k, k))
        np.add.at(made, (a, b), 1)
        return made + made.T

    def compared() -> PairedComparisons:
        none = np.zeros(len(first), dtype=bool)
        return PairedComparisons(first, second, outcome, none, np.arange(k).astype(str))

    for at in range(ROUNDS):
        scale = fit_comparisons(compared())
        at_hand = np.nan_to_num(scale.strength)  # a system that won or lost all counts as an average one
        a, b = collect_pairs(comparison_weights(at_hand), counted(first, second), goal, n, seed=at)
        first, second = np.append(first, a), np.append(second, b)
        outcome = np.append(outcome, judged(a, b))
    target = pair_variance(known, counted(first, second), goal)
    orders = {
        "even": collect_pairs(known, counted(*start), goal, 4 * n * ROUNDS, "evenly"),
        "random": tuple(each[rng.integers(0, len(rows), 8 * n * ROUNDS)] for each in (rows, columns)),
    }
    found: dict[str, float] = {}
    for name, (a, b) in orders.items():

        def value_at(of: int, a: np.ndarray = a, b: np.ndarray = b) -> float:
            if of > len(a):
                return 0.0
            return pair_variance(
                known, counted(np.append(start[0], a[:of]), np.append(start[1], b[:of])), goal
            )

        found[name] = fewest_judgments(value_at, target, n * ROUNDS)
    ends = sandwich_intervals(compared(), np.arange(len(first)), None, BootstrapSpec(20, 0))
    if ends.reason or np.isnan(ends.difference_low[rows, columns]).all():
        return found
    apart = strength[rows] - strength[columns]
    low, high = ends.difference_low[rows, columns], ends.difference_high[rows, columns]
    inside = (np.isnan(low) | (low <= apart)) & (np.isnan(high) | (apart <= high))
    return found | {"coverage": float(inside.mean())}


def labels(rng: np.random.Generator, per_item: int) -> Figures:
    """150 items of 2 labels, raters right on 75% and less on hard items, 50 further votes a round."""
    many, n = 150, 50
    truth = rng.integers(2, size=many)
    ability = np.clip(rng.beta(0.75 * 3, 0.25 * 3, many), 0.05, 0.99)

    def voted(item: np.ndarray) -> np.ndarray:
        return np.where(rng.random(len(item)) < ability[item], truth[item], 1 - truth[item])

    start = np.repeat(np.arange(many), per_item)
    counts = np.zeros((many, 2))
    np.add.at(counts, (start, voted(start)), 1)
    first = counts.copy()

    def right(of: np.ndarray) -> float:
        most = of == of.max(axis=1, keepdims=True)
        return float((most[np.arange(many), truth] / most.sum(axis=1)).mean())

    for at in range(ROUNDS):
        accuracy = float(counts[np.arange(many), truth].sum() / counts.sum())
        hits = np.concatenate(
            [
                np.repeat([1, 0], row)
                for row in np.column_stack(
                    [counts[np.arange(many), truth], counts[np.arange(many), 1 - truth]]
                ).astype(int)
            ]
        )
        icc = icc_of_right_votes(np.repeat(np.arange(many), counts.sum(axis=1).astype(int)), hits)
        gains = label_gains(counts.astype(int), max(accuracy, 0.52), min(icc, 0.95), 100, at)
        more = gains.collect(n, counts.sum(axis=1))
        np.add.at(counts, (more, voted(more)), 1)
    even = first.copy()
    order = np.argsort(first.sum(axis=1) + rng.random(many))[: n * ROUNDS]
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
    given = parser.parse_args()
    for name, study in DESIGNS.items():
        if given.words and not any(word in name for word in given.words):
            continue
        rows: dict[str, list[float]] = {}
        for seed in range(given.studies):
            for figure, value in study(np.random.default_rng(seed)).items():
                rows.setdefault(figure, []).append(value)
        for figure, values in rows.items():
            each = np.array(values)
            reach = 1.96 * each.std(ddof=1) / sqrt(len(each))
            losses = f", below 1 in {(each < 1).mean():.0%}" if figure in ("even", "random") else ""
            what = f"{figure} over targeted" if losses else figure
            print(
                f"{name}: {what} {each.mean():.3f} ({each.mean() - reach:.3f} to {each.mean() + reach:.3f}){losses}",
                flush=True,
            )


if __name__ == "__main__":
    main()
