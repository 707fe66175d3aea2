"""Slope chart, leave-one-out and consistency: what is drawn is what was found, and text from a study is inert."""

import json
from math import nan

import numpy as np
import plotly.graph_objects as go
import pytest

from analysis.assessors.exclusion import ExclusionSpec, exclusion, intervals
from analysis.assessors.leave_one_out import leave_one_out
from analysis.values.estimate import Estimate
from charts.assessors.raters import MOST_LINES, MOST_RATERS, consistency_dots, leave_one_out_bars, slopes
from charts.parts.numbers import decimal
from charts.parts.theme import Look

LOOK = Look()
BAD = '<img src=x onerror=alert(1)> [link](http://x) $x^2$ <a href="javascript:1">'


def study(systems=8, topics=12, raters=4, seed=0):
    rng = np.random.default_rng(seed)
    system, topic = (
        part.ravel() for part in np.meshgrid(np.arange(systems), np.arange(topics), indexing="ij")
    )
    return system, topic, topic % raters, rng.normal(system * 0.1, 1.0)


def names(n, prefix="system"):
    return np.array([f"{prefix} {i}" for i in range(n)])


def texts(figure):
    return [text for trace in figure["data"] if trace.get("mode") == "text" for text in trace["text"]]


def segments(figure):
    """(left, right) ranks of every line drawn."""
    found = set()
    for trace in figure["data"]:
        if "lines" in trace["mode"] and "dash" in trace["line"]:
            y = trace["y"]
            found |= {(y[i], y[i + 1]) for i in range(0, len(y), 3)}
            assert all(y[i + 2] is None for i in range(0, len(y), 3))
    return found


def test_slopes_join_each_systems_ranks():
    found = exclusion(*study(), (1,))
    figure = slopes(found, names(8), "systems", LOOK)
    go.Figure(figure)
    ranks = zip(found.change.rank_before.tolist(), found.change.rank_after.tolist(), strict=True)
    assert segments(figure) == set(ranks)
    assert len(figure["data"]) <= 6


def test_slopes_tell_rises_from_falls_by_more_than_colour():
    figure = slopes(exclusion(*study(), (1,)), names(8), "systems", LOOK)
    lines = [trace for trace in figure["data"] if "lines" in trace["mode"]]
    for trace in lines:
        left, right = trace["y"][0], trace["y"][1]
        look = trace["line"]["dash"], trace["marker"]["symbol"][1]
        expected = ("solid", "circle") if left == right else (
            ("solid", "triangle-up") if right < left else ("dash", "triangle-down")
        )  # fmt: skip
        assert look == expected
    assert len({trace["line"]["color"] for trace in lines}) == len(lines) > 1


def test_slopes_label_every_one_of_few_systems_at_both_ends():
    told = texts(slopes(exclusion(*study(), (1,)), names(8), "systems", LOOK))
    for name in names(8):
        assert sum(name in text for text in told) == 2


def test_lost_systems_are_hollow_at_the_left():
    system, topic, rater, score = study()
    found = exclusion(system, topic, np.where(system == 3, 9, rater), score, (9,))
    figure = slopes(found, names(8), "systems", LOOK)
    (hollow,) = (trace for trace in figure["data"] if trace.get("marker", {}).get("symbol") == "circle-open")
    assert hollow["x"] == [0]
    ahead = (found.before > found.before[3]).sum()
    assert hollow["y"] == [ahead + 0.5]
    assert any("system 3 (lost)" in text for text in texts(figure))


def test_of_many_systems_those_that_move_most_are_drawn():
    found = exclusion(*study(systems=200), (1,))
    figure = slopes(found, names(200), "items", LOOK)
    assert len(segments(figure)) == MOST_LINES
    drawn = [abs(left - right) for left, right in segments(figure)]
    assert sorted(drawn, reverse=True) == sorted(np.abs(found.change.shifts), reverse=True)[:MOST_LINES]
    assert "60 of 200 items" in json.dumps(figure["layout"]["annotations"]).replace("\\u2009", "")
    assert figure["layout"]["height"] <= 630


def test_labels_keep_clear_of_each_other():
    figure = slopes(exclusion(*study(systems=58), (1,)), names(58), "systems", LOOK)
    height = figure["layout"]["height"] - 48
    high, low = figure["layout"]["yaxis"]["range"]
    for trace in figure["data"]:
        if trace["mode"] == "text":
            assert np.diff(np.sort(trace["y"])).min() * height / (high - low) >= 9
            assert {1, 58} <= set(trace["y"])


def test_systems_of_one_rank_share_a_label():
    system, topic, rater, score = study()
    score[system == 4] = score[system == 5]
    told = texts(slopes(exclusion(system, topic, rater, score, (1,)), names(8), "systems", LOOK))
    assert sum("system 4 = system 5" in text or "system 5 = system 4" in text for text in told) == 2


def test_hovers_tell_scores_and_once_drawn_their_intervals():
    ratings = study()
    found = exclusion(*ratings, (1,))
    drawn = intervals(*ratings, found, ExclusionSpec(draws=50))
    bare, full = (
        json.dumps(slopes(found, names(8), "systems", LOOK, one)["data"], ensure_ascii=False)
        for one in (None, drawn)
    )
    assert decimal(found.after[2], 3) in bare
    assert " to " not in bare
    assert decimal(drawn.after_low[2], 3) in full


