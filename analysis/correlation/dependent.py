"""Lin's concordance, and comparisons of correlations that share data."""

from dataclasses import replace
from math import isnan, nan, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from analysis.resampling.intervals import FISHER, by_error
from analysis.values.estimate import Alternative, Estimate, Floats, InputError, student_p

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


FEWEST = 4
"""Systems that Williams' test needs: it has three degrees of freedom fewer."""
_PERFECT = 1 - 1e-12
_ROOM = 1e-12


class WilliamsTest(NamedTuple):
    """Williams' t, its degrees of freedom and p; NaN where undefined."""

    t: float
    degrees: int
    p: float


def williams(
    first: float,
    second: float,
    between: float,
    n: int,
    alternative: Alternative = "two-sided",
    ranks: bool = False,
) -> WilliamsTest:
    """Williams' test of two dependent correlations that share one variable.

    Parameters
    ----------
    first, second : correlations of two columns (n,) with the same third one
    between : the correlation of the two columns with each other
    n : rows, such as systems
    alternative : "greater" asks whether the first is higher
    ranks : whether these are Spearman's, whose errors are larger by sqrt(1 + rho² / 2)

    Returns
    -------
    WilliamsTest
        undefined for fewer than 4 rows, or where the three correlations leave no room for chance.

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

    >>> test = williams(0.4, 0.5, 0.1, 103)
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
    spread = 2 * max(determinant, 0.0) * (n - 1) / degrees + mean**2 * (1 - between) ** 3
    if spread <= _ROOM**2:
        return WilliamsTest(nan, degrees, nan)
    t = (first - second) * sqrt((n - 1) * (1 + between) / spread)
    if ranks:
        t /= sqrt(1 + mean**2 / 2)
    return WilliamsTest(t, degrees, student_p(t, degrees, alternative))


def difference(
    first: float,
    second: float,
    crossed: tuple[float, float, float, float],
    n: int,
    level: float = 0.95,
    ranks: bool = False,
) -> Estimate:
    """The correlation of columns j and k less that of h and m, over the same n rows, with Zou's interval.

    Parameters
    ----------
    first, second : r_jk and r_hm
    crossed : r_jh, r_jm, r_kh, r_km; with the same third column these are `sharing` it
    n : rows, such as systems
    level : of the interval
    ranks : whether these are Spearman's

    Returns
    -------
    Estimate
        without an interval for fewer than 4 rows, a perfect correlation, or ranks that are the same in both: other rows
        may tell them apart.

    Notes
    -----
    Each correlation's own interval is on Fisher's z; the distances of their ends are put together as the correlation of
    the two estimates asks. It holds its level where draws of 8 to 30 systems do not (docs/calibration.md).
    Source: Zou 2007, "Toward using confidence intervals to compare correlations", eqs. 13 to 16; the correlation of
    two correlations: Pearson & Filon 1898, Olkin & Siotani 1976.

    >>> zou = difference(0.396, 0.179, sharing(0.396, 0.179, 0.088), 66)
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
    ends = [
        by_error(r, sqrt((1 + r**2 / 2 if ranks else 1) / (n - 3)), level, scale=FISHER)
        for r in (first, second)
    ]
    (low_1, high_1), (low_2, high_2) = ((float(low), float(high)) for low, high in ends)
    together = _correlation_of_both(first, second, crossed)
    below, above = first - low_1, high_2 - second
    low = value - sqrt(max(below**2 + above**2 - 2 * together * below * above, 0.0))
    below, above = high_1 - first, second - low_2
    high = value + sqrt(max(below**2 + above**2 - 2 * together * below * above, 0.0))
    return Estimate(value, low, high, n)


def change(
    first: float,
    second: float,
    crossed: tuple[float, float, float, float],
    n: int,
    level: float = 0.95,
    ranks: bool = False,
) -> Estimate:
    """The correlation of columns j and k less that of h and m, where both are nearly the same columns.

    Parameters
    ----------
    first, second, crossed, n, level, ranks : as in `difference`

    Returns
    -------
    Estimate
        without an interval where `difference` has none.

    Notes
    -----
    Fisher's z of each correlation bends both ends alike, which Zou's interval does not know of: it is three to six
    times too wide for such columns. Here d ± t(n - 2) (1 - m²) sqrt(2 (1 - c) / (n - 3)), times sqrt(1 + m² / 2) for
    ranks, with m the mean of both correlations and c the correlation of their errors.
    Source: Pearson & Filon 1898, Olkin & Siotani 1976 (c); Bonett & Wright 2000 (ranks).

    >>> one = change(0.85, 0.80, (0.98, 0.79, 0.84, 0.99), 20)
    >>> f"{one.value:.2f} ({one.low:.2f} to {one.high:.2f})"
    '0.05 (0.01 to 0.09)'
    """
    found = difference(first, second, crossed, n, level, ranks)
    if isnan(found.low) or found.low == found.high:
        return found
    mean = (first + second) / 2
    apart = max(1 - _correlation_of_both(first, second, crossed), 0.0)
    error = (1 - mean**2) * sqrt(2 * apart / (n - 3)) * (sqrt(1 + mean**2 / 2) if ranks else 1)
    low, high = by_error(found.value, error, level, n - 2)
    return Estimate(found.value, float(low), float(high), n)


def decided_by(test: WilliamsTest, zou: Estimate, level: float = 0.95) -> Estimate:
    """Zou's interval made to agree with Williams' test: without 0 where it rejects, with 0 where it does not.

    Asking both to find a difference would take a third of the test's power.
    """
    if isnan(test.p) or isnan(zou.low):
        return zou
    if test.p >= 1 - level:
        return replace(zou, low=min(zou.low, 0.0), high=max(zou.high, 0.0))
    return replace(zou, low=max(zou.low, 0.0)) if zou.value > 0 else replace(zou, high=min(zou.high, 0.0))


def _correlation_of_both(first: float, second: float, crossed: tuple[float, float, float, float]) -> float:
    """The correlation of the errors of two correlations over the same rows."""
    jh, jm, kh, km = crossed
    covariance = (
        first * second * (jh**2 + jm**2 + kh**2 + km**2) / 2
        + jh * km
        + jm * kh
        - first * (jh * jm + kh * km)
        - second * (jh * kh + jm * km)
    )
    return min(max(covariance / ((1 - first**2) * (1 - second**2)), -1.0), 1.0)


def sharing(first: float, second: float, between: float) -> tuple[float, float, float, float]:
    """Return what `difference` asks for where two columns, `between` whom a correlation is, are compared with the same
    one (Zou 2007, eq. 15)."""
    return between, first, second, 1.0
