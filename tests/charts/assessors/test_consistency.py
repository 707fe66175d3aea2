"""Consistency: raters ranked with whiskers, a panel per measure, and text from a study is inert."""

import json
from math import nan

import plotly.graph_objects as go
import pytest

from analysis.values.estimate import Estimate
from charts.assessors.consistency import MOST_RATERS, consistency_dots
from features.plotting.theme import Look
from tests.charts.assessors.studies import BAD, LOOK
from tests.findings.raters import compared, panel


def of(measure, rows):
    """Raters with these figures, as they are compared."""
    return compared([name for name, _ in rows], [e for _, e in rows], measure)


def consistency(n=5):
    rows = [(f"rater {i}", Estimate(0.5 + 0.08 * i, 0.4 + 0.08 * i, 0.6 + 0.08 * i, 30)) for i in range(n)]
    return [*rows, ("nobody", Estimate(nan, reason="fewer than two sets"))]


def test_consistency_ranks_raters_with_whiskers_and_undefined_ones_below():
    figure = consistency_dots([of("focus", consistency())], "Alpha", LOOK, {"rater 1"})
    go.Figure(figure)
    labels, dots, below = figure["data"]
    assert labels["text"] == ["rater 4", "rater 3", "rater 2", "rater 1", "rater 0", "(nobody)"]
    assert dots["x"] == pytest.approx([0.82, 0.74, 0.66, 0.58, 0.5])
    assert dots["error_x"]["array"] == pytest.approx([0.1] * 5)
    assert dots["marker"]["symbol"] == ["circle", "circle", "circle", "circle-open", "circle"]
    assert below["y"] == [5]
    assert max(below["x"]) < 0
    assert "fewer than two sets" in below["text"][0]


def test_consistency_has_a_panel_per_measure_and_at_most_thirty_raters_in_each():
    rows = [(f"rater {i}", Estimate(i / 50, n=9)) for i in range(45)]
    figure = consistency_dots([of("focus", rows), of("grammar", consistency())], "Alpha", LOOK)
    go.Figure(figure)
    assert len(figure["data"][0]["text"]) == MOST_RATERS
    assert "rater 0" in figure["data"][0]["text"]
    assert "30 of 45 raters" in json.dumps(figure["layout"]["annotations"])
    assert {trace["xaxis"] for trace in figure["data"]} == {"x", "x2"}


def test_named_raters_have_their_own_symbol_and_color_and_the_axis_says_which():
    figure = consistency_dots(
        [panel(0.97, 0.0, *[0.7] * 6), panel(measure="grammar")], "r", LOOK, {"b"}, {"focus"}
    )
    marker = figure["data"][1]["marker"]
    assert marker["symbol"] == ["square", *["circle"] * 6, "diamond-open"]
    assert len(set(marker["color"])) == 3
    assert "clearly below the typical rater" in figure["data"][1]["text"][-1]
    title = json.dumps(figure["layout"])
    assert "diamonds: clearly below, squares: clearly above the typical rater" in title
    assert "grammar" not in title


def test_both_ends_of_too_many_raters_stand_apart():
    rows = [(f"rater {i}", Estimate(i / 50, n=9)) for i in range(45)]
    figure = consistency_dots([of("focus", rows)], "Alpha", LOOK)
    assert figure["data"][0]["text"][2:4] == ["rater 42", "rater 26"]
    assert figure["data"][0]["y"] == figure["data"][1]["y"] == [0, 1, 2, *range(4, 31)]
    assert figure["layout"]["yaxis"]["range"][0] > 30
    assert "top 3 and bottom 27 of 45 raters" in json.dumps(figure["layout"])
    all_of_them = consistency_dots([of("focus", rows[:30])], "Alpha", LOOK)
    assert all_of_them["data"][0]["y"] == list(range(30))


def test_raters_of_few_items_stand_last_below_a_gap():
    rows = [("few", Estimate(0.9, n=5)), ("low", Estimate(0.2, n=30)), ("high", Estimate(0.8, n=30))]
    figure = consistency_dots([of("focus", rows)], "Alpha", LOOK)
    assert figure["data"][0]["text"] == ["high", "low", "few"]
    assert figure["data"][0]["y"] == [0, 1, 3]
    assert "fewer than 10 items" in json.dumps(figure["layout"])


def test_consistency_of_nobody_is_a_valid_empty_picture():
    go.Figure(consistency_dots([of("focus", [])], "Alpha", LOOK))
    go.Figure(consistency_dots([], "Alpha", LOOK))


@pytest.mark.parametrize("look", [Look(), Look(dark=True)])
def test_names_from_a_study_are_inert(look):
    rows = [(BAD, Estimate(0.5)), (BAD, Estimate(nan, reason=BAD))]
    for figure in [consistency_dots([of(BAD, rows)], "Alpha", look)]:
        written = json.dumps(figure)
        assert "<img" not in written
        assert "<a " not in written
        assert "$x" not in written
