"""Chance over items and raters on a scale: a slow loop, laws, clusters, and draws that have no scale."""

from itertools import combinations

import numpy as np
import pytest

from analysis.resampling.intervals import crossed_bootstrap_counts
from analysis.systems.bradley_terry import fit, fit_comparisons
from analysis.systems.rankings import comparisons_from_ids
from analysis.systems.scale_intervals import bootstrap_intervals, chance_estimates, strength_estimates
from analysis.values.estimate import BootstrapSpec, InputError

SPEC = BootstrapSpec(draws=200)


def votes(strength=(1.0, 0.2, 0.0, -0.4), items=40, raters=6, ties=0.3, seed=0, pairs=None):
    """Every rater compares both systems of every item; items go round the pairs."""
    rng = np.random.default_rng(seed)
    met = pairs or list(combinations(range(len(strength)), 2))
    item, rater = (part.ravel() for part in np.meshgrid(np.arange(items), np.arange(raters), indexing="ij"))
    first, second = np.array(met)[item % len(met)].T
    gap = np.take(strength, first) - np.take(strength, second)
    weights = np.column_stack([np.exp(gap / 2), np.exp(-gap / 2), np.full(len(gap), ties)])
    ends = np.cumsum(weights / weights.sum(axis=1, keepdims=True), axis=1)
    outcome = (rng.random((len(gap), 1)) > ends[:, :2]).sum(axis=1)
    return comparisons_from_ids(first, second, outcome), item, rater


def slow_draws(comparisons, item, rater, spec, ids=None):
    """Every draw written out as repeated comparisons and fitted as data."""
    found = []
    raters, items = np.unique(rater, return_inverse=True), np.unique(item, return_inverse=True)
    for rater_weight, item_weight in crossed_bootstrap_counts(
        len(raters[0]), len(items[0]), spec.draws, spec.seed
    ):
        for of_raters, of_items in zip(rater_weight, item_weight, strict=True):
            times = (of_raters[raters[1]] * of_items[items[1]]).astype(int)
            again = np.repeat(np.arange(len(comparisons)), times)
            scale = fit(
                comparisons.first[again],
                comparisons.second[again],
                comparisons.outcome[again],
                offered=comparisons.offered[again],
            )
            found.append(scale)
    return found


def test_every_draw_repeats_the_whole_fit():
    comparisons, item, rater = votes()
    spec = BootstrapSpec(draws=41, seed=5)
    drawn = bootstrap_intervals(comparisons, item, rater, spec)
    slow = slow_draws(comparisons, item, rater, spec)
    assert all(scale.is_identified and len(scale.systems) == 4 for scale in slow)
    for ends, values in (
        ((drawn.low, drawn.high), [scale.strength for scale in slow]),
        ((drawn.chance_low, drawn.chance_high), [scale.chance for scale in slow]),
    ):
        ordered = np.sort(values, axis=0)  # of 41 draws, 2.5% are cut off at the second from each end
        assert ends[0] == pytest.approx(ordered[1], abs=1e-8)
        assert ends[1] == pytest.approx(ordered[-2], abs=1e-8)
    gap = np.sort([scale.strength[0] - scale.strength[3] for scale in slow])
    assert drawn.difference_low[0, 3] == pytest.approx(gap[1], abs=1e-8)
    assert drawn.difference_high[0, 3] == pytest.approx(gap[-2], abs=1e-8)


def test_pairs_are_distinguished_for_all_pairs_at_once():
    """The adjusted p by its definition, pair by pair and draw by draw."""
    comparisons, item, rater = votes()
    spec = BootstrapSpec(draws=99, seed=2)
    drawn = bootstrap_intervals(comparisons, item, rater, spec)

    def angles(scale):
        return {
            (i, j): np.arcsin(np.sqrt(1 / (1 + np.exp(scale.strength[j] - scale.strength[i]))))
            for i, j in combinations(range(4), 2)
        }

    estimate = angles(fit_comparisons(comparisons))
    draws = [angles(scale) for scale in slow_draws(comparisons, item, rater, spec)]
    error = {pair: np.sqrt(np.mean([(d[pair] - estimate[pair]) ** 2 for d in draws])) for pair in estimate}
    largest = [max(abs(d[pair] - estimate[pair]) / error[pair] for pair in estimate) for d in draws]
    for pair in estimate:
        distance = abs(estimate[pair] - np.pi / 4) / error[pair]
        p = (1 + sum(value >= distance for value in largest)) / 100
        assert drawn.p[pair] == pytest.approx(p)
        assert drawn.p[pair[::-1]] == pytest.approx(p)
        assert drawn.above[pair] == (p <= 0.05 and estimate[pair] > np.pi / 4)


