"""Leave-one-out: the strongest on top, and text from a study is inert."""

import json

import plotly.graph_objects as go
import pytest

from analysis.assessors.leave_one_out import leave_one_out
from features.plotting.theme import Look
from features.raters.exclusion_section import MOST_RATERS, leave_one_out_dots
from tests.features.raters.drawn_studies import BAD, LOOK, names, study

BLUE = "#0072B2"


def test_leave_one_out_has_the_strongest_on_top_and_excluded_hollow():
    found = leave_one_out(*study())
    figure = leave_one_out_dots(found, names(4, "rater"), BLUE, {2}, LOOK)
    go.Figure(figure)
    (rho,) = figure["data"]
    assert rho["x"] == sorted(1 - found.spearman, reverse=True)
    order = [int(label.split()[1]) for label in figure["layout"]["yaxis"]["ticktext"]]
    told = zip(order, rho["text"], strict=True)
    assert all(f"largest shift {found.largest_shift[rater]:g}" in text for rater, text in told)
    assert [order[at] for at, symbol in enumerate(rho["marker"]["symbol"]) if symbol == "circle-open"] == [2]


def test_leave_one_out_shows_at_most_thirty_and_says_so():
    system, topic, _, score = study(topics=80)
    figure = leave_one_out_dots(
        leave_one_out(system, topic, topic % 40, score), names(40, "rater"), BLUE, (), LOOK
    )
    assert len(figure["layout"]["yaxis"]["ticktext"]) == MOST_RATERS
    assert "30 of 40 raters" in json.dumps(figure["layout"]["annotations"])


def test_leave_one_out_without_ranks_falls_back_to_pearson(monkeypatch):
    monkeypatch.setattr("analysis.assessors.leave_one_out.MOST_RANKED", 1)
    found = leave_one_out(*study())
    figure = leave_one_out_dots(found, names(4, "rater"), BLUE, (), LOOK)
    (dots,) = (trace for trace in figure["data"] if trace["mode"] == "markers")
    assert dots["x"] == sorted(1 - found.pearson, reverse=True)
    assert "Pearson" in figure["layout"]["xaxis"]["title"]["text"]


def test_leave_one_out_with_nothing_defined_is_a_valid_empty_picture():
    go.Figure(leave_one_out_dots(leave_one_out([], [], [], []), [], BLUE, (), LOOK))
    go.Figure(
        leave_one_out_dots(leave_one_out([1, 2], [1, 1], [1, 2], [1, 2]), names(3, "rater"), BLUE, (), LOOK)
    )


@pytest.mark.parametrize("look", [Look(), Look(dark=True)])
def test_names_from_a_study_are_inert(look):
    for figure in [leave_one_out_dots(leave_one_out(*study()), [BAD] * 8, BLUE, (), look)]:
        written = json.dumps(figure)
        assert "<img" not in written
        assert "<a " not in written
        assert "$x" not in written
