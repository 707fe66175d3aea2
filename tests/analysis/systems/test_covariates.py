"""Style beside strength: statsmodels' logistic regression, the likelihood written out, laws, what cannot be told."""

import numpy as np
import pytest
from scipy import optimize, stats

from analysis.systems.bradley_terry import fit_comparisons
from analysis.systems.clustered_intervals import sandwich_intervals
from analysis.systems.covariates import style_effects
from analysis.systems.rankings import PairedComparisons
from analysis.values.estimate import InputError


def study(seed=0, n=900, effect=0.8, ties=0.5):
    """Votes on four systems whose stronger ones write longer, and longer outputs are chosen for that."""
    rng = np.random.default_rng(seed)
    strength = np.array([0.6, 0.2, -0.3, -0.5])
    first = rng.integers(0, 4, n)
    second = (first + rng.integers(1, 4, n)) % 4
    length = [np.exp(rng.normal(5 + strength[of], 0.7)) for of in (first, second)]
    x = (length[0] - length[1]) / (length[0] + length[1])
    x /= np.sqrt((x**2).mean())
    d = strength[first] - strength[second] + effect * x
    weights = np.column_stack([np.exp(d / 2), np.exp(-d / 2), np.full(n, ties)])
    ends = np.cumsum(weights / weights.sum(axis=1, keepdims=True), axis=1)
    outcome = (rng.random((n, 1)) > ends[:, :2]).sum(axis=1)
    votes = PairedComparisons(first, second, outcome, np.full(n, ties > 0), np.arange(4))
    return votes, {"length": tuple(length)}, rng.integers(0, 90, n), rng.integers(0, 15, n), x


def test_without_ties_it_is_logistic_regression_with_its_robust_errors():
    votes, style, item, _, x = study(ties=0.0)
    n = np.arange(len(votes))
    design = np.zeros((len(n), 4))
    design[n, votes.first], design[n, votes.second] = 1, -1
    from statsmodels.discrete.discrete_model import Logit

    robust = Logit((votes.outcome == 0).astype(float), np.column_stack([design[:, 1:], x])).fit(
        disp=0, cov_type="cluster", cov_kwds={"groups": item, "use_correction": False}
    )
    found = style_effects(votes, style, item, None)
    assert found.effect[0].value == pytest.approx(robust.params[-1], abs=1e-7)
    strength = np.array([each.value for each in found.strength])
    np.testing.assert_allclose(strength[1:] - strength[0], robust.params[:3], atol=1e-7)
    assert found.adjusted.log_likelihood == pytest.approx(robust.llf, abs=1e-7)
    clusters = len(np.unique(item))
    size = np.bincount(item)

    t = stats.t.ppf(0.975, size.sum() ** 2 / (size**2).sum() - 1)
    half = t * robust.bse[-1] * np.sqrt(clusters / (clusters - 4))
    assert found.effect[0].high - found.effect[0].value == pytest.approx(half, rel=1e-6)


def test_with_ties_it_is_the_maximum_of_the_likelihood_written_out():
    votes, style, item, rater, x = study(1, n=300)
    found = style_effects(votes, style, item, rater)

    def minus_log(parameters):
        strength, total = [0, *parameters[:3]], 0.0
        for i, j, result, more in zip(votes.first, votes.second, votes.outcome, x, strict=True):
            d = strength[i] - strength[j] + parameters[3] * more
            parts = [np.exp(d / 2), np.exp(-d / 2), np.exp(parameters[4])]
            total += np.log(parts[result] / sum(parts))
        return -total

    best = optimize.minimize(minus_log, np.zeros(5), method="BFGS", options={"gtol": 1e-5})
    strength = np.array([each.value for each in found.strength])
    assert strength[1:] - strength[0] == pytest.approx(best.x[:3], abs=1e-5)
    assert found.effect[0].value == pytest.approx(best.x[3], abs=1e-5)
    assert found.adjusted.tie == pytest.approx(np.exp(best.x[4]), abs=1e-5)
    assert found.adjusted.log_likelihood == pytest.approx(-best.fun, abs=1e-7)


def test_planted_effects_are_found_and_taken_from_the_systems():
    votes, style, item, rater, _ = study(2, n=20_000, effect=0.8)
    found = style_effects(votes, style, item, rater)
    assert found.effect[0].value == pytest.approx(0.8, abs=0.06)
    assert found.effect[0].low < found.effect[0].value < found.effect[0].high
    assert found.p[0] < 1e-6
    adjusted = np.array([each.value for each in found.strength])
    assert adjusted == pytest.approx([0.6, 0.2, -0.3, -0.5], abs=0.08)
    assert np.ptp(found.plain.strength) > np.ptp(adjusted) + 0.2


def test_exchanging_sides_changes_nothing():
    votes, style, item, rater, _ = study(3)
    first, second = style["length"]
    swapped = PairedComparisons(
        votes.second, votes.first, np.array([1, 0, 2])[votes.outcome], votes.offered, votes.systems
    )
    one = style_effects(votes, style, item, rater)
    other = style_effects(swapped, {"length": (second, first)}, item, rater)
    for place in ("value", "low", "high"):
        assert getattr(other.effect[0], place) == pytest.approx(getattr(one.effect[0], place), abs=1e-8)


