import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.testing import assert_allclose
from scipy import stats

from analysis.correlation.rank_rows import discordant_rows, midranks, pearson_rows, spearman_rows
from analysis.correlation.two_columns import pearson, spearman

OF_ROWS = ((pearson_rows, pearson), (spearman_rows, spearman))


@pytest.mark.parametrize(("rows", "single"), OF_ROWS)
def test_rows_equal_one_at_a_time_with_gaps(rows, single):
    rng = np.random.default_rng(3)
    x = rng.integers(1, 5, (60, 17)).astype(float)
    y = np.rint(x + rng.normal(0, 1, x.shape))
    x[10:, :][rng.random((50, 17)) < 0.2] = np.nan
    y[20:, :][rng.random((40, 17)) < 0.2] = np.nan
    x[0] = 2.0
    y[1] = 0.1
    x[2], y[2] = np.nan, np.nan
    found = rows(x, y)
    for r in range(60):
        known = ~(np.isnan(x[r]) | np.isnan(y[r]))
        assert_allclose(found[r], single(x[r, known], y[r, known]).estimate.value, atol=1e-12)


@given(arrays.arrays(np.float64, (3, 9), elements=st.integers(0, 4).map(float)))
def test_midranks_are_scipys(rows):
    assert_allclose(midranks(rows), stats.rankdata(rows, axis=1))


def test_discordant_pairs_are_those_of_a_loop():
    rng = np.random.default_rng(3)
    x, y = rng.integers(0, 6, (2, 5, 13)).astype(float)
    x[1, 4], y[2, :3] = np.nan, np.nan
    slow = [
        sum((a[i] - a[j]) * (b[i] - b[j]) < 0 for i in range(13) for j in range(i))
        for a, b in zip(x, y, strict=True)
    ]
    assert discordant_rows(x, y).tolist() == slow
