"""What goes from a full shelf."""

import numpy as np
import pytest

from panels.parts import shelf as shelving
from panels.parts.shelf import Shelf


def test_large_columns_go_before_small_figures_and_the_least_used_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(shelving, "LARGE", 3_000)
    shelf = Shelf(10_000)
    shelf.put("figure", "0.93")
    for name in ("one", "two"):
        shelf.put(name, np.zeros(500))
    assert shelf.get("one") is not None
    shelf.put("three", np.zeros(500))
    held = [name for name in ("figure", "one", "two", "three") if shelf.get(name) is not None]
    assert held == ["figure", "one", "three"]


def test_the_largest_columns_go_before_smaller_ones_that_are_older(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shelving, "LARGE", 3_000)
    shelf = Shelf(15_000)
    for name, rows in (("sums", 500), ("ratings", 900), ("figure", 1), ("others", 900)):
        shelf.put(name, np.zeros(rows))
    assert [name for name in ("sums", "ratings", "figure", "others") if shelf.get(name) is not None] == [
        "sums",
        "figure",
        "others",
    ]


def test_small_figures_go_where_there_is_nothing_large() -> None:
    shelf = Shelf(10_000)
    for number in range(4):
        shelf.put(str(number), np.zeros(400))
    assert [number for number in range(4) if shelf.get(str(number)) is not None] == [1, 2, 3]


def test_what_is_larger_than_the_shelf_stays_until_the_next() -> None:
    shelf = Shelf(1_000)
    shelf.put("figure", "0.93")
    shelf.put("columns", np.zeros(500))
    assert shelf.get("columns") is not None
    shelf.put("other", "0.94")
    assert shelf.get("other") == "0.94"
