"""The picture of trained metrics: what it draws is what was found."""

import pytest

from features.metrics.training import correlation_dots
from features.plotting.theme import Look
from tests.features.metrics.test_training_findings import cell, undefined


def test_both_metrics_are_drawn_with_whiskers_and_named():
    figure = correlation_dots([("Systems only, main", cell(0.8, 0.85)), ("update", cell(0.9))], Look())
    everyone, without = figure["data"]
    assert everyone["x"] == [0.8, 0.9]
    assert without["x"] == [0.85]
    assert without["error_x"]["arrayminus"] == pytest.approx([0.1])
    assert (everyone["name"], without["name"]) == ("Everyone", "Without them")
    assert everyone["marker"]["symbol"] != without["marker"]["symbol"]


def test_one_metric_needs_no_label():
    figure = correlation_dots([("All", cell(0.8))], Look(dark=True))
    assert len(figure["data"]) == 1
    assert not figure["layout"]["annotations"]


def test_what_is_undefined_is_not_drawn():
    assert correlation_dots([("All", undefined())], Look())["data"] == []


def test_names_from_data_are_inert():
    figure = correlation_dots([("<a href='x'>$y$</a>", cell(0.8, 0.85))], Look())
    assert "<a" not in str(figure)
    assert "$" not in str(figure)
