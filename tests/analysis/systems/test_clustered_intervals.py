"""The sandwich variance of a scale: statsmodels, laws, and the draws as the slow check."""

from dataclasses import fields, replace
from itertools import combinations

import numpy as np
import pytest

from analysis.resampling.intervals import crossed_bootstrap_counts
from analysis.systems.bradley_terry import fit, fit_comparisons
from analysis.systems.clustered_intervals import covariance, sandwich_intervals
from analysis.systems.goodness_of_fit import goodness_of_fit, position_effect
from analysis.systems.rankings import comparisons_from_ids
from analysis.systems.scale_intervals import chance_estimates, strength_estimates
from analysis.values.estimate import BootstrapSpec, InputError

SPEC = BootstrapSpec(draws=400)


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


def test_variance_over_items_is_statsmodels_logit_clustered():
    """Without ties a scale is a logistic regression on differences of indicators."""
    comparisons, item, _ = votes(ties=0.0, seed=4)
    design = np.zeros((len(comparisons), 4))
    n = np.arange(len(comparisons))
    design[n, comparisons.first], design[n, comparisons.second] = 1, -1
    from statsmodels.discrete.discrete_model import Logit

    fitted = Logit((comparisons.outcome == 0).astype(float), design[:, 1:]).fit(
        disp=0,
        cov_type="cluster",
        cov_kwds={"groups": item, "use_correction": False},
    )
    ours = covariance(fit_comparisons(comparisons), comparisons, item, np.zeros_like(item))
    against_first = np.column_stack([-np.ones(3), np.eye(3), np.zeros(3)])
    many = len(np.unique(item))
    np.testing.assert_allclose(
        against_first @ ours.items @ against_first.T, fitted.cov_params() * many / (many - 3), rtol=1e-6
    )


def test_a_weighted_scale_is_a_weighted_logistic_regression():
    comparisons, item, _ = votes(ties=0.0, seed=5)
    weight = np.random.default_rng(0).lognormal(0, 1, len(comparisons))
    design = np.zeros((len(comparisons), 4))
    n = np.arange(len(comparisons))
    design[n, comparisons.first], design[n, comparisons.second] = 1, -1
    from statsmodels.genmod.families import Binomial
    from statsmodels.genmod.generalized_linear_model import GLM

    weighted, many = replace(comparisons, weight=weight), len(np.unique(item))
    scale = fit_comparisons(weighted)
    won, x = (comparisons.outcome == 0).astype(float), design[:, 1:]
    fitted = GLM(won, x, family=Binomial(), freq_weights=weight).fit(tol=1e-12)
    np.testing.assert_allclose(scale.strength[1:] - scale.strength[0], fitted.params, atol=1e-6)
    sums = np.zeros((many, 3))
    np.add.at(sums, np.unique(item, return_inverse=True)[1], (weight * (won - fitted.mu))[:, None] * x)
    expected = fitted.cov_params() @ sums.T @ sums @ fitted.cov_params() * many / (many - 3)
    ours = covariance(scale, weighted, item, np.zeros_like(item))
    against_first = np.column_stack([-np.ones(3), np.eye(3), np.zeros(3)])
    np.testing.assert_allclose(against_first @ ours.items @ against_first.T, expected, rtol=1e-5)


def test_equal_weights_change_nothing_and_their_size_does_not_matter():
    comparisons, item, rater = votes(seed=6)
    plain = sandwich_intervals(comparisons, item, rater, SPEC)
    ones = sandwich_intervals(replace(comparisons, weight=np.ones(len(item))), item, rater, SPEC)
    for part in fields(plain):
        np.testing.assert_array_equal(getattr(plain, part.name), getattr(ones, part.name))
    weight = np.random.default_rng(1).lognormal(0, 1, len(item))
    one, ten = (
        sandwich_intervals(replace(comparisons, weight=times * weight), item, rater, SPEC)
        for times in (1.0, 10.0)
    )
    np.testing.assert_allclose(one.low, ten.low, atol=1e-6)
    np.testing.assert_allclose(one.high, ten.high, atol=1e-6)


def test_whole_weights_are_repeats():
    """Scale, variance over items and raters, test of fit and effect of position; degrees of freedom too."""
    comparisons, item, rater = votes(seed=7)
    weight = np.random.default_rng(2).integers(1, 5, len(item))
    again = np.repeat(np.arange(len(item)), weight)
    repeated = comparisons.select(again)
    weighted = replace(comparisons, weight=weight.astype(float))
    scale, of_repeats = fit_comparisons(weighted), fit_comparisons(repeated)
    np.testing.assert_allclose(scale.strength, of_repeats.strength, atol=1e-9)
    np.testing.assert_allclose(scale.wins, of_repeats.wins)
    assert scale.comparisons.sum() == 2 * len(item)
    one, other = (
        covariance(scale, weighted, item, rater),
        covariance(of_repeats, repeated, item[again], rater[again]),
    )
    np.testing.assert_allclose(one.items, other.items, atol=1e-9)
    np.testing.assert_allclose(one.raters, other.raters, atol=1e-9)
    assert one.degrees_items == pytest.approx(other.degrees_items)
    assert one.degrees_raters == pytest.approx(other.degrees_raters)
    fits = (
        goodness_of_fit(scale, weighted, item, rater),
        goodness_of_fit(of_repeats, repeated, item[again], rater[again]),
    )
    assert fits[0].p == pytest.approx(fits[1].p)
    shown = np.random.default_rng(3).random(len(item)) < 0.5
    effects = (
        position_effect(weighted, shown, item, rater),
        position_effect(repeated, shown[again], item[again], rater[again]),
    )
    assert effects[0].factor.value == pytest.approx(effects[1].factor.value)
    assert effects[0].factor.low == pytest.approx(effects[1].factor.low)


