"""Sets of labels: the crowd's set of each item, sets compared with known ones, and raters compared with the others."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from math import nan
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from analysis.agreement.label_sets import Distance, LabelSets, distance_sums, set_distances
from analysis.assessors.typical_rater import RaterChanges, clipped_fisher_z
from analysis.comparison.clusters import clustered_variance
from analysis.resampling.intervals import wilson_interval, wilson_interval_from_variance
from analysis.values.estimate import Codes, Estimate, Flags, Floats, InputError
from analysis.values.ratings import coded
from analysis.values.votes import Votes
from analysis.workers import dawid_skene

Method = Literal["majority", "Dawid-Skene"]
METHODS: tuple[Method, ...] = ("majority", "Dawid-Skene")
NOTHING_KNOWN = "no item has both a known set and a rating"
_TIE_TOLERANCE = 1e-9


@dataclass(frozen=True, eq=False)
class CrowdSets:
    """The crowd's sets: `member` (n, L) is True for each of L labels in the set of each of n `items` (codes,
    ascending).

    `share` (n, L) is the share of raters who chose a label, or its probability by Dawid-Skene; `tied` (n, L) is True
    at one half, where the label is not in the set.
    """

    items: Codes
    share: Floats
    member: Flags
    tied: Flags


def crowd_sets(sets: LabelSets, method: Method = "majority") -> CrowdSets:
    """Return the crowd's labels of each item: by majority, those chosen by more than half of the item's raters, or
    by Dawid-Skene, fitted to each label separately.

    Not for mutually exclusive labels: their dependence is ignored, and sets may be empty.
    Source: Dawid and Skene 1979.
    """
    if method not in METHODS:
        raise InputError(f"`method` must be one of {', '.join(map(repr, METHODS))}, got {method!r}")
    items, item = np.unique(sets.item, return_inverse=True)
    raters, rater = np.unique(sets.rater, return_inverse=True)
    share = np.zeros((len(items), len(sets.labels)))
    count = np.maximum(np.bincount(item, minlength=len(items)), 1)
    for index, column in enumerate(sets.has_label.T):
        share[:, index] = np.bincount(item, column, len(items)) / count
        if method == "Dawid-Skene" and column.any():
            votes = Votes(item, rater, column.astype(np.int64), len(items), len(raters), 2)
            share[:, index] = dawid_skene.fit_votes(votes).posterior[:, 1]
    tied = np.abs(share - 0.5) < _TIE_TOLERANCE
    return CrowdSets(items, share, (share > 0.5) & ~tied, tied)


def label_shares(
    sets: LabelSets, level: float = 0.95, clusters: Sequence[Codes] = ()
) -> tuple[Estimate, ...]:
    """Return the mean over items of the share of raters who chose each label (L,), with intervals over items.

    `clusters` are as of `set_accuracy`, of all items with a set. Not for few raters per item, where a single vote
    dominates. Source: Wilson 1927.
    """
    share = crowd_sets(sets).share
    return tuple(mean_share(column, "no item has a rating", level, clusters) for column in share.T)


def mean_share(values: Floats, missing: str, level: float = 0.95, clusters: Sequence[Codes] = ()) -> Estimate:
    """Return the mean of shares (n,) with Wilson's interval, over clusters of items where there are some."""
    n = len(values)
    if not n:
        return Estimate(nan, reason=missing)
    value = float(values.mean())
    if n == 1:
        return Estimate(value, n=1, reason="a single item does not show how items differ")
    low, high = wilson_interval_from_variance(value, *_with_trials(values - value, n, clusters, level))
    return Estimate(value, float(low), float(high), n)


@dataclass(frozen=True, eq=False)
class SetAccuracy:
    """Sets compared with known sets: the share of equal sets and the mean Jaccard index over items, and by label
    (L,) precision, recall and F1, with the number of known sets (`known`) and of the other sets (`given`) that
    contain it."""

    exact: Estimate
    jaccard: Estimate
    precision: tuple[Estimate, ...]
    recall: tuple[Estimate, ...]
    f1: tuple[Estimate, ...]
    known: Codes
    given: Codes


def set_accuracy(
    given: ArrayLike, known: ArrayLike, level: float = 0.95, clusters: Sequence[Codes] = ()
) -> SetAccuracy:
    """Compare the sets of n items with known sets, both (n, L); undefined figures have a reason.

    `clusters` are codes (n,) of each kind of clusters that items are in, such as topics. Then the variance of each
    share is that over clusters, and Wilson's interval takes the effective number of trials from it, with Student's t.

    Intervals are Wilson's over items, for these raters: of equal sets among all items, of hits among sets with the
    label (precision), among known sets with it (recall), and among items with it in either set. F1 is 2 p / (1 + p) of
    the last share p. The interval of the mean Jaccard index takes the effective number of items from its variance. Not
    for known sets that were made from the same ratings.
    Source: Wilson 1927; Dean and Pagano 2015; Cameron, Gelbach and Miller 2011.

    >>> found = set_accuracy([[1, 0], [1, 1]], [[1, 0], [0, 1]])
    >>> found.exact.value, found.jaccard.value, [one.value for one in found.precision]
    (0.5, 0.75, [0.5, 1.0])
    """
    crowd, expected = np.asarray(given, dtype=np.bool_), np.asarray(known, dtype=np.bool_)
    if crowd.shape != expected.shape or crowd.ndim != 2:
        raise InputError(
            f"`given` and `known` must be of one shape (n, L), got {crowd.shape} and {expected.shape}"
        )
    is_equal = (crowd == expected).all(axis=1)
    common, union = crowd & expected, crowd | expected
    size = union.sum(axis=1)
    index = np.where(size > 0, common.sum(axis=1) / np.maximum(size, 1), 1.0)
    shares = partial(_share_estimates, level=level, clusters=clusters)
    share_in_both = shares(common, union, missing="neither set of any item has this label")
    f1 = tuple(Estimate(_f1(p.value), _f1(p.low), _f1(p.high), p.n, p.reason) for p in share_in_both)
    exact = shares(is_equal[:, None], np.ones((len(is_equal), 1), dtype=np.bool_), missing=NOTHING_KNOWN)[0]
    return SetAccuracy(
        exact,
        mean_share(index, NOTHING_KNOWN, level, clusters),
        shares(common, crowd, missing="the crowd gives no item this label"),
        shares(common, expected, missing="no known set has this label"),
        f1,
        expected.sum(axis=0),
        crowd.sum(axis=0),
    )


