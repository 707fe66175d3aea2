"""Prediction-powered mean scores: a candidate's values of all items, corrected by the items rated by a reference."""

from dataclasses import dataclass
from math import nan, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from analysis.resampling.intervals import interval_from_error
from analysis.values.estimate import Estimate, Floats, InputError
from analysis.values.ratings import finite_numbers, numbers

FEWEST_RATED = 3
"""Fewest rated items for a score."""
FEWEST_FOR_INTERVAL, FEWEST_TO_TUNE, FEWEST_OTHERS = 8, 10, 5
"""Fewest rated items for an interval, for tuning the candidate's weight, and fewest of them that must differ from the
reference's most common score for tuning."""
CONSTANT = "all values of the candidate on items with a reference are equal, so that they correct nothing"
FEW = f"fewer than {FEWEST_FOR_INTERVAL} items have a reference, too few for an interval"
NEARLY_EQUAL = "nearly all rated items have the same score, so that there is no interval"
_CONSTANT = 1e-9
"""Relative range below which the candidate is constant up to rounding."""


@dataclass(frozen=True)
class CorrectedScore:
    """Mean scores by several estimators: `tuned` with the candidate's optimal weight, if there are enough rated
    items; `plain` with weight 1; of the `reference`'s ratings alone; and `uncorrected`, of the candidate's values
    alone, which is biased.

    `form` of `tuned`: "tuned" to the data, "plain" with too few rated items for tuning, of a "given" weight, or
    "reference" for a constant candidate; `weight` is that of the candidate in it; `rated` of `items` items have a
    reference.
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
    """Estimate the reference's mean of all items from a candidate's values of all items and the reference's of some.

    Parameters
    ----------
    candidate : (N,) its value of each item
    reference : (N,) the reference's mean of each item, NaN where it has none
    level : of the intervals
    weight : lambda, that of the candidate; None: tuned to the data, or 1 with too few rated items

    Returns
    -------
    CorrectedScore
        NaN with its reason with fewer than 3 rated items; values without an interval with fewer than 8, or where fewer
        than 5 and fewer than half of them differ from the most common score

    Raises
    ------
    InputError
        where lengths differ, a value of the candidate is missing, or one of the reference is infinite.

    Notes
    -----
    theta = mean_n(y) + lambda (mean_N(f) - mean_n(f)), valid only if the items with a reference are a random sample of
    all; for these reference raters and for items like these N. The interval is conservative for the mean of exactly
    these N, as n of them are known. Tuned, lambda is the slope of y on f, and the variance the
    larger one of the regression and of HC3 (residuals over 1 - leverage), plus lambda² s_f² / N, with t(n - 2). With a
    given weight (plain: 1): s²(y - lambda f) / n + (2 lambda s_yf - lambda² s_f²) / N, with t(n - 1). The
    weight is tuned from 10 rated items on, of which 5 differ from the most common score. A useless candidate does no
    harm, as its weight is near 0.
    Source: Angelopoulos, Bates, Fannjiang, Jordan and Zrnic 2023, "Prediction-powered inference"; MacKinnon and White
    1985 (HC3).

    >>> result = corrected_score([1, 2, 3, 4, 5, 6], [1.5, 2.0, 3.5, 4.0, float("nan"), float("nan")], weight=0.8)
    >>> round(result.tuned.value, 3), round(result.reference.value, 3), result.rated
    (3.55, 2.75, 4)
    """
    f, y = finite_numbers("candidate", candidate), numbers("reference", reference)
    if len(f) != len(y):
        raise InputError(f"`candidate` and `reference` must be equally long, got {len(f)} and {len(y)}")
    if np.isinf(y).any():
        raise InputError("`reference` must be finite, or NaN where an item has none")
    has_reference = ~np.isnan(y)
    n, item_count = int(has_reference.sum()), len(f)
    uncorrected = float(f.mean()) if item_count else nan
    if n < FEWEST_RATED:
        none = Estimate(nan, n=n, reason=f"fewer than {FEWEST_RATED} items have a reference")
        return CorrectedScore(none, none, none, uncorrected, nan, n, item_count, "none")
    rated, reference_values = f[has_reference], y[has_reference]
    differing = n - int(np.unique(reference_values, return_counts=True)[1].max())
    is_nearly_constant = differing < FEWEST_OTHERS and differing < n / 2
    reason = NEARLY_EQUAL if is_nearly_constant else FEW if n < FEWEST_FOR_INTERVAL else ""

    def estimate(value: float, variance: float, degrees: int, reason: str) -> Estimate:
        if reason:
            return Estimate(value, n=n, reason=reason)
        low, high = interval_from_error(value, sqrt(max(variance, 0.0)), level, degrees)
        return Estimate(value, float(low), float(high), n)

    reference_score = estimate(
        float(reference_values.mean()),
        float(reference_values.var(ddof=1)) / n,
        n - 1,
        NEARLY_EQUAL if is_nearly_constant else "",
    )
    plain = estimate(*_score_with_weight(f, rated, reference_values, 1.0), n - 1, reason)
    if weight is not None:
        fixed_weight_score = estimate(*_score_with_weight(f, rated, reference_values, weight), n - 1, reason)
        return CorrectedScore(
            fixed_weight_score, plain, reference_score, uncorrected, weight, n, item_count, "given"
        )
    if np.ptp(rated) <= _CONSTANT * np.abs(rated).max():
        reference_only = Estimate(
            reference_score.value,
            reference_score.low,
            reference_score.high,
            n,
            reference_score.reason or CONSTANT,
        )
        return CorrectedScore(
            reference_only, plain, reference_score, uncorrected, 0.0, n, item_count, "reference"
        )
    if n < FEWEST_TO_TUNE or differing < FEWEST_OTHERS:
        return CorrectedScore(plain, plain, reference_score, uncorrected, 1.0, n, item_count, "plain")
    value, variance, slope = _tuned_score(f, rated, reference_values)
    tuned = estimate(value, variance, n - 2, reason)
    return CorrectedScore(tuned, plain, reference_score, uncorrected, slope, n, item_count)


def _score_with_weight(f: Floats, rated: Floats, reference: Floats, weight: float) -> tuple[float, float]:
    """Return the score and its variance for a weight that does not depend on the data."""
    residual = reference - weight * rated
    covariance, candidate_variance = float(np.cov(rated, reference)[0, 1]), float(rated.var(ddof=1))
    variance = float(residual.var(ddof=1)) / len(rated) + (
        2 * weight * covariance - weight**2 * candidate_variance
    ) / len(f)
    return float(residual.mean() + weight * f.mean()), variance


def _tuned_score(f: Floats, rated: Floats, reference: Floats) -> tuple[float, float, float]:
    """Return the score, its variance and the slope of the regression of the reference on the candidate."""
    n, mean = len(rated), float(reference.mean())
    deviation = rated - rated.mean()
    squares = float((deviation**2).sum())
    slope = float((deviation * reference).sum()) / squares
    shift = float(f.mean() - rated.mean())
    residual = reference - mean - slope * deviation
    leverage = 1 / n + deviation**2 / squares
    regression_variance = float((residual**2).sum()) / (n - 2) * (1 / n + shift**2 / squares)
    share = 1 / n + shift * deviation / squares
    hc3_variance = float(((share * residual / np.maximum(1 - leverage, 1 / n)) ** 2).sum())
    candidate_variance = slope**2 * float(f.var(ddof=1)) / len(f)
    return mean + slope * shift, max(regression_variance, hc3_variance) + candidate_variance, slope


def corrected_scores(
    system: ArrayLike,
    candidate: ArrayLike,
    reference: ArrayLike,
    level: float = 0.95,
    weight: float | None = None,
) -> dict[Any, CorrectedScore]:
    """Return the `corrected_score` of each system separately.

    Parameters
    ----------
    system : (N,) system of each item
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
