"""Intervals of agreement figures where items belong to topics, or to systems and topics.

Sums of items add up to sums of clusters. Topics alone are the rows of `ratio_intervals`. Systems and topics are
clustered in two ways: both variances are added, and the variance of their cells is subtracted.
"""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.agreement.ratio_intervals import (
    NO_SPREAD,
    ItemSums,
    interval_from_z,
    interval_warning,
    jackknife_error,
    leave_one_out_z,
    ratio_interval,
    ratio_value,
)
from analysis.resampling.intervals import fisher_z, t_quantile
from analysis.values.estimate import Codes, Estimate, Floats, InputError, OnProgress
from analysis.values.ratings import coded

FEW_CLUSTERS = 10
"""Clusters of one way below which an interval is shown with a warning."""
FEWEST_FOR_TWO_WAYS = 5
"""Fewest systems and fewest topics for two-way clustering."""


@dataclass(frozen=True, eq=False)
class Clusters:
    """The system and the topic of each item (n,) as codes from 0; None where items have none."""

    system: Codes | None = None
    topic: Codes | None = None

    @classmethod
    def from_item_ids(
        cls, mask: NDArray[np.bool_], system: ArrayLike | None, topic: ArrayLike | None
    ) -> "Clusters":
        """Return the clusters of the items in the mask (n,), from the ids of all items (n,)."""
        return cls(
            *(_codes_of_subset(name, ids, mask) for name, ids in (("system", system), ("topic", topic)))
        )

    @classmethod
    def from_ratings(
        cls, item: ArrayLike, items: NDArray[np.generic], system: ArrayLike | None, topic: ArrayLike | None
    ) -> "Clusters":
        """Return the clusters of ascending items (n,) from the item, system and topic of each rating (N,)."""
        if system is None and topic is None:
            return cls()
        ids, first = np.unique(np.asarray(item), return_index=True)
        first = first[np.isin(ids, items)]
        codes = []
        for name, column in (("system", system), ("topic", topic)):
            if column is not None and np.asarray(column).shape != np.asarray(item).shape:
                raise InputError(
                    f"`{name}` needs one id per value, {np.asarray(item).size}, got {np.asarray(column).size}"
                )
            codes.append(None if column is None else coded(np.asarray(column)[first])[1])
        return cls(*codes)

    @classmethod
    def from_mappings(
        cls,
        items: NDArray[Any],
        system: Mapping[Any, Hashable] | None,
        topic: Mapping[Any, Hashable] | None,
    ) -> "Clusters":
        """Return the clusters of items (n,) from the system and topic of each id; other items are their own cluster."""

        def codes_from(mapping: Mapping[Any, Hashable] | None) -> Codes | None:
            if mapping is None:
                return None
            return _match_codes(
                items, np.asarray(list(mapping)), coded(np.asarray(list(mapping.values())))[1]
            )

        return cls(codes_from(system), codes_from(topic))

    @classmethod
    def from_codes(cls, items: Codes, ids: Codes, system: Codes | None, topic: Codes | None) -> "Clusters":
        """Return the clusters of items (n,) from codes of ids (m,); items without a code (-1) are their own cluster."""
        return cls(*(None if code is None else _match_codes(items, ids, code) for code in (system, topic)))

    @property
    def are_shared(self) -> bool:
        """True where some items belong to the same system or topic."""
        known = (codes for codes in (self.system, self.topic) if codes is not None)
        return any(int(codes.max(initial=-1)) + 1 < len(codes) for codes in known)

    def select(self, mask: NDArray[np.bool_]) -> "Clusters":
        """Return the clusters of the items in the mask (n,)."""
        return Clusters.from_item_ids(mask, self.system, self.topic)


NO_CLUSTERS = Clusters()


def _match_codes(items: NDArray[Any], ids: NDArray[Any], code: Codes) -> Codes:
    """Return the codes of items (n,) from those of ids (m,), with a separate code for each item without one."""
    if not len(ids):
        return np.arange(len(items))
    order = np.argsort(ids)
    position = np.minimum(np.searchsorted(ids, items, sorter=order), len(ids) - 1)
    codes = np.where(ids[order[position]] == items, code[order[position]], -1)
    codes = np.where(codes < 0, int(code.max()) + 1 + np.arange(len(items)), codes)
    return np.asarray(np.unique(codes, return_inverse=True)[1], dtype=np.int64)


