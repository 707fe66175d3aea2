"""Cross comprehension: bars add up, letters fit, intervals stand where they were found, and names are inert."""

import json
from dataclasses import replace
from math import nan

import numpy as np
import plotly.graph_objects as go
import pytest

from analysis.comprehension.answer_shares import shares, shares_by_code, shares_by_pair
from analysis.comprehension.answers import encode_answers
from analysis.values.estimate import BootstrapSpec, Estimate
from features.comprehension.figures import (
    answer_bars,
    colours,
    length_scatter,
    pair_matrix,
    shares_bars,
)
from features.comprehension.findings import ANSWERS, MOST_ROWS, most_asked
from features.comprehension.results import Shared
from features.plotting.series import Point
from features.plotting.theme import Look
from ui.render import HEIGHT_ON_CARD

LOOK = Look()
BAD = '<img src=x onerror=alert(1)> [link](http://x) $x^2$ <a href="javascript:1">'
ROWS = [
    (story, wrote, asked, answer)
    for story in "stu"
    for wrote, asked, answer in (
        ("A", "B", "R"),
        ("A", "C", "N"),
        ("B", "A", "P"),
        ("C", "A", "R"),
        ("A", "A", "R"),
    )
]
COLUMNS = [list(column) for column in zip(*ROWS, strict=True)]
CODED, _ = encode_answers(*COLUMNS)


def figures(r, p, i, n, half=nan, questions=100):
    """Shares with intervals of that half width."""
    values = {"R": r, "P": p, "I": i, "N": n, "R+P": r + p, "found": r + p + i}
    return {name: Estimate(v, v - half, v + half, questions) for name, v in values.items()}


def undefined():
    return dict.fromkeys(
        (*ANSWERS, "R+P", "found"), Estimate(nan, reason="no question of another author was asked")
    )


PAPER = figures(0.47, 0.14, 0.04, 0.35, 0.05)


def drawn(*rows, title="", level=None, look=LOOK):
    figure = answer_bars({title: rows}, look, level)
    go.Figure(figure)
    return figure


def bars(figure):
    return [trace for trace in figure["data"] if trace["type"] == "bar"]


def texts(figure):
    return [text for t in figure["data"] if t.get("mode") == "text" for text in t["text"]]


