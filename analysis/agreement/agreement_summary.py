"""Rating tables, and the agreement of a group of raters with intervals for these raters or for raters like these."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import nan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.agreement.cluster_intervals import NO_CLUSTERS, Clusters, clustered_interval, two_way_ends
from analysis.agreement.intraclass import NO_INTERVAL, interval_for_others, spearman_brown
from analysis.agreement.ratio_intervals import FEWEST_FOR_INTERVAL, interval_from_z, interval_sums
from analysis.agreement.reliability import (
    FEWEST_FOR_OTHERS,
    LOWEST,
    OTHERS,
    THESE,
    Form,
    consistency_icc,
    is_crossed,
    one_way_icc,
    too_few_raters_reason,
)
from analysis.resampling.intervals import Z_BOUND, fisher_z
from analysis.values.estimate import FEWEST_RANDOM, Codes, Estimate, Floats, InputError, Scope, chosen_scope
from analysis.values.ratings import Ratings, coded
from analysis.variance.jackknives import FEWEST_ITEMS

MOST_GRADES = 101
"""Largest number of grades of an inferred scale: 0 to 100."""


@dataclass(frozen=True, eq=False)
class RatingTable:
    """N ratings as codes of n items, w raters and q values, each rater at most once per item.

    `values` (q,) are the possible values, ascending; `items` (n,), `raters` (w,) ids.
    """

    items: NDArray[Any]
    raters: NDArray[Any]
    values: NDArray[Any]
    item: Codes
    rater: Codes
    value: Codes

    @cached_property
    def counts(self) -> Floats:
        """Number of times that each item got each value (n, q)."""
        return _count_table(self.item, self.value, len(self.items), len(self.values))

    @cached_property
    def counts_by_rater(self) -> Floats:
        """Number of times that each rater gave each value (w, q)."""
        return _count_table(self.rater, self.value, len(self.raters), len(self.values))

    @cached_property
    def counts_without_rating(self) -> Floats:
        """Counts of each rating's item without that rating (N, q)."""
        counts = self.counts[self.item]
        counts[np.arange(len(counts)), self.value] -= 1
        return counts


def rating_table(
    item: ArrayLike, rater: ArrayLike, value: ArrayLike, scale: ArrayLike | None = None
) -> RatingTable:
    """Build the table of ratings (N,), checked for repeats and for values that are not on the scale."""
    columns = {
        name: np.asarray(column) for name, column in (("item", item), ("rater", rater), ("value", value))
    }
    lengths = {name: column.shape for name, column in columns.items()}
    if len(set(lengths.values())) > 1 or columns["item"].ndim != 1:
        raise InputError(f"`item`, `rater` and `value` need one entry per rating each, got shapes {lengths}")
    observed = columns["value"]
    if observed.dtype.kind == "f" and not np.isfinite(observed).all():
        raise InputError("`value` must have no missing numbers; leave such ratings out")
    values = np.unique(observed if scale is None else np.asarray(scale))
    code = np.clip(np.searchsorted(values, observed), 0, max(len(values) - 1, 0))
    if len(observed) and not (values[code] == observed).all():
        off = observed[values[code] != observed][0]
        raise InputError(f"`value` must be on the scale {values.tolist()}, got {off}")
    items, item_code = coded(columns["item"])
    raters, rater_code = coded(columns["rater"])
    cells, times = np.unique(item_code * max(len(raters), 1) + rater_code, return_counts=True)
    if (times > 1).any():
        i, w = divmod(int(cells[times > 1][0]), len(raters))
        raise InputError(
            f"a rater gives an item one value, got {int(times[times > 1][0])} of rater {raters[w]} for item {items[i]}"
        )
    return RatingTable(items, raters, values, item_code, rater_code, code)


def infer_scale(scores: ArrayLike) -> Floats:
    """Infer the grades (q,) of the scale of scores (N,).

    For whole numbers these are all from the smallest, or 1 if that is smaller, to the largest; scales with negative and
    positive grades are symmetric. Otherwise, or with more than 101 grades, or if all are equal, they are those that
    occur.

    >>> infer_scale([5, 4, 2]), infer_scale([-1, 2]), infer_scale([1.5, 4])
    (array([1., 2., 3., 4., 5.]), array([-2., -1.,  0.,  1.,  2.]), array([1.5, 4. ]))
    """
    grades = np.unique(np.asarray(scores, dtype=np.float64))
    if len(grades) < 2 or not (grades == np.rint(grades)).all():
        return grades
    low, high = min(float(grades[0]), 1.0), float(grades[-1])
    if low < 0 < high:
        high = max(-low, high)
        low = -high
    return np.arange(low, high + 1) if high - low < MOST_GRADES else grades


