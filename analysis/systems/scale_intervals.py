"""Intervals of a Bradley-Terry scale over items and raters, with ranks and clusters.

The scale is refitted to the counts of each pigeonhole bootstrap sample. This bootstrap counts the variance of single
votes three times, so its intervals are too wide: it is a slow check of `clustered_intervals`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from analysis.pairs.system_table import rank_intervals
from analysis.resampling.intervals import crossed_bootstrap_counts, order_statistics
from analysis.systems.bradley_terry import (
    ON,
    Scale,
    TableFits,
    expected_share,
    fit_comparisons,
    fit_count_tables,
)
from analysis.systems.rankings import PairedComparisons, count_table_index, encode_clusters
from analysis.values.estimate import BootstrapSpec, Codes, Estimate, Flags, Floats, OnProgress


@dataclass(frozen=True, eq=False)
class ScaleIntervals:
    """Intervals of a scale over items and raters.

    `low`, `high` (S,) of strengths, NaN where a bound is open; `chance_low`, `chance_high` (S,) of win probabilities,
    there 0 and 1; `difference_low`, `difference_high` (S, S) of the strength of the row minus that of the column, for
    each pair separately; `p` (S, S) of each pair's difference, adjusted for all pairs; `above` (S, S) True where the
    row is clearly above the column. `rank_low`, `rank_high` (S,) 1 + the number clearly above, S - the number clearly
    below; `cluster` (S,) from 1, the strongest; 0 in all three off the scale. `complete` counts the `draws` in which
    all systems stayed on the scale; `open_reason` says why intervals are open, `reason` why there are none.
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
    draws: int
    complete: int
    resampled: str
    open_reason: str = ""
    reason: str = ""


def bootstrap_intervals(
    comparisons: PairedComparisons,
    item: ArrayLike,
    rater: ArrayLike | None,
    spec: BootstrapSpec | None = None,
    on_progress: OnProgress = None,
) -> ScaleIntervals:
    """Return bootstrap intervals of strengths and differences, ranks and clusters, refitting the scale to each sample.

    Parameters
    ----------
    comparisons : N comparisons of S systems
    item : (N,) ids of what was judged
    rater : (N,) ids of raters; None where unknown: then only items are drawn
    spec : draws, seed and level
    on_progress : called between blocks with the share done

    Returns
    -------
    ScaleIntervals

    Raises
    ------
    InputError
        where lengths differ.

    Notes
    -----
    In a sample where a system won all comparisons, its distance from the others is infinite, and so is each system's
    distance from the mean. Where the sign is unknown (a system without comparisons), the sample counts against both
    bounds. With more such samples than the level allows, the interval is open. A difference needs only its two systems.

    Pairs are tested simultaneously. A pair's distance is that of the expected share of one against the other, without
    ties, from one half, on the arcsine scale and in standard errors. It is compared with the largest deviation of any
    pair in each sample (Westfall and Young 1993). Holm's adjustment of bootstrap p values would need many thousands of
    samples. A new cluster begins where all systems above are clearly above all systems below; WMT does so without the
    adjustment.
    Source: pigeonhole bootstrap, Owen 2007; ranks and clusters, Bojar et al. 2016 (WMT16).
    """
    spec = spec or BootstrapSpec()
    items, raters = encode_clusters(comparisons, item, rater)
    n_items, n_raters = int(items.max(initial=-1)) + 1, int(raters.max(initial=-1)) + 1
    scale = fit_comparisons(comparisons)
    on_scale = np.flatnonzero(scale.position == ON)
    reason = _undefined_reason(spec, on_scale, n_items, bool(scale.wins[np.ix_(on_scale, on_scale)].any()))
    if reason:
        return undefined_intervals(scale, spec, reason)
    index = np.full(len(scale.systems), -1)
    index[on_scale] = np.arange(len(on_scale))
    mask = (index[comparisons.first] >= 0) & (index[comparisons.second] >= 0)
    selected = PairedComparisons(
        index[comparisons.first[mask]],
        index[comparisons.second[mask]],
        comparisons.outcome[mask],
        comparisons.offered[mask],
        scale.systems[on_scale],
        comparisons.weights[mask],
    )
    units = (items[mask], n_items), (raters[mask], n_raters)
    parts = list(_bootstrap_fits(selected, *units, spec, on_progress))
    strength, tie = np.vstack([part.strength for part in parts]), np.concatenate([p.tie for p in parts])
    reachable = np.concatenate([part.reachable for part in parts])
    return _intervals_from_samples(
        scale, on_scale, strength, tie, reachable, spec, "items" if n_raters < 2 else "items and raters"
    )


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


