"""Alpha against the package `krippendorff`, the published example and slow tables."""

import json
import warnings
from pathlib import Path

import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from analysis.agreement.alpha import (
    LEVELS,
    alpha_without_each_rater,
    alpha_without_each_unit,
    interval_alpha,
    krippendorff_alpha,
)
from analysis.agreement.kappas import cohen_kappa, fleiss_kappa
from analysis.values.estimate import BootstrapSpec, InputError

IRRCAC = Path(__file__).resolve().parents[2] / "reference" / "irrcac_numbers.json"
NO_DRAWS = BootstrapSpec(0)
FEW_DRAWS = BootstrapSpec(50)

OBSERVERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, np.nan, np.nan, np.nan],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, np.nan, 3],
    [np.nan, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, np.nan],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, np.nan],
]
"""Krippendorff 2011, section C: 12 units by 4 observers."""


def long_form(table):
    """Units, raters and values of a table of raters by units with gaps."""
    table = np.asarray(table, dtype=float)
    rater, unit = np.nonzero(~np.isnan(table))
    return unit, rater, table[rater, unit]


def random_table(seed, positive=False):
    rng = np.random.default_rng(seed)
    shape = rng.integers(2, 6), rng.integers(2, 15)
    if seed % 3 == 0:
        table = rng.lognormal(0, 1, shape).round(2)
    else:
        table = rng.integers(0, rng.integers(2, 8), shape).astype(float)
    table[rng.random(shape) < 0.3] = np.nan
    return table


def slow_alpha(unit, value, level):
    """By the coincidence matrix, value by value."""
    unit, value = np.asarray(unit), np.asarray(value)
    keep = [np.sum(unit == u) > 1 for u in unit]
    unit, value = unit[keep], value[keep]
    values = sorted(set(value.tolist()))
    matrix = np.zeros((len(values), len(values)))
    for u in set(unit.tolist()):
        own = value[unit == u].tolist()
        for i, first in enumerate(own):
            for j, second in enumerate(own):
                if i != j:
                    matrix[values.index(first), values.index(second)] += 1 / (len(own) - 1)
    margin = matrix.sum(axis=1)
    n = margin.sum()

    def squared(c, k):
        low, high = min(c, k), max(c, k)
        return {
            "nominal": float(c != k),
            "ordinal": (margin[low : high + 1].sum() - (margin[c] + margin[k]) / 2) ** 2,
            "interval": (values[c] - values[k]) ** 2,
            "ratio": 0.0 if c == k else ((values[c] - values[k]) / (values[c] + values[k])) ** 2,
        }[level]

    observed = sum(matrix[c, k] * squared(c, k) for c in range(len(values)) for k in range(len(values)))
    expected = sum(
        margin[c] * margin[k] * squared(c, k) for c in range(len(values)) for k in range(len(values))
    )
    return 1 - (n - 1) * observed / expected if expected > 0 else np.nan


@pytest.mark.parametrize(
    ("level", "published"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849), ("ratio", 0.797)]
)
def test_the_published_example(level, published):
    unit, _, value = long_form(OBSERVERS)
    found = krippendorff_alpha(unit, value, level)
    assert found.value == pytest.approx(published, abs=0.0005)
    assert found.n == 11  # unit 12 has one value
    assert found.low < found.value < found.high <= 1


@pytest.mark.parametrize("level", LEVELS)
def test_equal_to_the_package_on_random_incomplete_data(level):
    compared = 0
    for seed in range(110):
        table = random_table(seed)
        unit, _, value = long_form(table)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the package divides by zero where all values are equal
            try:
                expected = krippendorff.alpha(table, level_of_measurement=level)
            except ValueError:
                continue
        found = krippendorff_alpha(unit, value, level, NO_DRAWS)
        assert np.isnan(found.value) == np.isnan(expected)
        if found.defined:
            assert found.value == pytest.approx(expected, abs=1e-9)
            compared += 1
    assert compared >= 100


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_closed_forms_equal_the_coincidence_matrix(level, seed):
    rng = np.random.default_rng(seed)
    unit = rng.integers(0, 20, 60)
    value = np.round(10.0 ** rng.uniform(-3, 4, 60), 3) if seed else rng.integers(0, 5, 60).astype(float)
    value[:3] = 0
    assert krippendorff_alpha(unit, value, level, NO_DRAWS).value == pytest.approx(
        slow_alpha(unit, value, level), abs=1e-9
    )


