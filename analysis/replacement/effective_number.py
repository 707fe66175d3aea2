"""Correlation of candidates' errors, and the effective number of raters of a candidate."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf, nan
from typing import Any

import numpy as np

from analysis.replacement.reference_means import (
    FEWEST_ITEMS,
    LeaveOneOutSums,
    Sums,
    contrast_variance,
    leave_one_out_sums,
    sums_from_totals,
    two_way_covariances,
)
from analysis.resampling.intervals import fieller_interval, t_quantile
from analysis.values.estimate import Estimate, Floats, InputError, OnProgress, Scope
from analysis.values.ratings import Ratings

OPEN_REASON = (
    "without one of the items or raters, the errors are no larger than chance in the reference's means"
)
"""Reason of an interval without bounds."""


@dataclass(frozen=True, eq=False)
class SharedErrors:
    """Correlations of candidates' errors.

    `correlations` (k, k) of each pair's errors, `low` and `high` (k, k) the bounds of their intervals, -1 and 1
    where open; `correlation` their mean, with a reason where its interval is open; `worth` the effective number of
    independent candidates in the mean of all k; `raw` (k, k) without the correction for error in the reference's
    means. `reason` says why there are none.
    """

    correlations: Floats
    low: Floats
    high: Floats
    correlation: Estimate
    worth: Estimate
    raw: Floats
    reason: str = ""


def shared_errors(
    reference: Ratings,
    candidates: Sequence[Mapping[Any, float]],
    level: float = 0.95,
    on_progress: OnProgress = None,
    scope: Scope = "raters like these",
) -> SharedErrors:
    """Estimate the correlations of candidates' errors, and the effective number of independent candidates.

    Parameters
    ----------
    reference : N ratings (N,), with several raters of most items
    candidates : k of them, each item -> value; only items with all values are used
    level : of the intervals
    on_progress : called between steps with the share done; its exceptions stop the work
    scope : of the intervals: over items for these raters, else over items and raters

    Returns
    -------
    SharedErrors
        (k, k); NaN with its reason for too few items or raters, or where errors are no larger than the error of the
        reference's means

    Raises
    ------
    InputError
        where there are fewer than two candidates, or a value is infinite.

    Notes
    -----
    An error is a candidate's value minus the reference's mean, up to a constant. The error of the reference's means is
    common to all candidates: its variance is subtracted from all variances and covariances (otherwise independent
    candidates would have correlated errors: r = .34 with 3 raters). k candidates with mean correlation r are equivalent
    to k / (1 + (k - 1) r) independent ones. Intervals are jackknives over items and, for raters like these, raters
    (minus single ratings), with Student's t; correlations and bounds are clipped to -1 … 1.
    Source: Spearman 1904 (errors in the reference); Kish 1965 (design effect); methods, section 7.
    """
    k = len(candidates)
    if k < 2:
        raise InputError(f"`candidates` must be two or more, got {k}")
    sums = leave_one_out_sums(reference, candidates, on_progress=on_progress)
    n, w = int(sums.total.n), len(sums.raters.n)
    reason = _undefined_reason(sums.total, w)
    if reason:
        undefined = np.full((k, k), nan)
        return SharedErrors(
            undefined,
            undefined,
            undefined,
            Estimate(nan, n=n, reason=reason),
            Estimate(nan, n=n, reason=reason),
            undefined,
            reason,
        )
    row, column = np.triu_indices(k, 1)
    found = _correlations(sums.total)[row, column]
    figures = np.append(found, found.mean())
    leave_one_out = []
    for part in (sums.items, sums.raters, sums.ratings):
        correlations = _correlations(part)[:, row, column]
        leave_one_out.append(np.column_stack([correlations, correlations.mean(axis=1)]))
    low, high = _correlation_intervals(figures, leave_one_out, sums.times, level, n, w, scope)
    is_open = np.isnan(low) | np.isnan(high)
    low, high = np.where(is_open, -1.0, np.clip(low, -1, 1)), np.where(is_open, 1.0, np.clip(high, -1, 1))
    figures = np.clip(figures, -1, 1)
    mean = Estimate(
        float(figures[-1]), float(low[-1]), float(high[-1]), n, OPEN_REASON if is_open[-1] else ""
    )
    return SharedErrors(
        _symmetric_matrix(figures[:-1], k),
        _symmetric_matrix(low[:-1], k),
        _symmetric_matrix(high[:-1], k),
        mean,
        _effective_candidates(mean, k),
        _symmetric_matrix(_to_correlation(_error_covariance(sums.total))[row, column], k),
    )


def _error_covariance(sums: Sums) -> Floats:
    """Return covariances (…, k, k) of the candidates' values minus the reference's means."""
    crossed = sums.covariance_with_means()
    of_means = sums.variance_of_means()[..., None, None]
    return sums.covariance_of_values() - crossed[..., :, None] - crossed[..., None, :] + of_means


def _correlations(sums: Sums) -> Floats:
    """Return correlations (…, k, k) of errors, corrected for the error of the reference's means."""
    return _to_correlation(_error_covariance(sums) - sums.error_variance_of_means[..., None, None])