def _f1(share: float) -> float:
    """Return F1 from the share of items with a label in both sets, among those with it in either set."""
    return 2 * share / (1 + share)


def _share_estimates(
    hit: Flags, is_trial: Flags, level: float, clusters: Sequence[Codes], missing: str
) -> tuple[Estimate, ...]:
    """Return the share of hits among the items tried, both (n, L), for each label."""
    hits, trials = hit.sum(axis=0), is_trial.sum(axis=0)
    estimates = []
    for index, (value, low, high) in enumerate(zip(*wilson_interval(hits, trials, level), strict=True)):
        n = int(trials[index])
        if n > 1 and clusters:
            influence = (hit[:, index] - value * is_trial[:, index]) * len(hit) / n
            low, high = wilson_interval_from_variance(value, *_with_trials(influence, n, clusters, level))
        estimates.append(Estimate(float(value), float(low), float(high), n, "" if n else missing))
    return tuple(estimates)


def _with_trials(
    influence: Floats, trials: int, clusters: Sequence[Codes], level: float
) -> tuple[float, int, float, float]:
    """Return the variance of a mean, and what else Wilson's interval takes: trials, level and degrees of freedom."""
    variance, degrees = clustered_variance(influence, clusters)
    return variance, trials, level, degrees


def known_set_similarities(sets: LabelSets, known: Flags, items: Codes) -> tuple[Codes, Floats]:
    """Return the index of each set whose item has a known set, and its Jaccard index with that set.

    `known` (n, L) are the sets of `items` (n,), ascending.
    """
    row = np.minimum(np.searchsorted(items, sets.item), max(len(items) - 1, 0))
    rows = np.flatnonzero(items[row] == sets.item) if len(items) else np.zeros(0, dtype=np.int64)
    has_label, known_members = sets.has_label[rows], known[row[rows]]
    union = (has_label | known_members).sum(axis=1)
    return rows, np.where(union > 0, (has_label & known_members).sum(axis=1) / np.maximum(union, 1), 1.0)


def set_agreement_with_others(sets: LabelSets, distance: Distance = "MASI") -> RaterChanges:
    """Return Fisher's z of each rater's agreement with the others, and its change without each item.

    The agreement is alpha of one rater with the others: 1 minus the mean distance to the others' sets of the same item,
    divided by the mean distance to the others' sets of all items. NaN where all these sets are equal.
    Source: Habibi and Popescu-Belis 2012, section 5 (the idea); Efron and Stein 1981 (the jackknife).
    """
    pairs = sets.comparable
    raters, rater = coded(pairs.rater)
    item, used_sets, w = coded(pairs.item)[1], np.unique(pairs.given), len(raters)
    item_counts = np.bincount(rater, minlength=w)
    distances, set_code = (
        set_distances(pairs.member[used_sets], distance),
        np.searchsorted(used_sets, pairs.given),
    )
    sums, distance_to_others = distance_sums(item, set_code, distances)
    other_count = np.maximum(sums.count[item] - 1, 1)
    z, change = np.full(w, nan), np.zeros(len(item))
    for code in range(w):
        rows = np.flatnonzero(rater == code)
        m = len(rows)
        observed = distance_to_others[rows] / other_count[rows]
        own_counts = np.bincount(set_code[rows], minlength=len(used_sets)).astype(np.float64)
        item_totals = sums.totals[item[rows]]
        weight = 1 / other_count[rows]
        mean = weight @ item_totals - np.bincount(set_code[rows], weight, len(used_sets))
        to_mean, from_own = distances @ mean, distances @ own_counts
        removed_expected = (
            to_mean[set_code[rows]] + weight * (item_totals @ from_own - from_own[set_code[rows]]) - observed
        )
        total, expected = float(observed.sum()), float(own_counts @ to_mean)
        z[code] = clipped_fisher_z(_chance_corrected(np.array([total]), np.array([expected]), m))[0]
        leave_one_out = clipped_fisher_z(
            _chance_corrected(total - observed, expected - removed_expected, m - 1)
        )
        change[rows] = np.nan_to_num(leave_one_out - z[code])
    return RaterChanges(raters, z, item_counts, pairs.item, rater, change)


def _chance_corrected(total: Floats, expected: Floats, m: int) -> Floats:
    """Return 1 - O / E from sums over m items and over their pairs, NaN where all sets are equal."""
    e = expected / max(m * m, 1)
    return np.asarray(np.where(e > 1e-12, 1 - total / max(m, 1) / np.where(e > 1e-12, e, 1.0), nan))