def _count_table(unit: Codes, value: Codes, units: int, values: int) -> Floats:
    counts = np.bincount(unit * values + value, minlength=units * values)
    return counts.reshape(units, values).astype(np.float64)


def sum_rows_by_code(code: Codes, changes: Floats, size: int) -> Floats:
    """Sum the rows (N, …) of each code, of at least `size` codes (size, …)."""
    flat = changes.reshape(len(changes), -1)
    summed = np.stack([np.bincount(code, column, size) for column in flat.T], axis=1)
    return np.asarray(summed.reshape(-1, *changes.shape[1:]), dtype=np.float64)


@dataclass(frozen=True)
class AgreementSummary:
    """Agreement of single ratings and of their means.

    `alpha` is Krippendorff's (interval data), `one` the reliability of one rating: `form` ICC(C,1) of crossed raters,
    else ICC(1,1); `mean` that of the mean of `k` ratings, the harmonic mean of the ratings per item, with an interval
    not below 0. All intervals are of one `scope`: for these raters, or for raters like these, of whom there are
    `raters`. The variance due to raters comes from `read_off` randomly sampled items, 0 for all; `items_share` is the
    share of the squared width of the reliability's interval that is due to items. `by_clusters` is True where items
    are clustered by systems and topics. `per_item` is the mean number of ratings of an item.
    """

    alpha: Estimate
    one: Estimate
    mean: Estimate
    k: float
    raters: int
    form: Form = "ICC(1,1)"
    scope: Scope = "these raters"
    read_off: int = 0
    items_share: float = 1.0
    by_clusters: bool = False
    per_item: float = nan

    @property
    def is_rough(self) -> bool:
        """True where too few raters make the interval for raters like these approximate."""
        return self.scope == OTHERS and self.raters < FEWEST_RANDOM


def agreement_summary(
    ratings: Ratings,
    scope: Scope | None = None,
    raters_are_persons: bool = True,
    system: Mapping[Any, Hashable] | None = None,
    topic: Mapping[Any, Hashable] | None = None,
) -> AgreementSummary:
    """Estimate alpha, the reliability of one rating, and that of the mean of an item's ratings.

    Parameters
    ----------
    ratings : N ratings of n items; a rater's several ratings of an item count as their mean
    scope : "these raters" or "raters like these"; None takes the latter from 6 raters on
    raters_are_persons : False where rater ids are slots, which do not generalize to other raters
    system, topic : the system and topic of each item, by its id

    Returns
    -------
    AgreementSummary
        n = items with two ratings or more. Undefined estimates have a reason, unreliable intervals a `warning`.

    Notes
    -----
    Source: methods, sections 1 and 10; Krippendorff 2011; McGraw and Wong 1996. Intervals:
    `analysis.agreement.ratio_intervals`, `analysis.agreement.cluster_intervals`; of an ICC for raters like these
    `analysis.agreement.intraclass` (of ICC(1,1) with the standard error of ICC(A,1)).

    >>> items, raters = [1, 1, 2, 2, 3, 3, 4, 4, 5, 5], [1, 2] * 5
    >>> found = agreement_summary(Ratings(items, raters, [1, 2, 2, 2, 4, 5, 3, 3, 5, 5]))
    >>> found.form, found.one.value.__round__(2), found.scope
    ('ICC(C,1)', 0.94, 'these raters')
    """
    averaged = average_repeated_ratings(ratings) if raters_are_persons else ratings
    items, item = coded(averaged.item)
    raters, rater = coded(averaged.rater)
    chosen = chosen_scope(scope, len(raters), raters_are_persons)
    center = averaged.score.mean() if len(averaged) else 0.0
    count, total, squares = _item_totals(item, averaged.score - center)
    clusters = Clusters.from_mappings(items, system, topic)
    centered = None
    if raters_are_persons and is_crossed(count, len(raters)):
        of_rater = np.bincount(rater, averaged.score - center) / np.bincount(rater)
        centered = _item_totals(item, averaged.score - center - of_rater[rater])
    summary = summary_for_these_raters(count, total, squares, len(raters), clusters, centered)
    if chosen == THESE or not len(averaged):
        return summary
    alpha = alpha_over_raters(item, rater, averaged.score, clusters, alpha=summary.alpha)
    return summary_for_others(summary, alpha, averaged, clusters)


