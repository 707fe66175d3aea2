"""Sets of labels: the crowd's set of each item, sets compared with known ones, and raters compared with the others."""

from dataclasses import dataclass
from math import nan
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from analysis.agreement.label_sets import Distance, LabelSets, distance_sums, set_distances
from analysis.assessors.naming import RaterChanges, clipped_fisher_z
from analysis.resampling.intervals import wilson_interval, wilson_interval_from_variance
from analysis.values.estimate import Codes, Estimate, Flags, Floats, InputError
from analysis.values.ratings import coded
from analysis.values.votes import Votes
from analysis.workers import dawid_skene

Method = Literal["majority", "Dawid-Skene"]
METHODS: tuple[Method, ...] = ("majority", "Dawid-Skene")
NOTHING_KNOWN = "no item has both a known set and a rating"
_HALF = 1e-9


@dataclass(frozen=True, eq=False)
class CrowdSets:
    """The crowd's sets: `member` (n, L) which of L labels are in the set of each of n `items` (codes, ascending).

    `share` (n, L) is the share of raters who chose a label, or its probability by Dawid-Skene; `tied` (n, L) where it
    is one half, which leaves the label out.
    """

    items: Codes
    share: Floats
    member: Flags
    tied: Flags


def crowd_sets(sets: LabelSets, method: Method = "majority") -> CrowdSets:
    """Return the labels that the crowd gives each item: by majority, more than half of the raters of the item, or by
    Dawid-Skene, fitted to each label alone.

    Not for labels that exclude each other: their dependence is not used, and a set may come out empty.
    Source: Dawid and Skene 1979.
    """
    if method not in METHODS:
        raise InputError(f"`method` must be one of {', '.join(map(repr, METHODS))}, got {method!r}")
    items, item = np.unique(sets.item, return_inverse=True)
    raters, rater = np.unique(sets.rater, return_inverse=True)
    share = np.zeros((len(items), len(sets.labels)))
    count = np.maximum(np.bincount(item, minlength=len(items)), 1)
    for at, column in enumerate(sets.has_label.T):
        share[:, at] = np.bincount(item, column, len(items)) / count
        if method == "Dawid-Skene" and column.any():
            votes = Votes(item, rater, column.astype(np.int64), len(items), len(raters), 2)
            share[:, at] = dawid_skene.fit_votes(votes).posterior[:, 1]
    tied = np.abs(share - 0.5) < _HALF
    return CrowdSets(items, share, (share > 0.5) & ~tied, tied)


def label_shares(sets: LabelSets, level: float = 0.95) -> tuple[Estimate, ...]:
    """Return the share of an item's raters who chose each label (L,), mean over items, with its interval over items.

    Not of items with few raters each, where a single vote is a large part. Source: Wilson 1927.
    """
    share = crowd_sets(sets).share
    return tuple(mean_share(column, "no item has a rating", level) for column in share.T)


def mean_share(values: Floats, missing: str, level: float = 0.95) -> Estimate:
    """Return the mean of shares (n,) with Wilson's interval."""
    n = len(values)
    if not n:
        return Estimate(nan, reason=missing)
    value = float(values.mean())
    if n == 1:
        return Estimate(value, n=1, reason="a single item does not show how items differ")
    low, high = wilson_interval_from_variance(value, float(values.var(ddof=1)) / n, n, level, n - 1)
    return Estimate(value, float(low), float(high), n)


@dataclass(frozen=True, eq=False)
class SetAccuracy:
    """Sets compared with known ones: the share of equal sets and the mean Jaccard index over items, and by label (L,)
    precision, recall and F1, with the items that have it in the known (`known`) and in the other sets (`given`).
    """

    exact: Estimate
    jaccard: Estimate
    precision: tuple[Estimate, ...]
    recall: tuple[Estimate, ...]
    f1: tuple[Estimate, ...]
    known: Codes
    given: Codes


