"""Correlations of two columns, and Spearman's rho of fixed rows in bootstrap samples of items.

Rows of whole numbers are counted by products with one sparse indicator matrix of items by values of rows, with the
counts of items in each sample. Sums are those of `analysis.correlation.rank_rows`.
"""

from dataclasses import dataclass, replace
from functools import cache
from itertools import permutations
from math import factorial, inf, isnan, nan, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse, stats

from analysis.correlation.dependent import tau_error
from analysis.correlation.rank_rows import midranks, pearson_from_sums, pearson_rows
from analysis.resampling.intervals import fisher_interval
from analysis.values.estimate import Alternative, Estimate, InputError, student_p
from analysis.values.ratings import tie_exact

Whole = NDArray[np.int64]
MOST_COUNTED = 4
"""Largest number of values of a row per item; with more, sorting is faster."""
MOST_ITEMS = 1 << 16
"""Largest number of items whose sums of ranks are exact in floating point."""


def is_counting_faster(values: Whole, span: Whole) -> bool:
    """Return True if counting rows (m, b, n) of values from 0 to the `span` (m,) is faster than sorting."""
    m, _, n = values.shape
    return bool(0 < n <= MOST_ITEMS and int(span.sum()) + m <= MOST_COUNTED * m * n)


class CountedRows:
    """Rows (m, b, n) of whole values from 0 to the `span` (m,) of each."""

    def __init__(self, values: Whole, span: Whole) -> None:
        m, b, n = values.shape
        self.shape = m, b
        width = np.asarray(span) + 1
        self._blocks = []
        for index in range(b):
            first = np.cumsum(width) - width
            cell = (values[:, index] + first[:, None]).ravel()
            order = np.argsort(cell, kind="stable")
            offsets = np.concatenate([[0], np.cumsum(np.bincount(cell, minlength=int(width.sum())))])
            indicator = sparse.csr_array(
                (np.ones(m * n), (order % n).astype(np.int32), offsets), (len(offsets) - 1, n)
            )
            self._blocks.append((indicator, first))

    def spearman(self, reference: NDArray[np.float64], counts: Whole) -> NDArray[np.float64]:
        """Return rho (m, b, d) of each row with d references, (d, n) or (d, b, n), with `counts` (d, n) of the items.

        Source: Spearman's rho with average ranks, of each item repeated by its count.
        """
        m, b = self.shape
        rho = np.empty((m, b, len(counts)))
        number = counts.sum(axis=1)
        is_shared = reference.ndim == 2
        rank = weighted_ranks(reference, counts) if is_shared else np.empty(0)
        for index, (indicator, first) in enumerate(self._blocks):
            ranks = rank if is_shared else weighted_ranks(reference[:, index], counts)
            weighed = ranks * counts
            sums = indicator @ np.ascontiguousarray(np.concatenate([counts, weighed]).T, dtype=np.float64)
            row_counts, rank_sum = (half.astype(np.int64) for half in np.split(sums, 2, axis=1))
            up_to = np.cumsum(row_counts, axis=0)  # over earlier rows too, as centered ranks sum to 0
            products = np.add.reduceat((2 * up_to - row_counts) * rank_sum, first)
            squares = (number**3 - np.add.reduceat(row_counts**3, first)) / 3
            rho[:, index] = pearson_from_sums(squares, (ranks * weighed).sum(axis=1), products)
        rho[:, :, number < 2] = np.nan
        return rho


def weighted_ranks(reference: NDArray[np.float64], counts: Whole) -> Whole:
    """Return twice the average ranks (d, n) of references with counts of items, minus their mean.

    >>> weighted_ranks(np.array([[3.0, 1.0, 3.0]]), np.array([[1, 1, 1]])).tolist()
    [[1, -2, 1]]
    >>> weighted_ranks(np.array([[3.0, 1.0, 2.0]]), np.array([[2, 1, 0]])).tolist()
    [[1, -2, -1]]
    """
    ranks = np.empty(counts.shape, dtype=np.int64)
    for row, (values, count) in enumerate(zip(tie_exact(reference), counts, strict=True)):
        order = np.argsort(values, kind="stable")
        starts = np.flatnonzero(np.diff(values[order], prepend=values.min(initial=0) - 1))
        tied = np.add.reduceat(count[order], starts)
        doubled = 2 * np.cumsum(tied) - tied - count.sum()
        ranks[row, order] = np.repeat(doubled, np.diff(starts, append=len(order)))
    return ranks


STRENGTHS = ((0.90, "very strong"), (0.70, "strong"), (0.40, "moderate"), (0.10, "weak"), (0.0, "negligible"))
"""Cut points on the absolute correlation, from Schober et al. 2018, Table 1."""
MOST_ORDERED = 8
"""Largest number of pairs for an exact p of rho, over 40,320 permutations."""


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
    """Compute Pearson's r, the strength of the linear relation of two columns.

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
    Not for ranks or strongly curved relations: use `spearman`. The interval is Fisher's z with standard error 1 /
    sqrt(n - 3), p is Student's t with n - 2 degrees.
    Source: Fisher 1921, "On the probable error of a coefficient of correlation"; methods: section 1.

    >>> round(pearson([113, 99, 81, 131], [71, 61, 54, 73]).estimate.value, 3)
    0.965
    """
    x, y = _check_pairs(x, y)
    return _t_test(x, y, "Pearson's r", level, alternative, bonett_wright=False)


