"""Intervals of agreement figures where items belong to topics, or to systems and topics.

Sums of items add up to sums of clusters. Topics alone are the rows of `ratio_intervals`. Systems and topics are two
ways of clustering: the variances of both are added, and that of their cells, which both hold, is taken off.
"""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.agreement.ratio_intervals import (
    NO_SPREAD,
    ItemSums,
    ends_of,
    ratio_interval,
    ratio_value,
    warning_of,
    z_error,
    z_without_each,
)
from analysis.resampling.intervals import fisher_z, quantile_of_t
from analysis.values.estimate import Codes, Estimate, Floats, InputError, OnProgress
from analysis.values.ratings import coded

FEW_CLUSTERS = 10
"""Clusters of one way below which an interval is shown with a warning."""
FEWEST_OF_BOTH = 5
"""Systems and topics from which on both ways of clustering count."""
TOPICS_ONLY = f"Over topics alone: an interval over systems too needs {FEWEST_OF_BOTH} systems and topics."


@dataclass(frozen=True, eq=False)
class Clusters:
    """The system and the topic of each item (n,) as codes from 0; None where items have none."""

    system: Codes | None = None
    topic: Codes | None = None

    @classmethod
    def of_items(
        cls, kept: NDArray[np.bool_], system: ArrayLike | None, topic: ArrayLike | None
    ) -> "Clusters":
        """Return the clusters of the items that are kept (n,), from ids of all items (n,)."""
        return cls(*(_codes_of(name, ids, kept) for name, ids in (("system", system), ("topic", topic))))

    @classmethod
    def of_ratings(
        cls, item: ArrayLike, items: NDArray[np.generic], system: ArrayLike | None, topic: ArrayLike | None
    ) -> "Clusters":
        """Return the clusters of ascending items (n,) from the item, system and topic of each rating (N,)."""
        if system is None and topic is None:
            return cls()
        ids, first = np.unique(np.asarray(item), return_index=True)
        first = first[np.isin(ids, items)]
        found = []
        for name, given in (("system", system), ("topic", topic)):
            if given is not None and np.asarray(given).shape != np.asarray(item).shape:
                raise InputError(
                    f"`{name}` needs one id per value, {np.asarray(item).size}, got {np.asarray(given).size}"
                )
            found.append(None if given is None else coded(np.asarray(given)[first])[1])
        return cls(*found)

    @classmethod
    def of_known(
        cls,
        items: NDArray[Any],
        system: Mapping[Any, Hashable] | None,
        topic: Mapping[Any, Hashable] | None,
    ) -> "Clusters":
        """Return the clusters of items (n,) from the system and topic of each id; an item without one is its own."""

        def of(known: Mapping[Any, Hashable] | None) -> Codes | None:
            if known is None:
                return None
            return _codes_of_known(items, np.asarray(list(known)), coded(np.asarray(list(known.values())))[1])

        return cls(of(system), of(topic))

    @classmethod
    def of_codes(cls, items: Codes, ids: Codes, system: Codes | None, topic: Codes | None) -> "Clusters":
        """Return the clusters of items (n,) from codes of ids (m,), -1 for none; an item without one is its own."""
        return cls(*(None if code is None else _codes_of_known(items, ids, code) for code in (system, topic)))

    @property
    def are_shared(self) -> bool:
        """True where some items belong to the same system or topic."""
        known = (codes for codes in (self.system, self.topic) if codes is not None)
        return any(int(codes.max(initial=-1)) + 1 < len(codes) for codes in known)

    def where(self, kept: NDArray[np.bool_]) -> "Clusters":
        """Return the clusters of the items that are kept (n,)."""
        return Clusters.of_items(kept, self.system, self.topic)


NO_CLUSTERS = Clusters()


def _codes_of_known(items: NDArray[Any], ids: NDArray[Any], code: Codes) -> Codes:
    """Return codes (n,) of items (n,) from those of ids (m,); where they have none each gets its own."""
    if not len(ids):
        return np.arange(len(items))
    order = np.argsort(ids)
    at = np.minimum(np.searchsorted(ids, items, sorter=order), len(ids) - 1)
    found = np.where(ids[order[at]] == items, code[order[at]], -1)
    found = np.where(found < 0, int(code.max()) + 1 + np.arange(len(items)), found)
    return np.asarray(np.unique(found, return_inverse=True)[1], dtype=np.int64)


