"""Intervals of 1 - O / E: the slow procedure, what must always hold, and the cases without an interval."""

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from scipy import stats

from analysis.agreement import ratio_intervals
from analysis.agreement.agreement_summary import rating_table
from analysis.agreement.alpha import agreement_weights, krippendorff_alpha
from analysis.agreement.chance_corrected import agreement_coefficients
from analysis.agreement.kappas import CongerSums, cohen_kappa, fleiss_kappa
from analysis.agreement.ratio_intervals import ItemSums, item_sums, ratio_interval
from analysis.values.estimate import Estimate

Reference = Callable[[str], ModuleType]


def study(seed: int, items: int, raters: int, missing: float = 0.0) -> np.ndarray[Any, Any]:
    """Whole scores (items, raters) of a scale of five, NaN where an item was not rated."""
    rng = np.random.default_rng([seed, items])
    felt = rng.normal(3, 1, items)[:, None] + rng.normal(0, 0.4, raters) + rng.normal(0, 0.8, (items, raters))
    score = np.clip(np.rint(felt), 1, 5)
    score[rng.random(score.shape) < missing] = np.nan
    return score


def long_form(score: np.ndarray[Any, Any]) -> tuple[Any, Any, Any]:
    item, rater = np.nonzero(~np.isnan(score))
    return item, rater, score[item, rater]


def alpha(score: np.ndarray[Any, Any], level: Any = "interval") -> Estimate:
    item, _, value = long_form(score)
    return krippendorff_alpha(item, value, level)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("items", "missing"), [(12, 0.0), (25, 0.2), (60, 0.3), (2100, 0.1)])
def test_alpha_is_that_of_the_slow_procedure(
    reference: Reference, seed: int, items: int, missing: float
) -> None:
    if items > 1000 and seed > 1:
        return
    slow = reference("reliability")
    score = study(seed, items, 4, missing)
    for level, coded in (("interval", score), ("nominal", slow.one_hot(score))):
        expected = slow.reliability_interval(slow.item_sums(coded))
        found = alpha(score, level)
        assert (found.value, found.low, found.high) == pytest.approx(
            (expected["value"], expected["low"], expected["high"]), abs=1e-8
        )
        assert (found.n, bool(found.warning)) == (expected["n"], expected["warned"])


def test_ratings_at_a_ceiling_are_those_of_the_slow_procedure(reference: Reference) -> None:
    slow = reference("reliability")
    rng = np.random.default_rng(5)
    for items in (15, 30, 90):
        score = np.where(rng.random((items, 3)) < 0.12, rng.integers(1, 5, (items, 3)), 5).astype(float)
        expected = slow.reliability_interval(slow.item_sums(score))
        found = alpha(score)
        assert (found.low, found.high) == pytest.approx((expected["low"], expected["high"]), abs=1e-8)
        assert bool(found.warning) == expected["warned"]


@pytest.mark.parametrize("kappa", ["Fleiss kappa", "Conger kappa"])
@pytest.mark.parametrize("weights", ["identity", "quadratic", "ordinal"])
def test_kappas_without_an_item_are_kappas_of_the_others(kappa: Any, weights: Any) -> None:
    item, rater, value = long_form(study(1, 14, 4, 0.2))
    scale = [1.0, 2, 3, 4, 5]
    table = rating_table(item, rater, value, scale)
    sums = CongerSums.from_table(table, agreement_weights(table.values, weights))
    o, e = sums.leave_one_out() if kappa == "Conger kappa" else ItemSums.leave_one_out(sums)
    for one in range(14):
        kept = item != one
        expected = agreement_coefficients(item[kept], rater[kept], value[kept], weights, scale)
        assert 1 - o[one] / e[one] == pytest.approx(expected.estimates[kappa].value, abs=1e-12)


@pytest.mark.parametrize("kind", [ItemSums, CongerSums])
def test_influences_are_derivatives(kind: Any) -> None:
    item, rater, value = long_form(study(2, 12, 4, 0.2))
    table = rating_table(item, rater, value)
    sums = CongerSums.from_table(table, agreement_weights(table.values, "linear"))
    weights, step, n = np.random.default_rng(0).integers(1, 4, (1, 12)).astype(float), 1e-5, 12
    for figure, influence in (
        (kind.observed, kind.influence_on_observed),
        (kind.expected, kind.influence_on_expected),
    ):
        more, less = (figure(sums, weights + sign * step * np.eye(n)) for sign in (1, -1))
        slope = (more - less) / (2 * step) * weights.sum()
        np.testing.assert_allclose(influence(sums, weights)[0], slope, atol=1e-6)


def test_gwets_coefficient_has_the_jackknife_of_fishers_z() -> None:
    item, rater, value = long_form(study(3, 30, 4))
    whole = agreement_coefficients(item, rater, value, scale=[1, 2, 3, 4, 5])
    left = [
        agreement_coefficients(item[kept], rater[kept], value[kept], scale=[1, 2, 3, 4, 5])
        .estimates["Gwet AC"]
        .value
        for kept in (item != one for one in range(30))
    ]
    z, found = np.arctanh(left), whole.estimates["Gwet AC"]
    half = stats.t.ppf(0.975, 29) * np.sqrt(29 / 30 * ((z - z.mean()) ** 2).sum())
    center = np.arctanh(found.value)
    assert (found.low, found.high) == pytest.approx((np.tanh(center - half), np.tanh(center + half)))


