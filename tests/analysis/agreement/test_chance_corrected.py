"""Chance-corrected coefficients: irrCAC's numbers, laws, a slow version, and coverage of intervals."""

import json
from itertools import permutations
from math import isnan, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.agreement.chance_corrected import (
    ALL_EQUAL,
    NAMES,
    NO_PAIRS,
    ONE_ITEM,
    ONE_VALUE,
    Agreement,
    agreement_coefficients,
)
from analysis.values.errors import InputError

REFERENCE = Path(__file__).resolve().parents[2] / "reference" / "irrcac_numbers.json"
STORED = json.loads(REFERENCE.read_text(encoding="utf-8"))
WEIGHTS = ("identity", "linear", "quadratic", "ordinal")


def spelled_out(rows: list[list[float | None]]) -> tuple[list[int], list[int], list[float]]:
    cells = [(i, r, v) for i, row in enumerate(rows) for r, v in enumerate(row) if v is not None]
    items, raters, values = zip(*cells, strict=True)
    return list(items), list(raters), list(values)


def error_of(agreement: Agreement, name: Any) -> float:
    pulls, value = agreement.pulls[name], agreement.estimates[name].value
    return sqrt(((pulls - value) ** 2).sum() / (len(pulls) - 1) / len(pulls))


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("data", ["4 raters", "5 observers"])
def test_coefficients_and_errors_are_those_of_irrcac(data: str, weights: Any) -> None:
    agreement = agreement_coefficients(*spelled_out(STORED[data]["rows"]), weights)
    for name, told in STORED[data][weights].items():
        assert agreement.estimates[name].value == pytest.approx(told["value"], abs=1e-9)
        assert error_of(agreement, name) == pytest.approx(told["error"], abs=1e-9)


def test_two_raters_get_the_table_s_kappas_with_an_error_for_n_less_one() -> None:
    """irrCAC divides by n for tables of two raters (Fleiss, Cohen and Everitt 1969), and by n - 1 for raw data."""
    table = STORED["abstractors"]["table"]
    pairs = [(a, b) for a in range(3) for b in range(3) for _ in range(table[a][b])]
    agreement = agreement_coefficients(*spelled_out([list(map(float, pair)) for pair in pairs]))
    n = len(pairs)
    for name, told in STORED["abstractors"]["identity"].items():
        assert agreement.estimates[name].value == pytest.approx(told["value"], abs=1e-9)
        assert error_of(agreement, name) == pytest.approx(told["error"] * sqrt(n / (n - 1)), abs=1e-9)


tables = st.lists(
    st.lists(st.sampled_from([1, 2, 3, None]), min_size=3, max_size=3), min_size=2, max_size=8
).filter(lambda rows: any(sum(cell is not None for cell in row) > 1 for row in rows))


def slow(rows: list[list[int | None]], weights: str) -> dict[str, float]:
    """Every coefficient from sums over pairs of ratings."""
    scale = sorted({cell for row in rows for cell in row if cell is not None})
    longest = max(scale) - min(scale)

    def credit(a: int, b: int) -> float:
        if weights == "identity" or a == b:
            return float(a == b)
        near = abs(a - b) / longest
        return 1 - near if weights == "linear" else 1 - near**2

    agreed = []
    shares = {value: [] for value in scale}
    for row in rows:
        given_ = [cell for cell in row if cell is not None]
        if len(given_) > 1:
            pairs = list(permutations(given_, 2))
            agreed.append(sum(credit(a, b) for a, b in pairs) / len(pairs))
        if given_:
            for value in scale:
                shares[value].append(given_.count(value) / len(given_))
    popular = {value: sum(of) / len(of) for value, of in shares.items()}
    total = sum(credit(a, b) for a in scale for b in scale)
    q = len(scale)
    p_a = sum(agreed) / len(agreed)
    chance = {
        "percent agreement": 0.0,
        "Brennan-Prediger": total / q**2,
        "Gwet AC": total / (q * (q - 1)) * sum(p * (1 - p) for p in popular.values()) if q > 1 else 1.0,
        "Fleiss kappa": sum(credit(a, b) * popular[a] * popular[b] for a in scale for b in scale),
    }
    return {
        name: (p_a - p_e) / (1 - p_e) if 1 - p_e > 1e-12 else float("nan") for name, p_e in chance.items()
    }


@given(tables, st.sampled_from(["identity", "linear", "quadratic"]))
def test_the_slow_version_says_the_same(rows: list[list[int | None]], weights: Any) -> None:
    agreement = agreement_coefficients(
        *spelled_out([[c if c is None else float(c) for c in r] for r in rows]), weights
    )
    if next(iter(agreement.estimates.values())).reason in (NO_PAIRS, ONE_VALUE):
        return
    for name, value in slow(rows, weights).items():
        assert agreement.estimates[name].value == pytest.approx(value, abs=1e-12, nan_ok=True)  # type: ignore[index]


@given(tables, st.permutations([0, 1, 2]))
def test_the_order_of_raters_does_not_matter(rows: list[list[int | None]], order: list[int]) -> None:
    cells = [(i, r, float(c)) for i, row in enumerate(rows) for r, c in enumerate(row) if c is not None]
    items, raters, values = zip(*cells, strict=True)
    as_given = agreement_coefficients(items, raters, values)
    renamed = agreement_coefficients(items, [order[r] for r in raters], values)
    for name in NAMES:
        first, second = as_given.estimates[name], renamed.estimates[name]
        assert (first.value, first.low) == pytest.approx((second.value, second.low), nan_ok=True)


@given(tables)
def test_an_interval_holds_its_estimate(rows: list[list[int | None]]) -> None:
    agreement = agreement_coefficients(
        *spelled_out([[c if c is None else float(c) for c in r] for r in rows])
    )
    for one in agreement.estimates.values():
        assert isnan(one.low) or one.low <= one.value <= one.high <= 1


