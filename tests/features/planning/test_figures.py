"""Figure of a plan: curves, band, the line of equal price, the chosen point and the names at the curves."""

from math import nan

import plotly.graph_objects as go

from analysis.values.estimate import Estimate
from features.planning.figures import Axes, curve_chart
from features.plotting.theme import GROUP_COLOURS, Look

CURVES = {
    4: ((10, 20), (Estimate(0.5), Estimate(0.7))),
    8: ((10, 20), (Estimate(0.6, 0.4, 0.8), Estimate(0.71, 0.6, 0.9))),
}
AXES = Axes("Items", "Power", marked="71%", wanted=0.8)


def test_each_point_says_which_study_it_is_and_the_chosen_one_is_marked() -> None:
    figure = curve_chart(CURVES, (8, 20), AXES, Look(), [(20, 0.8, 8), (40, 0.9, 4)], "5 €")
    go.Figure(figure)
    by_name = {trace.get("name", "band"): trace for trace in figure["data"]}
    assert by_name["4 per item"]["customdata"] == [[10, 4], [20, 4]]
    assert (by_name["chosen"]["x"], by_name["chosen"]["y"]) == ([20], [0.71])
    assert by_name["band"]["y"] == [0.8, 0.9, 0.6, 0.4]
    assert by_name["for 5 €"]["x"] == [20, 40]
    assert figure["layout"]["shapes"][0]["y0"] == 0.8
    assert by_name["8 per item"]["line"]["width"] > by_name["4 per item"]["line"]["width"]
    assert not figure["layout"]["showlegend"]


def test_curves_are_named_at_their_ends_in_order_and_apart() -> None:
    figure = curve_chart(CURVES, (8, 20), AXES, Look())
    height = {one["text"].split("</span> ")[-1]: one["y"] for one in figure["layout"]["annotations"]}
    assert not {one["font"]["color"] for one in figure["layout"]["annotations"]} & {*GROUP_COLOURS}
    assert height["8 per item"] - height["4 per item"] > 0.05
    assert {"<b>71%</b>", "wanted 80%"} <= set(height)
    high = {each: ((10,), (Estimate(1.0 - each / 1000),)) for each in range(1, 6)}
    ends = [one["y"] for one in curve_chart(high, (1, 10), AXES, Look())["layout"]["annotations"][:5]]
    assert max(ends) <= 1.02
    assert all(b - a > 0.05 for a, b in zip(sorted(ends), sorted(ends)[1:], strict=False))


def test_the_wanted_line_is_named_on_the_side_that_curves_leave() -> None:
    falling = {2: ((2, 8), (Estimate(0.9), Estimate(0.5)))}
    for curves, of, side in ((CURVES, 8, "top"), (falling, 2, "bottom")):
        notes = curve_chart(curves, (of, 20), AXES, Look())["layout"]["annotations"]
        (named,) = (one for one in notes if one["text"] == "wanted 80%")
        assert (named["xanchor"], named["yanchor"]) == ("right", side)


def test_the_wanted_line_is_named_where_no_curve_runs_through_its_name() -> None:
    near = {2: ((2, 20), (Estimate(0.5), Estimate(0.79))), 4: ((2, 20), (Estimate(0.7), Estimate(0.83)))}
    notes = curve_chart(near, (2, 2), AXES, Look())["layout"]["annotations"]
    (named,) = (one for one in notes if one["text"] == "wanted 80%")
    assert named["xanchor"] == "left"


def test_a_label_near_the_axis_stands_above_its_point() -> None:
    falling = {2: ((2, 8), (Estimate(0.9), Estimate(0.05)))}
    axes = Axes("Items", "±", as_share=False, marked="± 0.05", wanted=0.05, names=("one",) * 3)
    notes = curve_chart(falling, (2, 8), axes, Look())["layout"]["annotations"]
    (marked,) = (one for one in notes if "± 0.05</b>" in one["text"])
    (wanted,) = (one for one in notes if one["text"].startswith("wanted"))
    assert marked["yshift"] > 0
    assert wanted["yanchor"] == "bottom"


def test_what_is_undefined_is_not_marked() -> None:
    figure = curve_chart({2: ((2,), (Estimate(nan),))}, (2, 2), Axes("Items", "Power"), Look(dark=True))
    assert [trace["y"] for trace in figure["data"]] == [[None]]