def _to_correlation(covariance: Floats) -> Floats:
    own = np.diagonal(covariance, axis1=-2, axis2=-1)
    root = np.sqrt(np.where(own > 0, own, nan))
    return np.asarray(covariance / (root[..., :, None] * root[..., None, :]))


def _correlation_intervals(
    figures: Floats,
    without: Sequence[Floats],
    times: Floats,
    level: float,
    items: int,
    raters: int,
    scope: Scope,
) -> tuple[Floats, Floats]:
    """Return both bounds (s,), NaN where a leave-one-out value is undefined."""
    low, high = np.full((2, len(figures)), nan)
    for index, figure in enumerate(figures):
        by_item, by_rater, by_rating = (each[:, [index]] for each in without)
        parts = two_way_covariances(by_item, by_rater, by_rating, times, scope)
        if np.isnan(parts[0]).any() or np.isnan(parts[1]).any():
            continue
        variance = contrast_variance(np.ones(1), parts, items, raters)
        half_width = float(t_quantile(variance.degrees, level)) * np.sqrt(variance.variance)
        low[index], high[index] = figure - half_width, figure + half_width
    return low, high


def _effective_candidates(r: Estimate, k: int) -> Estimate:
    """Return k / (1 + (k - 1) r): more than k for negative correlations, infinite where errors may cancel."""

    def worth(correlation: float) -> float:
        return k / below if (below := 1 + (k - 1) * correlation) > 0 else float("inf")

    return Estimate(worth(r.value), worth(r.high), worth(r.low), r.n, r.reason)


def _symmetric_matrix(upper: Floats, k: int) -> Floats:
    matrix = np.ones((k, k))
    one, other = np.triu_indices(k, 1)
    matrix[one, other] = matrix[other, one] = upper
    return matrix


def _undefined_reason(sums: Sums, raters: int) -> str:
    if sums.n < FEWEST_ITEMS:
        return f"fewer than {FEWEST_ITEMS} items have a value of each candidate and ratings of the reference"
    if raters < 2 or sums.degrees <= 0:
        return "no item was rated by two reference raters, so that chance in their means is not known"
    if np.isnan(_correlations(sums)).any():
        return "a candidate's errors are no larger than chance in the reference's means"
    return ""


def effective_number_of_raters(
    reference: Ratings,
    candidate: Mapping[Any, float],
    level: float | None = 0.95,
    on_progress: OnProgress = None,
    scope: Scope = "raters like these",
) -> Estimate:
    """Estimate the number of the reference's raters that one value of the candidate is equivalent to.

    Parameters
    ----------
    reference : N ratings (N,), with several raters of most items
    candidate : item -> its value
    level : of the interval; None for no interval, which is faster
    on_progress : called between steps with the share done; its exceptions stop the work
    scope : of the interval: over items for these raters, else over items and raters

    Returns
    -------
    Estimate
        over `n` items; 0 without a positive correlation with the reference, infinite where it correlates as well as
        infinitely many raters; NaN with its reason for too few items or raters, or items that do not differ

    Raises
    ------
    InputError
        where a value of the candidate is infinite.

    Notes
    -----
    k = rho² / (1 - rho²) · (1 - rel) / rel, with rho the correlation of candidate and reference means (Pearson) over
    the root of the means' reliability, and rel that of one reference rating: ICC(C) where every rater rated every item,
    ICC(1) else. It does not depend on level: a candidate that is always one point high may be equivalent to many
    raters. The interval is Fieller's, a jackknife over items and, for raters like these, raters (minus single ratings);
    it may have no upper bound.
    Source: Spearman 1910; Brown 1910 (how reliability grows with raters); Fieller 1954; methods, section 7.
    """
    sums = leave_one_out_sums(reference, [candidate], level is not None, on_progress)
    w = len(sums.raters.n)
    estimate = _effective_number(sums.total, w)
    if level is None or not estimate.defined:
        return estimate
    return _add_fieller_interval(estimate, sums.total, sums.items, sums, w, level, scope)


