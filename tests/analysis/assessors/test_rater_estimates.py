"""Raters in the order of their consistency, and where they are furthest apart."""

from math import nan

import numpy as np

from analysis.assessors.consistency import Consistency, agreement_with_others
from analysis.assessors.rater_estimates import best_first, ends, estimates, widest
from analysis.values.estimate import BootstrapSpec, Estimate
from analysis.values.ratings import Ratings


def on_texts(*alphas: float) -> Consistency:
    n = len(alphas)
    counts = np.full(n, 2, dtype=np.int64)
    return Consistency(np.arange(n), tuple(Estimate(alpha) for alpha in alphas), counts, counts)


def test_the_best_come_first_and_undefined_ones_not_at_all() -> None:
    assert [rater for rater, _ in best_first(on_texts(0.2, nan, 0.9, 0.5))] == [2, 3, 0]


def test_the_ends_are_the_least_and_the_most_consistent() -> None:
    assert ends(on_texts(0.2, nan, 0.9, 0.5)) == ((0.2, 0), (0.9, 2))
    assert ends(on_texts(0.2, nan)) is None


def test_the_widest_measure_is_that_with_the_largest_distance_of_its_ends() -> None:
    measures = {"close": on_texts(0.8, 0.9), "far": on_texts(-0.1, 0.5), "alone": on_texts(0.1)}
    assert widest(measures) == "far"
    assert widest({"alone": on_texts(0.1)}) is None


def test_agreement_with_the_others_has_an_estimate_per_rater_with_its_reason() -> None:
    item, rater = np.tile(np.arange(6), 2), np.repeat([0, 1], 6)
    score = np.concatenate([np.arange(6.0), np.full(6, 3.0)])
    of_others = agreement_with_others(Ratings(item, rater, score), BootstrapSpec(draws=0))
    first, second = estimates(of_others)
    assert (first.n, first.defined) == (6, False)
    assert second.reason == "the rater's scores, or the others' means, do not vary"
