"""Format of numbers in sentences, tables and figures."""

from analysis.values.estimate import Estimate
from features.plotting.theme import PERCENT_ONE_DIGIT, estimate_with_interval, interval_text, points, share


def test_intervals_and_differences_are_written_as_percent():
    assert interval_text(Estimate(0.85, 0.743, 0.928), share) == "74 to 93%"
    assert interval_text(Estimate(0.85), share) == ""
    assert estimate_with_interval(Estimate(0.85, 0.743, 0.928), PERCENT_ONE_DIGIT) == "85.0% (74.3–92.8%)"
    assert estimate_with_interval(Estimate(0.03, -0.05, 0.12), PERCENT_ONE_DIGIT) == "3.0% (−5.0 to 12.0%)"
    assert points(Estimate(0.034, -0.05, 0.12)) == "3 points (−5 to 12)"