def _add_fieller_interval(
    estimate: Estimate,
    total: Sums,
    without_items: Sums,
    leave_one_out: LeaveOneOutSums,
    w: int,
    level: float,
    scope: Scope,
) -> Estimate:
    """Add Fieller's interval for one value and w raters, from sums without each item, and without the raters and
    ratings of `leave_one_out`."""
    value, n = estimate.value, estimate.n
    numerator, denominator = _ratio_parts(total)
    with np.errstate(invalid="ignore", divide="ignore"):
        items, raters, ratings = (
            np.column_stack(_ratio_parts(one))
            for one in (without_items, leave_one_out.raters, leave_one_out.ratings)
        )
    parts = two_way_covariances(items, raters, ratings, leave_one_out.times, scope)
    if np.isnan(parts[0]).any() or np.isnan(parts[1]).any():
        return Estimate(value, n=n, reason="too few raters for an interval over raters")
    variance = contrast_variance(np.array([1.0, -min(value, 1e6)]), parts, n, w)
    low, high = (
        float(end)
        for end in fieller_interval(numerator, denominator, parts[0] + parts[1], level, variance.degrees)
    )
    if np.isnan(low):
        low, high = 0.0, inf
    return Estimate(value, max(min(low, value), 0.0), max(high, value), n)


def effective_number_from_sums(
    number: Floats,
    total: Floats,
    squares: Floats,
    candidate: Floats,
    raters: int,
    sampled: tuple[Ratings, Mapping[Any, float]] | None = None,
    level: float = 0.95,
    scope: Scope = "raters like these",
) -> Estimate:
    """Return `effective_number_of_raters` from sums per common item (n,): the number of its ratings, their total and
    squares around any value, and the candidate's value.

    For an incomplete design without repeated ratings. An interval needs ratings and values of `sampled` items, from
    which the variance over raters is estimated.
    """
    all_sums, items = sums_from_totals(number, total, squares, candidate)
    estimate = _effective_number(all_sums, raters)
    if sampled is None or not estimate.defined:
        return estimate
    reference, values = sampled
    return _add_fieller_interval(
        estimate, all_sums, items, leave_one_out_sums(reference, [values]), raters, level, scope
    )


def _effective_number(sums: Sums, raters: int) -> Estimate:
    n = int(sums.n)
    reason = _undefined_number_reason(sums, raters)
    if reason:
        return Estimate(nan, n=n, reason=reason)
    numerator, denominator = _ratio_parts(sums)
    return Estimate(
        0.0 if numerator <= 0 else inf if denominator <= 0 else float(numerator / denominator), n=n
    )


def _ratio_parts(sums: Sums) -> tuple[Floats, Floats]:
    """Return numerator and denominator (…,) of the ratio, both times the means' reliability to avoid quotients of
    small differences; the numerator is negative for a negative correlation."""
    with np.errstate(invalid="ignore", divide="ignore"):
        variances = sums.variance_of_means() * sums.covariance_of_values()[..., 0, 0]
        r = sums.covariance_with_means()[..., 0] / np.sqrt(np.where(variances > 0, variances, nan))
    one, of_means = sums.reliability, sums.reliability_of_means
    return r * np.abs(r) * (1 - one), (of_means - r**2) * one


def _undefined_number_reason(sums: Sums, raters: int) -> str:
    if sums.n < FEWEST_ITEMS:
        return f"fewer than {FEWEST_ITEMS} items have a value of the candidate and ratings of the reference"
    if raters < 2 or sums.degrees <= 0:
        return "no item was rated by two reference raters, so that nobody knows how far one rating repeats"
    if not sums.error_variance > 0:
        return "the reference's raters agree perfectly, so that one of them is worth as much as all"
    if not sums.reliability > 0:
        return "the reference's items differ no more than chance within a rating makes them"
    if not sums.covariance_of_values()[0, 0] > 0:
        return "all values of the candidate are equal"
    return ""
