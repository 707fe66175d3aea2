"""Both scopes of what a candidate is worth: over items alone, or over items and raters."""

import numpy as np
import pytest

from analysis.replacement.alternative_annotator import alternative_annotator_test
from analysis.replacement.effective_number import effective_number_of_raters, shared_errors
from analysis.replacement.reference_means import two_way_covariances
from analysis.resampling.intervals import jackknife_covariance
from analysis.values.ratings import Ratings


def study() -> tuple[Ratings, list[dict[int, float]]]:
    rng = np.random.default_rng(5)
    truth, n, w = rng.normal(0, 1, 40), 40, 7
    score = truth[:, None] * rng.uniform(0.3, 1.7, w) + rng.normal(0, 0.6, (n, w))
    given = Ratings(np.repeat(np.arange(n), w), np.tile(np.arange(w), n), score.ravel())
    return given, [dict(enumerate(truth + rng.normal(0, 0.5, n))) for _ in range(2)]


def test_for_these_raters_only_items_are_left_out():
    rng = np.random.default_rng(1)
    items, raters, ratings = (rng.normal(size=(n, 2)) for n in (20, 5, 100))
    over_items, by_raters = two_way_covariances(items, raters, ratings, scope="these raters")
    np.testing.assert_array_equal(over_items, jackknife_covariance(items))
    assert not by_raters.any()


@pytest.mark.parametrize("figure", ["worth", "errors", "advantage"])
def test_raters_like_these_widen_the_interval_and_keep_the_figure(figure):
    given, candidates = study()
    answers = given.rater, given.item, given.score

    def estimate(scope):
        if figure == "worth":
            return effective_number_of_raters(given, candidates[0], scope=scope)
        if figure == "errors":
            return shared_errors(given, candidates, scope=scope).correlation
        return alternative_annotator_test(*answers, candidates[0], "negative rmse", scope=scope).advantage

    these, like = estimate("these raters"), estimate("raters like these")
    assert these.value == like.value
    assert like.low <= these.low < these.high <= like.high