def test_intervals_hold_their_estimates_and_differences_mirror_each_other():
    comparisons, item, rater = votes()
    scale, drawn = fit_comparisons(comparisons), bootstrap_intervals(comparisons, item, rater, SPEC)
    assert (drawn.low <= scale.strength).all()
    assert (scale.strength <= drawn.high).all()
    assert (drawn.chance_low <= scale.chance).all()
    assert drawn.difference_low == pytest.approx(-drawn.difference_high.T)
    assert drawn.complete == drawn.draws == 200
    assert drawn.resampled == "items and raters"
    assert strength_estimates(scale, drawn)[0].low == drawn.low[0]
    assert chance_estimates(scale, drawn)[0].n == scale.comparisons[0]
    assert np.isnan(strength_estimates(scale)[0].low)


def test_the_size_of_blocks_changes_nothing(monkeypatch):
    data = votes()
    whole = bootstrap_intervals(*data, SPEC)
    monkeypatch.setattr("analysis.resampling.intervals.BLOCK", 500)
    done = []
    parts = bootstrap_intervals(*data, SPEC, done.append)
    assert parts.low == pytest.approx(whole.low, abs=1e-9)
    assert parts.p == pytest.approx(whole.p, nan_ok=True)
    assert done[-1] == 1
    assert len(done) > 10


def test_clusters_part_where_everyone_above_is_surely_above_everyone_below():
    data = votes(strength=(2.5, 2.5, 0.0, 0.0, -2.5), items=400, raters=8, seed=3)
    drawn = bootstrap_intervals(*data, SPEC)
    assert drawn.cluster.tolist() == [1, 1, 2, 2, 3]
    assert drawn.rank_low.tolist() == [1, 1, 3, 3, 5]
    assert drawn.rank_high.tolist() == [2, 2, 4, 4, 5]


def test_what_is_alike_is_one_cluster():
    drawn = bootstrap_intervals(*votes(strength=(0.0,) * 5, items=60), SPEC)
    assert drawn.cluster.tolist() == [1] * 5
    assert drawn.rank_low.tolist() == [1] * 5
    assert drawn.rank_high.tolist() == [5] * 5


def test_without_raters_only_items_are_drawn():
    comparisons, item, rater = votes()
    alone = bootstrap_intervals(comparisons, item, None, SPEC)
    assert alone.resampled == "items"
    same = bootstrap_intervals(comparisons, item, np.zeros_like(rater), SPEC)
    assert alone.low.tolist() == same.low.tolist()


def test_a_system_that_almost_always_wins_has_an_open_interval_but_a_known_rank():
    comparisons, item, rater = votes(strength=(4.5, 0.3, 0.0), items=60, raters=6, ties=0.0, seed=7)
    assert fit_comparisons(comparisons).lost[0] == 4
    drawn = bootstrap_intervals(comparisons, item, rater, SPEC)
    assert 195 > drawn.complete > 100
    assert np.isnan(drawn.high[0])
    assert np.isfinite(drawn.low[0])
    assert np.isnan(drawn.low[1:]).all()  # the mean goes up with it
    assert np.isfinite(drawn.high[1:]).all()
    assert drawn.chance_high[0] == 1
    assert drawn.chance_low[1:].tolist() == [0, 0]
    assert drawn.difference_low[0, 1] > 0  # a pair's own interval is open on one side only
    assert np.isnan(drawn.difference_high[0, 1])
    assert np.isfinite([drawn.difference_low[1, 2], drawn.difference_high[1, 2]]).all()
    assert f"in {200 - drawn.complete} of 200 draws" in drawn.open_reason
    assert drawn.rank_high[0] == 1
    assert drawn.cluster.tolist() == [1, 2, 2]