def test_perfect_agreement_is_one_and_the_other_end_is_below_nothing() -> None:
    items = [i for i in range(6) for _ in range(3)]
    raters = [0, 1, 2] * 6
    same = agreement_coefficients(items, raters, [i % 3 for i in items])
    assert [one.value for one in same.estimates.values()] == pytest.approx([1.0] * 5)
    never = agreement_coefficients(items, raters, raters)
    assert never.estimates["percent agreement"].value == 0
    assert never.estimates["Fleiss kappa"].value == pytest.approx(-0.5)


def test_a_rare_value_takes_kappa_down_and_leaves_gwets_coefficient() -> None:
    """118 items: both say a 114 times, one of them b on four items, nobody both. By hand."""
    pairs = [("a", "a")] * 114 + [("a", "b")] * 2 + [("b", "a")] * 2
    items, raters, values = zip(
        *[(i, r, v) for i, pair in enumerate(pairs) for r, v in enumerate(pair)], strict=True
    )
    estimates = agreement_coefficients(items, raters, values).estimates
    b = 2 / 118
    assert estimates["percent agreement"].value == pytest.approx(114 / 118)
    assert estimates["Conger kappa"].value == pytest.approx(
        (114 / 118 - b**2 - (1 - b) ** 2) / (2 * b * (1 - b))
    )
    chance = 2 * b * (1 - b)
    assert estimates["Gwet AC"].value == pytest.approx((114 / 118 - chance) / (1 - chance))


def test_the_scale_decides_what_chance_is() -> None:
    items, raters, values = [1, 1, 2, 2], [0, 1, 0, 1], [1, 1, 2, 1]
    two = agreement_coefficients(items, raters, values).estimates["Brennan-Prediger"]
    five = agreement_coefficients(items, raters, values, scale=[1, 2, 3, 4, 5]).estimates["Brennan-Prediger"]
    assert (two.value, five.value) == pytest.approx((0.0, (0.5 - 0.2) / 0.8))


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([[1.0, None], [None, 2.0]], NO_PAIRS),
        ([[1.0, 1.0], [1.0, 1.0]], ONE_VALUE),
    ],
)
def test_where_nothing_is_defined_it_says_why(rows: list[list[float | None]], reason: str) -> None:
    estimates = agreement_coefficients(*spelled_out(rows)).estimates
    assert {one.reason for one in estimates.values()} == {reason}


def test_on_a_larger_scale_equal_answers_leave_only_the_kappas_undefined() -> None:
    estimates = agreement_coefficients([1, 1, 2, 2], [0, 1, 0, 1], [1, 1, 1, 1], scale=[1, 2]).estimates
    assert {name for name, one in estimates.items() if one.reason == ALL_EQUAL} == {
        "Fleiss kappa",
        "Conger kappa",
    }
    assert estimates["Gwet AC"].value == 1


def test_a_single_item_has_no_interval() -> None:
    one = agreement_coefficients([1, 1, 1], [0, 1, 2], [1, 1, 2]).estimates["percent agreement"]
    assert (one.value, one.reason) == (pytest.approx(1 / 3), ONE_ITEM)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (([1, 1], [0, 0], [1, 2]), "one value, got 2 of rater 0 for item 1"),
        (([1, 1], [0], [1, 2]), "one entry per rating"),
        (([1, 1], [0, 1], [1.0, float("nan")]), "no missing numbers"),
        (([1, 1], [0, 1], ["a", "b"], "linear"), "need numbers"),
        (([1, 1], [0, 1], [1, 7], "identity", [1, 2]), "on the scale [1, 2], got 7"),
    ],
)
def test_what_does_not_fit_is_told(arguments: Any, told: str) -> None:
    with pytest.raises(InputError) as error:
        agreement_coefficients(*arguments)
    assert told in str(error.value)


def test_a_difference_of_two_groups_is_paired_over_items() -> None:
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 3, 60)

    def rated(noise: float) -> Agreement:
        value = np.where(rng.random((60, 4)) < noise, rng.integers(0, 3, (60, 4)), truth[:, None])
        items, raters = np.indices(value.shape)
        return agreement_coefficients(items.ravel(), raters.ravel(), value.ravel())

    careful, careless = rated(0.1), rated(0.5)
    difference = careful.difference(careless, "Gwet AC")
    assert difference.value == pytest.approx(
        careful.estimates["Gwet AC"].value - careless.estimates["Gwet AC"].value
    )
    assert difference.low > 0
    assert careful.difference(careful, "Gwet AC").value == 0


@pytest.mark.slow
@pytest.mark.parametrize(("items", "raters"), [(20, 4), (60, 4), (60, 10)])
def test_intervals_over_items_cover(items: int, raters: int) -> None:
    """Fixed raters with errors of their own; the truth is that of 200,000 items."""
    rng = np.random.default_rng([items, raters])
    noise = rng.uniform(0.1, 0.5, raters)

    def study(n: int) -> Agreement:
        truth = rng.choice(3, n, p=[0.6, 0.3, 0.1])
        value = np.where(rng.random((n, raters)) < noise, rng.integers(0, 3, (n, raters)), truth[:, None])
        item, rater = np.indices(value.shape)
        return agreement_coefficients(item.ravel(), rater.ravel(), value.ravel(), scale=[0, 1, 2])

    true = {name: one.value for name, one in study(200_000).estimates.items()}
    inside = dict.fromkeys(NAMES, 0)
    for _ in range(1000):
        for name, one in study(items).estimates.items():
            inside[name] += one.low <= true[name] <= one.high
    assert all(910 <= number <= 985 for number in inside.values()), inside
