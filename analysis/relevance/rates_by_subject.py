"""Each subject's own rates for every surrogate: what an analysis of variance over raters or events compares."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.relevance.judgments import coded, codes, numbers, yes_or_no
from analysis.relevance.relevance_draws import ratio

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class SubjectRates:
    """Rates of n subjects (raters or events, in ascending order) for k surrogates, (n, k) each.

    NaN where a subject has no judgment of known truth, none judged relevant (precision) or none relevant (recall).
    """

    accuracy: Floats
    precision: Floats
    recall: Floats
    f_score: Floats


def rates_by_subject(
    subject: ArrayLike,
    surrogate: ArrayLike,
    judgment: ArrayLike,
    truth: ArrayLike,
    surrogates: int | None = None,
) -> SubjectRates:
    """Accuracy, precision, recall and F of every subject for every surrogate.

    Parameters
    ----------
    subject : (N,) ids of raters or events
    surrogate : (N,) codes from 0
    judgment : (N,) 0 or 1
    truth : (N,) 0, 1, or NaN where not known
    surrogates : k, how many there are; as many as there are codes unless told

    Returns
    -------
    SubjectRates
        (n, k) tables, as `analysis.relevance.anova.of_table` takes them.

    Raises
    ------
    InputError
        where lengths differ, a code is not below `surrogates`, or judgments or truths are not 0 or 1.

    Notes
    -----
    Answers: what does each rater, or each event, say of each surrogate? Not a figure of the whole study, which counts
    judgments alike, while here subjects count alike. F is 2 TP / (2 TP + FP + FN).
    Source: Hobson, Dorr, Monz and Schwartz 2007, sections 3 and 4.3.1, Table 1; methods, section 6.

    >>> rates_by_subject([1, 1, 2, 2], [0, 0, 0, 1], [1, 0, 1, 1], [1, 1, 1, 0]).accuracy.tolist()
    [[0.5, nan], [1.0, 0.0]]
    """
    who, n = coded("subject", subject)
    shown, k = codes("surrogate", surrogate, len(who), surrogates)
    judged = yes_or_no("judgment", judgment, len(who))
    true = yes_or_no("truth", truth, len(who), may_lack=True)
    known = ~np.isnan(true)
    outcome = (2 * judged[known] + true[known]).astype(np.int64)
    cell = (who[known] * k + shown[known]) * 4 + outcome
    tn, fn, fp, tp = np.moveaxis(np.bincount(cell, minlength=4 * n * k).reshape(n, k, 4), 2, 0)
    return SubjectRates(
        ratio(tp + tn, tp + tn + fp + fn),
        ratio(tp, tp + fp),
        ratio(tp, tp + fn),
        ratio(2 * tp, 2 * tp + fp + fn),
    )


def seconds_by_subject(
    subject: ArrayLike, surrogate: ArrayLike, seconds: ArrayLike, surrogates: int | None = None
) -> Floats:
    """Mean seconds of every subject for every surrogate (Hobson, Dorr, Monz and Schwartz 2007, Table 7).

    >>> seconds_by_subject([1, 1, 2], [0, 0, 1], [2, 4, 9]).tolist()
    [[3.0, nan], [nan, 9.0]]
    """
    who, n = coded("subject", subject)
    shown, k = codes("surrogate", surrogate, len(who), surrogates)
    taken = numbers("seconds", seconds, len(who))
    known = ~np.isnan(taken)
    cell = who[known] * k + shown[known]
    total, many = np.bincount(cell, taken[known], n * k), np.bincount(cell, minlength=n * k)
    return ratio(total, many).reshape(n, k)
