"""Intervals of a Bradley-Terry scale over items and raters, with ranks and clusters.

Every draw of the pigeonhole bootstrap fits the whole scale again on its own counts of each pair. It counts chance
within single votes three times, so that its intervals are too wide: it is the slow check of `clusters`.
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
from analysis.systems.bradley_terry import ON, Fitted, Scale, expected_share, fit_comparisons, fitted
from analysis.systems.rankings import PairedComparisons, cells, coded
from analysis.values.estimate import BootstrapSpec, Codes, Estimate, Flags, Floats, OnProgress


@dataclass(frozen=True, eq=False)
class ScaleIntervals:
    """Intervals of a scale over items and raters.

    `low`, `high` (S,) of strengths, NaN where an end is open; `chance_low`, `chance_high` (S,) of chances, there 0
    and 1;
    `difference_low`, `difference_high` (S, S) of strength of the row less that of the column, each pair on its
    own; `p` (S, S) of each pair's difference, adjusted for asking about all pairs; `above` (S, S) whether the row
    is surely above the column. `rank_low`, `rank_high` (S,) 1 + the number surely above, S - the number surely
    below; `cluster` (S,) from 1, the strongest; 0 in all three beyond the scale. `whole` counts the `draws` in
    which all systems kept their scale; `open_reason` says why intervals are open, `reason` why there are none.
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
    whole: int
    resampled: str
    open_reason: str = ""
    reason: str = ""


def intervals(
    comparisons: PairedComparisons,
    item: ArrayLike,
    rater: ArrayLike | None,
    spec: BootstrapSpec | None = None,
    on_progress: OnProgress = None,
) -> ScaleIntervals:
    """Intervals of strengths and differences, ranks and clusters: items and raters drawn, everything fitted again.

    Parameters
    ----------
    comparisons : N comparisons of S systems
    item : (N,) ids of what was judged
    rater : (N,) ids of who judged; None where nobody knows: then items only are drawn
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
    In a draw where a system won everything, its distance from the others is infinite, and so is everyone's from the
    mean; where the sign is not known (a system met nobody), the draw counts against both ends. If such draws are more
    than the level leaves over, the interval is open. A difference needs its two systems only.

    Which pairs are surely apart is asked for all pairs at once: a pair's distance, of the expected share of one
    against the other (ties set aside) from one half, on the arcsine scale and in standard errors, is held against
    the largest deviation of any pair in each draw (Westfall and Young 1993). Holm's adjustment of bootstrap p
    values would need many thousands of draws. A new cluster begins where all systems above are surely above all
    systems below; WMT does so without the adjustment.
    Source: pigeonhole bootstrap, Owen 2007; ranks and clusters, Bojar et al. 2016 (WMT16).
    """
    spec = spec or BootstrapSpec()
    items, raters = coded(comparisons, item, rater)
    n_items, n_raters = int(items.max(initial=-1)) + 1, int(raters.max(initial=-1)) + 1
    scale = fit_comparisons(comparisons)
    on = np.flatnonzero(scale.position == ON)
    reason = _why_none(spec, on, n_items, bool(scale.wins[np.ix_(on, on)].any()))
    if reason:
        return without(scale, spec, reason)
    place = np.full(len(scale.systems), -1)
    place[on] = np.arange(len(on))
    kept = (place[comparisons.first] >= 0) & (place[comparisons.second] >= 0)
    own = PairedComparisons(
        place[comparisons.first[kept]],
        place[comparisons.second[kept]],
        comparisons.outcome[kept],
        comparisons.offered[kept],
        scale.systems[on],
        comparisons.weights[kept],
    )
    units = (items[kept], n_items), (raters[kept], n_raters)
    parts = list(_draws(own, *units, spec, on_progress))
    strength, tie = np.vstack([part.strength for part in parts]), np.concatenate([p.tie for p in parts])
    reach = np.concatenate([part.reach for part in parts])
    return _read(scale, on, strength, tie, reach, spec, "items" if n_raters < 2 else "items and raters")


