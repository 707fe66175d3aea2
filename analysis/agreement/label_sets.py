"""Agreement of sets of labels: Krippendorff's alpha by MASI and Jaccard distances, and by label."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import nan
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from analysis.agreement.agreement_summary import alpha_over_raters
from analysis.agreement.cluster_intervals import NO_CLUSTERS, Clusters, clustered_interval, two_way_ends
from analysis.agreement.ratio_intervals import (
    FEWEST_FOR_INTERVAL,
    ItemSums,
    interval_from_z,
    interval_sums,
    leave_one_out_z,
    membership_matrix,
)
from analysis.agreement.reliability import FEWEST_FOR_OTHERS, OTHERS, too_few_raters_reason
from analysis.resampling.intervals import Z_BOUND, fisher_z
from analysis.values.estimate import (
    Codes,
    Estimate,
    Flags,
    Floats,
    InputError,
    OnProgress,
    Scope,
    chosen_scope,
)
from analysis.values.ratings import coded

Distance = Literal["MASI", "Jaccard"]
DISTANCES: tuple[Distance, ...] = ("MASI", "Jaccard")
MOST_SETS = 3_000
"""Largest number of different sets in the distance matrix; beyond it, a random sample of items is used (seed 0)."""
_BLOCK = 2_000_000


@dataclass(frozen=True, eq=False)
class LabelSets:
    """N sets of labels that raters gave to items, each rater at most one per item.

    Parameters
    ----------
    item, rater : (N,) codes from 0
    given : (N,) the set, as a row of `member`
    member : (K, L) True for the labels in each of K different sets; a set may be empty
    labels : (L,) their names

    Raises
    ------
    InputError
        where lengths differ, a code is out of range, or a rater gives an item two sets.
    """

    item: Codes
    rater: Codes
    given: Codes
    member: Flags
    labels: tuple[str, ...]

    def __post_init__(self) -> None:
        lengths = len(self.item), len(self.rater), len(self.given)
        if len(set(lengths)) > 1:
            raise InputError(f"`item`, `rater` and `given` must be equally long, got {lengths}")
        if self.member.ndim != 2 or self.member.shape[1] != len(self.labels):
            raise InputError(
                f"`member` needs a column per label, {len(self.labels)}, got {self.member.shape}"
            )
        if len(self) and not 0 <= self.given.min() <= self.given.max() < len(self.member):
            raise InputError(f"codes of `given` must lie in 0 … {len(self.member) - 1}")
        cells = np.stack([self.item, self.rater])
        if len(np.unique(cells, axis=1).T) < len(self):
            raise InputError("a rater gives an item one set; merge repeats first")

    def __len__(self) -> int:
        return len(self.item)

    @classmethod
    def of_names(cls, item: ArrayLike, rater: ArrayLike, sets: list[tuple[str, ...]]) -> "LabelSets":
        """Return the sets (N,) of label names that raters (N,) gave to items (N,)."""
        distinct = sorted(set(sets))
        labels = tuple(sorted({label for names in distinct for label in names}))
        set_code, label_code = (
            {names: code for code, names in enumerate(distinct)},
            {label: n for n, label in enumerate(labels)},
        )
        member = np.zeros((len(distinct), len(labels)), dtype=np.bool_)
        for code, names in enumerate(distinct):
            member[code, [label_code[label] for label in names]] = True
        codes = np.array([set_code[names] for names in sets], dtype=np.int64)
        return cls(coded(np.asarray(item))[1], coded(np.asarray(rater))[1], codes, member, labels)

    def select(self, mask: Flags) -> "LabelSets":
        """Return the sets in the mask (N,), with the same codes."""
        return LabelSets(self.item[mask], self.rater[mask], self.given[mask], self.member, self.labels)

    @cached_property
    def paired(self) -> "LabelSets":
        """Sets of the items that two raters or more labeled."""
        return self.select(np.bincount(self.item)[self.item] > 1) if len(self) else self

    @cached_property
    def comparable(self) -> "LabelSets":
        """Paired sets, of a random sample of items if there are more than `MOST_SETS` different sets."""
        sets = self.paired
        if len(np.unique(sets.given)) <= MOST_SETS:
            return sets
        item = coded(sets.item)[1]
        random_rank = np.random.default_rng(0).permutation(int(item.max()) + 1)[item]
        first = np.full(len(self.member), len(random_rank))
        np.minimum.at(first, sets.given, random_rank)
        return sets.select(random_rank < np.sort(first)[MOST_SETS])

    @cached_property
    def has_label(self) -> Flags:
        """Labels that each set holds (N, L)."""
        return self.member[self.given]

    @property
    def raters(self) -> int:
        """Number of raters."""
        return len(np.unique(self.rater))


def set_distances(member: Flags, distance: Distance = "MASI") -> Floats:
    """Return the distances (K, K) of sets of labels (K, L): by MASI as `masi_distance`, by Jaccard without its factor.

    Source: Passonneau 2006; Jaccard 1912.
    """
    if distance not in DISTANCES:
        raise InputError(f"`distance` must be one of {', '.join(map(repr, DISTANCES))}, got {distance!r}")
    ones = member.astype(np.float64)
    shared, size = ones @ ones.T, ones.sum(axis=1)
    either = size[:, None] + size - shared
    index = np.where(either > 0, shared / np.maximum(either, 1), 1.0)
    if distance == "Jaccard":
        return np.asarray(1 - index)
    contained = shared == np.minimum(size[:, None], size)
    factor = np.where(shared == either, 1.0, np.where(contained, 2 / 3, 1 / 3))
    return np.asarray(1 - index * factor)


@dataclass(frozen=True, eq=False)
class SetAgreement:
    """Agreement of sets: alpha with the MASI and with the Jaccard distance, and nominal alpha of each label (L,).

    `identical` is the share of rater pairs on an item who gave the same set, averaged over items. All intervals are of
    one `scope`; `by_clusters` is True where items are clustered. n = items with two sets or more.
    """

    masi: Estimate
    jaccard: Estimate
    labels: tuple[Estimate, ...]
    identical: float
    raters: int
    scope: Scope
    by_clusters: bool = False


def set_agreement(
    sets: LabelSets,
    scope: Scope | None = None,
    raters_are_persons: bool = True,
    level: float = 0.95,
    on_progress: OnProgress = None,
    system: Mapping[int, Hashable] | None = None,
    topic: Mapping[int, Hashable] | None = None,
) -> SetAgreement:
    """Estimate the agreement of sets of labels, as a whole and by label.

    Parameters
    ----------
    sets : (N,) sets of L labels
    scope : "these raters" or "raters like these"; None takes the latter from 6 raters on
    raters_are_persons : False where rater ids are slots, which do not generalize to other raters
    level : of the intervals
    on_progress : called after each label with the share done
    system, topic : the system and topic of each item, by its code

    Returns
    -------
    SetAgreement
        undefined with a reason where no item has two sets, or all are equal.

    Notes
    -----
    Nominal alpha of a label is that of "chosen" and "not chosen". Source: Krippendorff 2011; Passonneau 2006.

    >>> found = set_agreement(LabelSets.of_names([1, 1, 2, 2], [1, 2] * 2, [("a",), ("a", "b"), ("b",), ("b",)]))
    >>> found.masi.value.__round__(3), found.labels[0].value
    (0.5, 1.0)
    """
    pairs = sets.paired
    chosen = chosen_scope(scope, pairs.raters, raters_are_persons)
    masi, jaccard = (set_alpha(pairs, distance, chosen, level, system, topic) for distance in DISTANCES)
    clusters = Clusters.from_mappings(np.unique(pairs.item), system, topic)
    labels = label_alphas(pairs, chosen, level, on_progress, clusters)
    identical = _identical_share(pairs)
    return SetAgreement(masi, jaccard, labels, identical, pairs.raters, chosen, clusters.are_shared)


def _identical_share(sets: LabelSets) -> float:
    if not len(sets):
        return nan
    item = coded(sets.item)[1]
    count = np.bincount(item)
    cells = np.unique(item * len(sets.member) + sets.given, return_counts=True)
    same = np.bincount(cells[0] // len(sets.member), cells[1] * (cells[1] - 1.0), len(count))
    return float((same / (count * (count - 1))).mean())


def label_alphas(
    sets: LabelSets,
    scope: Scope,
    level: float = 0.95,
    on_progress: OnProgress = None,
    clusters: Clusters = NO_CLUSTERS,
) -> tuple[Estimate, ...]:
    """Estimate nominal alpha of each label (L,); `clusters` are those of the items, ascending."""
    if not len(sets):
        return tuple(set_alpha(sets) for _ in sets.labels)
    item, rater = coded(sets.item)[1], coded(sets.rater)[1]
    count, estimates = np.bincount(item).astype(np.float64), []
    for column in sets.has_label.T.astype(np.float64):
        total = np.bincount(item, column).astype(np.float64)
        alpha = clustered_interval(interval_sums(count, total, total), clusters, level)
        if scope == OTHERS:
            alpha = alpha_over_raters(item, rater, column, clusters, level, alpha)
        estimates.append(alpha)
        if on_progress is not None:
            on_progress(len(estimates) / len(sets.labels))
    return tuple(estimates)


def set_alpha(
    sets: LabelSets,
    distance: Distance = "MASI",
    scope: Scope = "these raters",
    level: float = 0.95,
    system: Mapping[int, Hashable] | None = None,
    topic: Mapping[int, Hashable] | None = None,
) -> Estimate:
    """Estimate Krippendorff's alpha of sets of labels.

    Parameters
    ----------
    sets : (N,) sets
    distance : of two sets, "MASI" or "Jaccard"
    scope : "these raters": the interval is over items, or "raters like these": over items and raters
    level : of the interval
    system, topic : the system and topic of each item, by its code; the interval is then over these

    Returns
    -------
    Estimate
        n = items with two sets or more. Undefined where there is none, or all sets are equal. `warning` is set if the
        interval is unreliable.

    Raises
    ------
    InputError
        for another distance.

    Notes
    -----
    1 minus the mean distance of two sets of one item, divided by that of any two sets. Not for raters who saw different
    lists of labels. Intervals are as for `krippendorff_alpha` (`analysis.agreement.ratio_intervals`); for raters like
    these, two-way clustered by items (or their topics) and raters, on Fisher's z. Source: Krippendorff 2011, section
    D; Passonneau 2006; Cameron, Gelbach and Miller 2011.
    """
    pairs = sets.comparable
    distinct = np.unique(pairs.given)
    distances = set_distances(pairs.member[distinct], distance)
    (items, item), rater = coded(pairs.item), coded(pairs.rater)[1]
    set_code = np.searchsorted(distinct, pairs.given)
    sums, distances_to_item = distance_sums(item, set_code, distances)
    clusters = Clusters.from_mappings(items, system, topic)
    alpha = clustered_interval(sums, clusters, level)
    if scope != OTHERS or np.isnan(alpha.low):
        return alpha
    raters = int(rater.max()) + 1
    if raters < FEWEST_FOR_OTHERS:
        return Estimate(alpha.value, n=alpha.n, reason=too_few_raters_reason(raters))
    unit = clusters.topic
    if unit is not None and int(unit.max(initial=-1)) + 1 < FEWEST_FOR_INTERVAL:
        unit = None
    by_unit = leave_one_out_z(sums if unit is None else sums.sum_by_cluster(unit))
    by_rater, by_cell = _leave_one_out_z(item, rater, set_code, distances, sums, distances_to_item, unit)
    smaller, larger = sorted((by_unit, by_rater), key=len)
    low, high = interval_from_z(
        alpha.value, *two_way_ends(fisher_z(alpha.value), smaller, larger, by_cell, level)
    )
    return replace(alpha, low=min(low, alpha.low), high=max(high, alpha.high))


def distance_sums(item: Codes, set_code: Codes, distances: Floats) -> tuple[ItemSums, Floats]:
    """Return the sums of items from distances (K, K), and the distance of each set to its item's sets (N,)."""
    n, k = int(item.max(initial=-1)) + 1, len(distances)
    totals: Any = sparse.csr_array((np.ones(len(item)), (item, set_code)), shape=(n, k))
    totals.sum_duplicates()
    distances_to_item = np.empty(len(item))
    order, size = np.argsort(item, kind="stable"), max(_BLOCK // max(k, 1), 1)
    for begin in range(0, n, size):
        rows = order[np.searchsorted(item[order], begin) : np.searchsorted(item[order], begin + size)]
        distances_to_item[rows] = (totals[begin : begin + size] @ distances)[
            item[rows] - begin, set_code[rows]
        ]
    count = np.bincount(item, minlength=n).astype(np.float64)
    within = np.bincount(item, distances_to_item, n) / np.maximum(count - 1, 1)
    return ItemSums(count, within, count, np.zeros(n), totals, product=-distances), distances_to_item


def _leave_one_out_z(
    item: Codes,
    rater: Codes,
    set_code: Codes,
    distances: Floats,
    sums: ItemSums,
    distances_to_item: Floats,
    unit: Codes | None = None,
) -> tuple[Floats, Floats]:
    """Return z of alpha without each rater, and without each set (N,) or each rater's sets of a `unit` (n,).

    Items of one set are excluded.
    """
    number = sums.count[item]
    is_pair = number == 2
    inside = np.bincount(item, distances_to_item)[item]
    change_within = (
        np.where(is_pair, 0.0, (inside - 2 * distances_to_item) / np.maximum(number - 2, 1))
        - sums.within[item]
    )
    values_removed = np.where(is_pair, 2.0, 1.0)
    n, k = len(item), len(distances)
    own = sparse.csr_array((np.ones(n), (np.arange(n), set_code)), shape=(n, k))
    removed = own + sparse.diags_array(is_pair.astype(np.float64)) @ (sums.totals[item] - own)
    total = np.asarray(sums.totals.sum(axis=0)).ravel()
    weighted = distances @ total
    changes = np.stack([values_removed, change_within, removed @ weighted])

    def z_from_changes(totals: Floats, own_pairs: Floats) -> Floats:
        c = sums.count.sum() - totals[0]
        e = (total @ weighted - 2 * totals[2] + own_pairs) / np.maximum(c * (c - 1), 1)
        o = (sums.within.sum() + totals[1]) / np.maximum(c, 1)
        defined = (c > 1) & (e > 1e-12)
        value = np.where(defined, 1 - o / np.where(defined, e, 1.0), nan)
        return np.asarray(np.arctanh(np.clip(value, -Z_BOUND, Z_BOUND)))

    def leave_out(code: Codes) -> Floats:
        members = membership_matrix(code) @ removed
        step = max(_BLOCK // max(k, 1), 1)
        blocks = [members[at : at + step] for at in range(0, members.shape[0], step)]
        squared = [np.asarray(rows.multiply(rows @ distances).sum(axis=1)).ravel() for rows in blocks]
        sums_of = [np.bincount(code, part).astype(np.float64) for part in changes]
        return z_from_changes(np.stack(sums_of), np.concatenate(squared))

    if unit is None:
        return leave_out(rater), z_from_changes(changes, np.where(is_pair, 2 * distances_to_item, 0.0))
    return leave_out(rater), leave_out(coded(unit[item] * (int(rater.max()) + 1) + rater)[1])
