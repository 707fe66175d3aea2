"""Tables of ratings as counts, and a group's agreement with intervals for these raters or for others."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import nan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.agreement.cluster_intervals import NO_CLUSTERS, Clusters, clustered_interval, two_way_ends
from analysis.agreement.intraclass import NO_INTERVAL, interval_for_others, stepped_up
from analysis.agreement.ratio_intervals import FEWEST, ends_of, interval_sums
from analysis.agreement.reliability import (
    FEWEST_FOR_OTHERS,
    LOWEST,
    OTHERS,
    THESE,
    Form,
    consistency_icc,
    is_crossed,
    one_way_icc,
    too_few_raters,
)
from analysis.resampling.intervals import Z_BOUND, fisher_z
from analysis.values.estimate import FEWEST_RANDOM, Codes, Estimate, Floats, InputError, Scope, chosen_scope
from analysis.values.ratings import Ratings, coded
from analysis.variance.jackknives import FEWEST_ITEMS

MOST_GRADES = 101
"""Grades of a scale up to which those that nobody gave are counted: 0 to 100."""


@dataclass(frozen=True, eq=False)
class RatingTable:
    """N ratings as codes of n items, w raters and q values, each rater at most once per item.

    `values` (q,) ascending, those that could be given; `items` (n,), `raters` (w,) ids.
    """

    items: NDArray[Any]
    raters: NDArray[Any]
    values: NDArray[Any]
    item: Codes
    rater: Codes
    value: Codes

    @cached_property
    def counts(self) -> Floats:
        """Return how often each item got each value (n, q)."""
        return _counted(self.item, self.value, len(self.items), len(self.values))

    @cached_property
    def by_rater(self) -> Floats:
        """Return how often each rater gave each value (w, q)."""
        return _counted(self.rater, self.value, len(self.raters), len(self.values))

    @cached_property
    def without_own(self) -> Floats:
        """Each rating's item without that rating (N, q)."""
        left = self.counts[self.item]
        left[np.arange(len(left)), self.value] -= 1
        return left


def rating_table(
    item: ArrayLike, rater: ArrayLike, value: ArrayLike, scale: ArrayLike | None = None
) -> RatingTable:
    """Ratings (N,) as a table."""
    columns = {
        name: np.asarray(given) for name, given in (("item", item), ("rater", rater), ("value", value))
    }
    lengths = {name: column.shape for name, column in columns.items()}
    if len(set(lengths.values())) > 1 or columns["item"].ndim != 1:
        raise InputError(f"`item`, `rater` and `value` need one entry per rating each, got shapes {lengths}")
    given = columns["value"]
    if given.dtype.kind == "f" and not np.isfinite(given).all():
        raise InputError("`value` must have no missing numbers; leave such ratings out")
    values = np.unique(given if scale is None else np.asarray(scale))
    at = np.clip(np.searchsorted(values, given), 0, max(len(values) - 1, 0))
    if len(given) and not (values[at] == given).all():
        off = given[values[at] != given][0]
        raise InputError(f"`value` must be on the scale {values.tolist()}, got {off}")
    items, item_code = coded(columns["item"])
    raters, rater_code = coded(columns["rater"])
    cells, times = np.unique(item_code * max(len(raters), 1) + rater_code, return_counts=True)
    if (times > 1).any():
        i, w = divmod(int(cells[times > 1][0]), len(raters))
        raise InputError(
            f"a rater gives an item one value, got {int(times[times > 1][0])} of rater {raters[w]} for item {items[i]}"
        )
    return RatingTable(items, raters, values, item_code, rater_code, at)


