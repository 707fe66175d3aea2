"""The picture of advantages: where each candidate stands, whether it is filled, and where a rater would."""

import plotly.graph_objects as go
import pytest

from analysis.values.estimate import Estimate
from charts.standing_in.advantage import Drawn, advantage_by_measure, advantage_dots, against_price
from features.plotting.theme import Look, group_colour

GROUPS = ("crowd", "lab")
DRAWN = [
    Drawn("crowd", Estimate(0.77, 0.68, 0.84), True, 0.05),
    Drawn("<b>model</b>", Estimate(0.46, 0.36, 0.57), False, 0.001),
    Drawn("free", Estimate(0.6, 0.5, 0.7), False),
]


@pytest.mark.parametrize("look", [Look(), Look(dark=True, narrow=True)])
def test_each_candidate_has_a_row_and_a_rater_a_line(look: Look) -> None:
    figure = advantage_dots(DRAWN, GROUPS, look)
    go.Figure(figure)
    assert [trace["x"] for trace in figure["data"]] == [[0.77], [0.46], [0.6]]
    assert [trace["y"] for trace in figure["data"]] == [[0], [1], [2]]
    assert figure["data"][0]["marker"]["color"] == group_colour("crowd", GROUPS)
    assert ["open" in trace["marker"]["symbol"] for trace in figure["data"]] == [False, True, True]
    assert 0.5 in [shape.get("x0") for shape in figure["layout"]["shapes"]]
    assert "<b>" not in figure["layout"]["yaxis"]["ticktext"][1]


def test_candidates_stand_side_by_side_in_the_row_of_each_measure() -> None:
    untested = Drawn("free", Estimate(float("nan"), reason="on another scale"), False)
    model = Drawn("<b>model</b>", Estimate(0.7, 0.6, 0.8), True)
    figure = advantage_by_measure({"focus": DRAWN, "grammar": [model, untested]}, GROUPS, Look())
    go.Figure(figure)
    drawn = {trace["name"]: (trace["x"], [round(y) for y in trace["y"]]) for trace in figure["data"]}
    assert drawn == {
        "crowd": ([0.77], [0]),
        "&lt;b&gt;model&lt;/b&gt;": ([0.7], [1]),
        "&lt;b&gt;model&lt;/b&gt;: not shown": ([0.46], [0]),
        "free: not shown": ([0.6], [0]),
    }
    _, passes, hollow, _ = (trace["marker"] for trace in figure["data"])
    assert passes["color"] == hollow["color"]
    assert hollow["symbol"] == f"{passes['symbol']}-open"


def test_advantage_stands_against_price_where_one_is_known() -> None:
    figure = against_price(DRAWN, GROUPS, "€", Look())
    go.Figure(figure)
    assert [(trace["x"][0], trace["y"][0]) for trace in figure["data"]] == [(0.05, 0.77), (0.001, 0.46)]
    assert figure["data"][0]["error_y"]["arrayminus"] == [pytest.approx(0.09)]
    assert "0.05 €" in figure["data"][0]["hovertext"][0]
    left, right = figure["layout"]["xaxis"]["range"]
    assert left <= 0 < 0.05 < right
    assert figure["layout"]["shapes"][0]["y0"] == 0.5
