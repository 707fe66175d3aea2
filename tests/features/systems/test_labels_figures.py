"""Shares, kappas, accuracies and confusions: what is drawn is what was found, and text from a study is inert."""

import json
from math import nan

import numpy as np
import plotly.graph_objects as go
import pytest

from analysis.systems.label_accuracy import ALONE, MAJORITY, METHODS, compared, label_accuracy, labelled
from analysis.values.estimate import BootstrapSpec, Estimate
from analysis.values.votes import Votes
from features.plotting.shades import ink_on
from features.plotting.theme import Look
from features.systems.labels_section import (
    MOST_CLASSES,
    MOST_ROWS,
    ConfusionAxes,
    accuracy_dots,
    confusion_map,
    kappa_dots,
    share_dots,
)

LOOK = Look()
VOTES = ConfusionAxes("Gold", "Answer", "votes")
BAD = '<img src=x onerror=alert(1)> [link](http://x) $x^2$ <a href="javascript:1">'
CELLS = np.array([[8, 1, 1], [0, 3, 1], [0, 0, 0]])


def study(items=30, raters=6, seed=0):
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, 3, items)
    item, rater = (part.ravel() for part in np.meshgrid(np.arange(items), np.arange(raters), indexing="ij"))
    right = rng.random(len(item)) < 0.6
    return Votes(item, rater, np.where(right, gold[item], (gold[item] + 1) % 3), items, raters, 3), gold


def test_rows_stand_in_their_order_and_undefined_ones_do_not():
    rows = {"cat": Estimate(0.6, 0.5, 0.7, 40), BAD: Estimate(nan), "dog": Estimate(0.4, 0.3, 0.5, 40)}
    for draw in (share_dots, kappa_dots):
        figure = draw(rows, LOOK)
        go.Figure(figure)
        assert figure["data"][0]["x"] == [0.6, 0.4]
        assert figure["layout"]["yaxis"]["ticktext"] == ["cat", "dog"]


def test_of_too_many_rows_the_first_are_drawn_and_names_are_inert():
    figure = share_dots({f"{BAD}{at}": Estimate(0.5) for at in range(MOST_ROWS + 1)}, LOOK)
    assert figure["layout"]["annotations"][0]["text"] == "30 of 31"
    assert "<img" not in str(figure)


def test_accuracies_are_sorted_with_their_intervals():
    found = label_accuracy(*study(), BootstrapSpec(40))
    figure = accuracy_dots(found.accuracy, ALONE, LOOK)
    go.Figure(figure)
    (dots,) = figure["data"]
    order = sorted(METHODS, key=lambda method: -found.accuracy[method].value)
    assert dots["x"] == [found.accuracy[method].value for method in order]
    assert figure["layout"]["yaxis"]["ticktext"] == order
    ends = zip(dots["x"], dots["error_x"]["array"], dots["error_x"]["arrayminus"], order, strict=True)
    for x, above, below, method in ends:
        assert (x - below, x + above) == pytest.approx(
            (found.accuracy[method].low, found.accuracy[method].high)
        )
    assert [order[at] for at, symbol in enumerate(dots["marker"]["symbol"]) if symbol == "circle-open"] == [
        ALONE
    ]
    left, right = figure["layout"]["xaxis"]["range"]
    assert left <= min(e.low for e in found.accuracy.values())
    assert right >= max(e.high for e in found.accuracy.values())


def test_accuracies_without_intervals_are_drawn_at_once():
    votes, gold = study()
    figure = accuracy_dots(compared({MAJORITY: labelled(votes, gold, MAJORITY)}).accuracy, ALONE, LOOK)
    go.Figure(figure)
    assert figure["data"][0]["error_x"]["array"] == [0]
    assert " to " not in figure["data"][0]["hovertext"][0]


def test_without_gold_the_picture_is_empty_and_valid():
    votes, gold = study()
    figure = accuracy_dots(
        compared({MAJORITY: labelled(votes, -np.ones_like(gold), MAJORITY)}).accuracy, ALONE, LOOK
    )
    go.Figure(figure)
    assert figure["data"][0]["x"] == []


def test_a_confusion_matrix_holds_row_shares_and_tells_counts():
    figure = confusion_map(CELLS, ["cat", "dog", "emu"], VOTES, LOOK)
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


def test_parts_of_items_and_plain_shares_are_told_as_such():
    parts = confusion_map(
        np.array([[1.5, 0.5], [0, 1]]), ["a", "b"], ConfusionAxes("Gold", "Label", "items"), LOOK
    )
    assert "1.5 of 2 items" in parts["data"][0]["hovertext"][0][0]
    assert parts["layout"]["xaxis"]["title"]["text"] == "Label"
    plain = confusion_map(
        np.array([[0.9, 0.1], [np.nan, np.nan]]), ["a", "b"], ConfusionAxes("Class", "Answer"), LOOK
    )
    assert plain["layout"]["yaxis"]["title"]["text"] == "Class"
    go.Figure(plain)
    assert " of " not in plain["data"][0]["hovertext"][0][0]
    assert plain["data"][0]["z"][1] == [None, None]


def test_of_many_classes_the_most_frequent_are_drawn():
    cells = np.diag(np.arange(1, 31))
    figure = confusion_map(cells, [f"class {code}" for code in range(30)], VOTES, LOOK)
    go.Figure(figure)
    assert len(figure["data"][0]["z"]) == MOST_CLASSES
    assert figure["layout"]["xaxis"]["ticktext"] == [f"class {code}" for code in range(18, 30)]
    assert "12 of 30 classes" in json.dumps(figure["layout"]["annotations"])


def test_what_is_most_frequent_can_be_said():
    often = np.arange(30)[::-1]
    figure = confusion_map(np.eye(30), [f"class {code}" for code in range(30)], VOTES, LOOK, frequency=often)
    assert figure["layout"]["yaxis"]["ticktext"] == [f"class {code}" for code in range(12)]


def luminance(colour):
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    return sum(
        weight * (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4)
        for weight, part in zip((0.2126, 0.7152, 0.0722), parts, strict=True)
    )


@pytest.mark.parametrize("look", [Look(), Look(dark=True)])
def test_the_scale_goes_one_way_in_lightness(look):
    scale = confusion_map(CELLS, "abc", VOTES, look)["data"][0]["colorscale"]
    steps = np.diff([luminance(colour) for _, colour in scale])
    assert (steps > 0).all() or (steps < 0).all()


@pytest.mark.parametrize("look", [Look(), Look(dark=True)])
def test_numbers_can_be_read_on_every_colour(look):
    """WCAG 2.1 asks for a contrast of 4.5."""
    (_, below), (_, middle), (_, above) = confusion_map(CELLS, "abc", VOTES, look)["data"][0]["colorscale"]
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
    written = json.dumps(confusion_map(CELLS, [BAD] * 3, VOTES, look))
    assert "<img" not in written
    assert "<a " not in written
    assert "$x" not in written
