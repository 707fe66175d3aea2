"""Intervals of the one-way components, over items and over raters who add to them."""

import numpy as np
import pytest

from analysis.agreement.intraclass import FEWEST_ITEMS, one_way_intervals
from analysis.agreement.reliability import one_way_icc
from analysis.values.ratings import Ratings

K = 4


def study(items: int, severity: float, quality: float = 0.8, seed: int = 1) -> Ratings:
    rng = np.random.default_rng(seed)
    score = rng.normal(3, quality, items)[:, None] + rng.normal(0, severity, K) + rng.normal(0, 1, (items, K))
    item, rater = np.indices(score.shape)
    return Ratings(item.ravel(), rater.ravel(), score.ravel())


def test_over_items_it_is_the_interval_of_icc_1() -> None:
    ratings = study(20, 0.0)
    centered = ratings.score - ratings.score.mean()
    sums = [np.bincount(ratings.item, centered**power).astype(float) for power in (0, 1, 2)]
    expected, found = one_way_icc(*sums), one_way_intervals(ratings, raters_are_persons=False).icc
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))


def test_severe_and_mild_raters_make_it_wider() -> None:
    ratings = study(30, 1.5, quality=3.0)
    over_items = one_way_intervals(ratings, raters_are_persons=False).sd_within
    over_both = one_way_intervals(ratings).sd_within
    assert over_both.high - over_both.low > over_items.high - over_items.low
    assert over_both.low <= over_both.value <= over_both.high


def test_few_items_get_no_interval() -> None:
    intervals = one_way_intervals(study(FEWEST_ITEMS - 1, 0.3))
    assert np.isnan(intervals.icc.low)
    assert not np.isnan(intervals.icc.value)
