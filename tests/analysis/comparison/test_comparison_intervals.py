import numpy as np
from numpy.testing import assert_allclose
from scipy import stats

from analysis.comparison.comparison_intervals import drawn_figures


def test_figures_of_draws_are_those_of_each_draw_alone():
    rng = np.random.default_rng(3)
    x = np.round(rng.normal(3, 1, (7, 30)), 1)
    y = np.round(x + rng.normal(0.2, 0.7, x.shape), 1)
    x[:2, rng.random(30) < 0.3], y[1:3, rng.random(30) < 0.2] = np.nan, np.nan
    x[4], y[5], x[6] = 2.5, 4, np.nan
    found = drawn_figures(x, y)
    for row, (one, other) in enumerate(zip(x, y, strict=True)):
        known = ~np.isnan(one + other)
        if not known.any():
            assert not np.isfinite(found[:, row]).any()
            continue
        one, other = one[known], other[known]
        squares, apart = ((one - other) ** 2).mean(), (one - other).mean()
        concordance = 2 * np.cov(one, other, ddof=0)[0, 1] / (one.var() + other.var() + apart**2)
        assert_allclose(found[3:, row], [np.arctanh(concordance), np.log(squares) / 2, apart], atol=1e-12)
        if np.ptp(one) == 0 or np.ptp(other) == 0:
            assert np.isnan(found[:3, row]).all()
            continue
        ways = stats.spearmanr, stats.pearsonr, stats.kendalltau
        expected = [np.arctanh(way(one, other).statistic) for way in ways]
        assert_allclose(found[:3, row], expected, atol=1e-11)
