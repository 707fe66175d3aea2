"""All figures of agreement side by side are those that each method gives alone."""

import numpy as np
import pytest

from analysis.agreement.alpha import krippendorff_alpha
from analysis.agreement.chance_corrected import agreement_coefficients
from analysis.agreement.intraclass import icc
from analysis.assessors import consistency
from analysis.assessors.consistency import chance_corrected_agreement, overall_agreement
from analysis.values.ratings import Ratings


def ratings(lowest: int, raters: int = 3) -> Ratings:
    rng = np.random.default_rng(3)
    item, rater = np.repeat(np.arange(12), raters), np.tile(np.arange(raters), 12)
    return Ratings(item, rater, lowest + rng.integers(0, 5, 12 * raters) + item // 4)


def test_every_figure_is_that_of_its_own_method() -> None:
    given, told = ratings(1), []
    figures = overall_agreement(given, told.append)
    assert figures["alpha, ordinal"].fixed == krippendorff_alpha(given.item, given.score, "ordinal")
    complete = figures["ICC(C,k)"]
    assert complete.fixed is None  # F is one over items and raters
    assert complete.random is not None
    assert complete.random.value == pytest.approx(icc(given).consistency_k.value)
    assert list(figures)[:4] == ["alpha, nominal", "alpha, ordinal", "alpha, interval", "alpha, ratio"]
    assert len(figures) == 10
    assert told == [0.2, 0.4, 0.6, 0.8]


def test_agreement_beyond_chance_is_weighted_but_for_equal_values() -> None:
    given = ratings(1)
    figures = chance_corrected_agreement(given, "linear").figures
    near = agreement_coefficients(given.item, given.rater, given.score, "linear")
    plain = agreement_coefficients(given.item, given.rater, given.score)
    assert figures["Gwet's AC2"].fixed == near.estimates["Gwet AC"]
    assert figures["Fleiss' kappa"].random == near.over_raters["Fleiss kappa"]
    assert figures["Fleiss' kappa"].error == near.errors["Fleiss kappa"]
    assert figures["percent agreement"].fixed == plain.estimates["percent agreement"]
    assert "Gwet's AC1" in chance_corrected_agreement(given, "identity").figures


def test_a_grade_that_nobody_gave_counts() -> None:
    """The coefficients are those on the whole scale, and stay where a rating of the lowest grade comes and goes."""
    rng = np.random.default_rng(1)
    item, rater = (codes.ravel() for codes in np.indices((40, 4)))
    score = np.clip(np.rint(rng.normal(4.5, 0.6, 40)[item] + rng.normal(0, 0.5, 160)), 2, 5)
    rare = np.where(np.arange(160) == 0, 1.0, score)
    assert score.min() > 1
    found, again = (
        chance_corrected_agreement(Ratings(item, rater, given)).figures for given in (score, rare)
    )
    on_scale = agreement_coefficients(item, rater, score, "quadratic", [1, 2, 3, 4, 5])
    assert found["Gwet's AC2"].fixed == on_scale.estimates["Gwet AC"]
    assert found["Brennan-Prediger"].fixed == on_scale.estimates["Brennan-Prediger"]
    assert found["percent agreement"].fixed.value == agreement_coefficients(item, rater, score).estimates[
        "percent agreement"
    ].value  # fmt: skip
    for name in ("Gwet's AC2", "Brennan-Prediger"):
        assert abs(found[name].fixed.value - again[name].fixed.value) < 0.05


def test_the_scale_is_that_of_all_groups() -> None:
    given = ratings(1)
    longer = chance_corrected_agreement(given, scores=[9.0]).figures["Gwet's AC2"].fixed
    on_scale = agreement_coefficients(given.item, given.rater, given.score, "quadratic", np.arange(1, 10))
    assert longer == on_scale.estimates["Gwet AC"]


def test_ratios_need_scores_above_zero() -> None:
    assert "alpha, ratio" not in overall_agreement(ratings(-3))


def test_two_raters_have_cohens_kappa_and_several_ratings_of_a_rater_count_once() -> None:
    once = ratings(1, 2)
    twice = Ratings(*(np.concatenate([part, part[:1]]) for part in (once.item, once.rater, once.score + 0)))
    assert list(chance_corrected_agreement(once).figures)[-1] == "Cohen's kappa"
    first, second = (
        chance_corrected_agreement(given).figures["Cohen's kappa"].fixed for given in (once, twice)
    )
    assert first == second


def test_differences_are_those_of_the_coefficients() -> None:
    one, two = chance_corrected_agreement(ratings(1)), chance_corrected_agreement(ratings(1, 4))
    less = one.differences(two)["Gwet's AC2"]
    assert less.fixed == one.weighted.difference(two.weighted, "Gwet AC")
    assert less.random == one.weighted.difference(two.weighted, "Gwet AC", over_raters=True)


def test_too_many_values_have_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(consistency, "MOST_CELLS", 10)
    assert chance_corrected_agreement(ratings(1)) is None