def clustered_interval(
    sums: ItemSums, clusters: Clusters, level: float = 0.95, on_progress: OnProgress = None
) -> Estimate:
    """Estimate 1 - O / E of items, with its interval over their clusters.

    Parameters
    ----------
    sums : a row per item
    clusters : the system and topic of each item
    level : of the interval
    on_progress : called with the share done

    Returns
    -------
    Estimate
        as `ratio_interval`, with a `warning` if there are too few clusters.

    Notes
    -----
    From 5 systems and 5 topics on over both (`two_way_interval`); with fewer over topics alone. Systems without topics
    count from 10 on. Clusters of one item each are items.
    """
    system, topic = clusters.system, clusters.topic
    systems, topics = (0 if code is None else int(code.max(initial=-1)) + 1 for code in (system, topic))
    if system is not None and topic is not None and min(systems, topics) >= FEWEST_FOR_TWO_WAYS:
        return two_way_interval(sums, system, topic, level)
    if topic is not None and 1 < topics < len(topic):
        return _one_way_interval(sums, topic, "topics", level, on_progress)
    if topic is None and system is not None and FEW_CLUSTERS <= systems < len(system):
        return _one_way_interval(sums, system, "systems", level, on_progress)
    return ratio_interval(sums, level, on_progress)


def _one_way_interval(
    sums: ItemSums, cluster: Codes, unit: str, level: float, on_progress: OnProgress
) -> Estimate:
    grouped = sums.sum_by_cluster(cluster)
    return ratio_interval(grouped, level, on_progress, FEW_CLUSTERS, unit, sums)


def two_way_interval(sums: ItemSums, system: Codes, topic: Codes, level: float = 0.95) -> Estimate:
    """Estimate 1 - O / E of items, with its interval over systems and topics, given as codes (n,) from 0.

    The interval is extended by the jackknife's bias correction over the smaller clustering, whose size gives the
    degrees of freedom. Warnings are about the larger clustering.
    Source: Cameron, Gelbach and Miller 2011; MacKinnon, Nielsen and Webb 2023 (the largest of the variances).
    """
    n, value = sums.paired, ratio_value(sums)
    if not 1 - value > NO_SPREAD:  # undefined, or no disagreement
        return ratio_interval(sums, level)
    clusterings = sorted(
        (("systems", sums.sum_by_cluster(system)), ("topics", sums.sum_by_cluster(topic))),
        key=lambda clustering: len(clustering[1].count),
    )
    (_, smaller), (unit, larger) = clusterings
    share = sums.unanimous_share()
    warning = interval_warning(n, larger.paired, FEW_CLUSTERS, unit, larger.effective_number(), share)
    cells = sums.sum_by_cluster(np.unique(system * (topic.max() + 1) + topic, return_inverse=True)[1])
    leave_one_out = [leave_one_out_z(one) for one in (smaller, larger, cells)]
    low, high = two_way_ends(fisher_z(value), leave_one_out[0], leave_one_out[1], leave_one_out[2], level)
    return Estimate(value, *interval_from_z(value, low, high), n, warning=warning)


def two_way_ends(
    z: float, smaller: Floats, larger: Floats, cells: Floats, level: float
) -> tuple[float, float]:
    """Return both ends of z from its leave-one-out values over the smaller and the larger clustering, and cells."""
    of_smaller, of_larger, of_cells = (
        jackknife_error(leave_one_out) ** 2 for leave_one_out in (smaller, larger, cells)
    )
    variance = max(of_smaller + of_larger - of_cells, of_smaller, of_larger, of_cells)
    corrected = z + (len(smaller) - 1) * (z - float(np.nanmean(smaller)))
    half = float(t_quantile(len(smaller) - 1, level)) * variance**0.5
    return min(z, corrected) - half, max(z, corrected) + half


def _codes_of_subset(name: str, ids: ArrayLike | None, mask: NDArray[np.bool_]) -> Codes | None:
    if ids is None:
        return None
    column = np.asarray(ids)
    if column.shape != mask.shape:
        raise InputError(f"`{name}` needs one id per unit, {len(mask)}, got an array of shape {column.shape}")
    return coded(column[mask])[1]
