"""Every aggregation against a loop that reads like its definition, on the first r ratings only."""

import numpy as np
import pytest
from scipy import stats

from analysis.repetitions.rating_orders import AGGREGATIONS, ITEMWISE_AGGREGATIONS, running_values
from analysis.repetitions.repetition import RepetitionSpec, orders, simulate
from analysis.values.ratings import Ratings


def study(seed, decimals=0, n=9, m=6, raters=5, unequal=False):
    rng = np.random.default_rng(seed)
    counts = rng.integers(2, m + 1, n) if unequal else np.full(n, m)
    item = np.repeat(np.arange(n), counts)
    rater = rng.integers(0, raters, len(item))
    score = np.round(
        3 + rng.normal(0, 1, n)[item] + rng.normal(0, 0.8, raters)[rater] + rng.normal(0, 0.7, len(item)),
        decimals,
    )
    return Ratings(item, rater, score), {i: float(v) for i, v in enumerate(rng.normal(0, 1, n))}


def by_hand(aggregation, ratings, rows):
    """One value per item from the ratings at `rows`, a list of positions per item."""
    seen = [(i, ratings.rater[p], ratings.score[p]) for i, row in enumerate(rows) for p in row]
    scores = [[ratings.score[p] for p in row] for row in rows]
    raters = [[ratings.rater[p] for p in row] for row in rows]
    if aggregation == "mean":
        return [np.mean(row) for row in scores]
    if aggregation == "median":
        return [np.median(row) for row in scores]
    if aggregation == "trimmed mean":
        return [stats.trim_mean(row, 0.2) for row in scores]
    everyone = sorted({rater for _, rater, _ in seen})
    own = {w: [s for _, rater, s in seen if rater == w] for w in everyone}
    if aggregation == "z-scored mean":
        pooled = [s for _, _, s in seen]
        mean = {w: np.mean(own[w] if len(own[w]) > 1 else pooled) for w in everyone}
        spread = {
            w: np.std(own[w], ddof=1) if len(set(own[w])) > 1 else np.std(pooled, ddof=1) for w in everyone
        }
        return [
            np.mean([(s - mean[w]) / (spread[w] or np.inf) for s, w in zip(row, who, strict=True)])
            for row, who in zip(scores, raters, strict=True)
        ]
    if aggregation == "bias-corrected mean":
        bias = {w: np.mean([s - np.mean(scores[i]) for i, rater, s in seen if rater == w]) for w in everyone}
        return [
            np.mean([s - bias[w] for s, w in zip(row, who, strict=True)])
            for row, who in zip(scores, raters, strict=True)
        ]
    weight = {}
    for w in everyone:
        pairs = [
            (s, (sum(scores[i]) - s) / (len(scores[i]) - 1))
            for i, rater, s in seen
            if rater == w and len(scores[i]) > 1
        ]
        if len(pairs) >= 3 and np.ptp([x for x, _ in pairs]) > 0 and np.ptp([y for _, y in pairs]) > 1e-9:
            weight[w] = max(stats.pearsonr(*zip(*pairs, strict=True)).statistic, 0)
    typical = np.mean(list(weight.values())) if weight else 1
    values = []
    for row, who in zip(scores, raters, strict=True):
        weights = [weight.get(w, typical) for w in who]
        values.append(np.average(row, weights=weights if sum(weights) > 0 else None))
    return values


def test_rounding_is_no_weight():
    """Rater 2 is unrelated to the others to the last digit: r_w = 0, so the others' mean is the value."""
    pattern = np.array([1.0, -1.0, 1.0, -1.0]) / 3
    score = np.stack([pattern, pattern, np.array([1.0, 1.0, -1.0, -1.0]) / 3])[:, None, :] + 0.1
    rater = np.broadcast_to(np.arange(3)[:, None, None], score.shape)
    values = running_values("reliability-weighted mean", score, rater, 3, np.ones((3, 4), dtype=bool))
    np.testing.assert_array_equal(values[2, 0], values[2, 0][[0, 1, 0, 1]])