def likely_scale(scores: ArrayLike) -> Floats:
    """Return the grades (q,) of the scale that scores (N,) are likely to come from.

    Of whole numbers these are all between the smallest and the largest; from 1 where the smallest is larger, and as far
    below 0 as above it where there are both. Of other scores, of more than 101 grades, and where all are equal, they
    are those that occur.

    >>> likely_scale([5, 4, 2]), likely_scale([-1, 2]), likely_scale([1.5, 4])
    (array([1., 2., 3., 4., 5.]), array([-2., -1.,  0.,  1.,  2.]), array([1.5, 4. ]))
    """
    given = np.unique(np.asarray(scores, dtype=np.float64))
    if len(given) < 2 or not (given == np.rint(given)).all():
        return given
    low, high = min(float(given[0]), 1.0), float(given[-1])
    if low < 0 < high:
        high = max(-low, high)
        low = -high
    return np.arange(low, high + 1) if high - low < MOST_GRADES else given


def _counted(of: Codes, value: Codes, units: int, values: int) -> Floats:
    counts = np.bincount(of * values + value, minlength=units * values)
    return counts.reshape(units, values).astype(np.float64)


def summed_by(code: Codes, changes: Floats, size: int) -> Floats:
    """Sums (size, …) of the rows (N, …) of each code."""
    flat = changes.reshape(len(changes), -1)
    summed = np.stack([np.bincount(code, column, size) for column in flat.T], axis=1)
    return np.asarray(summed.reshape(size, *changes.shape[1:]), dtype=np.float64)


@dataclass(frozen=True)
class AgreementSummary:
    """Agreement of single ratings and of their means.

    `alpha` is Krippendorff's (interval data), `one` the reliability of one rating: `form` ICC(C,1) of crossed raters,
    else ICC(1,1); `mean` that of the mean of `k` ratings, the harmonic mean of the ratings per item, with an interval
    not below 0. All intervals are of one `scope`: for these raters, or for raters like these, of whom there are
    `raters`. What raters add to them is known from `read_off` so many items, 0 for all; `items_share` is the share of
    the squared width of the reliability's interval that items alone make up. `by_clusters` is True where these are
    counted by the systems and topics that they belong to.
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

    @property
    def is_rough(self) -> bool:
        """True where so few raters stand for raters like these that their interval is rough."""
        return self.scope == OTHERS and self.raters < FEWEST_RANDOM


def agreement_summary(
    ratings: Ratings,
    scope: Scope | None = None,
    raters_are_persons: bool = True,
    system: Mapping[Any, Hashable] | None = None,
    topic: Mapping[Any, Hashable] | None = None,
) -> AgreementSummary:
    """Return alpha, the reliability of one rating, and that of the mean of an item's ratings.

    Parameters
    ----------
    ratings : N ratings of n items; a rater's several ratings of an item count as their mean
    scope : "these raters" or "raters like these"; None takes the latter from 6 raters on
    raters_are_persons : False where rater ids are slots, about whose like nothing can be said
    system, topic : what each item belongs to, by its id

    Returns
    -------
    AgreementSummary
        n = items with two ratings or more. Figures are undefined with a reason; `warning` says where an interval is
        not to be relied on.

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
    once = one_per_cell(ratings) if raters_are_persons else ratings
    items, item = coded(once.item)
    raters, rater = coded(once.rater)
    chosen = chosen_scope(scope, len(raters), raters_are_persons)
    center = once.score.mean() if len(once) else 0.0
    count, total, squares = _summed(item, once.score - center)
    clusters = Clusters.of_known(items, system, topic)
    centered = None
    if raters_are_persons and is_crossed(count, len(raters)):
        of_rater = np.bincount(rater, once.score - center) / np.bincount(rater)
        centered = _summed(item, once.score - center - of_rater[rater])
    found = summary_for_these_raters(count, total, squares, len(raters), clusters, centered)
    if chosen == THESE or not len(once):
        return found
    alpha = alpha_over_raters(item, rater, once.score, clusters, these=found.alpha)
    return summary_for_others(found, alpha, once, clusters)


