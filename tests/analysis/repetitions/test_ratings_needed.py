"""Ratings per item for a reliability, in both scopes, and what would narrow their interval."""

from collections.abc import Callable
from dataclasses import replace
from math import atanh, inf, isnan, nan
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from analysis.agreement.agreement_summary import AgreementSummary, agreement_summary
from analysis.agreement.reliability import OTHERS, THESE
from analysis.repetitions.attenuation import Advice, advise_on_width, ratings_for_reliability, ratings_needed
from analysis.values.estimate import Estimate
from analysis.values.ratings import Ratings

TARGET = 0.8


def summary(one: Estimate, raters: int = 8, scope: Any = THESE, items_share: float = 1.0) -> AgreementSummary:
    return AgreementSummary(one, one, one, 4.0, raters, "ICC(1,1)", scope, 0, items_share)


def study(items: int, raters: int, quality: float = 1.0, seed: int = 1) -> Ratings:
    rng = np.random.default_rng(seed)
    score = (
        rng.normal(3, quality, items)[:, None]
        + rng.normal(0, 0.3, raters)
        + rng.normal(0, 1, (items, raters))
    )
    item, rater = (part.ravel() for part in np.indices(score.shape))
    return Ratings(item, rater, score.ravel())


@given(some.floats(0.02, 0.98), some.floats(0.1, 0.95))
def test_it_is_the_first_number_that_reaches_the_target(reliability: float, target: float) -> None:
    """Spearman 1910, Brown 1910: the mean of r ratings has reliability r rho / (1 + (r - 1) rho)."""
    reached = (r for r in range(1, 10_000) if r * reliability / (1 + (r - 1) * reliability) >= target - 1e-10)
    assert ratings_for_reliability(reliability, target) == next(reached)


def test_reliability_is_the_correlation_of_two_means_of_so_many_ratings() -> None:
    rng = np.random.default_rng(1)
    truth = rng.normal(0, 1, 20000)
    halves = [truth + rng.normal(0, 1.5, (5, 20000)).mean(axis=0) for _ in range(2)]
    assert ratings_for_reliability(1 / (1 + 1.5**2), np.corrcoef(*halves)[0, 1] - 0.01) == 5


@pytest.mark.parametrize(("reliability", "expected"), [(0.0, inf), (-0.3, inf), (nan, nan), (0.99, 1.0)])
def test_without_reliability_no_number_is_enough(reliability: float, expected: float) -> None:
    assert ratings_for_reliability(reliability, TARGET) == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize("ends", [(0.3, 0.2, 0.4), (0.5, 0.1, 0.7), (0.2, -0.05, 0.4), (0.05, 0.001, 0.1)])
def test_numbers_for_these_raters_are_those_of_the_slow_procedure(
    reference: Callable[[str], ModuleType], ends: tuple[float, float, float]
) -> None:
    found = ratings_needed(summary(Estimate(*ends, 40)), TARGET)
    value, low, high = reference("needed").needed(*ends, TARGET)
    assert (found.value, found.low) == (value, low)
    assert found.high == high or (high == inf and found.high > 1000)


def test_two_raters_who_rated_all_150_items_are_enough_for_these_raters() -> None:
    both = study(150, 2)
    found = ratings_needed(agreement_summary(both), TARGET)
    assert 1 <= found.low <= found.value <= found.high < 20
    others = ratings_needed(agreement_summary(both, OTHERS), TARGET)
    assert isnan(others.value)
    assert "2 raters" in others.reason


def test_an_upper_end_above_a_thousand_means_too_few_raters_for_raters_like_these_alone() -> None:
    wide = Estimate(0.3, 0.001, 0.6, 40)
    others = ratings_needed(summary(wide, 4, OTHERS), TARGET)
    assert isnan(others.value)
    assert "4 raters" in others.reason
    assert ratings_needed(summary(wide, 4), TARGET).high > 1000


def test_an_undefined_reliability_needs_no_number() -> None:
    for one in (
        Estimate(nan, reason="no item has two ratings"),
        Estimate(1.0, n=40, reason="no disagreement"),
    ):
        found = ratings_needed(summary(one), TARGET)
        assert isnan(found.value)
        assert found.reason == one.reason


def test_warnings_of_the_reliability_stay() -> None:
    assert ratings_needed(summary(Estimate(0.3, 0.2, 0.4, 12, warning="few")), TARGET).warning == "few"


def test_raters_are_advised_where_they_make_the_width_and_items_elsewhere() -> None:
    one = Estimate(0.3, 0.0, 0.6, 50)
    assert advise_on_width(summary(one, scope=OTHERS, items_share=0.4)) == Advice("raters")
    assert advise_on_width(summary(one)) == Advice("items", pytest.approx(nan, nan_ok=True))
    half = (atanh(0.6) - atanh(0.0)) / 2
    assert advise_on_width(summary(one), half / 2) == Advice("items", 200)
    of_both = advise_on_width(summary(one, scope=OTHERS, items_share=0.75), half * 0.75)
    assert of_both is not None
    assert of_both.number == pytest.approx(50 * 0.75 / (0.75**2 - 0.25), abs=1)
    assert advise_on_width(summary(one, scope=OTHERS, items_share=0.75), half / 2) is None


def test_no_number_of_items_is_advised_where_systems_and_topics_make_the_width() -> None:
    one = Estimate(0.3, 0.0, 0.6, 50)
    advice = advise_on_width(replace(summary(one), by_clusters=True), 0.2)
    assert advice is not None
    assert (advice.of, isnan(advice.number)) == ("items", True)
    assert advise_on_width(replace(summary(one, scope=OTHERS, items_share=0.4), by_clusters=True)) == Advice(
        "raters"
    )
