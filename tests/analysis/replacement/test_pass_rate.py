"""Corrected pass rates: the values of the methods, coverage with planted truth, and what is undefined."""

import numpy as np
import pytest

from analysis.replacement.pass_rate import corrected_pass_rate
from analysis.values.estimate import InputError


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ((0.83, 1000, 0.85, 100, 0.90, 100), (0.9067, 0.8378, 1.0)),
        ((0.40, 500, 0.90, 120, 0.80, 80), (0.4286, 0.3372, 0.5267)),
    ],
)
def test_the_values_of_the_methods(
    given: tuple[float, int, float, int, float, int], wanted: tuple[float, float, float]
) -> None:
    found = corrected_pass_rate(*given)
    assert (found.value, found.low, found.high) == pytest.approx(wanted, abs=5e-5)
    assert found.n == given[1]


def test_a_judge_without_errors_is_believed() -> None:
    found = corrected_pass_rate(0.3, 400, 1.0, 1000, 1.0, 1000)
    assert found.value == pytest.approx(0.3)
    assert found.low < 0.3 < found.high


@pytest.mark.parametrize("rate", [0.1, 0.5, 0.9])
def test_intervals_hold_the_true_rate(rate: float) -> None:
    rng = np.random.default_rng(5)
    held, studies, sensitivity, specificity = 0, 400, 0.8, 0.9
    for _ in range(studies):
        passed = rng.binomial(600, rate)
        judged = rng.binomial(passed, sensitivity) + rng.binomial(600 - passed, 1 - specificity)
        known0, known1 = rng.binomial(100, specificity) / 100, rng.binomial(100, sensitivity) / 100
        found = corrected_pass_rate(judged / 600, 600, known0, 100, known1, 100)
        held += found.low <= rate <= found.high
    assert held / studies >= 0.92


def test_a_judge_no_better_than_chance_corrects_nothing() -> None:
    for specificity, sensitivity in ((0.5, 0.5), (0.55, 0.5), (0.2, 0.3)):
        found = corrected_pass_rate(0.6, 100, specificity, 20, sensitivity, 20)
        assert not found.defined
        assert "better than chance" in found.reason


@pytest.mark.parametrize(
    "given", [(1.2, 10, 0.9, 10, 0.9, 10), (0.5, 0, 0.9, 10, 0.9, 10), (0.5, 10, 0.9, 10, -0.1, 10)]
)
def test_impossible_input_is_refused(given: tuple[float, int, float, int, float, int]) -> None:
    with pytest.raises(InputError):
        corrected_pass_rate(*given)
