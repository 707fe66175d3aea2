"""Variance components against textbook numbers and loops; raters against a loop."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from scipy import stats

from analysis.agreement.reliability import drop_least_reliable_raters, one_way, rater_reliability
from analysis.values.estimate import InputError
from analysis.values.ratings import Ratings


def shrout_and_fleiss():
    """Six targets by four judges, Shrout and Fleiss 1979, Table 2."""
    scores = np.array([[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]])
    return Ratings(np.repeat(np.arange(6), 4), np.tile(np.arange(4), 6), scores.ravel())


def test_shrout_and_fleiss():
    found = one_way(shrout_and_fleiss())
    assert found.icc == pytest.approx(0.17, abs=0.005)  # their Table 4, ICC(1,1)
    assert found.within == pytest.approx(6.26, abs=0.005)  # their Table 3, WMS
    assert found.between == pytest.approx((11.24 - 6.26) / 4, abs=0.005)


def test_unequal_counts_recover_the_planted_components():
    rng = np.random.default_rng(0)
    counts = rng.integers(1, 12, 6000)
    item = np.repeat(np.arange(6000), counts)
    ratings = Ratings(item, np.arange(len(item)), rng.normal(0, 2, 6000)[item] + rng.normal(0, 3, len(item)))
    found = one_way(ratings)
    assert found.between == pytest.approx(4, rel=0.06)
    assert found.within == pytest.approx(9, rel=0.03)
    assert found.icc == pytest.approx(4 / 13, rel=0.06)
    by_hand = [np.var(ratings.score[item == i], ddof=1) for i in range(6000) if counts[i] > 1]
    assert found.sd_within == pytest.approx(np.sqrt(np.mean(by_hand)))


@pytest.mark.parametrize(
    ("ratings", "reason"),
    [
        (Ratings([], [], []), "fewer than two items"),
        (Ratings([1, 1], [1, 2], [3, 4]), "fewer than two items"),
        (Ratings([1, 2, 3], [1, 1, 1], [3, 4, 5]), "no item has two ratings"),
        (Ratings([1, 1, 2, 2], [1, 2, 1, 2], [3, 3, 3, 3]), "all ratings are equal"),
    ],
)
def test_undefined_is_nan_with_a_reason(ratings, reason):
    found = one_way(ratings)
    assert np.isnan(found.icc)
    assert reason in found.reason


def study(seed=0, n=15, raters=8):
    rng = np.random.default_rng(seed)
    item, rater = rng.integers(0, n, 160), rng.integers(0, raters, 160)
    return Ratings(item, rater, np.rint(rng.normal(3, 1, n)[item] + rng.normal(0, 1, 160)))


def reliability_by_hand(ratings, rater):
    own, others = [], []
    for item in sorted(set(ratings.item[ratings.rater == rater])):
        here = ratings.item == item
        rest = ratings.score[here & (ratings.rater != rater)]
        if len(rest):
            own.append(ratings.score[here & (ratings.rater == rater)].mean())
            others.append(rest.mean())
    return stats.pearsonr(own, others).statistic, len(own)


@pytest.mark.parametrize("seed", range(4))
def test_raters_are_correlated_with_the_mean_of_the_others(seed):
    ratings = study(seed)
    found = rater_reliability(ratings)
    for rater, correlation, items in zip(found.raters, found.correlation, found.items, strict=True):
        expected = reliability_by_hand(ratings, rater)
        assert correlation == pytest.approx(expected[0], abs=1e-12)
        assert items == expected[1]
    assert found.ratings.sum() == len(ratings)


@given(some.integers(0, 10**6))
@settings(max_examples=20, deadline=None)
def test_severity_and_names_do_not_matter(seed):
    ratings = study(seed)
    shift = np.random.default_rng(seed).permutation(8)
    renamed = Ratings(ratings.item, shift[ratings.rater], ratings.score)
    expected = rater_reliability(ratings).correlation
    np.testing.assert_allclose(rater_reliability(renamed).correlation[shift], expected, atol=1e-12)
    moved = Ratings(ratings.item, ratings.rater, ratings.score + 100)
    np.testing.assert_allclose(rater_reliability(moved).correlation, expected, atol=1e-9)


def test_raters_without_overlap_or_spread_have_none():
    ratings = Ratings([0, 1, 2, 0, 1, 2, 9], [0, 0, 0, 1, 1, 1, 2], [3, 3, 3, 1, 2, 3, 5])
    found = rater_reliability(ratings)
    assert np.isnan(found.correlation).all()
    assert found.items.tolist() == [3, 3, 0]
    assert rater_reliability(Ratings([], [], [])).correlation.shape == (0,)


def test_the_least_reliable_quarter_goes():
    rng = np.random.default_rng(2)
    truth = rng.normal(0, 1, 40)
    item, rater = np.repeat(np.arange(40), 8), np.tile(np.arange(8), 40)
    noise = np.where(np.isin(rater, [2, 5]), 5.0, 0.5)
    ratings = Ratings(item, rater, truth[item] + noise * rng.normal(0, 1, 320), order=np.arange(320))
    left, gone = drop_least_reliable_raters(ratings)
    assert gone == 2
    assert set(left.rater) == set(range(8)) - {2, 5}
    assert left.order is not None
    assert len(drop_least_reliable_raters(ratings, 0.0)[0]) == 320
    assert len(drop_least_reliable_raters(ratings, 1.0)[0]) == 0
    with pytest.raises(InputError, match="`share` must be between 0 and 1, got 2"):
        drop_least_reliable_raters(ratings, 2)