def _undefined_reason(spec: BootstrapSpec, on_scale: Codes, items: int, won: bool) -> str:
    if spec.draws == 0:
        return "no draws were asked for"
    if len(on_scale) == 0:
        return "no two systems are on one scale"
    if items < 2:
        return "there is only one item, so chance over items cannot be drawn"
    if not won:
        return "all comparisons are ties, so every sample gives equal strengths"
    return ""


def undefined_intervals(scale: Scale, spec: BootstrapSpec, reason: str) -> ScaleIntervals:
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
        spec.draws,
        0,
        "",
        reason,
        reason,
    )


def _bootstrap_fits(
    comparisons: PairedComparisons,
    item_codes: tuple[Codes, int],
    rater_codes: tuple[Codes, int],
    spec: BootstrapSpec,
    on_progress: OnProgress,
) -> Iterator[TableFits]:
    """Yield fits of blocks of samples; `item_codes` and `rater_codes` are the codes of each comparison and their
    number."""
    (item, items), (rater, raters) = item_codes, rater_codes
    n, s = len(comparisons), len(comparisons.systems)
    cell = count_table_index(comparisons)
    order = np.argsort(cell, kind="stable")
    present, starts = np.unique(cell[order], return_index=True)
    sorted_item, sorted_rater = item[order], rater[order]
    cost = max(n, 6 * s * s)
    for rater_weight, item_weight in crossed_bootstrap_counts(
        raters, items, spec.draws, spec.seed, cost, on_progress
    ):
        weight = item_weight[:, sorted_item] * rater_weight[:, sorted_rater] * comparisons.weights[order]
        counts = np.zeros((len(weight), 3 * s * s))
        counts[:, present] = np.add.reduceat(weight, starts, axis=1)
        yield fit_count_tables(counts.reshape(-1, 3, s, s))


