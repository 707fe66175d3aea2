import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.variance import components
from analysis.variance.components import estimate_by_moments, expected_sums_of_squares, moments_covariance
from analysis.variance.sources import Design, design
from tests.analysis.variance.designs import BRENNAN, brennan_3, crossed, systems


def spelled_out(made: Design) -> np.ndarray:
    """Coefficient of each variance in each expected sum of squares, by matrix algebra."""
    n = made.ratings
    same = [(s.level[:, None] == s.level).astype(float) for s in made.sources] + [np.eye(n)]
    forms = [of / of.sum(axis=1)[:, None] - 1 / n for of in same]
    return np.array([[np.trace(form @ of) for of in same] for form in forms])


@pytest.mark.parametrize("kept", [1.0, 0.6])
def test_expectations_are_the_traces(kept: float) -> None:
    made = design(**systems(0, kept))
    assert expected_sums_of_squares(made) == pytest.approx(spelled_out(made))


def test_a_published_three_way_table() -> None:
    made = design(**brennan_3())
    found = dict(zip((*(s.name for s in made.sources), "rest"), estimate_by_moments(made), strict=True))
    published = BRENNAN["3"]["variances"]
    theirs = {
        "system": "person",
        "topic": "item",
        "rater": "occasion",
        "item": "person x item",
        "system × rater": "person x occasion",
        "topic × rater": "item x occasion",
        "rest": "rest",
    }
    assert {theirs[name]: round(v, 4) for name, v in found.items()} == published


@given(st.integers(0, 10**6), st.floats(-5, 5), st.floats(0.1, 10))
@settings(max_examples=20)
def test_a_shift_of_the_scale_changes_nothing_and_its_unit_is_squared(
    seed: int, shift: float, unit: float
) -> None:
    item, rater, score = crossed(10, 6, 3, seed)
    plain, moved = (estimate_by_moments(design(item, rater, s)) for s in (score, shift + unit * score))
    assert moved == pytest.approx(unit**2 * plain, rel=1e-6, abs=1e-9 * unit**2)


def test_the_covariance_on_complete_ratings_is_near_that_of_mean_squares(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(components, "TRACE_STUDIES", (2000, 2000))
    made = design(*crossed(20, 6, 6, seed=0))
    found = moments_covariance(made, np.array([0.6, 0.2, 0.5]), seed=1)
    of_rest, of_items = 2 * 0.5**2 / 95, 2 * (6 * 0.6 + 0.5) ** 2 / 19
    assert found[2, 2] == pytest.approx(of_rest, rel=0.05)
    assert found[0, 0] == pytest.approx((of_items + of_rest) / 36, rel=0.05)


@pytest.mark.parametrize(("kept", "zero"), [(1.0, 2), (0.6, None)])
def test_the_covariance_is_that_of_normal_ratings_by_matrices(
    kept: float, zero: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = design(**systems(0, kept))
    variance, n = np.arange(1.0, len(made.sources) + 2), made.ratings
    if zero is not None:
        variance[zero] = -1.0
    same = [(s.level[:, None] == s.level).astype(float) for s in made.sources] + [np.eye(n)]
    whole = sum(max(of, 0.0) * matrix for of, matrix in zip(variance, same, strict=True))
    forms = [matrix / matrix.sum(axis=1)[:, None] - 1 / n for matrix in same]
    solve = np.linalg.inv(spelled_out(made))
    exact = 2 * solve @ [[np.trace(a @ whole @ b @ whole) for b in forms] for a in forms] @ solve.T
    monkeypatch.setattr(components, "TRACE_STUDIES", (3000, 3000))
    error = np.sqrt(np.diag(exact))
    np.testing.assert_allclose(
        moments_covariance(made, variance, seed=5) / np.outer(error, error),
        exact / np.outer(error, error),
        atol=0.08,
    )


def test_few_signs_tell_no_less_than_many_simulated_studies() -> None:
    made = design(**systems(0))
    variance = np.arange(1.0, len(made.sources) + 2)
    found = [np.diag(moments_covariance(made, variance, seed)) for seed in range(30)]
    assert (np.std(found, axis=0) / np.mean(found, axis=0) < np.sqrt(2 / components.TRACE_STUDIES[1])).all()


def test_progress_is_reported_study_by_study() -> None:
    told: list[float] = []
    moments_covariance(design(**systems(0)), np.ones(7), 0, told.append)
    assert told == [(at + 1) / components.TRACE_STUDIES[1] for at in range(components.TRACE_STUDIES[1])]
