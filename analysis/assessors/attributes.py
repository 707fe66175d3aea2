"""Attributes of raters, such as age: bands, comparisons of raters who differ in one, and curves of their ratings."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import isfinite, nan, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from scipy.sparse import csgraph, linalg

from analysis.correlation.rank_rows import spearman_rows
from analysis.pairs.paired_differences import critical_ranges, range_p
from analysis.repetitions.rating_orders import largest_common_count
from analysis.repetitions.repetition import RepetitionSpec, orders
from analysis.resampling.intervals import UNBOUNDED, interval_from_error, jackknife_variance
from analysis.values.estimate import Codes, Estimate, Floats, InputError
from analysis.values.ratings import Ratings

FEWEST_NUMBERS = 7
"""Fewest different values of a quantitative attribute; below it, each value is a class."""


@dataclass(frozen=True)
class NumberSummary:
    """Mean, SD (n - 1), range and quartiles of n numbers; the SD is NaN for one."""

    n: int
    mean: float
    sd: float
    lowest: float
    quartiles: tuple[float, float, float]
    highest: float


def summarize_numbers(values: ArrayLike) -> NumberSummary:
    """Summarize numbers (n,), ignoring NaN.

    Raises
    ------
    InputError
        where no number is known.

    >>> summarize_numbers([20, 30, 40, float("nan")]).mean
    30.0
    """
    numbers = np.asarray(values, dtype=np.float64)
    defined = numbers[~np.isnan(numbers)]
    if not len(defined):
        raise InputError("`values` needs at least one number")
    low, median, high = (float(at) for at in np.quantile(defined, (0.25, 0.5, 0.75)))
    sd = float(defined.std(ddof=1)) if len(defined) > 1 else np.nan
    return NumberSummary(
        len(defined),
        float(defined.mean()),
        sd,
        float(defined.min()),
        (low, median, high),
        float(defined.max()),
    )


def as_quantity(values: Sequence[str]) -> Floats | None:
    """Convert values to numbers, NaN for "", if all known ones are numbers and at least 7 differ; otherwise None.

    >>> as_quantity(["yes", "no"]) is None, as_quantity([*map(str, range(8)), ""])[-2:].tolist()
    (True, [7.0, nan])
    """
    numbers = np.full(len(values), np.nan)
    for index, value in enumerate(values):
        if value:
            try:
                numbers[index] = float(value)
            except ValueError:
                return None
            if not isfinite(numbers[index]):
                return None
    defined = numbers[~np.isnan(numbers)]
    return numbers if len(np.unique(defined)) >= FEWEST_NUMBERS else None


def quartile_bands(values: ArrayLike) -> list[str]:
    """Return the quartile band of each number (n,), named by its smallest and largest value, "" for NaN.

    A value at a quartile belongs to the band below; empty bands do not occur.

    >>> quartile_bands([20, 21, 30, 31, 40, 41, 50, 51])
    ['20 to 21', '20 to 21', '30 to 31', '30 to 31', '40 to 41', '40 to 41', '50 to 51', '50 to 51']
    """
    numbers = np.asarray(values, dtype=np.float64)
    is_defined = ~np.isnan(numbers)
    if not is_defined.any():
        return [""] * len(numbers)
    cuts = np.quantile(numbers[is_defined], (0.25, 0.5, 0.75))
    quartile = np.searchsorted(cuts, numbers, side="left")
    names = {}
    for band in np.unique(quartile[is_defined]).tolist():
        inside = numbers[is_defined & (quartile == band)]
        low, high = float(inside.min()), float(inside.max())
        names[band] = f"{low:g}" if low == high else f"{low:g} to {high:g}"
    return [
        names[band] if defined else ""
        for band, defined in zip(quartile.tolist(), is_defined.tolist(), strict=True)
    ]


FEWEST_RATERS = 5
"""Fewest raters of a compared value."""
MOST_VALUES = 12
FEW_RATERS = f"a value needs {FEWEST_RATERS} raters"
UNKNOWN = "it is not known of enough raters or items"
ALL_EQUAL = "all its raters have the same figure"


@dataclass(frozen=True)
class ValueDifference:
    """Difference of two values' means with an interval and p that are adjusted for all pairs of values."""

    difference: Estimate
    p: float