def luminance(colour):
    linear = [(int(colour[at : at + 2], 16) / 255) ** 2.2 for at in (1, 3, 5)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_the_four_answers_fill_each_bar_in_order():
    figure = drawn(("A", PAPER), ("B", figures(1, 0, 0, 0)))
    made = bars(figure)
    assert [trace["marker"]["color"] for trace in made] == [colours(LOOK)[answer] for answer in "RPIN"]
    for row in range(2):
        end = 0.0
        for trace in made:
            assert trace["base"][row] == pytest.approx(end)
            end += trace["x"][row]
        assert end == pytest.approx(1)


def test_letters_stand_inside_where_there_is_room():
    assert texts(drawn(("A", PAPER))) == ["R 47", "P 14", "I", "N 35"]
    assert texts(drawn(("A", figures(0.98, 0.01, 0.01, 0)))) == ["R 98"]


@pytest.mark.parametrize("look", [Look(dark=False), Look(dark=True)])
def test_the_colours_differ_in_lightness_and_carry_their_letters(look):
    lightness = sorted(luminance(colour) ** (1 / 3) for colour in colours(look).values())
    assert (np.diff(lightness) > 0.08).all()
    for trace in drawn(("A", figures(0.25, 0.25, 0.25, 0.25)), look=look)["data"]:
        if trace.get("mode") == "text":
            ground = luminance(colours(look)[trace["text"][0][0]])
            ink = luminance(trace["textfont"]["color"])
            assert (max(ground, ink) + 0.05) / (min(ground, ink) + 0.05) > 4.5, trace["text"]


def test_whiskers_stand_at_r_and_r_plus_p_with_a_halo():
    halo, line = (t for t in drawn(("A", PAPER))["data"] if t.get("mode") == "lines")
    np.testing.assert_allclose([x for x in line["x"] if x is not None], [0.42, 0.52, 0.56, 0.66])
    assert halo["x"] == line["x"]
    assert halo["line"]["width"] > line["line"]["width"]
    assert line["y"][0] != line["y"][3]  # so that they never cover each other
    assert not [t for t in drawn(("A", figures(0.5, 0.2, 0.1, 0.2)))["data"] if t.get("mode") == "lines"]


def test_the_level_of_all_stands_behind_the_bars_and_is_named():
    made = drawn(("A", PAPER), level=PAPER)["layout"]
    assert [shape["x0"] for shape in made["shapes"]] == [0.47, pytest.approx(0.61)]
    assert {shape["layer"] for shape in made["shapes"]} == {"below"}
    assert [note["text"] for note in made["annotations"]] == ["R 47%", "R + P 61%"]
    assert not drawn(("A", PAPER))["layout"]["shapes"]


@pytest.mark.parametrize(("r", "p"), [(0.47, 0.14), (0.9, 0.05), (0.02, 0.03), (1, 0), (0, 0), (0.75, 0.02)])
def test_the_names_of_levels_do_not_meet(r, p):
    first, second = drawn(("A", PAPER), level=figures(r, p, 0, 1 - r - p))["layout"]["annotations"]
    apart = (first["xanchor"], second["xanchor"]) == ("right", "left")
    assert apart or first["yshift"] != second["yshift"]


def test_what_is_undefined_is_said_with_its_reason():
    (told,) = [t for t in drawn(("A", undefined()))["data"] if t.get("text") == ["undefined"]]
    assert "no question of another author was asked" in told["hovertext"][0]
    assert not bars(drawn(("A", undefined())))


def test_parts_have_titles_and_of_many_authors_those_with_most_questions_are_drawn():
    many = [(f"a{at}", figures(0.5, 0.2, 0.1, 0.2, questions=at)) for at in range(MOST_ROWS + 5)]
    made = drawn(*many, title="By summary author")["layout"]
    assert made["annotations"][0]["text"] == f"<b>By summary author</b>, {MOST_ROWS} of {MOST_ROWS + 5}"
    assert list(made["yaxis"]["ticktext"]) == [f"a{at}" for at in range(5, MOST_ROWS + 5)]


def test_no_rows_still_draw():
    go.Figure(answer_bars({}, LOOK))


def matrix(figure="R+P", names=("A", "B", "C"), shown=(0, 1, 2), look=LOOK):
    made = pair_matrix(shares_by_pair(CODED, BootstrapSpec(0)), names, shown, figure, look)
    go.Figure(made)
    return made


def test_the_matrix_holds_every_pair_that_met_and_no_author_with_itself():
    heat, numbers, gaps = matrix()["data"]
    assert heat["z"] == [[None, 1.0, 0.0], [1.0, None, None], [1.0, None, None]]
    assert numbers["text"] == ["100", "0", "100", "100"]
    assert gaps["text"] == ["own", "own", "–", "–", "own"]
    assert "3 questions" in heat["hovertext"][0][1]
    assert "its own author's questions" in gaps["hovertext"][0]
    assert "No question of C was put to a summary of B" in gaps["hovertext"][2]


def test_the_matrix_shows_the_share_asked_for():
    heat = matrix("N")["data"][0]
    assert heat["z"][0] == [None, 0.0, 1.0]
    assert "N: 100.0%" in heat["hovertext"][0][2]


def test_who_only_summarises_has_no_column():
    given, _ = encode_answers(["s", "s"], ["A", "M"], ["B", "B"], ["R", "N"])
    made = pair_matrix(shares_by_pair(given, BootstrapSpec(0)), ["A", "B", "M"], [0, 1, 2], "R", LOOK)
    assert list(made["layout"]["xaxis"]["ticktext"]) == ["B"]
    assert list(made["layout"]["yaxis"]["ticktext"]) == ["A", "M"]


def test_of_many_names_those_with_most_questions_stand_in_order():
    assert most_asked(["a", "b", "c"], [1, 3, 2], most=2) == [1, 2]
    assert len(most_asked(["a"] * 40, range(40))) == MOST_ROWS


POINTS = [
    Point(name, Estimate(length), Estimate(found, found - 0.05, found + 0.05, 153))
    for name, length, found in (("A", 113, 0.71), ("B", 99, 0.61), ("C", 81, 0.54), ("D", 131, 0.73))
]
GOLDEN = Estimate(0.965, 0.05, 0.999, 4)


def test_the_scatter_names_each_author_and_writes_the_correlation_with_its_interval():
    made = length_scatter(POINTS, [], {"across authors": GOLDEN}, LOOK)
    go.Figure(made)
    (points,) = made["data"]
    assert [text.strip() for text in points["text"]] == list("ABCD")
    assert (points["x"], points["y"]) == ([113, 99, 81, 131], [0.71, 0.61, 0.54, 0.73])
    assert points["error_y"]["array"] == pytest.approx([0.05] * 4)
    assert made["layout"]["annotations"][0]["text"] == "across authors r = 0.96 (0.05 to 1.00)"


def test_machines_are_hollow_and_authors_without_length_are_not_drawn():
    machine = Point("M", Estimate(104), Estimate(0.42, n=10))
    unknown = Point("E", Estimate(nan), Estimate(0.5))
    people, hollow = length_scatter([*POINTS, unknown], [machine], {"across authors": GOLDEN}, LOOK)["data"]
    assert len(people["x"]) == 4
    assert (hollow["x"], hollow["marker"]["symbol"]) == ([104], "diamond-open")


def test_nothing_known_still_draws():
    unknown = Point("E", Estimate(nan), Estimate(nan))
    made = length_scatter([unknown], [], {"across authors": Estimate(nan, reason="why")}, LOOK)
    go.Figure(made)
    assert not made["data"]


@pytest.mark.parametrize(
    "figure",
    [
        lambda: drawn((BAD, PAPER), (BAD, undefined()), title=BAD),
        lambda: matrix(names=[BAD] * 3),
        lambda: length_scatter(
            [], [Point(BAD, Estimate(90), Estimate(0.5, n=3))], {"across authors": GOLDEN}, LOOK
        ),
    ],
)
def test_names_from_a_study_are_inert(figure):
    told = json.dumps(figure())
    for text in ("<img", "<a href", "$x"):
        assert text not in told


def test_figures_are_small():
    found = shares(*COLUMNS, bootstrap=BootstrapSpec(50))
    rows = [(name, of) for name, of in found.by_summary_author.items()] * 3
    assert len(json.dumps(drawn(*rows, level=found.overall))) < 20_000


@pytest.mark.parametrize("authors", [3, 40])
def test_bars_on_a_card_are_as_tall_as_their_letters(authors):
    names = [f"author {at}" for at in range(authors)]
    rows = [("story", one, names[at - 1], "R") for at, one in enumerate(names)]
    coded, _ = encode_answers(*(list(column) for column in zip(*rows, strict=True)))
    found = shares_by_code(coded, BootstrapSpec(10))
    shared = Shared(found, found, names, range(authors), range(authors), ())
    layout = shares_bars(shared, replace(LOOK, on_card=True))["layout"]
    assert layout["height"] <= HEIGHT_ON_CARD
    whole = shares_bars(shared, LOOK)["layout"]
    assert len(layout["yaxis"]["tickvals"]) < len(whole["yaxis"]["tickvals"])
