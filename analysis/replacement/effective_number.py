"""Shared errors of candidates, and the number of independent raters that a candidate is worth."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf, nan
from typing import Any

import numpy as np

from analysis.replacement.reference_means import (
    FEWEST_ITEMS,
    LeftOut,
    Sums,
    chance_along,
    covariances,
    left_out,
    of_all,
)
from analysis.resampling.intervals import fieller_interval, t_quantile
from analysis.values.estimate import Estimate, Floats, InputError, OnProgress, Scope
from analysis.values.ratings import Ratings

OPEN = "without one of the items or raters, the errors are no larger than chance in the reference's means"
"""Reason of a correlation that may have any value."""


@dataclass(frozen=True, eq=False)
class SharedErrors:
    """Correlation of candidates' errors.

    `correlations` (k, k) of the errors of each two, `low` and `high` (k, k) the ends of their intervals, -1 and 1 where
    the data leave them open; `correlation` their mean, with a reason where its interval is open; `worth` how many
    independent candidates the mean of all k is worth; `raw` (k, k) without the correction for chance in the reference's
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
    """Correlations of candidates' errors, and how many independent candidates their mean is worth.

    Parameters
    ----------
    reference : N ratings (N,), of which several raters rated most items
    candidates : k of them, each item -> value; items with a value of each count
    level : of the intervals
    on_progress : called between steps with the share done; what it raises stops the work
    scope : of the intervals: over items for these raters, else over items and raters

    Returns
    -------
    SharedErrors
        (k, k); NaN with its reason for too few items or raters, or where errors are no larger than chance in the
        reference's means

    Raises
    ------
    InputError
        where there are fewer than two candidates, or a value is infinite.

    Notes
    -----
    An error is a candidate's value less the reference's mean; what is constant over items does not count. The
    reference's means have chance in them that all errors share: its variance is taken from all variances and
    covariances (without that, independent candidates seem to share errors: r = .34 with 3 raters). k candidates with
    mean correlation r are worth k / (1 + (k - 1) r) independent ones. Intervals are over items and, for raters like
    these, raters (each left out, less each rating left out), with Student's t; correlations and their ends are clipped
    to -1 … 1.
    Source: Spearman 1904 (errors in the reference); Kish 1965 (design effect); methods, section 7.
    """
    k = len(candidates)
    if k < 2:
        raise InputError(f"`candidates` must be two or more, got {k}")
    sums = left_out(reference, candidates, on_progress=on_progress)
    n, w = int(sums.every.n), len(sums.raters.n)
    why = _why_undefined(sums.every, w)
    if why:
        none = np.full((k, k), nan)
        return SharedErrors(
            none, none, none, Estimate(nan, n=n, reason=why), Estimate(nan, n=n, reason=why), none, why
        )
    one, other = np.triu_indices(k, 1)
    found = _correlations(sums.every)[one, other]
    figures = np.append(found, found.mean())
    without = []
    for part in (sums.items, sums.raters, sums.ratings):
        each = _correlations(part)[:, one, other]
        without.append(np.column_stack([each, each.mean(axis=1)]))
    low, high = _ends(figures, without, sums.times, level, n, w, scope)
    is_open = np.isnan(low) | np.isnan(high)
    low, high = np.where(is_open, -1.0, np.clip(low, -1, 1)), np.where(is_open, 1.0, np.clip(high, -1, 1))
    figures = np.clip(figures, -1, 1)
    mean = Estimate(float(figures[-1]), float(low[-1]), float(high[-1]), n, OPEN if is_open[-1] else "")
    return SharedErrors(
        _square(figures[:-1], k),
        _square(low[:-1], k),
        _square(high[:-1], k),
        mean,
        _worth(mean, k),
        _square(_of(_errors(sums.every))[one, other], k),
    )


def _errors(sums: Sums) -> Floats:
    """(…, k, k) covariances of the candidates' values less the reference's means."""
    crossed = sums.covariance_with_means()
    of_means = sums.variance_of_means()[..., None, None]
    return sums.covariance_of_values() - crossed[..., :, None] - crossed[..., None, :] + of_means


def _correlations(sums: Sums) -> Floats:
    """(…, k, k) of errors without chance in the reference's means."""
    return _of(_errors(sums) - sums.noise_of_means[..., None, None])


def _of(covariance: Floats) -> Floats:
    own = np.diagonal(covariance, axis1=-2, axis2=-1)
    root = np.sqrt(np.where(own > 0, own, nan))
    return np.asarray(covariance / (root[..., :, None] * root[..., None, :]))


def _ends(
    figures: Floats,
    without: Sequence[Floats],
    times: Floats,
    level: float,
    items: int,
    raters: int,
    scope: Scope,
) -> tuple[Floats, Floats]:
    """Both ends (s,), NaN where leaving something out leaves a figure undefined."""
    low, high = np.full((2, len(figures)), nan)
    for at, figure in enumerate(figures):
        of_items, of_raters, of_ratings = (each[:, [at]] for each in without)
        parts = covariances(of_items, of_raters, of_ratings, times, scope)
        if np.isnan(parts[0]).any() or np.isnan(parts[1]).any():
            continue
        chance = chance_along(np.ones(1), parts, items, raters)
        half = float(t_quantile(chance.degrees, level)) * np.sqrt(chance.variance)
        low[at], high[at] = figure - half, figure + half
    return low, high