def strengths(scale: Scale, drawn: ScaleIntervals | None = None) -> tuple[Estimate, ...]:
    """The strength of each system with its interval, and with its reason where it has none."""
    return _estimates(scale, scale.strength, *((drawn.low, drawn.high) if drawn else (None, None)))


def chances(scale: Scale, drawn: ScaleIntervals | None = None) -> tuple[Estimate, ...]:
    """The chance of each system to win against an average one, as `strengths`."""
    return _estimates(
        scale, scale.chance, *((drawn.chance_low, drawn.chance_high) if drawn else (None, None))
    )


def _why_none(spec: BootstrapSpec, on: Codes, items: int, won: bool) -> str:
    if spec.draws == 0:
        return "no draws were asked for"
    if len(on) == 0:
        return "no two systems are on one scale"
    if items < 2:
        return "there is only one item, so chance over items cannot be drawn"
    if not won:
        return "all comparisons are ties, so every sample gives equal strengths"
    return ""


def without(scale: Scale, spec: BootstrapSpec, reason: str) -> ScaleIntervals:
    """No intervals, and why (a separate state; methods, section 0)."""
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


def _draws(
    own: PairedComparisons,
    of_items: tuple[Codes, int],
    of_raters: tuple[Codes, int],
    spec: BootstrapSpec,
    on_progress: OnProgress,
) -> Iterator[Fitted]:
    """Fits of blocks of draws; items and raters are codes of each comparison, and how many there are."""
    (item, items), (rater, raters) = of_items, of_raters
    n, s = len(own), len(own.systems)
    cell = cells(own)
    order = np.argsort(cell, kind="stable")
    present, starts = np.unique(cell[order], return_index=True)
    of_item, of_rater = item[order], rater[order]
    cost = max(n, 6 * s * s)
    for rater_weight, item_weight in crossed_bootstrap_counts(
        raters, items, spec.draws, spec.seed, cost, on_progress
    ):
        weight = item_weight[:, of_item] * rater_weight[:, of_rater] * own.weights[order]
        counts = np.zeros((len(weight), 3 * s * s))
        counts[:, present] = np.add.reduceat(weight, starts, axis=1)
        yield fitted(counts.reshape(-1, 3, s, s))


