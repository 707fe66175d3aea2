"""Ratings needed with raters like these: the slow reference, its grades, and advice that does what it says."""

import importlib
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.agreement.reliability import one_way
from analysis.repetitions.needed_ratings import (
    BEYOND,
    NO_DISAGREEMENT,
    Advice,
    advise,
    needed_ratings,
)
from analysis.values.errors import InputError
from analysis.values.ratings import Ratings
from analysis.variance.jackknives import FEW_ITEMS, FEW_RATERS, JackknifeSpread


def table_of(seed: int, items: int, raters: int, missing: float = 0.0, own: float = 1.0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    table = own * rng.normal(size=(items, 1)) + rng.normal(0, 0.4, raters)
    table = table + rng.normal(size=(items, raters)) * np.exp(rng.normal(0, 0.25, raters))
    table[rng.random(table.shape) < missing] = np.nan
    return np.asarray(table[~np.isnan(table).all(axis=1)])


def ratings_of(table: np.ndarray) -> Ratings:
    item, rater = np.nonzero(~np.isnan(table))
    return Ratings(item, rater, table[item, rater])


@pytest.fixture
def reference(shared_data: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The slow reference version, which is not part of the project."""
    folder = shared_data.parent / "reference-code"
    if not (folder / "needed.py").is_file():
        pytest.skip("the reference code is not on this machine")
    monkeypatch.syspath_prepend(str(folder))
    return importlib.import_module("needed")


@pytest.mark.parametrize("seed", range(5))
def test_crossed_ratings_equal_the_slow_reference(reference: Any, seed: int) -> None:
    table = table_of(seed, 20 + 10 * seed, 6 + seed)
    rho, low, high = reference.raters_like_these(table)
    found = needed_ratings(ratings_of(table))
    assert found.crossed
    one = found.reliability
    assert [one.value, one.low, one.high] == pytest.approx([rho, low, high], abs=1e-8)
    assert (found.ratings.value, found.ratings.low, found.ratings.high) == reference.needed(rho, low, high)


@pytest.mark.parametrize("seed", range(3))
def test_missing_ratings_have_the_references_half_width_around_icc_1_1(reference: Any, seed: int) -> None:
    table = table_of(seed, 40, 8, 0.3)
    k = 1 / np.mean(1 / (~np.isnan(table)).sum(axis=1))

    def z(rho: float) -> float:
        return float(0.5 * np.log(1 + k * rho / (1 - rho)))

    rho, low, high = reference.raters_like_these(table)
    found = needed_ratings(ratings_of(table)).reliability
    assert found.value == pytest.approx(one_way(ratings_of(table)).icc)
    assert z(found.high) - z(found.value) == pytest.approx(z(high) - z(rho))
    assert z(found.value) - z(found.low) == pytest.approx(z(rho) - z(low))


@pytest.mark.parametrize("seed", range(4))
def test_advice_equals_the_slow_reference(reference: Any, seed: int) -> None:
    rng = np.random.default_rng(seed)
    of_items, of_raters = rng.uniform(0.001, 0.02, 2)
    spread = JackknifeSpread(of_items, of_raters, 12.0, 0.0)
    for share in (0.3, 0.6, 0.9):
        half = spread.half_width(0.95)
        more, number = reference.what_helps(of_items, of_raters, 50, 8, half, share * half)
        found = advise(spread, 50, 8, share * half)
        assert found.number == number
        assert number is None or found.more == more


def test_ratings_needed_are_graded_by_raters() -> None:
    grades = {w: needed_ratings(ratings_of(table_of(1, 60, w, own=2.0))) for w in (2, 4, 7)}
    assert {w: found.grade for w, found in grades.items()} == {2: "not enough data", 4: "rough", 7: "plain"}
    assert grades[2].reason == FEW_RATERS
    assert grades[2].advice == Advice("raters", 6)
    assert np.isnan(grades[2].ratings.high)
    assert grades[2].ratings.value >= 1


def test_an_upper_end_beyond_1000_is_not_enough_raters() -> None:
    found = needed_ratings(ratings_of(table_of(3, 12, 5, own=0.0)))
    assert found.reason == BEYOND
    assert found.ratings.high == inf
    assert found.grade == "not enough data"
    assert found.advice is not None


def test_too_few_items_and_no_ratings_have_a_reason() -> None:
    assert needed_ratings(ratings_of(table_of(0, 9, 5))).reason == FEW_ITEMS
    assert needed_ratings(Ratings([], [], [])).reason
    alike = Ratings(np.repeat(np.arange(12), 3), np.tile(np.arange(3), 12), np.repeat(np.arange(12.0) % 5, 3))
    assert needed_ratings(alike).reason == NO_DISAGREEMENT


def test_a_target_of_1_is_refused() -> None:
    with pytest.raises(InputError, match="target"):
        needed_ratings(ratings_of(table_of(0, 12, 4)), 1.0)


@given(st.integers(0, 10**6), st.floats(0.5, 0.9))
@settings(max_examples=8)
def test_a_higher_target_needs_more(seed: int, target: float) -> None:
    ratings = ratings_of(table_of(seed, 20, 6))
    one, other = (needed_ratings(ratings, goal).ratings for goal in (target, target + 0.05))
    assert other.value >= one.value
    assert other.low >= one.low
    assert one.low <= one.value <= one.high


def test_the_advised_number_gives_the_wanted_half_width() -> None:
    spread = JackknifeSpread(0.02, 0.004, 30.0, 0.0)
    found = advise(spread, 40, 12, 0.2)
    assert found.more == "items"
    assert found.number is not None
    halves = [
        JackknifeSpread(0.02 * 40 / items, 0.004, 30.0, 0.0).half_width(0.95)
        for items in (found.number, found.number - 1)
    ]
    assert halves[0] <= 0.2 < halves[1]
    assert advise(spread, 40, 12, 0.05).number is None
