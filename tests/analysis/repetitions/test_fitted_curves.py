"""Curves with what is fitted to them: the level that is read of them, and the knees of several measures together."""

import numpy as np
import pytest

from analysis.repetitions.knee import FittedCurves, fit_curves, knee, median_knee, sort_by_knee
from analysis.repetitions.repetition import RepetitionSpec, simulate
from analysis.repetitions.saturation import Curves, fit
from analysis.values.ratings import Ratings


def curves(points: np.ndarray, **more: object) -> Curves:
    return Curves(points, np.tile(points, (2, 1)), np.full(len(points), 50), **more)


def saturating(b: float, m: int = 12, **more: object) -> Curves:
    return curves(0.9 - 0.6 * np.exp(-b * np.arange(1, m + 1)), **more)


def fitted(one: Curves) -> FittedCurves:
    return fit_curves(["focus"], [one], sensitivity=1.0)[0]


def test_measures_fitted_together_equal_each_by_itself() -> None:
    both = [saturating(0.6), saturating(0.4, m=9)]
    for together, one in zip(fit_curves(["a", "b"], both, 1.0), both, strict=True):
        alone = fit(one)
        np.testing.assert_allclose(
            [together.saturation.a, together.saturation.b], [alone.a, alone.b], rtol=1e-9
        )
        assert together.knee == knee(alone.a, alone.b, alone.c, one.repetitions, 1.0)


def test_the_level_of_ratings_is_that_of_the_fitted_curve() -> None:
    one = fitted(saturating(0.6))
    assert one.level(4) == pytest.approx(0.9 - 0.6 * np.exp(-2.4))
    assert np.isnan(one.level(13))
    assert one.loss(4, 99) == pytest.approx(0.6 * (np.exp(-2.4) - np.exp(-7.2)))


def test_the_level_of_votes_is_the_mean_over_orders() -> None:
    points = np.array([0.5, 0.5, 0.7, 0.7, 0.8, 0.8, 0.82, 0.82])
    assert fitted(curves(points, reference="gold")).level(3) == pytest.approx(0.7)


def test_split_halves_are_known_twice_as_far() -> None:
    rng = np.random.default_rng(0)
    item = np.repeat(np.arange(60), 8)
    ratings = Ratings(
        item, np.tile(np.arange(8), 60), rng.normal(0, 1, 60)[item] + rng.normal(0, 1, len(item))
    )
    one = fitted(simulate(ratings, None, RepetitionSpec(shuffles=5)))
    assert one.extrapolation is not None
    assert (one.largest_known, one.longest_shown) == (8, 12)
    assert one.level(8) == one.extrapolation.curve[7]
    assert one.loss(2, 8) == one.extrapolation.curve[7] - one.extrapolation.curve[1]


def test_the_median_knee_is_rounded_up() -> None:
    several = fit_curves(
        ["slow", "none", "fast"], [saturating(0.4), curves(np.linspace(0.2, 0.9, 8)), saturating(0.6)], 1
    )
    assert [one.measure for one in sort_by_knee(several)] == ["fast", "slow"]
    assert [one.knee for one in sort_by_knee(several)] == [4, 5]
    assert median_knee(several) == 5
    assert median_knee(several[1:2]) is None
