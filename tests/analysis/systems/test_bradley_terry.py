"""One scale from pairs: published estimates, closed forms, generic maximum likelihood, laws, and what has no scale."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import optimize

from analysis.systems.bradley_terry import (
    ABOVE,
    APART,
    BELOW,
    ON,
    expected_share,
    fit,
    fit_comparisons,
)
from analysis.systems.goodness_of_fit import goodness_of_fit
from analysis.systems.rankings import comparisons_from_ids
from analysis.values.estimate import InputError

BASEBALL = np.array(
    [
        [0, 7, 9, 7, 7, 9, 11],
        [6, 0, 7, 5, 11, 9, 9],
        [4, 6, 0, 7, 7, 8, 12],
        [6, 8, 6, 0, 6, 7, 10],
        [6, 2, 6, 7, 0, 7, 12],
        [4, 4, 5, 6, 6, 0, 6],
        [2, 4, 1, 3, 1, 7, 0],
    ]
)
"""Wins of the row: Milwaukee, Detroit, Toronto, New York, Boston, Cleveland, Baltimore; American League 1987."""
PUDDING = [
    (1, 2, 19, 22, 16), (1, 3, 16, 19, 12), (2, 3, 19, 19, 10), (1, 4, 18, 23, 13), (2, 4, 23, 19, 9),
    (3, 4, 19, 20, 15), (1, 5, 13, 19, 18), (2, 5, 16, 20, 12), (3, 5, 16, 15, 17), (4, 5, 17, 14, 16),
    (1, 6, 18, 21, 12), (2, 6, 22, 20, 12), (3, 6, 13, 18, 10), (4, 6, 14, 19, 18), (5, 6, 11, 21, 12),
]  # fmt: skip
"""Brands i and j of chocolate pudding, preferences for i, for j, and none."""


def from_wins(wins):
    i, j = np.nonzero(wins)
    return fit(i, j, np.zeros(len(i)), wins[i, j])


def from_rows(rows):
    """Rows of (first, second, wins of the first, wins of the second, ties)."""
    first, second, outcome, weight = (
        np.array(column)
        for column in zip(*((i, j, k, c[k]) for i, j, *c in rows for k in range(3)), strict=True)
    )
    met = weight > 0
    return fit(first[met], second[met], outcome[met], weight[met])


def test_baseball_of_agresti():
    """Agresti 2002, Categorical Data Analysis, 2nd ed., Table 10.11 (two digits); four digits: Turner and Firth
    2012, BradleyTerry2, baseballModel1, against Baltimore."""
    scale = from_wins(BASEBALL)
    against = scale.strength - scale.strength[-1]
    assert against[:-1] == pytest.approx([1.5814, 1.4364, 1.2945, 1.2476, 1.1077, 0.6839], abs=5.1e-5)
    assert scale.tie == 0


def test_pudding_of_davidson():
    """Davidson 1970, Example 2, as in the vignette of PlackettLuce: he stopped after seven iterations, so his last
    digits differ from the maximum's."""
    scale = from_rows(PUDDING)
    worth = np.exp(scale.strength) / np.exp(scale.strength).sum()
    published = [0.1388005, 0.1729985, 0.1617420, 0.1653930, 0.1586805, 0.2023855]
    assert worth == pytest.approx(published, abs=3e-5)
    assert scale.tie == pytest.approx(0.7468147, abs=1e-5)


def test_no_other_point_of_the_pudding_is_more_likely():
    """Against scipy's own maximum of the likelihood written out outcome by outcome."""
    scale = from_rows(PUDDING)

    def minus_log(parameters):
        p, nu = np.exp([0, *parameters[:5]]), np.exp(parameters[5])
        total = 0.0
        for i, j, one, other, ties in PUDDING:
            a, b = p[i - 1], p[j - 1]
            whole = a + b + nu * np.sqrt(a * b)
            total += one * np.log(a / whole) + other * np.log(b / whole)
            total += ties * np.log(nu * np.sqrt(a * b) / whole)
        return -total

    found = optimize.minimize(minus_log, np.zeros(6), method="BFGS", options={"gtol": 1e-7})
    assert scale.strength[1:] - scale.strength[0] == pytest.approx(found.x[:5], abs=1e-6)
    assert scale.tie == pytest.approx(np.exp(found.x[5]), abs=1e-6)
    assert scale.log_likelihood == pytest.approx(-found.fun, abs=1e-8)