def spearman(
    x: ArrayLike, y: ArrayLike, *, level: float = 0.95, alternative: Alternative = "two-sided"
) -> Correlation:
    """Compute Spearman's rho, Pearson's r of the ranks, with midranks for ties.

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
    Not for "do both give the same number": see RMSE. The interval is Fisher's z with variance (1 + rho² / 2) / (n - 3);
    p is exact for up to 8 pairs, ties included, else Student's t with n - 2 degrees, never below one order of all.
    Source: Bonett & Wright 2000, "Sample size requirements", eq. 5; methods: section 1.

    >>> spearman([1, 2, 3, 4], [1, 2, 4, 3]).estimate.value
    0.8
    """
    x, y = _check_pairs(x, y)
    ranks = midranks(np.vstack([x, y]))
    correlation = _t_test(ranks[0], ranks[1], "Spearman's rho", level, alternative, bonett_wright=True)
    if not correlation.estimate.defined:
        return correlation
    if len(x) <= MOST_ORDERED:
        return replace(correlation, p=_exact_p(ranks[0], ranks[1], alternative))
    least = (2 if alternative == "two-sided" else 1) / factorial(min(len(x), 150))
    return replace(correlation, p=max(correlation.p, least))


def kendall(
    x: ArrayLike, y: ArrayLike, *, level: float = 0.95, alternative: Alternative = "two-sided"
) -> Correlation:
    """Compute Kendall's tau-b, the share of concordant minus that of discordant pairs, adjusted for ties.

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
    Smaller than rho for the same data. In O(n log² n). p is exact for few untied pairs, else normal. The interval is on
    Fisher's z with the standard error of `tau_error`, which knows of ties, and Student's t with n - 2 degrees, for at
    least 5 pairs.
    Source: Kendall 1945, "The treatment of ties".

    >>> round(kendall([1, 2, 3, 4], [1, 2, 4, 3]).estimate.value, 3)
    0.667
    """
    x, y = _check_pairs(x, y)
    reason = undefined_reason(x, y)
    if reason:
        return Correlation(Estimate(nan, n=len(x), reason=reason), nan)
    tau = stats.kendalltau(x, y, alternative=alternative)
    estimate = fisher_interval(float(tau.statistic), tau_error(x, y), len(x), level, len(x) - 2)
    return Correlation(estimate, float(tau.pvalue))


def strength(value: float) -> str:
    """Describe a correlation in a word.

    Parameters
    ----------
    value : one correlation, not an array (n,)

    Returns
    -------
    str
        "negligible", "weak", "moderate", "strong" or "very strong", with "negative" below 0; "undefined" for NaN.

    Raises
    ------
    InputError
        where the value is outside -1 … 1.

    Notes
    -----
    Words are conventions of medicine, not verdicts.
    Source: Schober, Boer & Schwarte 2018, Table 1; methods: section 1.

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


def undefined_reason(x: NDArray[np.float64], y: NDArray[np.float64], least: int = 3) -> str:
    """Return the reason why x and y have no correlation, "" if they have one."""
    if len(x) < least:
        return f"a correlation needs at least {least} items that both sides rated; there are {len(x)}"
    constant = [name for name, values in (("first", x), ("second", y)) if np.ptp(values) == 0]
    if constant:
        sides = "both sides are" if len(constant) == 2 else f"the {constant[0]} side is"
        return f"{sides} constant, so there is nothing to correlate"
    return ""


def _t_test(
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    name: str,
    level: float,
    alternative: Alternative,
    bonett_wright: bool,
) -> Correlation:
    n = len(x)
    reason = undefined_reason(x, y)
    if reason:
        return Correlation(Estimate(nan, n=n, reason=reason), nan)
    r = float(pearson_rows(x[None], y[None])[0])
    if isnan(r):
        return Correlation(Estimate(nan, n=n, reason=f"the values vary too little for {name}"), nan)
    unexplained = (1 - r) * (1 + r)
    t = r * sqrt((n - 2) / unexplained) if unexplained > 0 else (inf if r > 0 else -inf)
    error = sqrt((1 + r * r / 2 if bonett_wright else 1) / (n - 3)) if n > 3 else nan
    return Correlation(fisher_interval(r, error, n, level), student_p(t, n - 2, alternative))


def _exact_p(x: NDArray[np.float64], y: NDArray[np.float64], alternative: Alternative) -> float:
    """Return the share of permutations of one column's ranks with a correlation as extreme."""
    products = (y - y.mean())[_all_permutations(len(y))] @ (x - x.mean())
    observed = float((y - y.mean()) @ (x - x.mean()))
    tolerance = 1e-9 * max(abs(observed), 1.0)
    if alternative == "less":
        return float((products <= observed + tolerance).mean())
    if alternative == "greater":
        return float((products >= observed - tolerance).mean())
    return float((np.abs(products) >= abs(observed) - tolerance).mean())


@cache
def _all_permutations(n: int) -> NDArray[np.int64]:
    return np.array(list(permutations(range(n))), dtype=np.int64)


def _check_pairs(x: ArrayLike, y: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    first, second = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if first.ndim != 1 or first.shape != second.shape:
        raise InputError(f"`x` and `y` must be 1-d and equally long, got {first.shape} and {second.shape}")
    if not (np.isfinite(first).all() and np.isfinite(second).all()):
        raise InputError("`x` and `y` must be finite; leave pairs with a missing number out")
    return first, second
