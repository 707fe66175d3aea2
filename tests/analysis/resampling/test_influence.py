"""Influence of raters: a loop over vote pairs, the two-way table of textbooks, and degrees of freedom."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from analysis.resampling.influence import (
    NO_VARIANCE,
    VarianceEstimate,
    add_variances,
    item_variance,
    item_variance_from_samples,
    rater_variance,
)


@given(some.integers(0, 10_000), some.integers(2, 6))
def test_it_is_the_covariance_of_a_raters_votes(seed, raters):
    rng = np.random.default_rng(seed)
    rater, parts = rng.integers(0, raters, 25), rng.normal(0.5, 1, 25)
    rater[:raters] = np.arange(raters)
    pairs = sum(parts[n] * parts[m] for n in range(25) for m in range(25) if n != m and rater[n] == rater[m])
    found = rater_variance(parts, rater, raters + 1)
    assert found.variance == pytest.approx(max(pairs, 0) * raters / (raters - 1))


def test_in_a_complete_table_it_is_the_variance_component_of_raters():
    """Moments of a two-way table (Searle, Casella and McCulloch 1992, section 4.3): (MS raters - MS rest) / items, of
    R raters' mean a part in R; the votes' own squares hold one item's share of it."""
    rng = np.random.default_rng(1)
    items, raters = 40, 9
    table = rng.normal(0, 1, (items, 1)) + rng.normal(0, 0.7, raters) + rng.normal(0, 1, (items, raters))
    of_raters = items * ((table.mean(axis=0) - table.mean()) ** 2).sum() / (raters - 1)
    rest = table - table.mean(axis=1, keepdims=True) - table.mean(axis=0) + table.mean()
    of_rest = (rest**2).sum() / ((items - 1) * (raters - 1))
    parts = (table - table.mean(axis=1, keepdims=True)) / table.size
    found = rater_variance(parts.ravel(), np.tile(np.arange(raters), items), raters)
    component = (of_raters - of_rest) / items
    assert found.variance == pytest.approx(component / raters * (items - 1) / items)
    by_rater = (parts.sum(axis=0) ** 2).sum() * raters / (raters - 1)
    assert found.uncertainty == pytest.approx(by_rater**2 / (raters - 1))


def test_influence_of_one_rater_is_undefined():
    assert rater_variance(np.ones(5), np.zeros(5, dtype=int), 3) == NO_VARIANCE


def test_unequal_loads_are_worth_fewer_raters():
    """Ten raters of equal loads are worth ten; loads of 15 and 2 are worth fewer (Carter and others 2017)."""
    rater = np.repeat(np.arange(10), [15, 15, 10, 5, 5, 2, 2, 2, 2, 2])
    parts = np.ones(60)
    by_rater = (np.bincount(rater) ** 2).sum() * 10 / 9
    worth = 60**2 / (np.bincount(rater) ** 2).sum()
    assert rater_variance(parts, rater, 10).uncertainty == pytest.approx(by_rater**2 / (worth - 1))


def test_degrees_are_satterthwaites():
    both = add_variances(item_variance(2.0, 60), VarianceEstimate(1.0, 1 / 9))
    assert both.variance == 3
    assert both.degrees == pytest.approx(9 / (4 / 59 + 1 / 9))
    assert add_variances(item_variance(2.0, 60), NO_VARIANCE).degrees == pytest.approx(59)
    assert NO_VARIANCE.degrees == np.inf


def test_draws_of_items_are_widened_and_need_two_items():
    drawn = np.random.default_rng(0).normal(0, 1, 500)
    found = item_variance_from_samples(drawn, 5)
    assert (found.variance, found.degrees) == pytest.approx((drawn.var(ddof=1) * 5 / 4, 4))
    assert np.isnan(item_variance_from_samples(drawn, 1).variance)
    assert np.isnan(item_variance_from_samples(np.full(9, np.nan), 5).variance)