def summary_for_these_raters(
    count: Codes,
    total: Floats,
    squares: Floats,
    raters: int,
    clusters: Clusters = NO_CLUSTERS,
    centered: tuple[Codes, Floats, Floats] | None = None,
) -> AgreementSummary:
    """Estimate the summary for these raters from each item's number, total and sum of squares (n,) of centered scores.

    `centered` holds the same of scores minus their rater's mean, if raters are crossed; `clusters` are those of the
    items (n,).
    """
    number = count.astype(np.float64)
    alpha = _alpha_estimate(number, total, squares, clusters)
    if centered is None:
        single = one_way_icc(number, total, squares, clusters)
    else:
        single = consistency_icc(centered[0].astype(np.float64), centered[1], centered[2], clusters)
    form: Form = "ICC(1,1)" if centered is None else "ICC(C,1)"
    k = float(len(count) / (1 / count).sum()) if len(count) else nan
    mean = clip_interval_at_zero(spearman_brown(single, k))
    per_item = float(number.mean()) if len(count) else nan
    return AgreementSummary(
        alpha, single, mean, k, raters, form, by_clusters=clusters.are_shared, per_item=per_item
    )


def summary_for_others(
    summary: AgreementSummary, alpha: Estimate, ratings: Ratings, clusters: Clusters = NO_CLUSTERS
) -> AgreementSummary:
    """Estimate the summary for raters like these from the ratings of all items, or of a random sample.

    `clusters` are those of the rated items (n,).
    """
    if summary.raters < FEWEST_FOR_OTHERS:
        return _remove_intervals(summary)
    topic = clusters.topic
    if topic is not None and topic.max(initial=-1) + 1 < FEWEST_ITEMS:
        topic = None
    single = interval_for_others(
        summary.one, "consistency" if summary.form == "ICC(C,1)" else "agreement", ratings, topic
    )
    sampled_items = len(np.unique(ratings.item))
    return replace(
        _add_intervals_for_others(summary, alpha, single),
        read_off=sampled_items if sampled_items < summary.one.n else 0,
    )


def alpha_over_raters(
    item: Codes,
    rater: Codes,
    score: Floats,
    clusters: Clusters = NO_CLUSTERS,
    level: float = 0.95,
    alpha: Estimate | None = None,
) -> Estimate:
    """Estimate alpha of interval data for raters like these, from codes and scores (N,).

    Clusters are the raters, and the topics if there are any, else the items; each rater rated an item once. The
    interval includes that of `alpha`, for these raters, computed if not given. n = items with two ratings or more.
    Source: Cameron, Gelbach and Miller 2011 (two ways), on Fisher's z.
    """
    raters = int(rater.max(initial=-1)) + 1
    score = score - (score.mean() if len(score) else 0.0)
    count, total, squares = (part.astype(np.float64) for part in _item_totals(item, score))
    alpha = alpha or _alpha_estimate(count, total, squares, clusters, level)
    if np.isnan(alpha.low):
        return alpha
    if raters < FEWEST_FOR_OTHERS:
        return Estimate(alpha.value, n=alpha.n, reason=too_few_raters_reason(raters))
    topic = clusters.topic
    unit = np.arange(len(count)) if topic is None or topic.max() + 1 < FEWEST_FOR_INTERVAL else topic
    rows = _alpha_sums(count, total, squares)
    changes = _alpha_sums(count[item] - 1, total[item] - score, squares[item] - score**2) - rows[item]
    cell_changes = changes  # each rater rated an item once
    if unit.max() + 1 < len(unit):
        cell_changes = _sum_rows_by_group(unit[item] * raters + rater, changes)
    sums = rows.sum(axis=0)
    smaller, larger = sorted((-_sum_rows_by_group(unit, rows), _sum_rows_by_group(rater, changes)), key=len)
    leave_one_out = [_z_from_sums(sums + change) for change in (smaller, larger, cell_changes)]
    low, high = two_way_ends(
        fisher_z(alpha.value), leave_one_out[0], leave_one_out[1], leave_one_out[2], level
    )
    return _extend_interval(alpha, *interval_from_z(alpha.value, low, high))


