"""Further ratings: greedy choice against all choices, who may rate what, variances against drawn ratings."""

from itertools import combinations_with_replacement

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.items.rating_spread import item_mean, rating_spread
from analysis.planning.collection import (
    RATERS_ASKED,
    STRATEGIES,
    ItemGoal,
    RatersAsked,
    Strategy,
    SystemGoal,
    collect,
)
from analysis.planning.collection_items import item_means, simulation_interval
from analysis.ratings import Ratings
from analysis.values.estimate import InputError

SYSTEM = np.repeat(np.arange(3), 5)


def who_rated(seed: int, items: int = 15, raters: int = 6) -> np.ndarray:
    done = np.random.default_rng(seed).random((items, raters)) < 0.4
    done[~done.any(axis=1), 0] = True
    return done


def system_goal(seed: int) -> SystemGoal:
    residual = np.random.default_rng(seed).uniform(0.5, 2, len(SYSTEM))
    return SystemGoal(SYSTEM, residual, 1 - np.eye(3), item=0.3, rater=0.4, system_rater=0.2)


def test_each_rating_for_systems_is_the_best_of_all_pairs() -> None:
    done, goal = who_rated(0), system_goal(0)
    found = collect(done, 6, goal, raters="raters so far")
    for item, rater in zip(found.item.tolist(), found.rater.tolist(), strict=True):
        values = {}
        for i, r in zip(*np.nonzero(~done), strict=True):
            done[i, r] = True
            values[int(i), int(r)] = goal.value(*np.nonzero(done))
            done[i, r] = False
        assert values[item, rater] == pytest.approx(min(values.values()))
        done[item, rater] = True


@pytest.mark.parametrize("largest", [True, False])
def test_ratings_of_items_are_the_best_of_all_sets(largest: bool) -> None:
    rng = np.random.default_rng(1)
    goal = ItemGoal(rng.uniform(0.2, 3, 4), largest)
    done = who_rated(1, items=4)
    counts = done.sum(axis=1)
    found = collect(done, 5, goal, raters="new raters")
    reached = goal.value(counts + np.bincount(found.item, minlength=4))
    every = combinations_with_replacement(range(4), 5)
    assert reached == pytest.approx(
        min(goal.value(counts + np.bincount(each, minlength=4)) for each in every)
    )


@given(
    st.integers(0, 1000),
    st.integers(0, 60),
    st.sampled_from(STRATEGIES),
    st.sampled_from(RATERS_ASKED),
    st.integers(1, 9),
    st.integers(0, 4),
    st.booleans(),
)
def test_nobody_rates_twice_or_more_than_the_limit(
    seed: int, n: int, strategy: Strategy, raters: RatersAsked, cap: int, new: int, of_systems: bool
) -> None:
    done = who_rated(seed)
    goal = system_goal(seed) if of_systems else ItemGoal(np.random.default_rng(seed).uniform(0.2, 3, 15))
    found = collect(done, n, goal, strategy, cap, raters, seed, new)
    assert len(found) <= n
    assert found.new_raters <= new
    pairs = list(zip(found.item.tolist(), found.rater.tolist(), strict=True))
    assert len(set(pairs)) == len(pairs)
    assert not any(r < done.shape[1] and done[i, r] for i, r in pairs)
    assert np.bincount(found.rater, minlength=1).max(initial=0) <= cap
    if raters == "raters so far":
        assert (found.rater < done.shape[1]).all()
    if raters == "new raters":
        assert (found.rater >= done.shape[1]).all()
    if not of_systems and raters != "raters so far" and new:
        assert len(found) >= min(n, new * cap, len(done))
    assert np.array_equal(found.first(2).item, found.item[:2])


def test_evenly_gives_the_fewest_first_and_as_so_far_keeps_proportions() -> None:
    done = np.zeros((3, 12), dtype=bool)
    done[0, :2], done[1, :4], done[2, :6] = True, True, True
    goal = ItemGoal(np.ones(3))
    assert np.bincount(collect(done, 6, goal, "evenly").item, minlength=3).tolist() == [4, 2, 0]
    assert np.bincount(collect(done, 12, goal, "as before").item, minlength=3).tolist() == [2, 4, 6]


def test_the_variance_of_systems_differences_is_that_of_drawn_ratings() -> None:
    """4,000 studies of who rated what: within 8%."""
    rng, goal = np.random.default_rng(3), system_goal(3)
    item, rater = np.nonzero(who_rated(3))
    squares = []
    for _ in range(4000):
        u, v = rng.normal(0, 0.4**0.5, 6), rng.normal(0, 0.2**0.5, (3, 6))
        own = rng.normal(0, 0.3**0.5, 15)
        score = u[rater] + v[SYSTEM[item], rater] + own[item] + rng.normal(0, goal.residual[item] ** 0.5)
        means = np.bincount(item, score) / np.bincount(item)
        system = np.bincount(SYSTEM, means) / 5
        squares.append(np.mean([(system[a] - system[b]) ** 2 for a, b in ((0, 1), (0, 2), (1, 2))]))
    assert np.mean(squares) == pytest.approx(goal.value(item, rater), rel=0.08)


