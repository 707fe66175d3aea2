"""Sums of outcomes: counted by hand, against two truths and with seconds."""

import numpy as np

from analysis.relevance.agreements import agreement_figures, mean_seconds, outcome_sums
from analysis.relevance.judgments import Judgments
from analysis.relevance.metric_means import find_units


def test_outcomes_unknown_truths_and_seconds_are_counted():
    # rater 1: judged yes (is yes), no (is yes), yes (is no); rater 2: no (is no), yes (not known)
    of = Judgments([1, 1, 1, 2, 2], [1, 1, 2, 1, 2], [1, 2, 1, 1, 1], [0] * 5, [1, 0, 1, 0, 1],
                   seconds=[2, 4, np.nan, 6, 8])  # fmt: skip
    truth = np.array([1, 1, 0, 0, np.nan])
    sums = outcome_sums(of, find_units(of), [truth], timed=True)
    # rows TP, TN, FP, FN of raters 1 and 2, then seconds and how many
    assert sums.total.tolist() == [[1, 0], [0, 1], [1, 0], [1, 0], [6, 14], [2, 2]]
    assert (sums.judgments.tolist(), sums.unknown.tolist(), sums.documents.tolist()) == ([5], [[1]], [[3]])
    once = np.ones((2, 1))
    accuracy, precision, recall, f_score, _ = agreement_figures(sums.total[:4, :, None], once, sums.groups)[
        :, 0, 0
    ]
    assert (accuracy, precision, recall, f_score) == (0.5, 0.5, 0.5, 0.5)
    assert mean_seconds(sums.total[4:, :, None], once, sums.groups).tolist() == [[5.0]]
