import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from analysis.correlation import rank_rows
from analysis.correlation.rank_rows import count_inversions, rank_correlations


@pytest.mark.parametrize("items", [2, 17, 64, 65, 200])
def test_falling_pairs_are_those_of_a_loop(items, monkeypatch):
    rng = np.random.default_rng(items)
    rows = rng.permuted(np.tile(np.arange(items), (4, 1)), axis=1)
    rows[0], rows[1] = np.arange(items), np.arange(items)[::-1]
    loop = [sum(row[i] > row[j] for j in range(items) for i in range(j)) for row in rows]
    assert count_inversions(rows).tolist() == loop
    monkeypatch.setattr(rank_rows, "SHORTEST_BLOCK", 3)
    assert count_inversions(rows).tolist() == loop


@pytest.mark.parametrize("n", [40_000, 70_000])
def test_many_places_need_wider_numbers(n):
    falling = np.arange(n)[::-1].copy()
    assert count_inversions(falling[None]).tolist() == [n * (n - 1) // 2]


@pytest.mark.parametrize("steps", [3, 40, 10**12])
@pytest.mark.parametrize("items", [1, 2, 3, 30, 150])
def test_both_correlations_are_scipys_with_ties_and_gaps(items, steps):
    rng = np.random.default_rng(items)
    x = rng.integers(-steps, steps, (9, items))
    y = np.where(rng.random(x.shape) < 0.5, x, rng.integers(0, steps, x.shape))
    out = rng.random(x.shape) < 0.2
    out[0], out[1] = False, True
    x[2], y[3] = 5, -5
    found = rank_correlations(x, y, out)
    for row in range(len(x)):
        first, second = x[row, ~out[row]], y[row, ~out[row]]
        if len(first) < 2 or np.ptp(first) == 0 or np.ptp(second) == 0:
            assert np.isnan([found.rho[row], found.tau[row]]).all()
            continue
        assert_allclose(found.rho[row], stats.spearmanr(first, second).statistic, atol=1e-12)
        assert_allclose(found.tau[row], stats.kendalltau(first, second).statistic, atol=1e-12)


def test_no_items_have_no_correlation():
    none = rank_correlations(np.empty((2, 0), int), np.empty((2, 0), int), np.empty((2, 0), bool))
    assert np.isnan(none.rho).all()
    assert np.isnan(none.tau).all()
    assert_array_equal(none.discordant, 0)
