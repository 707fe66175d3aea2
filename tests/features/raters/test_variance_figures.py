"""Shares of the variance, and the curve of the D-study."""

import plotly.graph_objects as go

from analysis.values.estimate import Estimate
from features.plotting.theme import Look
from features.raters.variance_section import d_study_curve, variance_shares


def test_a_row_per_source_with_its_whiskers_and_its_number() -> None:
    figure = variance_shares(
        {"items": Estimate(0.6, 0.4, 0.7, 50), "the rest": Estimate(0.4)}, "#E69F00", Look()
    )
    go.Figure(figure)
    (dots,) = figure["data"]
    assert dots["marker"]["color"] == "#E69F00"
    assert dots["x"] == [0.6, 0.4]
    assert dots["text"] == ["60%", "40%"]
    assert dots["error_x"]["arrayminus"][1] == 0
    assert figure["layout"]["yaxis"]["ticktext"] == ["items", "the rest"]
    assert dots["hovertext"][0] == "items<br>60.0% (40.0 to 70.0%), n = 50"


def test_each_coefficient_has_a_line_and_a_band_and_the_chosen_number_is_marked() -> None:
    curve = [Estimate(0.5, 0.4, 0.6), Estimate(0.7, 0.6, 0.8)]
    figure = d_study_curve("Raters per item", [1, 2], {"a": curve, "b": curve}, 2, Look())
    go.Figure(figure)
    bands = [trace for trace in figure["data"] if trace.get("fill")]
    lines = [trace for trace in figure["data"] if not trace.get("fill")]
    assert [line["name"] for line in lines] == ["a", "b"]
    assert bands[0]["y"] == [0.6, 0.8, 0.6, 0.4]
    assert figure["layout"]["shapes"][0]["x0"] == 2


def test_without_intervals_there_is_no_band_and_an_undefined_coefficient_is_a_gap() -> None:
    undefined = Estimate(float("nan"), reason="not told apart")
    figure = d_study_curve("Raters per item", [1, 2], {"a": [Estimate(0.5), undefined]}, 1, Look())
    (line,) = figure["data"]
    assert line["y"] == [0.5, None]
