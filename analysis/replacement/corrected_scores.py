"""Mean scores of all items with the help of a candidate, corrected by the items that a reference rated."""

from dataclasses import dataclass
from math import nan, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from analysis.resampling.intervals import interval_from_error
from analysis.values.estimate import Estimate, Floats, InputError
from analysis.values.ratings import finite_numbers, numbers

FEWEST = 3
"""Rated items below which there is no score."""
FEWEST_FOR_INTERVAL, FEWEST_TO_TUNE, FEWEST_OTHERS = 8, 10, 5
"""Rated items from which there is an interval, from which the candidate's weight is tuned, and how many of them must
differ from the commonest score of the reference for that."""
CONSTANT = "all values of the candidate on items with a reference are equal, so that they correct nothing"
FEW = f"fewer than {FEWEST_FOR_INTERVAL} items have a reference, too few for an interval"
ALIKE = "nearly all rated items have the same score, so that there is no interval"
_CONSTANT = 1e-9
"""A spread below this share of the largest value is rounding."""


@dataclass(frozen=True)
class CorrectedScore:
    """A mean score by each way: `tuned` with the candidate's help, as far as so few items allow; `plain` with the
    candidate's weight 1; of the `reference`'s ratings alone; and of the candidate's values alone as `uncorrected`,
    which is off by the candidate's own bias.

    `form` of `tuned`: "tuned" to the data, "plain" where too few items are rated for that, of a "given" weight, or
    "reference" where the candidate does not vary; `weight` is that of the candidate in it; `rated` of `items` items
    have a reference.
    """

    tuned: Estimate
    plain: Estimate
    reference: Estimate
    uncorrected: float
    weight: float
    rated: int
    items: int
    form: str = "tuned"


def corrected_score(
    candidate: ArrayLike, reference: ArrayLike, level: float = 0.95, weight: float | None = None
) -> CorrectedScore:
    """The mean that the reference would give all items, from all values of a candidate and some of the reference.

    Parameters
    ----------
    candidate : (N,) its value of each item
    reference : (N,) the reference's mean of each item, NaN where it has none
    level : of the intervals
    weight : lambda, that of the candidate; None: tuned to the data, or 1 where too few items are rated for that

    Returns
    -------
    CorrectedScore
        NaN with its reason where fewer than 3 items have a reference; values without an interval where fewer than 8
        have one, or where fewer than 5 and fewer than half of those differ from the commonest score

    Raises
    ------
    InputError
        where lengths differ, a value of the candidate is missing, or one of the reference is infinite.

    Notes
    -----
    theta = mean_n(y) + lambda (mean_N(f) - mean_n(f)), right only where the items with a reference are drawn at random
    from all; for these reference raters and for items like these N. The mean of exactly these N lies in the interval
    more often than the level says, as n of them are known. Tuned, lambda is the slope of y on f, and the variance the
    larger one of the regression and of HC3 (residuals over 1 - leverage), plus lambda² s_f² / N, with t(n - 2). With a
    weight that is given (plain: 1): s²(y - lambda f) / n + (2 lambda s_yf - lambda² s_f²) / N, with t(n - 1). The
    weight is tuned from 10 rated items on, of which 5 differ from the commonest score.
    Answers: what does the study's score become with a model's help? Not: is the model right; a useless one costs
    nothing, as its weight is near 0.
    Source: Angelopoulos, Bates, Fannjiang, Jordan and Zrnic 2023, "Prediction-powered inference"; MacKinnon and White
    1985 (HC3).

    >>> one = corrected_score([1, 2, 3, 4, 5, 6], [1.5, 2.0, 3.5, 4.0, float("nan"), float("nan")], weight=0.8)
    >>> round(one.tuned.value, 3), round(one.reference.value, 3), one.rated
    (3.55, 2.75, 4)
    """
    f, y = finite_numbers("candidate", candidate), numbers("reference", reference)
    if len(f) != len(y):
        raise InputError(f"`candidate` and `reference` must be equally long, got {len(f)} and {len(y)}")
    if np.isinf(y).any():
        raise InputError("`reference` must be finite, or NaN where an item has none")
    there = ~np.isnan(y)
    n, everything = int(there.sum()), len(f)
    uncorrected = float(f.mean()) if everything else nan
    if n < FEWEST:
        none = Estimate(nan, n=n, reason=f"fewer than {FEWEST} items have a reference")
        return CorrectedScore(none, none, none, uncorrected, nan, n, everything, "none")
    rated, known = f[there], y[there]
    others = n - int(np.unique(known, return_counts=True)[1].max())
    alike = others < FEWEST_OTHERS and others < n / 2
    why = ALIKE if alike else FEW if n < FEWEST_FOR_INTERVAL else ""

    def estimate(value: float, variance: float, degrees: int, reason: str) -> Estimate:
        if reason:
            return Estimate(value, n=n, reason=reason)
        low, high = interval_from_error(value, sqrt(max(variance, 0.0)), level, degrees)
        return Estimate(value, float(low), float(high), n)

    alone = estimate(float(known.mean()), float(known.var(ddof=1)) / n, n - 1, ALIKE if alike else "")
    plain = estimate(*_with_weight(f, rated, known, 1.0), n - 1, why)
    if weight is not None:
        given = estimate(*_with_weight(f, rated, known, weight), n - 1, why)
        return CorrectedScore(given, plain, alone, uncorrected, weight, n, everything, "given")
    if np.ptp(rated) <= _CONSTANT * np.abs(rated).max():
        same = Estimate(alone.value, alone.low, alone.high, n, alone.reason or CONSTANT)
        return CorrectedScore(same, plain, alone, uncorrected, 0.0, n, everything, "reference")
    if n < FEWEST_TO_TUNE or others < FEWEST_OTHERS:
        return CorrectedScore(plain, plain, alone, uncorrected, 1.0, n, everything, "plain")
    value, variance, slope = _tuned(f, rated, known)
    tuned = estimate(value, variance, n - 2, why)
    return CorrectedScore(tuned, plain, alone, uncorrected, slope, n, everything)


