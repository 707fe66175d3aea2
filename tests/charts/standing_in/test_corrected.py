"""Corrected scores beside those of the reference alone."""

import plotly.graph_objects as go

from analysis.values.estimate import Estimate
from charts.standing_in.corrected import corrected_dots
from features.plotting.theme import Look


def test_each_system_has_both_scores_in_one_row() -> None:
    alone = [Estimate(3.0, 2.5, 3.5), Estimate(4.0, 3.0, 5.0)]
    better = [Estimate(3.1, 2.9, 3.3), Estimate(float("nan"))]
    figure = corrected_dots(["a", "b"], alone, better, Look())
    go.Figure(figure)
    assert [trace["x"] for trace in figure["data"]] == [[3.0, 4.0], [3.1]]
    assert [trace["name"] for trace in figure["data"]] == ["Reference alone", "Corrected"]
    assert figure["data"][0]["y"][0] < figure["data"][1]["y"][0]
