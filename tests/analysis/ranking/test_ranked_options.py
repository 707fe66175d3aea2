"""Scales from rankings: against the MM algorithm, pairs, a slow likelihood, and laws."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize

from analysis.systems.bradley_terry import fit
from analysis.systems.ranked_options import (
    RankedOptions,
    RankingScope,
    cluster_codes,
    fit_ranked,
    has_known_order,
    implied_pairs,
    ranked_options,
    scale_of_rankings,
)
from analysis.systems.rankings import FIRST, SECOND, TIE, plackett_luce
from analysis.values.estimate import BootstrapSpec, InputError


def study(
    tasks: int, raters: int, options: int, seed: int, size: int = 0, of_rater: float = 0.3, ties: bool = False
) -> RankedOptions:
    rng = np.random.default_rng(seed)
    size, strength = size or options, np.linspace(1, -1, options)
    own = rng.normal(0, of_rater, (raters, options))
    rows = []
    for task in range(tasks):
        for rater in range(raters):
            some = rng.choice(options, size, replace=False)
            utility = strength[some] + own[rater, some] + rng.gumbel(size=size)
            rank = np.empty(size, dtype=int)
            rank[np.argsort(-utility)] = np.arange(1, size + 1)
            rows += [(task, rater, one, max(at - ties, 1)) for one, at in zip(some, rank, strict=True)]
    return ranked_options(*np.array(rows).T)


@pytest.mark.parametrize("size", [0, 3])
def test_without_ties_strengths_are_those_of_the_mm_algorithm(size: int) -> None:
    ranked = study(12, 6, 5, 1, size)
    expected = plackett_luce([ranked.option[row].tolist() for table in ranked.tables for row in table])
    assert fit_ranked(ranked).strength == pytest.approx([expected[at] for at in range(5)], abs=1e-6)


def test_rankings_of_two_options_are_a_scale_of_pairs() -> None:
    ranked = study(30, 5, 4, 3, size=2)
    votes = implied_pairs(ranked)
    first, second = (ranked.options[code] for code in (votes.comparisons.first, votes.comparisons.second))
    of_pairs = fit(first, second, votes.comparisons.outcome, offered=np.zeros(len(first), dtype=bool))
    assert fit_ranked(ranked).strength == pytest.approx(of_pairs.strength, abs=1e-8)


def test_ties_are_half_a_win_on_the_scale_of_pairs() -> None:
    ranked = study(20, 5, 4, 4, ties=True)
    scale = fit_ranked(ranked)
    assert ranked.has_ties
    assert scale.ties.sum() == 2 * 100  # the first two of each ranking share rank 1
    votes = implied_pairs(ranked).comparisons

    def likelihood(theta: np.ndarray) -> float:
        strength, nu = np.append(theta[:3], -theta[:3].sum()), np.exp(theta[3])
        one, other = np.exp(strength[votes.first]), np.exp(strength[votes.second])
        middle = nu * np.sqrt(one * other)
        chance = np.choose(votes.outcome, [one, other, middle]) / (one + other + middle)
        return -float(np.log(chance).sum())

    slow = optimize.minimize(likelihood, np.zeros(4), method="BFGS", options={"gtol": 1e-7})
    assert scale.strength[:3] == pytest.approx(slow.x[:3], abs=1e-4)
    assert np.log(scale.tie) == pytest.approx(slow.x[3], abs=1e-4)


def test_a_tuple_of_k_gives_2k_minus_3_pairs() -> None:
    ranked = ranked_options([0] * 5, [0] * 5, list("abcde"), [2, 1, 2, 3, 2])
    votes = implied_pairs(ranked).comparisons
    assert ranked.is_best_worst
    assert len(votes) == 2 * 5 - 3
    assert not votes.offered.any()
    assert (votes.outcome != TIE).all()
    won = np.where(votes.outcome == FIRST, votes.first, votes.second)
    assert np.bincount(won, minlength=5).tolist() == [1, 4, 1, 0, 1]


def test_three_options_are_best_worst_only_where_the_layout_says_so() -> None:
    ranked = ranked_options([0] * 3, [0] * 3, list("abc"), [2, 1, 3])
    assert not ranked.is_best_worst
    told = RankedOptions(
        ranked.task, ranked.rater, ranked.option, ranked.rank, ranked.position, ranked.options, True
    )
    assert told.is_best_worst


def test_the_interval_is_the_sandwich_of_slow_slopes() -> None:
    ranked = study(25, 1, 4, 5)
    scale, votes = fit_ranked(ranked), implied_pairs(ranked)
    found = scale_of_rankings(ranked, scale, votes, raters_are_persons=False)
    orders = [ranked.option[row] for table in ranked.tables for row in table]

    def likelihood(theta: np.ndarray, order: np.ndarray) -> float:
        told = theta[order]
        return float(sum(told[at] - np.log(np.exp(told[at:]).sum()) for at in range(len(order) - 1)))

    step = 1e-4

    def slope(order: np.ndarray, at: np.ndarray) -> np.ndarray:
        return np.array(
            [
                (likelihood(at + step * unit, order) - likelihood(at - step * unit, order)) / (2 * step)
                for unit in np.eye(4)
            ]
        )

    slopes = np.array([slope(order, scale.strength) for order in orders])
    bend = -np.array(
        [
            sum(
                slope(order, scale.strength + step * unit) - slope(order, scale.strength - step * unit)
                for order in orders
            )
            / (2 * step)
            for unit in np.eye(4)
        ]
    )
    bread = np.linalg.pinv(bend, rcond=1e-6)
    variance = bread @ (slopes.T @ slopes * 25 / (25 - 3)) @ bread
    from scipy.stats import t

    reach = t.ppf(0.975, 24) * np.sqrt(np.diag(variance))
    assert found.high - scale.strength == pytest.approx(reach, rel=1e-3)
    assert found.resampled == "items"


def test_few_tasks_are_taken_as_they_are() -> None:
    few = study(2, 6, 4, 6)
    assert np.array_equal(cluster_codes(few)[0], few.rater)
    assert cluster_codes(few)[1] is None
    for alike in (cluster_codes(few, raters_are_persons=False), cluster_codes(study(2, 3, 4, 6))):
        assert alike[1] is None
    assert len(np.unique(cluster_codes(study(2, 3, 4, 6))[0])) == 6
    assert np.array_equal(cluster_codes(few, raters_are_persons=False)[0], few.ranking)
    many = study(8, 6, 4, 6)
    assert [
        np.array_equal(*pair) for pair in zip(cluster_codes(many), (many.task, many.rater), strict=True)
    ] == [True] * 2
    assert cluster_codes(study(8, 5, 4, 6))[1] is None
    ranked = study(1, 12, 4, 6)
    found = scale_of_rankings(ranked, fit_ranked(ranked), implied_pairs(ranked))
    assert found.resampled == "raters"
    assert np.isfinite(found.low).all()


def ends(ranked: RankedOptions, scope: RankingScope, persons: bool = True) -> np.ndarray:
    votes = implied_pairs(ranked)
    found = scale_of_rankings(
        ranked, fit_ranked(ranked, votes), votes, raters_are_persons=persons, scope=scope
    )
    assert not found.reason
    return np.stack([found.low, found.high])


def named(ranked: RankedOptions, task: np.ndarray, rater: np.ndarray) -> RankedOptions:
    return RankedOptions(task, rater, ranked.option, ranked.rank, ranked.position, ranked.options)


@pytest.mark.parametrize("ties", [False, True])
def test_raters_of_these_tasks_are_what_tasks_of_these_raters_are(ties: bool) -> None:
    ranked = study(9, 7, 4, 8, ties=ties)
    swapped = named(ranked, ranked.rater, ranked.task)
    of_raters = ends(ranked, RankingScope("raters like these", "these tasks"))
    assert of_raters == pytest.approx(ends(swapped, RankingScope("these raters", "tasks like these")))
    assert of_raters != pytest.approx(ends(ranked, RankingScope("these raters", "tasks like these")))


@pytest.mark.parametrize("ties", [False, True])
def test_these_raters_and_tasks_count_each_ranking_alone(ties: bool) -> None:
    ranked = study(9, 7, 4, 8, ties=ties)
    alone = named(ranked, ranked.ranking, ranked.ranking)
    found = ends(ranked, RankingScope("these raters", "these tasks"))
    assert found == pytest.approx(ends(alone, RankingScope("these raters", "tasks like these")))
    assert found == pytest.approx(
        ends(ranked, RankingScope("raters like these", "these tasks"), persons=False)
    )


def test_rounding_does_not_widen_intervals() -> None:
    """An interval of strengths with a mean of 0 is no wider than independent rankings with few clusters make it."""
    for seed in range(60):
        ranked = study(12, 6, 3, seed)
        votes = implied_pairs(ranked)
        found = scale_of_rankings(ranked, fit_ranked(ranked, votes), votes)
        assert (found.high - found.low < 10).all()


def test_two_raters_say_nothing_of_raters_like_these() -> None:
    ranked = study(8, 2, 4, 6)
    votes = implied_pairs(ranked)
    found = scale_of_rankings(
        ranked, fit_ranked(ranked), votes, scope=RankingScope("raters like these", "tasks like these")
    )
    assert "2 raters" in found.reason
    with pytest.raises(InputError, match="tasks"):
        RankingScope(tasks="no tasks")  # type: ignore[arg-type]


def test_an_option_that_is_always_first_is_above_the_scale() -> None:
    rows = [
        (task, 0, option, rank)
        for task in range(6)
        for option, rank in zip("wxyz", (1, 2, 3, 4), strict=True)
    ]
    rows += [
        (task, 1, option, rank)
        for task in range(6)
        for option, rank in zip("wxyz", (1, 4, 3, 2), strict=True)
    ]
    ranked = ranked_options(*zip(*rows, strict=True))
    scale = fit_ranked(ranked)
    assert np.isnan(scale.strength[0])
    assert scale.strength[1:].mean() == pytest.approx(0)
    found = scale_of_rankings(ranked, scale, implied_pairs(ranked))
    assert np.isnan(found.low[0])
    assert np.isfinite(found.low[1:]).all()


def test_no_draws_and_one_ranking_have_no_intervals() -> None:
    ranked = study(8, 3, 4, 7)
    scale, votes = fit_ranked(ranked), implied_pairs(ranked)
    assert scale_of_rankings(ranked, scale, votes, BootstrapSpec(draws=0)).reason
    alone = ranked_options([0] * 3, [0] * 3, list("abc"), [1, 2, 3])
    assert scale_of_rankings(alone, fit_ranked(alone), implied_pairs(alone)).reason


def test_positions_say_which_option_stood_first() -> None:
    ranked = ranked_options([0, 0, 0], [0, 0, 0], list("abc"), [1, 2, 3], [2, 1, np.nan])
    votes = implied_pairs(ranked)
    known = has_known_order(ranked, votes)
    assert known.tolist() == [True, False, False]
    assert votes.first_shown[known].tolist() == [False]


def test_impossible_rankings_are_refused() -> None:
    with pytest.raises(InputError, match="twice"):
        ranked_options([0, 0], [0, 0], ["a", "a"], [1, 2])
    with pytest.raises(InputError, match="finite"):
        ranked_options([0, 0], [0, 0], ["a", "b"], [1, np.nan])
    with pytest.raises(InputError, match="equally long"):
        RankedOptions(
            *(np.zeros(at, dtype=np.int64) for at in (1, 2, 2)), np.zeros(2), np.zeros(2), np.array(["a"])
        )


@given(st.integers(2, 6), st.integers(1, 5), st.integers(2, 5), st.integers(0, 10**6))
def test_pairs_count_and_reversed_ranks_turn_the_scale(
    tasks: int, raters: int, options: int, seed: int
) -> None:
    ranked = study(tasks, raters, options, seed)
    votes = implied_pairs(ranked)
    assert len(votes.comparisons) == tasks * raters * options * (options - 1) // 2
    turned = ranked_options(ranked.task, ranked.rater, ranked.option, options + 1 - ranked.rank)
    other = implied_pairs(turned).comparisons
    assert sorted((votes.comparisons.outcome == FIRST).tolist()) == sorted((other.outcome == SECOND).tolist())
    assert np.isnan(fit_ranked(ranked).strength).tolist() == np.isnan(fit_ranked(turned).strength).tolist()
