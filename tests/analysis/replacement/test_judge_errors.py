"""A judge's errors, differences of true rates, further labels, and shares of several classes."""

from math import inf, isnan

import numpy as np
import pytest

from analysis.replacement.pass_rate import (
    corrected_shares,
    judge_errors,
    labels_to_halve,
    pass_rate_behind,
    pass_rate_difference,
)
from analysis.values.estimate import BootstrapSpec, InputError


def errors_of(sensitivity: float, passes: int, specificity: float, fails: int):  # type: ignore[no-untyped-def]
    """Return the errors of a judge with these shares."""
    right, failed = round(sensitivity * passes), round(specificity * fails)
    judge = [True] * right + [False] * (passes - right) + [False] * failed + [True] * (fails - failed)
    return judge_errors(judge, [True] * passes + [False] * fails)


def test_errors_are_shares_of_what_people_pass_and_fail() -> None:
    found = errors_of(0.9, 100, 0.85, 100)
    assert (found.sensitivity.value, found.specificity.value) == (0.9, 0.85)
    assert found.sensitivity.low == pytest.approx(0.8256, abs=5e-5)  # Wilson's interval of 90 of 100
    assert found.sensitivity.high == pytest.approx(0.9448, abs=5e-5)
    assert pass_rate_behind(0.83, 1000, found).value == pytest.approx(0.9067, abs=5e-5)  # methods, section 13


def test_without_fails_the_rate_is_undefined_with_a_reason() -> None:
    found = pass_rate_behind(0.8, 100, judge_errors([True, False], [True, True]))
    assert not found.defined
    assert "fail" in found.reason


def test_the_difference_of_two_systems_is_that_of_their_rates() -> None:
    errors = errors_of(0.9, 200, 0.8, 200)
    found = pass_rate_difference(0.7, 500, 0.5, 500, errors)
    rates = [pass_rate_behind(rate, 500, errors).value for rate in (0.7, 0.5)]
    assert found.value == pytest.approx(rates[0] - rates[1])
    assert found.low < found.value < found.high
    swapped = pass_rate_difference(0.5, 500, 0.7, 500, errors)
    assert (swapped.low, swapped.high) == pytest.approx((-found.high, -found.low))


@pytest.mark.parametrize(("sensitivity", "specificity"), [(0.9, 0.7), (0.7, 0.95), (0.8, 0.8)])
def test_further_labels_halve_the_standard_error_and_no_other_split_needs_fewer(
    sensitivity: float, specificity: float
) -> None:
    n, passes, fails = 1_000_000, 60, 40
    errors = errors_of(sensitivity, passes, specificity, fails)
    rate = 0.6
    more = labels_to_halve(rate, n, errors)
    theta = pass_rate_behind(rate, n, errors).value
    q0, q1 = ((q.value * q.n + 1) / (q.n + 2) for q in (errors.specificity, errors.sensitivity))

    def variance(m0: float, m1: float) -> float:
        return rate * (1 - rate) / n + (1 - theta) ** 2 * q0 * (1 - q0) / m0 + theta**2 * q1 * (1 - q1) / m1

    wanted = variance(fails + 2, passes + 2) / 4
    assert variance(fails + 2 + more.fails, passes + 2 + more.passes) <= wanted
    total = int(more.fails + more.passes)
    best = min(variance(fails + 2 + k, passes + 2 + total - 3 - k) for k in range(total - 2))
    assert best > wanted  # three labels fewer never suffice, however they are split


def test_labels_cannot_halve_what_the_judge_s_own_sample_makes() -> None:
    more = labels_to_halve(0.5, 20, errors_of(0.95, 500, 0.95, 500))
    assert more.passes == more.fails == inf
    none = labels_to_halve(0.5, 20, errors_of(0.5, 20, 0.5, 20))
    assert isnan(none.passes)


def test_two_classes_in_matrix_form_are_the_closed_form() -> None:
    rng = np.random.default_rng(3)
    truth = rng.random(3000) < 0.4
    judge = np.where(truth, rng.random(3000) < 0.9, rng.random(3000) < 0.2)
    told = np.where(np.arange(3000) < 400, truth, -1)
    found = corrected_shares(judge, told, 2, BootstrapSpec(draws=4000, seed=1))
    closed = pass_rate_behind(float(judge.mean()), 3000, judge_errors(judge[:400], truth[:400]))
    assert found.shares[1].value == pytest.approx(closed.value)
    assert sum(one.value for one in found.shares) == pytest.approx(1)
    assert (found.shares[1].low, found.shares[1].high) == pytest.approx((closed.low, closed.high), abs=0.02)


def test_a_judge_that_guesses_gives_no_shares() -> None:
    rng = np.random.default_rng(4)
    judge, truth = rng.integers(0, 3, 500), rng.integers(0, 3, 500)
    found = corrected_shares(judge, np.where(np.arange(500) < 90, truth, -1), 3)
    assert not any(one.defined for one in found.shares)
    assert all(one.reason for one in found.shares)


@pytest.mark.parametrize("people", [[0, 3], [0, -2], [0]])
def test_impossible_classes_are_refused(people: list[int]) -> None:
    with pytest.raises(InputError):
        corrected_shares([0, 1], people, 3)
