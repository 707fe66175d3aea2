"""All figures of agreement side by side are those that each method gives alone."""

import numpy as np
import pytest

from analysis.agreement.alpha import krippendorff_alpha
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
    assert len(figures) == 10
    assert told == [0.2, 0.4, 0.6, 0.8]


def test_ratios_need_scores_above_zero() -> None:
    assert "alpha, ratio" not in agreement_of_everyone(ratings(-3))
