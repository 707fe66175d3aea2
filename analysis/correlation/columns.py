"""Correlation of two columns of numbers, and of many pairs of rows at once for resampling.

Single correlations are the textbook ones with their p values and Fisher-z intervals. The `_rows` functions
give the same figures for a whole block of resampled data sets without a Python loop over them; an entry that
is NaN in a row is left out of that row only.
"""

from dataclasses import dataclass
from math import atanh, inf, isnan, nan, sqrt, tanh
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special, stats

from analysis.values.errors import InputError
from analysis.values.estimate import Estimate

Alternative = Literal["two-sided", "less", "greater"]
ALTERNATIVES: tuple[Alternative, ...] = ("two-sided", "less", "greater")
Rows = NDArray[np.float64]

STRENGTHS = ((0.90, "very strong"), (0.70, "strong"), (0.40, "moderate"), (0.10, "weak"), (0.0, "negligible"))
"""Cut points on the absolute correlation, from Schober et al. 2018, Table 1."""


@dataclass(frozen=True)
class Correlation:
    """A correlation with its interval and the p of 'no correlation'.

    Notes
    -----
    `estimate.n` counts the pairs of a (n,) by (n,) comparison; `p` is NaN where the correlation is undefined.
    Source: the functions of this module name theirs.
    """

    estimate: Estimate
    p: float


def pearson(
    x: ArrayLike, y: ArrayLike, *, level: float = 0.95, alternative: Alternative = "two-sided"
) -> Correlation:
    """Pearson's r: how well a straight line through the points predicts one from the other.

    Parameters
    ----------
    x, y : (n,) numbers
    level : of the interval
    alternative : of the p value; "greater" asks for a positive correlation

    Returns
    -------
    Correlation
        undefined with its reason for fewer than 3 pairs or constant values.

    Raises
    ------
    InputError
        where lengths differ or a number is not finite.

    Notes
    -----
    Answers: do both put the items on one line? Not for ranks or strongly curved relations: use `spearman`.
    The interval is Fisher's z with standard error 1 / sqrt(n - 3), p is Student's t with n - 2 degrees.
    Source: Fisher 1921, "On the probable error of a coefficient of correlation"; methods: section 1.

    >>> round(pearson([113, 99, 81, 131], [71, 61, 54, 73]).estimate.value, 3)
    0.965
    """
    x, y = _pairs(x, y)
    return _t_test(x, y, "Pearson's r", level, alternative, bonett_wright=False)


def spearman(
    x: ArrayLike, y: ArrayLike, *, level: float = 0.95, alternative: Alternative = "two-sided"
) -> Correlation:
    """Spearman's rho: Pearson's r of the ranks, equal values sharing their middle rank.

    Parameters
    ----------
    x, y : (n,) numbers
    level : of the interval
    alternative : of the p value; "greater" asks for a positive correlation

    Returns
    -------
    Correlation
        undefined with its reason for fewer than 3 pairs or constant values.

    Raises
    ------
    InputError
        where lengths differ or a number is not finite.

    Notes
    -----
    Answers: do both put the items in the same order? Not for "do both give the same number": see RMSE.
    The interval is Fisher's z with variance (1 + rho² / 2) / (n - 3), p is Student's t with n - 2 degrees.
    Source: Bonett & Wright 2000, "Sample size requirements", eq. 5; methods: section 1.

    >>> spearman([1, 2, 3, 4], [1, 2, 4, 3]).estimate.value
    0.8
    """
    x, y = _pairs(x, y)
    ranks = midranks(np.vstack([x, y]))
    return _t_test(ranks[0], ranks[1], "Spearman's rho", level, alternative, bonett_wright=True)


def kendall(
    x: ArrayLike, y: ArrayLike, *, level: float = 0.95, alternative: Alternative = "two-sided"
) -> Correlation:
    """Kendall's tau-b: of all pairs of items, the share ordered alike minus the share ordered oppositely.

    Parameters
    ----------
    x, y : (n,) numbers
    level : of the interval
    alternative : of the p value; "greater" asks for a positive correlation

    Returns
    -------
    Correlation
        undefined with its reason for fewer than 3 pairs or constant values.

    Raises
    ------
    InputError
        where lengths differ or a number is not finite.

    Notes
    -----
    Answers: if I draw two items, will both groups order them alike? Smaller than rho for the same data.
    In O(n log n). p is exact for few untied pairs, else normal. The interval is Fisher's z with variance
    .437 / (n - 4), for at least 5 pairs.
    Source: Kendall 1945, "The treatment of ties"; Fieller, Hartley & Pearson 1957, section 5.

    >>> round(kendall([1, 2, 3, 4], [1, 2, 4, 3]).estimate.value, 3)
    0.667
    """
    x, y = _pairs(x, y)
    reason = why_undefined(x, y)
    if reason:
        return Correlation(Estimate(nan, n=len(x), reason=reason), nan)
    found = stats.kendalltau(x, y, alternative=alternative)
    error = sqrt(0.437 / (len(x) - 4)) if len(x) > 4 else nan
    return Correlation(fisher_interval(float(found.statistic), error, len(x), level), float(found.pvalue))


