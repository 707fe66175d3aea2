"""Kendall's standard error with ties: counts by a loop over all pairs, the error by a bootstrap and by coverage."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from numpy.typing import NDArray
from scipy import stats

from analysis.correlation.dependent import concordance_counts, tau_error
from analysis.correlation.two_columns import kendall

Floats = NDArray[np.float64]


@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(0, 40)), min_size=1, max_size=40))
def test_concordance_equals_a_count_of_all_pairs(pairs: list[tuple[int, int]]) -> None:
    x, y = np.array(pairs, dtype=np.float64).T
    expected = (np.sign(x[:, None] - x) * np.sign(y[:, None] - y)).sum(axis=1)
    assert_array_equal(concordance_counts(x, y), expected)


def of_levels(values: Floats, levels: int) -> Floats:
    return np.clip(np.floor((values + 2) / 4 * levels), 0, levels - 1)


@pytest.mark.parametrize("levels", [2, 5, 1000])
def test_the_error_is_that_of_a_bootstrap(levels: int) -> None:
    rng = np.random.default_rng(1)
    x, y = of_levels(rng.multivariate_normal([0, 0], [[1, 0.6], [0.6, 1]], 400).T, levels)
    tau = stats.kendalltau(x, y).statistic
    drawn = [stats.kendalltau(x[one], y[one]).statistic for one in rng.integers(0, 400, (300, 400))]
    assert tau_error(x, y) * (1 - tau**2) == pytest.approx(np.std(drawn), rel=0.12)


def test_without_ties_the_error_is_about_that_of_fieller_hartley_and_pearson() -> None:
    x, y = np.random.default_rng(2).multivariate_normal([0, 0], [[1, 0.5], [0.5, 1]], 5000).T
    assert tau_error(x, y) == pytest.approx((0.437 / 4996) ** 0.5, rel=0.05)


def test_many_pairs_are_read_off_some_of_them() -> None:
    x, y = of_levels(np.random.default_rng(3).multivariate_normal([0, 0], [[1, 0.5], [0.5, 1]], 60_000).T, 5)
    parts = [tau_error(x[part::3], y[part::3]) for part in range(3)]
    assert tau_error(x, y) == pytest.approx(np.mean(parts) / 3**0.5, rel=0.05)


@pytest.mark.parametrize(
    ("x", "y"), [([1, 2, 3, 4, 5], [1, 2, 3, 4, 5]), ([1] * 9, range(9)), ([1, 2], [2, 1])]
)
def test_no_error_without_room_for_chance(x: list[float], y: list[float]) -> None:
    assert np.isnan(tau_error(np.array(x, dtype=float), np.array(y, dtype=float)))


def test_intervals_of_tied_scores_cover() -> None:
    """Five levels; .437 / (n - 4) covers 86 of 100 here."""
    rng, covered = np.random.default_rng(4), 0
    many = of_levels(rng.multivariate_normal([0, 0], [[1, 0.9], [0.9, 1]], 100_000).T, 5)
    truth = float(stats.kendalltau(*many).statistic)
    for _ in range(300):
        found = kendall(*of_levels(rng.multivariate_normal([0, 0], [[1, 0.9], [0.9, 1]], 60).T, 5)).estimate
        covered += found.low <= truth <= found.high
    assert 0.92 <= covered / 300 <= 0.98
