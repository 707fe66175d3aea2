"""Names at lines: inside the panel, clear of the lines and of each other, each led to its own line."""

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from features.plotting.panels import LEGEND_ON_TOP, MOST_NAMED, grid, label_lines
from features.plotting.theme import Look

WIDE, HIGH = 6.0, 12
"""Pixels of a letter and of a line of text, at least."""
LOOKS = {Look(): 880, Look(narrow=True): 330, Look(on_card=True): 380}
"""Pixels across all panels."""


def drawn(curves: np.ndarray, look: Look, names: tuple[str, ...], panels: int = 2) -> dict[str, Any]:
    """Return a figure whose panels hold the same lines."""
    made = grid(look, [f"m{at}" for at in range(panels)], "x", "y", legend=LEGEND_ON_TOP)
    x = list(range(1, curves.shape[1] + 1))
    traces = [
        {"name": name, "x": x, "y": curve.tolist(), "line": {"color": "#000000"}} | made.on(panel)
        for panel in range(panels)
        for name, curve in zip(names, curves, strict=True)
    ]
    return {"data": traces, "layout": made.layout}


def boxes(figure: dict[str, Any], names: tuple[str, ...], across: int) -> dict[str, tuple[float, ...]]:
    """Return (left, right, low, high) of each name in pixels, and the end of the line that leads to it."""
    layout, found = figure["layout"], {}
    lines = {(round(s["x0"], 6), round(s["y0"], 6)): s["y1"] for s in layout["shapes"]}
    for note in layout["annotations"]:
        if note["text"] in names:
            axis = note["xref"].removesuffix(" domain")
            width = np.ptp(layout[f"xaxis{axis[1:]}"]["domain"]) * across
            down = layout["height"] - layout["margin"]["t"] - layout["margin"]["b"]
            height = np.ptp(layout[f"yaxis{axis[1:]}"]["domain"]) * down
            left, middle = note["x"] * width, note["y"] * height
            end = lines[round(note["x"], 6), round(note["y"], 6)] * height
            right = left + WIDE * len(note["text"])
            assert -1 <= middle - HIGH / 2 < middle + HIGH / 2 <= height + 1
            assert right <= width + 8
            found[note["text"]] = (left, right, middle - HIGH / 2, middle + HIGH / 2, end)
    return found


@given(st.integers(0, 10_000), st.integers(2, 4), st.sampled_from([*LOOKS]))
def test_names_meet_neither_each_other_nor_lines_that_lead_to_others(seed: int, n: int, look: Look) -> None:
    rng = np.random.default_rng(seed)
    curves = np.cumsum(rng.normal(0, 1, (n, 1)) + rng.normal(0, 0.3, (n, 12)), axis=1)
    names = ("Fitted", "Measured order", "Shuffles", "95% CI")[:n]
    figure = label_lines(drawn(curves, look, names), look)
    if figure["layout"]["showlegend"]:
        return
    found = boxes(figure, names, LOOKS[look])
    assert found.keys() == {*names}
    for one, other in combinations(found.values(), 2):
        beside = one[1] < other[0] or other[1] < one[0]
        assert beside or one[3] <= other[2] + 1 or other[3] <= one[2] + 1
    for name, (at, *_, end) in found.items():
        for other, (left, right, low, high, _) in found.items():
            if other != name and left < at < right:
                reaches = sorted((end, sum(found[name][2:4]) / 2))
                assert not reaches[0] < (low + high) / 2 < reaches[1]


@pytest.mark.parametrize("look", LOOKS)
def test_lines_that_separate_are_named(look: Look) -> None:
    x = np.arange(1, 25)
    names = ("Fitted", "Measured order")
    figure = label_lines(drawn(np.array([1 - 1 / x, 0.4 - 0.3 / x]), look, names), look)
    assert not figure["layout"]["showlegend"]
    assert boxes(figure, names, LOOKS[look]).keys() == {*names}


def test_one_line_needs_no_name_and_more_than_six_keep_the_legend() -> None:
    curves, look = np.arange(1.0, 8)[:, None] * np.ones(5), Look()
    names = tuple(f"line {at}" for at in range(MOST_NAMED + 1))
    assert label_lines(drawn(curves, look, names), look)["layout"]["showlegend"]
    assert not label_lines(drawn(curves[:1], look, names[:1]), look)["layout"]["showlegend"]


def test_lines_without_values_and_a_range_of_one_value_are_no_errors() -> None:
    names = ("a", "b", "c")
    curves = np.array([[1.0, 1.0, 1.0], [1.0, 1.0, 1.0], [np.nan] * 3])
    figure = drawn(curves, Look(), names)
    for trace in figure["data"]:
        trace["y"] = [None if value != value else value for value in trace["y"]]
    for axis in ("yaxis", "yaxis2"):
        figure["layout"][axis]["range"] = [1.0, 1.0]
    assert label_lines(figure, Look())["data"] == figure["data"]
    empty = [trace | {"x": [], "y": []} for trace in figure["data"]]
    assert label_lines({**figure, "data": empty}, Look())["data"] == empty
