"""Intervals before and after an exclusion: what is drawn, and overlaps counted by hand."""

import numpy as np

from analysis.assessors.exclusion_intervals import Intervals, draw_intervals, no_intervals, resampled
from analysis.assessors.system_model import cells
from analysis.values.estimate import BootstrapSpec


def test_overlapping_intervals_are_ties():
    low, high = np.array([0.0, 1.0, 5.0, np.nan]), np.array([2.0, 3.0, 6.0, np.nan])
    between = Intervals(low, high, low, low, low, high, "", "", 0)
    assert between.ties_before.tolist() == [1, 1, 0, 0]
    assert between.ties_after.tolist() == [0, 0, 0, 0]


def test_a_rater_with_topics_of_their_own_is_drawn_with_them():
    nested = cells(["a", "b"] * 2, [1, 1, 2, 2], ["x", "x", "y", "y"], [1, 2, 3, 4])
    everyone = np.ones(2, dtype=bool)
    assert resampled(nested, everyone) == "raters with their topics"
    assert resampled(nested, np.array([True, False])) == ""
    crossed = cells(["a", "b"] * 4, [1, 1, 2, 2] * 2, ["x"] * 4 + ["y"] * 4, range(8))
    assert resampled(crossed, everyone) == "raters and topics"


def test_without_draws_there_is_a_reason_and_no_end():
    table = cells(["a", "b"] * 2, [1, 1, 2, 2], ["x", "x", "y", "y"], [1, 2, 3, 4])
    none = draw_intervals(table, np.ones(2, dtype=bool), "plain", BootstrapSpec(0))
    assert none.reason == "no draws were asked for"
    assert np.isnan(none.before_low).all()
    assert no_intervals(3, "why").difference_high.shape == (3,)
