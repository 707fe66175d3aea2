"""Preference bars: both shares fill each bar, intervals stand where they were found, and names are inert."""

import json
from math import nan

import plotly.graph_objects as go
import pytest

from analysis.values.estimate import Estimate
from features.plotting.theme import GROUP_COLOURS, Look
from features.systems.pairs_section import preference_bars

LOOK = Look()
COLOURS = GROUP_COLOURS[:2]
SHARES = {
    "equal weights": Estimate(0.26, 0.18, 0.37, 24),
    "PCC-H": Estimate(0.15, 0.07, 0.26, 24),
    "GLAD": Estimate(0.13, n=24),
    "item-wise majority": Estimate(nan, reason="most judgments say neither"),
}
BAD = '<img src=x onerror=alert(1)> [link](http://x) $x^2$ <a href="javascript:1">'


def bars(figure):
    return [trace for trace in figure["data"] if trace["type"] == "bar"]


def numbers(figure):
    return [t["text"] for t in figure["data"] if any("%" in text for text in t.get("text") or [])]


def drawn(panels=(("4-choice", SHARES),), systems=("AW", "UI"), look=LOOK, **more):
    figure = preference_bars(panels, systems, COLOURS, look, **more)
    go.Figure(figure)
    return figure


def test_both_shares_fill_each_bar_from_both_ends():
    first, second = bars(drawn())
    assert first["x"] == [0.26, 0.15, 0.13]
    assert first["base"] == [0.0] * 3
    for left, start, width in zip(first["x"], second["base"], second["x"], strict=True):
        assert start == left
        assert start + width == pytest.approx(1)
    assert (first["marker"]["color"], second["marker"]["color"]) == COLOURS
    assert numbers(drawn()) == [["26%", "15%", "13%"], ["74%", "85%", "87%"]]


def test_a_share_without_room_has_no_number_in_it():
    assert numbers(drawn([("", {"PCC-H": Estimate(0.02, 0.0, 0.1, 24)})])) == [["98%"]]


def test_with_several_panels_a_number_needs_more_room():
    shares = {"PCC-H": Estimate(0.15)}
    assert numbers(drawn([("", shares)])) == [["15%"], ["85%"]]
    assert numbers(drawn([("2-choice", shares), ("4-choice", shares)])) == [["85%"]] * 2


def test_whiskers_stand_at_the_intervals_with_a_halo_and_only_where_there_are_any():
    lines = [trace for trace in drawn()["data"] if trace.get("mode") == "lines"]
    halo, line = lines
    assert halo["x"] == line["x"] == [0.18, 0.37, None, 0.07, 0.26, None]
    assert [None if y is None else round(y) for y in line["y"]] == [0, 0, None, 1, 1, None]
    assert halo["line"]["width"] > line["line"]["width"]
    assert halo["line"]["color"] == LOOK.ground


def test_a_line_stands_at_one_half_of_every_panel():
    shapes = drawn([("2-choice", SHARES), ("4-choice", SHARES)])["layout"]["shapes"]
    assert [(shape["x0"], shape["x1"], shape["xref"]) for shape in shapes] == [
        (0.5, 0.5, "x"),
        (0.5, 0.5, "x2"),
    ]


def test_designs_stand_side_by_side_on_one_axis_of_methods():
    figure = drawn([("2-choice", SHARES), ("4-choice", {"PCC-H": Estimate(0.2)})])
    first, _, third, _ = bars(figure)
    assert (first["xaxis"], third["xaxis"]) == ("x", "x2")
    assert third["y"] == [1]  # the row of PCC-H
    assert figure["layout"]["xaxis2"]["matches"] == "x"
    told = [annotation["text"] for annotation in figure["layout"]["annotations"]]
    assert {"2-choice", "4-choice"} <= set(told)
    assert told.count("<b>AW</b>") == told.count("<b>UI</b>") == 2


def test_every_method_is_named_once_and_may_have_another_name():
    names = {"equal weights": "all alike"}
    figure = drawn([("2-choice", SHARES), ("4-choice", SHARES)], names=names)
    (told,) = [t["text"] for t in figure["data"] if "all alike" in (t.get("text") or [])]
    assert told == ["all alike", "<b>PCC-H</b>", "GLAD", "item-wise majority"]


def test_what_is_undefined_is_said_where_its_bar_would_be():
    (undefined,) = [t for t in drawn()["data"] if t.get("text") == ["undefined"]]
    assert undefined["y"] == [3]
    assert undefined["hovertext"] == ["most judgments say neither"]


def test_nothing_defined_still_draws():
    figure = drawn([("", {"PCC-H": Estimate(nan, reason="there are no votes")})])
    assert not bars(figure)


@pytest.mark.parametrize("look", [Look(dark=False), Look(dark=True)])
def test_numbers_can_be_read_on_their_colour(look):
    first, second = (
        t for t in drawn(look=look)["data"] if "26%" in t.get("text", ()) or "74%" in t.get("text", ())
    )
    assert first["textfont"]["color"] == "#FFFFFF"  # on blue
    assert second["textfont"]["color"] == "#000000"  # on orange
    line = [trace for trace in drawn(look=look)["data"] if trace.get("mode") == "lines"][1]
    assert line["line"]["color"] == look.ink


def test_names_from_a_study_are_inert():
    figure = drawn([(BAD, {"PCC-H": Estimate(0.4, 0.3, 0.5)}), (BAD, SHARES)], systems=(BAD, BAD[::-1]))
    for text in ("<img", "<a href", "$x"):
        assert text not in json.dumps(figure)


def test_it_is_small():
    figure = drawn([("2-choice", SHARES), ("4-choice", SHARES)])
    assert len(json.dumps(figure)) < 12_000
