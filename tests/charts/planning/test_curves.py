"""The picture of a plan: curves, band, the line of equal price and the chosen study."""

from math import nan

import plotly.graph_objects as go

from analysis.values.estimate import Estimate
from charts.planning.curves import along
from features.plotting.theme import Look

CURVES = {
    4: ((10, 20), (Estimate(0.5), Estimate(0.7))),
    8: ((10, 20), (Estimate(0.6, 0.4, 0.8), Estimate(0.8, 0.6, 0.9))),
}


def test_each_point_says_which_study_it_is_and_the_chosen_one_is_marked() -> None:
    figure = along(
        CURVES,
        (8, 20),
        ("Items", "Power"),
        Look(),
        wanted=0.8,
        same_price=[(20, 0.8, 8), (40, 0.9, 4)],
        price="5 €",
    )
    go.Figure(figure)
    by_name = {trace.get("name", "band"): trace for trace in figure["data"]}
    assert by_name["4 per item"]["customdata"] == [[10, 4], [20, 4]]
    assert (by_name["chosen"]["x"], by_name["chosen"]["y"]) == ([20], [0.8])
    assert by_name["band"]["y"] == [0.8, 0.9, 0.6, 0.4]
    assert by_name["for 5 €"]["x"] == [20, 40]
    assert figure["layout"]["shapes"][0]["y0"] == 0.8
    assert by_name["8 per item"]["line"]["width"] > by_name["4 per item"]["line"]["width"]


def test_what_is_undefined_is_not_marked() -> None:
    figure = along({2: ((2,), (Estimate(nan),))}, (2, 2), ("Items", "Power"), Look(dark=True))
    assert [trace["y"] for trace in figure["data"]] == [[None]]
