"""Reliability of one rating for these raters: the slow procedure, and intervals at the edges."""

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from analysis.agreement.intraclass import icc
from analysis.agreement.reliability import consistency_icc, is_crossed, one_way, one_way_icc
from analysis.values.estimate import Estimate
from analysis.values.ratings import Ratings

Reference = Callable[[str], ModuleType]


def table(seed: int, items: int, raters: int) -> Any:
    rng = np.random.default_rng([seed, items])
    felt = rng.normal(3, 1, items)[:, None] + rng.normal(0, 0.4, raters) + rng.normal(0, 0.8, (items, raters))
    return np.clip(np.rint(felt), 1, 5)


def sums_of(score: Any) -> tuple[Any, Any, Any]:
    known = ~np.isnan(score)
    score = np.where(known, score - np.nanmean(score), 0.0)
    return known.sum(axis=1).astype(float), score.sum(axis=1), (score**2).sum(axis=1)


def crossed(score: Any) -> Estimate:
    return consistency_icc(*sums_of(score - score.mean(axis=0)))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("items", "raters"), [(15, 3), (40, 2), (150, 2), (60, 6)])
def test_crossed_raters_are_those_of_the_slow_procedure(
    reference: Reference, seed: int, items: int, raters: int
) -> None:
    score = table(seed, items, raters)
    expected, found = reference("needed").these_raters(score), crossed(score)
    assert (found.value, found.low, found.high) == pytest.approx(
        (expected["value"], expected["low"], expected["high"]), abs=1e-8
    )
    assert bool(found.warning) == expected["warned"]


@pytest.mark.parametrize("seed", range(4))
def test_equal_numbers_of_raters_are_those_of_the_slow_procedure(reference: Reference, seed: int) -> None:
    score = table(seed, 50, 9)
    hidden = np.argsort(np.random.default_rng(seed).random(score.shape), axis=1)[:, 4:]
    np.put_along_axis(score, hidden, np.nan, axis=1)
    expected, found = reference("needed").these_raters(score), one_way_icc(*sums_of(score))
    assert (found.value, found.low, found.high) == pytest.approx(
        (expected["value"], expected["low"], expected["high"]), abs=1e-8
    )


def test_values_are_those_of_the_analysis_of_variance() -> None:
    score = table(1, 30, 4)
    item, rater = (part.ravel() for part in np.indices(score.shape))
    assert crossed(score).value == pytest.approx(icc(Ratings(item, rater, score.ravel())).consistency.value)
    score[np.random.default_rng(0).random(score.shape) < 0.4] = np.nan
    score[0] = [1, np.nan, np.nan, np.nan]
    item, rater = np.nonzero(~np.isnan(score))
    kept = ~np.isnan(score).all(axis=1)
    found = one_way_icc(*sums_of(score[kept]))
    assert found.value == pytest.approx(one_way(Ratings(item, rater, score[item, rater])).icc, abs=1e-12)
    assert found.n == (np.isfinite(score).sum(axis=1) > 1).sum()
    assert found.low < found.value < found.high


def test_raters_are_crossed_where_every_item_has_all_of_them() -> None:
    assert is_crossed(np.array([3, 3, 3]), 3)
    assert not is_crossed(np.array([3, 2, 3]), 3)
    assert not is_crossed(np.array([1, 1]), 1)
    assert not is_crossed(np.array([], dtype=np.int64), 2)


def test_without_disagreement_one_and_without_spread_undefined() -> None:
    agreed = np.repeat(np.tile([1.0, 2, 3], 10)[:, None], 4, axis=1)
    for found in (crossed(agreed), one_way_icc(*sums_of(agreed))):
        assert (found.value, bool(found.reason), np.isnan(found.low)) == (1, True, True)
    for found in (crossed(np.full((30, 2), 3.0)), one_way_icc(*sums_of(np.full((30, 2), 3.0)))):
        assert not found.defined
        assert found.reason


def test_constant_shifts_between_raters_are_no_disagreement_of_crossed_raters() -> None:
    agreed = np.tile([1.0, 2, 3], 10)[:, None] + np.array([0.0, 1.0])
    assert crossed(agreed).value == 1
    assert one_way_icc(*sums_of(agreed)).value < 0.7


def test_raters_who_contradict_each_other_are_below_zero_and_not_below_minus_one() -> None:
    rng = np.random.default_rng(2)
    felt = rng.normal(0, 1, 60)
    score = 3 + np.stack([felt, -felt], axis=1) + rng.normal(0, 0.8, (60, 2))
    for found in (crossed(score), one_way_icc(*sums_of(score))):
        assert -1 <= found.low <= found.value < found.high < 0


def test_one_item_has_no_reliability() -> None:
    for score in ([[1.0, 2.0, 4.0]], [[3.0, 3.0]]):
        found = one_way_icc(*sums_of(np.array(score)))
        assert not found.defined
        assert found.reason
