"""Each subject's own rates for every surrogate: what an analysis of variance over raters or events compares."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from analysis.relevance.judgments import Judgments, yes_or_no
from analysis.values.quotients import ratio
from analysis.values.types import Codes, Floats

Subject = Literal["rater", "event"]


@dataclass(frozen=True, eq=False)
class SubjectRates:
    """Rates of n subjects (raters or events, in ascending order) for k surrogates, (n, k) each.

    NaN where a subject has no judgment of known truth, none judged relevant (precision) or none relevant (recall).
    """

    accuracy: Floats
    precision: Floats
    recall: Floats
    f_score: Floats


def rates_by_subject(judgments: Judgments, subject: Subject, truth: Floats) -> SubjectRates:
    """Accuracy, precision, recall and F of every subject for every surrogate.

    Parameters
    ----------
    judgments : N of them, of k surrogates
    subject : whose rates, each rater's or each event's
    truth : (N,) 0, 1, or NaN where not known

    Returns
    -------
    SubjectRates
        (n, k) tables, as `analysis.relevance.anova.of_table` takes them.

    Notes
    -----
    Not a figure of the whole study, which counts judgments alike, while here subjects count alike. F is 2 TP / (2 TP +
    FP + FN).
    Source: Hobson, Dorr, Monz and Schwartz 2007, sections 3 and 4.3.1, Table 1; methods, section 6.

    >>> of = Judgments([1, 1, 2, 2], [1] * 4, [1, 2, 1, 2], [0, 0, 0, 1], [1, 0, 1, 1])
    >>> rates_by_subject(of, "rater", np.array([1, 1, 1, 0])).accuracy.tolist()
    [[0.5, nan], [1.0, 0.0]]
    """
    cell, shape = _cells(judgments, subject)
    true = yes_or_no("truth", truth, len(judgments), may_lack=True)
    known = ~np.isnan(true)
    outcome = (2 * judgments.judgment[known] + true[known]).astype(np.int64)
    counts = np.bincount(cell[known] * 4 + outcome, minlength=4 * shape[0] * shape[1])
    tn, fn, fp, tp = np.moveaxis(counts.reshape(*shape, 4), 2, 0)
    return SubjectRates(
        ratio(tp + tn, tp + tn + fp + fn),
        ratio(tp, tp + fp),
        ratio(tp, tp + fn),
        ratio(2 * tp, 2 * tp + fp + fn),
    )


def seconds_by_subject(judgments: Judgments, subject: Subject) -> Floats:
    """Mean seconds (n, k) of every subject for every surrogate, NaN where no time is known (Hobson, Dorr, Monz and
    Schwartz 2007, Table 7).

    >>> of = Judgments([1, 1, 2], [1] * 3, [1, 2, 1], [0, 0, 1], [1, 0, 1], seconds=[2, 4, 9])
    >>> seconds_by_subject(of, "rater").tolist()
    [[3.0, nan], [nan, 9.0]]
    """
    cell, shape = _cells(judgments, subject)
    known = ~np.isnan(judgments.seconds)
    total = np.bincount(cell[known], judgments.seconds[known], shape[0] * shape[1])
    many = np.bincount(cell[known], minlength=shape[0] * shape[1])
    return ratio(total, many).reshape(shape)


def _cells(judgments: Judgments, subject: Subject) -> tuple[Codes, tuple[int, int]]:
    """Each judgment's cell (N,) in a table of n subjects by k surrogates, and the table's shape."""
    codes, k = judgments.codes, len(judgments.surrogates)
    who, n = (codes.rater, codes.raters) if subject == "rater" else (codes.event, codes.events)
    return who * k + codes.surrogate, (n, k)
