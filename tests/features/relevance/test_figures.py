"""Figures of Relevance: what is drawn is what was found, and text from a study is inert."""

import json
from math import nan

import numpy as np
import plotly.graph_objects as go
import pytest

from analysis.relevance.partitions import Partition
from analysis.values.estimate import Estimate
from features.plotting.series import MOST_ROWS, Point, Series, series_dots
from features.plotting.theme import Look
from features.relevance.agreement_section import MOST_NAMED, tradeoff
from features.relevance.metrics_section import (
    MOST_COLOURED,
    MOST_OUTLINES,
    MOST_POINTS,
    outlines,
    scatter,
)

LOOK = Look()
BAD = '<img src=x onerror=alert(1)> [link](http://x) $x^2$ <a href="javascript:1">'
UNDEFINED = Estimate(nan, reason="nothing was judged relevant")
E = Estimate(0.8, 0.7, 0.85, 40)


def partition(counts, mean, reason=""):
    """Partitions of one surrogate whose correlations lie from 0.2 on, so many in each bin."""
    held = np.zeros(80, np.int64)
    held[48 : 48 + len(counts)] = counts
    spread = (mean, 0.1, mean - 0.2, mean + 0.2)
    return Partition(0, 4, 15, 62, 2, np.empty(0), *spread, held, 0.9, 0.1, 0.0, reason)


def inert(figure):
    go.Figure(figure)
    text = json.dumps(figure)
    assert "<img" not in text
    assert "<a href" not in text
    assert "$x^2$" not in text


def test_each_series_has_a_dot_per_row_where_it_is_defined():
    figure = series_dots(
        ["a", "b"],
        [Series("LDC", [E, Estimate(0.6)]), Series("RP", [Estimate(0.9), UNDEFINED])],
        "Accuracy",
        LOOK,
    )
    go.Figure(figure)
    first, second = figure["data"]
    assert first["x"] == [0.8, 0.6]
    assert second["x"] == [0.9]
    assert first["error_x"]["array"] == pytest.approx([0.05, 0])
    assert first["error_x"]["arrayminus"] == pytest.approx([0.1, 0])
    assert first["y"][0] < second["y"][0] < first["y"][1]
    assert first["marker"]["symbol"] != second["marker"]["symbol"]
    assert figure["layout"]["xaxis"]["tickformat"] == ".0%"
    assert [note["text"] for note in figure["layout"]["annotations"]] == ["LDC", "RP"]
    assert "80.0% (70.0 to 85.0%)" in first["text"][0]


def test_letters_stand_beside_their_rows_and_the_guide_is_dotted():
    figure = series_dots(
        ["a", "b"], [Series("Kappa", [E, E])], "Kappa", LOOK, shares=False, letters=["A", "AB"], guide=0.0
    )
    go.Figure(figure)
    assert [(note["text"], note["y"]) for note in figure["layout"]["annotations"]] == [
        ("<b>A</b>", 0),
        ("<b>AB</b>", 1),
    ]
    assert figure["layout"]["shapes"][-1]["x0"] == 0.0
    low, high = figure["layout"]["xaxis"]["range"]
    assert low < 0 < 0.85 < high


def test_nothing_defined_and_too_many_rows_are_said():
    empty = series_dots(["a"], [Series("Accuracy", [UNDEFINED])], "Accuracy", LOOK)
    go.Figure(empty)
    assert empty["data"] == []
    assert "nothing is defined" in json.dumps(empty)
    many = MOST_ROWS + 5
    figure = series_dots([str(at) for at in range(many)], [Series("Accuracy", [E] * many)], "Accuracy", LOOK)
    assert len(figure["data"][0]["x"]) == MOST_ROWS
    assert f"the first {MOST_ROWS} of {many}" in json.dumps(figure)


def test_losing_less_is_higher_and_saving_more_is_further_right():
    figure = tradeoff({"RP": [Point("Human", Estimate(8.0, 7, 9), E)]}, "Full Text", LOOK)
    go.Figure(figure)
    drawn, origin = figure["data"]
    assert (drawn["x"], drawn["y"], drawn["text"]) == ([8.0], [0.8], ["Human"])
    assert (origin["x"], origin["y"], origin["text"]) == ([0], [0], ["Full Text"])
    bottom, top = figure["layout"]["yaxis"]["range"]
    assert bottom > 0.85 > 0 > top
    assert "80.0% (70.0 to 85.0%) lost" in drawn["hovertext"][0]


