"""Chance-corrected coefficients: irrCAC's numbers, laws, a slow version, and coverage of intervals."""

import json
from itertools import combinations, permutations
from math import isnan, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.inter_rater import cohens_kappa

from analysis.agreement.alpha import NO_DIFFERENCE
from analysis.agreement.chance_corrected import (
    ALL_EQUAL,
    COEFFICIENT_NAMES,
    FEW_RATERS,
    NO_PAIRS,
    ONE_ITEM,
    ONE_VALUE,
    TOO_OPEN,
    Agreement,
    agreement_coefficients,
)
from analysis.agreement.kappas import FEW_SHARED
from analysis.values.estimate import InputError

REFERENCE = Path(__file__).resolve().parents[2] / "reference" / "irrcac_numbers.json"
STORED = json.loads(REFERENCE.read_text(encoding="utf-8"))
WEIGHTS = ("identity", "linear", "quadratic", "ordinal")


def spelled_out(rows: list[list[float | None]]) -> tuple[list[int], list[int], list[float]]:
    cells = [(i, r, v) for i, row in enumerate(rows) for r, v in enumerate(row) if v is not None]
    items, raters, values = zip(*cells, strict=True)
    return list(items), list(raters), list(values)


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("data", ["4 raters", "5 observers"])
def test_coefficients_and_errors_are_those_of_irrcac(data: str, weights: Any) -> None:
    agreement = agreement_coefficients(*spelled_out(STORED[data]["rows"]), weights)
    for name, told in STORED[data][weights].items():
        assert agreement.estimates[name].value == pytest.approx(told["value"], abs=1e-9)
        assert agreement.errors[name] == pytest.approx(told["error"], abs=1e-9)


def test_two_raters_get_the_table_s_kappas_with_an_error_for_n_less_one() -> None:
    """irrCAC divides by n for tables of two raters (Fleiss, Cohen and Everitt 1969), and by n - 1 for raw data."""
    table = STORED["abstractors"]["table"]
    pairs = [(a, b) for a in range(3) for b in range(3) for _ in range(table[a][b])]
    agreement = agreement_coefficients(*spelled_out([list(map(float, pair)) for pair in pairs]))
    n = len(pairs)
    for name, told in STORED["abstractors"]["identity"].items():
        assert agreement.estimates[name].value == pytest.approx(told["value"], abs=1e-9)
        assert agreement.errors[name] == pytest.approx(told["error"] * sqrt(n / (n - 1)), abs=1e-9)


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
    for name in COEFFICIENT_NAMES:
        first, second = as_given.estimates[name], renamed.estimates[name]
        assert (first.value, first.low) == pytest.approx((second.value, second.low), nan_ok=True)


@given(tables)
def test_an_interval_holds_its_estimate(rows: list[list[int | None]]) -> None:
    agreement = agreement_coefficients(
        *spelled_out([[c if c is None else float(c) for c in r] for r in rows])
    )
    for one in agreement.estimates.values():
        assert isnan(one.low) or one.low <= one.value <= one.high <= 1


def test_an_interval_that_would_reach_below_minus_one_is_none() -> None:
    rng = np.random.default_rng(0)
    open_ones = 0
    for _ in range(40):
        items, raters = np.repeat(np.arange(4), 2), np.tile([0, 1], 4)
        found = agreement_coefficients(items, raters, rng.integers(0, 2, 8))
        for one in found.estimates.values():
            open_ones += one.reason == TOO_OPEN
            assert not one.low < -1
    assert open_ones


def test_perfect_agreement_is_one_and_the_other_end_is_below_nothing() -> None:
    items = [i for i in range(6) for _ in range(3)]
    raters = [0, 1, 2] * 6
    same = agreement_coefficients(items, raters, [i % 3 for i in items])
    values = [one.value for name, one in same.estimates.items() if name != "mean pairwise kappa"]
    assert values == pytest.approx([1.0] * 5)
    reasons = {name: same.estimates[name].reason for name in COEFFICIENT_NAMES[:5]}
    assert {reasons[name] for name in COEFFICIENT_NAMES[:2]} == {NO_DIFFERENCE}
    assert {reasons[name] for name in COEFFICIENT_NAMES[2:5]} == {"no disagreement on 6 items"}
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
    assert estimates["mean pairwise kappa"].reason == FEW_SHARED
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
def test_what_does_not_fit_is_reported(arguments: Any, told: str) -> None:
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


def incomplete(seed: int = 0, items: int = 14, raters: int = 5) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    felt = rng.integers(1, 5, items)[:, None] + rng.integers(-1, 2, (items, raters))
    felt[rng.random(felt.shape) < 0.1] = -9
    item, rater = np.nonzero(felt > -9)
    return item, rater, np.clip(felt[item, rater], 1, 5)


