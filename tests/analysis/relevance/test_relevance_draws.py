"""Bootstrap weights, and the interval of their draws."""

import numpy as np
import pytest
from statsmodels.stats.proportion import proportion_confint

from analysis.relevance.judgments import Judgments
from analysis.relevance.metric_means import (
    ALIKE,
    FEW_DRAWS,
    NOTHING_TO_DRAW,
    Units,
    add_interval,
    find_units,
    group_means,
    membership_matrix,
)
from analysis.values.estimate import BootstrapSpec, Estimate

SPEC = BootstrapSpec(100)


def drawn_from(raters, many):
    return Units(np.zeros(1, int), np.zeros(1, int), raters, many, "")


def test_documents_are_drawn_where_there_is_one_event_or_one_rater():
    crossed = find_units(Judgments([1, 2], ["a", "b"], [1, 1], [0, 0], [1, 0]))
    assert (crossed.raters, crossed.units, crossed.resampled) == (2, 2, "raters and events")
    one_event = find_units(Judgments([1, 2], ["a", "a"], [1, 2], [0, 0], [1, 0]))
    assert one_event.resampled == "raters and documents (there is only one event)"
    assert one_event.unit.tolist() == [0, 1]
    alone = find_units(Judgments([1], ["a"], [1], [0], [1]))
    assert (alone.resampled, alone.fewest_units) == ("nothing", 1)


def test_why_there_is_no_interval_is_reported():
    half = Estimate(0.5, n=10)
    alike, few = np.full(100, 0.5), np.where(np.arange(100) < 40, 0.5, np.nan)
    assert add_interval(half, alike, drawn_from(1, 1), SPEC).reason == NOTHING_TO_DRAW
    assert add_interval(half, few, drawn_from(5, 5), SPEC).reason == FEW_DRAWS
    assert add_interval(half, alike, drawn_from(5, 5), SPEC).reason == ALIKE
    assert add_interval(half, alike, drawn_from(5, 5), BootstrapSpec(0)) == half


def test_a_share_whose_draws_are_alike_has_wilsons_interval():
    share = add_interval(Estimate(1.0, n=20), np.ones(100), drawn_from(5, 5), SPEC, independent=10)
    assert (share.low, share.high) == pytest.approx(proportion_confint(10, 10, method="wilson"))


def test_means_leave_undefined_values_out():
    groups = membership_matrix(np.array([0, 0, 1]), 2)
    values, weight = np.array([[1.0], [np.nan], [np.nan]]), np.array([[2.0], [3.0], [1.0]])
    np.testing.assert_array_equal(group_means(groups, values, weight), [[1.0], [np.nan]])
