"""The scale and the matrix of wins: what is drawn is what was found, and text from a study is inert."""

import json
from itertools import combinations

import numpy as np
import plotly.graph_objects as go
import pytest

from analysis.systems.bradley_terry import fit_comparisons
from analysis.systems.clustered_intervals import sandwich_intervals
from analysis.systems.goodness_of_fit import goodness_of_fit
from analysis.systems.rankings import comparisons_from_ids
from analysis.values.estimate import BootstrapSpec
from features.plotting.theme import GROUP_COLOURS, Look
from features.systems.scale_section import LOSES, MOST_SYSTEMS, WINS, scale_dots, win_matrix

LOOK, COLOR = Look(), GROUP_COLOURS[1]
BAD = '<img src=x onerror=alert(1)> [link](http://x) $x^2$ <a href="javascript:1">'


def study(names=("a", "b", "c", "d"), votes=240, step=0.8):
    """Systems of falling strength, each `step` weaker than the last."""
    rng = np.random.default_rng(0)
    pairs = np.array(list(combinations(range(len(names)), 2)))[
        np.arange(votes) % (len(names) * (len(names) - 1) // 2)
    ]
    gap = step * (pairs[:, 1] - pairs[:, 0])
    outcome = np.where(rng.random(votes) < 0.15, 2, rng.random(votes) > 1 / (1 + np.exp(-gap)))
    named = np.array(names)
    return comparisons_from_ids(named[pairs[:, 0]], named[pairs[:, 1]], outcome.astype(int)), np.arange(votes)


def drawn_of(comparisons, item):
    return sandwich_intervals(comparisons, item, None, BootstrapSpec(draws=200))


def dots(figure):
    return [trace for trace in figure["data"] if trace["mode"] == "markers"]


@pytest.mark.parametrize("on", ["chance", "strength"])
def test_the_strongest_is_on_top_with_its_interval(on):
    data = study()
    scale, drawn = fit_comparisons(data[0]), drawn_of(*data)
    figure = scale_dots(scale, drawn, on, COLOR, LOOK)
    go.Figure(figure)
    (marks,) = dots(figure)
    assert marks["marker"]["color"] == COLOR
    values = scale.chance if on == "chance" else scale.strength
    assert marks["x"] == sorted(values.tolist(), reverse=True)
    assert figure["layout"]["yaxis"]["ticktext"] == scale.systems[scale.order].tolist()
    low = drawn.chance_low if on == "chance" else drawn.low
    assert marks["x"][0] - marks["error_x"]["arrayminus"][0] == pytest.approx(low[scale.order[0]])
    assert figure["layout"]["shapes"][0]["x0"] == (0.5 if on == "chance" else 0.0)
    assert "rank 1" in marks["text"][0]


def test_a_line_and_a_label_part_clusters():
    data = study(votes=4000)
    scale, drawn = fit_comparisons(data[0]), drawn_of(*data)
    assert drawn.cluster.max() == 4
    layout = scale_dots(scale, drawn, "chance", COLOR, LOOK)["layout"]
    assert [shape["y0"] for shape in layout["shapes"][1:]] == [0.5, 1.5, 2.5]
    assert [label["text"] for label in layout["annotations"]] == [f"cluster {n}" for n in range(1, 5)]
    of_items = scale_dots(scale, drawn, "chance", COLOR, LOOK, "item")["layout"]
    assert of_items["xaxis"]["title"]["text"] == "Chance to win against an average item"
    closed = scale_dots(scale, None, "chance", COLOR, LOOK)["layout"]
    assert len(closed["shapes"]) == 1
    assert list(closed["annotations"]) == []


def test_systems_without_a_place_have_the_reason_in_their_row():
    rows = [("a", "b", 0), ("a", "b", 1), ("top", "a", 0), ("b", "low", 0), ("x", "y", 0), ("x", "y", 1)]
    first, second, outcome = zip(*rows, strict=True)
    data = comparisons_from_ids(first, second, outcome)
    scale = fit_comparisons(data)
    drawn = sandwich_intervals(data, np.arange(6), None, BootstrapSpec(draws=50))
    figure = scale_dots(scale, drawn, "chance", COLOR, LOOK)
    go.Figure(figure)
    on, words = figure["data"]
    assert len(on["x"]) == 2
    told = dict(zip(figure["layout"]["yaxis"]["ticktext"], scale.order.tolist(), strict=True))
    assert dict(zip(words["y"], words["text"], strict=True)) == {
        list(told).index("top"): "above the scale",
        list(told).index("low"): "below the scale",
        4: "not connected",
        5: "not connected",
    }


def test_at_most_thirty_systems_are_drawn_and_it_says_so():
    names = [f"system {n:02d}" for n in range(35)]
    data = study(names, votes=6000, step=0.1)
    scale = fit_comparisons(data[0])
    figure = scale_dots(scale, drawn_of(*data), "chance", COLOR, LOOK)
    assert len(figure["layout"]["yaxis"]["ticktext"]) == MOST_SYSTEMS
    assert "the strongest 30 of 35 systems" in json.dumps(figure["layout"]["annotations"])
    matrix = win_matrix(scale, goodness_of_fit(scale), LOOK)
    assert len(matrix["data"][0]["z"]) == MOST_SYSTEMS
    assert "30 of 35 systems" in json.dumps(matrix["layout"]["annotations"])
    assert max(figure["layout"]["height"], matrix["layout"]["height"]) <= 630


def test_the_matrix_holds_shares_of_the_row_and_their_counts():
    scale = fit_comparisons(study()[0])
    figure = win_matrix(scale, goodness_of_fit(scale), LOOK)
    go.Figure(figure)
    trace = figure["data"][0]
    i, j = scale.order[:2]
    expected = (scale.wins[i, j] + scale.ties[i, j] / 2) / scale.compared[i, j]
    assert trace["z"][0][1] == pytest.approx(expected)
    assert trace["z"][1][0] == pytest.approx(1 - expected)
    assert trace["text"][0][1] == f"{100 * expected:.0f}"
    assert [trace["z"][at][at] for at in range(4)] == [None] * 4
    cells = figure["data"][1]
    assert (cells["x"][1], cells["y"][1], cells["customdata"][1]) == (1, 0, [i, j])
    assert "40 comparisons" in cells["hovertext"][1]
    assert "the scale expects" in cells["hovertext"][1]
    assert figure["layout"]["xaxis"]["ticktext"] == figure["layout"]["yaxis"]["ticktext"]


def test_the_matrix_parts_colours_at_one_half_and_pairs_that_never_met_are_empty():
    scale = fit_comparisons(comparisons_from_ids(["a", "a", "b", "b"], ["b", "b", "c", "c"], [0, 1, 0, 1]))
    trace, cells = win_matrix(scale, goodness_of_fit(scale), LOOK)["data"]
    ends = [colour for _, colour in trace["colorscale"]]
    assert (ends[0], ends[-1]) == (LOSES, WINS)
    assert (trace["zmin"], trace["colorscale"][1][0], trace["zmax"]) == (0, 0.5, 1)
    at = {name: place for place, name in enumerate(scale.systems[scale.order].tolist())}
    assert trace["z"][at["a"]][at["c"]] is None
    assert "never compared" in cells["hovertext"][3 * at["a"] + at["c"]]


def test_nothing_to_draw_is_a_valid_empty_picture():
    scale = fit_comparisons(comparisons_from_ids([], [], []))
    go.Figure(scale_dots(scale, None, "chance", COLOR, LOOK))
    go.Figure(win_matrix(scale, goodness_of_fit(scale), LOOK))


@pytest.mark.parametrize("look", [Look(), Look(dark=True)])
def test_names_from_a_study_are_inert(look):
    names = [BAD, BAD + "2", BAD + "3", "best"]
    comparisons, item = study(names)
    scale = fit_comparisons(comparisons)
    lone = fit_comparisons(comparisons_from_ids([BAD, "y", "x"], ["x", "z", BAD], [0, 0, 0]))
    for figure in (
        scale_dots(scale, drawn_of(comparisons, item), "chance", COLOR, look),
        scale_dots(lone, None, "chance", COLOR, look),
        win_matrix(scale, goodness_of_fit(scale), look),
    ):
        written = json.dumps(figure)
        assert "<img" not in written
        assert "<a " not in written
        assert "$x" not in written