def test_two_systems_get_all_ratings_and_items_leave_a_floor() -> None:
    pairs = np.zeros((3, 3))
    pairs[0, 2] = pairs[2, 0] = 1
    goal = SystemGoal(SYSTEM, np.ones(15), pairs, item=0.5)
    found = collect(who_rated(2), 40, goal)
    assert set(SYSTEM[found.item].tolist()) == {0, 2}
    assert goal.floor == pytest.approx(2 * 0.5 / 5)
    item, rater = np.nonzero(np.ones((15, 4000), dtype=bool))
    assert goal.value(item, rater) == pytest.approx(goal.floor, rel=0.01)


def test_what_may_be_found_holds_what_is_found() -> None:
    """60 items of 6 ratings with unequal variances, 3 more each: 150 studies, interval 95%."""
    rng, hits = np.random.default_rng(4), 0
    for study in range(150):
        sd = np.sqrt(8 / rng.chisquare(8, 60))
        score = rng.normal(0, 1, 60)[:, None] + sd[:, None] * rng.standard_normal((60, 9))
        item, rater = np.indices((60, 9)).reshape(2, -1) + np.array([[0], [0]])
        rater = rater + 100 * item  # other raters for each item, so that no severity is shared
        so_far, later = (
            Ratings(item[k], rater[k], score.ravel()[k]) for k in (item * 0 + rater % 100 < 6, slice(None))
        )
        before, after = (item_means(one, rating_spread(one)) for one in (so_far, later))
        found = simulation_interval(
            before.simulate_half_widths(np.full(60, 3.0), 200, study).max(axis=1).tolist()
        )
        hits += found.low <= after.current_half_widths.max() <= found.high
    assert 0.9 <= hits / 150 <= 1


def test_means_of_items_have_the_half_widths_of_the_items_page() -> None:
    rng = np.random.default_rng(5)
    item, rater = np.indices((30, 8)).reshape(2, -1)
    kept = (rater < 4) | (item % 2 == 0)
    item, rater = item[kept], rater[kept]
    score = rng.normal(0, 1, 30)[item] + np.sqrt(6 / rng.chisquare(6, 30))[item] * rng.standard_normal(
        len(item)
    )
    rated = Ratings(item, rater, score)
    spread = rating_spread(rated)
    found = item_means(rated, spread)
    for at in range(30):
        one = item_mean(score[item == at], rater[item == at], spread=spread)
        assert found.current_half_widths[at] == pytest.approx((one.high - one.low) / 2)


@pytest.mark.parametrize("so_far", [3, 6])
def test_only_the_first_variance_of_an_item_widens_what_is_expected(so_far: int) -> None:
    """Up to 4 ratings items share one variance; with the same estimator, more ratings never promise less precision."""
    rng = np.random.default_rng(7)
    sd = np.sqrt(3 / rng.chisquare(3, 40))
    item, rater = np.indices((40, so_far)).reshape(2, -1)
    score = sd[item] * rng.standard_normal(len(item))
    rated = Ratings(item, rater + 100 * item, score)
    found = item_means(rated, rating_spread(rated))

    def expected(more: int) -> np.ndarray:
        counts, squares = found.counts + more, found.squares + more * found.variances
        return np.asarray(found.half_widths(counts, squares))

    assert np.all(expected(1) < found.current_half_widths)
    crosses = so_far == 3
    assert np.any(expected(2) > found.current_half_widths) == crosses
    assert np.all(expected(4) < expected(3))


def test_what_is_asked_for_wrongly_is_refused() -> None:
    goal = ItemGoal(np.ones(15))
    with pytest.raises(InputError, match="0 or more"):
        collect(who_rated(0), -1, goal)
    with pytest.raises(InputError, match="without a rating"):
        collect(np.zeros((15, 2), dtype=bool), 1, goal)


def test_equal_variances_are_pooled_and_unequal_ones_are_not() -> None:
    """About 5% of 200 studies of equal variances are taken for unequal; all clearly unequal ones are found."""
    rng, equal, unequal = np.random.default_rng(11), 0, 0
    item, rater = np.indices((60, 6)).reshape(2, -1)
    for _ in range(200):
        noise = rng.standard_normal(360)
        for sd in (np.ones(60), np.sqrt(3 / rng.chisquare(3, 60))):
            rated = Ratings(item, rater + 10 * item, sd[item] * noise)
            pooled = np.isinf(item_means(rated, rating_spread(rated)).prior_degrees)
            equal += bool(pooled) and bool((sd == 1).all())
            unequal += not pooled and not (sd == 1).all()
    assert 0.88 <= equal / 200 <= 0.99
    assert unequal / 200 >= 0.98
