"""Tests of what a full cache drops."""

import numpy as np
import pytest

from features import cache
from features.cache import ResultCache


def test_large_columns_go_before_small_figures_and_the_least_used_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cache, "LARGE", 3_000)
    results = ResultCache(10_000)
    results.put("figure", "0.93")
    for name in ("one", "two"):
        results.put(name, np.zeros(500))
    assert results.get("one") is not None
    results.put("three", np.zeros(500))
    held = [name for name in ("figure", "one", "two", "three") if results.get(name) is not None]
    assert held == ["figure", "one", "three"]


def test_the_largest_columns_go_before_smaller_ones_that_are_older(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "LARGE", 3_000)
    results = ResultCache(15_000)
    for name, rows in (("sums", 500), ("ratings", 900), ("figure", 1), ("others", 900)):
        results.put(name, np.zeros(rows))
    assert [name for name in ("sums", "ratings", "figure", "others") if results.get(name) is not None] == [
        "sums",
        "figure",
        "others",
    ]


def test_small_figures_go_where_there_is_nothing_large() -> None:
    results = ResultCache(10_000)
    for number in range(4):
        results.put(str(number), np.zeros(400))
    assert [number for number in range(4) if results.get(str(number)) is not None] == [1, 2, 3]


def test_what_is_larger_than_the_cache_stays_until_the_next() -> None:
    results = ResultCache(1_000)
    results.put("figure", "0.93")
    results.put("columns", np.zeros(500))
    assert results.get("columns") is not None
    results.put("other", "0.94")
    assert results.get("other") == "0.94"
