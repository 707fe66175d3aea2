"""Judgments summed by surrogate, rater and unit: outcomes against one truth or two, and seconds.

All figures of agreement are closed in these sums, so that a draw of raters and units is a weighing of them.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from analysis.relevance.judgments import Judgments
from analysis.relevance.kappa import cohen
from analysis.relevance.relevance_draws import Units, mean_over, membership
from analysis.values.quotients import ratio
from analysis.values.types import Codes, Floats

FIGURES = ("accuracy", "precision", "recall", "f_score", "kappa")


@dataclass(frozen=True, eq=False)
class OutcomeSums:
    """Sums of outcomes and seconds by surrogate and rater (p pairs) and unit.

    `sums` (q p, u) sparse, q = 4 outcomes (TP, TN, FP, FN) of each side, then seconds and how many are known;
    `total` (q, p); `surrogate`, `rater` (p,); `groups` (k, p); `judgments` (k,), `unknown` and `documents` (s, k).
    """

    of: Units
    sums: Any
    total: Floats
    surrogate: Codes
    rater: Codes
    groups: Any
    judgments: Codes
    unknown: Codes
    documents: Codes


def outcome_sums(judgments: Judgments, of: Units, truths: list[Floats], timed: bool = False) -> OutcomeSums:
    """Outcomes against each of the truths (N,), by surrogate and rater and unit; with seconds where `timed`."""
    codes, k = judgments.codes, len(judgments.surrogates)
    cell, p = np.unique(codes.surrogate * max(of.raters, 1) + of.rater, return_inverse=True)
    rows, columns, values, unknown, documents = [], [], [], [], []
    for side, truth in enumerate(truths):
        known = ~np.isnan(truth)
        judged = judgments.judgment
        outcome = np.where(judged == truth, 1 - judged, 3 - judged)[known].astype(np.int64)
        rows.append((4 * side + outcome) * len(cell) + p[known])
        columns.append(of.unit[known])
        values.append(np.ones(int(known.sum())))
        unknown.append(np.bincount(codes.surrogate[~known], minlength=k))
        shown = np.unique(codes.surrogate[known] * max(codes.documents, 1) + codes.document[known])
        documents.append(np.bincount(shown // max(codes.documents, 1), minlength=k))
    q = 4 * len(truths)
    if timed:
        known = ~np.isnan(judgments.seconds)
        for place, value in ((q, judgments.seconds[known]), (q + 1, np.ones(int(known.sum())))):
            rows.append(place * len(cell) + p[known])
            columns.append(of.unit[known])
            values.append(value)
        q += 2
    sums = sparse.coo_array(
        (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))),
        shape=(q * len(cell), of.units),
    ).tocsr()
    surrogates, raters = np.divmod(cell, max(of.raters, 1))
    return OutcomeSums(
        of,
        sums,
        np.asarray(sums.sum(axis=1), dtype=np.float64).reshape(q, len(cell)),
        surrogates,
        raters,
        membership(surrogates, k),
        np.bincount(codes.surrogate, minlength=k),
        np.array(unknown),
        np.array(documents),
    )


def figures(sums: Floats, weight: Floats, groups: Any) -> Floats:
    """Accuracy, precision, recall, F and kappa of one side (5, k, b) from sums (4, p, b) and weights (p, b)."""
    tp, tn, fp, fn = (groups @ (each * weight) for each in sums)
    yes_yes, no_no, only_judged, only_true = sums
    return np.stack(
        [
            ratio(tp + tn, tp + tn + fp + fn),
            ratio(tp, tp + fp),
            ratio(tp, tp + fn),
            ratio(2 * tp, 2 * tp + fp + fn),
            mean_over(groups, cohen(yes_yes, no_no, only_judged, only_true), weight),
        ]
    )


def seconds(sums: Floats, weight: Floats, groups: Any) -> Floats:
    """Mean seconds (k, b) from their sums and counts (2, p, b)."""
    return ratio(groups @ (sums[0] * weight), groups @ (sums[1] * weight))
