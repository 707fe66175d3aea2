"""Format of numbers in sentences, tables and figures."""

from analysis.values.estimate import Estimate
from features.plotting.theme import percent, points


def test_intervals_and_differences_are_written_as_percent():
    assert percent(Estimate(0.85, 0.743, 0.928)) == "74 to 93%"
    assert percent(Estimate(0.85)) == "–"
    assert points(Estimate(0.034, -0.05, 0.12)) == "3 points (−5 to 12)"