def summary_for_these_raters(
    count: Codes,
    total: Floats,
    squares: Floats,
    raters: int,
    clusters: Clusters = NO_CLUSTERS,
    centered: tuple[Codes, Floats, Floats] | None = None,
) -> AgreementSummary:
    """Return the summary for these raters from each item's number, total and squares (n,) of scores less their mean.

    `centered` holds the same of scores less their rater's mean, where raters are crossed; `clusters` what items (n,)
    belong to.
    """
    number = count.astype(np.float64)
    alpha = _alpha(number, total, squares, clusters)
    if centered is None:
        one = one_way_icc(number, total, squares, clusters)
    else:
        one = consistency_icc(centered[0].astype(np.float64), centered[1], centered[2], clusters)
    form: Form = "ICC(1,1)" if centered is None else "ICC(C,1)"
    k = float(len(count) / (1 / count).sum()) if len(count) else nan
    mean = from_nothing(stepped_up(one, k))
    return AgreementSummary(alpha, one, mean, k, raters, form, by_clusters=clusters.are_shared)


def summary_for_others(
    these: AgreementSummary, alpha: Estimate, ratings: Ratings, clusters: Clusters = NO_CLUSTERS
) -> AgreementSummary:
    """Return the summary for raters like these from the ratings of all items, or of some drawn at random.

    `clusters` are of the items that the ratings are of (n,).
    """
    if these.raters < FEWEST_FOR_OTHERS:
        return _of_too_few_raters(these)
    topic = clusters.topic
    if topic is not None and topic.max(initial=-1) + 1 < FEWEST_ITEMS:
        topic = None
    one = interval_for_others(
        these.one, "consistency" if these.form == "ICC(C,1)" else "agreement", ratings, topic
    )
    some = len(np.unique(ratings.item))
    return replace(_for_others(these, alpha, one), read_off=some if some < these.one.n else 0)


def alpha_over_raters(
    item: Codes,
    rater: Codes,
    score: Floats,
    clusters: Clusters = NO_CLUSTERS,
    level: float = 0.95,
    these: Estimate | None = None,
) -> Estimate:
    """Return alpha of interval data with its interval for raters like these, from codes and scores (N,).

    Two ways of clustering: raters, and topics where there are any, else items; each rater rated an item once. The
    interval holds the one for `these` raters, found here if not given. n = items with two ratings or more.
    Source: Cameron, Gelbach and Miller 2011 (two ways), on Fisher's z.
    """
    raters = int(rater.max(initial=-1)) + 1
    score = score - (score.mean() if len(score) else 0.0)
    count, total, squares = (part.astype(np.float64) for part in _summed(item, score))
    these = these or _alpha(count, total, squares, clusters, level)
    if np.isnan(these.low):
        return these
    if raters < FEWEST_FOR_OTHERS:
        return Estimate(these.value, n=these.n, reason=too_few_raters(raters))
    topic = clusters.topic
    unit = np.arange(len(count)) if topic is None or topic.max() + 1 < FEWEST else topic
    rows = _alpha_sums(count, total, squares)
    changed = _alpha_sums(count[item] - 1, total[item] - score, squares[item] - score**2) - rows[item]
    of_cells = changed  # each rater rated an item once
    if unit.max() + 1 < len(unit):
        of_cells = _grouped(unit[item] * raters + rater, changed)
    whole = rows.sum(axis=0)
    smaller, larger = sorted((-_grouped(unit, rows), _grouped(rater, changed)), key=len)
    left = [_z_of_sums(whole + change) for change in (smaller, larger, of_cells)]
    low, high = two_way_ends(fisher_z(these.value), left[0], left[1], left[2], level)
    return _not_narrower(these, *ends_of(these.value, low, high))


def alpha_of_some(these: Estimate, some: Estimate) -> Estimate:
    """Return alpha of all items, `these`, with the interval that `some` of the items have for raters like these.

    Moved on Fisher's z to alpha of all items, and not narrower than that for these raters. Right where some items tell
    as well what raters add, of whom every one rated many of them.
    """
    if some.low != some.low:
        return replace(some, value=these.value, n=these.n)
    moved = fisher_z(these.value) - fisher_z(some.value)
    ends = ends_of(these.value, fisher_z(some.low) + moved, fisher_z(some.high) + moved)
    return _not_narrower(these, *ends)


