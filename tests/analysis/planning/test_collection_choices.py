"""Further comparisons and votes: reductions as published, greedy choice, and accuracy against the exact formula."""

import numpy as np
import pytest

from analysis.planning import accuracy_of_votes, pair_reductions
from analysis.planning.collection import STRATEGIES, Strategy
from analysis.planning.collection_choices import (
    all_pairs,
    collect_pairs,
    comparison_weights,
    difference_variances,
    label_gains,
    pair_variance,
    pair_variances,
    strength_covariance,
)
from analysis.systems.bradley_terry import fit
from analysis.systems.clustered_intervals import fisher_information
from analysis.values.estimate import InputError

THREE = np.log([3.0, 2.0, 1.0])


def test_three_systems_have_the_published_variance() -> None:
    """Methods, section 11: .30939, and the pair (2, 3) first."""
    weight, counts = comparison_weights(THREE), 10 * all_pairs(3)
    assert pair_variance(weight, counts, all_pairs(3)) == pytest.approx(0.30939, abs=5e-6)
    first, second = collect_pairs(weight, counts, all_pairs(3), 1)
    assert (first[0], second[0]) == (1, 2)


def test_each_pair_is_the_one_with_the_largest_reduction() -> None:
    rng = np.random.default_rng(0)
    strength = rng.normal(0, 1, 6)
    counts = np.triu(rng.integers(1, 6, (6, 6)), 1).astype(float)
    counts += counts.T
    weight, goal = comparison_weights(strength), all_pairs(6)
    first, second = collect_pairs(weight, counts, goal, 12)
    for i, j in zip(first.tolist(), second.tolist(), strict=True):
        reductions = pair_reductions(strength, counts)
        assert reductions[i, j] == pytest.approx(max(reductions.values()))
        before = pair_variance(weight, counts, goal)
        counts[i, j] += 1
        counts[j, i] += 1
        assert before - pair_variance(weight, counts, goal) == pytest.approx(reductions[i, j])


def test_a_goal_on_two_systems_has_their_variance() -> None:
    goal = np.zeros((3, 3))
    goal[0, 2] = goal[2, 0] = 1
    weight, counts = comparison_weights(THREE), 10 * all_pairs(3)
    variances = difference_variances(strength_covariance(weight, counts))
    assert pair_variance(weight, counts, goal) == pytest.approx(variances[0, 2])


def test_many_scales_at_once_have_the_variances_of_each() -> None:
    rng = np.random.default_rng(3)
    strengths, counts = (
        rng.normal(0, 1, (4, 5)),
        3 * all_pairs(5) + np.diag([2.0] * 4, 1) + np.diag([2.0] * 4, -1),
    )
    each = [pair_variance(comparison_weights(one), counts, all_pairs(5)) for one in strengths]
    assert pair_variances(comparison_weights(strengths), counts, all_pairs(5)) == pytest.approx(each)


def test_strengths_too_far_apart_to_tell_leave_the_variance_as_it_is() -> None:
    weights = comparison_weights(np.array([[0.0, 1.0, 800.0], [0.0, 400.0, 800.0]]))
    before, after = (pair_variances(weights, n * all_pairs(3), all_pairs(3)) for n in (3, 6))
    assert np.isfinite(before).all()
    assert (after / before) == pytest.approx([1.0, 1.0], abs=1e-6)


def test_ties_have_the_information_of_the_fitted_model() -> None:
    rng = np.random.default_rng(1)
    first, second = np.array([(a, b) for a in range(3) for b in range(3) if a < b] * 40).T
    scale = fit(first, second, rng.integers(0, 3, len(first)))
    whole = fisher_information(scale, np.arange(3))[:3, :3]
    weight = comparison_weights(scale.strength, scale.tie)
    assert -whole[np.triu_indices(3, 1)] == pytest.approx((weight * scale.compared)[np.triu_indices(3, 1)])


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_as_many_pairs_as_asked_are_chosen(strategy: Strategy) -> None:
    counts = np.diag([5.0, 5.0], 1) + np.diag([5.0, 5.0], -1)
    first, second = collect_pairs(comparison_weights(THREE), counts, all_pairs(3), 9, strategy)
    assert len(first) == 9
    assert (first < second).all()
    pairs = set(zip(first.tolist(), second.tolist(), strict=True))
    assert ((0, 2) in pairs) == (strategy != "as before")


def test_systems_that_nothing_connects_are_refused() -> None:
    with pytest.raises(InputError, match="do not connect"):
        pair_variance(comparison_weights(THREE), np.zeros((3, 3)), all_pairs(3))


@pytest.mark.parametrize(("accuracy", "icc", "options"), [(0.7, 0.0, 2), (0.7, 0.3, 2), (0.6, 0.2, 4)])
def test_fresh_items_become_right_as_often_as_the_formula_says(
    accuracy: float, icc: float, options: int
) -> None:
    """4,000 items without a vote: within .02 of the beta-binomial formula."""
    gains = label_gains(np.zeros((400, options)), accuracy, icc, draws=10, seed=2)
    for votes in (1, 3, 7):
        exact = accuracy_of_votes(accuracy, votes, options, icc)
        assert gains.hits[:, :, votes].mean() == pytest.approx(exact, abs=0.02)
        assert gains.expected[:, votes].mean() == pytest.approx(exact, abs=0.03)


def test_votes_go_where_labels_are_unsure() -> None:
    counts = np.array([[5, 0], [3, 2], [0, 6], [2, 2]])
    gains = label_gains(counts, 0.75, 0.1)
    assert gains.expected[:, 0].argsort()[:2].tolist() == [3, 1]
    chosen = gains.collect(6, counts.sum(axis=1).astype(float))
    assert set(chosen.tolist()) <= {1, 3}
    even = gains.collect(3, counts.sum(axis=1).astype(float), "evenly")
    assert even[0] == 3
    assert 2 not in even
    left, drawn = gains.remaining_errors(chosen)
    assert 0 < left < gains.remaining_errors(even)[0]
    assert len(gains.collect(1000, counts.sum(axis=1).astype(float))) <= 4 * (gains.expected.shape[1] - 1)
    assert drawn.mean() == pytest.approx(left, abs=0.1)


def test_votes_no_better_than_chance_are_refused() -> None:
    with pytest.raises(InputError, match="must be above"):
        label_gains(np.ones((2, 2)), 0.5)