def clustered_interval(
    sums: ItemSums, clusters: Clusters, level: float = 0.95, on_progress: OnProgress = None
) -> Estimate:
    """Return 1 - O / E of items with its interval over what the items belong to.

    Parameters
    ----------
    sums : a row per item
    clusters : the system and topic of each item
    level : of the interval
    on_progress : called with the share done

    Returns
    -------
    Estimate
        as `ratio_interval`; `warning` says so where there are too few clusters.

    Notes
    -----
    From 5 systems and 5 topics on over both (`two_way_interval`); with fewer over topics alone. Systems without topics
    count from 10 on. Clusters of one item each are items.
    """
    system, topic = clusters.system, clusters.topic
    systems, topics = (0 if code is None else int(code.max(initial=-1)) + 1 for code in (system, topic))
    if system is not None and topic is not None and min(systems, topics) >= FEWEST_OF_BOTH:
        return two_way_interval(sums, system, topic, level)
    if topic is not None and 1 < topics < len(topic):
        return _one_way(sums, topic, "topics", level, on_progress)
    if topic is None and system is not None and FEW_CLUSTERS <= systems < len(system):
        return _one_way(sums, system, "systems", level, on_progress)
    return ratio_interval(sums, level, on_progress)


def _one_way(sums: ItemSums, cluster: Codes, unit: str, level: float, on_progress: OnProgress) -> Estimate:
    grouped = sums.grouped(cluster)
    return ratio_interval(grouped, level, on_progress, FEW_CLUSTERS, unit, sums)


def two_way_interval(sums: ItemSums, system: Codes, topic: Codes, level: float = 0.95) -> Estimate:
    """Return 1 - O / E of items with its interval over systems and topics, given as codes (n,) from 0.

    The bias correction that the interval is extended to is the jackknife's over the smaller clustering. What few
    clusters of that leave unknown is in the degrees of freedom; warnings are about those of the larger.
    Source: Cameron, Gelbach and Miller 2011; MacKinnon, Nielsen and Webb 2023 (the largest of the variances).
    """
    n, value = sums.paired, ratio_value(sums)
    if not 1 - value > NO_SPREAD:  # undefined, or no disagreement
        return ratio_interval(sums, level)
    ways = sorted(
        (("systems", sums.grouped(system)), ("topics", sums.grouped(topic))),
        key=lambda way: len(way[1].count),
    )
    (_, smaller), (unit, larger) = ways
    share = sums.unanimous_share()
    warning = warning_of(n, larger.paired, FEW_CLUSTERS, unit, larger.informative(), share)
    cells = sums.grouped(np.unique(system * (topic.max() + 1) + topic, return_inverse=True)[1])
    left = [z_without_each(one) for one in (smaller, larger, cells)]
    low, high = two_way_ends(fisher_z(value), left[0], left[1], left[2], level)
    return Estimate(value, *ends_of(value, low, high), n, warning=warning)


def two_way_ends(
    z: float, smaller: Floats, larger: Floats, cells: Floats, level: float
) -> tuple[float, float]:
    """Return both ends of z from z without each cluster of the smaller way, the larger way, and each of their cells."""
    of_smaller, of_larger, of_cells = (z_error(left) ** 2 for left in (smaller, larger, cells))
    variance = max(of_smaller + of_larger - of_cells, of_smaller, of_larger, of_cells)
    corrected = z + (len(smaller) - 1) * (z - float(np.nanmean(smaller)))
    half = float(quantile_of_t(len(smaller) - 1, level)) * variance**0.5
    return min(z, corrected) - half, max(z, corrected) + half


def _codes_of(name: str, ids: ArrayLike | None, kept: NDArray[np.bool_]) -> Codes | None:
    if ids is None:
        return None
    given = np.asarray(ids)
    if given.shape != kept.shape:
        raise InputError(f"`{name}` needs one id per unit, {len(kept)}, got an array of shape {given.shape}")
    return coded(given[kept])[1]