def strength(value: float) -> str:
    """A correlation in a word.

    Raises
    ------
    InputError
        where the value is outside -1 … 1.

    Notes
    -----
    Answers: what would the literature call this? Words are conventions of medicine, not verdicts.
    Takes one number, not an array (n,). Source: Schober, Boer & Schwarte 2018, Table 1; methods: section 1.

    >>> strength(0.925), strength(0.637), strength(-0.75), strength(float("nan"))
    ('very strong', 'moderate', 'strong negative', 'undefined')
    """
    if isnan(value):
        return "undefined"
    size = abs(value)
    if size > 1 + 1e-12:
        raise InputError(f"`value` must be a correlation between -1 and 1, got {value}")
    word = next(word for cut, word in STRENGTHS if size >= cut)
    return f"{word} negative" if value < 0 and word != "negligible" else word


def why_undefined(x: NDArray[np.float64], y: NDArray[np.float64], least: int = 3) -> str:
    """The sentence that says why x and y have no correlation; empty where they have one.

    Parameters
    ----------
    x, y : (n,) numbers
    least : smallest number of pairs

    Raises
    ------
    Never.

    Notes
    -----
    Two points always lie on a line, so 3 is the least. Source: methods, section 1 ("undefined").
    """
    if len(x) < least:
        return f"a correlation needs at least {least} items that both sides rated; there are {len(x)}"
    flat = [name for name, values in (("first", x), ("second", y)) if np.ptp(values) == 0]
    if flat:
        sides = "both sides are" if len(flat) == 2 else f"the {flat[0]} side is"
        return f"{sides} constant, so there is nothing to correlate"
    return ""


