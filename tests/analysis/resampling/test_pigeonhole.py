import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse

import analysis.resampling.pigeonhole as resampling
from analysis.resampling.pigeonhole import (
    SHRINKAGE,
    RatingMatrix,
    pigeonhole_bootstrap,
    rating_matrix,
    two_way_variance,
    unrated_matrix,
)
from analysis.values.estimate import BootstrapSpec
from analysis.values.ratings import Ratings


def complete(
    seed: int, items: int, raters: int, severity: float = 0.0, shift: float = 0.0, first: int = 0
) -> RatingMatrix:
    rng = np.random.default_rng(seed)
    scores = 3 + shift + rng.normal(0, severity, raters) + rng.normal(0, 1, (items, raters))
    return RatingMatrix(np.arange(first, first + raters), scores, np.ones((items, raters)))


def mean_difference(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return (np.nansum(x - y, axis=1) / np.maximum((~np.isnan(x - y)).sum(axis=1), 1))[None]


def test_side_holds_sums_and_counts_of_the_items_asked_for():
    ratings = Ratings(["a", "b", "a", "c", "a"], ["x", "x", "y", "y", "y"], [1, 2, 3, 4, 5])
    made = rating_matrix(ratings, np.array(["a", "c"]))
    assert made.raters.tolist() == ["x", "y"]
    assert made.sums.tolist() == [[1, 8], [0, 4]]
    assert made.counts.tolist() == [[1, 2], [0, 1]]
    assert made.means.tolist() == [3, 4]


def test_sparse_and_plain_matrices_draw_the_same(monkeypatch):
    rng = np.random.default_rng(0)
    ratings = [
        Ratings(np.repeat(np.arange(30), 4), rng.integers(0, 20, 120) + off, rng.normal(3, 1, 120))
        for off in (0, 99)
    ]
    items, spec = np.arange(30), BootstrapSpec(60, seed=3)
    plain = [rating_matrix(group, items) for group in ratings]
    monkeypatch.setattr(resampling, "MOST_DENSE_CELLS", 0)
    thin = [rating_matrix(group, items) for group in ratings]
    assert sparse.issparse(thin[0].sums)
    assert_allclose(
        pigeonhole_bootstrap(*plain, mean_difference, spec).both,
        pigeonhole_bootstrap(*thin, mean_difference, spec).both,
        atol=1e-12,
    )


def test_draws_have_the_variances_of_owen():
    # Complete, no severity: items 1 part of the residual, raters 1, both together about 3 (Owen 2007).
    ours, theirs = complete(1, 60, 30), unrated_matrix(np.full(60, 3.0))
    draws = pigeonhole_bootstrap(ours, theirs, mean_difference, BootstrapSpec(4000))
    by_item = ours.sums.mean(axis=1).var() / 60
    by_rater = ours.sums.mean(axis=0).var() / 30
    assert draws.items.var() == pytest.approx(by_item, rel=0.1)
    assert draws.raters.var() / SHRINKAGE**2 == pytest.approx(by_rater, rel=0.1)
    within = ours.sums.var(axis=1).mean() / (60 * 30)
    assert draws.ratings.var() / SHRINKAGE**2 == pytest.approx(within, rel=0.1)
    assert draws.both.var() == pytest.approx(by_item + by_rater + within, rel=0.15)


def test_two_way_variance_of_a_mean_difference_is_the_analytic_one():
    ours, theirs = complete(2, 50, 20, severity=0.7), complete(3, 50, 25, severity=0.7, first=100)
    draws = pigeonhole_bootstrap(ours, theirs, mean_difference, BootstrapSpec(6000))
    variance, degrees = two_way_variance(draws, 0, 50, 45)
    parts = sum(
        group.sums.mean(axis=0).var(ddof=1) / group.sums.shape[1]
        - (group.sums - group.sums.mean(axis=1, keepdims=True)).var(ddof=1) / group.sums.size
        for group in (ours, theirs)
    )
    items = (ours.means - theirs.means).var(ddof=1) / 50
    assert variance == pytest.approx(items + parts, rel=0.06)
    assert 40 < degrees < 90


def test_slots_draw_items_only():
    ours, theirs = complete(1, 20, 5, severity=3), complete(2, 20, 5, severity=3, first=9)
    draws = pigeonhole_bootstrap(ours, theirs, mean_difference, BootstrapSpec(2000), raters_are_persons=False)
    assert (draws.both == draws.items).all()
    assert draws.raters.var() == 0
    assert draws.both.var() == pytest.approx((ours.means - theirs.means).var() / 20, rel=0.15)


def test_a_person_in_both_groups_is_drawn_for_both():
    severity = np.random.default_rng(1).normal(0, 2, 10)
    sums = 3 + np.zeros((15, 10)) + severity
    same = RatingMatrix(np.arange(10), sums, np.ones(sums.shape))
    draws = pigeonhole_bootstrap(same, same, mean_difference, BootstrapSpec(100))
    assert_allclose(draws.both, 0, atol=1e-12)


def test_an_item_without_ratings_in_a_draw_leaves_it():
    diagonal = RatingMatrix(np.arange(6), np.diag(np.arange(1.0, 7)), np.eye(6))
    seen = []

    def look(x, y):
        seen.append(np.isnan(x).mean())
        return mean_difference(x, y)

    pigeonhole_bootstrap(diagonal, unrated_matrix(np.ones(6)), look, BootstrapSpec(500))
    # One rater per item: an item is lost when its rater is not drawn, (1 - 1/6)^6.
    assert seen[0] == pytest.approx((5 / 6) ** 6, abs=0.03)


def test_raters_alone_go_a_quarter_of_the_way_and_numbers_stay():
    """Item 0 has the ratings 1 and 4: its mean is 2.5, or a quarter of the way to 1 or to 4."""
    ratings = Ratings(["a", "a", "b"], [1, 2, 1], [1.0, 4.0, 3.0])
    told = []

    def both(x, y):
        told.append((x, y))
        return x[:, 0][None]

    pigeonhole_bootstrap(
        rating_matrix(ratings, np.array(["a", "b"])),
        unrated_matrix(np.array([2.0, 5.0])),
        both,
        BootstrapSpec(60),
    )
    for x, y in told[2:]:
        assert set(x[:, 0].tolist()) == {2.125, 2.5, 2.875}
        assert set(x[:, 1].tolist()) == {3.0}, "without rater 1 nothing is drawn"
        assert y.tolist() == [[2.0, 5.0]] * 60


def test_progress_is_reported_and_can_stop():
    ours, theirs = complete(1, 40_000, 2), unrated_matrix(np.ones(40_000))
    told: list[float] = []
    pigeonhole_bootstrap(ours, theirs, mean_difference, BootstrapSpec(100), on_progress=told.append)
    assert told == sorted(told)
    assert len(told) == 5 * 4  # blocks of 20 draws, each drawn in four ways
    assert told[-1] == 1

    def stop(done: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        pigeonhole_bootstrap(ours, theirs, mean_difference, BootstrapSpec(100), on_progress=stop)


def test_the_same_seed_draws_the_same():
    sides = complete(1, 9, 8), complete(2, 9, 8, first=50)
    spec = BootstrapSpec(50, seed=7)
    first, second = (pigeonhole_bootstrap(*sides, mean_difference, spec).both for _ in range(2))
    assert (first == second).all()