def test_without_ties_it_is_logistic_regression():
    i, j = np.triu_indices(7, 1)
    design = np.zeros((len(i), 7))
    design[np.arange(len(i)), i], design[np.arange(len(i)), j] = 1, -1
    wins = np.column_stack([BASEBALL[i, j], BASEBALL[j, i]])
    from statsmodels.genmod.families import Binomial
    from statsmodels.genmod.generalized_linear_model import GLM

    found = GLM(wins, design[:, :-1], family=Binomial()).fit(tol=1e-12)
    scale = from_wins(BASEBALL)
    assert scale.strength[:-1] - scale.strength[-1] == pytest.approx(found.params, abs=1e-8)
    fitted_ = goodness_of_fit(scale)
    assert fitted_.statistic == pytest.approx(found.pearson_chi2, abs=1e-8)
    assert fitted_.degrees == found.df_resid


@given(won=st.integers(1, 50), lost=st.integers(1, 50), tied=st.integers(0, 50))
def test_two_systems_have_a_closed_form(won, lost, tied):
    """p1 / p2 = won / lost and nu = tied / sqrt(won lost): as many parameters as shares."""
    scale = from_rows([("a", "b", won, lost, tied)])
    assert scale.strength[0] - scale.strength[1] == pytest.approx(np.log(won / lost), abs=1e-9)
    assert scale.tie == pytest.approx(tied / np.sqrt(won * lost), abs=1e-9)


def generic(comparisons):
    """Strengths and nu by scipy, comparison by comparison, nu only where a tie was on offer."""
    s = len(comparisons.systems)

    def minus_log(parameters):
        theta, nu = np.concatenate([[0.0], parameters[: s - 1]]), np.exp(parameters[-1])
        total = 0.0
        for i, j, outcome, offered in zip(
            comparisons.first, comparisons.second, comparisons.outcome, comparisons.offered, strict=True
        ):
            tie = nu * np.exp((theta[i] + theta[j]) / 2) if offered else 0.0
            parts = [np.exp(theta[i]), np.exp(theta[j]), tie]
            total -= np.log(parts[outcome] / sum(parts))
        return total

    found = optimize.minimize(minus_log, np.zeros(s), method="BFGS", options={"gtol": 1e-8})
    theta = np.concatenate([[0.0], found.x[: s - 1]])
    return theta - theta.mean(), np.exp(found.x[-1]), -found.fun


def test_designs_with_and_without_ties_share_one_scale():
    rng = np.random.default_rng(3)
    first = rng.integers(4, size=200)
    second = (first + 1 + rng.integers(3, size=200)) % 4
    offered = rng.random(200) < 0.5
    outcome = np.where(offered, rng.integers(3, size=200), rng.integers(2, size=200))
    scale = fit(first, second, outcome, offered=offered)
    strength, tie, likelihood = generic(comparisons_from_ids(first, second, outcome, offered))
    assert scale.strength == pytest.approx(strength, abs=1e-5)
    assert scale.tie == pytest.approx(tie, abs=1e-5)
    assert scale.log_likelihood == pytest.approx(likelihood, abs=1e-7)
    unaware = fit(first, second, outcome)
    assert unaware.tie < scale.tie


@st.composite
def tables(draw):
    """Rows of four systems that all met, on one scale for sure: each pair has wins both ways."""
    few = st.integers(1, 9)
    return [(i, j, draw(few), draw(few), draw(st.integers(0, 9))) for i in range(4) for j in range(i)]


@given(rows=tables(), order=st.permutations(range(4)))
def test_names_do_not_matter(rows, order):
    scale = from_rows(rows)
    renamed = from_rows([(order[i], order[j], *counts) for i, j, *counts in rows])
    assert renamed.strength[list(order)] == pytest.approx(scale.strength, abs=1e-8)
    assert renamed.tie == pytest.approx(scale.tie, abs=1e-8)


@given(rows=tables(), times=st.sampled_from([2, 10, 1000]))
def test_counting_everything_twice_changes_no_strength(rows, times):
    scale = from_rows(rows)
    more = from_rows([(i, j, *(times * count for count in counts)) for i, j, *counts in rows])
    assert more.strength == pytest.approx(scale.strength, abs=1e-8)
    assert more.log_likelihood == pytest.approx(times * scale.log_likelihood, rel=1e-9)


@given(rows=tables())
def test_who_stood_first_does_not_matter_and_turning_all_results_turns_the_scale(rows):
    scale = from_rows(rows)
    turned = from_rows([(j, i, lost, won, tied) for i, j, won, lost, tied in rows])
    assert turned.strength == pytest.approx(scale.strength, abs=1e-8)
    opposite = from_rows([(i, j, lost, won, tied) for i, j, won, lost, tied in rows])
    assert opposite.strength == pytest.approx(-scale.strength, abs=1e-8)