def test_two_raters_have_the_same_kappa_by_all_three_functions() -> None:
    score = study(4, 40, 2)
    first, second = score.T
    item, rater, value = long_form(score)
    cohen = cohen_kappa(first, second)
    conger = agreement_coefficients(item, rater, value).estimates["Conger kappa"]
    assert cohen.value == pytest.approx(conger.value, abs=1e-12)
    assert (cohen.low, cohen.high) == pytest.approx((conger.low, conger.high), abs=1e-9)
    fleiss = agreement_coefficients(item, rater, value).estimates["Fleiss kappa"]
    assert fleiss_kappa(item, value).low == pytest.approx(fleiss.low, abs=1e-9)


studies = some.tuples(some.integers(0, 10**4), some.integers(5, 30), some.integers(2, 4))


@settings(max_examples=15, deadline=None)
@given(studies, some.floats(-100, 100), some.floats(0.1, 10))
def test_shift_scale_and_names_of_items_do_not_matter(shape: Any, shift: float, scale: float) -> None:
    score = study(*shape, 0.1)
    before, after = alpha(score), alpha(scale * score[::-1] + shift)
    assert after.value == pytest.approx(before.value, abs=1e-9, nan_ok=True)
    if before.low == before.low and before.value < 0.99:
        assert after.low <= after.value <= after.high
        assert (after.high - after.low) == pytest.approx(before.high - before.low, rel=0.25)


def test_without_any_disagreement_there_is_no_interval_and_the_reason_says_so() -> None:
    agreed = alpha(np.repeat(np.tile([1.0, 2, 3, 4], 10)[:, None], 3, axis=1))
    assert (agreed.value, agreed.n) == (1, 40)
    assert np.isnan(agreed.low)
    assert "no disagreement on 40 items" in agreed.reason
    assert agreed.warning


def test_without_different_values_it_is_undefined_and_never_one() -> None:
    for score in (np.full((30, 3), 0.1), np.full((30, 3), 1e9 + 0.1)):
        for level in ("nominal", "ordinal", "interval", "ratio"):
            assert not alpha(score, level).defined
        item, _, value = long_form(score)
        assert not fleiss_kappa(item, value).defined


def test_fewer_than_five_items_have_no_interval_and_a_warning() -> None:
    found = alpha(study(0, 4, 3))
    assert found.defined
    assert np.isnan(found.low)
    assert "4 items" in found.reason
    assert found.warning


@pytest.mark.parametrize(("items", "warned"), [(19, True), (20, False)])
def test_fewer_than_twenty_items_are_warned_of(items: int, warned: bool) -> None:
    found = alpha(study(0, items, 4))
    assert np.isfinite(found.low)
    assert bool(found.warning) == warned


def test_items_that_are_mostly_unanimous_are_warned_of_below_forty() -> None:
    def of(items: int) -> Estimate:
        score = np.full((items, 3), 5.0)
        score[: items // 3] = study(8, items // 3, 3)
        return alpha(score)

    assert "most items got the same score" in of(30).warning
    assert not of(60).warning


def test_one_disagreement_among_many_items_is_carried_by_one_of_them() -> None:
    score = np.repeat(np.tile([1.0, 2, 3, 4, 5], 30)[:, None], 2, axis=1)
    score[0, 1] = 2
    found = alpha(score)
    assert "about 1 informative item;" in found.warning
    assert found.low < found.value < found.high


def test_rounding_is_no_disagreement() -> None:
    count, total = np.full(30, 3.0), 3 * np.linspace(-1, 1, 30)
    squares = total**2 / 3 * (1 + 1e-15)
    assert ratio_interval(item_sums(count, squares, total[:, None])).value == 1


def test_progress_is_reported_and_can_stop_the_work() -> None:
    told: list[float] = []
    item, _, value = long_form(study(0, 30, 3))
    krippendorff_alpha(item, value, on_progress=told.append)
    assert told[-1] == 1


@pytest.mark.slow
def test_intervals_cover_at_a_ceiling_and_without_one() -> None:
    rng = np.random.default_rng(1)
    for push, items in ((0.0, 20), (1.2, 40)):

        def drawn(n: int, push: float = push) -> np.ndarray[Any, Any]:
            felt = rng.normal(3 + push, 0.9, n)[:, None] + rng.normal(0, 0.8, (n, 4))
            return np.clip(np.rint(felt), 1, 5)

        truth = alpha(drawn(40_000)).value
        shown = [found for found in (alpha(drawn(items)) for _ in range(300)) if not found.warning]
        assert 0.92 <= np.mean([one.low <= truth <= one.high for one in shown]) <= 1


def test_kept_weights_are_those_drawn_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(8)
    unit, value = np.repeat(np.arange(30), 3), rng.integers(1, 6, 90).astype(float)
    kept = [krippendorff_alpha(unit, value) for _ in range(2)]
    monkeypatch.setattr(ratio_intervals, "FEW_ROWS", 0)
    anew = krippendorff_alpha(unit, value)
    assert kept == [anew, anew]
