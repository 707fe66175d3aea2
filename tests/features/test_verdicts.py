"""Findings by status: clear where an interval lies on one side of the null."""

from analysis.values.estimate import Estimate
from features.blocks import Status, clear_if


def test_an_interval_answers_where_it_lies_on_one_side_of_the_null():
    assert Estimate(0.5, 0.1, 0.9).excludes()
    assert Estimate(-0.5, -0.9, -0.1).excludes()
    assert Estimate(0.7, 0.6, 0.8).excludes(0.5)
    assert not Estimate(0.5, 0.0, 0.9).excludes()
    assert not Estimate(0.5).excludes(), "no interval is known"
    assert [clear_if(yes, "x").status for yes in (True, False)] == [Status.CLEAR, Status.UNCERTAIN]