def _with_weight(f: Floats, rated: Floats, known: Floats, weight: float) -> tuple[float, float]:
    """Score and its variance with a weight that does not depend on the data."""
    left = known - weight * rated
    of_both, of_f = float(np.cov(rated, known)[0, 1]), float(rated.var(ddof=1))
    variance = float(left.var(ddof=1)) / len(rated) + (2 * weight * of_both - weight**2 * of_f) / len(f)
    return float(left.mean() + weight * f.mean()), variance


def _tuned(f: Floats, rated: Floats, known: Floats) -> tuple[float, float, float]:
    """Score, its variance and the slope of the regression of the reference on the candidate."""
    n, mean = len(rated), float(known.mean())
    away = rated - rated.mean()
    squares = float((away**2).sum())
    slope = float((away * known).sum()) / squares
    shift = float(f.mean() - rated.mean())
    residual = known - mean - slope * away
    leverage = 1 / n + away**2 / squares
    of_regression = float((residual**2).sum()) / (n - 2) * (1 / n + shift**2 / squares)
    share = 1 / n + shift * away / squares
    of_hc3 = float(((share * residual / np.maximum(1 - leverage, 1 / n)) ** 2).sum())
    of_all = slope**2 * float(f.var(ddof=1)) / len(f)
    return mean + slope * shift, max(of_regression, of_hc3) + of_all, slope


def corrected_scores(
    system: ArrayLike,
    candidate: ArrayLike,
    reference: ArrayLike,
    level: float = 0.95,
    weight: float | None = None,
) -> dict[Any, CorrectedScore]:
    """`corrected_score` of each system separately.

    Parameters
    ----------
    system : (N,) whose item it is
    candidate, reference : (N,) as in `corrected_score`
    level : of the intervals
    weight : as in `corrected_score`

    Returns
    -------
    dict
        system -> its score, by ascending name

    Raises
    ------
    InputError
        where lengths differ, or a value cannot be used.

    Notes
    -----
    Source: as `corrected_score`.
    """
    names, f, y = np.asarray(system), np.asarray(candidate), np.asarray(reference)
    if not len(names) == len(f) == len(y):
        raise InputError(
            f"`system`, `candidate` and `reference` must be equally long, got {len(names)}, {len(f)} and {len(y)}"
        )
    systems, code = np.unique(names, return_inverse=True)
    return {
        name: corrected_score(f[code == at], y[code == at], level, weight)
        for at, name in enumerate(systems.tolist())
    }
