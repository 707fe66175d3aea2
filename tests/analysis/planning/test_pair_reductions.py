"""Reductions by one more comparison: the values of the methods, and the covariance computed anew."""

from itertools import combinations

import numpy as np
import pytest

from analysis.planning.votes import pair_reductions
from analysis.values.estimate import InputError

THREE = np.log([3.0, 2.0, 1.0])


def average_variance(strength: np.ndarray, counts: np.ndarray) -> float:
    difference = strength[:, None] - strength[None, :]
    chance = 1 / (1 + np.exp(-difference))
    information = -counts * chance * (1 - chance)
    np.fill_diagonal(information, 0)
    np.fill_diagonal(information, -information.sum(axis=1))
    covariance = np.linalg.pinv(information)
    return float(np.mean([covariance[i, i] + covariance[j, j] - 2 * covariance[i, j]
                          for i, j in combinations(range(len(strength)), 2)]))  # fmt: skip


def test_the_values_of_the_methods() -> None:
    counts = np.full((3, 3), 10.0)
    assert average_variance(THREE, counts) == pytest.approx(0.30939, abs=5e-6)
    found = pair_reductions(THREE, counts)
    assert found == pytest.approx({(0, 1): 0.009626, (0, 2): 0.009628, (1, 2): 0.009751}, abs=5e-7)
    assert pair_reductions(THREE, {(0, 1): 10, (2, 0): 10, (1, 2): 10}) == found


@pytest.mark.parametrize("seed", range(4))
def test_a_reduction_is_the_variance_before_minus_that_with_one_more(seed: int) -> None:
    rng = np.random.default_rng(seed)
    strength, half = rng.normal(0, 1, 6), np.triu(rng.integers(0, 9, (6, 6)), 1)
    half[0, 1:] += 1  # everything is compared with the first
    counts = (half + half.T).astype(float)
    before = average_variance(strength, counts)
    for (i, j), reduction in pair_reductions(strength, counts).items():
        more = counts.copy()
        more[i, j] += 1
        more[j, i] += 1
        assert before - average_variance(strength, more) == pytest.approx(reduction, rel=1e-8)


@pytest.mark.parametrize(
    ("strengths", "counts", "told"),
    [
        ([0.0], np.zeros((1, 1)), "two systems"),
        ([0.0, np.nan], np.ones((2, 2)), "finite"),
        ([0.0, 1.0], [[0, 1], [2, 0]], "symmetric"),
        ([0.0, 1.0], {(0, 2): 1}, "2 systems"),
        ([0.0, 1.0, 2.0], {(0, 1): 4}, "connect"),
        ([0.0, 1.0], {(0, 1): -1}, "0 or more"),
    ],
)
def test_what_has_no_common_scale_is_refused(strengths: list[float], counts: object, told: str) -> None:
    with pytest.raises(InputError, match=told):
        pair_reductions(strengths, counts)  # type: ignore[arg-type]