def test_values_far_from_zero_lose_nothing():
    rng = np.random.default_rng(0)
    unit = np.repeat(np.arange(30), 3)
    value = rng.integers(0, 10, 30)[unit] + rng.integers(0, 3, 90).astype(float)
    near, far = (krippendorff_alpha(unit, value + shift, "interval", NO_DRAWS).value for shift in (0, 1e7))
    assert far == pytest.approx(near, abs=1e-9)
    ratio = krippendorff_alpha(unit, value + 1e4, "ratio", NO_DRAWS).value
    assert ratio == pytest.approx(slow_alpha(unit, value + 1e4, "ratio"), abs=1e-9)


def test_intervals_of_few_units_cover_about_as_often_as_they_say():
    rng = np.random.default_rng(0)
    unit = np.repeat(np.arange(15), 4)
    covered = []
    for seed in range(200):  # alpha of unit variance 1 and residual variance 1 is .5
        value = rng.normal(0, 1, 15)[unit] + rng.normal(0, 1, 60)
        found = krippendorff_alpha(unit, value, bootstrap=BootstrapSpec(300, seed))
        covered.append(found.low <= 0.5 <= found.high)
    assert 0.89 <= np.mean(covered) <= 0.99


tables = some.integers(0, 10**6).map(random_table)


@given(tables, some.sampled_from(LEVELS), some.randoms(use_true_random=False))
def test_order_does_not_matter_and_single_values_change_nothing(table, level, random):
    unit, _, value = long_form(table)
    before = krippendorff_alpha(unit, value, level, NO_DRAWS).value
    order = list(range(len(unit)))
    random.shuffle(order)
    names = np.array([f"u{(7 * u) % 101}" for u in unit])
    shuffled = krippendorff_alpha(names[order], value[order], level, NO_DRAWS).value
    lone = krippendorff_alpha(np.append(unit, 999), np.append(value, 77.0), level, NO_DRAWS).value
    assert shuffled == pytest.approx(before, abs=1e-9, nan_ok=True)
    assert lone == pytest.approx(before, abs=1e-12, nan_ok=True)


@given(tables, some.sampled_from(LEVELS))
def test_an_interval_contains_its_estimate(table, level):
    unit, _, value = long_form(table)
    found = krippendorff_alpha(unit, value, level, FEW_DRAWS)
    if np.isfinite(found.low):
        assert found.low <= found.value <= found.high <= 1 + 1e-12
    else:
        assert found.reason


@given(tables, some.floats(-1e3, 1e3), some.floats(0.01, 100))
def test_interval_alpha_does_not_mind_shift_and_scale(table, shift, scale):
    unit, _, value = long_form(table)
    before, after = (
        krippendorff_alpha(unit, v, bootstrap=NO_DRAWS).value for v in (value, scale * value + shift)
    )
    assert after == pytest.approx(before, abs=1e-6, nan_ok=True)


@settings(max_examples=15, deadline=None)
@given(some.lists(some.integers(0, 9), min_size=2, max_size=12).filter(lambda v: len(set(v)) > 1))
def test_perfect_agreement_is_one(values):
    unit = np.repeat(np.arange(len(values)), 3)
    for level in LEVELS:
        found = krippendorff_alpha(unit, np.repeat(values, 3), level, FEW_DRAWS)
        assert found.value == pytest.approx(1, abs=1e-12)
    assert fleiss_kappa(unit, np.repeat(values, 3), FEW_DRAWS).value == 1
    assert cohen_kappa(values, values, FEW_DRAWS).value == 1


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(
    ("unit", "value", "reason"),
    [
        ([], [], "no item has two ratings"),
        ([1, 2, 3], [1, 2, 3], "no item has two ratings"),
        ([1, 1, 2, 2], [0.1, 0.1, 0.1, 0.1], "everyone gave the same value"),
        ([1, 1, 2, 2, 3], [4, 4, 4, 4, 5], "everyone gave the same value"),
    ],
)
def test_undefined_is_nan_with_a_reason(level, unit, value, reason):
    found = krippendorff_alpha(unit, value, level)
    assert not found.defined
    assert np.isnan(found.low)
    assert reason in found.reason


def test_equal_sums_from_a_database_are_seen_as_equal():
    rest = 1e-17 * np.array([3, 4, 2])
    found = interval_alpha([3, 4, 2], rest, rest * 1e-17)
    assert "everyone gave the same value" in found.reason