@given(rows=tables())
def test_expected_results_add_up_to_the_observed_ones(rows):
    """The likelihood's equations: every system's wins and half ties are expected just as they were."""
    scale = from_rows(rows)
    found = goodness_of_fit(scale)
    observed = scale.won + scale.tied / 2
    assert np.nansum(found.expected, axis=1) == pytest.approx(observed, abs=1e-6)
    assert scale.strength.sum() == pytest.approx(0, abs=1e-9)


def test_where_all_met_equally_often_the_order_is_that_of_the_shares():
    rng = np.random.default_rng(1)
    rows = []
    for i in range(8):
        for j in range(i):
            won, tied = rng.integers(1, 20), rng.integers(0, 9)
            rows.append((i, j, won, 30 - won - tied, tied))
    scale = from_rows(rows)
    assert np.argsort(scale.strength).tolist() == np.argsort(scale.won + scale.tied / 2).tolist()


def test_the_chance_against_an_average_system_counts_ties_half():
    scale = from_rows([("a", "b", 6, 2, 4)])
    p, nu = np.exp(scale.strength[0]), scale.tie
    expected = (p + nu * np.sqrt(p) / 2) / (p + 1 + nu * np.sqrt(p))
    assert scale.chance[0] == pytest.approx(expected)
    assert scale.chance.sum() == pytest.approx(1)
    assert expected_share(np.array([-3000.0, 3000.0]), 0.3).tolist() == [0, 1]


def test_a_system_that_won_everything_is_above_and_the_others_keep_their_scale():
    rows = [("a", "b", 6, 2, 4), ("b", "c", 5, 5, 1), ("a", "c", 3, 1, 2)]
    among_themselves = from_rows(rows)
    scale = from_rows([*rows, ("best", "a", 5, 0, 0), ("c", "worst", 5, 0, 0)])
    assert dict(zip(scale.systems.tolist(), scale.position.tolist(), strict=True)) == {
        "a": ON, "b": ON, "c": ON, "best": ABOVE, "worst": BELOW,
    }  # fmt: skip
    assert not scale.is_identified
    assert scale.strength[:2] == pytest.approx(among_themselves.strength[:2])
    assert np.isnan(scale.strength[scale.position != ON]).all()
    # b has 2 wins, 6 losses and 4 ties against a, c half of each, and they met level: equally strong, but for rounding
    strength = dict(zip(scale.systems.tolist(), scale.strength.tolist(), strict=True))
    assert strength["b"] == pytest.approx(strength["c"], abs=1e-12)
    # c has won more of its comparisons, as it met the worst, and so stands first
    assert scale.systems[scale.order].tolist() == ["best", "a", "c", "b", "worst"]
    best, a, worst = (scale.systems.tolist().index(name) for name in ("best", "a", "worst"))
    assert scale.shares[[best, a], [a, best]].tolist() == [1, 0]
    assert np.isnan(scale.shares[best, worst])
    assert [(scale.systems[at], place) for at, place in scale.places.items()] == [
        ("a", 1),
        ("c", 2),
        ("b", 3),
    ]
    for least in (-1e-15, 1e-15):
        near = replace(scale, strength=scale.strength + least * (scale.systems == "b"))
        assert near.order.tolist() == scale.order.tolist()
    reasons = dict(zip(scale.systems.tolist(), scale.reasons, strict=True))
    assert "won every comparison" in reasons["best"]
    assert "lost every comparison" in reasons["worst"]
    assert reasons["a"] == ""


def test_two_separate_groups_cannot_be_compared():
    scale = from_rows([("a", "b", 6, 2, 4), ("c", "d", 5, 4, 1)])
    assert scale.position.tolist() == [ON, ON, APART, APART]  # a and b met more often
    assert "no chain of comparisons joins it to a and b" in scale.reasons[2]
    assert scale.strength[0] == pytest.approx(np.log(3) / 2)


def test_a_group_above_the_scale_is_reported():
    rows = [("a", "b", 6, 2, 0), ("b", "c", 5, 5, 0), ("x", "y", 2, 2, 0), ("x", "a", 3, 0, 0)]
    scale = from_rows(rows)
    assert scale.position.tolist() == [ON, ON, ON, ABOVE, ABOVE]
    assert "no win or tie leads up to it" in scale.reasons[4]


