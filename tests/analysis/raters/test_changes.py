"""Changes of raters' figures without a unit, against the figure of all other units."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from analysis.agreement.alpha import krippendorff_alpha
from analysis.agreement.reliability import rater_reliability
from analysis.assessors.typical_rater import (
    alpha_changes,
    clipped_fisher_z,
    correlation_changes,
    log_disagreement,
    scatter_changes,
)
from analysis.values.estimate import BootstrapSpec, InputError
from analysis.values.ratings import Ratings

SEEDS = some.integers(0, 10_000)


def ratings(seed: int, items: int = 14, raters: int = 5) -> Ratings:
    """Ratings from 1 to 5 with gaps, and a rater who repeats an item."""
    rng = np.random.default_rng(seed)
    there = np.flatnonzero(rng.random(items * raters) < 0.7)
    item, rater = np.divmod(np.append(there, there[0]), raters)
    felt = rng.normal(3, 1, items)[item] + rng.normal(0, 1, len(item))
    return Ratings(item, rater, np.clip(np.rint(felt), 1, 5))


def without(given_ratings: Ratings, item: int) -> Ratings:
    kept = given_ratings.item != item
    return Ratings(given_ratings.item[kept], given_ratings.rater[kept], given_ratings.score[kept])


@given(SEEDS)
def test_correlations_change_as_those_of_all_other_items(seed: int) -> None:
    study = ratings(seed)
    found, whole = correlation_changes(study), rater_reliability(study)
    np.testing.assert_allclose(found.z, clipped_fisher_z(whole.correlation), atol=1e-12)
    np.testing.assert_array_equal(found.units, whole.items)
    for unit, rater, change in zip(found.unit, found.rater, found.change, strict=True):
        items = np.unique(study.item)
        left = rater_reliability(without(study, items[unit]))
        r = left.correlation[left.raters == found.raters[rater]]
        if len(r) and left.items[left.raters == found.raters[rater]] > 2 and not np.isnan(r).any():
            assert change == pytest.approx(float(clipped_fisher_z(r)[0]) - found.z[rater], abs=1e-9)


@given(SEEDS)
def test_scatter_is_of_residuals_and_changes_as_that_of_all_other_items(seed: int) -> None:
    study = ratings(seed)

    def scatter(part: Ratings, rater: int) -> float:
        differences = []
        for item in np.unique(part.item[part.rater == rater]):
            own = part.score[(part.item == item) & (part.rater == rater)]
            others = part.score[(part.item == item) & (part.rater != rater)]
            if len(others):
                differences.append(own.mean() - others.mean())
        return float(np.cbrt(np.var(differences, ddof=1)))

    found = scatter_changes(study)
    items = np.unique(study.item)
    for unit, rater, change in zip(found.unit, found.rater, found.change, strict=True):
        whole = scatter(study, found.raters[rater])
        assert found.z[rater] == pytest.approx(whole, abs=1e-9)
        assert change == pytest.approx(
            scatter(without(study, items[unit]), found.raters[rater]) - whole, abs=1e-5
        )


@given(SEEDS, some.floats(0.1, 10), some.floats(-50, 50))
def test_severity_and_unit_of_the_scale_do_not_change_correlations(
    seed: int, factor: float, shift: float
) -> None:
    study = ratings(seed)
    moved = Ratings(study.item, study.rater, factor * study.score + shift)
    one, other = correlation_changes(study), correlation_changes(moved)
    np.testing.assert_allclose(one.change, other.change, atol=1e-8)
    np.testing.assert_allclose(
        scatter_changes(moved).z, factor ** (2 / 3) * scatter_changes(study).z, rtol=1e-6, atol=1e-6
    )


@given(SEEDS)
def test_alphas_change_as_those_of_all_other_sets(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rater, text = rng.integers(0, 3, 60), rng.integers(-1, 8, 60)
    score = np.rint(rng.normal(3, 1, 9)[text] + rng.normal(0, 0.5, 60))
    found = alpha_changes(rater, text, score)

    def alpha(kept: np.ndarray) -> float:
        of = krippendorff_alpha(text[kept], score[kept], bootstrap=BootstrapSpec(0))
        return float(log_disagreement(of.value))

    for at, z in enumerate(found.z):
        np.testing.assert_allclose(z, alpha((rater == at) & (text >= 0)), atol=1e-9)
    for unit, at, change in zip(found.unit, found.rater, found.change, strict=True):
        left = alpha((rater == at) & (text >= 0) & (text != unit))
        if not np.isnan(left):
            assert change == pytest.approx(left - found.z[at], abs=1e-8)


def test_a_rater_without_variation_has_no_figure_and_changes_nothing() -> None:
    item, rater = np.divmod(np.arange(60), 3)
    score = np.random.default_rng(0).integers(1, 6, 60).astype(float)
    score[rater == 1] = 4.0
    found = correlation_changes(Ratings(item, rater, score))
    assert np.isnan(found.z).tolist() == [False, True, False]
    assert (found.change[found.rater == 1] == 0).all()


def test_perfect_figures_stay_finite() -> None:
    assert np.isfinite(clipped_fisher_z([1.0, -1.0])).all()
    assert np.isfinite(log_disagreement([1.0, -3.0])).all()
    with pytest.raises(InputError, match="equally long"):
        alpha_changes([1], [1, 2], [3.0, 4.0])
