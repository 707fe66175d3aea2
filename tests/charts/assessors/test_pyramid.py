"""mP - aP dots: what is drawn is what was found, and text from a study is inert."""

import json

import plotly.graph_objects as go
import pytest

from analysis.values.estimate import Estimate
from charts.assessors.pyramid import MOST_RATERS, differences
from tests.charts.assessors.studies import BAD, LOOK


def test_dots_stand_at_their_differences_the_lowest_at_the_bottom():
    rows = [
        ("A", Estimate(0.01, 0.0, 0.03, 5)),
        ("B", Estimate(-0.04, n=1)),
        ("C", Estimate(-0.01, -0.02, 0.0, 6)),
    ]
    figure = differences(rows, LOOK, {"C"})
    go.Figure(figure)
    (dots,) = figure["data"]
    assert dots["x"] == [-0.04, -0.01, 0.01]
    assert figure["layout"]["yaxis"]["ticktext"] == ["B", "C", "A"]
    assert dots["marker"]["symbol"] == ["circle", "circle-open", "circle"]
    assert dots["error_x"]["array"] == [0, pytest.approx(0.01), pytest.approx(0.02)]


def test_of_many_assessors_the_lowest_are_drawn():
    figure = differences([(str(at), Estimate(at / 100, n=3)) for at in range(60)], LOOK)
    assert figure["data"][0]["x"] == [at / 100 for at in range(MOST_RATERS)]
    assert "of 60 assessors" in figure["layout"]["annotations"][0]["text"]
    go.Figure(differences([], LOOK))


def test_names_from_a_study_are_inert():
    text = json.dumps(differences([(BAD, Estimate(0.1, 0, 0.2, 3))], LOOK))
    assert "<img" not in text
    assert "<a " not in text
    assert "$" not in text