def test_two_covariates_and_a_unit_do_not_matter_to_each_other():
    votes, style, item, rater, _ = study(4)
    rng = np.random.default_rng(0)
    headings = tuple(rng.poisson(2, len(votes)).astype(float) for _ in range(2))
    both = style_effects(votes, style | {"headings": headings}, item, rater)
    alone = style_effects(votes, style, item, rater)
    assert both.names == ("length", "headings")
    assert both.effect[0].value == pytest.approx(alone.effect[0].value, abs=0.05)
    assert both.effect[1].low < 0 < both.effect[1].high
    assert both.adjusted.log_likelihood >= alone.adjusted.log_likelihood


def test_twice_the_length_wins_as_the_effect_says():
    votes, style, item, rater, _ = study(7, n=4000)
    found = style_effects(votes, style, item, rater)
    first, second = style["length"]
    unit = np.sqrt((((first - second) / (first + second)) ** 2).mean())
    for place in ("value", "low", "high"):
        effect, twice = getattr(found.effect[0], place), getattr(found.twice[0], place)
        assert np.log(twice / (1 - twice)) == pytest.approx(effect / unit / 3)
    double = style_effects(votes, {"length": (2 * first, 2 * second)}, item, rater)
    assert double.twice[0].value == pytest.approx(found.twice[0].value)


def test_ranks_and_intervals_are_those_of_the_scale_where_style_says_nothing():
    votes, _, item, rater, _ = study(8, n=3000, effect=0.0)
    rng = np.random.default_rng(0)
    noise = tuple(rng.lognormal(5, 0.7, len(votes)) for _ in range(2))
    found = style_effects(votes, {"noise": noise}, item, rater)
    plain = sandwich_intervals(votes, item, rater)
    np.testing.assert_allclose(found.adjusted.strength, found.plain.strength, atol=0.05)
    np.testing.assert_allclose(found.intervals.low, plain.low, atol=0.05)
    np.testing.assert_allclose(found.intervals.chance_high, plain.chance_high, atol=0.02)
    assert found.intervals.rank_low.tolist() == plain.rank_low.tolist()


def test_of_one_item_there_are_effects_without_intervals():
    votes, style, _, rater, _ = study(9, n=300)
    found = style_effects(votes, style, np.zeros(300), rater)
    assert np.isfinite(found.effect[0].value)
    assert np.isnan(found.effect[0].low)
    assert "only one item" in found.intervals.reason


def test_an_answer_without_headings_beside_one_with_some_counts_as_far_as_can_be():
    votes, _, item, rater, _ = study(10)
    rng = np.random.default_rng(1)
    some = rng.integers(0, 2, (2, len(votes))).astype(float)
    found = style_effects(votes, {"headings": tuple(some)}, item, rater)
    assert found.left_out == 0
    assert np.isfinite(found.effect[0].value)


def test_comparisons_without_a_value_are_left_out_and_counted():
    votes, style, item, rater, _ = study(5)
    first, second = (side.copy() for side in style["length"])
    first[:40], second[30:50] = np.nan, np.nan
    found = style_effects(votes, {"length": (first, second)}, item, rater)
    rest = slice(50, None)
    of_rest = PairedComparisons(
        votes.first[rest], votes.second[rest], votes.outcome[rest], votes.offered[rest], votes.systems
    )
    assert found.left_out == 50
    np.testing.assert_allclose(found.plain.strength, fit_comparisons(of_rest).strength, atol=1e-9)


def test_what_differs_only_as_the_systems_do_cannot_be_told_apart():
    votes, _, item, rater, _ = study(6)
    own = np.array([100.0, 80.0, 50.0, 20.0])
    found = style_effects(votes, {"length": (own[votes.first], own[votes.second])}, item, rater)
    assert "cannot be separated" in found.reason
    assert np.isnan(found.effect[0].value)
    same = np.full(len(votes), 7.0)
    assert "cannot be separated" in style_effects(votes, {"length": (same, same)}, item, rater).reason


def test_where_the_longer_always_wins_no_finite_effect_fits():
    rng = np.random.default_rng(0)
    first = rng.integers(0, 3, 200)
    second = (first + rng.integers(1, 3, 200)) % 3
    longer = rng.random(200) < 0.5
    votes = PairedComparisons(first, second, np.where(longer, 0, 1), np.zeros(200, bool), np.arange(3))
    length = np.where(longer, 90.0, 30.0), np.where(longer, 30.0, 90.0)
    assert "no finite effect" in style_effects(votes, {"length": length}, np.arange(200), None).reason


@pytest.mark.parametrize(
    ("style", "told"),
    [
        ({}, "at least one"),
        ({"length": ([1.0], [2.0])}, "length"),
        ({"length": (np.full(900, -1.0), np.ones(900))}, "negative"),
    ],
)
def test_unusable_columns_are_reported(style, told):
    votes, _, item, rater, _ = study()
    with pytest.raises(InputError, match=told):
        style_effects(votes, style, item, rater)
