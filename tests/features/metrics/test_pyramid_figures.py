"""mP - aP dots: what is drawn is what was found, and text from a study is inert."""

import json

import plotly.graph_objects as go
import pytest

from analysis.values.estimate import Estimate
from features.metrics.section import MOST_RATERS, difference_dots
from tests.features.raters.drawn_studies import BAD, LOOK


def test_dots_stand_at_their_differences_the_first_row_on_top():
    rows = [
        ("B", Estimate(-0.04, n=1)),
        ("C", Estimate(-0.01, -0.02, 0.0, 6)),
        ("A", Estimate(0.01, 0.0, 0.03, 5)),
    ]
    figure = difference_dots(rows, LOOK, {"C"})
    go.Figure(figure)
    (dots,) = figure["data"]
    assert dots["x"] == [-0.04, -0.01, 0.01]
    assert figure["layout"]["yaxis"]["ticktext"] == ["B", "C", "A"]
    top, bottom = sorted(figure["layout"]["yaxis"]["range"])
    assert figure["layout"]["yaxis"]["range"] == [bottom, top]
    assert dots["marker"]["symbol"] == ["circle", "circle-open", "circle"]
    assert dots["error_x"]["array"] == [0, pytest.approx(0.01), pytest.approx(0.02)]


def test_of_many_assessors_the_lowest_are_drawn():
    figure = difference_dots([(str(at), Estimate(at / 100, n=3)) for at in range(60)], LOOK)
    assert figure["data"][0]["x"] == [at / 100 for at in range(MOST_RATERS)]
    assert "of 60 raters" in figure["layout"]["annotations"][0]["text"]
    go.Figure(difference_dots([], LOOK))


def test_names_from_a_study_are_inert():
    text = json.dumps(difference_dots([(BAD, Estimate(0.1, 0, 0.2, 3))], LOOK))
    assert "<img" not in text
    assert "<a " not in text
    assert "$" not in text
