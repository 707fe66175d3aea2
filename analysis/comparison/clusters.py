"""Clusters of items: items of one system or topic are not independent, so clusters are resampled.

Where items belong to systems and to topics at once, the variance is that over systems plus that over topics less that
over items, which both of them hold.
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

FEWEST = 8
"""Systems, or topics, below which they are held as they are: so few do not show how others would differ."""
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
        """The same of these items (m,); one that is not known belongs to nothing."""
        if not len(self.item):
            return Belonging(items, np.full(len(items), -1), np.full(len(items), -1))
        place = np.minimum(np.searchsorted(self.item, items), len(self.item) - 1)
        known = self.item[place] == items
        return Belonging(
            items, np.where(known, self.system[place], -1), np.where(known, self.topic[place], -1)
        )


NOWHERE = Belonging(np.empty(0), np.empty(0, np.int64), np.empty(0, np.int64))


@dataclass(frozen=True, eq=False)
class Clusters:
    """Units drawn in the place of items: a code (n,) from 0 for each item and kind, and in words what that is."""

    codes: tuple[Codes, ...] = ()
    told: str = ""


@dataclass(frozen=True)
class OverSystems:
    """Correlations of both sides' means of systems; `n` of the estimates counts systems."""

    spearman: Estimate
    pearson: Estimate
    systems: int


def clusters_of(belonging: Belonging) -> Clusters:
    """The kinds of clusters of items (n,) with 8 or more of them, each of several items; items of none stand alone."""
    codes, drawn, held = [], [], []
    for name, of in (("system", belonging.system), ("topic", belonging.topic)):
        named = np.unique(of[of >= 0])
        alone = of < 0
        number = len(named) + int(alone.sum())
        if not len(named) or number == len(of):
            continue
        if len(named) < FEWEST:
            held.append(f"{len(named)} {name}s" if len(named) > 1 else f"one {name}")
            continue
        code = np.searchsorted(named, of)
        code[alone] = len(named) + np.arange(int(alone.sum()))
        codes.append(code)
        drawn.append(f"{len(named)} {name}s")
    told = f"{' and '.join(drawn)} with all their items" if drawn else ""
    if held:
        told += f"{'; ' if told else ''}{' and '.join(held)} held as they are, being fewer than {FEWEST}"
    return Clusters(tuple(codes), told)


def clustered_variance(gains: Floats, clusters: Sequence[Codes], fitted: int = 1) -> tuple[float, float]:
    """Variance of the mean of gains (n,) of items and its degrees of freedom, over what the items hang on.

    `fitted`: how many figures of each kind the gains were taken from; 1 for a mean, 2 for a correlation.
    Source: Cameron, Gelbach & Miller 2011, section 2.2; degrees of freedom: Satterthwaite 1946, of unequal clusters
    those of as many equal ones.
    """
    n = len(gains)
    deviation = gains - gains.mean()
    over_items = float((deviation**2).sum()) / (n - 1) / n
    if not clusters:
        return over_items, n - 1.0
    parts, degrees = [], []
    for code in clusters:
        size, total = np.bincount(code).astype(np.float64), np.bincount(code, deviation)
        g = len(size)
        parts.append(float((total**2).sum()) / n**2 * g / max(g - fitted, 1))
        degrees.append(max(float((size**2).sum()) ** 2 / float((size**4).sum()) - fitted, 1.0))
    return joined(parts, degrees, over_items)


def joined(parts: Sequence[float], degrees: Sequence[float], over_items: float) -> tuple[float, float]:
    """The variance over clusters of one kind, or of two that cross, and its degrees of freedom."""
    variance = max(sum(parts) - over_items, *parts) if len(parts) > 1 else parts[0]
    spread = sum(part**2 / df for part, df in zip(parts, degrees, strict=True))
    return variance, variance**2 / spread if spread > 0 else min(degrees)


def over_systems(mos_candidate: Floats, mos_reference: Floats, system: Codes, level: float) -> OverSystems:
    """Correlations over systems of the means of their items' MOS (n,) and (n,); items of no system are left out.

    Intervals are Fisher's z over systems: chance in a system's mean is part of how the systems lie.
    """
    named, code = np.unique(system[system >= 0], return_inverse=True)
    if not len(named):
        none = Estimate(nan, reason=NO_SYSTEMS)
        return OverSystems(none, none, 0)
    sums = np.stack([np.bincount(code, mos[system >= 0]) for mos in (mos_candidate, mos_reference)])
    means = settle(sums / np.bincount(code))
    return OverSystems(
        spearman(*means, level=level).estimate, pearson(*means, level=level).estimate, len(named)
    )