@dataclass(frozen=True, eq=False)
class ValueComparison:
    """Means over raters of k values, with Student's intervals (n = raters), and pairs (first, second) of them.

    Values with too few raters have no interval and are in no pair.
    """

    means: tuple[Estimate, ...]
    pairs: Mapping[tuple[int, int], ValueDifference]

    @property
    def largest(self) -> tuple[int, int] | None:
        """Pair with the smallest p, the higher value first; None without pairs."""
        pair = min(self.pairs, key=lambda pair: self.pairs[pair].p, default=None)
        if pair is None or self.pairs[pair].difference.value >= 0:
            return pair
        return pair[1], pair[0]

    def difference(self, high: int, low: int) -> ValueDifference:
        """Return the difference of two values, in either order."""
        if (high, low) in self.pairs:
            return self.pairs[high, low]
        reverse = self.pairs[low, high]
        e = reverse.difference
        return ValueDifference(Estimate(-e.value, -e.high, -e.low, e.n), reverse.p)


def compare_values(
    figure: ArrayLike,
    value: Codes,
    values: int,
    level: float = 0.95,
    limits: tuple[float, float] = UNBOUNDED,
) -> ValueComparison:
    """Compare the means of a figure of each rater between the values of an attribute.

    Parameters
    ----------
    figure : (w,) one number per rater, NaN where it has none
    value : (w,) code of the rater's value of k `values`, -1 where not known
    level : of the intervals; of pairs, for all of them at once
    limits : where a figure may lie

    Raises
    ------
    InputError
        where lengths differ.

    Notes
    -----
    Raters are the units: each counts once. Games and Howell's test, which of two values is Welch's.
    Source: Welch 1947; Games and Howell 1976.

    >>> found = compare_values([1, 2, 3, 2, 2, 4, 5, 4, 5, 6], np.repeat([0, 1], 5), 2)
    >>> round(found.difference(1, 0).difference.value, 2), round(found.pairs[0, 1].p, 4)
    (2.8, 0.0005)
    """
    numbers, codes = np.asarray(figure, dtype=np.float64), np.asarray(value)
    if numbers.shape != codes.shape or numbers.ndim != 1:
        raise InputError(f"`figure` and `value` must be equally long, got {numbers.shape} and {codes.shape}")
    groups = [numbers[(codes == at) & ~np.isnan(numbers)] for at in range(values)]
    estimates = [
        (float(group.mean()), float(group.var(ddof=1)) / len(group), len(group))
        if len(group) > 1
        else (group.sum(), nan, len(group))
        for group in groups
    ]
    return compare_estimates(estimates, level, limits)


def compare_estimates(
    estimates: Sequence[tuple[float, float, int]],
    level: float = 0.95,
    limits: tuple[float, float] = UNBOUNDED,
) -> ValueComparison:
    """Compare k values, given the estimate, its variance over raters and the number of raters of each."""
    eligible = {
        value: estimate
        for value, estimate in enumerate(estimates)
        if estimate[2] >= FEWEST_RATERS and estimate[1] >= 0
    }
    pairs = {}
    for first, second in combinations(eligible, 2):
        total = eligible[first][1] + eligible[second][1]
        if not total > 0:
            continue
        raters = eligible[first][2] + eligible[second][2]
        degrees = total**2 / sum(
            eligible[value][1] ** 2 / (eligible[value][2] - 1) for value in (first, second)
        )
        difference, error = eligible[first][0] - eligible[second][0], sqrt(total)
        half_width = float(critical_ranges(level, len(eligible), degrees)) / sqrt(2) * error
        p = float(range_p([abs(difference) / error * sqrt(2)], len(eligible), degrees)[0])
        pairs[first, second] = ValueDifference(
            Estimate(difference, difference - half_width, difference + half_width, raters), p
        )
    return ValueComparison(tuple(_mean_estimate(*estimate, level, limits) for estimate in estimates), pairs)


def _mean_estimate(
    value: float, variance: float, n: int, level: float, limits: tuple[float, float]
) -> Estimate:
    if n == 0:
        return Estimate(nan, reason=UNKNOWN)
    if n < FEWEST_RATERS:
        return Estimate(value, n=n, reason=FEW_RATERS)
    if not variance > 0:
        return Estimate(value, n=n, reason=ALL_EQUAL)
    ends = interval_from_error(value, sqrt(variance), level, n - 1, limits)
    return Estimate(value, float(ends.low), float(ends.high), n)