def _worth(r: Estimate, k: int) -> Estimate:
    """k / (1 + (k - 1) r): more than k where errors cancel, without an upper end where they may do so wholly."""

    def worth(correlation: float) -> float:
        return k / below if (below := 1 + (k - 1) * correlation) > 0 else float("inf")

    return Estimate(worth(r.value), worth(r.high), worth(r.low), r.n, r.reason)


def _square(upper: Floats, k: int) -> Floats:
    matrix = np.ones((k, k))
    one, other = np.triu_indices(k, 1)
    matrix[one, other] = matrix[other, one] = upper
    return matrix


def _why_undefined(sums: Sums, raters: int) -> str:
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
    """Return how many of the reference's raters one value of the candidate tells as much as.

    Parameters
    ----------
    reference : N ratings (N,), of which several raters rated most items
    candidate : item -> its value
    level : of the interval; None: without one, which is quicker
    on_progress : called between steps with the share done; what it raises stops the work
    scope : of the interval: over items for these raters, else over items and raters

    Returns
    -------
    Estimate
        over `n` items; 0 where the candidate does not go with the reference, infinite where it goes with it as an
        unlimited number of raters would; NaN with its reason where the reference has too few items or raters, or its
        items do not differ

    Raises
    ------
    InputError
        where a value of the candidate is infinite.

    Notes
    -----
    k = rho² / (1 - rho²) · (1 - rel) / rel, with rho the correlation of candidate and reference means (Pearson)
    over the root of the means' reliability, and rel that of one reference rating: ICC(C) where every rater rated every
    item, ICC(1) else. Level does not count: a candidate that is always one point high may be worth many raters.
    The interval is Fieller's, over items and, for raters like these, over raters (each left out, less each rating left
    out); it may have no upper end.
    Source: Spearman 1910; Brown 1910 (how reliability grows with raters); Fieller 1954; methods, section 7.
    """
    sums = left_out(reference, [candidate], level is not None, on_progress)
    w = len(sums.raters.n)
    found = _without_interval(sums.every, w)
    if level is None or not found.defined:
        return found
    return _with_interval(found, sums.every, sums.items, sums, w, level, scope)


def _with_interval(
    found: Estimate, every: Sums, without_items: Sums, by: LeftOut, w: int, level: float, scope: Scope
) -> Estimate:
    """The interval of one value by w raters, from the sums without each item, and without raters and ratings `by` what
    these leave out."""
    value, n = found.value, found.n
    above, below = _parts(every)
    with np.errstate(invalid="ignore", divide="ignore"):
        items, raters, ratings = (
            np.column_stack(_parts(one)) for one in (without_items, by.raters, by.ratings)
        )
    parts = covariances(items, raters, ratings, by.times, scope)
    if np.isnan(parts[0]).any() or np.isnan(parts[1]).any():
        return Estimate(value, n=n, reason="too few raters for an interval over raters")
    chance = chance_along(np.array([1.0, -min(value, 1e6)]), parts, n, w)
    low, high = (
        float(end) for end in fieller_interval(above, below, parts[0] + parts[1], level, chance.degrees)
    )
    if np.isnan(low):
        low, high = 0.0, inf
    return Estimate(value, max(min(low, value), 0.0), max(high, value), n)


def effective_number_of_sums(
    number: Floats,
    total: Floats,
    squares: Floats,
    candidate: Floats,
    raters: int,
    some: tuple[Ratings, Mapping[Any, float]] | None = None,
    level: float = 0.95,
    scope: Scope = "raters like these",
) -> Estimate:
    """As `effective_number_of_raters`, from sums per item (n,) that both sides have: the number of its ratings, their
    total and squares about any one value, and the candidate's value.

    Of a reference of so many raters, nobody of whom rated an item twice, and who did not all rate every item. There is
    an interval where ratings and values of `some` of the items are given, by which it is looked what raters carry from
    item to item.
    """
    every, items = of_all(number, total, squares, candidate)
    found = _without_interval(every, raters)
    if some is None or not found.defined:
        return found
    reference, values = some
    return _with_interval(found, every, items, left_out(reference, [values]), raters, level, scope)


def _without_interval(every: Sums, raters: int) -> Estimate:
    n = int(every.n)
    why = _why_no_effective_number(every, raters)
    if why:
        return Estimate(nan, n=n, reason=why)
    above, below = _parts(every)
    return Estimate(0.0 if above <= 0 else inf if below <= 0 else float(above / below), n=n)


def _parts(sums: Sums) -> tuple[Floats, Floats]:
    """Above and below the line, (…,) each, both times the means' reliability, so that neither is a quotient of small
    differences; a negative correlation counts against the candidate."""
    with np.errstate(invalid="ignore", divide="ignore"):
        variances = sums.variance_of_means() * sums.covariance_of_values()[..., 0, 0]
        r = sums.covariance_with_means()[..., 0] / np.sqrt(np.where(variances > 0, variances, nan))
    one, of_means = sums.reliability, sums.reliability_of_means
    return r * np.abs(r) * (1 - one), (of_means - r**2) * one


def _why_no_effective_number(sums: Sums, raters: int) -> str:
    if sums.n < FEWEST_ITEMS:
        return f"fewer than {FEWEST_ITEMS} items have a value of the candidate and ratings of the reference"
    if raters < 2 or sums.degrees <= 0:
        return "no item was rated by two reference raters, so that nobody knows how far one rating repeats"
    if not sums.noise > 0:
        return "the reference's raters agree perfectly, so that one of them is worth as much as all"
    if not sums.reliability > 0:
        return "the reference's items differ no more than chance within a rating makes them"
    if not sums.covariance_of_values()[0, 0] > 0:
        return "all values of the candidate are equal"
    return ""
