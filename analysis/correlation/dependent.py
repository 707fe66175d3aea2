"""Lin's concordance, and comparisons of correlations that share data."""

from dataclasses import replace
from math import isnan, nan, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analysis.resampling.intervals import FISHER, interval_from_error
from analysis.values.estimate import Alternative, Estimate, Floats, InputError, student_p

Whole = NDArray[np.int64]
MOST_PAIRS = 20_000
"""Largest number of pairs for a standard error; of more, a random sample is used (seed 0) and the error scaled."""


def tau_error(x: Floats, y: Floats) -> float:
    """Return the standard error of tau-b on Fisher's z, from each pair's influence (n,); NaN if undefined or perfect.

    h_i = 2 [(C_i - P) / sqrt(XY) - tau / 2 ((a_i - X) / X + (b_i - Y) / Y)], with C_i the mean of sign(x_i - x_j)
    sign(y_i - y_j) over j, a_i and b_i the shares that are not tied with i, and P, X, Y their means. Inflated by
    n / (n - 4), as Fieller, Hartley and Pearson's variance. Above 20,000 pairs it is estimated from a sample.
    Source: Kendall 1945, "The treatment of ties"; the variance of a U-statistic's ratio: Hoeffding 1948.
    """
    if len(x) > MOST_PAIRS:
        sample = np.random.default_rng(0).choice(len(x), MOST_PAIRS, replace=False)
        return tau_error(x[sample], y[sample]) * sqrt(MOST_PAIRS / len(x))
    n = len(x)
    if n <= 4:
        return nan
    concordant = concordance_counts(x, y) / n
    untied_x, untied_y = untied_counts(x) / n, untied_counts(y) / n
    p, share_untied_x, share_untied_y = (
        float(concordant.mean()),
        float(untied_x.mean()),
        float(untied_y.mean()),
    )
    if not share_untied_x * share_untied_y > 0:
        return nan
    tau = p / sqrt(share_untied_x * share_untied_y)
    if abs(tau) >= 1 - 1e-12:
        return nan
    influence = (concordant - p) / sqrt(share_untied_x * share_untied_y)
    influence -= (
        tau
        / 2
        * ((untied_x - share_untied_x) / share_untied_x + (untied_y - share_untied_y) / share_untied_y)
    )
    error = 2 * sqrt(float((influence**2).sum())) / n
    return error * sqrt(n / (n - 4)) / (1 - tau**2)


def concordance_counts(x: Floats, y: Floats) -> Whole:
    """Return the number of concordant minus discordant pairs of each entry (n,).

    >>> concordance_counts(np.array([1.0, 2.0, 2.0]), np.array([1.0, 3.0, 2.0])).tolist()
    [2, 1, 1]
    """
    dominated: Whole = _count_dominated(x, y)
    lower_x, higher_x = _count_lower(x), _count_lower(-x)
    lower_y = _count_lower(y)
    left_above = lower_x - _count_lower_among_equals(x, y) - dominated
    right_below = lower_y - _count_lower_among_equals(y, x) - dominated
    right_above = higher_x - _count_lower_among_equals(-x, y) - right_below
    return np.asarray(dominated + right_above - left_above - right_below)


def untied_counts(values: Floats) -> Whole:
    """Return the number of entries with a different value (n,)."""
    return _count_lower(values) + _count_lower(-values)


def _count_lower(values: Floats) -> Whole:
    """Return the number of values (n,) lower than each."""
    return np.searchsorted(np.sort(values), values).astype(np.int64)


def _count_lower_among_equals(values: Floats, equal: Floats) -> Whole:
    """Return the number of lower values (n,) among entries that are equal in the other column."""
    order = np.lexsort((values, equal))
    group = np.flatnonzero(np.diff(equal[order], prepend=np.nan) != 0)
    first = np.flatnonzero(
        (np.diff(values[order], prepend=np.nan) != 0) | np.isin(np.arange(len(order)), group)
    )
    counts = np.diff(first, append=len(order))
    start = group[np.searchsorted(group, first, side="right") - 1]
    counts_lower = np.empty(len(order), dtype=np.int64)
    counts_lower[order] = np.repeat(first - start, counts)
    return counts_lower