def test_weights_are_checked():
    comparisons = votes()[0]
    for weight in (-np.ones(len(comparisons)), np.ones(3), np.full(len(comparisons), np.nan)):
        with pytest.raises(InputError, match="weight"):
            replace(comparisons, weight=weight)


def test_votes_that_rest_on_items_alone_gain_nothing_from_raters():
    comparisons, item, rater = votes()
    copies = comparisons_from_ids(
        *(np.repeat(part, 3) for part in (comparisons.first, comparisons.second, comparisons.outcome))
    )
    single = sandwich_intervals(comparisons, np.arange(len(item)), None, SPEC)
    tripled = sandwich_intervals(
        copies, np.repeat(np.arange(len(item)), 3), np.tile([0, 1, 2], len(item)), SPEC
    )
    assert tripled.high - tripled.low == pytest.approx(single.high - single.low, rel=0.02)
    assert rater.max() == 5


def test_intervals_are_narrower_than_the_draws_and_hold_the_estimate():
    comparisons, item, rater = votes()
    scale, ours = fit_comparisons(comparisons), sandwich_intervals(comparisons, item, rater, SPEC)
    drawn = slow_draws(comparisons, item, rater, BootstrapSpec(draws=200))
    for low, high, values, value in (
        (ours.low, ours.high, [each.strength for each in drawn], scale.strength),
        (ours.chance_low, ours.chance_high, [each.chance for each in drawn], scale.chance),
    ):
        slow_low, slow_high = np.quantile(values, [0.025, 0.975], axis=0)
        assert ((low < value) & (value < high)).all()
        assert (0.3 * (slow_high - slow_low) < high - low).all()
        assert (high - low < 1.05 * (slow_high - slow_low)).all()
    assert ours.difference_low == pytest.approx(-ours.difference_high.T)
    assert ours.resampled == "items and raters"
    assert strength_estimates(scale, ours)[0].low == ours.low[0]
    assert chance_estimates(scale, ours)[0].n == scale.comparisons[0]
    assert np.isnan(strength_estimates(scale)[0].low)


def test_p_of_one_pair_is_that_of_its_own_interval():
    comparisons, item, rater = votes(strength=(0.25, -0.25), items=60, seed=1)
    ours = sandwich_intervals(comparisons, item, rater, BootstrapSpec(20_000))
    for level in (0.5, 0.8, 0.9, 0.95):
        at = sandwich_intervals(comparisons, item, rater, BootstrapSpec(20_000, level=level))
        outside = at.difference_low[0, 1] > 0 or at.difference_high[0, 1] < 0
        assert outside == (ours.p[0, 1] < 1 - level) or abs(ours.p[0, 1] - 1 + level) < 0.01


def test_clusters_part_where_everyone_above_is_surely_above_everyone_below():
    ours = sandwich_intervals(*votes(strength=(2.5, 2.5, 0.0, 0.0, -2.5), items=400, raters=8, seed=3), SPEC)
    assert ours.cluster.tolist() == [1, 1, 2, 2, 3]
    assert ours.rank_low.tolist() == [1, 1, 3, 3, 5]
    assert sandwich_intervals(*votes(strength=(0.0,) * 5, items=60), SPEC).cluster.tolist() == [1] * 5


def test_a_tie_of_everything_is_certain_and_tells_nobody_apart():
    first, second = np.array([[0, 1], [1, 2], [0, 2]] * 5).T
    ours = sandwich_intervals(comparisons_from_ids(first, second, np.full(15, 2)), np.arange(15), None, SPEC)
    assert np.nanmax(np.abs(ours.difference_high)) == 0
    assert not ours.above.any()


def test_systems_beyond_the_scale_have_no_interval():
    rows = [(0, 1, 0)] * 6 + [(0, 1, 1)] * 5 + [(2, 0, 0)] * 5
    first, second, outcome = np.array(rows).T
    ours = sandwich_intervals(comparisons_from_ids(first, second, outcome), np.arange(16), None, SPEC)
    assert ours.rank_low.tolist() == [1, 1, 0]
    assert np.isnan(ours.low[2])
    assert np.isfinite(ours.low[:2]).all()


@pytest.mark.parametrize(
    ("data", "spec", "told"),
    [
        (([0, 0], [1, 1], [0, 0]), SPEC, "no two systems"),
        (([0, 0], [1, 1], [0, 1]), BootstrapSpec(draws=0), "no draws"),
        (([0, 0], [1, 1], [0, 1]), SPEC, "only one item"),
    ],
)
def test_where_there_is_no_interval_the_reason_is_reported(data, spec, told):
    ours = sandwich_intervals(comparisons_from_ids(*data), [1, 1], [1, 2], spec)
    assert told in ours.reason
    assert np.isnan(ours.low).all()


def test_lengths_are_checked():
    comparisons, item, rater = votes()
    with pytest.raises(InputError, match="as long as the comparisons"):
        sandwich_intervals(comparisons, item[:-1], rater)


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
        ours = sandwich_intervals(
            comparisons_from_ids(first, second, outcome), item, rater, BootstrapSpec(400, seed)
        )
        wrong += ours.above.any()
        covered += ours.difference_low[0, 1] <= 0 <= ours.difference_high[0, 1]
    assert wrong <= 20
    assert covered >= 185
