"""Standing first: home advantage in published baseball, generic maximum likelihood, laws, and what cannot be told."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from scipy import optimize, stats

from analysis.systems.bradley_terry import fit_comparisons
from analysis.systems.covariates import cluster_variance_share
from analysis.systems.goodness_of_fit import position_effect
from analysis.systems.rankings import PairedComparisons, comparisons_from_ids
from analysis.values.estimate import InputError

TEAMS = "Milwaukee", "Detroit", "Toronto", "New York", "Boston", "Cleveland", "Baltimore"
HOME = {
    "Milwaukee": "43 42 43 61 42 60",
    "Detroit": "33 42 43 60 61 43",
    "Toronto": "25 43 24 43 42 60",
    "New York": "33 51 25 43 42 61",
    "Boston": "51 25 33 42 52 60",
    "Cleveland": "25 33 34 43 42 24",
    "Baltimore": "25 15 16 24 16 34",
}
"""Wins at home and away wins of the guest, guests in the order of `TEAMS`: American League 1987, Agresti 2002, page
438. All 42 pairs are as in data/baseball.csv of github.com/hturner/BradleyTerry2 (ce4902e)."""


def baseball():
    """Every game: home team, guest, and who won."""
    home, guest, outcome = [], [], []
    for team, results in HOME.items():
        for other, (won, lost) in zip([t for t in TEAMS if t != team], results.split(), strict=True):
            games = int(won) + int(lost)
            home += [TEAMS.index(team)] * games
            guest += [TEAMS.index(other)] * games
            outcome += [0] * int(won) + [1] * int(lost)
    return comparisons_from_ids(home, guest, outcome)


def test_home_advantage_of_baseball():
    """Turner and Firth 2012, "Bradley-Terry models in R: the BradleyTerry2 package", section 2.2, on the games of
    Agresti 2002, Table 10.11: home advantage 0.3023, strengths against Baltimore."""
    games = baseball()
    found = position_effect(games, np.ones(len(games)), np.arange(len(games)), None)
    assert np.log(found.factor.value) == pytest.approx(0.3023, abs=5.1e-5)
    against = found.strength - found.strength[-1]
    assert against[:-1] == pytest.approx([1.6196, 1.4754, 1.3271, 1.2813, 1.1438, 0.7047], abs=5.1e-5)
    assert 1 < found.factor.low < found.factor.value < found.factor.high


def test_abilities_of_baseball_with_home_advantage():
    """Agresti 2002, Table 10.11, column 5, as BradleyTerry2's own test (tests/testthat/test-baseball.R) has them."""
    games = baseball()
    found = position_effect(games, np.ones(len(games)), np.arange(len(games)), None)
    ability = np.exp(found.strength) / np.exp(found.strength).sum()
    assert np.sort(ability) == pytest.approx([0.044, 0.088, 0.137, 0.157, 0.164, 0.190, 0.220], abs=5.1e-4)


@given(some.lists(some.integers(1, 9), min_size=2, max_size=8))
def test_what_is_left_of_the_variance_between_clusters(sizes):
    """Sums of deviations from the mean of all votes, cluster by cluster, where votes of a cluster are alike."""
    code = np.repeat(np.arange(len(sizes)), sizes)
    n, expected = len(code), 0.0
    for own, size in enumerate(sizes):
        for other, another in enumerate(sizes):
            weight = size * ((own == other) - another / n)
            expected += weight**2
    assert cluster_variance_share(code) == pytest.approx(expected / sum(size**2 for size in sizes))


