"""The picture of advantages: where each candidate stands, whether it is filled, and where a rater would."""

from math import nan

import numpy as np
import plotly.graph_objects as go
import pytest

from analysis.replacement.alternative_annotator import AlternativeAnnotator
from analysis.replacement.corrected_scores import corrected_scores
from analysis.values.estimate import Estimate
from features.plotting.theme import Look, group_colour
from features.replacement.section import advantage_dots, against_price, corrected_dots
from features.replacement.specs import CandidateResult, Prices

GROUPS = ("crowd", "lab")


def assessed(name: str, advantage: Estimate, passes: bool) -> CandidateResult:
    """Candidate that was tested against three raters who agree."""
    of_raters = np.arange(3), np.full(3, 30), np.full(3, 0.5), np.full(3, 0.5), np.full(3, passes)
    test = AlternativeAnnotator(float(passes), passes, advantage, *of_raters, {}, 0, 0)
    return CandidateResult(name, "column", test, Estimate(nan), None, agreement=Estimate(0.5))


DRAWN = (
    assessed("crowd", Estimate(0.77, 0.68, 0.84), True),
    assessed("<b>model</b>", Estimate(0.46, 0.36, 0.57), False),
    assessed("free", Estimate(0.6, 0.5, 0.7), False),
)
PRICES = Prices({"crowd": 0.05, "<b>model</b>": 0.001})


@pytest.mark.parametrize("look", [Look(), Look(dark=True, narrow=True)])
def test_each_candidate_has_a_row_and_a_rater_a_line(look: Look) -> None:
    figure = advantage_dots({"focus": DRAWN}, GROUPS, look)
    go.Figure(figure)
    assert [trace["x"] for trace in figure["data"]] == [[0.77], [0.46], [0.6]]
    assert [trace["y"] for trace in figure["data"]] == [[0], [1], [2]]
    assert figure["data"][0]["marker"]["color"] == group_colour("crowd", GROUPS)
    assert ["open" in trace["marker"]["symbol"] for trace in figure["data"]] == [False, True, True]
    (line,) = (shape for shape in figure["layout"]["shapes"] if shape.get("x0") == 0.5)
    assert "layer" not in line  # on any other, Plotly draws it under the grid
    assert "<b>" not in figure["layout"]["yaxis"]["ticktext"][1]
    labels = [(note["text"], note.get("y")) for note in figure["layout"]["annotations"]]
    assert labels == [("as good as a rater", 1), ("can replace", 0), ("not shown", 1), ("not shown", 2)]


def test_labels_at_an_edge_end_in_the_figure() -> None:
    """A card has no intervals, and its axis ends near the line of a rater."""
    card = Look(on_card=True)
    figure = advantage_dots({"focus": (assessed("crowd", Estimate(0.4), False),)}, GROUPS, card)
    assert [note["xanchor"] for note in figure["layout"]["annotations"]] == ["right", "left"]


def test_candidates_stand_side_by_side_in_the_row_of_each_measure() -> None:
    untested = assessed("free", Estimate(nan, reason="on another scale"), False)
    model = assessed("<b>model</b>", Estimate(0.7, 0.6, 0.8), True)
    figure = advantage_dots({"focus": DRAWN, "grammar": (model, untested)}, GROUPS, Look())
    go.Figure(figure)
    drawn = {trace["name"]: (trace["x"], [round(y) for y in trace["y"]]) for trace in figure["data"]}
    assert drawn == {
        "crowd": ([0.77], [0]),
        "&lt;b&gt;model&lt;/b&gt;": ([0.7], [1]),
        "&lt;b&gt;model&lt;/b&gt;: not shown": ([0.46], [0]),
        "free: not shown": ([0.6], [0]),
    }
    _, passes, hollow, _ = (trace["marker"] for trace in figure["data"])
    assert passes["color"] == hollow["color"]
    assert hollow["symbol"] == f"{passes['symbol']}-open"


def test_advantage_stands_against_price_where_one_is_known() -> None:
    figure = against_price(DRAWN, PRICES, GROUPS, Look())
    go.Figure(figure)
    (trace,) = figure["data"]
    assert list(zip(trace["x"], trace["y"], strict=True)) == [(0.05, 0.77), (0.001, 0.46)]
    assert trace["marker"]["color"][0] == group_colour("crowd", GROUPS)
    assert ["open" in symbol for symbol in trace["marker"]["symbol"]] == [False, True]
    assert trace["error_y"]["arrayminus"] == pytest.approx([0.09, 0.1])
    assert "0.05 €" in trace["hovertext"][0]
    left, right = figure["layout"]["xaxis"]["range"]
    assert left <= 0 < 0.05 < right
    assert figure["layout"]["shapes"][0]["y0"] == 0.5


def test_each_system_has_both_scores_in_one_row() -> None:
    f = np.arange(40.0) % 7
    y = np.where(np.arange(40) < 30, f + np.sin(np.arange(40)), np.nan)
    scores = corrected_scores(np.array(["a", "b"])[np.arange(40) % 2], f, y)
    figure = corrected_dots(scores, Look())
    go.Figure(figure)
    assert [trace["name"] for trace in figure["data"]] == ["Reference alone", "Corrected"]
    assert figure["data"][0]["x"] == [score.reference.value for score in scores.values()]
    assert figure["data"][0]["y"][0] < figure["data"][1]["y"][0]