def test_many_points_have_their_names_in_the_hovers_only():
    points = [Point(f"s{at}", Estimate(float(at)), Estimate(at / 50)) for at in range(MOST_NAMED + 1)]
    figure = tradeoff({"RP": points}, "Full Text", LOOK)
    assert "text" not in figure["data"][0]
    assert figure["data"][0]["hovertext"][0].startswith("s0")


def at(name, x, y):
    return Point(name, Estimate(x), Estimate(y), name)


def test_a_metrics_points_are_coloured_by_surrogate_once_there_are_events():
    points = {name: [at(name, x, y)] * 2 for name, x, y in (("a", 0.1, 0.6), ("b", 0.2, 0.7))}
    figure = scatter(points, ("ROUGE-1", "Accuracy"), "r = 1.00", LOOK)
    go.Figure(figure)
    assert [trace["name"] for trace in figure["data"]] == ["a", "b"]
    assert figure["data"][0]["x"] == [0.1, 0.1]
    assert figure["layout"]["annotations"][0]["text"] == "r = 1.00"
    pooled = scatter({"a": [at("a", 0.1, 0.6)], "b": [at("b", 0.2, 0.7)]}, ("R", "F"), "", LOOK, True)
    assert [trace["text"] for trace in pooled["data"]] == [["a", "b"]]
    many = {str(nth): [at("s", 0.1, 0.5)] * MOST_POINTS for nth in range(MOST_COLOURED + 1)}
    (one,) = scatter(many, ("R", "F"), "", LOOK)["data"]
    assert len(one["x"]) == MOST_POINTS
    assert "nothing to draw" in json.dumps(scatter({}, ("R", "F"), "r", LOOK))


def test_an_outline_steps_through_its_counts_over_the_mean_and_its_interval():
    rows = [
        ("a", partition([10, 30, 20], 0.5), Estimate(0.5, 0.2, 0.7)),
        ("b", partition([], nan, "few"), Estimate(nan)),
    ]
    figure = outlines(rows, "r", LOOK)
    go.Figure(figure)
    shape, mean = figure["data"]
    assert min(shape["x"]) == pytest.approx(0.2)
    assert max(shape["x"]) == pytest.approx(0.275)
    heights = shape["y"][1:-2:2]
    assert heights[1] / heights[0] == pytest.approx(3)
    assert shape["y"][0] == shape["y"][-1] == 0
    assert mean["x"] == [0.5]
    assert mean["error_x"]["array"] == pytest.approx([0.2])
    assert mean["error_x"]["arrayminus"] == pytest.approx([0.3])
    assert "few" in json.dumps(figure["layout"]["annotations"])


def test_outlines_share_their_scale_and_their_number_is_limited():
    rows = [(str(nth), partition([nth + 1] * 5, 0.5), Estimate(0.5)) for nth in range(MOST_OUTLINES + 1)]
    figure = outlines(rows, "r", LOOK)
    go.Figure(figure)
    first, second = (trace for trace in figure["data"][:4] if trace["mode"] == "lines")
    assert (max(second["y"]) + 1) / max(first["y"]) == pytest.approx(2)
    assert f"the first {MOST_OUTLINES} of {MOST_OUTLINES + 1}" in json.dumps(figure)


@pytest.mark.parametrize("look", [Look(), Look(dark=True)])
def test_names_are_inert_and_both_looks_are_valid(look):
    inert(
        series_dots(
            [BAD, "b"], [Series(BAD, [E, E]), Series("x", [E, E])], "Accuracy", look, letters=["A", "B"]
        )
    )
    inert(tradeoff({BAD: [Point(BAD, E, E)], "x": [Point(BAD, E, E)]}, BAD, look))
    points = {BAD: [Point(BAD, E, E)], "b": [Point("b", E, E)]}
    inert(scatter(points, ("x", "y"), "r", look))
    inert(scatter(points, ("x", "y"), "r", look, pooled=True))
    inert(outlines([(BAD, partition([3], 0.9), E), (BAD, partition([], nan, BAD), E)], "r", look))
    assert series_dots(["a"], [Series("x", [E])], "x", look)["layout"]["font"]["color"] == look.ink


@pytest.mark.parametrize(("lost", "side"), [(0.53, "top"), (0.47, "bottom")])
def test_names_stand_clear_of_whiskers(lost, side):
    """The axis of what is lost runs downwards: 0.53 is below 0.50."""
    wide = Point("wide", Estimate(2.0, 1.0, 9.0), Estimate(lost))
    trace, _ = tradeoff({"RP": [Point("Human", Estimate(5.0), Estimate(0.5)), wide]}, "Full Text", LOOK)[
        "data"
    ]
    assert trace["textposition"][0].split()[0] == side
