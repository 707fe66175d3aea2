"""Split halves carried on, against the formulas and against ratings that were really collected."""

import numpy as np
import pytest

from analysis.repetitions.attenuation import extrapolate
from analysis.repetitions.repetition import RepetitionSpec, simulate
from analysis.repetitions.saturation import Curves
from analysis.values.estimate import InputError
from analysis.values.ratings import Ratings


def parallel(n, m, noise, seed=0):
    rng = np.random.default_rng(seed)
    item = np.repeat(np.arange(n), m)
    return Ratings(item, np.arange(n * m), rng.normal(0, 1, n)[item] + noise * rng.normal(0, 1, n * m))


def test_the_curve_meets_its_extrapolation_at_half():
    curves = simulate(parallel(30, 9, 1), None, RepetitionSpec(shuffles=40, correlation="pearson"))
    found = extrapolate(curves, 20)
    assert found.h == 4
    assert found.halves == pytest.approx(curves.shuffled[:, 3].mean(), abs=1e-9)
    assert found.reliability[3] == pytest.approx(found.halves, abs=1e-12)
    assert found.curve[3] == pytest.approx(found.halves, abs=1e-12)
    assert found.reliability[0] == pytest.approx(found.reliability_of_one, abs=1e-12)


def test_more_ratings_repeat_as_predicted():
    few = simulate(parallel(3000, 6, 1.5), None, RepetitionSpec(shuffles=20, correlation="pearson"))
    many = simulate(parallel(3000, 24, 1.5, seed=1), None, RepetitionSpec(shuffles=5, correlation="pearson"))
    found = extrapolate(few, 12)
    assert found.reliability_of_one == pytest.approx(1 / (1 + 1.5**2), abs=0.02)
    assert found.reliability[11] == pytest.approx(many.shuffled[:, 11].mean(), abs=0.02)
    np.testing.assert_allclose(found.curve[:3], few.shuffled.mean(axis=0), atol=0.02)


def test_halves_that_do_not_agree_say_nothing():
    curves = Curves(np.zeros(2), np.zeros((1, 2)), np.full(2, 9), pearson_of_halves=np.array([-0.2]))
    found = extrapolate(curves, 5)
    assert np.isnan(found.curve).all()
    assert "no positive Pearson correlation" in found.reason
    one = simulate(Ratings([1, 2], [1, 1], [3, 4]))
    assert "at least two ratings" in extrapolate(one, 5).reason


def test_wrong_arguments_say_what_is_allowed():
    ratings = parallel(5, 4, 1)
    with pytest.raises(InputError, match="must come from split halves"):
        extrapolate(simulate(ratings, dict.fromkeys(range(5), 1.0)), 5)
    with pytest.raises(InputError, match="`repetitions` must be a whole number from 1, got 0"):
        extrapolate(simulate(ratings), 0)
