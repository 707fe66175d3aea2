"""All figures of agreement side by side are those that each method gives alone."""

import numpy as np
import pytest

from analysis.agreement.alpha import krippendorff_alpha
from analysis.agreement.chance_corrected import agreement_coefficients
from analysis.agreement.intraclass import icc
from analysis.assessors.agreement_of_everyone import agreement_of_everyone
from analysis.values.ratings import Ratings


def ratings(lowest: int) -> Ratings:
    rng = np.random.default_rng(3)
    item, rater = np.repeat(np.arange(8), 3), np.tile(np.arange(3), 8)
    return Ratings(item, rater, lowest + rng.integers(0, 5, 24) + item)


def test_every_figure_is_that_of_its_own_method() -> None:
    given, told = ratings(1), []
    figures = agreement_of_everyone(given, told.append)
    assert figures["alpha, ordinal"] == krippendorff_alpha(given.item, given.score, "ordinal")
    assert figures["ICC(C,k)"].value == pytest.approx(icc(given).consistency_k.value)
    assert list(figures)[:4] == ["alpha, nominal", "alpha, ordinal", "alpha, interval", "alpha, ratio"]
    assert len(figures) == 15
    near = agreement_coefficients(given.item, given.rater, given.score, "quadratic").estimates
    assert figures["Gwet's AC2"].value == near["Gwet AC"].value
    conger, half = figures["Conger's kappa"], near["Conger kappa"].value - near["Conger kappa"].low
    error = half / (1 - conger.value)  # on the logarithm of 1 - kappa
    assert np.log((1 - conger.high) / (1 - conger.value)) == pytest.approx(-error)
    assert np.log((1 - conger.low) / (1 - conger.value)) == pytest.approx(error)
    plain = agreement_coefficients(given.item, given.rater, given.score).estimates
    assert figures["percent agreement"].value == plain["percent agreement"].value
    assert told == [0.2, 0.4, 0.6, 0.8]


def test_ratios_need_scores_above_zero() -> None:
    assert "alpha, ratio" not in agreement_of_everyone(ratings(-3))


def test_two_raters_have_cohens_kappa_and_several_ratings_of_a_rater_count_once() -> None:
    given = ratings(1)
    two = given.rater < 2
    once = Ratings(given.item[two], given.rater[two], given.score[two])
    twice = Ratings(*(np.concatenate([part, part[:1]]) for part in (once.item, once.rater, once.score + 0)))
    assert list(agreement_of_everyone(once))[-1] == "Cohen's kappa"
    assert agreement_of_everyone(twice)["Cohen's kappa"] == agreement_of_everyone(once)["Cohen's kappa"]