@pytest.mark.parametrize("weights", ["identity", "quadratic"])
def test_what_is_left_without_items_raters_and_ratings_equals_doing_it_again(weights: Any) -> None:
    item, rater, value = incomplete()
    scale = [1, 2, 3, 4, 5]
    whole = agreement_coefficients(item, rater, value, weights, scale)

    def again(keep: Any) -> dict[Any, float]:
        less = agreement_coefficients(item[keep], rater[keep], value[keep], weights, scale)
        return {name: one.value for name, one in less.estimates.items()}

    without = [
        *(("items", i, again(item != i)) for i in range(14)),
        *(("raters", w, again(rater != w)) for w in range(5)),
        *(("ratings", at, again(np.arange(len(item)) != at)) for at in range(0, len(item), 7)),
    ]
    for name in COEFFICIENT_NAMES[:5]:
        for part, at, found in without:
            assert getattr(whole.leave_one_out[name], part)[at] == pytest.approx(found[name], abs=1e-12)


def test_the_mean_pairwise_kappa_is_the_mean_of_statsmodels_kappas() -> None:
    item, rater, value = incomplete(1, 20, 4)
    whole = agreement_coefficients(item, rater, value, "linear", [1, 2, 3, 4, 5])

    def mean(keep: Any) -> float:
        kappas = []
        for one, two in combinations(range(4), 2):
            table = np.zeros((5, 5))
            rated = {w: keep & (rater == w) for w in (one, two)}
            of = {w: dict(zip(item[kept], value[kept], strict=True)) for w, kept in rated.items()}
            for i in of[one].keys() & of[two].keys():
                table[of[one][i] - 1, of[two][i] - 1] += 1
            if table.sum() > 5:
                kappas.append(cohens_kappa(table, wt="linear", return_results=False))
        return float(np.mean(kappas))

    everything = np.ones(len(item), dtype=bool)
    left = whole.leave_one_out["mean pairwise kappa"]
    assert whole.estimates["mean pairwise kappa"].value == pytest.approx(mean(everything), abs=1e-12)
    assert left.items[3] == pytest.approx(mean(item != 3), abs=1e-12)
    assert left.raters[2] == pytest.approx(mean(rater != 2), abs=1e-12)
    assert left.ratings[9] == pytest.approx(mean(np.arange(len(item)) != 9), abs=1e-12)


def test_words_need_no_numbers_and_numbers_as_words_say_the_same() -> None:
    item, rater, value = incomplete(2)
    words = np.array(["", "bad", "fair", "good", "great", "superb"])[value]
    as_words, as_numbers = (agreement_coefficients(item, rater, one) for one in (words, value))
    for name in COEFFICIENT_NAMES:
        assert as_words.estimates[name] == as_numbers.estimates[name]


def test_with_raters_the_interval_is_wider_and_two_raters_have_none() -> None:
    item, rater, value = incomplete(3, 60, 8)
    mild = np.clip(value + (rater == 1) - (rater == 2), 1, 5)
    whole = agreement_coefficients(item, rater, mild, "quadratic")
    for name in COEFFICIENT_NAMES:
        narrow, wide = whole.estimates[name], whole.over_raters[name]
        assert wide.low < narrow.low <= narrow.high < wide.high
    two = rater < 2
    pair = agreement_coefficients(item[two], rater[two], value[two])
    assert {one.reason for one in pair.over_raters.values()} == {FEW_RATERS}


def test_differences_of_other_items_are_independent_and_of_the_same_ones_paired() -> None:
    first = agreement_coefficients(*incomplete(4, 40))
    item, rater, value = incomplete(5, 40)
    name: Any = "Fleiss kappa"
    elsewhere = agreement_coefficients(item + 100, rater + 10, value)
    here = agreement_coefficients(item, rater + 10, value)
    apart = first.difference(elsewhere, name)
    assert apart.n == 80

    def variance(one: Agreement) -> float:
        left = one.leave_one_out[name].items
        return float((len(left) - 1) / len(left) * ((left - left.mean()) ** 2).sum())

    error = (apart.high - apart.low) / 2 / stats.t.ppf(0.975, 79 / 2)
    assert error == pytest.approx(sqrt(variance(first) + variance(elsewhere)), rel=0.02)
    paired = first.difference(here, name)
    assert (paired.n, paired.value) == (40, apart.value)
    wider = first.difference(here, name, over_raters=True)
    assert wider.high - wider.low > paired.high - paired.low
    same = first.difference(first, name)
    assert (same.value, same.reason) == (0, NO_DIFFERENCE)


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
    inside = dict.fromkeys(COEFFICIENT_NAMES, 0)
    for _ in range(1000):
        for name, one in study(items).estimates.items():
            inside[name] += one.low <= true[name] <= one.high
    assert all(910 <= number <= 990 for number in inside.values()), inside
