"""Comparison of two recordings: differences found and allowed."""

import copy
import math
from typing import Any

import numpy as np
import pytest

from tests.golden.comparison import compare
from tests.golden.content import Names, figure, figure_in, numbers_in, table
from tests.golden.recording import UNREADABLE, Recording, failed, load, numbered, save

NAMES = Names(frozenset({"lab", "crowd", "item one", "item two"}))


def recorded() -> Recording:
    """Return one view with a table and a figure of two traces."""
    items = [("Item", ["item one", "item two"]), ("MOS", [3.25, 1.5]), ("p", [0.25, math.nan])]
    spec = {
        "data": [
            {"name": "crowd", "x": [1.0, 2.0], "y": [0.5, 1 / 3], "error_y": {"array": [0.1, 0.2]}},
            {"name": "lab", "x": [1.0, 2.0], "y": [0.25, 0.75]},
        ],
        "layout": {"yaxis": {"ticktext": ["item one", "item two"]}, "shapes": [{"x0": 7, "x1": 7}]},
    }
    return {"items": numbered([figure("scores", spec, NAMES), table("items", items, NAMES)])}


def changed(recording: Recording, *path: Any, to: Any) -> Recording:
    """Return a copy with the value at a path replaced by what `to` makes of it."""
    made: Any = copy.deepcopy(recording)
    *way, last = path
    place = made
    for step in way:
        place = place[step]
    place[last] = to(place[last])
    return made  # type: ignore[no-any-return]


FIGURE, TABLE = ("items", 0, "parts"), ("items", 1, "parts")
Y, MOS, ITEMS = (*FIGURE, 0, 1, "y"), (*TABLE, 1, 1, "cells"), (*TABLE, 0, 1, "cells")


@pytest.mark.parametrize("path", [(*Y, 1), (*MOS, 0), (*FIGURE, 0, 1, "error_y.array", 1)])
def test_a_number_may_differ_by_a_billionth_of_its_value(path: tuple[Any, ...]) -> None:
    assert compare(recorded(), changed(recorded(), *path, to=lambda x: x * (1 + 1e-12))).differences == []
    (line,) = compare(recorded(), changed(recorded(), *path, to=lambda x: x * (1 + 1e-8))).differences
    assert line.startswith("items · ")
    assert f"[{path[-1]}]" in line


@pytest.mark.parametrize("path", [Y, MOS, ITEMS, (*FIGURE, 2, 1, "yaxis.ticktext"), FIGURE, TABLE])
def test_an_order_counts(path: tuple[Any, ...]) -> None:
    swapped = changed(recorded(), *path, to=lambda values: [values[1], values[0], *values[2:]])
    assert compare(recorded(), swapped).differences


@pytest.mark.parametrize(
    ("path", "to"),
    [
        (("items",), lambda blocks: blocks[:1]),
        (("items",), lambda blocks: blocks[1:]),
        (FIGURE, lambda parts: [*parts, ["more", {"x": [1.0]}]]),
        (FIGURE, lambda parts: parts[1:]),
        (TABLE, lambda parts: parts[:-1]),
        (Y, lambda values: values[:-1]),
        ((*FIGURE, 0, 1), lambda values: {key: one for key, one in values.items() if key != "error_y.array"}),
        ((*FIGURE, 0, 1, "label"), lambda _: "lab"),
        ((*ITEMS, 0), lambda _: "item two"),
        ((*TABLE, 2, 1, "cells", 1), lambda _: 0.0),
        ((*FIGURE, 2, 1, "shapes", 0, 0), lambda _: 8),
    ],
)
def test_what_is_missing_extra_or_another_is_found_both_ways(path: tuple[Any, ...], to: Any) -> None:
    other = changed(recorded(), *path, to=to)
    assert compare(recorded(), other).differences
    assert compare(other, recorded()).differences


