"""Weighted means: laws that hold for any weights, and tables of systems with weighted ratings."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.assessors.exclusion import ExclusionSpec, exclusion_of_cells, intervals_of_cells
from analysis.assessors.leave_one_out import leave_one_out
from analysis.items.rating_spread import effective_number, item_mean, rating_spread
from analysis.pairs.system_table import build_cells
from analysis.values.estimate import InputError
from analysis.values.ratings import Ratings

DRAW = np.random.default_rng(0)
ITEM, RATER = np.repeat(np.arange(20), 8), np.tile(np.arange(8), 20)
SCORE = np.clip(np.rint(3 + DRAW.normal(0, 0.7, 20)[ITEM] + DRAW.normal(0, 0.8, 160)), 1, 5)
SPREADS = (None, rating_spread(Ratings(ITEM, RATER, SCORE)))
scores = st.lists(st.integers(1, 5), min_size=6, max_size=12)


@pytest.mark.parametrize("spread", SPREADS)
@given(score=scores, scale=st.floats(0.01, 100))
def test_equal_weights_of_any_size_change_nothing(spread: object, score: list[int], scale: float) -> None:
    rater = [f"r{at // 2}" for at in range(len(score))]  # two ratings by each
    plain = item_mean(score, rater, spread=spread)  # type: ignore[arg-type]
    weighted = item_mean(score, rater, spread=spread, weight=[scale] * len(score))  # type: ignore[arg-type]
    for one, other in zip(
        (plain.value, plain.low, plain.high), (weighted.value, weighted.low, weighted.high), strict=True
    ):
        assert one == pytest.approx(other, abs=1e-9, nan_ok=True)


@pytest.mark.parametrize("spread", SPREADS)
@given(score=scores, seed=st.integers(0, 1000))
def test_a_weighted_mean_is_that_of_numpy_and_no_order_matters(
    spread: object, score: list[int], seed: int
) -> None:
    draw = np.random.default_rng(seed)
    weight, order = draw.lognormal(0, 0.7, len(score)), draw.permutation(len(score))
    rater = np.arange(len(score))
    found = item_mean(score, rater, spread=spread, weight=weight)  # type: ignore[arg-type]
    again = item_mean(np.array(score)[order], rater, spread=spread, weight=weight[order])  # type: ignore[arg-type]
    assert found.value == pytest.approx(np.average(score, weights=weight))
    assert (again.low, again.high) == pytest.approx((found.low, found.high), nan_ok=True)
    assert 1 <= effective_number(weight) <= len(score) + 1e-9


def test_unequal_weights_widen_the_interval_by_the_effective_number() -> None:
    weight = np.array([4.0, 4.0, 1.0, 1.0])
    spread = SPREADS[1]
    plain, weighted = (item_mean([2, 3, 4, 3], range(4), spread=spread, weight=w) for w in (None, weight))
    ratio = (weighted.high - weighted.low) / (plain.high - plain.low)
    assert ratio == pytest.approx(np.sqrt(4 / (10**2 / 34)))


def test_one_weight_that_is_nearly_all_gives_no_interval_without_a_spread() -> None:
    found = item_mean([1, 3, 5], list("abc"), weight=[1000, 1, 1])
    assert found.reason == "one rater has nearly all the weight"
    assert found.value == pytest.approx(1.006, abs=1e-3)


@pytest.mark.parametrize("weight", [[1, 0, 1], [1, -1, 1], [1, 1], [1, np.nan, 1]])
def test_weights_that_are_none_are_refused(weight: list[float]) -> None:
    with pytest.raises(InputError):
        item_mean([1, 2, 3], list("abc"), weight=weight)


def table(seed: int = 1) -> tuple[np.ndarray, ...]:
    draw = np.random.default_rng(seed)
    system, topic, rater = (each.ravel() for each in np.meshgrid(range(3), range(8), range(7), indexing="ij"))
    score = 3 + 0.3 * system + draw.normal(0, 1, len(system)) + draw.normal(0, 0.5, 7)[rater]
    return system, topic, rater, score, draw.integers(1, 4, len(system))


def test_a_whole_weight_is_as_many_equal_ratings() -> None:
    *rows, weight = table()
    once, often = build_cells(*rows, weight), build_cells(*(np.repeat(column, weight) for column in rows))
    for name in ("system", "topic", "cell", "rater", "sums", "counts"):
        assert getattr(once, name) == pytest.approx(getattr(often, name))
    assert [
        found.before.tolist()
        for found in (exclusion_of_cells(one, (), ExclusionSpec()) for one in (once, often))
    ]
    spec = ExclusionSpec(draws=50)
    low, high = (
        intervals_of_cells(one, exclusion_of_cells(one, (), spec), spec).before_low for one in (once, often)
    )
    assert low == pytest.approx(high)


def test_equal_weights_leave_systems_and_pairs_as_they_are() -> None:
    *rows, weight = table()
    spec = ExclusionSpec(draws=50)
    plain, weighted = (
        intervals_of_cells(one, exclusion_of_cells(one, (), spec), spec)
        for one in (build_cells(*rows), build_cells(*rows, np.full(len(weight), 0.37)))
    )
    assert weighted.before_low == pytest.approx(plain.before_low)
    assert weighted.pairs_before.low == pytest.approx(plain.pairs_before.low, nan_ok=True)


def test_leaving_raters_out_counts_ratings_and_weighs_scores() -> None:
    *rows, weight = table()
    found = leave_one_out(*rows, "plain", weight=weight)
    assert found.ratings.tolist() == [24] * 7
    keep = rows[2] != 3
    everyone, without = (
        [
            np.mean(
                [
                    np.average(rows[3][here & (rows[1] == topic)], weights=weight[here & (rows[1] == topic)])
                    for topic in range(8)
                ]
            )
            for here in ((rows[0] == system) & kept for system in range(3))
        ]
        for kept in (np.ones(len(keep), bool), keep)
    )
    assert found.pearson[3] == pytest.approx(np.corrcoef(everyone, without)[0, 1])
