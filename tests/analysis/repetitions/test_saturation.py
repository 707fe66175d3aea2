"""The exponential against scipy's general fit; the knee against paper, closed form and another Kneedle."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as some
from scipy.optimize import curve_fit

from analysis.repetitions.knee import knee, knee_closed_form, knees, knees_by_repetitions
from analysis.repetitions.saturation import Curves, Saturation, fit, fit_all
from analysis.values.estimate import InputError

PAPER = {  # Iskender et al. 2020, Table 2: a, b, c, knee
    "OQ": (0.543, 0.313, 0.401, 7),
    "GR": (0.652, 0.386, 0.230, 7),
    "NR": (0.537, 0.271, 0.301, 8),
    "RC": (0.425, 0.213, 0.440, 9),
    "FO": (0.540, 0.271, 0.330, 8),
    "SC": (0.519, 0.370, 0.40, 7),
    "SU": (0.540, 0.271, 0.33, 8),
    "PU": (0.624, 0.190, -0.05, 9),
    "SI": (0.612, 0.232, 0.190, 8),
}


@pytest.mark.parametrize("measure", PAPER)
def test_published_knees(measure):
    a, b, c, expected = PAPER[measure]
    assert knee(a, b, c, 24) == expected


def test_the_knee_moves_with_m():
    assert knee(0.540, 0.271, 0.330, 24) == 8
    assert knee(0.540, 0.271, 0.330, 48) == 10


@given(some.floats(0.01, 3), some.floats(0.01, 5), some.integers(6, 200))
def test_the_knee_is_a_neighbour_of_the_closed_form(a, b, m):
    assume(b * (m - 1) >= 3.001)
    found = knee(a, b, 0.0, m)
    x = knee_closed_form(b, m)
    assert found is None or found in (np.floor(x), np.ceil(x))
    assert found is not None or b * (m - 1) < 4 or m < 10 or b > 1


@given(
    some.floats(0.05, 1), some.floats(0.05, 2), some.floats(-1, 1), some.integers(6, 60), some.floats(0, 3)
)
def test_another_kneedle_finds_the_same_knee(a, b, c, m, sensitivity):
    kneed = pytest.importorskip("kneed")
    assume(b * (m - 1) >= 3.001)
    x = np.arange(1, m + 1)
    y = a * (1 - np.exp(-b * x)) + c
    try:
        other = kneed.KneeLocator(x, y, S=sensitivity, curve="concave", direction="increasing").knee
    except UserWarning:  # it warns where there is none
        other = None
    assert knee(a, b, c, m, sensitivity) == other


@given(some.floats(0.01, 1), some.floats(0.05, 3), some.integers(6, 50))
def test_height_and_level_do_not_move_the_knee(a, b, m):
    assert knee(a, b, 0.0, m) == knee(7 * a, b, -3.0, m)


@pytest.mark.parametrize(
    ("a", "b", "m"),
    [
        (0.5, 0.3, 5),
        (0.5, 0.3, 1),
        (-0.5, 0.3, 24),
        (0, 0.3, 24),
        (0.5, 0, 24),
        (0.5, -1, 24),
        (0.5, 0.13, 24),
    ],
)
def test_no_knee(a, b, m):
    assert knee(a, b, 0.1, m) is None


def test_no_knee_of_an_undefined_curve():
    assert knee(np.nan, np.nan, np.nan, 24) is None
    assert knees(np.array([np.nan, 0.543]), np.array([np.nan, 0.313]), 24).tolist() == [0, 7]
    assert np.isnan(knee_closed_form(np.nan, 24))


def test_a_large_sensitivity_finds_no_knee():
    assert knee(0.543, 0.313, 0.401, 24, sensitivity=20) is None


def test_wrong_arguments_say_what_is_allowed():
    with pytest.raises(InputError, match="`repetitions` must be a whole number from 1, got 0"):
        knee(1, 1, 1, 0)
    with pytest.raises(InputError, match="`sensitivity` must be 0 or more, got -1"):
        knee(1, 1, 1, 9, sensitivity=-1)


def test_knees_against_m():
    curve = Saturation(0.54, 0.271, 0.33, 1, np.ones(0), 24, 24)
    against = knees_by_repetitions(curve, 60)
    assert against.knee[:5].tolist() == [0] * 5
    assert against.knee[23] == 8
    assert against.knee[47] == 10
    there = against.knee > 0
    assert (np.abs(against.knee[there] - against.closed_form[there]) < 1).all()
    assert (np.diff(against.knee[there]) >= 0).all()


# the fit


def curves_of(points) -> Curves:
    points = np.atleast_2d(points)
    return Curves(points[0], points[1:], np.full(points.shape[1], 50))


def noisy(a, b, c, m, k=6, noise=0.02, seed=0):
    rng = np.random.default_rng(seed)
    x = np.arange(1, m + 1)
    return curves_of(a * (1 - np.exp(-b * x)) + c + noise * rng.normal(size=(k, m)))


@pytest.mark.parametrize("measure", PAPER)
def test_recovers_the_curve_it_is_given(measure):
    a, b, c, expected = PAPER[measure]
    found = fit(noisy(a, b, c, 24, noise=0))
    np.testing.assert_allclose([found.a, found.b, found.c], [a, b, c], rtol=1e-9)
    np.testing.assert_allclose([found.r_squared_measured, *found.r_squared_shuffled], 1, atol=1e-12)
    assert knee(found.a, found.b, found.c, 24) == expected


def general_fit(x, y):
    def curve(x, a, b, c):
        return a * (1 - np.exp(-b * x)) + c

    return curve_fit(curve, x, y, p0=[0.5, 0.3, 0.3], ftol=1e-15, xtol=1e-15)[0]


@pytest.mark.parametrize("seed", range(10))
def test_equals_the_general_least_squares(seed):
    curves = noisy(0.54, 0.27, 0.33, 24, seed=seed)
    found = fit(curves)
    x = np.tile(np.arange(1, 25), 6)
    y = curves.points.ravel()
    expected = general_fit(x, y)
    np.testing.assert_allclose([found.a, found.b, found.c], expected, rtol=1e-6)
    for order, r_squared in zip(
        curves.points, [found.r_squared_measured, *found.r_squared_shuffled], strict=True
    ):
        error = ((order - found.at(np.arange(1, 25))) ** 2).sum()
        assert r_squared == pytest.approx(1 - error / ((order - order.mean()) ** 2).sum(), abs=1e-12)
    assert found.n == 144


@pytest.mark.parametrize("seed", range(5))
def test_missing_points_are_left_out(seed):
    curves = noisy(0.5, 0.4, 0.2, 20, seed=seed)
    points = curves.points
    points[np.random.default_rng(seed).random(points.shape) < 0.2] = np.nan
    found = fit(curves_of(points))
    there = ~np.isnan(points)
    x, y = np.broadcast_to(np.arange(1, 21), points.shape)[there], points[there]
    expected = general_fit(x, y)
    np.testing.assert_allclose([found.a, found.b, found.c], expected, rtol=1e-6)
    assert found.n == there.sum()


@given(some.integers(0, 10**6), some.floats(0, 0.3), some.integers(8, 30))
def test_no_other_b_fits_better(seed, noise, m):
    curves = noisy(0.5, 0.35, 0.2, m, noise=noise, seed=seed)
    found = fit(curves)
    assume(found.defined)
    x = np.arange(1, m + 1)
    y = curves.points.mean(axis=0)

    def left(b):
        basis = np.column_stack([1 - np.exp(-b * x), np.ones(m)])
        return ((y - basis @ np.linalg.lstsq(basis, y)[0]) ** 2).sum()

    best = left(found.b)
    assert all(left(b) >= best - 1e-12 for b in np.geomspace(0.002, 15, 300))


@pytest.mark.parametrize(
    ("points", "reason"),
    [
        (np.full((3, 12), 0.4), "do not determine"),
        (np.linspace(0.1, 0.9, 12)[None], "does not level off within 12 repetitions"),
        (np.exp(np.arange(12) / 12)[None], "does not level off"),
        (0.9 - 0.5 * (1 - np.exp(-0.5 * np.arange(12)))[None], "does not level off"),
        ([[0.2, 0.9]], "do not determine"),
        ([[0.5]], "do not determine"),
        ([[0.2] + [0.9] * 11], "do not determine"),
    ],
)
def test_no_saturation_is_said(points, reason):
    found = fit(curves_of(points))
    assert not found.defined
    assert reason in found.reason
    assert np.isnan([found.a, found.b, found.c, found.r_squared_measured, *found.r_squared_shuffled]).all()
    assert np.isnan(found.at([1, 2])).all()


def test_undefined_curves_keep_their_reason():
    curves = Curves(
        np.full(4, np.nan), np.full((2, 4), np.nan), np.zeros(4, int), reason="all ratings are equal"
    )
    assert fit(curves).reason == "all ratings are equal"
    nothing = Curves(np.zeros(0), np.zeros((2, 0)), np.zeros(0, int), reason="there are no ratings")
    assert fit(nothing).reason == "there are no ratings"
    assert fit_all([]) == []


def test_several_at_once_equal_each_alone():
    several = [noisy(0.5, 0.3, 0.2, m, k=k, seed=m) for m, k in [(24, 6), (10, 3), (15, 1), (4, 2)]]
    for one, found in zip(several, fit_all(several), strict=True):
        alone = fit(one)
        np.testing.assert_allclose([found.a, found.b, found.c], [alone.a, alone.b, alone.c], rtol=1e-9)
        assert found.repetitions == one.repetitions


def test_flat_orders_have_no_r_squared():
    curves = noisy(0.5, 0.4, 0.3, 20, noise=0)
    points = curves.points
    points[2] = 0.7
    found = fit(curves_of(points))
    assert np.isnan(found.r_squared_shuffled[1])
    assert np.isfinite(found.r_squared_measured)
