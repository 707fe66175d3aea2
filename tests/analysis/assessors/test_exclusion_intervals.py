"""Intervals before and after an exclusion: what is drawn."""

import numpy as np

from analysis.assessors.exclusion_intervals import draw_intervals, no_intervals, resampled
from analysis.assessors.system_model import cells
from analysis.values.estimate import BootstrapSpec


def test_a_rater_with_topics_of_their_own_is_drawn_with_them():
    nested = cells(["a", "b"] * 2, [1, 1, 2, 2], ["x", "x", "y", "y"], [1, 2, 3, 4])
    everyone = np.ones(2, dtype=bool)
    assert resampled(nested, everyone) == "raters with their topics"
    assert resampled(nested, np.array([True, False])) == ""
    crossed = cells(["a", "b"] * 4, [1, 1, 2, 2] * 2, ["x"] * 4 + ["y"] * 4, range(8))
    assert resampled(crossed, everyone) == "raters and topics"


def test_without_draws_there_is_a_reason_and_no_end():
    table = cells(["a", "b"] * 2, [1, 1, 2, 2], ["x", "x", "y", "y"], [1, 2, 3, 4])
    none = draw_intervals(
        table, np.ones(2, dtype=bool), "plain", BootstrapSpec(0), (np.zeros(2), np.zeros(2))
    )
    assert none.reason == "no draws were asked for"
    assert np.isnan(none.before_low).all()
    assert no_intervals(3, "why").difference_high.shape == (3,)