def _intervals_from_samples(
    scale: Scale,
    on_scale: Codes,
    strength: Floats,
    tie: Floats,
    reachable: Flags,
    spec: BootstrapSpec,
    resampled: str,
) -> ScaleIntervals:
    """Return intervals, ranks and clusters of all S systems from samples (b, k) of the k systems on the scale."""
    s, k = len(scale.systems), len(on_scale)
    is_complete: Flags = ~np.logical_or.reduce(np.isnan(strength), axis=1)
    bounds = np.where(is_complete[:, None], strength, _infinite_strengths(strength, reachable))
    low, high = order_statistics(bounds, spec.level)
    shares = expected_share(np.nan_to_num(bounds), tie[:, None])
    shares = np.where(np.isinf(bounds), bounds > 0, np.where(np.isnan(bounds), nan, shares))
    chance_low, chance_high = order_statistics(shares, spec.level, 0, 1)
    difference_low, difference_high = np.full((k, k), nan), np.full((k, k), nan)
    estimate = _arcsine_share(scale.strength[on_scale][:, None] - scale.strength[on_scale])
    error, largest = np.zeros((k, k)), np.zeros(len(strength))
    for i in range(k):
        difference = strength[:, i, None] - strength
        difference = np.where(reachable[:, i] & ~reachable[:, :, i], np.inf, difference)
        difference = np.where(reachable[:, :, i] & ~reachable[:, i], -np.inf, difference)
        difference[:, i] = 0
        difference_low[i], difference_high[i] = order_statistics(difference, spec.level)
        is_defined = ~np.isnan(difference)
        angle = _arcsine_share(np.where(is_defined, difference, 0))
        deviation = np.where(
            is_defined, np.abs(angle - estimate[i]), np.maximum(estimate[i], np.pi / 2 - estimate[i])
        )
        error[i] = np.sqrt((deviation**2).mean(axis=0))
        largest = np.maximum(largest, (deviation / np.where(error[i] > 0, error[i], np.inf)).max(axis=1))
    distance = np.abs(estimate - np.pi / 4)
    undefined_ratio = np.where(distance > 1e-12, np.inf, 0.0)
    studentized = np.divide(distance, error, out=undefined_ratio, where=error > 0)
    beyond = len(largest) - np.searchsorted(np.sort(largest), studentized - 1e-12)
    p = (1 + beyond) / (1 + len(largest))
    np.fill_diagonal(p, nan)
    is_above = (p <= 1 - spec.level + 1e-12) & (estimate > np.pi / 4)
    cluster = cluster_systems(is_above, scale.strength[on_scale])
    ranks, undefined = rank_intervals(is_above), int((~is_complete).sum())
    open_reason = ""
    if np.isnan(low).any() or np.isnan(high).any():
        open_reason = (
            f"in {undefined} of {len(is_complete)} draws some system won or lost everything or met nobody"
        )

    def expand(values: NDArray[Any], fill_value: float) -> NDArray[Any]:
        """Expand values of the systems on the scale to all systems."""
        expanded = np.full(s if values.ndim == 1 else (s, s), fill_value, dtype=values.dtype)
        expanded[on_scale if values.ndim == 1 else np.ix_(on_scale, on_scale)] = values
        return expanded

    return ScaleIntervals(
        low=expand(low, nan),
        high=expand(high, nan),
        chance_low=expand(chance_low, nan),
        chance_high=expand(chance_high, nan),
        difference_low=expand(difference_low, nan),
        difference_high=expand(difference_high, nan),
        p=expand(p, nan),
        above=expand(is_above, False),
        rank_low=expand(ranks.low, 0),
        rank_high=expand(ranks.high, 0),
        cluster=expand(cluster, 0),
        draws=len(is_complete),
        complete=int(is_complete.sum()),
        resampled=resampled,
        open_reason=open_reason,
    )


def _infinite_strengths(strength: Floats, reachable: Flags) -> Floats:
    """Return strengths (b, k) relative to the mean where some systems are off the scale, infinite where the sign is
    known."""
    # A system above all others raises the mean without bound, which lowers the others relative to it; NaN where the
    # direction is unknown.
    is_on_scale = ~np.isnan(strength)
    leads_down = np.logical_or.reduce(reachable & is_on_scale[:, None, :], axis=2)
    leads_up = np.logical_or.reduce(reachable & is_on_scale[:, :, None], axis=1)
    is_above, is_below = ~is_on_scale & leads_down & ~leads_up, ~is_on_scale & leads_up & ~leads_down
    has_unconnected = np.logical_or.reduce(~is_on_scale & ~is_above & ~is_below, axis=1)[:, None]
    raises_mean = np.logical_or.reduce(is_above, axis=1)[:, None]
    lowers_mean = np.logical_or.reduce(is_below, axis=1)[:, None]
    return np.select(
        [has_unconnected, is_above, is_below, raises_mean & ~lowers_mean, lowers_mean & ~raises_mean],
        [nan, np.inf, -np.inf, -np.inf, np.inf],
        nan,
    )


def _arcsine_share(difference: Floats) -> Floats:
    """Return the expected share of wins on the arcsine scale, from 0 to pi / 2, which stabilizes its variance."""
    angle: Floats = np.arcsin(np.sqrt(special.expit(difference)))
    return angle


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
