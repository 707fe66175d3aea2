import numpy as np
import pytest
from scipy import stats

from analysis.variance.components import mean_square_weights, sample_variances
from analysis.variance.sources import design
from tests.analysis.variance.designs import crossed, systems


def test_on_complete_ratings_means_hold_what_finer_sources_leave_in_them() -> None:
    made = design(**systems(0))
    names = [source.name for source in made.sources]
    of_system = dict(zip((*names, "rest"), mean_square_weights(made)[names.index("system")], strict=True))
    assert of_system == pytest.approx(
        {
            "item": 1 / 8,
            "rater": 0,
            "system": 1,
            "topic": 0,
            "system × rater": 1 / 4,
            "topic × rater": 0,
            "rest": 1 / 32,
        }
    )


def test_a_variance_alone_is_divided_by_draws_of_chi_squared() -> None:
    values = sample_variances(
        np.array([2.0]), np.array([[2 * 2.0**2 / 9]]), np.eye(1), np.random.default_rng(0), 200_000
    )
    low, high = np.quantile(values, [0.025, 0.975])
    assert [low, high] == pytest.approx(9 * 2 / stats.chi2.ppf([0.975, 0.025], 9), rel=0.02)


def test_a_variance_known_exactly_is_not_drawn() -> None:
    made = design(*crossed(6, 4, 4, seed=0))
    values = sample_variances(
        np.array([1.0, 0.5, 0.0]), np.zeros((3, 3)), mean_square_weights(made), np.random.default_rng(0), 10
    )
    assert values == pytest.approx(np.tile([1.0, 0.5, 0.0], (10, 1)))