def transfer_interval(alpha: Estimate, subset: Estimate) -> Estimate:
    """Return `alpha` of all items with the interval for raters like these of a `subset` of the items.

    The interval is shifted on Fisher's z to alpha of all items, and includes the one for these raters. Valid where
    each rater rated many items of the subset.
    """
    if subset.low != subset.low:
        return replace(subset, value=alpha.value, n=alpha.n)
    shift = fisher_z(alpha.value) - fisher_z(subset.value)
    ends = interval_from_z(alpha.value, fisher_z(subset.low) + shift, fisher_z(subset.high) + shift)
    return _extend_interval(alpha, *ends)


def average_repeated_ratings(ratings: Ratings) -> Ratings:
    """Average repeated ratings of an item by the same rater."""
    _, item = coded(ratings.item)
    _, rater = coded(ratings.rater)
    _, first, cell = np.unique(
        item * (int(rater.max(initial=-1)) + 1) + rater, return_index=True, return_inverse=True
    )
    if len(first) == len(ratings):
        return ratings
    score = np.bincount(cell, ratings.score) / np.bincount(cell)
    return Ratings(ratings.item[first], ratings.rater[first], score)


def clip_interval_at_zero(mean: Estimate) -> Estimate:
    """Clip the interval of the reliability of a mean at 0, below which Spearman-Brown has a pole."""
    return replace(mean, low=max(mean.low, min(mean.value, 0.0))) if mean.low < 0 else mean


def _remove_intervals(summary: AgreementSummary) -> AgreementSummary:
    """Return the summary for raters like these without intervals, of which there are too few raters."""
    reason = too_few_raters_reason(summary.raters)
    alpha, single, mean = (
        Estimate(estimate.value, n=estimate.n, reason=reason if estimate.defined else estimate.reason)
        for estimate in (summary.alpha, summary.one, summary.mean)
    )
    return replace(summary, alpha=alpha, one=single, mean=mean, scope=OTHERS)


def _add_intervals_for_others(
    summary: AgreementSummary, alpha: Estimate, single: Estimate
) -> AgreementSummary:
    """Return the summary with intervals for raters like these; warnings of few informative items remain."""
    share = 1.0
    if summary.one.reason or np.isnan(single.low):
        single = replace(
            summary.one, low=nan, high=nan, reason=summary.one.reason or single.reason or NO_INTERVAL
        )
    else:
        single = _extend_interval(summary.one, max(single.low, LOWEST), min(single.high, 1.0))
        widths = [fisher_z(estimate.high) - fisher_z(estimate.low) for estimate in (summary.one, single)]
        share = (widths[0] / widths[1]) ** 2 if widths[1] > 0 else 1.0
    mean = clip_interval_at_zero(spearman_brown(single, summary.k))
    return replace(summary, alpha=alpha, one=single, mean=mean, scope=OTHERS, items_share=share)


def _extend_interval(estimate: Estimate, low: float, high: float) -> Estimate:
    """Extend the interval for raters like these to include the one for these raters."""
    return replace(estimate, low=min(low, estimate.low), high=max(high, estimate.high))


def _alpha_estimate(
    count: Floats, total: Floats, squares: Floats, clusters: Clusters, level: float = 0.95
) -> Estimate:
    sums = interval_sums(count, total, squares)
    return clustered_interval(sums, clusters.select(count > 1), level)


def _item_totals(item: Codes, score: Floats) -> tuple[Codes, Floats, Floats]:
    """Return the number, total and sum of squares of each item's scores (n,)."""
    total, squares = (np.bincount(item, score**power).astype(np.float64) for power in (1, 2))
    return np.bincount(item), total, squares


def _sum_rows_by_group(code: Codes, rows: Floats) -> Floats:
    """Sum rows (n, 4) by code (n,), for the codes that occur."""
    return sum_rows_by_code(code, rows, 0)[np.bincount(code) > 0]


def _alpha_sums(count: Floats, total: Floats, squares: Floats) -> Floats:
    """Return the sums of alpha (g, 4): number, total, squares and n SS / (n - 1), 0 below two values."""
    is_paired = count > 1
    n = np.where(is_paired, count, 2.0)
    within = n / (n - 1) * np.maximum(squares - total**2 / n, 0.0)
    return np.stack([count, total, squares, within], axis=1) * is_paired[:, None]


def _z_from_sums(sums: Floats) -> Floats:
    """Return z of alpha from sums (g, 4), NaN where all values are equal."""
    n, total, squares, within = sums.T
    spread = n * squares - total**2
    value = 1 - within * (n - 1) / np.where(spread > 0, spread, nan)
    return np.asarray(np.arctanh(np.clip(value, -Z_BOUND, Z_BOUND)))
