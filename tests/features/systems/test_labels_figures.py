"""Matrices of confusions: what is drawn is what was found, and text from a study is inert."""

import json

import numpy as np
import plotly.graph_objects as go
import pytest

from features.plotting.shades import ink_on
from features.plotting.theme import Look
from features.systems.labels_section import MOST_CLASSES, confusion_map

LOOK = Look()
VOTES = ("Gold", "Answer"), "votes"
BAD = '<img src=x onerror=alert(1)> [link](http://x) $x^2$ <a href="javascript:1">'
CELLS = np.array([[8, 1, 1], [0, 3, 1], [0, 0, 0]])


def test_a_confusion_matrix_holds_row_shares_and_tells_counts():
    figure = confusion_map(CELLS, ["cat", "dog", "emu"], *VOTES, LOOK)
    go.Figure(figure)
    heat, numbers = figure["data"]
    assert heat["z"] == [[0.8, 0.1, 0.1], [0, 0.75, 0.25], [None] * 3]
    assert list(zip(numbers["y"], numbers["x"], numbers["text"], strict=True)) == [
        *((0, 0, "80"), (0, 1, "10"), (0, 2, "10")),
        *((1, 0, "0"), (1, 1, "75"), (1, 2, "25")),
    ]
    assert "8 of 10 votes" in heat["hovertext"][0][0]
    assert heat["hovertext"][1][2].startswith("Gold: dog<br>Answer: emu")
    low, high = figure["layout"]["yaxis"]["range"]
    assert low > high, "the first class is on top, as in a printed matrix"


def test_parts_of_items_and_plain_shares_are_reported_as_such():
    parts = confusion_map(np.array([[1.5, 0.5], [0, 1]]), ["a", "b"], ("Gold", "Label"), "items", LOOK)
    assert "1.5 of 2 items" in parts["data"][0]["hovertext"][0][0]
    assert parts["layout"]["xaxis"]["title"]["text"] == "Label"
    plain = confusion_map(np.array([[0.9, 0.1], [np.nan, np.nan]]), ["a", "b"], ("Class", "Answer"), "", LOOK)
    assert plain["layout"]["yaxis"]["title"]["text"] == "Class"
    go.Figure(plain)
    assert " of " not in plain["data"][0]["hovertext"][0][0]
    assert plain["data"][0]["z"][1] == [None, None]


def test_of_many_classes_the_most_frequent_are_drawn():
    cells = np.diag(np.arange(1, 31))
    figure = confusion_map(cells, [f"class {code}" for code in range(30)], *VOTES, LOOK)
    go.Figure(figure)
    assert len(figure["data"][0]["z"]) == MOST_CLASSES
    assert figure["layout"]["xaxis"]["ticktext"] == [f"class {code}" for code in range(18, 30)]
    assert "12 of 30 classes" in json.dumps(figure["layout"]["annotations"])


def test_what_is_most_frequent_can_be_said():
    often = np.arange(30)[::-1]
    figure = confusion_map(np.eye(30), [f"class {code}" for code in range(30)], *VOTES, LOOK, frequency=often)
    assert figure["layout"]["yaxis"]["ticktext"] == [f"class {code}" for code in range(12)]


def luminance(colour):
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    return sum(
        weight * (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4)
        for weight, part in zip((0.2126, 0.7152, 0.0722), parts, strict=True)
    )


@pytest.mark.parametrize("look", [Look(), Look(dark=True)])
def test_the_scale_goes_one_way_in_lightness(look):
    scale = confusion_map(CELLS, "abc", *VOTES, look)["data"][0]["colorscale"]
    steps = np.diff([luminance(colour) for _, colour in scale])
    assert (steps > 0).all() or (steps < 0).all()


@pytest.mark.parametrize("look", [Look(), Look(dark=True)])
def test_numbers_can_be_read_on_every_colour(look):
    """WCAG 2.1 asks for a contrast of 4.5."""
    (_, below), (_, middle), (_, above) = confusion_map(CELLS, "abc", *VOTES, look)["data"][0]["colorscale"]
    for part in np.linspace(0, 1, 101):
        start, end, way = (below, middle, 2 * part) if part < 0.5 else (middle, above, 2 * part - 1)
        mixed = "#" + "".join(
            f"{round(int(start[at : at + 2], 16) * (1 - way) + int(end[at : at + 2], 16) * way):02x}"
            for at in (1, 3, 5)
        )
        light, dark = sorted((luminance(mixed), luminance(ink_on(part, look))), reverse=True)
        assert (light + 0.05) / (dark + 0.05) >= 4.5, part


@pytest.mark.parametrize("look", [Look(), Look(dark=True)])
def test_names_from_a_study_are_inert(look):
    written = json.dumps(confusion_map(CELLS, [BAD] * 3, *VOTES, look))
    assert "<img" not in written
    assert "<a " not in written
    assert "$x" not in written