def estimate_severities(item: Codes, rater: Codes, score: Floats) -> Floats:
    """Estimate each rater's severity (w,): the mean difference from the mean rater on the same items.

    Least squares of score = item + rater from codes of items and raters and scores (N,), mean 0; NaN for raters whose
    items are not connected to most others'. Deviations from the items' means would be too small with few raters per
    item, since the rater is part of the mean.

    >>> item, rater = np.array([0, 0, 1, 1]), np.array([0, 1, 1, 2])
    >>> estimate_severities(item, rater, np.array([1.0, 3.0, 4.0, 4.0])).round(2).tolist()
    [-1.33, 0.67, 0.67]
    """
    if not len(score):
        return np.zeros(0)
    n, w = int(item.max()) + 1, int(rater.max()) + 1
    incidence: sparse.csr_array = sparse.csr_array((np.ones(len(score)), (item, rater)), shape=(n, w))
    per_item = np.maximum(np.asarray(incidence.sum(axis=1)).ravel(), 1)
    scaled = incidence.multiply(1 / np.sqrt(per_item)[:, None]).tocsr()
    equations = sparse.diags_array(np.asarray(incidence.sum(axis=0)).ravel()) - scaled.T @ scaled
    means = np.bincount(item, score, n) / per_item
    deviations = np.bincount(rater, score - means[item], w)
    effects, _ = linalg.cg(equations, deviations, rtol=1e-10, maxiter=10_000)
    _, component = csgraph.connected_components(incidence.T @ incidence, directed=False)
    counts = np.bincount(component[rater], minlength=int(component.max()) + 1)
    is_connected = (component == counts.argmax()) & (np.bincount(rater, minlength=w) > 0)
    return np.where(is_connected, effects - effects[is_connected].mean(), nan)


MOST_WORK = 30_000_000
"""Largest number of leave-one-out item means."""


@dataclass(frozen=True, eq=False)
class ValueCurve:
    """Mean Spearman correlation with the reference after r = 1 … m ratings, over random orders (m,).

    `scores` (k, n, w) are in k random orders, NaN after an item's last rating, `raters` (k, n, w) their raters; `known`
    (n,) is the reference.
    """

    curve: Floats
    scores: Floats
    raters: Floats
    known: Floats

    def variance_at(self, r: int) -> float:
        """Return the jackknife variance of the curve at r over raters, NaN where undefined.

        In each order the item's next rating replaces that of an excluded rater (Tukey 1958).
        """
        raters = np.unique(self.raters[self.raters >= 0])
        first, rater_of = self.scores[..., :r], self.raters[..., :r]
        shape = self.scores.shape
        later = self.scores[..., r] if shape[2] > r else np.full(shape[:2], np.nan)
        total = first.sum(axis=2)
        leave_one_out = []
        for rater in raters.tolist():
            is_own = rater_of == rater
            is_affected = is_own.any(axis=2)
            totals = np.where(is_affected, total - np.where(is_own, first, 0.0).sum(axis=2) + later, total)
            leave_one_out.append(_mean_correlation(totals, self.known))
        return jackknife_variance(np.array(leave_one_out)) if len(leave_one_out) > 1 else np.nan


def value_curve(ratings: Ratings, reference: Mapping[Any, float], spec: RepetitionSpec) -> ValueCurve:
    """Simulate the curve of N ratings by raters of one kind, as `analysis.repetition.simulate`.

    Orders are within items; for many raters and items there are fewer than in `spec`.
    """
    items = ratings.mos()
    reference_values = np.array(
        [reference.get(item, np.nan) for item in items.items.tolist()], dtype=np.float64
    )
    counts = items.counts[~np.isnan(reference_values)]
    m, width = largest_common_count(counts), int(counts.max(initial=1))
    work = max(len(np.unique(ratings.rater)) * len(counts), 1)
    shuffles = max(min(spec.shuffles, MOST_WORK // work), 1)
    spec = replace(spec, shuffles=shuffles, repetitions=width, order="within items")
    rating_index = orders(ratings, spec, reference)
    codes = np.unique(ratings.rater, return_inverse=True)[1].astype(np.float64)
    scores = np.where(rating_index >= 0, ratings.score[rating_index], np.nan)
    raters = np.where(rating_index >= 0, codes[rating_index], -1)
    reference_values = reference_values[~np.isnan(reference_values)]
    sums = np.cumsum(scores, axis=2)
    curve = np.array([_mean_correlation(sums[..., r], reference_values) for r in range(m)])
    return ValueCurve(curve, scores, raters, reference_values)


def _mean_correlation(values: Floats, reference: Floats) -> float:
    """Average over orders the correlation of items' sums (k, n) with the known values (n,)."""
    rho = spearman_rows(np.round(values, 9), np.broadcast_to(reference, values.shape))
    return float(np.nanmean(rho)) if not np.isnan(rho).all() else np.nan