def test_a_draw_in_which_a_system_met_nobody_counts_against_both_ends():
    """c has one item: about e^-1 of the draws leave it out."""
    first, second, outcome = [0, 0, 0] * 8 + [1] * 6, [1] * 24 + [2] * 6, [0, 1, 0] * 8 + [0, 1, 0, 1, 1, 0]
    item = np.array([*range(24), *[24] * 6])
    drawn = bootstrap_intervals(comparisons_from_ids(first, second, outcome), item, None, SPEC)
    assert 50 < drawn.draws - drawn.complete < 95
    assert np.isnan([drawn.low, drawn.high]).all()
    assert drawn.chance_low.tolist() == [0, 0, 0]
    assert drawn.chance_high.tolist() == [1, 1, 1]
    assert np.isfinite(drawn.difference_low[0, 1])
    assert np.isnan([drawn.difference_low[0, 2], drawn.difference_high[0, 2]]).all()
    assert not drawn.above.any()


def test_systems_beyond_the_scale_have_no_rank():
    rows = [(0, 1, 0)] * 6 + [(0, 1, 1)] * 5 + [(2, 0, 0)] * 5
    first, second, outcome = np.array(rows).T
    drawn = bootstrap_intervals(comparisons_from_ids(first, second, outcome), np.arange(16), None, SPEC)
    assert drawn.rank_low.tolist() == [1, 1, 0]
    assert drawn.cluster.tolist() == [1, 1, 0]
    assert np.isnan(drawn.low[2])
    assert drawn.above[2].tolist() == [False] * 3


def test_ties_only_have_no_interval_with_the_reason():
    first, second = np.array([[0, 1], [1, 2], [0, 2]] * 5).T
    drawn = bootstrap_intervals(
        comparisons_from_ids(first, second, np.full(15, 2)), np.arange(15), None, SPEC
    )
    assert "all comparisons are ties" in drawn.reason
    assert np.isnan(drawn.difference_high[~np.eye(3, dtype=bool)]).all()
    assert not drawn.above.any()


@pytest.mark.parametrize(
    ("data", "spec", "told"),
    [
        (([0, 0], [1, 1], [0, 0]), SPEC, "no two systems"),
        (([0, 0], [1, 1], [0, 1]), BootstrapSpec(draws=0), "no draws"),
        (([0, 0], [1, 1], [0, 1]), SPEC, "only one item"),
    ],
)
def test_where_nothing_can_be_drawn_the_reason_is_reported(data, spec, told):
    drawn = bootstrap_intervals(comparisons_from_ids(*data), [1, 1], [1, 2], spec)
    assert told in drawn.reason
    assert np.isnan(drawn.low).all()
    assert drawn.cluster.tolist() == [0, 0]


def test_lengths_are_checked():
    comparisons, item, rater = votes()
    with pytest.raises(InputError, match="as long as the comparisons"):
        bootstrap_intervals(comparisons, item[:-1], rater)


@pytest.mark.slow
def test_intervals_cover_and_clusters_rarely_part_the_like():
    """200 studies of 5 like systems, items and raters of their own taste: at most about 5% part any pair."""
    wrong = covered = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        item, rater = (part.ravel() for part in np.meshgrid(np.arange(60), np.arange(8), indexing="ij"))
        first, second = np.array(list(combinations(range(5), 2)))[item % 10].T
        taste = rng.normal(0, 0.5, (8, 5))
        gap = taste[rater, first] - taste[rater, second] + rng.normal(0, 0.7, 60)[item]
        outcome = (rng.random(len(gap)) > 1 / (1 + np.exp(-gap))).astype(int)
        drawn = bootstrap_intervals(
            comparisons_from_ids(first, second, outcome), item, rater, BootstrapSpec(400, seed)
        )
        wrong += drawn.above.any()
        covered += drawn.difference_low[0, 1] <= 0 <= drawn.difference_high[0, 1]
    assert wrong <= 20
    assert covered >= 185
