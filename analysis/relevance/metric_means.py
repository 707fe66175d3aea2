"""A metric's means: by surrogate, and over true and false positives and negatives."""

from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np
from scipy import sparse

from analysis.relevance.judged_texts import OUTCOMES, JudgedTexts, MetricTable
from analysis.relevance.judgments import joint
from analysis.relevance.relevance_draws import Units, drawn_sums, mean_over, membership, with_interval
from analysis.values.errors import InputError
from analysis.values.estimate import BootstrapSpec, Estimate
from analysis.values.quotients import ratio
from analysis.values.types import Codes, Floats, OnProgress

_OUTCOMES = {"tp": "true positive", "tn": "true negative", "fp": "false positive", "fn": "false negative"}


@dataclass(frozen=True)
class MetricMean:
    """A metric's `mean` over the `n` texts of a surrogate and its `sd`; `without_value` texts have none."""

    surrogate: Any
    mean: float
    sd: float
    n: int
    without_value: int
    reason: str = ""


@dataclass(frozen=True)
class OutcomeMean:
    """A metric's mean over judgments of one outcome ("tp", "tn", "fp", "fn") of one surrogate, with n judgments of
    `texts` different texts.
    """

    surrogate: Any
    outcome: str
    mean: Estimate
    texts: int


def metric_means(metric: MetricTable) -> tuple[MetricMean, ...]:
    """A metric's mean, SD and number of texts of each surrogate.

    Parameters
    ----------
    metric : texts with their values (M,), NaN where unknown

    Returns
    -------
    tuple of MetricMean
        by surrogate, in ascending order.

    Raises
    ------
    InputError
        where lengths differ.

    Notes
    -----
    Whether they differ by more than chance over events: `analysis.relevance.anova.repeated_measures` with events as
    subjects, and `analysis.relevance.tukey`.
    Source: Hobson et al. 2007, Tables 3 and 9; methods, section 6.

    >>> metric_means(MetricTable([1, 1, 1], ["a", "b", "c"], ["h"] * 3, [0.1, 0.3, float("nan")]))[0].mean
    0.2
    """
    value = np.asarray(metric.value, dtype=np.float64)
    surrogates, code = np.unique(np.asarray(metric.surrogate), return_inverse=True)
    if value.ndim != 1 or code.shape != value.shape:
        raise InputError(
            f"`metric.value` and `metric.surrogate` must be 1-d and equally long, got {value.shape} and {code.shape}"
        )
    known = np.isfinite(value)
    n = np.bincount(code[known], minlength=len(surrogates))
    mean = ratio(np.bincount(code[known], value[known], len(surrogates)), n)
    squares = np.bincount(code[known], (value[known] - mean[code[known]]) ** 2, len(surrogates))
    sd = np.sqrt(ratio(squares, np.where(n > 1, n - 1, 0)))
    missing = np.bincount(code[~known], minlength=len(surrogates))
    return tuple(
        MetricMean(name, float(mean[k]), float(sd[k]), int(n[k]), int(missing[k]), _few_texts(int(n[k])))
        for k, name in enumerate(surrogates.tolist())
    )


def outcome_means(
    texts: JudgedTexts, bootstrap: BootstrapSpec | None = None, on_progress: OnProgress = None
) -> tuple[OutcomeMean, ...]:
    """A metric's mean over true and false positives and negatives of each surrogate.

    Parameters
    ----------
    texts : t texts (t,) with N judgments (N,), of k surrogates
    bootstrap : of the intervals, over raters and documents
    on_progress : called between blocks of draws with the share done

    Returns
    -------
    tuple of OutcomeMean
        k x 4, by surrogate and then as in `OUTCOMES`.

    Notes
    -----
    A text counts once per judgment of that outcome. Intervals are for other raters and other documents of these events.
    Source: Hobson et al. 2007, section 5.4; methods, section 6.
    """
    spec = BootstrapSpec() if bootstrap is None else bootstrap
    k, kinds = len(texts.surrogates), len(OUTCOMES)
    cell = texts.surrogate[texts.text] * kinds + texts.outcome
    value = texts.metric[texts.text]
    n = np.bincount(cell, minlength=k * kinds)
    mean = ratio(np.bincount(cell, value, k * kinds), n)
    seen = np.unique(cell * max(len(texts.metric), 1) + texts.text) // max(len(texts.metric), 1)
    distinct = np.bincount(seen, minlength=k * kinds)
    of = _units(texts)
    drawn = _drawn_outcomes(cell, value, k * kinds, of, spec, on_progress)
    return tuple(
        OutcomeMean(
            name,
            outcome,
            with_interval(
                Estimate(float(mean[at]), n=int(n[at]), reason=_no_outcome(outcome, int(n[at]))),
                drawn[at],
                of,
                spec,
            ),
            int(distinct[at]),
        )
        for at, (name, outcome) in enumerate(
            (name, outcome) for name in texts.surrogates.tolist() for outcome in OUTCOMES
        )
    )


def _few_texts(n: int) -> str:
    if n == 0:
        return "no text of it has a metric value"
    return "one text has no spread" if n == 1 else ""


def _no_outcome(outcome: str, n: int) -> str:
    return "" if n else f"no judgment of it is a {_OUTCOMES[outcome]}"


def _units(texts: JudgedTexts) -> Units:
    raters, rater = np.unique(texts.rater, return_inverse=True)
    documents, unit = np.unique(texts.document[texts.text], return_inverse=True)
    many = [what for what, n in (("raters", len(raters)), ("documents", len(documents))) if n > 1]
    return Units(rater, unit, len(raters), len(documents), " and ".join(many) or "nothing")


def _drawn_outcomes(
    cell: Codes, value: Floats, cells: int, of: Units, spec: BootstrapSpec, on_progress: OnProgress
) -> Floats:
    """Means (cells, draws) under resampled raters and documents."""
    if not len(cell) or spec.draws == 0:
        return np.full((cells, spec.draws * of.kinds), nan)
    row, rows = joint(cell, of.rater)
    first = np.zeros(rows, dtype=np.int64)
    first[row] = np.arange(len(row))
    by_unit = membership(of.unit, of.units)
    of_row = membership(row, rows)
    counts, sums = of_row @ by_unit.T, (of_row * value) @ by_unit.T
    groups = membership(cell[first], cells)
    means = []
    both = sparse.vstack([counts, sums], format="csr")
    for drawn, weight in drawn_sums(both, of.rater[first], of, spec, on_progress):
        n, total = drawn[:rows], drawn[rows:]
        means.append(mean_over(groups, ratio(total, n), n * weight))
    return np.concatenate(means, axis=1)
