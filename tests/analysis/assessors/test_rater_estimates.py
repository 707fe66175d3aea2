"""Raters in the order of their consistency."""

from math import nan

import numpy as np

from analysis.assessors.consistency import CONSTANT, Consistency, agreement_with_others
from analysis.assessors.system_model import consistency_estimates, rank_raters
from analysis.values.estimate import BootstrapSpec, Estimate
from analysis.values.ratings import Ratings


def on_texts(*alphas: float) -> Consistency:
    n = len(alphas)
    counts = np.full(n, 2, dtype=np.int64)
    return Consistency(np.arange(n), tuple(Estimate(alpha, n=12) for alpha in alphas), counts, counts)


def test_the_best_come_first_and_undefined_ones_not_at_all() -> None:
    assert [rater for rater, _ in rank_raters(on_texts(0.2, nan, 0.9, 0.5))] == [2, 3, 0]


def test_three_items_in_perfect_agreement_rank_last() -> None:
    item = np.concatenate([np.tile(np.arange(20), 2), [0, 1, 2]])
    rater = np.concatenate([np.repeat([0, 1], 20), [2, 2, 2]])
    quality = np.random.default_rng(0).normal(0, 1, 20)
    score = np.concatenate([quality, quality + np.tile([0.4, -0.4], 10), quality[:3]])
    ranked = agreement_with_others(Ratings(item, rater, score), BootstrapSpec(draws=0))
    assert ranked.correlation[2] > 0.9
    assert [rater for rater, _ in rank_raters(ranked)][-1] == 2


def test_raters_are_ranked_by_their_figure_and_equal_ones_by_the_lower_end() -> None:
    wide, narrow, low = (
        Estimate(0.9, 0.1, 0.99, 12),
        Estimate(0.9, 0.7, 0.95, 40),
        Estimate(0.95, 0.0, 0.99, 40),
    )
    counts = np.array([12, 40, 40])
    ranked = Consistency(np.arange(3), (wide, narrow, low), counts, counts)
    assert [rater for rater, _ in rank_raters(ranked)] == [2, 1, 0]


def test_agreement_with_the_others_has_an_estimate_per_rater_with_its_reason() -> None:
    item, rater = np.tile(np.arange(6), 2), np.repeat([0, 1], 6)
    score = np.concatenate([np.arange(6.0), np.full(6, 3.0)])
    of_others = agreement_with_others(Ratings(item, rater, score), BootstrapSpec(draws=0))
    first, second = consistency_estimates(of_others)
    assert (first.n, first.defined) == (6, False)
    assert (first.reason, second.reason) == ("the others' means do not vary", CONSTANT)