def one_per_cell(ratings: Ratings) -> Ratings:
    """Return the ratings with the mean of a rater's several ratings of an item instead of these."""
    _, item = coded(ratings.item)
    _, rater = coded(ratings.rater)
    _, first, place = np.unique(
        item * (int(rater.max(initial=-1)) + 1) + rater, return_index=True, return_inverse=True
    )
    if len(first) == len(ratings):
        return ratings
    score = np.bincount(place, ratings.score) / np.bincount(place)
    return Ratings(ratings.item[first], ratings.rater[first], score)


def from_nothing(mean: Estimate) -> Estimate:
    """Return the reliability of a mean without the part of its interval below 0, where Spearman-Brown has a pole."""
    return replace(mean, low=max(mean.low, min(mean.value, 0.0))) if mean.low < 0 else mean


def _of_too_few_raters(found: AgreementSummary) -> AgreementSummary:
    """Return the figures without intervals for raters like these."""
    reason = too_few_raters(found.raters)
    alpha, one, mean = (
        Estimate(of.value, n=of.n, reason=reason if of.defined else of.reason)
        for of in (found.alpha, found.one, found.mean)
    )
    return replace(found, alpha=alpha, one=one, mean=mean, scope=OTHERS)


def _for_others(these: AgreementSummary, alpha: Estimate, one: Estimate) -> AgreementSummary:
    """Return the figures with intervals for raters like these; warnings of few informative items stay."""
    share = 1.0
    if these.one.reason or np.isnan(one.low):
        one = replace(these.one, low=nan, high=nan, reason=these.one.reason or one.reason or NO_INTERVAL)
    else:
        one = _not_narrower(these.one, max(one.low, LOWEST), min(one.high, 1.0))
        widths = [fisher_z(of.high) - fisher_z(of.low) for of in (these.one, one)]
        share = (widths[0] / widths[1]) ** 2 if widths[1] > 0 else 1.0
    mean = from_nothing(stepped_up(one, these.k))
    return replace(these, alpha=alpha, one=one, mean=mean, scope=OTHERS, items_share=share)


def _not_narrower(these: Estimate, low: float, high: float) -> Estimate:
    """Return an interval for raters like these that holds the one for these raters."""
    return replace(these, low=min(low, these.low), high=max(high, these.high))


def _alpha(
    count: Floats, total: Floats, squares: Floats, clusters: Clusters, level: float = 0.95
) -> Estimate:
    sums = interval_sums(count, total, squares)
    return clustered_interval(sums, clusters.where(count > 1), level)


def _summed(item: Codes, score: Floats) -> tuple[Codes, Floats, Floats]:
    """Return each item's number, total and squares (n,) of scores (N,)."""
    total, squares = (np.bincount(item, score**power).astype(np.float64) for power in (1, 2))
    return np.bincount(item), total, squares


def _grouped(code: Codes, rows: Floats) -> Floats:
    """Return sums of rows (n, 4) by code (n,), of the codes that occur."""
    there = np.bincount(code) > 0
    return np.stack([np.bincount(code, column)[there] for column in rows.T], axis=1)


def _alpha_sums(count: Floats, total: Floats, squares: Floats) -> Floats:
    """Return what alpha is made of (g, 4): number, total, squares and n SS / (n - 1), 0 without two values."""
    several = count > 1
    safe = np.where(several, count, 2.0)
    within = safe / (safe - 1) * np.maximum(squares - total**2 / safe, 0.0)
    return np.stack([count, total, squares, within], axis=1) * several[:, None]


def _z_of_sums(sums: Floats) -> Floats:
    """Return z of alpha from sums (g, 4), NaN where nothing differs."""
    n, total, squares, within = sums.T
    spread = n * squares - total**2
    value = 1 - within * (n - 1) / np.where(spread > 0, spread, nan)
    return np.asarray(np.arctanh(np.clip(value, -Z_BOUND, Z_BOUND)))
