"""Intervals of a Bradley-Terry scale, with ranks and clusters; `clustered_intervals` computes them."""

from dataclasses import dataclass
from math import nan

import numpy as np

from analysis.systems.bradley_terry import Scale
from analysis.values.estimate import Codes, Estimate, Flags, Floats


@dataclass(frozen=True, eq=False)
class ScaleIntervals:
    """Intervals of a scale over items and raters.

    `low`, `high` (S,) of strengths; `chance_low`, `chance_high` (S,) of win probabilities; `difference_low`,
    `difference_high` (S, S) of the strength of the row minus that of the column, for each pair separately; `p` (S, S)
    of each pair's difference, adjusted for all pairs; `above` (S, S) True where the row is clearly above the column.
    `rank_low`, `rank_high` (S,) 1 + the number clearly above, S - the number clearly below; `cluster` (S,) from 1, the
    strongest; 0 in all three off the scale. `resampled` names the units that the intervals are over; `reason` says why
    there are none.
    """

    low: Floats
    high: Floats
    chance_low: Floats
    chance_high: Floats
    difference_low: Floats
    difference_high: Floats
    p: Floats
    above: Flags
    rank_low: Codes
    rank_high: Codes
    cluster: Codes
    resampled: str
    reason: str = ""


def strength_estimates(scale: Scale, intervals: ScaleIntervals | None = None) -> tuple[Estimate, ...]:
    """Return the strength of each system with its interval, or the reason why it has none."""
    return _estimates(
        scale, scale.strength, *((intervals.low, intervals.high) if intervals else (None, None))
    )


def chance_estimates(scale: Scale, intervals: ScaleIntervals | None = None) -> tuple[Estimate, ...]:
    """Return each system's probability of winning against an average system, as `strength_estimates` does."""
    return _estimates(
        scale, scale.chance, *((intervals.chance_low, intervals.chance_high) if intervals else (None, None))
    )


def undefined_intervals(scale: Scale, reason: str) -> ScaleIntervals:
    """Return intervals that are undefined for a `reason` (a separate state; methods, section 0)."""
    s = len(scale.systems)
    none, pairs, zero = np.full(s, nan), np.full((s, s), nan), np.zeros(s, dtype=np.int64)
    false = np.zeros((s, s), dtype=np.bool_)
    return ScaleIntervals(
        none,
        none,
        none,
        none,
        pairs,
        pairs,
        pairs,
        false,
        zero,
        zero,
        zero,
        "",
        reason,
    )


def cluster_systems(above: Flags, strength: Floats) -> Codes:
    """Return cluster numbers (k,) from 1: a new cluster begins where all systems above are clearly above all below."""
    order = np.argsort(-strength, kind="stable")
    ranked = above[np.ix_(order, order)]
    cluster = np.ones(len(order), dtype=np.int64)
    for i in range(1, len(order)):
        cluster[order[i]] = cluster[order[i - 1]] + ranked[:i, i:].all()
    return cluster


def _estimates(scale: Scale, value: Floats, low: Floats | None, high: Floats | None) -> tuple[Estimate, ...]:
    none = np.full(len(value), nan)
    ends = (none if low is None else low).tolist(), (none if high is None else high).tolist()
    return tuple(map(Estimate, value.tolist(), *ends, scale.comparisons.tolist(), scale.reasons))
