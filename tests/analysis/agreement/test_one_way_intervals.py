"""Intervals of the reliability of one rating: the jackknife spelled out, and raters who add to it."""

from math import exp, log, sqrt

import numpy as np
import pytest
from scipy import stats

from analysis.agreement.one_way_intervals import FEWEST_ITEMS, one_way_intervals
from analysis.agreement.reliability import one_way
from analysis.values.ratings import Ratings

K = 4


def study(items: int, severity: float, quality: float = 0.8, seed: int = 1) -> Ratings:
    rng = np.random.default_rng(seed)
    score = rng.normal(3, quality, items)[:, None] + rng.normal(0, severity, K) + rng.normal(0, 1, (items, K))
    item, rater = np.indices(score.shape)
    return Ratings(item.ravel(), rater.ravel(), score.ravel())


def log_ratio(ratings: Ratings) -> float:
    """log F of the one-way analysis of variance, from ICC(1,1) = (F - 1) / (F - 1 + k)."""
    icc = one_way(ratings).icc
    return log(1 + K * icc / (1 - icc))


def test_over_items_it_is_the_jackknife_of_log_f() -> None:
    ratings = study(20, 0.0)
    left_out = [
        log_ratio(Ratings(ratings.item[keep], ratings.rater[keep], ratings.score[keep]))
        for keep in (ratings.item != item for item in range(20))
    ]
    error = sqrt(19 / 20 * ((np.array(left_out) - np.mean(left_out)) ** 2).sum())
    half = stats.t.ppf(0.975, 19) * error
    ends = [exp(log_ratio(ratings) + sign * half) for sign in (-1, 1)]
    icc = one_way_intervals(ratings, raters_are_persons=False).icc
    assert (icc.low, icc.high) == pytest.approx([(f - 1) / (f - 1 + K) for f in ends], rel=1e-6)


def test_severe_and_mild_raters_make_it_wider() -> None:
    ratings = study(30, 1.5, quality=3.0)
    over_items = one_way_intervals(ratings, raters_are_persons=False).icc
    over_both = one_way_intervals(ratings).icc
    assert over_both.high - over_both.low > over_items.high - over_items.low
    assert over_both.low <= over_both.value <= over_both.high


def test_few_items_get_no_interval() -> None:
    intervals = one_way_intervals(study(FEWEST_ITEMS - 1, 0.3))
    assert np.isnan(intervals.icc.low)
    assert not np.isnan(intervals.icc.value)