def test_no_draws_no_interval_and_nothing_is_drawn():
    unit, _, value = long_form(OBSERVERS)
    assert np.isnan(krippendorff_alpha(unit, value, bootstrap=NO_DRAWS).low)
    assert krippendorff_alpha(unit, value) == krippendorff_alpha(unit, value)
    assert krippendorff_alpha(unit, value) == krippendorff_alpha(unit, value, bootstrap=BootstrapSpec(seed=1))


def test_many_values_and_none_alike_need_no_table_of_values():
    rng = np.random.default_rng(0)
    unit = np.repeat(np.arange(6_000), 5)
    value = rng.lognormal(0, 1, 6_000)[unit] * rng.lognormal(0, 0.5, 30_000)
    for level in ("ordinal", "ratio"):
        found = krippendorff_alpha(unit, value, level)
        assert 0.5 < found.low < found.value < found.high < 0.9


@pytest.mark.parametrize("seed", range(6))
def test_without_each_equals_recomputing(seed):
    rng = np.random.default_rng(seed)
    n = 120
    unit, rater = rng.integers(0, 40, n), rng.integers(0, 8, n)
    value = rng.integers(1, 6, n) + 1e3 * (seed % 2)
    if seed == 3:
        value = np.where(rater == 2, value * 1e9, value)
    if seed == 4:
        value, rater = np.where(rater == 2, value, 3), np.where(rater > 5, 2, rater)
    raters, alpha = alpha_without_each_rater(unit, rater, value)
    assert raters.tolist() == sorted(set(rater.tolist()))
    for who, found in zip(raters, alpha, strict=True):
        rest = rater != who
        expected = krippendorff_alpha(unit[rest], value[rest], bootstrap=NO_DRAWS).value
        assert found == pytest.approx(expected, abs=1e-9, nan_ok=True)


def test_alpha_without_each_unit_is_that_of_the_rest():
    rng = np.random.default_rng(2)
    unit, value = rng.integers(0, 12, 40), rng.integers(1, 6, 40)
    units, alpha = alpha_without_each_unit(unit, value)
    assert units.tolist() == [one for one in range(12) if (unit == one).sum() > 1]
    for one, found in zip(units, alpha, strict=True):
        rest = unit != one
        expected = krippendorff_alpha(unit[rest], value[rest], bootstrap=NO_DRAWS).value
        assert found == pytest.approx(expected, abs=1e-9)
    assert alpha_without_each_unit([], [])[1].shape == (0,)


def test_without_one_of_two_raters_nothing_is_left():
    raters, alpha = alpha_without_each_rater([1, 1, 2, 2], ["b", "a", "b", "a"], [1, 2, 3, 3])
    assert raters.tolist() == ["a", "b"]
    assert np.isnan(alpha).all()
    assert alpha_without_each_rater([], [], [])[1].shape == (0,)


def test_fleiss_with_unequal_counts_is_that_of_irrcac():
    """Its data set of five observers, of whom not all rated every item; one item has one rating."""
    stored = json.loads(IRRCAC.read_text(encoding="utf-8"))
    for data in ("4 raters", "5 observers"):
        table = np.array(stored[data]["rows"], dtype=float).T
        unit, _, value = long_form(table)
        expected = stored[data]["identity"]["Fleiss kappa"]["value"]
        assert np.isnan(table).any()
        assert fleiss_kappa(unit, value, NO_DRAWS).value == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: krippendorff_alpha([1, 1], [1, np.nan]), "leave out"),
        (lambda: krippendorff_alpha([1, 1], [1, np.nan], "nominal"), "leave out"),
        (lambda: krippendorff_alpha([1, 1], ["a", None], "nominal"), "must be|leave out"),
        (lambda: krippendorff_alpha([1, 1], [1, -2], "ratio"), "negative"),
        (lambda: krippendorff_alpha([1, 1], [1, 2], "metric"), "`level`"),
        (lambda: krippendorff_alpha([1], [1, 2]), "`unit`"),
        (lambda: krippendorff_alpha([1, 1], ["a", "b"]), "numbers"),
        (lambda: krippendorff_alpha([[1, 1]], [[1, 2]]), "1-d"),
        (lambda: interval_alpha([1, 2], [1], [1]), "one entry per unit"),
        (lambda: interval_alpha([-1], [1], [1]), "negative"),
        (lambda: alpha_without_each_rater([1, 1], [1], [1, 2]), "`rater`"),
        (lambda: cohen_kappa([1, 2], [1]), "one label per item"),
        (lambda: cohen_kappa([1, 2], ["a", "b"]), "one kind"),
    ],
)
def test_mistakes_are_reported(call, told):
    with pytest.raises(InputError, match=told):
        call()
