"""Estimates of the consistency of raters."""

import numpy as np

from analysis.assessors.consistency import CONSTANT, agreement_with_others
from analysis.assessors.system_model import consistency_estimates
from analysis.values.estimate import BootstrapSpec
from analysis.values.ratings import Ratings


def test_agreement_with_the_others_has_an_estimate_per_rater_with_its_reason() -> None:
    item, rater = np.tile(np.arange(6), 2), np.repeat([0, 1], 6)
    score = np.concatenate([np.arange(6.0), np.full(6, 3.0)])
    of_others = agreement_with_others(Ratings(item, rater, score), BootstrapSpec(draws=0))
    first, second = consistency_estimates(of_others)
    assert (first.n, first.defined) == (6, False)
    assert (first.reason, second.reason) == ("the others' means do not vary", CONSTANT)