def test_without_ties_it_is_logistic_regression_with_its_robust_error():
    games = baseball()
    n = np.arange(len(games))
    design = np.zeros((len(n), 7))
    design[n, games.first] += 1
    design[n, games.second] -= 1
    design[:, -1] = 1
    from statsmodels.discrete.discrete_model import Logit

    robust = Logit((games.outcome == 0).astype(float), design).fit(
        disp=False, cov_type="cluster", cov_kwds={"groups": n // 3, "use_correction": False}
    )
    found = position_effect(games, np.ones(len(n)), n // 3, None)
    assert np.log(found.factor.value) == pytest.approx(robust.params[-1], abs=1e-8)
    clusters = len(np.unique(n // 3))
    error = robust.bse[-1] * np.sqrt(clusters / (clusters - 7))
    size = np.bincount(n // 3)
    worth = size.sum() ** 2 / (size**2).sum()
    half = np.log(found.factor.high / found.factor.value)
    assert half == pytest.approx(stats.t.ppf(0.975, worth - 1) * error, abs=1e-6)
    assert found.log_likelihood == pytest.approx(robust.llf, abs=1e-8)


def study(seed, factor=1.6, n=600):
    rng = np.random.default_rng(seed)
    first = rng.integers(0, 4, n)
    second = (first + rng.integers(1, 4, n)) % 4
    shown, offered = rng.random(n) < 0.5, rng.random(n) < 0.7
    strength = np.array([0.6, 0.2, -0.3, -0.5])
    d = strength[first] - strength[second] + np.log(factor) * np.where(shown, 1, -1)
    weights = np.column_stack([np.exp(d / 2), np.exp(-d / 2), 0.6 * offered])
    ends = np.cumsum(weights / weights.sum(axis=1, keepdims=True), axis=1)
    outcome = (rng.random((n, 1)) > ends[:, :2]).sum(axis=1)
    return PairedComparisons(first, second, outcome, offered, np.arange(4)), shown, rng.integers(0, 60, n)


def test_it_is_the_maximum_of_the_likelihood_written_out():
    votes, shown, item = study(1)
    found = position_effect(votes, shown, item, None)

    def minus_log(parameters):
        p, g, nu = np.exp([0, *parameters[:3]]), np.exp(parameters[3]), np.exp(parameters[4])
        total = 0.0
        for i, j, result, free, ahead in zip(
            votes.first, votes.second, votes.outcome, votes.offered, shown, strict=True
        ):
            a, b = (g * p[i], p[j]) if ahead else (p[i], g * p[j])
            tie = nu * np.sqrt(a * b) * free
            total += np.log([a, b, tie][result] / (a + b + tie))
        return -total

    best = optimize.minimize(minus_log, np.zeros(5), method="BFGS", options={"gtol": 1e-5})
    assert found.strength[1:] - found.strength[0] == pytest.approx(best.x[:3], abs=1e-5)
    assert np.log(found.factor.value) == pytest.approx(best.x[3], abs=1e-5)
    assert found.tie == pytest.approx(np.exp(best.x[4]), abs=1e-5)
    assert found.log_likelihood == pytest.approx(-best.fun, abs=1e-7)


@settings(max_examples=10, deadline=None)
@given(some.integers(0, 10_000))
def test_exchanging_sides_changes_nothing_and_positions_turn_the_factor(seed):
    votes, shown, item = study(seed, n=300)
    rater = np.arange(300) % 9
    found = position_effect(votes, shown, item, rater)
    swapped = PairedComparisons(
        votes.second, votes.first, np.array([1, 0, 2])[votes.outcome], votes.offered, votes.systems
    )
    same = position_effect(swapped, ~shown, item, rater)
    turned = position_effect(votes, ~shown, item, rater)
    for other, factor in ((same, found.factor.value), (turned, 1 / found.factor.value)):
        assert other.factor.value == pytest.approx(factor, abs=1e-6)
        assert other.p == pytest.approx(found.p, abs=1e-6)
        np.testing.assert_allclose(other.strength, found.strength, atol=1e-6)
    assert turned.factor.low == pytest.approx(1 / found.factor.high, abs=1e-6)


def test_votes_in_both_orders_alike_have_the_plain_strengths():
    votes, _, item = study(3, factor=1.0)
    twice = PairedComparisons(
        *(np.tile(part, 2) for part in (votes.first, votes.second, votes.outcome, votes.offered)),
        votes.systems,
    )
    found = position_effect(twice, np.repeat([True, False], len(votes)), np.tile(item, 2), None)
    assert found.factor.value == pytest.approx(1)
    np.testing.assert_allclose(found.strength, fit_comparisons(votes).strength, atol=1e-7)


def test_an_undefined_result_says_why():
    votes, shown, item = study(4)
    by_number, step = votes.first < votes.second, (votes.second - votes.first) % 4
    ring = (step == 1) | ((step == 2) & by_number)  # strengths that do not add up would tell position apart
    for ahead in (by_number, ring):
        assert "both orders" in position_effect(votes, ahead, item, None).factor.reason
        ahead[0] = not ahead[0]
        assert position_effect(votes, ahead, item, None).factor.defined
    two = comparisons_from_ids([0] * 8, [1] * 8, [0, 1, 0, 2, 0, 1, 0, 0])
    assert (
        "no pair was shown in both orders"
        in position_effect(two, np.ones(8), np.arange(8), None).factor.reason
    )
    ahead = np.arange(8) % 2 == 0
    always = comparisons_from_ids([0] * 8, [1] * 8, np.where(ahead, 0, 1))
    assert "no finite factor" in position_effect(always, ahead, np.arange(8), None).factor.reason
    one_sided = comparisons_from_ids([0] * 4, [1] * 4, [0] * 4)
    assert position_effect(one_sided, [True, False] * 2, np.arange(4), None).factor.reason
    with pytest.raises(InputError, match="as long as the comparisons"):
        position_effect(votes, shown[1:], item, None)
