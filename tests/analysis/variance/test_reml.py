import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.agreement.intraclass import icc
from analysis.values.estimate import BootstrapSpec
from analysis.values.ratings import Ratings
from analysis.variance.components import estimate_by_moments
from analysis.variance.reml import _LikelihoodEquations, reml
from analysis.variance.sources import design
from tests.analysis.variance.designs import brennan_1, crossed, spelled_out, systems


@pytest.mark.parametrize(
    "ratings",
    [
        dict(zip(("item", "rater", "score"), crossed(12, 7, 3, seed=1), strict=True)),
        systems(2, kept=0.7),
        {"item": np.repeat(np.arange(6), 4), "rater": np.arange(24), "score": np.arange(24.0) ** 2 % 7},
    ],
    ids=["sparse", "systems", "items only"],
)
def test_the_likelihood_is_that_of_matrices_of_all_ratings(ratings: dict[str, np.ndarray]) -> None:
    made = design(**ratings)
    variance = np.random.default_rng(3).uniform(0.2, 1.5, len(made.sources) + 1)
    at = _LikelihoodEquations(made, 1.0).evaluate(variance)
    deviance, information, wanted = spelled_out(made, variance)
    assert at.deviance == pytest.approx(deviance, rel=1e-10)
    assert at.information == pytest.approx(information, rel=1e-9)
    assert at.quadratic_forms == pytest.approx(wanted, rel=1e-9)


@given(st.integers(0, 10**6))
@settings(max_examples=20)
def test_no_variances_nearby_are_likelier(seed: int) -> None:
    made = design(*crossed(10, 6, 3, seed))
    fit = reml(made)
    rng = np.random.default_rng(seed)
    for _ in range(5):
        nearby = np.maximum(fit.variance * rng.uniform(0.8, 1.25, 3) + rng.choice([0.0, 0.01]), 1e-6)
        assert spelled_out(made, nearby)[0] >= fit.deviance - 1e-7


@given(st.integers(0, 10**6))
@settings(max_examples=20)
def test_on_complete_ratings_it_is_the_analysis_of_variance_where_that_is_not_negative(seed: int) -> None:
    made = design(*crossed(8, 5, 5, seed))
    anova = estimate_by_moments(made)
    if (anova > 0).all():
        assert reml(made).variance == pytest.approx(anova, rel=1e-7)


def test_it_is_what_statsmodels_finds_on_incomplete_ratings() -> None:
    import pandas as pd
    from statsmodels.regression.mixed_linear_model import MixedLM

    item, rater, score = crossed(15, 8, 4, seed=4)
    frame = pd.DataFrame({"item": item, "rater": rater, "score": score, "all": 1})
    model = MixedLM.from_formula(
        "score ~ 1",
        groups="all",
        re_formula="0",
        vc_formula={"item": "0 + C(item)", "rater": "0 + C(rater)"},
        data=frame,
    )
    theirs = model.fit(reml=True)
    ours = reml(design(item, rater, score)).variance
    assert ours == pytest.approx([*theirs.vcomp, theirs.scale], rel=2e-3)


def test_it_is_the_fit_of_the_intraclass_correlations() -> None:
    item, rater, score = crossed(40, 9, 3, seed=5)
    theirs = icc(Ratings(item, rater, score), BootstrapSpec(0)).variances
    assert reml(design(item, rater, score)).variance == pytest.approx(theirs, rel=1e-4)


def test_a_variance_that_would_be_negative_is_zero() -> None:
    item, rater = (codes.ravel() for codes in np.indices((6, 4)))
    score = rater + np.where(item % 2 == 0, 0.1, -0.1) * np.where(rater % 2 == 0, 1, -1)
    made = design(item, rater, score)
    assert estimate_by_moments(made)[0] < 0
    assert reml(made).variance[0] == 0


def test_the_covariance_on_complete_ratings_is_that_of_mean_squares() -> None:
    made = design(*brennan_1())
    within = 2 * 0.126852**2 / 99
    covariance = reml(made).covariance
    assert covariance[2, 2] == pytest.approx(within, rel=1e-4)
    assert covariance[0, 2] == pytest.approx(-within / 12, rel=1e-4)
    assert covariance[1, 2] == pytest.approx(-within / 10, rel=1e-4)


def test_progress_is_reported_step_by_step_and_changes_nothing() -> None:
    told: list[float] = []
    made = design(**systems(2, kept=0.7))
    assert reml(made, told.append).variance.tolist() == reml(made).variance.tolist()
    assert len(told) > 2
    assert all(0 <= done <= 1 for done in told)
    assert told[-1] > told[0]
