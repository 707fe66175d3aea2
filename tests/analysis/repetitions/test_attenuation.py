"""The attenuation curve against scipy's general fit, and against the correlation it is the law of."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as some
from scipy.optimize import curve_fit

from analysis.repetitions.attenuation import fit, fit_all
from analysis.repetitions.repetition import RepetitionSpec, simulate
from analysis.repetitions.saturation import Curves
from analysis.values.ratings import Ratings


def curve(r, limit, half):
    return limit * np.sqrt(r / (r + half))


def curves_of(points) -> Curves:
    points = np.atleast_2d(points)
    return Curves(points[0], points[1:], np.full(points.shape[1], 50))


def noisy(limit, half, m, k=5, noise=0.02, seed=0):
    rng = np.random.default_rng(seed)
    return curves_of(curve(np.arange(1, m + 1), limit, half) + noise * rng.normal(size=(k, m)))


@given(some.floats(0.05, 1), some.floats(0, 60), some.integers(3, 40))
def test_recovers_the_curve_it_is_given(limit, half, m):
    found = fit(noisy(limit, half, m, noise=0))
    np.testing.assert_allclose([found.rho_inf, found.ratings_for_half], [limit, half], rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(
        found.at(np.arange(1, m + 1)), curve(np.arange(1, m + 1), limit, half), atol=1e-9
    )


@pytest.mark.parametrize("seed", range(8))
def test_equals_the_general_least_squares(seed):
    curves = noisy(0.8, 2.5, 24, seed=seed)
    points = curves.points
    points[0, 3] = np.nan
    found = fit(curves_of(points))
    there = ~np.isnan(points)
    r = np.broadcast_to(np.arange(1, 25), points.shape)[there]
    expected, _ = curve_fit(curve, r, points[there], p0=[0.7, 1.0], ftol=1e-15, xtol=1e-15)
    np.testing.assert_allclose([found.rho_inf, found.ratings_for_half], expected, rtol=1e-6)
    first = points[1]
    error = ((first - found.at(np.arange(1, 25))) ** 2).sum()
    assert found.r_squared_shuffled[0] == pytest.approx(1 - error / ((first - first.mean()) ** 2).sum())
    assert found.n == there.sum()


@given(some.integers(0, 10**6), some.floats(0.01, 0.2))
def test_no_other_curve_fits_better(seed, noise):
    curves = noisy(0.7, 3, 15, noise=noise, seed=seed)
    found = fit(curves)
    assume(found.defined)
    r, y = np.arange(1, 16), curves.points.mean(axis=0)

    def left(half):
        shape = np.sqrt(r / (r + half))
        return ((y - min(y @ shape / (shape @ shape), 1) * shape) ** 2).sum()

    assert all(left(half) >= left(found.ratings_for_half) - 1e-12 for half in np.geomspace(1e-3, 5e3, 200))


def test_the_limit_is_what_the_noise_free_scores_would_give():
    rng = np.random.default_rng(3)
    n, m = 4000, 12
    truth = rng.normal(0, 1, n)
    reference = 0.8 * truth + 0.6 * rng.normal(0, 1, n)
    item = np.repeat(np.arange(n), m)
    ratings = Ratings(item, np.arange(n * m), truth[item] + 1.5 * rng.normal(0, 1, n * m))
    curves = simulate(ratings, dict(enumerate(reference)), RepetitionSpec(correlation="pearson"))
    found = fit(curves)
    assert found.rho_inf == pytest.approx(np.corrcoef(truth, reference)[0, 1], abs=0.02)
    assert found.ratings_for_half == pytest.approx(1.5**2, rel=0.1)


def test_the_limit_stays_within_1():
    r = np.arange(1, 13)
    found = fit(curves_of(1.2 * np.sqrt(r / (r + 20))))
    assert found.rho_inf == 1
    assert np.isfinite(found.ratings_for_half)


@pytest.mark.parametrize(
    ("points", "reason"),
    [
        (1e-3 * np.sqrt(np.arange(1, 13)), "no limit in sight"),
        (-0.5 * np.ones(6), "not positive"),
        ([0.2, 0.4], "fewer than three"),
    ],
)
def test_undefined_is_nan_with_a_reason(points, reason):
    found = fit(curves_of(points))
    assert not found.defined
    assert np.isnan(found.at([1])).all()
    assert reason in found.reason


def test_correlations_of_rounding_errors_have_no_limit():
    found = fit(curves_of([1e-16, 2e-17, 1e-16, 3e-16]))
    assert not found.defined
    assert "not positive" in found.reason


def test_curves_without_points_keep_their_reason():
    curves = Curves(
        np.full(4, np.nan), np.full((2, 4), np.nan), np.zeros(4, int), reason="all ratings are equal"
    )
    assert fit(curves).reason == "all ratings are equal"
    assert fit_all([]) == []


def test_several_at_once_equal_each_alone():
    several = [noisy(0.9, 1, 24), noisy(0.5, 9, 10, k=2), noisy(0.6, 0, 5, k=1)]
    for one, found in zip(several, fit_all(several), strict=True):
        alone = fit(one)
        assert found.rho_inf == pytest.approx(alone.rho_inf, abs=1e-6)
        assert found.ratings_for_half == pytest.approx(alone.ratings_for_half, abs=1e-5)
