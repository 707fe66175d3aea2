"""Ranking of workers and known answers: what is drawn is what was found, and text from a study is inert."""

import json
from dataclasses import replace
from math import nan

import plotly.graph_objects as go
import pytest

from analysis.values.estimate import Estimate
from charts.workers.reliability import MOST_DRAWN, MOST_POINTS, Worker, ranking, scatter
from features.plotting.theme import Look
from features.raters.naming_findings import BELOW

LOOK = Look()
BAD = '<img src=x onerror=alert(1)> [link](http://x) $x^2$ <a href="javascript:1">'
CORRELATION = Estimate(0.8, 0.3, 0.95, 10)


def workers(n, known=True):
    return [
        Worker(
            f"w{at:03}",
            Estimate(at / n, at / n - 0.1, at / n + 0.1, 20),
            Estimate(0.5 + at / n / 2, 0.3, 1.0, 15) if known else None,
        )
        for at in range(n)
    ]


def dots(figure):
    return [trace for trace in figure["data"] if "markers" in trace["mode"]]


def test_the_ranking_has_the_highest_on_top_with_its_interval():
    figure = ranking(workers(8), "r_w", LOOK)
    go.Figure(figure)
    points = {
        y: (x, trace["error_x"]["arrayminus"][at])
        for trace in dots(figure)
        for at, (x, y) in enumerate(zip(trace["x"], trace["y"], strict=True))
    }
    assert [points[y][0] for y in sorted(points)] == [at / 8 for at in range(7, -1, -1)]
    assert all(whisker == pytest.approx(0.1) for _, whisker in points.values())
    axis = figure["layout"]["yaxis"]
    assert axis["ticktext"] == [f"w{at:03}" for at in range(7, -1, -1)]
    assert axis["range"][0] > axis["range"][1]


def test_who_is_not_told_from_chance_has_another_shape_and_colour_and_a_legend():
    figure = ranking(workers(20), "r_w", LOOK)
    agrees, chance = dots(figure)
    assert agrees["marker"]["symbol"] != chance["marker"]["symbol"]
    assert agrees["marker"]["color"] != chance["marker"]["color"]
    assert sorted(chance["x"]) == [0.0, 0.05, 0.1]  # their intervals begin at 0 or below
    assert figure["layout"]["showlegend"]
    bare = [Worker("a", Estimate(0.3)), Worker("b", Estimate(-0.2))]
    assert [trace["x"] for trace in dots(ranking(bare, "r_w", LOOK))] == [[0.3], [-0.2]]


def test_named_workers_have_their_own_shape_and_legend():
    named = [replace(worker, verdict=BELOW) if at == 4 else worker for at, worker in enumerate(workers(8))]
    below = dots(ranking(named, "r_w", LOOK))[-1]
    assert (below["name"], below["x"]) == ("Clearly below the typical rater", [4 / 8])


def test_of_many_the_highest_and_the_lowest_are_drawn_and_the_rest_counted():
    figure = ranking(workers(269), "r_w", LOOK)
    drawn = sorted(x for trace in dots(figure) for x in trace["x"])
    assert len(drawn) == MOST_DRAWN
    assert drawn[:20] == [at / 269 for at in range(20)]
    assert drawn[20:] == [at / 269 for at in range(249, 269)]
    assert "229 between" in figure["layout"]["annotations"][0]["text"]
    assert figure["layout"]["height"] <= 620


def test_without_figures_the_ranking_says_so():
    none = [Worker("a", Estimate(nan, reason="always chose the same option"))]
    for figure in (ranking(none, "r_w", LOOK), ranking([], "r_w", LOOK)):
        go.Figure(figure)
        assert figure["data"] == []
        assert "nobody" in figure["layout"]["annotations"][0]["text"]


def test_the_scatter_names_few_workers_and_writes_its_correlation():
    figure = scatter(workers(10), "r_w", "e_w", CORRELATION, CORRELATION, LOOK)
    go.Figure(figure)
    (points,) = figure["data"]
    by_name = dict(zip(points["text"], zip(points["x"], points["y"], strict=True), strict=True))
    assert by_name["w004"] == (0.4, 0.7)
    assert "0.80 (0.30 to 0.95)" in figure["layout"]["annotations"][0]["text"]
    assert "10 workers" in figure["layout"]["annotations"][0]["text"]
    assert "error_x" in points
    assert "error_y" in points
    assert "85.0 % of 15" in " ".join(points["hovertext"])


def test_the_scatter_of_many_names_nobody_and_draws_those_with_most_items():
    many = workers(MOST_POINTS + 5)
    many[3] = Worker("few", Estimate(0.5, n=2), Estimate(0.5, n=2))
    figure = scatter(many, "r_w", "e_w", CORRELATION, CORRELATION, LOOK)
    (points,) = figure["data"]
    assert len(points["x"]) == MOST_POINTS
    assert "text" not in points
    assert not any("few" in hover for hover in points["hovertext"])
    assert "with most items" in figure["layout"]["annotations"][0]["text"]


def test_workers_without_one_of_the_figures_are_not_in_the_scatter():
    some = [
        *workers(4),
        Worker("x", Estimate(nan), Estimate(0.5)),
        Worker("y", Estimate(0.5), Estimate(nan)),
        Worker("z", Estimate(0.5)),
    ]
    (points,) = scatter(some, "r_w", "e_w", CORRELATION, CORRELATION, LOOK)["data"]
    assert len(points["x"]) == 4
    assert scatter(some[4:], "r_w", "e_w", CORRELATION, CORRELATION, LOOK)["data"] == []


def test_a_scatter_of_correlations_is_not_written_as_shares():
    figure = scatter(workers(5), "r_w", "e_w", CORRELATION, CORRELATION, LOOK, shares=False)
    assert "tickformat" not in figure["layout"]["yaxis"]
    assert "%" not in "".join(figure["data"][0]["hovertext"])


@pytest.mark.parametrize("dark", [False, True])
def test_names_are_inert(dark):
    bad = [Worker(BAD, worker.r, worker.known) for worker in workers(5)]
    look = Look(dark)
    for figure in (ranking(bad, "r_w", look), scatter(bad, "r_w", "e_w", CORRELATION, CORRELATION, look)):
        go.Figure(figure)
        text = json.dumps(figure)
        assert "<img" not in text
        assert "<a " not in text
        assert "$x" not in text


def test_names_stand_free_of_each_other_in_a_narrow_window_too() -> None:
    one = Estimate(0.9, 0.8, 0.95, 10)
    near = [
        Worker(f"worker {n:02}", Estimate(n / 9, 0, 1, 40), Estimate(0.6 + n % 2 / 100, 0.5, 0.7, 40))
        for n in range(8)
    ]
    named = {
        narrow: [
            text
            for text in scatter(near, "r", "known", one, one, Look(narrow=narrow))["data"][0]["text"]
            if text
        ]
        for narrow in (False, True)
    }
    assert 0 < len(named[True]) < len(named[False]) < 9
    apart = [replace(worker, r=Estimate(n / 4, 0, 1, 40)) for n, worker in enumerate(near[:4])]
    assert "" not in scatter(apart, "r", "known", one, one, Look(narrow=True))["data"][0]["text"]
