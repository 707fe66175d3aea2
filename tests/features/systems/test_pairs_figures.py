"""Shares of a preference: a dot with its interval per method and design, and names that are inert."""

import json
from math import nan

import plotly.graph_objects as go
import pytest

from analysis.systems.preference import DROPPED, PreferenceSpec
from analysis.values.estimate import Estimate
from features.plotting.theme import Look
from features.systems.pairs_section import share_dots

LOOK = Look()
SHARES = {
    "item-wise majority": Estimate(nan, reason="most judgments say neither"),
    "equal weights": Estimate(0.26, 0.18, 0.37, 24),
    "PCC-H": Estimate(0.15, 0.07, 0.26, 24),
    "GLAD": Estimate(0.13, n=24),
}
BAD = '<img src=x onerror=alert(1)> [link](http://x) $x^2$ <a href="javascript:1">'


def drawn(by_design, system="AW", dropped=0):
    figure = share_dots(by_design, system, LOOK, PreferenceSpec(dropped))
    go.Figure(figure)
    return figure


def shares_by_row(figure, trace):
    names = figure["layout"]["yaxis"]["ticktext"]
    return {names[round(y)]: x for x, y in zip(trace["x"], trace["y"], strict=True)}


def test_each_method_has_its_share_and_what_is_undefined_has_a_row_without_a_dot():
    figure = drawn({"4-choice": SHARES})
    (trace,) = figure["data"]
    assert shares_by_row(figure, trace) == {"equal weights": 0.26, "PCC-H": 0.15, "GLAD": 0.13}
    assert "item-wise majority" in figure["layout"]["yaxis"]["ticktext"]


def test_whiskers_end_at_the_intervals_and_stand_only_where_there_are_any():
    figure = drawn({"4-choice": SHARES})
    (trace,) = figure["data"]
    ends = dict(zip(shares_by_row(figure, trace), trace["error_x"]["array"], strict=True))
    assert ends["equal weights"] == pytest.approx(0.37 - 0.26)
    assert ends["PCC-H"] == pytest.approx(0.26 - 0.15)
    assert not ends["GLAD"] > 0


def test_each_design_is_a_series_on_one_axis_of_methods():
    figure = drawn({"2-choice": SHARES, "4-choice": {"PCC-H": Estimate(0.2)}})
    first, second = figure["data"]
    assert (first["name"], second["name"]) == ("2-choice", "4-choice")
    assert shares_by_row(figure, second) == {"PCC-H": 0.2}
    assert first["marker"]["symbol"] != second["marker"]["symbol"]


def test_a_line_stands_at_one_half_within_the_axis():
    figure = drawn({"4-choice": SHARES})
    low, high = figure["layout"]["xaxis"]["range"]
    assert low < 0.5 < high
    assert any(shape.get("x0") == shape.get("x1") == 0.5 for shape in figure["layout"]["shapes"])


def test_the_number_of_dropped_raters_is_in_the_name_of_their_method():
    figure = drawn({"4-choice": {DROPPED: Estimate(0.4, 0.3, 0.5)}}, dropped=3)
    assert figure["layout"]["yaxis"]["ticktext"] == ["least reliable 3 dropped"]


def test_nothing_defined_still_draws():
    assert not drawn({"": {"PCC-H": Estimate(nan, reason="there are no votes")}})["data"]


def test_names_from_a_study_are_inert():
    figure = drawn({BAD: {"PCC-H": Estimate(0.4, 0.3, 0.5)}, BAD[::-1]: SHARES}, BAD)
    for text in ("<img", "<a href", "$x"):
        assert text not in json.dumps(figure)


def test_it_is_small():
    assert len(json.dumps(drawn({"2-choice": SHARES, "4-choice": SHARES}))) < 12_000