def test_a_missing_view_is_found() -> None:
    assert compare(recorded(), {}).differences == ["items: the view is missing"]
    assert compare({}, recorded()).differences == ["items: the view is extra"]


@pytest.mark.parametrize(
    "path", [("items", 0, "name"), ("items", 1, "name"), (*TABLE, 1, 0), (*FIGURE, 0, 0)]
)
def test_another_name_of_the_same_content_is_a_note(path: tuple[Any, ...]) -> None:
    compared = compare(recorded(), changed(recorded(), *path, to=lambda _: "called so now"))
    assert compared.differences == []
    assert len(compared.notes) == 1
    assert "called so now" in compared.notes[0]


def test_the_order_of_tables_on_a_page_is_free() -> None:
    assert compare(recorded(), changed(recorded(), "items", to=lambda blocks: blocks[::-1])).differences == []


def test_a_file_may_become_readable_but_not_unreadable() -> None:
    refused: Recording = {UNREADABLE: []}
    assert compare(refused, recorded()).differences == []
    assert compare(recorded(), refused).differences


def test_a_view_that_fails_is_found() -> None:
    broken: Recording = {"items": [failed("IndexError")]}
    assert compare(recorded(), broken).differences
    assert compare(broken, recorded()).differences
    assert compare(broken, {"items": [failed("KeyError")]}).differences
    assert compare(broken, broken).differences == []


def test_many_differences_of_one_table_are_counted() -> None:
    one = {"v": [table("t", [("A", range(1, 100))], NAMES)]}
    two = {"v": [table("t", [("A", range(2, 101))], NAMES)]}
    *_, last = found = compare(one, two).differences
    assert len(found) < 10
    assert "94" in last


def test_what_is_saved_is_loaded_to_the_last_digit(tmp_path: Any) -> None:
    save(recorded(), tmp_path, "formats/one.csv")
    assert load(tmp_path, "formats/one.csv") == recorded()


def test_typed_arrays_and_exported_pages_give_the_same_figure() -> None:
    typed = {"dtype": "f8", "bdata": "AAAAAAAA+D8AAAAAAAAEQA=="}  # 1.5 and 2.5
    grid = {"dtype": "i1", "bdata": "AQIDBA==", "shape": "2, 2"}
    trace = {"type": "heatmap", "x": typed, "z": grid}
    made = figure("f", {"data": [trace], "layout": {}}, NAMES)
    assert made["parts"][0][1] == {"x": [1.5, 2.5], "z": [[1, 2], [3, 4]]}
    page = '<script>Plotly.newPlot( "id", [{"x": [1.5, 2.5], "z": [[1, 2], [3, 4]]}],  {"a": 1}, {"b": 2} )</script>'
    assert figure_in("f", page, NAMES) == made


def test_texts_are_names_in_the_data_or_their_numbers() -> None:
    assert NAMES.value("<b>item<br>one</b>") == "item one"
    assert NAMES.value("an interval of 0.12 to 0.94") == [0.12, 0.94]
    assert NAMES.value("strong") == []
    assert [NAMES.value(text) for text in ("AB", "**", "no", "")] == ["AB", "**", "no", ""]
    assert NAMES.value(np.float64("nan")) is None
    assert NAMES.value(math.inf) == "inf"
    assert NAMES.value(np.array([1.5, math.nan])) == [1.5, None]


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("\u22120.02 to 0.77", [-0.02, 0.77]),
        ("0.12–0.94", [0.12, 0.94]),
        ("0.1-0.2", [0.1, 0.2]),
        ("61 %", [61]),
        ("61%", [61]),
        ("14\u202f256 of 4,752", [14256, 4752]),
        ("1, 2, 300", [1, 2, 300]),
        ("R2 of p.3", []),
        ("3.7e-72", [3.7e-72]),
    ],
)
def test_numbers_are_found_in_a_sentence(text: str, numbers: list[float]) -> None:
    assert numbers_in(text) == numbers
