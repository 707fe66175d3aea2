"""Figures for a column of a paper: its size, letters that can be read there, and nothing of the page."""

import copy
import json
import re
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from analysis.values.estimate import Estimate
from features.plotting.export import (
    FONT,
    NO_KALEIDO,
    ONE_COLUMN,
    TWO_COLUMNS,
    NotDrawn,
    for_paper,
    in_millimetres,
    look_of,
    one_chromium,
    spec,
)
from features.plotting.panels import at_top_right
from features.plotting.series import Series, series_dots
from features.plotting.theme import Look

DARK = Look(dark=True)
FIGURE = {
    "data": [
        {
            "type": "scatter",
            "x": np.arange(3),
            "y": [1, 2, 3],
            "text": ["<b>x</b>"] * 3,
            "textfont": {"size": 30},
            "marker": {"color": DARK.ink, "size": 4},
            "hovertemplate": "%{x}",
            "customdata": [1, 2, 3],
        }
    ],
    "layout": {
        **DARK.layout(
            height=340, annotations=[at_top_right("n = 3", DARK, font={"size": 8, "color": DARK.faint})]
        ),
        "xaxis": DARK.axis("Ratings per item"),
    },
}


def parts(of: Any, key: str = "") -> Iterator[tuple[str, Any]]:
    """Every value of a figure with its key."""
    if isinstance(of, dict):
        for name, one in of.items():
            yield name, one
            yield from parts(one, name)
    elif isinstance(of, list | tuple):
        for one in of:
            yield from parts(one, key)


@pytest.mark.parametrize("width", [ONE_COLUMN, TWO_COLUMNS])
def test_letters_have_7_to_9_points_on_paper_and_points_keep_their_size(width: float) -> None:
    made = for_paper(FIGURE, width)
    points_per_pixel = width / 25.4 * 72 / made["layout"]["width"]
    sizes = [one["size"] for name, one in parts(made) if name.endswith("font") and "size" in one]
    assert len(sizes) >= 4
    assert all(7 <= size * points_per_pixel <= 9 for size in sizes)
    assert made["data"][0]["marker"]["size"] == 4
    assert made["layout"]["height"] == 340
    assert made["layout"]["font"]["family"] == FONT


def test_a_dark_page_gives_a_light_figure_without_what_the_mouse_needs_and_stays_as_it_is() -> None:
    before = copy.deepcopy(FIGURE["layout"])
    made = for_paper(FIGURE, ONE_COLUMN)
    assert FIGURE["layout"] == before
    values = [one for _, one in parts(made) if isinstance(one, str)]
    assert not {DARK.ink, DARK.faint, DARK.grid, DARK.ground} & set(values)
    assert {Look().ink, Look().faint, Look().grid} <= set(values)
    assert made["layout"]["paper_bgcolor"] == "#FFFFFF"
    assert not {name for name, _ in parts(made)} & {"hovertemplate", "customdata", "hoverlabel"}


def test_a_figure_without_height_is_four_to_three_and_one_column_is_drawn_as_a_phones() -> None:
    made = for_paper({"data": [], "layout": {}}, ONE_COLUMN)
    assert made["layout"]["height"] / made["layout"]["width"] == pytest.approx(0.75, abs=0.01)
    assert look_of(ONE_COLUMN) == Look(narrow=True)
    assert look_of(TWO_COLUMNS) == Look()


def test_the_figure_for_the_browser_is_json() -> None:
    assert json.loads(spec(FIGURE, TWO_COLUMNS))["layout"]["width"] == 800


def test_a_drawing_has_the_size_of_the_paper() -> None:
    sized = in_millimetres(
        '<svg width="4" style="" height="3" viewBox="0 0 800 600"><rect width="1"/></svg>', 180
    )
    assert re.findall(r'(width|height)="([^"]*)"', sized) == [
        ("width", "180mm"),
        ("height", "135mm"),
        ("width", "1"),
    ]


def test_without_kaleido_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "kaleido", None)
    with pytest.raises(NotDrawn) as raised, one_chromium():
        pass
    assert str(raised.value) == NO_KALEIDO


@pytest.mark.parametrize("name", ["A", "summary informativeness of the whole text"])
def test_names_and_titles_fit_into_one_column(name: str) -> None:
    title = "Correlation with the mean of the others, lowest on top"
    wide, narrow = (
        series_dots([name], [Series("r", [Estimate(0.5, 0.3, 0.7)])], title, look_of(mm))["layout"]
        for mm in (TWO_COLUMNS, ONE_COLUMN)
    )
    assert wide["xaxis"]["title"]["text"] == title
    [label], lines = narrow["yaxis"]["ticktext"], narrow["xaxis"]["title"]["text"].split("<br>")
    assert " ".join(lines) == title
    letters = max(map(len, label.split("<br>"))) + max(map(len, lines))
    width = for_paper({"data": [], "layout": narrow}, ONE_COLUMN)["layout"]["width"]
    assert letters * 7 < width  # letters of 13 pixels are about half as wide
    assert (
        narrow["height"] - wide["height"]
        == narrow["margin"]["b"] - wide["margin"]["b"]
        == 17 * (len(lines) - 1)
    )


def test_a_name_of_two_words_is_whole_in_one_column() -> None:
    made = series_dots(["structure and coherence"], [Series("r", [Estimate(0.5)])], "r", look_of(ONE_COLUMN))
    assert made["layout"]["yaxis"]["ticktext"] == ["structure and<br>coherence"]
