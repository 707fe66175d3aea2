"""The picture of trained metrics: what it draws is what was found."""

from math import nan

import pytest

from analysis.values.estimate import Estimate
from features.metrics.section import correlations
from features.plotting.theme import Look

BEFORE, AFTER = Estimate(0.8, 0.7, 0.9, 20), Estimate(0.85, 0.76, 0.92, 20)


def test_both_metrics_are_drawn_joined_with_whiskers_and_the_first_hollow():
    figure = correlations([("Systems only, main", BEFORE, AFTER)], Look())
    joined, everyone, without = figure["data"]
    assert joined["x"] == [0.8, 0.85, None]
    assert everyone["x"] == [0.8]
    assert everyone["marker"]["color"] == Look().ground
    assert without["error_x"]["arrayminus"] == pytest.approx([0.09])
    labels = {note["text"]: note["x"] for note in figure["layout"]["annotations"]}
    assert labels == {"Learned from everyone": 0.8, "Without the excluded raters": 0.85}
    assert not figure["layout"]["showlegend"]


def test_one_metric_needs_no_label():
    figure = correlations([("All", BEFORE, None)], Look(dark=True))
    assert len(figure["data"]) == 1
    assert not figure["layout"]["annotations"]


def test_what_is_undefined_is_not_drawn():
    undefined = Estimate(nan, reason="the test split has no judgment")
    joined, everyone, without = correlations([("All", undefined, undefined)], Look())["data"]
    assert joined["x"] == everyone["x"] == without["x"] == []
    no_interval = correlations([("All", Estimate(0.5, n=3), None)], Look())["data"][0]
    assert no_interval["error_x"]["array"] == [0]


def test_names_from_data_are_inert():
    figure = correlations([("<a href='x'>$y$</a>", BEFORE, AFTER)], Look())
    assert "<a" not in str(figure)
    assert "$" not in str(figure)
