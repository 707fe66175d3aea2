"""Whole steps keep order and distance; ties are found where exact arithmetic finds them."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from analysis.values.ratings import settle, tie_exact, whole_steps

decimals = some.decimals(-100, 100, places=3)


@given(some.lists(decimals, min_size=1, max_size=20))
def test_steps_are_the_decimals_in_their_smallest_common_unit(scores):
    steps = whole_steps(np.array([float(score) for score in scores]))
    lowest = min(scores)
    distances = [Fraction(score - lowest) for score in scores]
    assert min(steps) == 0
    for step, distance in zip(steps.tolist(), distances, strict=True):
        assert step * max(distances) == distance * max(steps.tolist())
    assert np.gcd.reduce(steps) in (0, 1)


@given(some.lists(some.lists(decimals, min_size=4, max_size=4), min_size=2, max_size=6))
def test_sums_of_steps_tie_exactly_where_decimal_sums_do(rows):
    scores = np.array([[float(score) for score in row] for row in rows])
    sums = whole_steps(scores.ravel()).reshape(scores.shape).sum(axis=1)
    exact = [sum(row, Decimal(0)) for row in rows]
    for i in range(len(rows)):
        for j in range(len(rows)):
            assert (sums[i] < sums[j]) == (exact[i] < exact[j])


@pytest.mark.parametrize("scores", [[1 / 3], [np.pi, 1.0], [1e-9], [1e300], [2.0**50]])
def test_other_numbers_have_no_step(scores):
    assert whole_steps(np.array(scores)) is None


def test_nothing_and_constants():
    assert whole_steps(np.zeros(0)).tolist() == []
    assert whole_steps(np.full(3, 7.5)).tolist() == [0, 0, 0]
    assert tie_exact(np.zeros((2, 0))).shape == (2, 0)
    assert tie_exact(np.zeros(3)).tolist() == [0, 0, 0]


@given(some.lists(some.fractions(-5, 5, max_denominator=60), min_size=2, max_size=8))
def test_fractions_tie_and_order_as_they_should(values):
    found = tie_exact(np.array([float(value) for value in values]))
    for a, x in zip(values, found, strict=True):
        for b, y in zip(values, found, strict=True):
            assert (a < b) == (x < y)


def test_settle_makes_equal_sums_equal_and_keeps_what_differs():
    scores = [0.1, 0.2, 0.3, 0.7]
    forward, backward = sum(scores) / 4, sum(reversed(scores)) / 4
    settled = settle(np.array([forward, backward, forward + 1e-6]))
    assert settled[0] == settled[1] != settled[2]
    assert settle(np.array([])).size == 0
    assert settle(np.zeros(2)).tolist() == [0.0, 0.0]
