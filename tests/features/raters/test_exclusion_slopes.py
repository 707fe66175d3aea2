"""Slope chart: what is drawn is what was found, and text from a study is inert."""

import json

import numpy as np
import plotly.graph_objects as go
import pytest

from analysis.assessors.exclusion import exclusion
from features.plotting.theme import Look, decimal
from features.raters.exclusion_section import MOST_LINES, slopes
from tests.features.raters.drawn_studies import BAD, LOOK, names, study


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


def test_lost_systems_are_not_drawn():
    system, topic, rater, score = study()
    found = exclusion(system, topic, np.where(system == 3, 9, rater), score, (9,))
    told = texts(slopes(found, names(8), "systems", LOOK))
    assert len(told) == 14
    assert not any("system 3" in text for text in told)


def test_of_many_systems_those_that_move_most_are_drawn():
    found = exclusion(*study(systems=200), (1,))
    figure = slopes(found, names(200), "items", LOOK)
    assert len(segments(figure)) == MOST_LINES
    drawn = [abs(left - right) for left, right in segments(figure)]
    assert sorted(drawn, reverse=True) == sorted(np.abs(found.change.shifts), reverse=True)[:MOST_LINES]
    assert "60 of 200 items" in json.dumps(figure["layout"]["annotations"])
    assert figure["layout"]["height"] <= 630


def test_labels_keep_clear_of_each_other():
    figure = slopes(exclusion(*study(systems=58), (1,)), names(58), "systems", LOOK)
    height = figure["layout"]["height"] - 48
    high, low = figure["layout"]["yaxis"]["range"]
    for trace in figure["data"]:
        if trace["mode"] == "text":
            assert np.diff(np.sort(trace["y"])).min() * height / (high - low) >= 9
            assert {1, 58} <= set(trace["y"])


def test_of_many_systems_those_that_stay_have_no_label():
    system, topic, rater = (part.ravel() for part in np.indices((30, 4, 3)))
    score = 100.0 - system + np.where((rater == 2) & (system == 20), -6.0, 0.0)  # without rater 2 it rises
    told = texts(slopes(exclusion(system, topic, rater, score, (2,)), names(30), "systems", LOOK))
    assert sum("system 20" in text for text in told) == 2
    assert sum("system 0" in text for text in told) == 2
    assert not any("system 10" in text for text in told)


def test_systems_of_one_rank_share_a_label():
    system, topic, rater, score = study()
    score[system == 4] = score[system == 5]
    told = texts(slopes(exclusion(system, topic, rater, score, (1,)), names(8), "systems", LOOK))
    assert sum("system 4 = system 5" in text or "system 5 = system 4" in text for text in told) == 2


def test_hovers_tell_scores() -> None:
    without = exclusion(*study(), (1,))
    told = json.dumps(slopes(without, names(8), "systems", LOOK)["data"], ensure_ascii=False)
    for system in range(8):
        before, after = decimal(without.before[system], 3), decimal(without.after[system], 3)
        assert f"system {system}<br>before {before}<br>after {after}" in told


def test_with_nothing_left_the_slope_chart_says_so():
    figure = slopes(exclusion(*study(), range(4)), names(8), "systems", LOOK)
    go.Figure(figure)
    assert "all raters are left out" in json.dumps(figure["layout"]["annotations"])
    figure = slopes(exclusion([], [], [], []), [], "systems", LOOK)
    go.Figure(figure)
    assert "no ratings" in json.dumps(figure["layout"]["annotations"])


@pytest.mark.parametrize("look", [Look(), Look(dark=True)])
def test_names_from_a_study_are_inert(look):
    system, topic, rater, score = study()
    with_lost = exclusion(system, topic, np.where(system == 3, 9, rater), score, (9,))
    for figure in (
        slopes(exclusion(*study(), (1,)), [BAD] * 8, BAD, look),
        slopes(with_lost, [BAD] * 8, BAD, look),
    ):
        written = json.dumps(figure)
        assert "<img" not in written
        assert "<a " not in written
        assert "$x" not in written
