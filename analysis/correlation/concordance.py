"""The standard error of Kendall's tau-b, ties included."""

from math import nan, sqrt

import numpy as np
from numpy.typing import NDArray

from analysis.values.types import Floats

Whole = NDArray[np.int64]
MOST = 20_000
"""Pairs that a standard error is computed from: of more, so many at random (seed 0), and the error scaled down."""


def tau_error(x: Floats, y: Floats) -> float:
    """Standard error of tau-b on Fisher's z, from each pair's influence (n,); NaN where tau is undefined or perfect.

    h_i = 2 [(C_i - P) / sqrt(XY) - tau / 2 ((a_i - X) / X + (b_i - Y) / Y)], with C_i the mean of sign(x_i - x_j)
    sign(y_i - y_j) over j, a_i and b_i the shares that are not tied with i, and P, X, Y their means. Inflated by
    n / (n - 4), as Fieller, Hartley and Pearson's variance is. Of more than 20,000 pairs it is read off so many.
    Source: Kendall 1945, "The treatment of ties"; the variance of a U-statistic's ratio: Hoeffding 1948.
    """
    if len(x) > MOST:
        some = np.random.default_rng(0).choice(len(x), MOST, replace=False)
        return tau_error(x[some], y[some]) * sqrt(MOST / len(x))
    n = len(x)
    if n <= 4:
        return nan
    concordant = concordance(x, y) / n
    untied_x, untied_y = untied(x) / n, untied(y) / n
    p, of_x, of_y = float(concordant.mean()), float(untied_x.mean()), float(untied_y.mean())
    if not of_x * of_y > 0:
        return nan
    tau = p / sqrt(of_x * of_y)
    if abs(tau) >= 1 - 1e-12:
        return nan
    influence = (concordant - p) / sqrt(of_x * of_y)
    influence -= tau / 2 * ((untied_x - of_x) / of_x + (untied_y - of_y) / of_y)
    error = 2 * sqrt(float((influence**2).sum())) / n
    return error * sqrt(n / (n - 4)) / (1 - tau**2)


def concordance(x: Floats, y: Floats) -> Whole:
    """Return the pairs with each one (n,) that are concordant, less how many are discordant.

    >>> concordance(np.array([1.0, 2.0, 2.0]), np.array([1.0, 3.0, 2.0])).tolist()
    [2, 1, 1]
    """
    below: Whole = _dominated(x, y)
    lower_x, higher_x = _lower(x), _lower(-x)
    lower_y = _lower(y)
    left_above = lower_x - _lower_among_equals(x, y) - below
    right_below = lower_y - _lower_among_equals(y, x) - below
    right_above = higher_x - _lower_among_equals(-x, y) - right_below
    return np.asarray(below + right_above - left_above - right_below)


def untied(values: Floats) -> Whole:
    """Return the number of others (n,) with another value."""
    return _lower(values) + _lower(-values)


def _lower(values: Floats) -> Whole:
    """Return the number of values (n,) lower than each."""
    return np.searchsorted(np.sort(values), values).astype(np.int64)


def _lower_among_equals(values: Floats, equal: Floats) -> Whole:
    """Return the number (n,) with a lower value, of those that are equal in the other column."""
    order = np.lexsort((values, equal))
    group = np.flatnonzero(np.diff(equal[order], prepend=np.nan) != 0)
    first = np.flatnonzero(
        (np.diff(values[order], prepend=np.nan) != 0) | np.isin(np.arange(len(order)), group)
    )
    counts = np.diff(first, append=len(order))
    start = group[np.searchsorted(group, first, side="right") - 1]
    found = np.empty(len(order), dtype=np.int64)
    found[order] = np.repeat(first - start, counts)
    return found


def _dominated(x: Floats, y: Floats) -> Whole:
    """Return the number (n,) lower than each in both columns.

    Sorted by x, halves of growing blocks are merged by y: one of the right half counts those of the left half before
    it.
    """
    n = len(x)
    order = np.lexsort((-y, x))  # of equal x the higher y first, so that none of them counts as lower
    rank = np.unique(y, return_inverse=True)[1][order]
    found = np.zeros(n, dtype=np.int64)
    width = 1
    while width < n:
        half = np.arange(n) // width
        is_left = half % 2 == 0
        merged = np.lexsort((is_left, rank, half // 2))  # of equal y the right one first
        left_before = np.cumsum(is_left[merged]) - is_left[merged]
        starts = np.arange(0, n, 2 * width)
        left_before -= np.repeat(left_before[starts], np.diff(starts, append=n))
        right = merged[~is_left[merged]]
        found[right] += left_before[~is_left[merged]]
        width *= 2
    result = np.empty(n, dtype=np.int64)
    result[order] = found
    return result