def test_with_nothing_left_the_slope_chart_says_so():
    figure = slopes(exclusion(*study(), range(4)), names(8), "systems", LOOK)
    go.Figure(figure)
    assert "all raters are left out" in json.dumps(figure["layout"]["annotations"])
    figure = slopes(exclusion([], [], [], []), [], "systems", LOOK)
    go.Figure(figure)
    assert "no ratings" in json.dumps(figure["layout"]["annotations"])


def test_leave_one_out_has_the_strongest_on_top_and_excluded_hollow():
    found = leave_one_out(*study())
    figure = leave_one_out_bars(found, names(4, "rater"), LOOK, {2})
    go.Figure(figure)
    rho, shift = (trace for trace in figure["data"] if trace["mode"] == "markers")
    assert rho["x"] == sorted(1 - found.spearman, reverse=True)
    order = [int(label.split()[1]) for label in figure["layout"]["yaxis"]["ticktext"]]
    assert [found.largest_shift[rater] for rater in order] == shift["x"]
    assert [order[at] for at, symbol in enumerate(rho["marker"]["symbol"]) if symbol == "circle-open"] == [2]


def test_leave_one_out_shows_at_most_thirty_and_says_so():
    system, topic, _, score = study(topics=80)
    figure = leave_one_out_bars(leave_one_out(system, topic, topic % 40, score), names(40, "rater"), LOOK)
    assert len(figure["layout"]["yaxis"]["ticktext"]) == MOST_RATERS
    assert "30 of 40 raters" in json.dumps(figure["layout"]["annotations"])


def test_leave_one_out_without_ranks_falls_back_to_pearson(monkeypatch):
    monkeypatch.setattr("analysis.assessors.leave_one_out.MOST_RANKED", 1)
    found = leave_one_out(*study())
    figure = leave_one_out_bars(found, names(4, "rater"), LOOK)
    (dots,) = (trace for trace in figure["data"] if trace["mode"] == "markers")
    assert dots["x"] == sorted(1 - found.pearson, reverse=True)
    assert "Pearson" in figure["layout"]["xaxis"]["title"]["text"]


def test_leave_one_out_with_nothing_defined_is_a_valid_empty_picture():
    go.Figure(leave_one_out_bars(leave_one_out([], [], [], []), [], LOOK))
    go.Figure(leave_one_out_bars(leave_one_out([1, 2], [1, 1], [1, 2], [1, 2]), names(3, "rater"), LOOK))


def consistency(n=5):
    rows = [(f"rater {i}", Estimate(0.5 + 0.08 * i, 0.4 + 0.08 * i, 0.6 + 0.08 * i, 30)) for i in range(n)]
    return [*rows, ("nobody", Estimate(nan, reason="fewer than two sets"))]


def test_consistency_ranks_raters_with_whiskers_and_undefined_ones_below():
    figure = consistency_dots([("focus", consistency())], "Alpha", LOOK, {"rater 1"})
    go.Figure(figure)
    labels, dots, below = figure["data"]
    assert labels["text"] == ["rater 4", "rater 3", "rater 2", "rater 1", "rater 0", "(nobody)"]
    assert dots["x"] == pytest.approx([0.82, 0.74, 0.66, 0.58, 0.5])
    assert dots["error_x"]["array"] == pytest.approx([0.1] * 5)
    assert dots["marker"]["symbol"] == ["circle", "circle", "circle", "circle-open", "circle"]
    assert below["y"] == [5]
    assert max(below["x"]) < 0
    assert "fewer than two sets" in below["text"][0]


def test_consistency_has_a_panel_per_measure_and_at_most_thirty_raters_in_each():
    rows = [(f"rater {i}", Estimate(i / 50, n=9)) for i in range(45)]
    figure = consistency_dots([("focus", rows), ("grammar", consistency())], "Alpha", LOOK)
    go.Figure(figure)
    assert len(figure["data"][0]["text"]) == MOST_RATERS
    assert "rater 0" in figure["data"][0]["text"]
    assert "30 of 45 raters" in json.dumps(figure["layout"]["annotations"])
    assert {trace["xaxis"] for trace in figure["data"]} == {"x", "x2"}


def test_consistency_of_nobody_is_a_valid_empty_picture():
    go.Figure(consistency_dots([("focus", [])], "Alpha", LOOK))
    go.Figure(consistency_dots([], "Alpha", LOOK))


@pytest.mark.parametrize("look", [Look(), Look(dark=True)])
def test_names_from_a_study_are_inert(look):
    bad = [BAD] * 8
    system, topic, rater, score = study()
    with_lost = exclusion(system, topic, np.where(system == 3, 9, rater), score, (9,))
    for figure in (
        slopes(exclusion(*study(), (1,)), bad, BAD, look),
        slopes(with_lost, bad, BAD, look),
        leave_one_out_bars(leave_one_out(*study()), bad, look),
        consistency_dots([(BAD, [(BAD, Estimate(0.5)), (BAD, Estimate(nan, reason=BAD))])], "Alpha", look),
    ):
        written = json.dumps(figure)
        assert "<img" not in written
        assert "<a " not in written
        assert "$x" not in written
