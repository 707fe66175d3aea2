"""Clusters of items: items of one system or topic are not independent, so clusters are resampled.

If items belong to systems and to topics, the variance is that over systems plus that over topics minus that over items,
which both include.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.correlation.two_columns import pearson, spearman
from analysis.values.estimate import Codes, Estimate, Floats, InputError
from analysis.values.ratings import settle

FEWEST_CLUSTERS = 8
"""Fewest systems, or topics, to resample; fewer are fixed, as they do not show how others would differ."""
NO_SYSTEMS = "no systems are named for the items"


@dataclass(frozen=True, eq=False)
class Belonging:
    """The system and the topic of each item.

    Parameters
    ----------
    item : (n,) ids, ascending
    system, topic : (n,) codes from 0, negative where an item has none

    Raises
    ------
    InputError
        where the columns differ in length.
    """

    item: NDArray[Any]
    system: Codes
    topic: Codes

    def __post_init__(self) -> None:
        if not len(self.item) == len(self.system) == len(self.topic):
            raise InputError(
                f"all columns must be equally long; `item` has {len(self.item)}, `system` {len(self.system)}, "
                f"`topic` {len(self.topic)}"
            )

    def of(self, items: NDArray[Any]) -> "Belonging":
        """Return the system and topic of these items (m,), -1 for unknown items."""
        if not len(self.item):
            return Belonging(items, np.full(len(items), -1), np.full(len(items), -1))
        index = np.minimum(np.searchsorted(self.item, items), len(self.item) - 1)
        is_known = self.item[index] == items
        return Belonging(
            items, np.where(is_known, self.system[index], -1), np.where(is_known, self.topic[index], -1)
        )


NO_BELONGING = Belonging(np.empty(0), np.empty(0, np.int64), np.empty(0, np.int64))


@dataclass(frozen=True, eq=False)
class Clusters:
    """Clusters to resample instead of items: codes (n,) from 0 for each kind, and their description."""

    codes: tuple[Codes, ...] = ()
    description: str = ""


@dataclass(frozen=True)
class SystemCorrelations:
    """Correlations of the systems' mean scores by both sides; `n` of the estimates counts systems."""

    spearman: Estimate
    pearson: Estimate
    systems: int


def find_clusters(belonging: Belonging) -> Clusters:
    """Find the kinds of clusters of items (n,), 8 or more clusters each; items without one are their own cluster."""
    codes, resampled, fixed = [], [], []
    for name, codes_of in (("system", belonging.system), ("topic", belonging.topic)):
        named = np.unique(codes_of[codes_of >= 0])
        has_none = codes_of < 0
        number = len(named) + int(has_none.sum())
        if not len(named) or number == len(codes_of):
            continue
        if len(named) < FEWEST_CLUSTERS:
            fixed.append(f"{len(named)} {name}s" if len(named) > 1 else f"one {name}")
            continue
        code = np.searchsorted(named, codes_of)
        code[has_none] = len(named) + np.arange(int(has_none.sum()))
        codes.append(code)
        resampled.append(f"{len(named)} {name}s")
    description = f"{' and '.join(resampled)} with all their items" if resampled else ""
    if fixed:
        separator = "; " if description else ""
        description += (
            f"{separator}{' and '.join(fixed)} held as they are, being fewer than {FEWEST_CLUSTERS}"
        )
    return Clusters(tuple(codes), description)


def clustered_variance(
    influence: Floats, clusters: Sequence[Codes], parameters: int = 1
) -> tuple[float, float]:
    """Variance of the mean of gains (n,) of items and its degrees of freedom, over what the items hang on.

    `parameters`: how many figures of each kind the gains were taken from; 1 for a mean, 2 for a correlation.
    Source: Cameron, Gelbach & Miller 2011, section 2.2; degrees of freedom: Satterthwaite 1946, of unequal clusters
    those of as many equal ones.
    """
    n = len(influence)
    deviation = influence - influence.mean()
    item_variance = float((deviation**2).sum()) / (n - 1) / n
    if not clusters:
        return item_variance, n - 1.0
    parts, degrees = [], []
    for code in clusters:
        size, total = np.bincount(code).astype(np.float64), np.bincount(code, deviation)
        g = len(size)
        parts.append(float((total**2).sum()) / n**2 * g / max(g - parameters, 1))
        degrees.append(max(float((size**2).sum()) ** 2 / float((size**4).sum()) - parameters, 1.0))
    return combine_variances(parts, degrees, item_variance)


def combine_variances(
    parts: Sequence[float], degrees: Sequence[float], item_variance: float
) -> tuple[float, float]:
    """Combine the variances over clusters of one kind, or of two crossed kinds, with their degrees of freedom."""
    variance = max(sum(parts) - item_variance, *parts) if len(parts) > 1 else parts[0]
    spread = sum(part**2 / df for part, df in zip(parts, degrees, strict=True))
    return variance, variance**2 / spread if spread > 0 else min(degrees)


def correlate_systems(
    mos_candidate: Floats, mos_reference: Floats, system: Codes, level: float
) -> SystemCorrelations:
    """Correlate both sides' MOS (n,) averaged by system, over systems; items without a system are excluded.

    Intervals are Fisher's z over systems; the error of a system's mean is part of the variance between systems.
    """
    named, code = np.unique(system[system >= 0], return_inverse=True)
    if not len(named):
        none = Estimate(nan, reason=NO_SYSTEMS)
        return SystemCorrelations(none, none, 0)
    sums = np.stack([np.bincount(code, mos[system >= 0]) for mos in (mos_candidate, mos_reference)])
    means = settle(sums / np.bincount(code))
    return SystemCorrelations(
        spearman(*means, level=level).estimate, pearson(*means, level=level).estimate, len(named)
    )
