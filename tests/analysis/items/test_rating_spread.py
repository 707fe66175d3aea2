"""Pooled variances of an item's ratings: the slow reference, known designs, and the shrinkage of items' own."""

import importlib
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.items.rating_spread import (
    NO_PAIRS,
    TWO_RATERS,
    RatingSpread,
    item_mean,
    mean_half_width,
    rating_spread,
)
from analysis.values.ratings import Ratings


def study(seed: int, items: int, raters: int, missing: float = 0.0, noise: Any = 1.0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    table = rng.normal(size=(items, 1)) + rng.normal(0, 0.5, raters)
    table = table + noise * rng.normal(size=(items, raters))
    table[rng.random(table.shape) < missing] = np.nan
    return np.asarray(table[(~np.isnan(table)).sum(axis=1) > 1])


def ratings_of(table: np.ndarray) -> Ratings:
    item, rater = np.nonzero(~np.isnan(table))
    return Ratings(item, rater, table[item, rater])


@pytest.mark.parametrize("seed", range(6))
def test_half_widths_equal_the_slow_reference(
    shared_data: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    folder = shared_data.parent / "reference-code"
    if not (folder / "needed.py").is_file():
        pytest.skip("the reference code is not on this machine")
    monkeypatch.syspath_prepend(str(folder))
    reference = importlib.import_module("needed")
    table = study(seed, 8 + 5 * seed, 3 + seed, 0.2 if seed % 2 else 0.0)
    found = rating_spread(ratings_of(table))
    for scope, own in (("levels", found.level_variance), ("comparison", found.comparison_variance)):
        expected, degrees = reference.mos_half_width(table, 4, scope=scope)
        assert mean_half_width(*own, 4) == pytest.approx(expected, abs=1e-8)
        assert own[1] == pytest.approx(degrees)


def test_complete_ratings_have_the_variances_of_the_analysis_of_variance() -> None:
    table = study(1, 10, 4)
    found = rating_spread(ratings_of(table))
    left = table - table.mean(1, keepdims=True) - table.mean(0) + table.mean()
    residual = (left**2).sum() / 27
    assert found.residual == pytest.approx(residual)
    assert found.rater == pytest.approx(table.mean(0).var(ddof=1) - residual / 10)
    assert found.residual_degrees == 27
    assert (found.within, found.within_degrees) == pytest.approx((table.var(1, ddof=1).mean(), 30))


def test_items_with_one_rating_add_no_degrees_of_freedom() -> None:
    table = study(2, 12, 4)
    more = np.vstack([table, [[1.0, np.nan, np.nan, np.nan]] * 5])
    assert (
        rating_spread(ratings_of(more)).residual_degrees == rating_spread(ratings_of(table)).residual_degrees
    )


def test_raters_of_one_item_each_leave_the_variance_within_items() -> None:
    rng = np.random.default_rng(0)
    found = rating_spread(Ratings(np.repeat(np.arange(10), 3), np.arange(30), rng.normal(size=30)))
    assert not found.shared
    assert found.level_variance == found.comparison_variance == (found.within, 20)


def test_two_raters_only_compare_items() -> None:
    found = rating_spread(ratings_of(study(3, 20, 2)))
    assert found.has_two_raters
    assert np.isnan(found.level_variance[0])
    assert found.mean_variance == found.comparison_variance == (found.residual, 19)
    assert item_mean([1, 3], ["a", "b"], spread=found).reason == TWO_RATERS


@pytest.mark.parametrize("columns", [([], [], []), ([1, 2], [1, 2], [3.0, 4.0])])
def test_without_two_ratings_of_an_item_there_is_a_reason(columns: Any) -> None:
    assert rating_spread(Ratings(*columns)).reason == NO_PAIRS


def test_the_prior_is_found_again() -> None:
    """4,000 items of 8 ratings, whose variances come from 0.8 times inverse chi-squared with 6 degrees of freedom."""
    rng = np.random.default_rng(7)
    variance = 0.8 * 6 / rng.chisquare(6, 4000)
    score = np.sqrt(variance)[:, None] * rng.normal(size=(4000, 8))
    found = rating_spread(Ratings(np.repeat(np.arange(4000), 8), np.arange(32_000), score.ravel()))
    assert found.prior == pytest.approx(0.8, rel=0.08)
    assert found.prior_degrees == pytest.approx(6, rel=0.2)


def test_items_that_vary_alike_share_the_pooled_variance() -> None:
    score = np.tile([1.0, 2.0, 3.0, 4.0, 5.0], 10) + np.repeat(np.arange(10.0), 5)
    found = rating_spread(Ratings(np.repeat(np.arange(10), 5), np.arange(50), score))
    assert found.prior_degrees == inf
    assert found.shrink(9.0, 4) == (found.within, inf) == pytest.approx((2.5, inf))


@given(st.floats(0.01, 10), st.floats(0.1, 50), st.floats(0, 10), st.integers(4, 30))
@settings(max_examples=20)
def test_a_moderated_variance_lies_between_the_items_own_and_that_of_all(
    prior: float, degrees: float, own: float, free: int
) -> None:
    spread = RatingSpread(0.1, 0.5, 20, 0.6, 20, 5, 5, True, prior, degrees)
    found, whole = spread.shrink(own, free)
    assert min(prior, own) - 1e-9 <= found <= max(prior, own) + 1e-9
    assert whole == degrees + free


def test_from_five_ratings_on_an_items_own_ratings_count() -> None:
    spread = rating_spread(
        ratings_of(study(5, 60, 6, noise=np.exp(np.random.default_rng(5).normal(size=(60, 1)))))
    )
    few = [item_mean(scores, list("abcd"), spread=spread) for scores in ([1, 1, 1, 1], [1, 5, 1, 5])]
    assert few[0].high - few[0].low == pytest.approx(few[1].high - few[1].low)
    own = [item_mean(scores, list("abcdef"), spread=spread) for scores in ([1] * 6, [1, 5] * 3)]
    assert 0 < own[0].high - own[0].low < own[1].high - own[1].low