def settle(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Values (…,) rounded to twelve significant digits of the largest, so that equal means are equal.

    Raises
    ------
    Never.

    Notes
    -----
    Sums of decimal scores differ in the last bits with the order of adding; without this, such dust would
    break ties between items and change ranks. Source: IEEE 754; scipy's advice for `wilcoxon` differences.

    >>> np.unique(settle(np.array([0.1 + 0.2, 0.3]))).tolist()
    [0.3]
    """
    largest = float(np.nanmax(np.abs(values), initial=0.0)) if values.size else 0.0
    if largest == 0 or not np.isfinite(largest):
        return values
    return np.round(values, 11 - int(np.floor(np.log10(largest))))


def fisher_interval(value: float, error: float, n: int, level: float) -> Estimate:
    """A correlation's interval from a standard error on Fisher's z.

    Parameters
    ----------
    value : a correlation; error : of atanh(value); n : pairs, of x (n,) and y (n,)

    Raises
    ------
    Never.

    Notes
    -----
    For a perfect correlation z is infinite and no interval is given. Source: Fisher 1921.
    """
    if isnan(value):
        return Estimate(nan, n=n, reason="the correlation is undefined")
    if abs(value) >= 1 - 1e-12:
        return Estimate(value, n=n, reason="the correlation is perfect: Fisher's z gives no interval")
    if isnan(error):
        return Estimate(value, n=n, reason=f"too few items for an interval: {n}")
    half = float(special.ndtri((1 + level) / 2)) * error
    z = atanh(value)
    return Estimate(value, tanh(z - half), tanh(z + half), n)


def midranks(rows: Rows) -> Rows:
    """Ranks 1 … n within each row, equal values sharing their middle rank; NaN rank last.

    Parameters
    ----------
    rows : (k, n)

    Raises
    ------
    Never.

    Notes
    -----
    Equals `scipy.stats.rankdata` row by row, for rows without NaN.
    Source: Kendall 1945, "The treatment of ties in ranking problems".
    """
    order = np.argsort(rows, axis=1)
    first, last = _tie_ends(np.take_along_axis(rows, order, axis=1))
    ranks = np.empty(rows.shape)
    np.put_along_axis(ranks, order, (first + last) / 2 + 1, axis=1)
    return ranks


def pearson_rows(x: Rows, y: Rows) -> NDArray[np.float64]:
    """Pearson's r of each row of x with the same row of y; NaN where a side is constant.

    Parameters
    ----------
    x, y : (k, n); an entry that is NaN in either is left out of its row

    Returns
    -------
    (k,)

    Raises
    ------
    Never.

    Notes
    -----
    For resampling. Source: as `pearson`.
    """
    out = np.isnan(x) | np.isnan(y)
    n: Any = x.shape[1]
    if out.any():
        n = np.maximum((~out).sum(axis=1, keepdims=True), 1)
        x, y = np.where(out, nan, x), np.where(out, nan, y)
    flat = _constant(x) | _constant(y)
    x, y = _centred(x, n), _centred(y, n)
    xy = np.einsum("ij,ij->i", x, y)
    with np.errstate(invalid="ignore", divide="ignore"):
        r = xy / np.sqrt(np.einsum("ij,ij->i", x, x) * np.einsum("ij,ij->i", y, y))
    return np.clip(np.where(flat, nan, r), -1.0, 1.0)


def spearman_rows(x: Rows, y: Rows) -> NDArray[np.float64]:
    """Spearman's rho of each row of x with the same row of y; NaN where a side is constant.

    Parameters
    ----------
    x, y : (k, n); an entry that is NaN in either is left out of its row

    Returns
    -------
    (k,)

    Raises
    ------
    Never.

    Notes
    -----
    For resampling. Source: as `spearman`.
    """
    out = np.isnan(x) | np.isnan(y)
    if out.any():
        x, y = np.where(out, nan, x), np.where(out, nan, y)
    rank_x, rank_y = midranks(x), midranks(y)
    if out.any():
        rank_x[out], rank_y[out] = nan, nan
    return pearson_rows(rank_x, rank_y)


def kendall_rows(x: Rows, y: Rows) -> NDArray[np.float64]:
    """Kendall's tau-b of each row of x with the same row of y; NaN where a side is constant.

    Parameters
    ----------
    x, y : (k, n); an entry that is NaN in either is left out of its row

    Returns
    -------
    (k,)

    Raises
    ------
    Never.

    Notes
    -----
    Sorted by x (ties by y), the discordant pairs are the inversions of y, counted while merging.
    For resampling. Source: Knight 1966, "A computer method for calculating Kendall's tau".
    """
    out = np.isnan(x) | np.isnan(y)
    n = x.shape[1]
    both, ties_x, ties_y = _by_x_then_y(x, y, out)
    first, _ = _tie_ends(both)
    ties_both = (np.arange(n) - first).sum(axis=1)
    discordant = _inversions(both % (2 * n))
    left = (~out).sum(axis=1)
    pairs = left * (left - 1) // 2
    excess = pairs - ties_x - ties_y + ties_both - 2 * discordant
    with np.errstate(invalid="ignore", divide="ignore"):
        tau = excess / np.sqrt((pairs - ties_x).astype(float) * (pairs - ties_y))
    return np.clip(np.where((pairs == ties_x) | (pairs == ties_y), nan, tau), -1.0, 1.0)


def discordant_rows(x: Rows, y: Rows) -> NDArray[np.int64]:
    """Pairs of columns that each row of x and the same row of y put in opposite orders.

    Parameters
    ----------
    x, y : (k, n); an entry that is NaN in either is left out of its row

    Returns
    -------
    (k,)

    Raises
    ------
    Never.

    Notes
    -----
    A tie on either side is no opposite order. Source: as `kendall_rows`.
    """
    both, _, _ = _by_x_then_y(x, y, np.isnan(x) | np.isnan(y))
    return _inversions(both % (2 * x.shape[1]))


def student_p(t: float, degrees: float, alternative: Alternative) -> float:
    """p of a t value.

    Parameters
    ----------
    t : the value; degrees : of freedom, for a sample (n,); alternative : "less" counts the lower tail

    Raises
    ------
    Never.

    Notes
    -----
    Source: Student 1908.

    >>> round(student_p(2.0, 10, "two-sided"), 4)
    0.0734
    """
    if alternative == "two-sided":
        return float(min(1.0, 2 * special.stdtr(degrees, -abs(t))))
    return float(special.stdtr(degrees, t if alternative == "less" else -t))


def _t_test(
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    name: str,
    level: float,
    alternative: Alternative,
    bonett_wright: bool,
) -> Correlation:
    n = len(x)
    reason = why_undefined(x, y)
    if reason:
        return Correlation(Estimate(nan, n=n, reason=reason), nan)
    r = float(pearson_rows(x[None], y[None])[0])
    if isnan(r):
        return Correlation(Estimate(nan, n=n, reason=f"the values vary too little for {name}"), nan)
    room = (1 - r) * (1 + r)
    t = r * sqrt((n - 2) / room) if room > 0 else (inf if r > 0 else -inf)
    error = sqrt((1 + r * r / 2 if bonett_wright else 1) / (n - 3)) if n > 3 else nan
    return Correlation(fisher_interval(r, error, n, level), student_p(t, n - 2, alternative))


def _pairs(x: ArrayLike, y: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    first, second = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if first.ndim != 1 or first.shape != second.shape:
        raise InputError(f"`x` and `y` must be 1-d and equally long, got {first.shape} and {second.shape}")
    if not (np.isfinite(first).all() and np.isfinite(second).all()):
        raise InputError("`x` and `y` must be finite; leave pairs with a missing number out")
    return first, second


def _constant(rows: Rows) -> NDArray[np.bool_]:
    highest: NDArray[np.float64] = np.fmax.reduce(rows, axis=1, initial=-inf)
    return np.asarray(highest <= np.fmin.reduce(rows, axis=1, initial=inf), dtype=np.bool_)


def _centred(rows: Rows, n: Any) -> Rows:
    """Rows less their means over n entries, entries that are left out as zeros."""
    out = np.isnan(rows)
    if not out.any():
        return np.asarray(rows - rows.mean(axis=1, keepdims=True))
    return np.where(out, 0.0, rows - np.where(out, 0.0, rows).sum(axis=1, keepdims=True) / n)


def _tie_ends(ordered: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """First and last position (k, n) of the run of equal values that each entry of sorted rows belongs to."""
    n = ordered.shape[1]
    position = np.broadcast_to(np.arange(n), ordered.shape)
    begins = np.ones(ordered.shape, dtype=bool)
    begins[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    ends = np.ones(ordered.shape, dtype=bool)
    ends[:, :-1] = begins[:, 1:]
    first = np.maximum.accumulate(np.where(begins, position, 0), axis=1)
    last = np.minimum.accumulate(np.where(ends, position, n)[:, ::-1], axis=1)[:, ::-1]
    return first, last


def _by_x_then_y(
    x: Rows, y: Rows, out: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Group of x times 2n plus group of y, ascending per row (k, n), and the tied pairs of x and of y (k,)."""
    n = x.shape[1]
    group_x, ties_x = _tie_groups(np.where(out, nan, x))
    group_y, ties_y = _tie_groups(np.where(out, nan, y))
    # Left-out entries come last and in one order on both sides: neither tied nor discordant.
    last = np.broadcast_to(n + np.arange(n), x.shape)
    group_x, group_y = np.where(out, last, group_x), np.where(out, last, group_y)
    return np.sort(group_x * (2 * n) + group_y, axis=1), ties_x, ties_y


def _tie_groups(rows: Rows) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Group numbers (k, n), equal values in one group, ascending; and tied pairs per row (k,)."""
    order = np.argsort(rows, axis=1)
    first, _ = _tie_ends(np.take_along_axis(rows, order, axis=1))
    groups = np.empty(rows.shape, dtype=np.int64)
    np.put_along_axis(groups, order, first, axis=1)
    return groups, (np.arange(rows.shape[1]) - first).sum(axis=1)


def _inversions(rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Pairs in falling order per row of non-negative whole numbers, counted while merging halves."""
    k, n = rows.shape
    size = 1 << max(n - 1, 0).bit_length()
    merged = np.full((k, size), 2 * n, dtype=np.int64)
    merged[:, :n] = rows
    found = np.zeros(k, dtype=np.int64)
    width = 1
    while width < size:
        blocks = merged.reshape(k, -1, 2 * width) * 2
        blocks[:, :, width:] += 1
        blocks.sort(axis=2)
        from_left = (blocks & 1) == 0
        places = (from_left * np.arange(2 * width)).sum(axis=(1, 2))
        found += places - (size // (2 * width)) * (width * (width - 1) // 2)
        merged = (blocks >> 1).reshape(k, size)
        width *= 2
    return found
