import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from analysis.comparison.clusters import Clusters
from analysis.comparison.comparison_intervals import figures_of_samples, limits_of_agreement
from analysis.comparison.variance_components import TwoWayVariance


def test_figures_of_draws_are_those_of_each_draw_alone():
    rng = np.random.default_rng(3)
    x = np.round(rng.normal(3, 1, (7, 30)), 1)
    y = np.round(x + rng.normal(0.2, 0.7, x.shape), 1)
    x[:2, rng.random(30) < 0.3], y[1:3, rng.random(30) < 0.2] = np.nan, np.nan
    x[4], y[5], x[6] = 2.5, 4, np.nan
    found = figures_of_samples(x, y)
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


def test_limits_of_agreement_are_wider_where_differences_have_heavier_tails_than_normal_ones():
    half = np.repeat([0.1, 3.0], [27, 3])
    for difference, is_wider in ((np.append(half, -half), True), (np.tile([-1.0, 1.0], 30), False)):
        n, sd = len(difference), difference.std(ddof=1)
        lower, upper = limits_of_agreement(
            difference, TwoWayVariance(sd**2 / n, 0.0, n - 1.0), 0.95, Clusters()
        )
        spread = difference**2 - sd**2
        gains = (difference - difference.mean() + side * 1.96 * spread / (2 * sd) for side in (-1, 1))
        for limit, gain in zip((lower, upper), gains, strict=True):
            error = sd * np.sqrt(1 / n + 1.96**2 / (2 * (n - 1)))
            of_gains = gain.std(ddof=1) / np.sqrt(n)
            assert (of_gains > 1.2 * error) == is_wider
            # Twice as many degrees of freedom as items change Student's t by 2%.
            assert limit.high - limit.low == pytest.approx(2 * 2 * max(error, of_gains), rel=0.02)
