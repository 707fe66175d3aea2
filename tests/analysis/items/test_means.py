"""The MOS of one item with its interval."""

import numpy as np
import pytest
from scipy import stats

from analysis.items.rating_spread import item_mean


def test_one_rating_each_is_students_t() -> None:
    scores = [1, 4, 5, 2, 3, 3]
    found = item_mean(scores, list("abcdef"))
    ends = stats.t.interval(0.95, 5, np.mean(scores), stats.sem(scores))
    assert (found.value, found.low, found.high, found.n) == pytest.approx((3.0, *ends, 6))


def test_ratings_given_again_tell_nothing_new_about_raters() -> None:
    once, thrice = item_mean([1, 4, 5], ["a", "b", "c"]), item_mean([1, 4, 5] * 3, ["a", "b", "c"] * 3)
    assert (thrice.low, thrice.high) == pytest.approx((once.low, once.high))


def test_one_rater_has_no_interval_and_nobody_no_mean() -> None:
    alone = item_mean([2, 4], ["a", "a"])
    assert alone.value == 3
    assert np.isnan(alone.low)
    assert "one rater alone" in alone.reason
    assert not item_mean([], []).defined