def set_accuracy(given: ArrayLike, known: ArrayLike, level: float = 0.95) -> SetAccuracy:
    """Return how far the sets of n items are the known ones, both (n, L); undefined figures say why.

    Intervals are over items, for these raters: Wilson's of the items whose sets are equal, of those that are given the
    label (precision), of those known to have it (recall), and of those with it in either set, of which F1 is a function
    (2 p / (1 + p) of the share p that have it in both). That of the mean Jaccard index is Wilson's of as many items as
    its variance is worth. Not for known sets that were made from the same ratings.
    Source: Wilson 1927; Dean and Pagano 2015.

    >>> found = set_accuracy([[1, 0], [1, 1]], [[1, 0], [0, 1]])
    >>> found.exact.value, found.jaccard.value, [one.value for one in found.precision]
    (0.5, 0.75, [0.5, 1.0])
    """
    one, other = np.asarray(given, dtype=np.bool_), np.asarray(known, dtype=np.bool_)
    if one.shape != other.shape or one.ndim != 2:
        raise InputError(
            f"`given` and `known` must be of one shape (n, L), got {one.shape} and {other.shape}"
        )
    same = (one == other).all(axis=1)
    both, either = one & other, one | other
    size = either.sum(axis=1)
    index = np.where(size > 0, both.sum(axis=1) / np.maximum(size, 1), 1.0)
    hits = both.sum(axis=0)
    of_both = _shares(hits, either.sum(axis=0), level, "neither set of any item has this label")
    f1 = tuple(Estimate(_f1(p.value), _f1(p.low), _f1(p.high), p.n, p.reason) for p in of_both)
    exact = _shares(np.array([same.sum()]), np.array([len(same)]), level, NOTHING_KNOWN)[0]
    return SetAccuracy(
        exact,
        mean_share(index, NOTHING_KNOWN, level),
        _shares(hits, one.sum(axis=0), level, "the crowd gives no item this label"),
        _shares(hits, other.sum(axis=0), level, "no known set has this label"),
        f1,
        other.sum(axis=0),
        one.sum(axis=0),
    )


def _f1(share: float) -> float:
    """Return F1 from the share of the items with a label in either set that have it in both."""
    return 2 * share / (1 + share)


def _shares(hits: Codes, trials: Codes, level: float, missing: str) -> tuple[Estimate, ...]:
    ends = zip(*wilson_interval(hits, trials, level), trials.tolist(), strict=True)
    return tuple(
        Estimate(float(value), float(low), float(high), n, "" if n else missing)
        for value, low, high, n in ends
    )


def similarities(sets: LabelSets, known: Flags, items: Codes) -> tuple[Codes, Floats]:
    """Return the place of each set whose item's set is known, and its Jaccard index with that.

    `known` (n, L) are the sets of `items` (n,), ascending.
    """
    at = np.minimum(np.searchsorted(items, sets.item), max(len(items) - 1, 0))
    place = np.flatnonzero(items[at] == sets.item) if len(items) else np.zeros(0, dtype=np.int64)
    one, other = sets.has_label[place], known[at[place]]
    either = (one | other).sum(axis=1)
    return place, np.where(either > 0, (one & other).sum(axis=1) / np.maximum(either, 1), 1.0)


def changes_with_others(sets: LabelSets, distance: Distance = "MASI") -> RaterChanges:
    """Return Fisher's z of each rater's agreement with the others, and its change without each item.

    1 minus the mean distance of the rater's sets from the others' of the same item, over that from the others' sets of
    any of the items: alpha of one rater with the others, NaN where all these sets are equal.
    Source: Habibi and Popescu-Belis 2012, section 5 (the idea); Efron and Stein 1981 (the jackknife).
    """
    pairs = sets.comparable
    raters, rater = coded(pairs.rater)
    item, kept, w = coded(pairs.item)[1], np.unique(pairs.given), len(raters)
    units = np.bincount(rater, minlength=w)
    between, given = set_distances(pairs.member[kept], distance), np.searchsorted(kept, pairs.given)
    sums, reach = distance_sums(item, given, between)
    others = np.maximum(sums.count[item] - 1, 1)
    z, change = np.full(w, nan), np.zeros(len(item))
    for code in range(w):
        at = np.flatnonzero(rater == code)
        m = len(at)
        apart = reach[at] / others[at]
        own = np.bincount(given[at], minlength=len(kept)).astype(np.float64)
        beside = sums.totals[item[at]]
        weight = 1 / others[at]
        mean = weight @ beside - np.bincount(given[at], weight, len(kept))
        to_mean, from_own = between @ mean, between @ own
        pulls = to_mean[given[at]] + weight * (beside @ from_own - from_own[given[at]]) - apart
        total, expected = float(apart.sum()), float(own @ to_mean)
        z[code] = clipped_fisher_z(_beyond(np.array([total]), np.array([expected]), m))[0]
        left = clipped_fisher_z(_beyond(total - apart, expected - pulls, m - 1))
        change[at] = np.nan_to_num(left - z[code])
    return RaterChanges(raters, z, units, pairs.item, rater, change)


def _beyond(total: Floats, expected: Floats, m: int) -> Floats:
    """Return 1 - O / E from sums over m items and over their pairs, NaN where nothing differs."""
    e = expected / max(m * m, 1)
    return np.asarray(np.where(e > 1e-12, 1 - total / max(m, 1) / np.where(e > 1e-12, e, 1.0), nan))