def test_two_systems_below_different_ones_are_apart():
    rows = [("a", "b", 6, 2, 0), ("top", "a", 3, 0, 0), ("top", "other", 3, 0, 0)]
    scale = from_rows(rows)
    assert scale.position.tolist() == [ON, ON, APART, ABOVE]
    assert "wins lead neither from it to a and b nor back" in scale.reasons[2]


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ([("a", "b", 3, 0, 0)], "win in one direction only"),
        ([("a", "b", 3, 0, 0), ("b", "c", 2, 0, 0), ("a", "c", 9, 0, 0)], "win in one direction only"),
        ([("a", "b", 3, 0, 2)], "never beaten"),
        ([("a", "b", 3, 0, 2), ("b", "c", 1, 0, 1)], "never beaten"),
    ],
)
def test_no_scale_at_all_has_its_reason(rows, told):
    scale = from_rows(rows)
    assert np.isnan(scale.strength).all()
    assert np.isnan([scale.tie, scale.log_likelihood, goodness_of_fit(scale).p]).all()
    assert all(told in reason for reason in scale.reasons)


def test_a_tie_of_everything_puts_all_in_the_middle():
    scale = from_rows([("a", "b", 0, 0, 4), ("b", "c", 0, 0, 2)])
    assert scale.strength.tolist() == [0, 0, 0]
    assert scale.chance.tolist() == [0.5] * 3
    assert np.isnan(scale.tie)
    assert scale.log_likelihood == 0
    assert "was" in goodness_of_fit(scale).reason


def test_where_every_offered_tie_was_taken_only_the_other_design_decides():
    scale = fit(["a"] * 9, ["b"] * 9, [2, 2, 2, 2, 0, 0, 0, 1, 1], offered=[True] * 4 + [False] * 5)
    assert scale.strength[0] - scale.strength[1] == pytest.approx(np.log(1.5))
    assert np.isnan(scale.tie)


def test_a_round_trip_with_more_wins_than_ties_bounds_the_scale():
    """a beat b, b beat c, c only tied with a: two wins and one tie, so a maximum exists."""
    bounded = comparisons_from_ids([0, 1, 2, 0], [1, 2, 0, 1], [0, 0, 2, 0])
    scale = fit_comparisons(bounded)
    strength, tie, _ = generic(bounded)
    assert scale.strength == pytest.approx(strength, abs=1e-4)
    assert scale.tie == pytest.approx(tie, rel=1e-4)


@given(
    votes=st.lists(
        st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 2), st.booleans()), max_size=25
    )
)
def test_strengths_are_finite_or_have_a_reason(votes):
    votes = [(i, j, outcome, offered or outcome == 2) for i, j, outcome, offered in votes if i != j]
    first, second, outcome, offered = (
        (list(column) for column in zip(*votes, strict=True)) if votes else [[]] * 4
    )
    scale = fit(np.array(first, int), np.array(second, int), outcome, offered=offered)
    on = scale.position == ON
    assert np.isfinite(scale.strength[on]).all()
    assert np.isnan(scale.strength[~on]).all()
    assert [reason == "" for reason in scale.reasons] == on.tolist()
    assert not np.isinf(scale.tie)
    assert on.sum() != 1


@settings(max_examples=20)
@given(rows=tables())
def test_pearson_residuals_of_a_pair_are_its_deviation_in_standard_errors(rows):
    scale = from_rows(rows)
    found = goodness_of_fit(scale)
    i, j, won, lost, tied = rows[0]
    d = scale.strength[i] - scale.strength[j]
    chance = np.array([np.exp(d / 2), np.exp(-d / 2), scale.tie])
    chance /= chance.sum()
    n, score = won + lost + tied, np.array([1, 0, 0.5])
    mean, variance = chance @ score, chance @ score**2 - (chance @ score) ** 2
    assume(variance > 0)
    assert found.residual[i, j] == pytest.approx(
        (won + tied / 2 - n * mean) / np.sqrt(n * variance), abs=1e-6
    )
    assert found.residual[j, i] == pytest.approx(-found.residual[i, j], abs=1e-6)


def test_a_perfect_fit_by_construction_has_no_p():
    found = goodness_of_fit(from_rows([("a", "b", 6, 2, 4)]))
    assert np.isnan(found.p)
    assert "any scale would fit" in found.reason


def test_few_data_have_no_p():
    found = goodness_of_fit(from_rows([("a", "b", 1, 2, 0), ("b", "c", 2, 1, 0), ("a", "c", 1, 1, 1)]))
    assert np.isnan(found.p)
    assert "too few comparisons" in found.reason
    assert found.degrees > 0


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (([1], [1], [0]), "compared with itself"),
        (([1, 2], [2], [0]), "equally long"),
        (([1], [2], [3]), "`outcome` must lie in 0 … 2"),
        (([1], [2], [0], [-1.0]), "`weight` must hold 1 numbers of 0 or more"),
        (([1], [2], [2], None, [False]), "`offered` must be true"),
        (([1], [2], [0, 1]), "equally long"),
    ],
)
def test_mistakes_are_reported(arguments, told):
    with pytest.raises(InputError, match=told):
        fit(*arguments)