def _count_dominated(x: Floats, y: Floats) -> Whole:
    """Return the number of entries lower in both columns (n,).

    A merge sort by y of entries sorted by x: each entry of a right half counts those of the left half before it.
    """
    n = len(x)
    order = np.lexsort((-y, x))  # of equal x the higher y first, so that none of them counts as lower
    rank = np.unique(y, return_inverse=True)[1][order]
    counts = np.zeros(n, dtype=np.int64)
    width = 1
    while width < n:
        half = np.arange(n) // width
        is_left = half % 2 == 0
        merged = np.lexsort((is_left, rank, half // 2))  # of equal y the right one first
        left_before = np.cumsum(is_left[merged]) - is_left[merged]
        starts = np.arange(0, n, 2 * width)
        left_before -= np.repeat(left_before[starts], np.diff(starts, append=n))
        right = merged[~is_left[merged]]
        counts[right] += left_before[~is_left[merged]]
        width *= 2
    result = np.empty(n, dtype=np.int64)
    result[order] = counts
    return result


FEWEST = 4
"""Fewest systems for Williams' test, which has n - 3 degrees of freedom."""
_PERFECT = 1 - 1e-12
_ROOM = 1e-12


class WilliamsTest(NamedTuple):
    """Williams' t, its degrees of freedom and p; NaN where undefined."""

    t: float
    degrees: int
    p: float


def williams_test(
    first: float,
    second: float,
    between: float,
    n: int,
    alternative: Alternative = "two-sided",
    ranks: bool = False,
) -> WilliamsTest:
    """Test two dependent correlations that share one variable (Williams).

    Parameters
    ----------
    first, second : correlations of two columns (n,) with the same third one
    between : the correlation of the two columns with each other
    n : rows, such as systems
    alternative : "greater" asks whether the first is higher
    ranks : True for Spearman's rho, whose errors are larger by sqrt(1 + rho² / 2)

    Returns
    -------
    WilliamsTest
        undefined below 4 rows, or if the three correlations leave no residual variance.

    Raises
    ------
    InputError
        where a correlation is outside -1 … 1.

    Notes
    -----
    Rows (systems) are independent draws from a normal distribution. Not for correlations over different rows. Plain
    Williams on ranks rejects a true null in 5 to 12 of 100 studies; with the larger errors in 4 to 8.
    Source: Williams 1959, "The comparison of regression variables"; Steiger 1980, eq. 7; Graham & Baldwin 2014;
    ranks: Bonett & Wright 2000.

    >>> test = williams_test(0.4, 0.5, 0.1, 103)
    >>> round(test.t, 2), round(test.p, 2)
    (-0.89, 0.37)
    """
    for name, value in (("first", first), ("second", second), ("between", between)):
        if abs(value) > 1 + 1e-12:
            raise InputError(f"`{name}` must be a correlation between -1 and 1, got {value}")
    degrees = n - 3
    if n < FEWEST or isnan(first + second + between):
        return WilliamsTest(nan, degrees, nan)
    mean = (first + second) / 2
    determinant = 1 - first**2 - second**2 - between**2 + 2 * first * second * between
    denominator = 2 * max(determinant, 0.0) * (n - 1) / degrees + mean**2 * (1 - between) ** 3
    if denominator <= _ROOM**2:
        return WilliamsTest(nan, degrees, nan)
    t = (first - second) * sqrt((n - 1) * (1 + between) / denominator)
    if ranks:
        t /= sqrt(1 + mean**2 / 2)
    return WilliamsTest(t, degrees, student_p(t, degrees, alternative))


def correlation_difference(
    first: float,
    second: float,
    crossed: tuple[float, float, float, float],
    n: int,
    level: float = 0.95,
    ranks: bool = False,
) -> Estimate:
    """Estimate the correlation of columns j and k minus that of h and m over the same n rows, with Zou's interval.

    Parameters
    ----------
    first, second : r_jk and r_hm
    crossed : r_jh, r_jm, r_kh, r_km; `shared_column_correlations` returns those with the same third column
    n : rows, such as systems
    level : of the interval
    ranks : True for Spearman's rho

    Returns
    -------
    Estimate
        without an interval below 4 rows, for a perfect correlation, or for equal ranks, which may differ in other rows.

    Notes
    -----
    Each correlation's own interval is on Fisher's z; their half-widths are combined with the correlation of the two
    estimates. It keeps its level where a bootstrap of 8 to 30 systems does not (docs/calibration.md).
    Source: Zou 2007, "Toward using confidence intervals to compare correlations", eqs. 13 to 16; the correlation of
    two correlations: Pearson & Filon 1898, Olkin & Siotani 1976.

    >>> zou = correlation_difference(0.396, 0.179, shared_column_correlations(0.396, 0.179, 0.088), 66)
    >>> f"{zou.value:.3f} ({zou.low:.3f} to {zou.high:.3f})"
    '0.217 (-0.093 to 0.517)'
    """
    value = first - second
    jh, _, _, km = crossed
    if isnan(value + sum(crossed)):
        return Estimate(value, n=n, reason="the correlations cannot be compared: one is undefined")
    if n < FEWEST:
        return Estimate(value, n=n, reason=f"an interval needs at least {FEWEST} systems; there are {n}")
    if min(jh, km) >= _PERFECT:
        same = "all ranks stay as they are, which leaves no room for an interval"
        return Estimate(0.0, n=n, reason=same) if ranks else Estimate(0.0, 0.0, 0.0, n)
    if max(abs(first), abs(second)) >= _PERFECT:
        return Estimate(value, n=n, reason="a correlation is perfect, which leaves no room for an interval")
    intervals = [
        interval_from_error(r, sqrt((1 + r**2 / 2 if ranks else 1) / (n - 3)), level, scale=FISHER)
        for r in (first, second)
    ]
    (low_1, high_1), (low_2, high_2) = ((float(low), float(high)) for low, high in intervals)
    correlation = _correlation_of_estimates(first, second, crossed)
    lower, upper = first - low_1, high_2 - second
    low = value - sqrt(max(lower**2 + upper**2 - 2 * correlation * lower * upper, 0.0))
    lower, upper = high_1 - first, second - low_2
    high = value + sqrt(max(lower**2 + upper**2 - 2 * correlation * lower * upper, 0.0))
    return Estimate(value, low, high, n)


def correlation_change(
    first: float,
    second: float,
    crossed: tuple[float, float, float, float],
    n: int,
    level: float = 0.95,
    ranks: bool = False,
) -> Estimate:
    """Estimate the correlation of columns j and k minus that of h and m, which are nearly the same columns.

    Parameters
    ----------
    first, second, crossed, n, level, ranks : as in `correlation_difference`

    Returns
    -------
    Estimate
        without an interval where `correlation_difference` has none.

    Notes
    -----
    Zou's interval is three to six times too wide for such columns, as it ignores that Fisher's z distorts both
    correlations equally. Here d ± t(n - 2) (1 - m²) sqrt(2 (1 - c) / (n - 3)), times sqrt(1 + m² / 2) for ranks, with m
    the mean of both correlations and c the correlation of their errors.
    Source: Pearson & Filon 1898, Olkin & Siotani 1976 (c); Bonett & Wright 2000 (ranks).

    >>> one = correlation_change(0.85, 0.80, (0.98, 0.79, 0.84, 0.99), 20)
    >>> f"{one.value:.2f} ({one.low:.2f} to {one.high:.2f})"
    '0.05 (0.01 to 0.09)'
    """
    interval = correlation_difference(first, second, crossed, n, level, ranks)
    if isnan(interval.low) or interval.low == interval.high:
        return interval
    mean = (first + second) / 2
    variance_share = max(1 - _correlation_of_estimates(first, second, crossed), 0.0)
    error = (1 - mean**2) * sqrt(2 * variance_share / (n - 3)) * (sqrt(1 + mean**2 / 2) if ranks else 1)
    low, high = interval_from_error(interval.value, error, level, n - 2)
    return Estimate(interval.value, float(low), float(high), n)


def align_with_test(test: WilliamsTest, zou: Estimate, level: float = 0.95) -> Estimate:
    """Adjust Zou's interval to Williams' test: it excludes 0 exactly if the test rejects.

    Requiring both to find a difference would reduce the power by a third.
    """
    if isnan(test.p) or isnan(zou.low):
        return zou
    if test.p >= 1 - level:
        return replace(zou, low=min(zou.low, 0.0), high=max(zou.high, 0.0))
    return replace(zou, low=max(zou.low, 0.0)) if zou.value > 0 else replace(zou, high=min(zou.high, 0.0))


def _correlation_of_estimates(
    first: float, second: float, crossed: tuple[float, float, float, float]
) -> float:
    """Return the correlation of the errors of two correlations over the same rows."""
    jh, jm, kh, km = crossed
    covariance = (
        first * second * (jh**2 + jm**2 + kh**2 + km**2) / 2
        + jh * km
        + jm * kh
        - first * (jh * jm + kh * km)
        - second * (jh * kh + jm * km)
    )
    return min(max(covariance / ((1 - first**2) * (1 - second**2)), -1.0), 1.0)


def shared_column_correlations(
    first: float, second: float, between: float
) -> tuple[float, float, float, float]:
    """Return the crossed correlations for `correlation_difference` of two columns with the same third one.

    `between` is the correlation of the two columns. Source: Zou 2007, eq. 15.
    """
    return between, first, second, 1.0
