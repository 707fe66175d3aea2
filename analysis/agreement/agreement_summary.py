"""Agreement of the raters of one measure in the figures that a first look needs: alpha, and reliability by ICC."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.agreement.alpha import interval_sums
from analysis.agreement.cluster_intervals import (
    NO_CLUSTERS,
    Clusters,
    clustered_interval,
    two_way_ends,
)
from analysis.agreement.intraclass import NO_INTERVAL, interval_for_others, stepped_up
from analysis.agreement.rating_reliability import (
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
from analysis.agreement.ratio_intervals import FEWEST, Z_BOUND, ends_of, fisher_z
from analysis.values.codes import coded
from analysis.values.estimate import Estimate
from analysis.values.ratings import Ratings
from analysis.values.scope import FEWEST_RANDOM, Scope, chosen_scope
from analysis.variance.jackknives import FEWEST_ITEMS

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]


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
