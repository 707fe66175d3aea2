"""Histograms of groups of different size on one scale; names from a study are inert in them."""

import json

import numpy as np
import plotly.graph_objects as go
import pytest

from features.distributions.section import bars_on_one_scale, histograms
from features.plotting.theme import Look

LOOK = Look()
BAD = '<img src=x onerror=alert(1)> [link](http://x) $x^2$ <a href="javascript:1">'


def test_groups_share_edges_that_hold_all_of_them() -> None:
    lab, crowd = bars_on_one_scale({"lab": np.array([1.0, 1.2, 2.0]), "crowd": np.array([4.9, 3.0])})
    assert lab.edges.tolist() == crowd.edges.tolist()
    assert (lab.edges[0], crowd.edges[-1] > 4.9) == (1.0, True)
    assert (lab.counts.sum(), crowd.counts.sum()) == (3, 2)


def test_values_that_come_several_times_count_as_often() -> None:
    values = {"lab": np.array([1.0, 2.0]), "crowd": np.array([2.0])}
    lab, crowd = bars_on_one_scale(values, {"lab": np.array([5, 7]), "crowd": np.array([3])})
    assert lab.counts[[0, -1]].tolist() == [5, 7]
    assert crowd.counts[-1] == 3


def test_without_any_value_there_are_no_bars() -> None:
    assert bars_on_one_scale({"lab": np.empty(0), "crowd": np.empty(0)}) == []


def test_shares_add_up_whatever_the_size_of_a_group() -> None:
    rng = np.random.default_rng(0)
    bars = bars_on_one_scale({"lab": rng.uniform(1, 5, 200), "crowd": rng.uniform(2, 5, 50)})
    figure = histograms([("focus", bars), ("empty", [])], ["lab", "crowd"], LOOK, "items")
    go.Figure(figure)
    steps = [trace for trace in figure["data"] if trace["mode"] == "lines"]
    assert [trace["name"] for trace in steps] == ["lab", "crowd"]
    assert steps[0]["x"] == steps[1]["x"]
    for trace in figure["data"]:
        assert sum(trace["y"]) == pytest.approx(1)
    assert [trace["line"]["color"] for trace in steps] == ["#0072B2", "#C18600"]


def test_a_click_on_a_bar_gives_its_panel_and_its_place() -> None:
    bars = bars_on_one_scale({"lab": np.array([1.0, 1.1, 3.0]), "crowd": np.array([5.0])})
    made = histograms([("empty", []), ("focus", bars)], ["lab", "crowd"], LOOK, "items")
    points = [trace for trace in made["data"] if trace["mode"] == "markers"]
    for trace, values in zip(points, ([1.0, 1.1, 3.0], [5.0]), strict=True):
        assert {panel for panel, _ in trace["customdata"]} == {1}
        for value in values:
            ends = [bars[0].ends(at) for _, at in trace["customdata"]]
            assert any(low <= value < high for low, high in ends)
        assert all(
            bars[0].edges[at] < x < bars[0].edges[at + 1]
            for x, (_, at) in zip(trace["x"], trace["customdata"], strict=True)
        )


def test_names_from_a_study_are_inert() -> None:
    text = json.dumps(histograms([(BAD, bars_on_one_scale({BAD: np.array([2.0])}))], [BAD], LOOK, "items"))
    assert "<img" not in text
    assert "<a " not in text
    assert "$x" not in text


def test_bars_of_whole_numbers_are_centered_on_them() -> None:
    (bars,) = bars_on_one_scale({"lab": np.array([1.0, 2.0, 2.0, 5.0])})
    assert ((bars.edges[:-1] + bars.edges[1:]) / 2).tolist() == [1, 2, 3, 4, 5]
    assert bars.counts.tolist() == [1, 2, 0, 0, 1]


def test_measures_on_different_scales_do_not_share_an_axis() -> None:
    likert = bars_on_one_scale({"lab": np.array([1.0, 3.0, 5.0])})
    share = bars_on_one_scale({"lab": np.array([0.1, 0.5, 0.9])})
    for second, shared in ((likert, True), (share, False)):
        made = histograms([("focus", likert), ("pyramid", second)], ["lab"], LOOK, "items")
        assert ("matches" in made["layout"]["xaxis2"]) is shared
        assert made["layout"]["xaxis2"]["showticklabels"]