@pytest.mark.parametrize(("decimals", "unequal"), [(0, True), (3, False)])
@pytest.mark.parametrize("aggregation", AGGREGATIONS)
def test_equals_the_definition_on_the_first_r_ratings(aggregation, decimals, unequal):
    for seed in range(2):
        ratings, reference = study(seed, decimals, unequal=unequal)
        spec = RepetitionSpec(shuffles=3, repetitions=6, seed=seed, aggregation=aggregation)
        curves = simulate(ratings, reference, spec)
        drawn = orders(ratings, spec)
        for s in range(3):
            for r in range(1, drawn.shape[2] + 1):
                rows = [[p for p in row[:r] if p >= 0] for row in drawn[s]]
                values = np.round(by_hand(aggregation, ratings, rows), 9)
                there = [i for i, row in enumerate(rows) if len(row) == r]
                x, y = values[there], [reference[i] for i in there]
                if len(there) < 2 or np.ptp(x) == 0:
                    assert np.isnan(curves.shuffled[s, r - 1])
                else:
                    assert curves.shuffled[s, r - 1] == pytest.approx(
                        stats.spearmanr(x, y).statistic, abs=1e-12
                    )


@pytest.mark.parametrize("aggregation", AGGREGATIONS)
def test_values_equal_the_definition(aggregation):
    ratings, _ = study(7)
    drawn = orders(ratings, RepetitionSpec(shuffles=4))
    shape = drawn.transpose(2, 0, 1)
    values = running_values(
        aggregation, ratings.score[shape], ratings.rater[shape], 5, np.ones((6, 9), dtype=bool)
    )
    for s in range(4):
        for r in range(1, 7):
            np.testing.assert_allclose(
                values[r - 1, s], by_hand(aggregation, ratings, drawn[s][:, :r]), atol=1e-9
            )


def test_later_ratings_do_not_leak_into_earlier_values():
    ratings, reference = study(3)
    spec = RepetitionSpec(shuffles=0)
    late = np.arange(len(ratings)) % 6 >= 3
    changed = Ratings(ratings.item, ratings.rater, np.where(late, 6 - ratings.score, ratings.score))
    for aggregation in AGGREGATIONS:
        spec = RepetitionSpec(shuffles=0, aggregation=aggregation)
        one, two = simulate(ratings, reference, spec), simulate(changed, reference, spec)
        np.testing.assert_array_equal(one.measured[:3], two.measured[:3])
        assert (one.measured[3:] != two.measured[3:]).any()


def test_one_rating_per_rater_makes_all_of_them_a_mean():
    rng = np.random.default_rng(0)
    item = np.repeat(np.arange(12), 4)
    ratings = Ratings(item, np.arange(48), rng.integers(1, 6, 48))
    reference = dict(enumerate(rng.normal(size=12)))
    expected = simulate(ratings, reference).points
    for aggregation in set(AGGREGATIONS) - set(ITEMWISE_AGGREGATIONS):
        found = simulate(ratings, reference, RepetitionSpec(aggregation=aggregation)).points
        np.testing.assert_allclose(found, expected, atol=1e-12)


def test_correcting_bias_helps_where_raters_differ_in_severity():
    rng = np.random.default_rng(5)
    n, m, raters = 60, 8, 15
    quality = rng.normal(0, 1, n)
    item = np.repeat(np.arange(n), m)
    rater = np.concatenate([rng.permutation(raters)[:m] for _ in range(n)])
    score = quality[item] + rng.normal(0, 2, raters)[rater] + rng.normal(0, 0.5, n * m)
    ratings, reference = Ratings(item, rater, score), dict(enumerate(quality))
    plain, corrected = (
        simulate(ratings, reference, RepetitionSpec(aggregation=aggregation)).measured[-1]
        for aggregation in ("mean", "bias-corrected mean")
    )
    assert corrected > plain + 0.05


@pytest.mark.parametrize("aggregation", AGGREGATIONS)
def test_constant_scores_are_undefined(aggregation):
    ratings = Ratings([0, 0, 1, 1, 2, 2], [0, 1, 0, 1, 0, 1], [3.1] * 6)
    curves = simulate(ratings, {0: 1, 1: 2, 2: 3}, RepetitionSpec(aggregation=aggregation))
    assert np.isnan(curves.points).all()
    assert "all ratings are equal" in curves.reason
