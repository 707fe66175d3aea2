"""Dots with whiskers: where they stand, how far the whiskers reach, and what is written at them."""

from math import nan

import plotly.graph_objects as go
import pytest

from analysis.values.estimate import Estimate
from features.plotting.series import (
    Dot,
    axis_range,
    axis_range_of,
    chart,
    circle_markers,
    dots,
    error_bars,
    interval_lines,
    values_and_ends,
)
from features.plotting.theme import Look

KNOWN, OPEN, POINT = Estimate(0.5, 0.4, 0.7), Estimate(0.8, nan, 0.9), Estimate(0.6)


def test_whiskers_reach_to_the_ends_of_the_interval_and_are_none_where_it_has_no_end():
    bars = error_bars([KNOWN, OPEN, POINT], "#0072B2")
    assert bars["array"] == pytest.approx([0.2, 0.1, 0])
    assert bars["arrayminus"] == pytest.approx([0.1, 0, 0])


def test_each_name_stands_at_the_height_of_its_dot():
    drawn = [Dot(0, KNOWN, "Ann<br>0.5"), Dot(1, POINT, "Ben<br>0.6")]
    figure = chart(
        ["Ann", "Ben"],
        [dots(drawn, "#0072B2", size=9, marker=circle_markers("#0072B2", [False, True]), name="Raters")],
        {"title": "Pearson's r", "range": [0, 1]},
        {"range": [1.5, -0.5]},
        Look(),
        margin=(8, 14, 12, 46),
        height=200,
    )
    made = go.Figure(figure)
    assert dict(zip(made.layout.yaxis.tickvals, made.layout.yaxis.ticktext, strict=True)) == {
        0: "Ann",
        1: "Ben",
    }
    assert (made.layout.margin.l, made.layout.margin.r, made.layout.margin.t, made.layout.margin.b) == (
        8,
        14,
        12,
        46,
    )
    (trace,) = made.data
    assert list(zip(trace.y, trace.x, trace.text, strict=True)) == [
        (0, 0.5, "Ann<br>0.5"),
        (1, 0.6, "Ben<br>0.6"),
    ]
    assert trace.marker.symbol == ("circle", "circle-open")


def test_numbers_written_over_dots_leave_the_hovers_theirs():
    trace = dots([Dot(0, KNOWN, "of 12 items")], "#0072B2", size=9, written=["50%"], ink="#000000")
    assert (trace["text"], trace["hovertext"]) == (["50%"], ["of 12 items"])
    assert trace["mode"] == "markers+text"


def test_lines_of_intervals_are_apart_from_each_other():
    line = interval_lines([(0, 0.4, 0.7), (2, 0.1, 0.2)], "#000000", 2)
    assert line["x"] == [0.4, 0.7, None, 0.1, 0.2, None]
    assert line["y"] == [0, 0, None, 2, 2, None]


def test_an_axis_holds_everything_with_room_at_both_ends():
    assert values_and_ends([KNOWN, OPEN, POINT]) == [0.5, 0.4, 0.7, 0.8, 0.9, 0.6]
    assert axis_range([0.4, 0.9], 0.1) == pytest.approx((0.35, 0.95))
    assert axis_range([0.5, 0.5], 0.1, least=0.2) == pytest.approx((0.48, 0.52))
    assert axis_range([], 0.1) == pytest.approx((-0.1, 1.1))


def test_the_axis_of_a_lone_value_without_interval_is_wide_enough_to_read():
    low, high = axis_range_of([0.957])
    assert low < 0.9
    assert high > 1.0
    assert axis_range_of([62.0])[1] - axis_range_of([62.0])[0] > 5


def test_the_axis_of_an_interval_keeps_close_to_it():
    assert axis_range_of([0.9, 0.95, 1.0]) == pytest.approx((0.88, 1.02), abs=0.02)
