"""Promises of further judgments: coverage of the results after these are collected."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from analysis.agreement.agreement_summary import agreement_summary
from analysis.agreement.alpha import interval_alpha
from analysis.agreement.intraclass import spearman_brown
from analysis.items.rating_spread import rating_spread
from analysis.pairs.paired_differences import paired_differences
from analysis.planning.collection_choices import all_pairs
from analysis.planning.collection_items import OwnRepeats, item_means
from analysis.planning.pilot import pilot
from analysis.planning.promises import Asked, differences_source, ratings_of
from analysis.planning.promises_of_choices import (
    OpenVotes,
    PairsSource,
    labels_source,
    part_of_raters,
    points_of,
)
from analysis.planning.votes import icc_of_right_votes
from analysis.systems.bradley_terry import fit_comparisons
from analysis.systems.clustered_intervals import sandwich_intervals
from analysis.systems.rankings import PairedComparisons
from analysis.values.estimate import BootstrapSpec, Estimate
from analysis.values.ratings import Ratings
from analysis.values.votes import Votes
from analysis.variance.components import components
from benchmarks.calibration.simulation import Simulation

Population = Mapping[str, bool | float | None]


def _covers(promise: Estimate, value: float) -> bool:
    return bool(promise.low <= value <= promise.high)


def _make_names(prefix: str, count: int) -> np.ndarray:
    return np.array([f"{prefix}{number}" for number in range(count)])


def collected_item_ratings(items: int, per_item: int, raters: int, further: int, strategy: Any) -> Simulation:
    """Simulate items of different residual variance (inverse chi-squared, 8 degrees), rated by some of the raters."""
    words = f"{items} items, {per_item} of {raters} raters each, {further} further ratings, {strategy}"

    def study(rng: np.random.Generator, _: Any) -> Population:
        means, severity = rng.normal(0, 1, items), rng.normal(0, 0.4, raters + 50)
        noise = np.sqrt(6 / rng.chisquare(8, items))

        def score(item: np.ndarray, rater: np.ndarray) -> np.ndarray:
            return np.asarray(means[item] + severity[rater] + noise[item] * rng.standard_normal(len(item)))

        rater = np.argsort(rng.random((items, raters)), axis=1)[:, :per_item].ravel()
        item = np.repeat(np.arange(items), per_item)
        first = Ratings(item, rater, score(item, rater))
        source = ratings_of(first, rating_spread(first), _make_names("i", items), _make_names("r", raters))
        spec = Asked(further=further, strategy=strategy, cap=further, new=50)
        widest = replace(source, goal=source.means.goal, now=float(source.means.current_half_widths.max()))
        outcomes: dict[str, bool | float | None] = {}
        single = agreement_summary(first, "raters like these").one
        k = 1 / float((1 / source.means.counts).mean())
        reliable = replace(source, reliability=(single, k), rises=True, now=spearman_brown(single, k).value)
        for name, goal in (("promised ± of the widest item", widest), ("promised reliability", reliable)):
            chosen = goal.collect(spec)
            further_scores = score(chosen.item, chosen.rater)
            all_of = Ratings(
                np.append(item, chosen.item),
                np.append(rater, chosen.rater),
                np.append(first.score, further_scores),
            )
            after = item_means(all_of, rating_spread(all_of))
            value = float(after.current_half_widths.max())
            if goal is reliable:
                later = agreement_summary(all_of, "raters like these").one
                value = spearman_brown(later, 1 / float((1 / after.counts).mean())).value
            promise = goal.promise(chosen)
            outcomes[name] = None if np.isnan(promise.low) else _covers(promise, value)
        return outcomes

    figures = ("promised ± of the widest item", "promised reliability")
    return Simulation("planning", f"items: {words}", words, dict.fromkeys(figures, "interval"), study)


def collected_system_ratings(
    systems: int, topics: int, per_item: int, raters: int, further: int
) -> Simulation:
    """Simulate systems on the same topics, for raters like these, with targeted further ratings."""
    words = (
        f"{systems} systems, {topics} topics, {per_item} of {raters} raters each, {further} further ratings"
    )
    name = "promised ± of systems' differences"

    def study(rng: np.random.Generator, _: Any) -> Population:
        items = systems * topics
        system, topic = np.divmod(np.arange(items), topics)
        severity, slope = rng.normal(0, 0.5, raters + 50), rng.normal(0, 0.3, (systems, raters + 50))
        base = (
            rng.normal(0, 0.4, systems)[system]
            + rng.normal(0, 0.5, topics)[topic]
            + rng.normal(0, 0.4, items)
        )

        def score(item: np.ndarray, rater: np.ndarray) -> np.ndarray:
            return np.asarray(
                base[item] + severity[rater] + slope[system[item], rater] + rng.standard_normal(len(item))
            )

        rater = np.argsort(rng.random((items, raters)), axis=1)[:, :per_item].ravel()
        item = np.repeat(np.arange(items), per_item)
        first_ratings = Ratings(item, rater, score(item, rater))
        source = ratings_of(
            first_ratings, rating_spread(first_ratings), _make_names("i", items), _make_names("r", raters)
        )

        def compare(ratings: Ratings) -> Any:
            return paired_differences(
                system[ratings.item], topic[ratings.item], ratings.rater, ratings.score, "raters like these"
            )

        bootstrap = BootstrapSpec(150, int(rng.integers(1 << 30)))
        fitted = components(item, rater, first_ratings.score, system[item], topic[item], bootstrap=bootstrap)
        pairs, before = all_pairs(systems), compare(first_ratings)
        goal = differences_source(source, before, pilot(fitted), system, pairs)
        chosen = goal.collect(Asked(further=further, cap=further, new=50))
        further_scores = score(chosen.item, chosen.rater)
        later = compare(
            Ratings(
                np.append(item, chosen.item),
                np.append(rater, chosen.rater),
                np.append(first_ratings.score, further_scores),
            )
        )
        halves = ((later.high - later.low) / 2)[pairs > 0]
        return {name: _covers(goal.promise(chosen), float(np.sqrt(np.mean(halves**2))))}

    return Simulation("planning", f"systems: {words}", words, {name: "interval"}, study)


def collected_comparisons(systems: int, items: int, raters: int, further: int) -> Simulation:
    """Simulate a chain of systems, each item of a pair judged by all raters, with preferences of items and raters."""
    words = f"{systems} systems, {items} items a pair of neighbors, {raters} raters, {further} further comparisons"
    name = "promised ± on a preference scale"

    def study(rng: np.random.Generator, _: Any) -> Population:
        strength = np.sort(rng.normal(0, 0.8, systems))
        taste, fortune = rng.normal(0, 0.3, (raters + 50, systems)), rng.normal(0, 0.5, 10_000)

        def judged(first: np.ndarray, second: np.ndarray, item: np.ndarray, rater: np.ndarray) -> np.ndarray:
            d = (
                strength[first]
                - strength[second]
                + taste[rater, first]
                - taste[rater, second]
                + fortune[item]
            )
            return np.asarray((rng.random(len(first)) > 1 / (1 + np.exp(-d))).astype(np.int64))

        pair = np.repeat(np.arange(systems - 1), items * raters)
        item = np.repeat(np.arange((systems - 1) * items), raters)
        rater = np.tile(np.arange(raters), (systems - 1) * items)
        first, second = pair, pair + 1
        outcome = judged(first, second, item, rater)

        def make_comparisons(*columns: np.ndarray) -> PairedComparisons:
            first, second, outcome = columns
            return PairedComparisons(
                first, second, outcome, np.zeros(len(first), bool), _make_names("s", systems)
            )

        comparisons = make_comparisons(first, second, outcome)
        scale = fit_comparisons(comparisons)
        if not scale.is_identified:
            return {name: None}
        pairs = all_pairs(systems)

        def half_of(compared: PairedComparisons, items_of: np.ndarray, raters_of: np.ndarray) -> float:
            ends = sandwich_intervals(compared, items_of, raters_of, BootstrapSpec(20, 0))
            halves = ((ends.difference_high - ends.difference_low) / 2)[pairs > 0]
            return float(np.sqrt(np.nanmean(halves**2)))

        half = half_of(comparisons, item, rater)
        rows, columns = np.triu_indices(systems, 1)
        pair_index = np.zeros((systems, systems), dtype=np.int64)
        pair_index[rows, columns] = np.arange(len(rows))
        source = PairsSource(
            _make_names("p", len(rows)),
            _make_names("r", raters),
            scale.compared[rows, columns],
            now=float(points_of(half)),
            systems=_make_names("s", systems),
            strengths=scale.strength,
            tie=0.0,
            offered=0.0,
            compared=scale.compared,
            pairs=pairs,
            half=half,
            of_raters=part_of_raters(scale, comparisons, item, rater, np.arange(systems), pairs),
            place=pair_index[first, second],
            item=item,
            rater=rater,
            items=_make_names("i", item.max() + 1),
        )
        chosen = source.collect(Asked(further=further, cap=further, new=50))
        told = source.columns(chosen)["item_id"]
        new_item = item.max() + np.array([int(name.removeprefix("new item ")) for name in told])
        further_pairs = rows[chosen.item], columns[chosen.item]
        later = judged(*further_pairs, new_item, chosen.rater)
        both = make_comparisons(
            np.append(first, further_pairs[0]), np.append(second, further_pairs[1]), np.append(outcome, later)
        )
        value = half_of(both, np.append(item, new_item), np.append(rater, chosen.rater))
        return {name: _covers(source.promise(chosen), float(points_of(value)))}

    return Simulation("planning", f"pairs: {words}", words, {name: "interval"}, study)


def collected_labels(items: int, per_item: int, raters: int, options: int, further: int) -> Simulation:
    """Simulate labels by raters who are right on 60 to 85%, less on hard items, with known answers and targeted
    votes."""
    words = f"{items} items, {per_item} of {raters} raters each, {options} options, {further} further votes"
    name = "promised share of right labels"

    def study(rng: np.random.Generator, _: Any) -> Population:
        truth, skill = rng.integers(options, size=items), rng.uniform(0.6, 0.85, raters)
        hard = rng.normal(0, 0.1, items)

        def voted(item: np.ndarray, rater: np.ndarray) -> np.ndarray:
            wrong = (truth[item] + rng.integers(1, options, size=len(item))) % options
            return np.asarray(np.where(rng.random(len(item)) < skill[rater] + hard[item], truth[item], wrong))

        rater = np.argsort(rng.random((items, raters)), axis=1)[:, :per_item].ravel()
        item = np.repeat(np.arange(items), per_item)
        choice = voted(item, rater)
        votes = Votes(item, rater, choice, items, raters, options)
        right = choice == truth[item]
        known = OpenVotes(float(right.mean()), options, len(item), icc=icc_of_right_votes(item, right))
        source = labels_source(votes, truth, known, _make_names("i", items), _make_names("r", raters), 0)
        chosen = source.collect(Asked(further=further, cap=further, new=0))
        further_votes = voted(chosen.item, chosen.rater)
        counts = np.zeros((items, options))
        np.add.at(counts, (item, choice), 1)
        np.add.at(counts, (chosen.item, further_votes), 1)
        is_leading = counts == counts.max(axis=1, keepdims=True)
        share_right = float((is_leading[np.arange(items), truth] / is_leading.sum(axis=1)).mean())
        return {name: _covers(source.promise(chosen), share_right)}

    return Simulation("planning", f"labels: {words}", words, {name: "interval"}, study)


def repeated_judgments(
    items: int, topics: int, repeats: int, further: int, strategy: Any, wide: float = 1.0, points: int = 0
) -> Simulation:
    """Simulate one rater's items, half of whose topics have `wide` times the spread; scores of `points` points, or
    any."""
    words = f"{items} items of {topics} topics, {repeats} judged twice, {further} judged again, {strategy}"
    words += f", half of the topics {wide:g} times as wide" if wide != 1 else ""
    words += f", {points} points" if points else ""
    name = "promised ± of a rater's alpha"

    def study(rng: np.random.Generator, _: Any) -> Population:
        topic = np.arange(items) % topics
        levels = np.where(topic < topics // 2, wide, 1.0) * rng.normal(0, 1, items)

        def scores(item: np.ndarray) -> np.ndarray:
            score = levels[item] + 0.7 * rng.standard_normal(len(item))
            return np.asarray(np.clip(np.round(score), -(points // 2), points // 2) if points else score)

        def with_more(item: np.ndarray, so_far: np.ndarray) -> np.ndarray:
            new_scores = scores(item)
            return np.asarray(
                so_far + [np.bincount(item, weights, items) for weights in (None, new_scores, new_scores**2)]
            )

        sums = with_more(np.arange(items), np.zeros((3, items)))
        sums = with_more(rng.choice(items, repeats, replace=False), sums)
        source = OwnRepeats(sums[0], sums[1], sums[2], topic, float(points > 0))
        chosen = source.collect(further, strategy, int(rng.integers(1 << 30)))
        promise, _alpha = source.simulate_alpha(chosen, seed=int(rng.integers(1 << 30)))
        after = interval_alpha(*with_more(chosen, sums))
        if np.isnan(promise.low) or np.isnan(after.low):
            return {name: None}
        return {name: _covers(promise, (after.high - after.low) / 2)}

    return Simulation("planning", f"repeats: {words}", words, {name: "interval"}, study)


SIMULATIONS = (
    collected_item_ratings(60, 6, 12, 120, "targeted"),
    collected_item_ratings(100, 8, 20, 200, "targeted"),
    collected_item_ratings(60, 3, 12, 120, "targeted"),
    collected_item_ratings(60, 6, 12, 120, "evenly"),
    collected_system_ratings(6, 20, 3, 12, 120),
    collected_system_ratings(4, 40, 2, 8, 160),
    collected_comparisons(5, 20, 6, 120),
    collected_comparisons(8, 12, 12, 300),
    collected_labels(200, 3, 20, 2, 200),
    collected_labels(100, 5, 15, 4, 100),
    repeated_judgments(120, 12, 15, 30, "evenly"),
    repeated_judgments(120, 12, 15, 30, "targeted"),
    repeated_judgments(200, 10, 40, 60, "targeted", points=5),
    repeated_judgments(200, 10, 40, 60, "targeted", wide=2.0, points=7),
    repeated_judgments(400, 20, 30, 100, "as before", wide=2.0),
)