def _read(
    scale: Scale,
    on: Codes,
    strength: Floats,
    tie: Floats,
    reach: Flags,
    spec: BootstrapSpec,
    resampled: str,
) -> ScaleIntervals:
    """Draw (b, k) of the k systems on the scale to intervals, ranks and clusters of all S."""
    s, k = len(scale.systems), len(on)
    whole: Flags = ~np.logical_or.reduce(np.isnan(strength), axis=1)
    ends = np.where(whole[:, None], strength, _beyond(strength, reach))
    low, high = order_statistics(ends, spec.level)
    shares = expected_share(np.nan_to_num(ends), tie[:, None])
    shares = np.where(np.isinf(ends), ends > 0, np.where(np.isnan(ends), nan, shares))
    chance_low, chance_high = order_statistics(shares, spec.level, 0, 1)
    difference_low, difference_high = np.full((k, k), nan), np.full((k, k), nan)
    estimate = _angle(scale.strength[on][:, None] - scale.strength[on])
    error, largest = np.zeros((k, k)), np.zeros(len(strength))
    for at in range(k):
        difference = strength[:, at, None] - strength
        difference = np.where(reach[:, at] & ~reach[:, :, at], np.inf, difference)
        difference = np.where(reach[:, :, at] & ~reach[:, at], -np.inf, difference)
        difference[:, at] = 0
        difference_low[at], difference_high[at] = order_statistics(difference, spec.level)
        known = ~np.isnan(difference)
        angle = _angle(np.where(known, difference, 0))
        away = np.where(
            known, np.abs(angle - estimate[at]), np.maximum(estimate[at], np.pi / 2 - estimate[at])
        )
        error[at] = np.sqrt((away**2).mean(axis=0))
        largest = np.maximum(largest, (away / np.where(error[at] > 0, error[at], np.inf)).max(axis=1))
    distance = np.abs(estimate - np.pi / 4)
    apart = np.where(distance > 1e-12, np.inf, 0.0)
    certain = np.divide(distance, error, out=apart, where=error > 0)
    beyond = len(largest) - np.searchsorted(np.sort(largest), certain - 1e-12)
    p = (1 + beyond) / (1 + len(largest))
    np.fill_diagonal(p, nan)
    above = (p <= 1 - spec.level + 1e-12) & (estimate > np.pi / 4)
    cluster = clusters_of(above, scale.strength[on])
    ranks, undefined = rank_intervals(above), int((~whole).sum())
    open_reason = ""
    if np.isnan(low).any() or np.isnan(high).any():
        open_reason = f"in {undefined} of {len(whole)} draws some system won or lost everything or met nobody"

    def spread(values: NDArray[Any], nothing: float) -> NDArray[Any]:
        """From the systems on the scale to all."""
        full = np.full(s if values.ndim == 1 else (s, s), nothing, dtype=values.dtype)
        full[on if values.ndim == 1 else np.ix_(on, on)] = values
        return full

    return ScaleIntervals(
        low=spread(low, nan),
        high=spread(high, nan),
        chance_low=spread(chance_low, nan),
        chance_high=spread(chance_high, nan),
        difference_low=spread(difference_low, nan),
        difference_high=spread(difference_high, nan),
        p=spread(p, nan),
        above=spread(above, False),
        rank_low=spread(ranks.low, 0),
        rank_high=spread(ranks.high, 0),
        cluster=spread(cluster, 0),
        draws=len(whole),
        whole=int(whole.sum()),
        resampled=resampled,
        open_reason=open_reason,
    )


def _beyond(strength: Floats, reach: Flags) -> Floats:
    """Strengths (b, k) against the mean where some are beyond the scale: infinite where the sign is known."""
    # A system above all others draws the mean up with it, and the others down from it; NaN where it may be
    # either.
    on = ~np.isnan(strength)
    down = np.logical_or.reduce(reach & on[:, None, :], axis=2)
    up = np.logical_or.reduce(reach & on[:, :, None], axis=1)
    above, below = ~on & down & ~up, ~on & up & ~down
    apart = np.logical_or.reduce(~on & ~above & ~below, axis=1)[:, None]
    pulled_up = np.logical_or.reduce(above, axis=1)[:, None]
    pulled_down = np.logical_or.reduce(below, axis=1)[:, None]
    return np.select(
        [apart, above, below, pulled_up & ~pulled_down, pulled_down & ~pulled_up],
        [nan, np.inf, -np.inf, -np.inf, np.inf],
        nan,
    )


def _angle(difference: Floats) -> Floats:
    """The expected share of wins on the scale where its chance error hardly depends on it, 0 to pi / 2."""
    angle: Floats = np.arcsin(np.sqrt(special.expit(difference)))
    return angle


def clusters_of(above: Flags, strength: Floats) -> Codes:
    """Clusters (k,) from 1: a new one begins where everyone above is surely above everyone below."""
    order = np.argsort(-strength, kind="stable")
    ranked = above[np.ix_(order, order)]
    cluster = np.ones(len(order), dtype=np.int64)
    for at in range(1, len(order)):
        cluster[order[at]] = cluster[order[at - 1]] + ranked[:at, at:].all()
    return cluster


def _estimates(scale: Scale, value: Floats, low: Floats | None, high: Floats | None) -> tuple[Estimate, ...]:
    none = np.full(len(value), nan)
    ends = (none if low is None else low).tolist(), (none if high is None else high).tolist()
    return tuple(map(Estimate, value.tolist(), *ends, scale.comparisons.tolist(), scale.reasons))
